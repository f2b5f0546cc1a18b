"""The server's frames, and where each event stands. docs/binding says what they have."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, NamedTuple

from .errors import FrameError

# An event, an interrupt, a message or a resume entry, as it is in JSON.
JSON = dict[str, Any]


class Position(NamedTuple):
    """Where an event stands: ``epoch`` names one life of a thread's log, ``seq`` the event."""

    epoch: str
    seq: int


@dataclass
class Frame:
    """A text frame of the server: an event, or one of the binding's control frames."""

    type: str
    data: JSON  # it must not be changed
    thread: str = ""  # of an event too
    # That of ws.stream, ws.attached and ws.live, and where an event stands. An uncounted one
    # stands where those before it do.
    position: Position = Position("", 0)
    # How many events come behind a ws.stream that are in no log. In an event it is how many
    # of them are still due, itself among them: 0 is an event that counts.
    uncounted: int = 0

    @property
    def is_event(self) -> bool:
        return not self.type.startswith("ws.")

    @property
    def id(self) -> str:
        return str(self.data.get("id", ""))


_MEMBERS: dict[str, type | tuple[type, ...]] = {
    "id": str, "threadId": str, "runId": str, "epoch": str, "reason": str, "activeRunId": str,
    "disposition": str, "of": str, "before": str, "code": str, "message": str, "binding": str,
    "seq": int, "uncounted": int, "older": int, "retryAfterMs": int, "heartbeatMs": int, "maxFrameBytes": int,
    "recovered": bool, "stopped": bool, "available": bool, "durable": bool,
    "interrupts": list, "queued": list, "messages": list, "profiles": list, "positions": dict,
}  # fmt: skip


def _read(text: bytes) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        raise
    except ValueError:
        return json.loads(text, parse_int=_integer)


def parse(text: bytes) -> Frame:
    """Read a text frame of a server."""
    try:
        data = _read(text)
    except (ValueError, RecursionError) as err:
        raise FrameError(f"a frame is no JSON: {err}") from err
    if not isinstance(data, dict) or not isinstance(data.get("type"), str):
        raise FrameError("a frame is no object with a type")
    frame = Frame(data["type"], data)
    if frame.is_event:
        return frame
    for name, kind in _MEMBERS.items():
        value = data.get(name)
        if value is None:
            data.pop(name, None)
        elif not isinstance(value, kind) or kind is int and isinstance(value, bool):
            raise FrameError(f"{frame.type} has another {name} than the binding's")
    frame.thread = data.get("threadId", "")
    frame.position = Position(data.get("epoch", ""), data.get("seq", 0))
    frame.uncounted = max(data.get("uncounted", 0), 0)
    return frame


class Counter:
    """Counts the events of a socket, as docs/binding/resume.md says."""

    def __init__(self) -> None:
        self._thread = ""
        self._at = Position("", 0)
        self._left = 0

    def place(self, frame: Frame) -> Frame:
        if frame.is_event:
            frame.thread = self._thread
            if self._left > 0:
                frame.uncounted = self._left
                self._left -= 1
            else:
                self._at = Position(self._at.epoch, self._at.seq + 1)
            frame.position = self._at
        elif frame.type == "ws.stream":
            self._thread, self._at, self._left = frame.thread, frame.position, frame.uncounted
        return frame


def encode(frame: JSON) -> bytes:
    """Write a frame as JSON.

    A float that JSON has no form for, and half a surrogate pair, are a ValueError.
    """
    return json.dumps(frame, separators=(",", ":"), allow_nan=False, ensure_ascii=False).encode()


def _integer(digits: str) -> int | float:
    """Python reads integers of 4,300 digits at most, and an event must be read to be counted."""
    try:
        return int(digits)
    except ValueError:
        return float(digits)
