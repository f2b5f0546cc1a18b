"""Stands for langchain_core.tools."""


class InjectedToolCallId:
    pass


def tool(function):
    return function
