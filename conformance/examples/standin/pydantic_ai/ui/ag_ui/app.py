"""Stands for pydantic_ai.ui.ag_ui.app: it asks and is answered as Pydantic AI 2.15 does with ag-ui-protocol 0.1.19 or later.

It keeps nothing: a call that waits is in the messages that it is sent.
"""

import json
import uuid

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

ANSWER = {
    "type": "object",
    "properties": {"approved": {"type": "boolean"}, "editedArgs": {"type": "object"}, "reason": {"type": "string"}},
    "required": ["approved"],
}


def AGUIApp(agent):
    async def run(request: Request):
        told = await request.json()
        calls = {call["id"]: call["function"] for message in told["messages"] for call in message.get("toolCalls") or []}
        resume = told.get("resume") or []
        if any(entry["interruptId"].removeprefix("int-") not in calls for entry in resume):
            return Response(status_code=422)
        events = (f"data: {json.dumps(event)}\n\n" for event in stream(agent, told, calls, resume))
        return StreamingResponse(events, media_type="text/event-stream")

    return Starlette(routes=[Route("/", run, methods=["POST"])])


def stream(agent, told, calls, resume):
    ids, outcome = {"threadId": told["threadId"], "runId": told["runId"]}, {"type": "success"}
    yield {"type": "RUN_STARTED", **ids}
    for entry in resume:
        call, payload = entry["interruptId"].removeprefix("int-"), entry.get("payload")
        approved = entry["status"] == "resolved" and isinstance(payload, dict) and payload.get("approved") is True
        said = agent.tools[calls[call]["name"]](**json.loads(calls[call]["arguments"])) if approved else "The tool call was denied."
        yield {"type": "TOOL_CALL_RESULT", "messageId": str(uuid.uuid4()), "toolCallId": call, "content": said}
    if not resume:
        call, name = f"call_{uuid.uuid4().hex}", next(iter(agent.tools))
        args = json.dumps({"to": told["messages"][-1]["content"], "text": "Hello."})
        yield {"type": "TOOL_CALL_START", "toolCallId": call, "toolCallName": name}
        yield {"type": "TOOL_CALL_ARGS", "toolCallId": call, "delta": args}
        yield {"type": "TOOL_CALL_END", "toolCallId": call}
        question = {"id": f"int-{call}", "reason": "tool_call", "toolCallId": call, "message": f"Approve {name}({args})?"}
        outcome = {"type": "interrupt", "interrupts": [{**question, "responseSchema": ANSWER}]}
    yield {"type": "RUN_FINISHED", **ids, "outcome": outcome}
