"""A network that can be cut, and a record of the control frames of both sides."""

from __future__ import annotations

import atexit
import json
import os
import socket
import threading
from urllib.parse import urlsplit

from aguiws import Conn, Frame


class Network:
    """Stands between a client and a server. It can lose all connections at once."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        assert parts.hostname and parts.port
        self._target = (parts.hostname, parts.port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        self.cuts: list[int] = []  # after so many bytes of the server each next connection is cut
        self.url = url.replace(f":{parts.port}", f":{self._listener.getsockname()[1]}")
        threading.Thread(target=self._accept, daemon=True).start()

    def lose(self) -> None:
        with self._lock:
            for each in self._open:
                try:
                    each.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass  # the other side was faster
            self._open.clear()

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)  # which ends accept
        self._listener.close()
        self.lose()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(self._target)
            except OSError:
                client.close()
                continue
            with self._lock:
                self._open |= {client, server}
                left = self.cuts.pop(0) if self.cuts else -1
            threading.Thread(target=self._pipe, args=(client, server, -1), daemon=True).start()
            threading.Thread(target=self._pipe, args=(server, client, left), daemon=True).start()

    def _pipe(self, source: socket.socket, target: socket.socket, left: int) -> None:
        try:
            while left and (data := source.recv(left if 0 < left < 4096 else 4096)):
                target.sendall(data)
                left -= len(data) if left > 0 else 0
        except OSError:
            pass
        for each in (source, target):
            with self._lock:
                self._open.discard(each)
            try:
                each.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # it is cut already
        source.close()  # the other is its own thread's


def record_frames() -> None:
    """Leave the control frames of both sides in the file that AGUIWS_FRAMES names."""
    name = os.environ.get("AGUIWS_FRAMES")
    if not name:
        return
    file = open(name, "a", buffering=1)
    atexit.register(file.close)
    write, receive = Conn.write, Conn.receive

    def keep(side: str, frame: str) -> None:
        file.write(json.dumps({"side": side, "frame": frame}) + "\n")

    async def writing(self: Conn, text: bytes) -> None:
        if json.loads(text).get("type", "").startswith("ws."):
            keep("client", text.decode())
        await write(self, text)

    async def receiving(self: Conn) -> Frame:
        frame = await receive(self)
        if not frame.is_event:
            keep("server", json.dumps(frame.data))
        return frame

    setattr(Conn, "write", writing)
    setattr(Conn, "receive", receiving)
