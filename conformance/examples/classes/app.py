"""An agent with the classes of ag-ui-protocol, as docs/own-agent.md shows them."""

import asyncio
import uuid
from pathlib import Path

from ag_ui.core import Interrupt, RunAgentInput, RunFinishedEvent, RunFinishedInterruptOutcome, RunStartedEvent, TextMessageChunkEvent
from ag_ui.encoder import EventEncoder
from fastapi import FastAPI, Response
from fastapi.responses import StreamingResponse

app = FastAPI()
encoder = EventEncoder()
asked = {}  # what each question is about, and what was said; in a database if they are to outlive this process
acting = {}  # the action on a question, which the same answer waits for when it comes again
PATIENCE = 60


@app.post("/")
async def run(told: RunAgentInput):
    if any(answer.interrupt_id not in asked for answer in told.resume or []):
        return Response(status_code=404)  # rule 6
    return StreamingResponse(events(told), media_type=encoder.get_content_type())


async def events(told):
    ids, answers, last = {"thread_id": told.thread_id, "run_id": told.run_id}, told.resume or [], (told.messages or [None])[-1]
    yield encoder.encode(RunStartedEvent(**ids))
    for answer in answers:
        question = answer.interrupt_id
        if question not in acting:  # rule 2
            acting[question] = asyncio.create_task(act(answer, told.run_id))
            acting[question].add_done_callback(lambda _, question=question: acting.pop(question))
        action = acting[question]
        while not (await asyncio.wait({action}, timeout=PATIENCE))[0]:
            yield ": wait\n\n"
        yield encoder.encode(TextMessageChunkEvent(message_id=str(uuid.uuid4()), role="assistant", delta=action.result()))
    if not last or last.role != "user" or last.id in [asked[answer.interrupt_id]["message"] for answer in answers]:
        yield encoder.encode(RunFinishedEvent(**ids))
        return
    interrupt = Interrupt(id=str(uuid.uuid4()), reason="example:ask_human", message=f"Send to {last.content}?")  # rule 5
    asked[interrupt.id] = {"to": last.content, "message": last.id, "said": None}
    outcome = RunFinishedInterruptOutcome(type="interrupt", interrupts=[interrupt])
    yield encoder.encode(RunFinishedEvent(**ids, outcome=outcome))


async def act(answer, run):
    question, payload = asked[answer.interrupt_id], answer.payload
    if question["said"] is None:
        yes = answer.status == "resolved" and isinstance(payload, dict) and payload.get("approved") is True  # rule 1
        if yes:
            question["said"] = await asyncio.to_thread(send, question["to"], key=answer.interrupt_id, run=run)  # rule 3
        else:
            question["said"] = f"Not sent to {question['to']}."
    return question["said"]


def send(to, key, run):
    """Stands for a service that drops a second request with the same key."""
    with (Path(__file__).parent / "sent.log").open("a+") as log:
        log.seek(0)
        if key not in log.read():
            log.write(f"{to} {key} {run}\n")
    return f"Sent to {to}."
