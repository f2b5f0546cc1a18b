"""Stands for langchain_core.runnables."""

RunnableConfig = dict
