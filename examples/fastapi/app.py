"""An agent in FastAPI that asks before it acts. What it can do is in tools.py.

    python3 -m uvicorn app:app --port 8000

It keeps its questions in agent.db, for a process that is started anew. One process serves
it. Several need a database that they share, and a lock on the question's row for `acting`.
"""

import asyncio
import hmac
import inspect
import json
import logging
import os
import sqlite3
import uuid
from pathlib import Path

from fastapi import FastAPI, Request, Response
from fastapi.responses import StreamingResponse

from tools import TOOLS, NoSuchCall, NotDone, parameters_of, proposed, think

PROPOSER = "`think` at the end of tools.py"
if "MODEL" in os.environ:
    from model import think

    PROPOSER = "The model"

app = FastAPI()
folder = Path(__file__).parent  # from wherever it is started, its questions are the same
db = sqlite3.connect(folder / "agent.db", isolation_level=None, check_same_thread=False)  # each statement is kept at once
db.execute("CREATE TABLE IF NOT EXISTS asked (id TEXT PRIMARY KEY, about TEXT, said TEXT)")
acting = {}  # the action on a question, which the same answer waits for when it comes again
PATIENCE = 60  # seconds of silence; after five minutes aguiws takes the agent for lost
LOOKS = 20  # a model that looks things up for ever is stopped
SECRET = os.environ.get("AGENT_SECRET")  # which aguiws sends, if others reach this port
if SECRET == "":
    raise SystemExit("AGENT_SECRET is empty: everybody would know it")
log = logging.getLogger("uvicorn.error")


def what(question):
    """What the question is about, and what was said when it was answered; None: it is unknown, or its tool is gone."""
    row = db.execute("SELECT about, said FROM asked WHERE id = ?", (question,)).fetchone()
    about = row and json.loads(row[0])
    return (about, row[1]) if about and (row[1] or about["tool"] in TOOLS) else None


def keep(question, about, said=None):
    db.execute("INSERT OR REPLACE INTO asked VALUES (?, ?, ?)", (question, json.dumps(about), said))


@app.post("/")
async def run(request: Request):
    if SECRET and not hmac.compare_digest(request.headers.get("x-agent-secret", "").encode(), SECRET.encode()):
        return Response(status_code=403)
    told = await request.json()
    answers = told.get("resume") or []
    if any(what(answer["interruptId"]) is None for answer in answers):
        return Response(status_code=404)  # aguiws then has a human decide
    return StreamingResponse(events(told, answers), media_type="text/event-stream")


async def events(told, answers):
    ids = {"threadId": told["threadId"], "runId": told["runId"]}
    yield event("RUN_STARTED", **ids)
    results = {}
    for answer in answers:
        # The action is a task of its own: it goes on if the connection closes.
        question = answer["interruptId"]
        if question not in acting:
            acting[question] = asyncio.create_task(act(answer, told["runId"]))
            acting[question].add_done_callback(lambda _, question=question: acting.pop(question))
        action = acting[question]
        while not (await asyncio.wait({action}, timeout=PATIENCE))[0]:
            yield ": wait\n\n"
        call, results[call] = action.result()
        yield event("TOOL_CALL_RESULT", toolCallId=call, messageId=str(uuid.uuid4()), content=results[call])
    # What comes next comes once for all answers. Nothing there acts, so it may fail.
    try:
        questions = []
        async for part in go_on(in_order(told["messages"], results), questions):
            yield part
    except NoSuchCall as error:
        yield event("RUN_ERROR", message=f"{PROPOSER} proposed what no tool takes: {error}")
    except Exception as error:
        log.exception("the agent cannot go on")
        yield event("RUN_ERROR", message=f"The agent cannot go on: {error!r}")
    else:
        outcome = {"type": "interrupt", "interrupts": questions} if questions else {"type": "success"}
        yield event("RUN_FINISHED", **ids, outcome=outcome)


async def go_on(chat, questions):
    """Tells what think says and proposes. It thinks again when all that it proposed has been looked up."""
    for _ in range(LOOKS):
        message, words, calls, found = str(uuid.uuid4()), "", [], {}
        speaking = False
        async for part in think(chat):
            if isinstance(part, str):
                if not speaking:
                    yield event("TEXT_MESSAGE_START", messageId=message, role="assistant")
                    speaking = True
                yield event("TEXT_MESSAGE_CONTENT", messageId=message, delta=part)
                words += part
                continue
            if speaking:
                yield event("TEXT_MESSAGE_END", messageId=message)
                speaking = False
            tool, (args, asks) = part[0], proposed(*part)
            call, question = str(uuid.uuid4()), str(uuid.uuid4())
            calls.append({"id": call, "type": "function", "function": {"name": tool, "arguments": json.dumps(args)}})
            yield event("TOOL_CALL_START", toolCallId=call, toolCallName=tool, parentMessageId=message)
            yield event("TOOL_CALL_ARGS", toolCallId=call, delta=json.dumps(args))
            yield event("TOOL_CALL_END", toolCallId=call)
            if asks:
                keep(question, {"call": call, "tool": tool, "args": args, "words": asks})
                schema = answers_about(TOOLS[tool])
                questions.append({"id": question, "reason": "tool_call", "message": asks, "toolCallId": call, "responseSchema": schema})
            else:
                found[call] = await carry_out(TOOLS[tool], args)
                yield event("TOOL_CALL_RESULT", toolCallId=call, messageId=str(uuid.uuid4()), content=found[call])
        if speaking:
            yield event("TEXT_MESSAGE_END", messageId=message)
        if questions or not found:
            return
        chat = in_order([*chat, {"role": "assistant", "content": words, "toolCalls": calls}], found)
    raise RuntimeError(f"it has looked something up {LOOKS} times")


def answers_about(function):
    """What answers a question about a call, as JSON Schema: the page makes its form of it, and aguiws refuses other answers."""
    edits = parameters_of(function) | {"required": list(function.arguments), "additionalProperties": False}
    answers = {"approved": {"type": "boolean"}, "editedArgs": edits, "reason": {"type": "string"}}
    return {"type": "object", "properties": answers, "required": ["approved"], "additionalProperties": False}


async def act(answer, run):
    """Acts on an answer, and keeps that it has. Returns the call that it was about, and what to say."""
    question = answer["interruptId"]
    about, said = what(question)
    if said is None:
        payload = answer.get("payload") if answer["status"] == "resolved" else None
        payload = payload if isinstance(payload, dict) else {}
        if payload.get("approved") is True:
            said = await carry_out_asked(about, payload.get("editedArgs"), {"key": question, "run": run})
        else:
            said = f"Not done. A person was asked: {about['words']}"
        if payload.get("reason"):  # which the model goes on from
            said += f" The person says: {payload['reason']}"
        keep(question, about, said)
    return about["call"], said


async def carry_out_asked(about, edited, ids):
    """Carries a call out. The arguments that a person has edited stand in place of all the proposed ones."""
    args, told = about["args"], ""
    if edited is not None:
        try:
            args, _ = proposed(about["tool"], edited)
            if left := args.keys() - edited.keys():  # nobody has seen its default
                raise NoSuchCall(f"{', '.join(left)} of {about['tool']} is left out")
        except NoSuchCall as error:
            return f"Not done: a person changed the arguments, and the tool does not take them: {error}."
        told = f" A person changed the arguments to {json.dumps(args)}."
    return await carry_out(TOOLS[about["tool"]], args | ids) + told


async def carry_out(function, args):
    asynchronous = inspect.iscoroutinefunction(function)
    try:
        said = await (function(**args) if asynchronous else asyncio.to_thread(function, **args))
    except NotDone as error:
        return f"Not done: {error}."
    return str(said or "Done.")


def in_order(messages, results):
    """The chat with each result directly behind its call, as models want it: a new message may
    stand between them. A call has none if a human took its run as done after a crash."""
    results = {message["toolCallId"]: message["content"] for message in messages if message["role"] == "tool"} | results
    chat = []
    for message in messages:
        if message["role"] == "tool":
            continue
        chat.append(message)
        for call in message.get("toolCalls") or []:
            chat.append({"role": "tool", "toolCallId": call["id"], "content": results.get(call["id"], "Nobody knows what came of it.")})
    return chat


def event(kind, **members):
    return f"data: {json.dumps({'type': kind, **members})}\n\n"
