"""Requests to a server's /v1, which its openapi.json describes, by the standard library."""

from __future__ import annotations

import asyncio
import http.client
import inspect
import json
import ssl
import time
from typing import Any
from urllib.parse import urlencode, urlsplit

from .conn import seconds
from .errors import AguiwsError, RefusedError, UnreachableError
from .frames import JSON, encode
from .options import Options, Token

_CHUNK = 1 << 16


class ControlAPI:
    """Blocking, and without state: it may be used by several threads."""

    def __init__(self, url: str, token: Token, options: Options | None) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"{url!r} is no address of http or https")
        self._host, self._port, self._secure = parts.hostname, parts.port, parts.scheme == "https"
        self._path = parts.path.rstrip("/")
        self._token = token
        self.options = options or Options()

    def get(self, path: str, query: dict[str, str] | None = None) -> JSON:
        return self._call("GET", path + ("?" + urlencode(query) if query else ""), None)

    def post(self, path: str, body: JSON) -> JSON:
        return self._call("POST", path, encode(body))

    def _call(self, method: str, path: str, body: bytes | None) -> JSON:
        deadline = time.monotonic() + self.options.dial_timeout
        connection, answer = self.request(method, path, body)
        try:
            text = self._read(connection, answer, deadline)
        finally:
            connection.close()
        if answer.status != 200:
            raise refused(answer, text)
        try:
            value = json.loads(text)
        except (ValueError, RecursionError) as err:
            raise AguiwsError(f"an answer cannot be read: {err}") from err
        if not isinstance(value, dict):
            raise AguiwsError("an answer is no object")
        return value

    def _read(self, connection: http.client.HTTPConnection, answer: http.client.HTTPResponse, deadline: float) -> bytes:
        parts, size = [], 0
        try:
            while chunk := answer.read1(_CHUNK):
                size += len(chunk)
                if size > self.options.read_limit:
                    raise AguiwsError(f"an answer of more than {self.options.read_limit} bytes")
                left = deadline - time.monotonic()
                if left <= 0:
                    raise UnreachableError(f"a request took more than {self.options.dial_timeout} s")
                if connection.sock is not None:
                    connection.sock.settimeout(left)
                parts.append(chunk)
        except (OSError, http.client.HTTPException) as err:
            raise UnreachableError(f"reading an answer: {err!r}") from err
        if answer.length:
            raise UnreachableError(f"an answer ends {answer.length} bytes too early")
        return b"".join(parts)

    def request(
        self, method: str, path: str, body: bytes | None = None, more: dict[str, str] | None = None
    ) -> tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
        """Send a request on a connection of its own. A redirection is not followed."""
        headers = {**self.options.headers, **(more or {}), "Connection": "close"}
        token = self._token() if callable(self._token) else self._token
        if inspect.isawaitable(token):
            raise TypeError("a token that is awaited belongs to AsyncInbox or AsyncPayloads")
        if token:
            headers["Authorization"] = f"Bearer {token}"
        if body is not None:
            headers["Content-Type"] = "application/json"
        timeout = self.options.dial_timeout
        connection: http.client.HTTPConnection
        if self._secure:
            tls = self.options.ssl_context or ssl.create_default_context()
            connection = http.client.HTTPSConnection(self._host, self._port, timeout=timeout, context=tls)
        else:
            connection = http.client.HTTPConnection(self._host, self._port, timeout=timeout)
        try:
            connection.request(method, self._path + path, body, headers)
            return connection, connection.getresponse()
        except (OSError, http.client.HTTPException) as err:
            connection.close()
            raise UnreachableError(f"a request: {err!r}") from err
        except BaseException:
            connection.close()
            raise


def refused(answer: http.client.HTTPResponse, text: bytes) -> AguiwsError:
    """Read an answer that says no."""
    try:
        problem = json.loads(text)
    except (ValueError, RecursionError):
        problem = None
    code = problem.get("code") if isinstance(problem, dict) else None
    if not code and answer.status >= 500:
        # Somebody between, who may not know what the server has done.
        return UnreachableError(f"no answer of the server, but {answer.status}")
    if not code:
        problem = {"detail": "what answers there has no /v1: is it an aguiws server?"}
    return problem_of({"status": answer.status, **problem, "details": problem}, text, seconds(answer.getheader("Retry-After")))


def problem_of(problem: JSON, body: bytes = b"", retry_after: float = 0.0) -> RefusedError:
    """Read a problem, of an answer or of an item within one."""
    details = problem.get("details")
    status = problem.get("status")
    return RefusedError(
        str(problem.get("code") or ""),
        str(problem.get("detail") or problem.get("message") or ""),
        retry_after=retry_after,
        status=status if isinstance(status, int) else 0,
        body=body,
        details=details if isinstance(details, dict) else None,
    )


def awaited(token: Token) -> Token:
    """A token for a thread beside the running loop: one that is awaited is awaited in the loop."""
    if not callable(token):
        return token
    loop = asyncio.get_running_loop()
    make: Any = token

    async def fresh() -> str:
        value = make()
        return str(await value if inspect.isawaitable(value) else value)

    return lambda: asyncio.run_coroutine_threadsafe(fresh(), loop).result()
