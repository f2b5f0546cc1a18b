"""A client of AG-UI over WebSockets, by the binding of aguiws.

``Client`` and ``AsyncClient`` connect again by themselves for as long as that may help. A thread
that they follow keeps its position through every loss: each event of the log is applied once, in
order, and where that is impossible the thread is told anew, which a subscription says. An input
is sent until it is answered, so that a lost socket or a restarted server costs time only, and
nothing is executed twice.

``Inbox`` lists and answers the questions that are open in any thread, with requests and without a
socket; ``Payloads`` reads large values. ``Conn`` is one socket, frame by frame.

Events, messages, interrupts and resume entries are dicts, as AG-UI has them in JSON.
"""

from .answers import Answers, Choice, answers_to, decisions, question_text, resolve, withdraw
from .client import AsyncClient
from .conn import SUBPROTOCOL, Conn
from .errors import (
    AguiwsError,
    ClosedError,
    DeletedError,
    FailedError,
    Field,
    FrameError,
    RefusedError,
    SocketClosedError,
    StoppedError,
    TooLargeError,
    UnreachableError,
)
from .fold import Fold
from .frames import JSON, Frame, Position
from .inbox import AsyncInbox, Inbox, OpenInterrupt, Waiting
from .options import Options, Status, Token
from .payloads import AsyncPayloadReader, AsyncPayloads, Payload, PayloadReader, Payloads, payload_in
from .run import Accepted, AsyncRun
from .subscription import AsyncSubscription
from .sync import Client, Run, Subscription, Thread
from .thread import AsyncThread, asked
from .view import Update, View

__version__ = "0.1.0"

__all__ = [
    "JSON", "SUBPROTOCOL", "Accepted", "AguiwsError", "Answers", "AsyncClient", "AsyncInbox",
    "AsyncPayloadReader", "AsyncPayloads", "AsyncRun", "AsyncSubscription", "AsyncThread", "Choice",
    "Client", "ClosedError", "Conn", "DeletedError", "FailedError", "Field", "Fold", "Frame",
    "FrameError", "Inbox", "OpenInterrupt", "Options", "Payload", "PayloadReader", "Payloads",
    "Position", "RefusedError", "Run", "SocketClosedError", "Status", "StoppedError",
    "Subscription", "Thread", "Token", "TooLargeError", "UnreachableError", "Update", "View",
    "Waiting", "answers_to", "asked", "decisions", "payload_in", "question_text", "resolve",
    "withdraw",
]  # fmt: skip
