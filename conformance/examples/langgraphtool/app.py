"""An agent of LangChain with a tool that asks, as docs/langgraph.md shows it."""

import json
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated

from ag_ui_langgraph import LangGraphAgent, add_langgraph_fastapi_endpoint
from fastapi import FastAPI
from langchain.agents import create_agent
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import InjectedToolCallId, tool
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.types import interrupt

folder = Path(__file__).parent


@tool
def send_mail(to: str, text: str, config: RunnableConfig, tool_call_id: Annotated[str, InjectedToolCallId]) -> str:
    """Sends a mail."""
    if interrupt(f"Send this to {to}? {text}") is not True:  # Yes is True; No and Cancel are False
        return "A person has said no. The mail has not been sent."
    deliver(to, text, key=f"{config['configurable']['thread_id']} {tool_call_id}")
    return f"I have sent the mail to {to}."


def deliver(to, text, key):
    """Stands for a service that drops a second request with the same key."""
    with (folder / "sent.log").open("a+") as log:
        log.seek(0)
        if key not in log.read():
            log.write(json.dumps({"to": to, "text": text, "key": key}) + "\n")


@asynccontextmanager
async def lifespan(app):
    async with AsyncSqliteSaver.from_conn_string(str(folder / "checkpoints.db")) as saver:
        graph = create_agent("openai:gpt-5", [send_mail], checkpointer=saver)
        add_langgraph_fastapi_endpoint(app, LangGraphAgent(name="agent", graph=graph), "/")
        yield


app = FastAPI(lifespan=lifespan)
