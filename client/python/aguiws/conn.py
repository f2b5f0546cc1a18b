"""One socket, over asyncio's streams and the part of websockets that does no I/O.

That part has one form in all versions from 10.4 on, where ``websockets.connect`` has two. It
also shows the body of a refused handshake, which has the code.
"""

from __future__ import annotations

import asyncio
import json
import ssl
from collections import deque
from typing import Any, Mapping, Sequence

import websockets.client
from websockets.exceptions import InvalidStatus, WebSocketException
from websockets.frames import Opcode
from websockets.uri import parse_uri

from .errors import AguiwsError, FrameError, RefusedError, SocketClosedError, UnreachableError
from .frames import JSON, Counter, Frame, encode, parse

SUBPROTOCOL = "agui.v1.json"
# Named so from 11.0 on, and ClientConnection before.
_PROTOCOL: Any = getattr(websockets.client, "ClientProtocol", None) or getattr(websockets.client, "ClientConnection")
_CHUNK = 1 << 16
_CLOSE_PATIENCE = 10.0


class Conn:
    """Frames as they are, with the position that each event stands at.

    It neither reconnects nor answers for what it gets; AsyncClient does. Somebody must always
    be in ``receive``, or pings and the close are not seen. It is for tests, proxies and other
    clients.
    """

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, protocol: Any, read_limit: int) -> None:
        self._reader = reader
        self._writer = writer
        self._protocol = protocol
        self._limit = read_limit
        self._counter = Counter()
        self._frames: deque[tuple[Opcode, bytes]] = deque()
        self._parts: list[bytes] = []  # of a fragmented frame
        self._kind = Opcode.TEXT
        self._draining = asyncio.Lock()  # drain of Python 3.10 may be called by one alone
        self._ended = asyncio.Event()
        self._closing = False
        self.heard = asyncio.get_running_loop().time()  # when bytes came last, pings among them

    @classmethod
    async def open(
        cls,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        subprotocols: Sequence[str] = (SUBPROTOCOL,),
        ssl_context: ssl.SSLContext | None = None,
        read_limit: int = 64 << 20,
    ) -> Conn:
        """Open a socket; ``url`` may begin with ws, wss, http or https."""
        for scheme in ("http", "https"):
            if url.startswith(scheme + "://"):
                url = "ws" + url[len("http"):]
        try:
            uri = parse_uri(url)
        except WebSocketException as err:
            raise UnreachableError(f"{url!r} is no address of a socket") from err
        tls = (ssl_context or ssl.create_default_context()) if uri.secure else None
        protocol = _PROTOCOL(uri, subprotocols=list(subprotocols) or None, max_size=read_limit)
        try:
            reader, writer = await asyncio.open_connection(uri.host, uri.port, ssl=tls, limit=_CHUNK)
        except OSError as err:
            raise UnreachableError(f"connecting: {err}") from err
        conn = cls(reader, writer, protocol, read_limit)
        try:
            await conn._shake(headers or {})
        except BaseException:
            conn.cut()
            raise
        return conn

    async def _shake(self, headers: Mapping[str, str]) -> None:
        request = self._protocol.connect()
        for name, value in headers.items():
            if any(c in name + value for c in "\r\n\0"):
                raise ValueError(f"the header {name!r} has a line break")
            if name in request.headers:
                del request.headers[name]
            request.headers[name] = value
        self._protocol.send_request(request)
        try:
            await self._flush()
            while self._protocol.state.name == "CONNECTING" and self._protocol.handshake_exc is None:
                data = await self._reader.read(_CHUNK)
                if data:
                    self._protocol.receive_data(data)
                else:
                    self._protocol.receive_eof()
                    break
        except AguiwsError:
            raise
        except Exception as err:  # of any answer that websockets does not read
            raise UnreachableError(f"connecting: {err}") from err
        why = self._protocol.handshake_exc
        if isinstance(why, InvalidStatus):
            raise _refused(why.response)
        if why is not None or self._protocol.state.name != "OPEN":
            raise UnreachableError(f"connecting: {why or 'the connection has ended'}") from why
        self._take_events()

    @property
    def subprotocol(self) -> str:
        """What the server selected, "" in plain mode."""
        return self._protocol.subprotocol or ""

    async def receive(self) -> Frame:
        """Wait for the next frame.

        A FrameError is about one frame, and the next can be received. After a
        SocketClosedError the socket is of no use.
        """
        while not self._frames:
            await self._read()
        kind, data = self._frames.popleft()
        if kind is not Opcode.TEXT:
            raise FrameError("the frame is no text")
        return self._counter.place(parse(data))

    async def _read(self) -> None:
        if self._ended.is_set():
            raise self._closed()
        await asyncio.sleep(0)  # a stream that has bytes lets nobody else have a turn
        try:
            data = await self._reader.read(_CHUNK)
        except (OSError, asyncio.IncompleteReadError):
            data = b""
        if not data:
            self._protocol.receive_eof()
            self._end()
            return
        self.heard = asyncio.get_running_loop().time()
        self._protocol.receive_data(data)
        self._take_events()
        try:
            await self._flush()  # pongs; who takes none is read no further
        except SocketClosedError:
            pass
        if self._protocol.close_rcvd is not None or self._protocol.close_expected() and not self._closing:
            self._end()

    def _take_events(self) -> None:
        for event in self._protocol.events_received():
            opcode = getattr(event, "opcode", None)
            if opcode in (Opcode.TEXT, Opcode.BINARY):
                self._kind, self._parts = opcode, [bytes(event.data)]
            elif opcode is Opcode.CONT:
                self._parts.append(bytes(event.data))
            else:
                continue
            if event.fin:
                self._frames.append((self._kind, b"".join(self._parts)))
                self._parts = []

    def _closed(self) -> SocketClosedError:
        received, sent = self._protocol.close_rcvd, self._protocol.close_sent
        if received is not None:
            return SocketClosedError(int(received.code), received.reason)
        if sent is not None and int(sent.code) == 1009:
            return SocketClosedError(1009, f"a frame of more than {self._limit} bytes came")
        return SocketClosedError(1006)

    async def send(self, frame: JSON) -> None:
        """Write a frame. Afterwards it is written, which is not to say that it was taken."""
        await self.write(encode(frame))

    async def write(self, text: bytes) -> None:
        """Write a text frame as it is, whether or not the binding allows it."""
        if self._ended.is_set():
            raise self._closed()
        try:
            self._protocol.send_text(text)
        except WebSocketException as err:
            raise self._closed() from err
        await self._flush()

    async def _flush(self) -> None:
        for data in self._protocol.data_to_send():
            if data:
                self._writer.write(data)
        try:
            async with self._draining:
                await self._writer.drain()
        except OSError as err:
            self._end()
            raise self._closed() from err

    async def close(self, code: int = 1000, reason: str = "") -> None:
        """Close the socket; wait, up to ten seconds, until the server has too."""
        try:
            if not self._ended.is_set():
                self._closing = True
                self._protocol.send_close(code, reason)
                await asyncio.wait_for(self._leave(), _CLOSE_PATIENCE)
        except (WebSocketException, SocketClosedError, asyncio.TimeoutError):
            pass
        finally:
            self.cut()

    async def _leave(self) -> None:
        await self._flush()
        await self._ended.wait()  # whoever receives sees the server's close

    def cut(self) -> None:
        """Cut the socket, as a lost network does."""
        self._ended.set()
        self._writer.transport.abort()

    def _end(self) -> None:
        self._ended.set()
        if not self._writer.is_closing():
            self._writer.close()


def _refused(response: Any) -> RefusedError:
    body = response.body or b""
    try:
        said = json.loads(body)
    except (ValueError, RecursionError):
        said = {}
    said = said if isinstance(said, dict) else {}
    retry = response.headers.get("Retry-After", "")
    return RefusedError(
        str(said.get("code") or ""),
        str(said.get("message") or ""),
        retry_after=seconds(retry),
        status=response.status_code,
        body=bytes(body),
    )


def seconds(header: str | None) -> float:
    """What a Retry-After says in seconds; 0 of anything else."""
    return float(min(int(header), 1 << 30)) if header and header.isascii() and header.isdigit() and len(header) < 12 else 0.0
