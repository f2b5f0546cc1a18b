"""The client for programs without a loop: AsyncClient, in a loop of its own thread."""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
from collections import deque
from typing import Any, Callable, Coroutine, Iterator, TypeVar

from .client import AsyncClient
from .errors import ClosedError
from .frames import JSON
from .options import Options, Status, Token
from .run import Accepted, AsyncRun
from .subscription import AsyncSubscription
from .thread import AsyncThread
from .view import Update, View

T = TypeVar("T")


class _Loop:
    """A loop that runs in a thread until it is stopped."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="aguiws", daemon=True)
        self._thread.start()
        self._lock = threading.Lock()
        self._stopped = False

    def wait(self, work: Coroutine[Any, Any, T], timeout: float | None = None) -> T:
        """Do the work in the loop, and wait for it."""
        if threading.current_thread() is self._thread:
            work.close()
            raise RuntimeError("a callback of the client must not wait for the client")
        with self._lock:
            if self._stopped:
                work.close()
                raise ClosedError("the client is closed")
            future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result(timeout)
        except concurrent.futures.TimeoutError:
            if future.done() and not future.cancelled():
                raise  # it is the work's own
            future.cancel()
            raise TimeoutError(f"nothing came within {timeout} s") from None
        except concurrent.futures.CancelledError:
            raise ClosedError("the client is closed") from None
        except BaseException:
            future.cancel()
            raise

    def do(self, call: Callable[[], T]) -> T:
        """Make a call in the loop that does not wait."""

        async def made() -> T:
            return call()

        return self.wait(made())

    def stop(self) -> None:
        with self._lock:
            if self._stopped:
                return
            self._stopped = True
            asyncio.run_coroutine_threadsafe(self._end(), self._loop)
        self._thread.join()
        self._loop.close()

    async def _end(self) -> None:
        left = asyncio.all_tasks() - {asyncio.current_task()}
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
        self._loop.stop()


class Client:
    """A client of the server at ``url``, …/agui/ws or …/agui/{agent}/ws.

    It connects at once, and again by itself for as long as that may help. ``close`` ends it and
    its thread; ``with`` does so too. Its methods and those of its threads, runs and
    subscriptions may be called by several threads. Each that waits has a ``timeout`` in seconds,
    None for none, after which it raises TimeoutError.
    """

    def __init__(self, url: str, *, token: Token = None, options: Options | None = None) -> None:
        self._client = AsyncClient(url, token=token, options=options)
        self._loop = _Loop()
        self._closing = threading.Lock()
        try:
            self._loop.wait(self._client.connect())
        except BaseException:
            self._loop.stop()
            raise

    def close(self) -> None:
        """AsyncClient.close. A second call does nothing."""
        with self._closing:
            try:
                self._loop.wait(self._client.close())
            except ClosedError:
                return
            self._loop.stop()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def status(self) -> Status:
        """What is known of the connection."""
        return self._client.status

    def follow(self, thread: str, held: View | None = None, *, timeout: float | None = None) -> Thread:
        """AsyncClient.follow."""
        return Thread(self._loop, self._loop.wait(self._client.follow(thread, held), timeout))


class Thread:
    """AsyncThread, for programs without a loop."""

    def __init__(self, loop: _Loop, thread: AsyncThread) -> None:
        self._loop = loop
        self._thread = thread

    @property
    def id(self) -> str:
        return self._thread.id

    def view(self) -> View:
        """What the client holds of the thread now."""
        return self._loop.do(self._thread.view)

    def await_view(self, holds: Callable[[View], bool], *, timeout: float | None = None) -> View:
        """AsyncThread.await_view. ``holds`` is called in the client's thread."""
        return self._loop.wait(self._thread.await_view(holds), timeout)

    def say(self, text: str, *, run_id: str = "") -> Run:
        """AsyncThread.say."""
        return Run(self._loop, self._loop.do(lambda: self._thread.say(text, run_id=run_id)))

    def answer(self, *entries: JSON, run_id: str = "") -> Run:
        """AsyncThread.answer."""
        return Run(self._loop, self._loop.do(lambda: self._thread.answer(*entries, run_id=run_id)))

    def send(self, input: JSON) -> Run:
        """AsyncThread.send."""
        return Run(self._loop, self._loop.do(lambda: self._thread.send(input)))

    def cancel(self, run_id: str, *, timeout: float | None = None) -> bool:
        """AsyncThread.cancel."""
        return self._loop.wait(self._thread.cancel(run_id), timeout)

    def older(self, limit: int = 0, *, timeout: float | None = None) -> None:
        """AsyncThread.older."""
        self._loop.wait(self._thread.older(limit), timeout)

    def subscribe(self) -> Subscription:
        """AsyncThread.subscribe. The subscription may hold as many updates beside as that one."""
        return Subscription(self._loop, self._loop.do(self._thread.subscribe))

    def leave(self) -> None:
        """AsyncThread.leave."""
        self._loop.do(self._thread.leave)


class Run:
    """AsyncRun, for programs without a loop."""

    def __init__(self, loop: _Loop, run: AsyncRun) -> None:
        self._loop = loop
        self._run = run

    @property
    def run_id(self) -> str:
        """The run's name, as the client gave it."""
        return self._run.run_id

    @property
    def done(self) -> bool:
        """Whether the run has ended, was refused or will not be heard of."""
        return self._run.done

    @property
    def end(self) -> JSON | None:
        """The event that ended the run; None before, and of one that never began."""
        return self._run.end

    def wait(self, *, timeout: float | None = None) -> JSON:
        """AsyncRun.wait."""
        return self._loop.wait(self._run.wait(), timeout)

    def accepted(self, *, timeout: float | None = None) -> Accepted:
        """AsyncRun.accepted."""
        return self._loop.wait(self._run.accepted(), timeout)

    def cancel(self, *, timeout: float | None = None) -> bool:
        """AsyncRun.cancel."""
        return self._loop.wait(self._run.cancel(), timeout)


class Subscription:
    """AsyncSubscription, for programs without a loop. One thread may take its updates."""

    def __init__(self, loop: _Loop, subscription: AsyncSubscription) -> None:
        self._loop = loop
        self._subscription = subscription
        self._taken: deque[Update] = deque()  # a turn of the loop for each would be slow

    def next(self, *, timeout: float | None = None) -> Update:
        """Wait for the next update."""
        if not self._taken:
            self._loop.wait(self._take(), timeout)
        return self._taken.popleft()

    async def _take(self) -> None:
        """Take what is due. It stays here if nobody waits for it any more."""
        most = self._subscription._thread._client._options.buffer
        self._taken.extend(await self._subscription._take(most))

    def close(self) -> None:
        """End the subscription. A second call does nothing."""
        self._taken.clear()
        try:
            self._loop.do(self._subscription.close)
        except ClosedError:
            pass  # with its client

    def __iter__(self) -> Iterator[Update]:
        return self

    def __next__(self) -> Update:
        try:
            return self.next()
        except ClosedError:
            raise StopIteration from None

    def __enter__(self) -> Subscription:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
