"""Large values that are kept beside their threads, over the server's control API."""

from __future__ import annotations

import asyncio
import http.client
from dataclasses import dataclass
from typing import Any, Iterator
from urllib.parse import quote

from .errors import RefusedError, UnreachableError, text
from .frames import JSON
from .http import ControlAPI, awaited, refused
from .options import Options, Token

_CHUNK = 1 << 16


@dataclass(frozen=True)
class Payload:
    """What a message or a state says of a large value.

    The reference grants nothing: Payloads asks with the credential of the thread.
    """

    ref: str
    url: str = ""  # on the server
    media_type: str = ""
    name: str = ""
    size: int = 0
    digest: str = ""
    preview: str = ""
    expires_at: str = ""  # in RFC 3339; "": it stays as long as its thread

    @classmethod
    def from_json(cls, told: JSON) -> Payload:
        """Read one as it stands in a state."""
        size = told.get("size")
        return cls(
            ref=text(told.get("ref")),
            url=text(told.get("url")),
            media_type=text(told.get("mediaType")),
            name=text(told.get("name")),
            size=size if isinstance(size, int) else 0,
            digest=text(told.get("digest")),
            preview=text(told.get("preview")),
            expires_at=text(told.get("expiresAt")),
        )


def payload_in(content: Any) -> Payload | None:
    """The payload that a tool's result, the content of its message, refers to."""
    for part in content if isinstance(content, list) else ():
        metadata = part.get("metadata") if isinstance(part, dict) and part.get("source") is not None else None
        ours = metadata.get("aguiws") if isinstance(metadata, dict) else None
        told = ours.get("payload") if isinstance(ours, dict) else None
        if isinstance(told, dict) and isinstance(told.get("ref"), str) and told["ref"]:
            return Payload.from_json(told)
    return None


class PayloadReader:
    """The bytes of a payload as they come. It must be closed."""

    def __init__(self, connection: http.client.HTTPConnection, answer: http.client.HTTPResponse) -> None:
        self._connection = connection
        self._answer = answer

    def read(self, most: int = _CHUNK) -> bytes:
        """Up to so many bytes; none at the end. An early end is an UnreachableError."""
        try:
            data = self._answer.read1(most)
        except (OSError, http.client.HTTPException) as err:
            raise UnreachableError(f"reading a payload: {err!r}") from err
        if not data and most and self._answer.length:
            raise UnreachableError(f"a payload ends {self._answer.length} bytes too early")
        return data

    def close(self) -> None:
        self._answer.close()
        self._connection.close()

    def __iter__(self) -> Iterator[bytes]:
        while data := self.read():
            yield data

    def __enter__(self) -> PayloadReader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Payloads:
    """Reads large values of threads. ``url`` is the server's, as that of an Inbox."""

    def __init__(self, url: str, *, token: Token = None, options: Options | None = None) -> None:
        self._api = ControlAPI(url, token, options)

    def open(self, ref: str, start: int = 0) -> PayloadReader:
        """Read a payload from a byte on. Its length is bounded by the caller alone.

        An expired payload is a RefusedError of status 410, one that there is not of 404.
        """
        more = {"Range": f"bytes={start}-"} if start > 0 else {}
        connection, answer = self._api.request("GET", "/v1/payloads/" + quote(ref, safe=""), None, more)
        if answer.status == (206 if start > 0 else 200):
            return PayloadReader(connection, answer)
        try:
            body = answer.read(self._api.options.read_limit)
        except (OSError, http.client.HTTPException) as err:
            raise UnreachableError(f"reading an answer: {err!r}") from err
        finally:
            connection.close()
        if answer.status == 416:
            raise RefusedError("no_such_range", f"the payload ends before byte {start}", status=416, body=body)
        raise refused(answer, body)


class AsyncPayloadReader:
    """A PayloadReader whose reads are made in threads beside the running loop."""

    def __init__(self, reader: PayloadReader) -> None:
        self._reader = reader

    async def read(self, most: int = _CHUNK) -> bytes:
        return await asyncio.to_thread(self._reader.read, most)

    async def close(self) -> None:
        await asyncio.to_thread(self._reader.close)

    def __aiter__(self) -> AsyncPayloadReader:
        return self

    async def __anext__(self) -> bytes:
        data = await self.read()
        if not data:
            raise StopAsyncIteration
        return data

    async def __aenter__(self) -> AsyncPayloadReader:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


class AsyncPayloads:
    """Payloads whose requests are made in threads beside the running loop."""

    def __init__(self, url: str, *, token: Token = None, options: Options | None = None) -> None:
        self._made = (url, token, options)

    async def open(self, ref: str, start: int = 0) -> AsyncPayloadReader:
        """Payloads.open."""
        url, token, options = self._made
        payloads = Payloads(url, token=awaited(token), options=options)
        return AsyncPayloadReader(await asyncio.to_thread(payloads.open, ref, start))
