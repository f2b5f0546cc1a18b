"""An agent in FastAPI that asks before it sends a mail.

    python3 -m uvicorn app:app --port 8000

It keeps its questions in agent.db, for a process that is started anew. One process serves
it. Several need a database that they share, and a lock on the question's row for `acting`.
"""

import asyncio
import json
import sqlite3
import uuid

from fastapi import FastAPI, Request, Response
from fastapi.responses import StreamingResponse

app = FastAPI()
db = sqlite3.connect("agent.db", isolation_level=None, check_same_thread=False)  # each statement is kept at once
db.execute("CREATE TABLE IF NOT EXISTS questions (id TEXT PRIMARY KEY, mail TEXT, said TEXT)")
acting = {}  # the action on a question, which the same answer waits for when it comes again


def what(question):
    """What the question is about, and what was said when it was answered; None: it is unknown."""
    row = db.execute("SELECT mail, said FROM questions WHERE id = ?", (question,)).fetchone()
    return row and (json.loads(row[0]), row[1])


def keep(question, mail, said=None):
    db.execute("INSERT OR REPLACE INTO questions VALUES (?, ?, ?)", (question, json.dumps(mail), said))


async def send_mail(to, text, question, run):
    """Your own work. Give `question` to the service that you call as its idempotency key: it is
    the same when the answer comes again. aguiws shows people the `run` after a crash."""
    with open("sent.log", "a") as log:
        log.write(json.dumps({"to": to, "text": text, "question": question, "run": run}) + "\n")


@app.post("/")
async def run(request: Request):
    told = await request.json()
    answers = told.get("resume") or []
    if any(what(answer["interruptId"]) is None for answer in answers):
        return Response(status_code=404)  # aguiws then has a human decide
    return StreamingResponse(events(told, answers), media_type="text/event-stream")


async def events(told, answers):
    ids = {"threadId": told["threadId"], "runId": told["runId"]}
    outcome = {"type": "success"}
    yield event("RUN_STARTED", **ids)
    for answer in answers:
        # The action is a task of its own: it goes on if the connection closes.
        question = answer["interruptId"]
        if question not in acting:
            acting[question] = asyncio.create_task(act(answer, told["runId"]))
            acting[question].add_done_callback(lambda _, question=question: acting.pop(question))
        call, said = await asyncio.shield(acting[question])
        # A model goes on here: give it told["messages"], the result of the call behind them.
        yield event("TOOL_CALL_RESULT", toolCallId=call, messageId=str(uuid.uuid4()), content=said)
    to = asked(told["messages"])
    if to:  # a model begins here: told["messages"] is the whole chat
        args = {"to": to, "text": f"Dear {to}"}
        call, question = str(uuid.uuid4()), str(uuid.uuid4())
        yield event("TOOL_CALL_START", toolCallId=call, toolCallName="send_mail")
        yield event("TOOL_CALL_ARGS", toolCallId=call, delta=json.dumps(args))
        yield event("TOOL_CALL_END", toolCallId=call)
        keep(question, {"call": call, **args})
        about = {"id": question, "reason": "example:ask_human", "message": f"Send this to {to}?", "toolCallId": call}
        outcome = {"type": "interrupt", "interrupts": [about]}
    elif not answers:
        message = str(uuid.uuid4())
        yield event("TEXT_MESSAGE_START", messageId=message, role="assistant")
        yield event("TEXT_MESSAGE_CONTENT", messageId=message, delta="Write the name of somebody.")
        yield event("TEXT_MESSAGE_END", messageId=message)
    yield event("RUN_FINISHED", **ids, outcome=outcome)


async def act(answer, run):
    """Acts once on an answer. Returns the call that it was about, and what to say."""
    question = answer["interruptId"]
    mail, said = what(question)
    if said is None:
        payload = answer.get("payload")
        if answer["status"] == "resolved" and isinstance(payload, dict) and payload.get("approved") is True:
            try:
                await send_mail(mail["to"], mail["text"], question, run)
                said = f"Sent to {mail['to']}."
            except OSError as error:  # what surely was not done; anything else is asked about like a crash
                said = f"Not sent to {mail['to']}: {error}"
        else:
            said = f"Not sent to {mail['to']}."
        keep(question, mail, said)
    return mail["call"], said


def asked(messages):
    """The text of the last message, if a person has just written it: behind a question stands its call."""
    last = messages[-1] if messages else {}
    text = last.get("content")
    return text if last.get("role") == "user" and isinstance(text, str) else ""


def event(kind, **members):
    return f"data: {json.dumps({'type': kind, **members})}\n\n"
