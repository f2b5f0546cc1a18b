"""Serves the graph of graph.py by AG-UI, with checkpoints that outlive this process.

    python3 -m uvicorn app:app --port 8000
"""

from contextlib import asynccontextmanager
from pathlib import Path

from ag_ui_langgraph import LangGraphAgent, add_langgraph_fastapi_endpoint
from fastapi import FastAPI
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from graph import builder  # your StateGraph, before it is compiled

CHECKPOINTS = str(Path(__file__).parent / "checkpoints.db")


@asynccontextmanager
async def lifespan(app):
    async with AsyncSqliteSaver.from_conn_string(CHECKPOINTS) as saver:
        graph = builder.compile(checkpointer=saver)
        add_langgraph_fastapi_endpoint(app, LangGraphAgent(name="agent", graph=graph), "/")
        yield


app = FastAPI(lifespan=lifespan)
