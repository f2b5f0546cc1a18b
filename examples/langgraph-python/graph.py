"""A graph that asks before it sends a mail. No line of it is about aguiws."""

import json
from pathlib import Path

from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import interrupt

SENT = Path(__file__).parent / "sent.log"


def send(state: MessagesState, config: RunnableConfig):
    """What stands above the interrupt runs again when it is answered, so nothing there acts."""
    last = state["messages"][-1]
    to = last.text.split()[-1]
    approved = interrupt(f"Send the mail to {to}?") is True  # Yes is True; No and Cancel are False
    if approved:
        send_mail(to, key=f"{config['configurable']['thread_id']} {last.id} send")
    return {"messages": [AIMessage(f"I have sent the mail to {to}." if approved else "I have not sent it.")]}


def send_mail(to, key):
    """Your own work. It may be called twice after a crash, so the service drops a second request with the same key, as this file does."""
    with SENT.open("a+") as log:
        log.seek(0)
        if key not in log.read():
            log.write(json.dumps({"to": to, "key": key}) + "\n")


builder = StateGraph(MessagesState)
builder.add_node("send", send)
builder.add_edge(START, "send")
builder.add_edge("send", END)
