"""The interrupts that are open in any thread, over the server's control API."""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
import time
from dataclasses import dataclass, field
from typing import AsyncIterator, Iterator
from urllib.parse import quote

from .errors import AguiwsError, RefusedError, UnreachableError
from .frames import JSON
from .http import ControlAPI, awaited, problem_of
from .options import Options, Token

_ATTEMPTS = 5  # so often an answer is sent that gets none


@dataclass(frozen=True)
class OpenInterrupt:
    """An interrupt that is open."""

    interrupt: JSON
    call: JSON | None = None  # that it is about: name, and arguments, which are JSON by convention
    stale: bool = False  # it has expired, and can only be withdrawn
    draft: JSON | None = None  # an answer that is kept until the thread's other interrupts have one


@dataclass(frozen=True)
class Waiting:
    """A thread whose agent waits for answers."""

    thread: str
    namespace: str = ""  # the thread's id means something in it alone
    agent: str = ""  # that asks; "": the default one
    title: str = ""
    since: str = ""  # when it was asked, in RFC 3339
    run_id: str = ""  # of the run that asked
    interrupts: list[OpenInterrupt] = field(default_factory=list)
    # What is open cannot be read, and interrupts is empty. The thread can be deleted.
    corrupted: bool = False


class Inbox:
    """Lists the open interrupts that its user may answer, of any thread, and answers them.

    ``url`` is the server's, with a path if its routes are mounted under one. An inbox has no
    socket and need not be closed.
    """

    def __init__(self, url: str, *, token: Token = None, options: Options | None = None) -> None:
        self._api = ControlAPI(url, token, options)

    def waiting(self, *, reason: str = "", agent: str = "", tool: str = "") -> Iterator[Waiting]:
        """List threads that wait, those that have waited longest first, and whole.

        Questions that are answered or asked meanwhile may be in it or not.
        """
        query = {name: v for name, v in (("reason", reason), ("agent", agent), ("tool", tool)) if v}
        while True:
            page = self._api.get("/v1/inbox", query)
            for item in page.get("items") or ():
                try:
                    waiting = self._whole(item)
                except (KeyError, TypeError, AttributeError) as err:
                    raise AguiwsError(f"an item of the inbox has another form than the server's: {err!r}") from err
                if waiting.interrupts or waiting.corrupted:  # else it was answered meanwhile
                    yield waiting
            if not page.get("next"):
                return
            query["cursor"] = page["next"]

    def answer(self, waiting: Waiting, *entries: JSON) -> list[str]:
        """Answer interrupts of a thread, some or all; entries are of ``resolve`` and ``withdraw``.

        It returns those that have no answer yet. Until they have, these are kept as drafts, and
        a later one to the same interrupt replaces its draft. When none is missing the agent
        goes on, once, however often the same user sends the same answers.

        A RefusedError says that nothing was kept. An answer that got lost is sent again a few
        times; after any other error nobody knows, and the same call may be made again.
        """
        item: JSON = {"threadId": waiting.thread, "namespace": waiting.namespace, "entries": list(entries)}
        name = json.dumps(item, sort_keys=True, allow_nan=False)
        body = {"idempotencyKey": hashlib.sha256(name.encode()).hexdigest(), "items": [item]}
        bound = self._api.options.backoff_min
        for attempt in range(1, _ATTEMPTS + 1):
            pause = random.uniform(0, bound)
            try:
                return self._answer(body)
            except RefusedError as err:
                if not err.passes or attempt == _ATTEMPTS:
                    raise
                pause = max(pause, err.retry_after)
            except UnreachableError:
                if attempt == _ATTEMPTS:
                    raise
            bound = min(2 * bound, self._api.options.backoff_max)
            time.sleep(pause)
        raise AssertionError("the last attempt returns or raises")

    def _answer(self, body: JSON) -> list[str]:
        answered = self._api.post("/v1/inbox/resolve", body)
        items = answered.get("items")
        if not isinstance(items, list) or len(items) != 1 or not isinstance(items[0], dict):
            raise AguiwsError("the server does not answer for one thread")
        item = items[0]
        if isinstance(item.get("error"), dict):
            raise problem_of(item["error"])
        if not isinstance(item.get("resolved"), dict):
            raise AguiwsError("the server says nothing of the thread")
        return list(item["resolved"].get("missing") or ())

    def _whole(self, item: JSON) -> Waiting:
        """An item of the list, read again if that leaves something out.

        Decisions should not be made on a summary.
        """
        thread, namespace = item["threadId"], item.get("namespace") or ""
        told: JSON = item
        if item.get("omitted") or any(i.get("truncated") for i in item.get("interrupts") or ()):
            path = f"/v1/threads/{quote(thread, safe='')}/interrupts"
            try:
                items = self._api.get(path, {"namespace": namespace}).get("items")
            except RefusedError as err:
                if err.status != 404:
                    raise
                items = None
            told = items[0] if items else {}  # none: the thread has gone on, or has been deleted
        return Waiting(
            thread=thread,
            namespace=namespace,
            agent=item.get("agent") or "",
            title=item.get("title") or "",
            since=told.get("since") or "",  # another run may ask by now
            run_id=told.get("runId") or "",
            interrupts=[_open(i) for i in told.get("interrupts") or ()],
            corrupted=bool(item.get("corrupted")),
        )


def _open(item: JSON) -> OpenInterrupt:
    return OpenInterrupt(item["interrupt"], item.get("toolCall"), bool(item.get("stale")), item.get("draft"))


class AsyncInbox:
    """An Inbox whose requests are made in threads beside the running loop."""

    def __init__(self, url: str, *, token: Token = None, options: Options | None = None) -> None:
        self._made = (url, token, options)

    def _inbox(self) -> Inbox:
        url, token, options = self._made
        return Inbox(url, token=awaited(token), options=options)

    async def waiting(self, *, reason: str = "", agent: str = "", tool: str = "") -> AsyncIterator[Waiting]:
        """Inbox.waiting."""
        found = self._inbox().waiting(reason=reason, agent=agent, tool=tool)
        while (each := await asyncio.to_thread(lambda: next(found, None))) is not None:
            yield each

    async def answer(self, waiting: Waiting, *entries: JSON) -> list[str]:
        """Inbox.answer."""
        return await asyncio.to_thread(self._inbox().answer, waiting, *entries)
