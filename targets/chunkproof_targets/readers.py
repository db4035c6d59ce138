"""Readers: how the events of a parser are got at, once it was fed."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable
from itertools import islice
from typing import Any

from .drivers import Append, refuse_async, spread
from .extract import Deliver

__all__ = ["EventsReader", "IteratedReader", "NextEventReader", "Reader", "ReturnedReader"]


class _Awaited:
    """What our callback returns to an async parser, which may await it or not."""

    def __await__(self) -> Any:
        return iter(())


_AWAITED = _Awaited()


class Reader:
    """One run's reader. On its own it takes what is given to its callback, and nothing else."""

    #: Whether a call that returned None may have brought something.
    always = False
    #: Whether the call was one that fed nothing: an empty chunk, or the end.
    quiet = False
    #: Whether the run has failed: what comes out then is not kept.
    closed = False
    #: Whether items come in lists of several.
    batches = False
    parser: Any = None
    taken = 0

    def start(self, deliver: Deliver, append: Append, is_async: bool, count: Callable[[], int] | None = None) -> None:
        """Begin a run; ``count`` tells how many units were taken, where ``taken`` is not set from outside."""
        self._deliver = deliver
        self._append = append
        self._is_async = is_async
        self._count = count

    def out(self, item: Any) -> None:
        """An item came out."""
        if self.batches and isinstance(item, (list, tuple)):
            for one in item:
                self._out(one)
        else:
            self._out(item)

    def _out(self, item: Any) -> None:
        delivery = self._deliver(item, self.taken if self._count is None else self._count())
        if delivery is not None and not self.closed:
            self._append(delivery)

    def callback(self, *args: Any, **named: Any) -> Any:
        """Take an event as one argument, as several, or by keywords."""
        if named:
            self.out({**named, **{str(at): value for at, value in enumerate(args)}})
        elif args:
            self.out(args[0] if len(args) == 1 else args)
        return _AWAITED if self._is_async else None

    async def read(self, result: Any) -> None:
        """Read what a feed or end call, which returned this, brought."""

    async def drain(self, result: Any) -> None:
        """Every item of an iterable, sync or async, and close it if it is a generator."""
        if result is None:
            return
        if not self._is_async or not hasattr(result, "__aiter__"):
            for item in result if isinstance(result, list) else self.items(result):
                self.out(item)
        else:
            try:
                async for item in result:
                    self.out(item)
            except BaseException:
                with contextlib.suppress(BaseException):
                    await _aclose(result)
                raise
            await _aclose(result)

    def items(self, result: Any) -> Any:
        """The items of an iterable that is no list."""
        if isinstance(result, (str, bytes, dict)):
            raise TypeError(f"it gave one {type(result).__name__}, where an iterable of events was expected")
        refuse_async(result)
        return result


async def _aclose(result: Any) -> None:
    if inspect.isasyncgen(result):
        await result.aclose()


class ReturnedReader(Reader):
    """Events are what the call returned: none, one, or several."""

    def __init__(self, one: bool = False) -> None:
        self._one = one

    async def read(self, result: Any) -> None:
        """See `Reader.read`."""
        await self.drain(result)

    def items(self, result: Any) -> Any:
        """See `Reader.items`."""
        return spread(result, self._one)


class NextEventReader(Reader):
    """``next_event()`` until it gives None, what it gives on a new parser, or raises what it raises there."""

    always = True

    def __init__(self, name: str, nothing: Any = None, stop: type[BaseException] | None = None) -> None:
        self._name = name
        self._nothing = nothing
        self._stop = () if stop is None else (stop,)

    async def read(self, result: Any) -> None:
        """See `Reader.read`."""
        next_event = getattr(self.parser, self._name)
        while True:
            try:
                item = next_event()
                if self._is_async:
                    item = await item if inspect.isawaitable(item) else item
                else:
                    refuse_async(item)
            except self._stop:
                return
            if item is None or item is self._nothing:
                return
            if item.__class__ is self._nothing.__class__ and item == self._nothing:
                return
            self.out(item)


class EventsReader(Reader):
    """``events``, an attribute or a method.

    ``grows``: it holds all events since the start, and only those after the ones seen are new. Else all that it holds
    after a call is new: it is emptied by reading, or by the next call. The parser's own list is never changed.
    """

    always = True

    def __init__(self, name: str, *, grows: bool) -> None:
        self._name = name
        self._grows = grows
        self._seen = 0
        self._last: Any = None
        self._held: list[Any] = []

    async def read(self, result: Any) -> None:
        """See `Reader.read`."""
        found = getattr(self.parser, self._name)
        if callable(found):
            found = found()
            if self._is_async:
                found = await found if inspect.isawaitable(found) else found
        elif not self._grows and isinstance(found, list):
            found = self._fresh(found)
        if not self._grows or not hasattr(found, "__len__"):
            await self.drain(found)
            return
        size = len(found)
        start = self._seen if size >= self._seen else 0
        self._seen = size
        if size > start:
            new = found[start:] if isinstance(found, (list, tuple)) else list(islice(found, start, None))
            await self.drain(new)

    def _fresh(self, found: list[Any]) -> list[Any]:
        """What is new in a list that each feed call begins anew: an empty chunk or the end may leave it as it was."""
        held, last = self._held, self._last
        self._last, self._held = found, list(found)
        same = found is last and len(found) >= len(held) and all(a is b for a, b in zip(held, found, strict=False))
        return found[len(held) :] if same and self.quiet else found


class IteratedReader(Reader):
    """The parser is iterated after each call, for what is ready by then."""

    always = True

    async def read(self, result: Any) -> None:
        """See `Reader.read`."""
        await self.drain(self.parser if self._is_async else iter(self.parser))
