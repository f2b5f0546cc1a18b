"""An agent with the classes of ag-ui-protocol, as docs/own-agent.md shows them."""

import uuid
from pathlib import Path

from ag_ui.core import Interrupt, RunAgentInput, RunFinishedEvent, RunFinishedInterruptOutcome, RunStartedEvent, TextMessageChunkEvent
from ag_ui.encoder import EventEncoder
from fastapi import FastAPI, Response
from fastapi.responses import StreamingResponse

app = FastAPI()
encoder = EventEncoder()
asked = {}  # who each question is about, and what was said; in a database if they are to outlive this process


@app.post("/")
async def run(told: RunAgentInput):
    if any(answer.interrupt_id not in asked for answer in told.resume or []):
        return Response(status_code=404)  # rule 6
    return StreamingResponse(encoded(told), media_type=encoder.get_content_type())


async def encoded(told):
    for event in events(told):
        yield encoder.encode(event)


def events(told):
    ids = {"thread_id": told.thread_id, "run_id": told.run_id}
    yield RunStartedEvent(**ids)
    for answer in told.resume or []:
        question = asked[answer.interrupt_id]
        if question["said"] is None:  # rule 2
            payload = answer.payload
            yes = answer.status == "resolved" and isinstance(payload, dict) and payload.get("approved") is True
            question["said"] = send(question["to"], key=answer.interrupt_id) if yes else f"Not sent to {question['to']}."
        yield TextMessageChunkEvent(message_id=str(uuid.uuid4()), role="assistant", delta=question["said"])
    if told.resume or not told.messages:
        yield RunFinishedEvent(**ids)
        return
    interrupt = Interrupt(id=str(uuid.uuid4()), reason="example:ask_human", message=f"Send to {told.messages[-1].content}?")
    asked[interrupt.id] = {"to": told.messages[-1].content, "said": None}
    yield RunFinishedEvent(**ids, outcome=RunFinishedInterruptOutcome(type="interrupt", interrupts=[interrupt]))


def send(to, key):
    with (Path(__file__).parent / "sent.log").open("a") as log:
        log.write(f"{to} {key}\n")
    return f"Sent to {to}."
