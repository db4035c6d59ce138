"""Drivers: one protocol of a parser each, from units to items; and the plain loops of the usual ones.

Theory of operation: `Driver.drive(units, deliver, append)` makes a new parser, feeds it, and hands every item that
comes out to ``deliver(item, taken)`` at once; what that returns is appended unless it is None. It gives back the
parser and the exception that left it. The usual protocols have a plain loop here, since the suite's speed is decided
in it; all others, sync or async, share the coroutines in `general`.

Units taken are read off the list iterator that a function is given (its length hint), which costs nothing a unit.
"""

from __future__ import annotations

import contextlib
import inspect
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from types import GeneratorType
from typing import Any, cast

from .contract import Delivery
from .extract import Deliver
from .script import ConsumerStopped, Scripted

__all__ = ["Append", "AsyncFound", "Driven", "Driver", "Pull", "Push", "counted", "refuse_async", "spread"]

Append = Callable[[Delivery], None]
Driven = tuple[Any, "BaseException | None"]

_NO_EVENT = (type(None), bool, int, float, complex)
_ONE_EVENT = (str, bytes, bytearray, memoryview, dict)


class AsyncFound(Exception):
    """A target that was driven without an event loop handed out something to await."""


class Driver(ABC):
    """One way to drive a parser.

    ``shape`` says it in a line. ``has_end``: the parser is told that the input is over. ``saw_list``: all events came
    back at once. ``keeps_events``: all events stay in a list of the parser's. ``is_async``: an event loop is needed,
    which trial finds out. ``pulls``: the parser takes the units
    from an iterator. ``stops``: the events are iterated over, so that one can stop.
    """

    shape = ""
    has_end = True
    saw_list = False
    keeps_events = False
    is_async = False
    pulls = False
    stops = False

    @abstractmethod
    def drive(self, units: Sequence[Any], deliver: Deliver, append: Append) -> Driven:
        """Run a new parser over the units; what left it, if anything, comes back and is not raised.

        Where ``append`` raises `ConsumerStopped`, what is iterated over is closed, and that comes back, or else what
        came of closing.
        """


def is_async(value: object) -> bool:
    """Whether a value is to be awaited or iterated with ``async for``."""
    return inspect.isawaitable(value) or (hasattr(type(value), "__aiter__") and not hasattr(type(value), "__iter__"))


def refuse_async(value: Any) -> None:
    """AsyncFound for what is to be awaited; no coroutine is left behind that nobody awaits."""
    if is_async(value):
        if inspect.iscoroutine(value):
            value.close()
        raise AsyncFound(f"it returned {type(value).__name__}, which is to be awaited, where it did not before")


def spread(result: Any, one: bool = False) -> Iterable[Any]:
    """The items in what a call returned: none, one, or several. A number is a length or a flag, never an event.

    ``one``: what could be several items (a tuple, an object that can be iterated) is one event.
    """
    cls = result.__class__
    if cls is list or cls is GeneratorType:
        return cast("Iterable[Any]", result)
    if isinstance(result, _NO_EVENT):
        return ()
    if isinstance(result, _ONE_EVENT) or hasattr(cls, "_fields"):
        return (result,)
    refuse_async(result)
    if one:
        return () if result == () else (result,)
    # On the class: an object that makes its attributes as they are asked for has any of them.
    several = hasattr(cls, "__iter__") and not hasattr(result, "data")
    if several or isinstance(result, Sequence) or hasattr(cls, "__next__"):
        return cast("Iterable[Any]", result)
    return (result,)


def counted(units: Sequence[Any]) -> tuple[Iterator[Any], Callable[[], int]]:
    """An iterator over the units, and how many of them are left in it."""
    if not isinstance(units, (list, tuple)):
        if isinstance(units, Scripted):
            size, script = len(units), units.script
            return iter(units), lambda: size - script.taken
        units = list(units)
    source = iter(units)
    return source, source.__length_hint__  # type: ignore[attr-defined]


def _closed(result: Any) -> BaseException | None:
    """What comes of closing a generator that was iterated over, as the end of a `for` does where nobody else has it."""
    try:
        if isinstance(result, Generator):
            result.close()
    except BaseException as error:
        return error
    return None


class Pull(Driver):
    """A function over an iterable that returns or yields events, or a class made with the chunks and iterated."""

    pulls = True
    stops = True

    def __init__(self, call: Callable[[Any], Any], shape: str) -> None:
        self.call = call
        self.shape = shape

    def drive(self, units: Sequence[Any], deliver: Deliver, append: Append) -> Driven:
        """Hand over an iterator over the units, and read all that comes out."""
        source, left = counted(units)
        size = len(units)
        result = None
        try:
            result = self.call(source)
            if result.__class__ is not GeneratorType:
                self._look(result)
            for item in result:
                delivery = deliver(item, size - left())
                if delivery is not None:
                    append(delivery)
        except ConsumerStopped as stopped:
            return result, _closed(result) or stopped
        except BaseException as error:
            if isinstance(result, GeneratorType):
                # It has already failed, and that is what counts.
                with contextlib.suppress(BaseException):
                    result.close()
            return result, error
        return result, None

    def _look(self, result: Any) -> None:
        refuse_async(result)
        if isinstance(result, (str, bytes, dict)):
            raise TypeError(f"it returned one {type(result).__name__}, where an iterable of events was expected")
        self.saw_list = isinstance(result, (list, tuple))


class Push(Driver):
    """A class with a feed method that returns the events; ``end`` tells a parser the end and gives what comes out."""

    def __init__(
        self,
        make: Callable[[], Any],
        feed: str,
        end: Callable[[Any], Any] | None,
        shape: str,
        *,
        one: bool = False,
    ) -> None:
        self.make = make
        self.feed = feed
        self.end = end
        self.shape = shape
        self.has_end = end is not None
        self.one = one

    def used(self, units: Sequence[Any], by: Callable[[Any], Any]) -> Push:
        """The same driver over parsers that have read these units already, and were then called by ``by``."""

        def make() -> Any:
            parser = self.make()
            feed = getattr(parser, self.feed)
            for unit in units:
                deque(spread(feed(unit), self.one), maxlen=0)
            deque(spread(by(parser), self.one), maxlen=0)
            return parser

        return Push(make, self.feed, self.end, self.shape, one=self.one)

    def drive(self, units: Sequence[Any], deliver: Deliver, append: Append) -> Driven:
        """Feed each unit to a new parser, then tell it the end."""
        parser = None
        taken = 0
        try:
            parser = self.make()
            feed = getattr(parser, self.feed)
            for unit in units:
                taken += 1
                result = feed(unit)
                # Most chunks complete no event, and what comes back then is an empty list: no iterator is made for it.
                if result.__class__ is list:
                    if not result:
                        continue
                elif result is None:
                    continue
                else:
                    result = spread(result, self.one)
                for item in result:
                    delivery = deliver(item, taken)
                    if delivery is not None:
                        append(delivery)
            if self.end is not None:
                for item in spread(self.end(parser), self.one):
                    delivery = deliver(item, taken)
                    if delivery is not None:
                        append(delivery)
        except BaseException as error:
            return parser, error
        return parser, None
