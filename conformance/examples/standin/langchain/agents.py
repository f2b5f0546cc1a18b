"""Stands for langchain.agents: a model that proposes one call to whoever writes, and repeats its result."""

import hashlib
from typing import Annotated, get_args, get_origin, get_type_hints

from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import InjectedToolCallId
from langgraph.graph import END, START, MessagesState, StateGraph


def create_agent(model, tools, checkpointer=None):
    function = tools[0]

    def carry_out(state, config):
        last = state["messages"][-1]
        call = "call_" + hashlib.md5(last.id.encode()).hexdigest()  # the same when the node runs again
        args = {"to": last.text.split()[-1], "text": "Hello."}
        for name, kind in get_type_hints(function, include_extras=True).items():
            if kind is RunnableConfig:
                args[name] = config
            elif get_origin(kind) is Annotated and InjectedToolCallId in get_args(kind):
                args[name] = call
        return {"messages": [AIMessage(function(**args))]}

    graph = StateGraph(MessagesState)
    graph.add_node("tools", carry_out)
    graph.add_edge(START, "tools")
    graph.add_edge("tools", END)
    return graph.compile(checkpointer=checkpointer)
