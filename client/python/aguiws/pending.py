"""Requests about a thread that have no answer yet. They are asked again until they have."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from .frames import JSON, Frame
from .run import refused_frame

if TYPE_CHECKING:
    from .thread import AsyncThread


class Pending:
    def __init__(self, thread: AsyncThread) -> None:
        self.thread = thread
        self.sent = False
        self.done = False
        self.answer: Any = None
        self.error: Exception | None = None

    def submit(self) -> None:
        if not self.sent and not self.done:
            self.sent = True
            self.ask()

    def ask(self) -> None:
        raise NotImplementedError

    def refused(self, frame: Frame) -> None:
        """Take a ws.error: the end, or another try later."""
        why = refused_frame(frame)
        if not why.passes:
            self.finish(None, why)
            return
        client = self.thread._client
        client._later(why.retry_after + random.uniform(0, client._options.backoff_min), self.again)

    def again(self) -> None:
        self.sent = False
        self.thread._flush()

    def finish(self, answer: Any, error: Exception | None = None) -> None:
        if not self.done:
            self.done, self.answer, self.error = True, answer, error
            self.thread._client._change()


class Cancelling(Pending):
    """A ws.cancel."""

    def __init__(self, thread: AsyncThread, run_id: str) -> None:
        super().__init__(thread)
        self.run_id = run_id

    def ask(self) -> None:
        self.thread._client._ask("ws.cancel", {"threadId": self.thread.id, "runId": self.run_id}, self.take)

    def take(self, frame: Frame) -> None:
        if frame.type == "ws.cancelled":
            self.finish(frame.data.get("stopped", False))
        else:
            self.refused(frame)


class Paging(Pending):
    """A ws.messages."""

    def __init__(self, thread: AsyncThread, limit: int) -> None:
        super().__init__(thread)
        self.limit = limit
        self.before = ""

    def ask(self) -> None:
        if not self.thread._older:
            self.finish(None)
            return
        self.before = self.thread._before
        request: JSON = {"threadId": self.thread.id}
        if self.before:
            request["before"] = self.before
        if self.limit > 0:
            request["limit"] = self.limit
        self.thread._client._ask("ws.messages", request, self.take)

    def take(self, frame: Frame) -> None:
        if frame.type != "ws.messages":
            self.refused(frame)
        elif self.before != self.thread._before:
            self.again()  # what is held begins elsewhere by now
        else:
            self.thread._precede(frame)
            self.finish(None)
