"""An input on its way."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, NamedTuple

from .errors import FailedError, RefusedError, TooLargeError
from .frames import JSON, Frame, encode

if TYPE_CHECKING:
    from .thread import AsyncThread

log = logging.getLogger("aguiws")


class Accepted(NamedTuple):
    """What became of an input: ``disposition`` is started, queued or repeat.

    ``of`` is, of a repeat, the run that answers it.
    """

    disposition: str
    of: str


class AsyncRun:
    """An input on its way: sent, sent again until it is answered, and followed to its end."""

    def __init__(self, thread: AsyncThread, input: JSON) -> None:
        self._thread = thread
        self._input = input
        self._text = encode(input)
        self._sent = False  # on this socket
        self._put_off = False  # until a time that the server gave
        self._disposition = ""
        self._of = ""
        self._begun = False  # its events are under way
        self._done = False
        self._end: JSON | None = None
        self._error: Exception | None = None

    @property
    def run_id(self) -> str:
        """The run's name, as the client gave it."""
        return str(self._input["runId"])

    @property
    def done(self) -> bool:
        """Whether the run has ended, was refused or will not be heard of."""
        return self._done

    @property
    def end(self) -> JSON | None:
        """The event that ended the run; None before, and of one that never began."""
        return self._end

    async def wait(self) -> JSON:
        """Wait for the run's RUN_FINISHED, which may have questions: see ``asked``.

        A run that failed gives a FailedError, an input that was refused a RefusedError. When
        waiting is cancelled the input is on its way as before.
        """
        await self._thread._client._await(lambda: self._done)
        if self._error is not None:
            raise self._error
        assert self._end is not None
        if self._end["type"] == "RUN_ERROR":
            raise FailedError(self._end)
        return self._end

    async def accepted(self) -> Accepted:
        """Wait until the server has said what became of the input."""

        def known() -> bool:
            if self._error is not None:
                raise self._error
            return bool(self._disposition)

        await self._thread._client._await(known)
        return Accepted(self._disposition, self._of)

    async def cancel(self) -> bool:
        """Thread.cancel with the run's id."""
        return await self._thread.cancel(self.run_id)

    def _known(self) -> str:
        """The name under which the log has the run."""
        return self._of or self.run_id

    def _unsure(self) -> None:
        """Have it sent again."""
        self._sent = self._put_off = False

    def _lost(self) -> None:
        """What the loss of the socket leaves: of what was accepted the log tells."""
        if self._disposition not in ("started", "queued") and not self._begun:
            self._unsure()

    def _missing(self) -> bool:
        """Whether it was accepted and is nowhere."""
        fold = self._thread._fold
        return (
            self._disposition != ""
            and not (fold.active and fold.run_id == self._known())
            and not any(q.get("runId") == self._known() for q in self._thread._queued)
        )

    def _submit(self) -> None:
        if self._sent or self._put_off:
            return
        self._sent = True
        client = self._thread._client
        id = client._next_id()
        text = b'{"id":"%b",%b' % (id.encode(), self._text[1:])  # the id stands beside the members of the input
        most = client._status.hello.get("maxFrameBytes", 0)
        if 0 < most < len(text):
            self._finish(None, TooLargeError(f"the input has {len(text)} bytes, and the server takes {most}"))
            return
        client._answers[id] = self._answered
        client._send(text)

    def _answered(self, frame: Frame) -> None:
        """Take what became of the input."""
        if frame.type == "ws.error":
            self._refused(refused_frame(frame))
            return
        disposition = frame.data.get("disposition", "")
        self._of = frame.data.get("of", "")
        if disposition in ("refused", "repeat"):
            self._thread._replying = self
        if disposition == "refused":
            return  # the reason comes next
        if disposition == "queued":
            waiting = {"runId": self.run_id, "messages": self._input.get("messages") or []}
            self._thread._queued = [*self._thread._queued, waiting]
        self._disposition = disposition

    def _refused(self, why: RefusedError) -> None:
        """End the run, or put it off."""
        if not why.passes:
            self._disposition = "refused"
            self._finish(None, why)
            return
        log.info("an input was refused for now: thread %r, run %r, code %s", self._thread.id, self.run_id, why.code)
        self._sent, self._put_off = False, True
        client = self._thread._client
        client._later(max(why.retry_after, client._options.backoff_min), self._again)

    def _again(self) -> None:
        self._put_off = False
        self._thread._flush()

    def _finish(self, end: JSON | None, error: Exception | None) -> None:
        """Tell who waits."""
        if self._done:
            return
        self._done, self._end, self._error = True, end, error
        if self in self._thread._runs:
            self._thread._runs.remove(self)
        self._thread._client._change()


def refused_frame(frame: Frame) -> RefusedError:
    """Read the ws.error that refuses a frame."""
    data = frame.data
    return RefusedError(data.get("code", ""), data.get("message", ""), details={"retryAfterMs": data.get("retryAfterMs", 0)})


def refused_run(event: JSON) -> RefusedError:
    """Read the RUN_ERROR that refuses an input."""
    metadata = event.get("metadata")
    details = metadata.get("aguiws") if isinstance(metadata, dict) else None
    return RefusedError(
        str(event.get("code") or ""),
        str(event.get("message") or ""),
        details=details if isinstance(details, dict) else None,
    )
