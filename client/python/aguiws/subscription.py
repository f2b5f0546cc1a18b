"""A sequence of a thread's updates."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from .errors import ClosedError
from .view import Update

if TYPE_CHECKING:
    from .thread import AsyncThread


class AsyncSubscription:
    """A thread's updates. The first restates what is held.

    Iterating ends when the subscription, the thread or the client is closed, and raises what
    else ended the thread.
    """

    def __init__(self, thread: AsyncThread, first: Update) -> None:
        self._thread = thread
        self._updates: deque[Update] = deque([first])
        self._closed = False

    async def next(self) -> Update:
        """Wait for the next update. Updates that were due come before the error of an end."""
        return (await self._take(1))[0]

    async def _take(self, most: int) -> list[Update]:
        """Wait for an update, and take those that are due, so many at most."""

        def due() -> bool:
            if self._closed:
                raise ClosedError("the subscription is closed")
            if not self._updates:
                self._thread._followed()
            return bool(self._updates)

        await self._thread._client._await(due)
        taken = [self._updates.popleft() for _ in range(min(most, len(self._updates)))]
        self._thread._resume()
        return taken

    def close(self) -> None:
        """End the subscription. A second call does nothing."""
        self._closed = True
        self._updates.clear()
        if self in self._thread._subscriptions:
            self._thread._subscriptions.remove(self)
        self._thread._resume()
        self._thread._client._change()

    def __aiter__(self) -> AsyncSubscription:
        return self

    async def __anext__(self) -> Update:
        try:
            return await self.next()
        except ClosedError:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> AsyncSubscription:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()
