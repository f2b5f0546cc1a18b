"""A conversation that a client follows: docs/binding/resume.md has the loop."""

from __future__ import annotations

import logging
import random
import uuid
from typing import TYPE_CHECKING, Any, Callable

from .errors import ClosedError, DeletedError
from .fold import Fold
from .frames import JSON, Frame, Position
from .pending import Cancelling, Paging, Pending
from .run import AsyncRun, refused_frame, refused_run
from .subscription import AsyncSubscription
from .view import Update, View

if TYPE_CHECKING:
    from .client import AsyncClient

log = logging.getLogger("aguiws")

_ENDS = ("RUN_FINISHED", "RUN_ERROR")


class AsyncThread:
    """A conversation. It keeps its position through every loss of a socket."""

    def __init__(self, client: AsyncClient, id: str, held: View | None) -> None:
        self._client = client
        self._id = id

        # What is held: the log up to _mine, which is None while nothing is.
        self._mine: Position | None = None
        self._fold = Fold()
        self._interrupts: list[JSON] = []
        self._queued: list[JSON] = []
        self._restated = ""  # why it was told anew last
        self._older = 0  # how many messages stand before those of the fold
        self._before = ""  # where they end

        # How the socket stands.
        self._live = False  # all that was missed has come
        self._attaching = ""  # the id of a ws.attach that has no answer
        self._put_off = False  # it was refused, for a while
        self._restating = False
        self._told = Position("", 0)  # of ws.attached
        self._left: Frame | None = None  # ws.attached, which says what the restatement leaves out
        self._group: list[JSON] = []
        self._replying: AsyncRun | None = None  # whose answer the next group is
        self._paused = False  # a subscription is full
        self._missed = False  # and something came since

        self._runs: list[AsyncRun] = []  # that have not ended
        self._cancels: list[Cancelling] = []
        self._pages: list[Paging] = []
        self._subscriptions: list[AsyncSubscription] = []
        self._wanted = 0  # by so many calls of follow: those that wait, and those that have it
        self._error: Exception | None = None  # it is not followed any more

        if held is not None and held.position is not None and not held.active_run_id:
            self._mine, self._interrupts = held.position, list(held.interrupts)
            self._older, self._before = held.older, held.before
            self._fold.restore(held.messages, held.state)

    @property
    def id(self) -> str:
        return self._id

    def view(self) -> View:
        """What the client holds of the thread now."""
        return View(
            position=self._mine,
            messages=self._fold.messages,
            state=self._fold.state,
            older=self._older,
            before=self._before,
            interrupts=list(self._interrupts),
            active_run_id=self._fold.run_id if self._fold.active else "",
            queued=list(self._queued),
            live=self._live and not self._paused,
        )

    async def await_view(self, holds: Callable[[View], bool]) -> View:
        """Wait until ``holds`` says so of what the client holds."""
        found: list[View] = []

        def check() -> bool:
            view = self.view()
            if holds(view):
                found.append(view)
                return True
            self._followed()
            return False

        await self._client._await(check)
        return found[0]

    def say(self, text: str, *, run_id: str = "") -> AsyncRun:
        """Send a user's message."""
        return self.send({"messages": [{"id": str(uuid.uuid4()), "role": "user", "content": text}], "runId": run_id})

    def answer(self, *entries: JSON, run_id: str = "") -> AsyncRun:
        """Answer interrupts: all that are open, or none is accepted.

        Entries are made by ``resolve`` and ``withdraw``. The server knows an answer by its
        entries: sent twice, by two processes too, it is executed once.
        """
        return self.send({"messages": [], "resume": list(entries), "runId": run_id})

    def send(self, input: JSON) -> AsyncRun:
        """Ask for a run, or answer interrupts, by a RunAgentInput of AG-UI.

        It does not wait. The input is sent as soon as the thread is live, again when its answer
        may have been lost, and, with the delay that the server wants, when the server or its
        store was not there. ``threadId`` is filled in, and so are an empty ``runId``, with a new
        one, and an empty ``protocolVersion``. The same input under the same ``runId`` is
        executed once, however often it is sent. Messages that the thread holds need not be
        among the input's.
        """
        whole: JSON = {"messages": [], "tools": [], "context": []}
        whole |= {name: value for name, value in input.items() if value is not None}
        whole["threadId"] = self._id
        whole["runId"] = input.get("runId") or str(uuid.uuid4())
        whole["protocolVersion"] = input.get("protocolVersion") or "1.0"
        run = AsyncRun(self, whole)
        self._runs.append(run)
        if self._error is not None:
            run._finish(None, self._error)
        else:
            self._flush()
        return run

    async def cancel(self, run_id: str) -> bool:
        """End all runs of the name that have not ended: active, queued, or waiting for answers.

        Their questions are cancelled. It says whether there was one. It is asked again until
        there is an answer.
        """
        self._followed()
        return bool(await self._answer_to(Cancelling(self, run_id), self._cancels))

    async def older(self, limit: int = 0) -> None:
        """Ask for the messages before those that are held, so many at most.

        0 is as many as the server likes, and it has a limit of its own. Subscriptions are told
        the whole anew, with the reason "older". A view whose ``older`` is 0 has them all.
        """
        self._followed()
        if self._older:
            await self._answer_to(Paging(self, limit), self._pages)

    async def _answer_to(self, asked: Pending, waiting: list[Any]) -> Any:
        waiting.append(asked)
        self._flush()
        try:
            await self._client._await(lambda: asked.done)
        finally:
            if asked in waiting:
                waiting.remove(asked)
        if asked.error is not None:
            raise asked.error
        return asked.answer

    def subscribe(self) -> AsyncSubscription:
        """The thread's updates from now on.

        One whose updates are not taken holds the thread up when Options.buffer are due, until
        half of them are taken: the server is then asked for what came meanwhile. It must be
        closed.
        """
        view = self.view()
        subscription = AsyncSubscription(self, Update(view=view, position=view.position))
        self._subscriptions.append(subscription)
        return subscription

    def leave(self) -> None:
        """Stop following. Subscriptions and the handles of runs end; the runs go on."""
        if self._error is None:
            self._fail(ClosedError("the thread was left"))
            self._client._ask("ws.detach", {"threadId": self._id}, lambda _: None)
            self._client._change()

    def _followed(self) -> None:
        if self._error is not None:
            raise self._error

    # Attaching.

    def _attach(self) -> None:
        """Ask for what comes after the position that is held."""
        if self._client._socket is None or self._error is not None:
            return
        request: JSON = {"threadId": self._id}
        if self._mine is not None:
            request["after"] = self._mine._asdict()
        if self._client._options.window > 0:
            request["window"] = self._client._options.window
        self._live = self._put_off = self._missed = False
        self._attaching = self._client._ask("ws.attach", request, self._attached)

    def _attached(self, frame: Frame) -> None:
        if frame.id != self._attaching:
            return  # another was sent since, or the thread was left
        if frame.type != "ws.error":
            self._take(frame)
            return
        why = refused_frame(frame)
        if not why.passes:
            self._fail(why)
            return
        log.info("following was refused for now: thread %r, code %s", self._id, why.code)
        self._put_off = True
        self._client._later(why.retry_after + random.uniform(0, self._client._options.backoff_min), self._again)

    def _again(self) -> None:
        """Do what was put off."""
        if self._put_off:
            self._attach()
        for run in self._runs:
            run._put_off = False
        self._flush()

    def _behind(self) -> None:
        """Attach again, unless that is under way or what is missing is not wanted yet."""
        if self._attaching or self._mine is None:
            return
        if self._paused:
            self._missed = True
        else:
            self._attach()

    def _lost(self) -> None:
        """What the loss of the socket leaves: what is held."""
        self._live = self._put_off = self._restating = False
        self._attaching, self._group, self._replying = "", [], None
        for run in self._runs:
            run._lost()
        for asked in [*self._cancels, *self._pages]:
            asked.sent = False

    def _fail(self, why: Exception) -> None:
        """End the thread and all that waits for it."""
        if self._error is not None:
            return
        self._error, self._live, self._attaching = why, False, ""
        self._client._threads.pop(self._id, None)
        for run in list(self._runs):
            run._finish(None, why)
        for asked in [*self._cancels, *self._pages]:
            asked.finish(None, why)

    # Frames and events.

    def _take(self, frame: Frame) -> None:
        """Handle one frame about the thread."""
        if frame.is_event:
            self._take_event(frame)
        elif frame.type == "ws.attached":
            self._take_attached(frame)
        elif frame.type == "ws.live":
            self._take_live(frame)
        elif frame.type == "ws.detached" and frame.data.get("reason") == "deleted":
            for run in list(self._runs):
                if run._disposition:
                    run._finish(None, DeletedError("the thread was deleted"))
            self._interrupts, self._queued, self._restated = [], [], "deleted"
            self._lost()
            self._restate([], None)
            self._attach()

    def _take_attached(self, frame: Frame) -> None:
        if self._attaching and not frame.id:
            return  # it comes before the answer
        self._attaching = ""
        self._put_off = self._missed = False
        data = frame.data
        self._interrupts, self._queued = _dicts(data.get("interrupts")), _dicts(data.get("queued"))
        self._told = frame.position
        self._restating, self._group = not data.get("recovered", False), []
        if self._restating:
            self._mine, self._restated, self._left = None, data.get("reason", ""), frame
        if self._replying is not None:
            self._replying._unsure()  # its answer may not come
            self._replying = None

    def _take_live(self, frame: Frame) -> None:
        if self._attaching:
            return
        if self._restating:
            self._restate([], self._told)
        if self._mine is not None and frame.position.seq > self._mine.seq:
            self._behind()
        self._live = not self._attaching
        for run in self._runs:
            if run._missing():
                run._unsure()
        self._flush()

    def _take_event(self, frame: Frame) -> None:
        """Take one event: its place says whether it is applied."""
        at = frame.position
        if frame.uncounted > 0:
            self._group.append(frame.data)
            if frame.uncounted == 1:
                group, self._group = self._group, []
                self._take_group(group, at)
            return
        if self._attaching:
            return  # the answer says from where on
        if not at.epoch:
            return  # a server without the profile resume has no positions
        if self._mine is None:
            self._mine = Position(at.epoch, at.seq - 1)  # holding begins here
        if self._paused:
            self._missed = True
        elif at.epoch != self._mine.epoch or at.seq > self._mine.seq + 1:
            self._attach()
        elif at.seq == self._mine.seq + 1:
            self._mine = at
            self._apply(frame.data)

    def _apply(self, event: JSON) -> None:
        """Take in an event of the log."""
        kind = event["type"]
        try:
            event = self._windowed(event)
            self._fold.apply(event)
        except ValueError as err:
            log.warning("an event cannot be applied: thread %r, %s, %s", self._id, self._mine, err)
        run_id = self._fold.run_id
        if kind == "RUN_STARTED":
            self._began(run_id)
        elif kind in _ENDS:
            self._interrupts = asked(event)
            for run in list(self._runs):
                if run._begun and run._known() == run_id:
                    run._finish(event, None)
        self._deliver(Update(event=event, position=self._mine))
        if kind == "RUN_ERROR":
            self._behind()  # decisions may have been given back: only the server knows what is open

    def _began(self, run_id: str) -> None:
        self._interrupts = []
        for i, waiting in enumerate(self._queued):
            if waiting.get("runId") == run_id:
                self._queued = self._queued[:i] + self._queued[i + 1 :]
                break
        own = False  # found: of inputs of one name the first that was sent begins first
        for run in self._runs:
            if run._begun or not run._disposition or run._known() != run_id or own and run._disposition != "repeat":
                continue
            run._begun = True
            own = own or run._disposition != "repeat"

    def _take_group(self, group: list[JSON], at: Position) -> None:
        """Take events that are in no log."""
        if self._restating:
            self._restate(group, at)
            return
        run, self._replying = self._replying, None
        first, last = group[0], group[-1]
        if first["type"] == "RUN_STARTED" and _is_restated(first):
            if self._mine is None:
                self._restated = ""
                self._restate(group, at)
            if run is not None and last["type"] in _ENDS:
                run._finish(last, None)
            elif run is not None:
                run._begun = True
        elif first["type"] == "RUN_STARTED":
            self._queued = [q for q in self._queued if q.get("runId") != first.get("runId")]
            for each in list(self._runs):
                if not each._begun and each._known() == first.get("runId") and last["type"] in _ENDS:
                    each._finish(last, None)  # it was cancelled while it waited
                    break
        elif run is not None and last["type"] == "RUN_ERROR":
            run._refused(refused_run(last))

    def _restate(self, group: list[JSON], at: Position | None) -> None:
        """Replace what is held."""
        self._fold = Fold()
        for event in group:
            try:
                self._fold.apply(event)
            except ValueError as err:
                log.warning("an event cannot be applied: thread %r, %s", self._id, err)
        self._older, self._before = 0, ""
        if self._restating and self._left is not None and group:
            self._older = self._left.data.get("older", 0)
            self._before = self._left.data.get("before", "")
        self._mine, self._restating, self._left = at, False, None
        for run in self._runs:
            run._unsure()  # its end may have been missed
        self._deliver(Update(view=self.view(), position=at, reason=self._restated))

    # Windows.

    def _precede(self, page: Frame) -> None:
        """Put a page before what is held. One that was asked for without a place may overlap."""
        told = [m for m in _dicts(page.data.get("messages")) if isinstance(m.get("id"), str)]
        messages = [m for m in told if not self._fold.has(m["id"])]
        self._before = page.data.get("before", "")
        if messages or not page.data.get("older", 0):
            self._older = page.data.get("older", 0)
        self._fold.restore([*messages, *self._fold.messages], self._fold.state)
        self._deliver(Update(view=self.view(), position=self._mine, reason="older"))

    def _windowed(self, event: JSON) -> JSON:
        """An event as it is applied to what is held.

        One that tells all messages tells no more than follows the first one held.
        """
        if event["type"] != "MESSAGES_SNAPSHOT" or not self._older:
            return event
        first = self._fold.first_id()
        try:
            event, self._older = self._fold.windowed(event)
        except (KeyError, TypeError) as err:
            raise ValueError(f"a snapshot has another form than AG-UI's: {err!r}") from err
        if not self._older or event["messages"][0]["id"] != first:
            self._before = ""  # the message is gone that stood there
        return event

    # Subscriptions.

    def _deliver(self, update: Update) -> None:
        """Hand an update to the subscriptions. A full one makes the thread stand still."""
        for subscription in self._subscriptions:
            subscription._updates.append(update)
            self._paused = self._paused or len(subscription._updates) >= self._client._options.buffer

    def _resume(self) -> None:
        """Go on when the subscriptions have room again."""
        room = self._client._options.buffer // 2
        if not self._paused or any(len(s._updates) > room for s in self._subscriptions):
            return
        self._paused = False
        if self._missed and not self._attaching:
            self._attach()

    def _flush(self) -> None:
        """Send what has no answer."""
        if not self._live:
            return
        for each in [*self._runs]:
            each._submit()
        for waiting in [*self._cancels, *self._pages]:
            waiting.submit()


def asked(end: JSON | None) -> list[JSON]:
    """The interrupts that a run's end leaves open; none of other events."""
    outcome = end.get("outcome") if end is not None and end.get("type") == "RUN_FINISHED" else None
    if isinstance(outcome, dict) and outcome.get("type") == "interrupt":
        return _dicts(outcome.get("interrupts"))
    return []


def _dicts(values: object) -> list[JSON]:
    return [v for v in values if isinstance(v, dict)] if isinstance(values, list) else []


def _is_restated(event: JSON) -> bool:
    metadata = event.get("metadata")
    ours = metadata.get("aguiws") if isinstance(metadata, dict) else None
    return isinstance(ours, dict) and ours.get("restated") is True
