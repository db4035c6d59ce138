"""Readers: how the events of a parser are got at, once it was fed."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import AsyncGenerator, Callable, Generator
from itertools import islice
from typing import Any

from .drivers import Append, refuse_async, spread
from .extract import Deliver
from .script import ConsumerStopped
from .texts import same

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
            try:
                for item in result if isinstance(result, list) else self.items(result):
                    self.out(item)
            except ConsumerStopped:
                if isinstance(result, Generator):
                    result.close()
                raise
        else:
            try:
                async for item in result:
                    self.out(item)
            except ConsumerStopped:
                # What comes of closing it is what counts.
                await _aclose(result)
                raise
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
    if isinstance(result, AsyncGenerator):
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
    """``next_event()`` until it gives None, what it gives on a new parser, or raises what it raises there.

    ``by_class``: anything of the class of what a new parser gives is nothing.
    """

    always = True

    def __init__(
        self, name: str, nothing: Any = None, stop: type[BaseException] | None = None, *, by_class: bool = False
    ) -> None:
        self._name = name
        self._by_class = by_class
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
            if item.__class__ is self._nothing.__class__ and (self._by_class or item == self._nothing):
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
        #: Whether a second look shows the same object, or the same items in another; None until there are any.
        self._stable: bool | None = None
        self._copies = False

    async def read(self, result: Any) -> None:
        """See `Reader.read`."""
        found = await self._look()
        sized = hasattr(found, "__len__") and not isinstance(found, (str, bytes, dict))
        if not self._grows or not sized:
            await self.drain(await self._fresh(found) if sized else found)
            return
        size = len(found)
        start = self._seen if size >= self._seen else 0
        self._seen = size
        if size > start:
            new = found[start:] if isinstance(found, (list, tuple)) else list(islice(found, start, None))
            await self.drain(new)

    async def _look(self) -> Any:
        found = getattr(self.parser, self._name)
        if callable(found):
            found = found()
            if self._is_async:
                found = await found if inspect.isawaitable(found) else found
        return found

    async def _fresh(self, found: Any) -> Any:
        """What is new where each feed call begins anew: an empty chunk or the end may leave all as it was."""
        if self._stable is None and len(found):
            items = list(found)
            again = await self._look()
            self._stable = again is found
            # Not where the first look took them out.
            others = list(again) if hasattr(again, "__len__") and not self._stable else []
            self._copies = bool(others) and _begins_with(others, items)
            found = found if self._stable else items if self._copies else items + others
        held, last = self._held, self._last
        self._last, self._held = found, list(found)
        left = self.quiet and ((found is last and self._stable) or self._copies) and _begins_with(self._held, held)
        return self._held[len(held) :] if left else self._held


def _begins_with(items: list[Any], held: list[Any]) -> bool:
    """Whether the items held before are still there, the same ones or copies of them."""
    return len(items) >= len(held) and all(a is b or same(a, b) for a, b in zip(held, items, strict=False))


class IteratedReader(Reader):
    """The parser is iterated after each call, for what is ready by then."""

    always = True

    async def read(self, result: Any) -> None:
        """See `Reader.read`."""
        await self.drain(self.parser if self._is_async else iter(self.parser))
