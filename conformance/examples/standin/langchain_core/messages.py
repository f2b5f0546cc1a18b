"""Stands for langchain_core.messages."""

import uuid


class Message:
    def __init__(self, content, id=None):
        self.content, self.id = content, id or str(uuid.uuid4())

    @property
    def text(self):
        return self.content


class HumanMessage(Message):
    pass


class AIMessage(Message):
    pass
