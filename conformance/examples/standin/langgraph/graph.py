"""Stands for langgraph.graph: one node after another, and a checkpoint where one asks."""

import inspect
from typing import TypedDict

from langchain_core.messages import AIMessage, HumanMessage

from .types import Asked, given

START, END = "__start__", "__end__"


class MessagesState(TypedDict):
    messages: list


class StateGraph:
    def __init__(self, state):
        self.nodes, self.following = {}, {}

    def add_node(self, name, node):
        self.nodes[name] = node
        return self

    def add_edge(self, start, end):
        self.following[start] = end
        return self

    def compile(self, checkpointer=None):
        return Compiled(self, checkpointer)


class Compiled:
    def __init__(self, graph, checkpointer):
        self.graph, self.checkpointer = graph, checkpointer

    def state(self, thread):
        """What is kept of a thread: its messages, the node that asks, what it asks, and the answers that it was given."""
        return self.checkpointer.read(thread) or {"messages": [], "at": None, "asked": None, "given": []}

    def go_on(self, thread, state, at):
        """Runs the nodes, and yields the name of each."""
        while at != END:
            yield at
            said = {"user": HumanMessage, "assistant": AIMessage}
            messages = [said[m["role"]](m["content"], id=m["id"]) for m in state["messages"]]
            node, config = self.graph.nodes[at], {"configurable": {"thread_id": thread}}
            given.set([*state["given"]])
            try:
                new = node({"messages": messages}, *[config][: len(inspect.signature(node).parameters) - 1])
            except Asked as asked:
                state |= {"at": at, "asked": asked.args[0]}
                break
            state["messages"] += [{"id": m.id, "role": "assistant", "content": m.content} for m in new["messages"]]
            state |= {"at": None, "asked": None, "given": []}
            at = self.graph.following[at]
        self.checkpointer.write(thread, state)
