"""What is held of a thread, and what is told of its changes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .frames import JSON, Position


@dataclass(frozen=True)
class View:
    """What is held of a thread, as of a position.

    It can be kept as JSON (``as_json``, ``from_json``), and followed from in another process.
    """

    position: Position | None = None  # of the last event applied; None: nothing is known
    messages: list[JSON] = field(default_factory=list)
    state: Any = None
    # How many messages stand before ``messages``, with Options.window: Thread.older has them.
    # ``before`` is their place.
    older: int = 0
    before: str = ""
    interrupts: list[JSON] = field(default_factory=list)  # the questions that are open
    active_run_id: str = ""  # of the run under way, "" if there is none
    queued: list[JSON] = field(default_factory=list)  # the inputs that wait: runId and messages
    live: bool = False  # the client is connected, and this is all that there is

    @property
    def at_rest(self) -> bool:
        """Whether nothing is under way and nothing waits."""
        return self.live and not self.active_run_id and not self.queued

    def as_json(self) -> JSON:
        """The view as the Go client writes it."""
        epoch, seq = self.position or Position("", 0)
        return {
            "position": {"epoch": epoch, "seq": seq},
            "messages": self.messages,
            "state": self.state,
            "older": self.older,
            "before": self.before,
            "interrupts": self.interrupts,
            "activeRunId": self.active_run_id,
            "queued": self.queued,
        }

    @classmethod
    def from_json(cls, held: JSON) -> View:
        place = held.get("position") or {}
        return cls(
            position=Position(place["epoch"], place["seq"]) if place.get("epoch") else None,
            messages=list(held.get("messages") or ()),
            state=held.get("state"),
            older=held.get("older") or 0,
            before=held.get("before") or "",
            interrupts=list(held.get("interrupts") or ()),
            active_run_id=held.get("activeRunId") or "",
            queued=list(held.get("queued") or ()),
        )


@dataclass(frozen=True)
class Update:
    """An event of a thread's log, or the thread told anew."""

    event: JSON | None = None  # it comes once, in the log's order; None in a restatement
    position: Position | None = None  # where the event stands, or as of when the view is
    # In a restatement it replaces all that was said before: events are missing that cannot be
    # had any more, or ``reason`` is "" and this is where the subscription begins. A run that
    # was under way may have ended.
    view: View | None = None
    # One of ws.attached's, "deleted", or "older": nothing is missing then, and more is held of
    # what was before.
    reason: str = ""
