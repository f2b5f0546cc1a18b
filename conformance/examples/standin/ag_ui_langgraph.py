"""Stands for ag-ui-langgraph where it cannot be installed: it asks and is answered as 0.0.47 does by default.

With OUTCOME=on it does both as the source after 0.0.47 does: the question is the outcome of
RUN_FINISHED, and forwardedProps.command is left aside.
"""

import hashlib
import inspect
import json
import os
import uuid

from fastapi import FastAPI, Request
from fastapi.responses import StreamingResponse

if "lifespan" not in inspect.signature(FastAPI.__init__).parameters:  # before 0.93, as Debian's
    without = FastAPI.__init__

    def with_lifespan(self, *args, lifespan=None, **named):
        without(self, *args, **named)
        if lifespan:
            self.router.lifespan_context = lifespan

    FastAPI.__init__ = with_lifespan

OUTCOME = os.environ.get("OUTCOME") == "on"


class LangGraphAgent:
    def __init__(self, *, name, graph):
        self.name, self.graph = name, graph

    def run(self, told):
        ids = {"threadId": told["threadId"], "runId": told["runId"]}
        yield {"type": "RUN_STARTED", **ids}
        state = self.graph.state(told["threadId"])
        known = {message["id"] for message in state["messages"]}
        answered, answer = self.answer_of(told)
        if state["asked"] and not answered:
            yield from self.end(ids, state)  # it asks again, and leaves a message aside
            return
        if state["asked"]:
            state["given"].append(answer)
            yield from self.steps(told, state, state["at"])
        elif new := [m for m in told["messages"] if m["id"] not in known]:
            state["messages"] += [{each: m[each] for each in ("id", "role", "content")} for m in new]
            yield from self.steps(told, state, self.graph.graph.following["__start__"])
        yield {"type": "STATE_SNAPSHOT", "snapshot": {"messages": state["messages"]}}
        yield {"type": "MESSAGES_SNAPSHOT", "messages": state["messages"]}
        yield from self.end(ids, state)

    def answer_of(self, told):
        if OUTCOME:
            for entry in told.get("resume") or []:
                cancelled = {"__agui_cancelled__": True, "interrupt_id": entry["interruptId"]}
                return True, cancelled if entry["status"] == "cancelled" else entry.get("payload")
            return False, None
        command = (told.get("forwardedProps") or {}).get("command") or {}
        return command.get("resume") is not None, command.get("resume")

    def steps(self, told, state, at):
        for name in self.graph.go_on(told["threadId"], state, at):
            yield {"type": "STEP_STARTED", "stepName": name}
            yield {"type": "RAW", "event": {"event": "on_chain_start", "name": name, "metadata": {"ls_integration": "langgraph"}}}
            yield {"type": "STEP_FINISHED", "stepName": name}

    def end(self, ids, state):
        outcome = {}
        if value := state["asked"]:
            key = f"{ids['threadId']} {len(state['messages'])} {len(state['given'])}"
            raw = {"id": hashlib.md5(key.encode()).hexdigest(), "value": value}
            if OUTCOME:
                kept = {"langgraph": {"raw": value, "ns": None, "resumable": None, "when": None}}
                interrupt = {"id": raw["id"], "reason": "langgraph:interrupt", "message": value, "metadata": kept}
                outcome = {"outcome": {"type": "interrupt", "interrupts": [interrupt]}}
            else:
                yield {"type": "CUSTOM", "name": "on_interrupt", "value": value, "rawEvent": raw}
        yield {"type": "RUN_FINISHED", **ids, "runId": str(uuid.uuid4()), **outcome}


def add_langgraph_fastapi_endpoint(app, agent, path="/"):
    @app.post(path)
    async def endpoint(request: Request):
        told = await request.json()
        events = (f"data: {json.dumps(event)}\n\n" for event in agent.run(told))
        return StreamingResponse(events, media_type="text/event-stream")
