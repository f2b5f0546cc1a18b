"""Stands for ag_ui.core of ag-ui-protocol: the classes that classes/app.py uses, with the names that 0.1.22 and 1.0.0 give them."""

from typing import Any, List, Literal, Optional

from pydantic import BaseModel


def camel(name):
    first, *others = name.split("_")
    return first + "".join(map(str.title, others))


class Model(BaseModel):
    class Config:
        alias_generator = camel
        allow_population_by_field_name = True
        extra = "forbid"


class ResumeEntry(Model):
    interrupt_id: str
    status: Literal["resolved", "cancelled"]
    payload: Optional[Any] = None


class Message(Model):
    id: str
    role: str
    content: Optional[Any] = None


class RunAgentInput(Model):
    thread_id: str
    run_id: str
    parent_run_id: Optional[str] = None
    state: Any
    messages: List[Message]
    tools: List[Any]
    context: List[Any]
    forwarded_props: Any
    resume: Optional[List[ResumeEntry]] = None


class RunStartedEvent(Model):
    type: Literal["RUN_STARTED"] = "RUN_STARTED"
    thread_id: str
    run_id: str


class TextMessageChunkEvent(Model):
    type: Literal["TEXT_MESSAGE_CHUNK"] = "TEXT_MESSAGE_CHUNK"
    message_id: Optional[str] = None
    role: Optional[str] = None
    delta: Optional[str] = None


class Interrupt(Model):
    id: str
    reason: str
    message: Optional[str] = None
    tool_call_id: Optional[str] = None
    response_schema: Optional[dict] = None
    expires_at: Optional[str] = None
    metadata: Optional[dict] = None


class RunFinishedInterruptOutcome(Model):
    type: Literal["interrupt"]
    interrupts: List[Interrupt]


class RunFinishedEvent(Model):
    type: Literal["RUN_FINISHED"] = "RUN_FINISHED"
    thread_id: str
    run_id: str
    outcome: Optional[RunFinishedInterruptOutcome] = None
