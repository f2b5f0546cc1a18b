"""What can go wrong. Callers act on a type and on ``code``, never on a text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Mapping


class AguiwsError(Exception):
    """The parent of all errors of this package."""


class ClosedError(AguiwsError):
    """What calls get after ``close`` or ``leave``."""


class DeletedError(AguiwsError):
    """Ends the runs of a thread that was deleted."""


class TooLargeError(AguiwsError):
    """Refuses an input that is larger than the server takes."""


class UnreachableError(AguiwsError):
    """Nobody answers, or somebody who is no server of the binding."""


class FrameError(AguiwsError):
    """A frame that cannot be read."""


class SocketClosedError(AguiwsError):
    """A socket that has ended. ``code`` is 1006 if it was lost without a close."""

    def __init__(self, code: int, reason: str = "") -> None:
        super().__init__(f"the socket has ended with {code}" + (f": {reason}" if reason else ""))
        self.code = code
        self.reason = reason


class StoppedError(AguiwsError):
    """Ends a client that has nothing to gain from connecting again. ``__cause__`` is why.

    ``code`` is that of the close frame, 0 for a handshake that was refused.
    """

    def __init__(self, why: Exception, code: int = 0) -> None:
        super().__init__(f"stopped: {why}")
        self.code = code
        self.__cause__ = why


@dataclass(frozen=True)
class Field:
    """A place in the payload of an answer that does not fit its schema."""

    interrupt_id: str
    pointer: str  # of JSON
    message: str


class RefusedError(AguiwsError):
    """A handshake, a frame, an input or a request that the server refused.

    It had no effect. docs/binding/codes.md lists the codes.
    """

    def __init__(
        self,
        code: str,
        message: str = "",
        *,
        retry_after: float = 0.0,
        status: int = 0,
        body: bytes = b"",
        details: Mapping[str, Any] | None = None,
    ) -> None:
        what = f"refused with {status}" if status else "refused"
        super().__init__(": ".join(part for part in (what, code, message) if part))
        self.code = code
        self.message = message  # for people
        self.status = status  # of the HTTP answer to a handshake or to a request, else 0
        self.body = body  # of that answer
        more = details or {}
        # Seconds until the same may be tried again; 0: it would not help, or nobody knows.
        self.retry_after = max(retry_after, millis(more.get("retryAfterMs")))
        self.interrupt_ids: list[str] = [i for i in _list(more.get("interruptIds")) if isinstance(i, str)]
        # When an interrupt was answered otherwise, in RFC 3339, and for which run.
        self.answered_at = text(more.get("answeredAt"))
        self.run_id = text(more.get("runId"))
        self.fields = [  # what is wrong in payloads
            Field(text(f.get("interruptId")), text(f.get("pointer")), text(f.get("message")))
            for f in _list(more.get("fields"))
            if isinstance(f, dict)
        ]

    @property
    def passes(self) -> bool:
        """Whether the server asked to be asked again."""
        if self.code in ("store_unavailable", "server_draining", "rate_limited"):
            return True
        return self.status == 429 or self.status >= 500


class FailedError(AguiwsError):
    """A run that began and failed. ``event`` is its RUN_ERROR."""

    def __init__(self, event: dict[str, Any]) -> None:
        self.code = text(event.get("code"))
        self.message = text(event.get("message"))
        self.event = event
        super().__init__(f"the run failed: {self.code}: {self.message}")


def millis(n: object) -> float:
    """Seconds of a number of milliseconds: none of anything else."""
    if isinstance(n, bool) or not isinstance(n, (int, float)):
        return 0.0
    return min(max(n, 0), 1 << 40) / 1000


def text(value: object) -> str:
    """A text, "" of anything else."""
    return value if isinstance(value, str) else ""


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
