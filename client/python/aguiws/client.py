"""A connection to a server that outlives its sockets."""

from __future__ import annotations

import asyncio
import inspect
import logging
import random
from dataclasses import replace
from types import TracebackType
from typing import Any, Callable

from .conn import SUBPROTOCOL, Conn
from .errors import (
    AguiwsError,
    ClosedError,
    FrameError,
    RefusedError,
    SocketClosedError,
    StoppedError,
    UnreachableError,
    millis,
)
from .frames import JSON, Frame, encode
from .options import Options, Status, Token
from .thread import AsyncThread
from .view import View

log = logging.getLogger("aguiws")

_PONG_PATIENCE = 10.0
_HEARTBEAT = 25.0
_CLOSE_PATIENCE = 10.0
_FINAL_CODES = (1003, 1007, 1009, 4400)


class _Socket:
    """One connection of a client."""

    def __init__(self, conn: Conn, hello: JSON) -> None:
        self.conn = conn
        self.hello = hello
        self.away = 0.0  # when to come back, as ws.goaway says
        self.queue: list[bytes] = []  # to be written
        self.wake = asyncio.Event()
        self.silent = False


class AsyncClient:
    """A client of the server at ``url``, …/agui/ws or …/agui/{agent}/ws.

    ``async with AsyncClient(url) as client`` connects it, and closes it at the end. All its
    methods and those of its threads belong to the loop that connected it.
    """

    def __init__(self, url: str, *, token: Token = None, options: Options | None = None) -> None:
        self._url = url
        self._token = token
        self._options = options or Options()
        self._status = Status()
        self._socket: _Socket | None = None
        self._threads: dict[str, AsyncThread] = {}  # that are followed
        self._answers: dict[str, Callable[[Frame], None]] = {}  # by the frame that they answer, on this socket
        self._frames = 0  # sent, for their ids
        self._timers: set[asyncio.TimerHandle] = set()
        self._waiters: set[asyncio.Future[None]] = set()
        self._error: Exception | None = None  # why nothing more will come
        self._task: asyncio.Task[None] | None = None

    async def connect(self) -> AsyncClient:
        """Connect, and return when the server has presented itself.

        The first attempt is the only one; what goes wrong later is tried again.
        """
        if self._task is not None:
            raise RuntimeError("a client connects once")
        socket = await self._open()
        self._status = Status(connected=True, hello=socket.hello)
        self._socket = socket
        self._task = asyncio.create_task(self._work(socket))
        return self

    async def close(self) -> None:
        """End the client, its threads and their runs' handles. The runs themselves go on.

        It waits up to ten seconds for a server that does not close its end.
        """
        self._stop(ClosedError("the client is closed"))
        for timer in self._timers:
            timer.cancel()
        self._timers.clear()
        task = self._task
        if task is None:
            return
        try:
            if self._socket is not None:
                await self._socket.conn.close()
        finally:
            task.cancel()
        await asyncio.wait({task}, timeout=_CLOSE_PATIENCE)

    async def __aenter__(self) -> AsyncClient:
        return await self.connect()

    async def __aexit__(self, kind: type[BaseException] | None, why: BaseException | None, trace: TracebackType | None) -> None:
        await self.close()

    @property
    def status(self) -> Status:
        """What is known of the connection."""
        return self._status

    async def follow(self, thread: str, held: View | None = None) -> AsyncThread:
        """Attach to a thread, and return when all that it holds has come.

        ``held`` is what an earlier view of the thread said, possibly in another process: the
        client goes on from there. None is nothing, and so is a view of a run under way. A
        thread that is followed already is returned as it is.
        """
        if self._error is not None:
            raise self._error
        t = self._threads.get(thread)
        if t is None:
            t = self._threads[thread] = AsyncThread(self, thread, held)
            t._attach()
        t._wanted += 1
        followed = t

        def live() -> bool:
            followed._followed()
            return followed._live

        try:
            await self._await(live)
        except BaseException:
            t._wanted -= 1
            if not t._wanted:
                t.leave()
            raise
        return t

    # Connecting.

    async def _headers(self) -> dict[str, str]:
        headers = dict(self._options.headers)
        token = self._token() if callable(self._token) else self._token
        if inspect.isawaitable(token):
            token = await token
        if token:
            headers["Authorization"] = f"Bearer {token}"
        return headers

    async def _open(self) -> _Socket:
        """Open a socket, and read how the server presents itself."""
        try:
            return await asyncio.wait_for(self._dial(), self._options.dial_timeout)
        except asyncio.TimeoutError:
            raise UnreachableError(f"connecting took more than {self._options.dial_timeout} s") from None

    async def _dial(self) -> _Socket:
        conn = await Conn.open(
            self._url,
            headers=await self._headers(),
            ssl_context=self._options.ssl_context,
            read_limit=self._options.read_limit,
        )
        try:
            hello = await conn.receive()
            if conn.subprotocol != SUBPROTOCOL:
                raise UnreachableError(f"the server did not select {SUBPROTOCOL}")
            if hello.type != "ws.hello" or hello.data.get("binding") != "agui.v1":
                raise UnreachableError("the server did not begin with the ws.hello of agui.v1")
        except BaseException:
            conn.cut()
            raise
        self._show(hello)
        return _Socket(conn, hello.data)

    async def _work(self, socket: _Socket) -> None:
        try:
            await self._live(socket)
        except Exception as err:  # nobody would come for those who wait
            log.exception("the client has a fault")
            self._stop(err)
            self._tell(Status(error=err, stopped=True, hello=self._status.hello))

    async def _live(self, socket: _Socket | None) -> None:
        """Serve one socket after another until the client ends."""
        bound = self._options.backoff_min
        while True:
            pause = 0.0
            if socket is not None:
                bound = self._options.backoff_min
                why: Exception = await self._serve(socket)
                pause = socket.away
                if self._over(why):
                    return
            await asyncio.sleep(max(pause, random.uniform(0, bound)))
            bound = min(2 * bound, self._options.backoff_max)
            try:
                socket = await self._open()
            except Exception as err:
                socket = None
                if self._over(err):
                    return
                if isinstance(err, RefusedError):
                    await asyncio.sleep(err.retry_after)
                continue
            if self._error is not None:  # closed meanwhile: wait_for may lose a cancellation
                socket.conn.cut()
                return

    def _over(self, why: Exception) -> bool:
        """Note that there is no socket, and say whether there will be none."""
        stopped = self._stops(why)
        if stopped is not None:
            self._stop(stopped)
        over = self._error is not None
        log.info("not connected: %s", self._error or why)
        self._tell(Status(error=self._error or why, stopped=over, hello=self._status.hello))
        return over

    def _stops(self, why: Exception) -> StoppedError | None:
        """Why there is no use in connecting again; None if there is."""
        fresh = callable(self._token)
        if isinstance(why, RefusedError):
            return None if why.passes or why.status == 401 and fresh else StoppedError(why)
        if isinstance(why, SocketClosedError) and (why.code in _FINAL_CODES or why.code == 4401 and not fresh):
            return StoppedError(why, why.code)
        return None

    def _stop(self, why: Exception) -> None:
        """Make all that waits fail."""
        if self._error is None:
            self._error = why
            for thread in list(self._threads.values()):
                thread._fail(why)
            self._change()

    # A socket.

    async def _serve(self, socket: _Socket) -> Exception:
        """Work a socket until it is lost, and return why it was."""
        self._socket = socket
        for thread in list(self._threads.values()):
            if not thread._attaching:
                thread._attach()
        self._tell(Status(connected=True, hello=socket.hello))
        helpers = [asyncio.create_task(self._write(socket)), asyncio.create_task(self._watch(socket))]
        try:
            return await self._read(socket)
        finally:
            socket.conn.cut()
            for helper in helpers:
                helper.cancel()
            await asyncio.gather(*helpers, return_exceptions=True)
            self._socket = None
            self._answers.clear()
            for thread in list(self._threads.values()):
                thread._lost()
            self._change()

    async def _read(self, socket: _Socket) -> Exception:
        while True:
            try:
                frame = await socket.conn.receive()
            except FrameError as err:
                log.warning("a frame cannot be read: %s", err)
                continue
            except AguiwsError as err:
                return UnreachableError("the server is silent") if socket.silent else err
            self._show(frame)
            try:
                self._take(socket, frame)
            except (KeyError, TypeError, AttributeError) as err:
                log.warning("a frame of type %s has another form than the binding's: %r", frame.type, err)

    async def _write(self, socket: _Socket) -> None:
        """Write what is queued."""
        try:
            while True:
                await socket.wake.wait()
                socket.wake.clear()
                queue, socket.queue = socket.queue, []
                for text in queue:
                    await socket.conn.write(text)
        except AguiwsError:
            socket.conn.cut()

    async def _watch(self, socket: _Socket) -> None:
        """Ask whether anybody is there when nothing comes.

        Any byte is a sign of life. A ping that brings none says that the socket is dead, and so
        does one that nobody takes.
        """
        heartbeat = (millis(socket.hello.get("heartbeatMs", 0)) or _HEARTBEAT) * 1.25  # the server's own ping is enough
        loop = asyncio.get_running_loop()
        while True:
            quiet = loop.time() - socket.conn.heard
            if quiet < heartbeat:
                await asyncio.sleep(heartbeat - quiet)
                continue
            asked = loop.time()
            self._send(encode({"type": "ws.ping"}))
            await asyncio.sleep(_PONG_PATIENCE)
            if socket.conn.heard < asked:
                socket.silent = True
                socket.conn.cut()
                return

    def _take(self, socket: _Socket, frame: Frame) -> None:
        """Handle one frame."""
        if frame.type == "ws.store":
            available = frame.data.get("available", False)
            self._tell(replace(self._status, store_away=not available))
            if available:
                for thread in list(self._threads.values()):
                    self._later(random.random(), thread._again)
            return
        if frame.type == "ws.goaway":
            socket.away = millis(frame.data.get("retryAfterMs"))
            self._tell(replace(self._status, draining=True))
            return
        try:
            answer = self._answers.pop(frame.id, None) if not frame.is_event else None
            if answer is not None:
                answer(frame)
            elif frame.type == "ws.pong":
                for id, seq in frame.data.get("positions", {}).items():
                    t = self._threads.get(id)
                    if t is not None and t._mine is not None and seq > t._mine.seq:
                        t._behind()
            elif frame.thread in self._threads:
                self._threads[frame.thread]._take(frame)
            elif frame.type == "ws.error":
                log.warning("a frame was refused: %s", frame.data.get("code"))
        finally:
            self._change()

    def _send(self, text: bytes) -> None:
        """Queue a frame; without a socket it is lost."""
        if self._socket is not None:
            self._socket.queue.append(text)
            self._socket.wake.set()

    def _ask(self, kind: str, members: JSON, answer: Callable[[Frame], None]) -> str:
        """Send a frame whose answer goes to ``answer``; nothing does if the socket is lost."""
        id = self._next_id()
        self._answers[id] = answer
        self._send(encode({"id": id, "type": kind, **members}))
        return id

    def _next_id(self) -> str:
        self._frames += 1
        return f"f{self._frames}"

    # Waiting.

    def _later(self, after: float, do: Callable[[], Any]) -> None:
        """Call ``do`` unless the client is closed before."""
        if self._error is not None:
            return

        def due() -> None:
            self._timers.discard(timer)
            if self._error is None:
                do()
                self._change()

        timer = asyncio.get_running_loop().call_later(after, due)
        self._timers.add(timer)

    def _tell(self, status: Status) -> None:
        """Change the status and say so."""
        self._status = status
        self._change()
        if self._options.changed is not None:
            try:
                self._options.changed(status)
            except Exception:
                log.exception("Options.changed has failed")

    def _show(self, frame: Frame) -> None:
        if self._options.received is not None:
            try:
                self._options.received(frame)
            except Exception:
                log.exception("Options.received has failed")

    def _change(self) -> None:
        """Wake who waits for something."""
        waiters, self._waiters = self._waiters, set()
        for waiter in waiters:
            if not waiter.done():
                waiter.set_result(None)

    async def _await(self, holds: Callable[[], bool]) -> None:
        """Wait until ``holds`` says so, or raises."""
        while not holds():
            waiter = asyncio.get_running_loop().create_future()
            self._waiters.add(waiter)
            try:
                await waiter
            finally:
                self._waiters.discard(waiter)
