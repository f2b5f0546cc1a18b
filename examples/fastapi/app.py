"""An agent in FastAPI that asks before it sends a mail.

    python3 -m uvicorn app:app --port 8000

It keeps its questions in agent.db, for a process that is started anew. One process serves
it. Several need a database that they share, and a lock on the question's row for `acting`.
"""

import asyncio
import json
import os
import sqlite3
import uuid
from pathlib import Path

from fastapi import FastAPI, Request, Response
from fastapi.responses import StreamingResponse

app = FastAPI()
folder = Path(__file__).parent  # from wherever it is started, its questions are the same
db = sqlite3.connect(folder / "agent.db", isolation_level=None, check_same_thread=False)  # each statement is kept at once
db.execute("CREATE TABLE IF NOT EXISTS questions (id TEXT PRIMARY KEY, mail TEXT, said TEXT)")
acting = {}  # the action on a question, which the same answer waits for when it comes again
PATIENCE = 60  # seconds of silence; after five minutes aguiws takes the agent for lost


def what(question):
    """What the question is about, and what was said when it was answered; None: it is unknown."""
    row = db.execute("SELECT mail, said FROM questions WHERE id = ?", (question,)).fetchone()
    return row and (json.loads(row[0]), row[1])


def keep(question, mail, said=None):
    db.execute("INSERT OR REPLACE INTO questions VALUES (?, ?, ?)", (question, json.dumps(mail), said))


class NotSent(Exception):
    """Nothing was done, for sure. A timeout is not that: let it pass, and a human is asked, as after a crash."""


async def send_mail(to, text, key, run):
    """Your own work. The service that you call gets `key`, and drops a second request with the
    same one, as this file does: the answer comes again if the agent was killed behind this call.
    aguiws shows people the `run` after a crash."""
    with open(folder / "sent.log", "a+") as log:
        log.seek(0)
        if key not in log.read():
            log.write(json.dumps({"to": to, "text": text, "question": key, "run": run}) + "\n")


async def without_model(messages):
    """What comes next in a chat: a text is said, and a mail is asked about."""
    last = messages[-1] if messages else {}
    text = last.get("content")
    if last.get("role") == "user" and isinstance(text, str):
        yield {"to": text, "text": f"Dear {text}"}
    elif last.get("role") != "tool":
        yield "Write the name of somebody."


think = without_model
if "MODEL" in os.environ:
    from model import think


@app.post("/")
async def run(request: Request):
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
    # What comes next comes once for all answers.
    message, speaking, questions = str(uuid.uuid4()), False, []
    try:
        async for part in think(in_order(told["messages"], results)):
            if isinstance(part, str):
                if not speaking:
                    yield event("TEXT_MESSAGE_START", messageId=message, role="assistant")
                    speaking = True
                yield event("TEXT_MESSAGE_CONTENT", messageId=message, delta=part)
                continue
            if speaking:
                yield event("TEXT_MESSAGE_END", messageId=message)
                speaking = False
            call, question = str(uuid.uuid4()), str(uuid.uuid4())
            yield event("TOOL_CALL_START", toolCallId=call, toolCallName="send_mail", parentMessageId=message)
            yield event("TOOL_CALL_ARGS", toolCallId=call, delta=json.dumps(part))
            yield event("TOOL_CALL_END", toolCallId=call)
            keep(question, {"call": call, **part})
            questions.append({"id": question, "reason": "example:ask_human", "message": f"Send this to {part['to']}?", "toolCallId": call})
    except (OSError, LookupError, TypeError, ValueError) as error:  # the model's; what was done is kept
        yield event("RUN_ERROR", message=f"The model failed: {error}")
        return
    if speaking:
        yield event("TEXT_MESSAGE_END", messageId=message)
    outcome = {"type": "interrupt", "interrupts": questions} if questions else {"type": "success"}
    yield event("RUN_FINISHED", **ids, outcome=outcome)


async def act(answer, run):
    """Acts on an answer, and keeps that it has. Returns the call that it was about, and what to say."""
    question = answer["interruptId"]
    mail, said = what(question)
    if said is None:
        payload = answer.get("payload")
        if answer["status"] == "resolved" and isinstance(payload, dict) and payload.get("approved") is True:
            try:
                await send_mail(mail["to"], mail["text"], key=question, run=run)
                said = f"Sent to {mail['to']}."
            except NotSent as error:
                said = f"Not sent to {mail['to']}: {error}"
        else:
            said = f"Not sent to {mail['to']}."
        keep(question, mail, said)
    return mail["call"], said


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
