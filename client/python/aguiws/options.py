"""How clients connect, and what they keep."""

from __future__ import annotations

import ssl
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Awaitable, Callable, Mapping, Union

if TYPE_CHECKING:
    from .frames import Frame

# A bearer token, or a function that is called before every handshake and request. The function
# may be a coroutine's; any other must not block, since it is called in the client's loop.
Token = Union[str, Callable[[], Union[str, Awaitable[str]]], None]


@dataclass(frozen=True)
class Status:
    """What a client knows of its connection."""

    connected: bool = False
    error: Exception | None = None  # why it is not connected
    stopped: bool = False  # it does not connect again
    # The server's store does not answer. What is asked for meanwhile is sent again by itself.
    store_away: bool = False
    draining: bool = False  # the server is shutting down and will close the socket
    hello: Mapping[str, Any] = field(default_factory=dict)  # how the server presents itself


@dataclass(frozen=True)
class Options:
    """Times are in seconds."""

    # They go with every handshake and request. A server that knows its users otherwise than
    # by a token refuses a handshake without Origin: set the server's address.
    headers: Mapping[str, str] = field(default_factory=dict)
    ssl_context: ssl.SSLContext | None = None  # of wss and https; the default is the system's
    read_limit: int = 64 << 20  # bytes of the largest frame, or answer, that is read
    dial_timeout: float = 10.0  # bounds one attempt to connect, and one request
    # The random time before an attempt to connect is below a bound, which doubles from one
    # to the other.
    backoff_min: float = 0.25
    backoff_max: float = 15.0
    # How many updates a subscription holds that nobody has taken. When it is full its thread
    # stands still until half are taken; other threads do not notice.
    buffer: int = 1024
    # How many messages of a thread are told when it is followed or told anew, the last ones;
    # 0: all. A view grows as a run goes on and with Thread.older.
    window: int = 0
    # Told when the client is connected, is not, or learns something about the server. It is
    # called in the client's loop, must return soon, and must not wait for the client.
    changed: Callable[[Status], None] | None = None
    # Sees each frame before the client does, on the same terms.
    received: Callable[["Frame"], None] | None = None
