"""Which drivers could fit a class or a function: every protocol that it allows, likely ones first."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import partial
from operator import methodcaller
from typing import Any

from .calibration import SAMPLES, Reading
from .contract import Takes
from .declared import Declared
from .drivers import Driver, Pull, Push
from .extract import snapshot
from .general import GeneralPull, GeneralPush
from .loops import Loop
from .probe import EVENTS_NAMES, FEED_NAMES, NEXT_NAMES, Parameters, Probe, ends_of, look, wants_text
from .readers import EventsReader, IteratedReader, NextEventReader, Reader, ReturnedReader

__all__ = ["Candidates"]

# What takes one of these opens it: it is not called with anything else.
_ADDRESSES = frozenset({"url", "uri", "path", "host", "address", "filename"})


class Candidates:
    """The drivers to try on an object, in order; ``tried`` collects what came of it, ``probe`` holds the first look."""

    def __init__(self, obj: Any, declared: Declared, loop: Loop) -> None:
        self.obj = obj
        self.declared = declared
        self.loop = loop
        self.tried: list[tuple[Takes, Reading]] = []
        self.parameters = Parameters.of(obj)
        self.probe = Probe()
        is_code = inspect.isclass(obj) or inspect.isroutine(obj) or isinstance(obj, partial)
        self.is_instance = not is_code and (
            not callable(obj) or any(callable(getattr(obj, name, None)) for name in FEED_NAMES)
        )
        if not self.is_instance and not self.parameters.required and not _makes_generator(obj):
            self.probe = look(lambda: self._make(_no_callback), declared, loop)

    def __iter__(self) -> Iterator[tuple[Takes, Driver]]:
        for takes in self._takes():
            for driver in self._pushes(takes):
                yield takes, driver
            for driver in self._pulls():
                yield takes, driver

    def _takes(self) -> tuple[Takes, ...]:
        if self.declared.takes is not None:
            return (self.declared.takes,)
        parser, feeds = self.probe.parser, self.probe.feeds
        parameters = Parameters.of(getattr(parser, feeds[0])) if feeds else self.parameters
        return ("text", "bytes") if wants_text(parameters) else ("bytes", "text")

    # push ----------------------------------------------------------------------------------------------------------

    def _make(self, callback: Callable[..., Any]) -> Any:
        return self.obj(**{self.parameters.callback: callback}) if self.parameters.callback else self.obj()

    def _pushes(self, takes: Takes) -> Iterator[Driver]:
        for feed in self.probe.feeds:
            parameters = Parameters.of(getattr(self.probe.parser, feed))
            if len(parameters.required) > 1:
                continue
            if self.parameters.callback_required:
                yield self._general(feed, takes, "given to the callback of its constructor", Reader)
                continue
            if parameters.callback_required:
                yield self._general(feed, takes, f"given to the callback of {feed}", Reader, parameters.callback)
                continue
            yield from self._returning(feed, takes)
            if self.parameters.callback is not None:
                yield self._general(feed, takes, "given to the callback of its constructor", Reader)
            if parameters.callback is not None:
                yield self._general(feed, takes, f"given to the callback of {feed}", Reader, parameters.callback)
            yield from self._reading(feed, takes)

    def _returning(self, feed: str, takes: Takes) -> Iterator[Driver]:
        simple = not (self.probe.managed or self.probe.is_async)
        for one in (False, True):
            if simple:
                shape = self._shape(feed, "returned")
                make = self.obj if self.parameters.callback is None else partial(self._make, _no_callback)
                yield Push(make, feed, self._end(feed, takes), shape, one=one)
            reader = partial(ReturnedReader, one)
            yield self._general(feed, takes, "returned", reader)

    def _reading(self, feed: str, takes: Takes) -> Iterator[Driver]:
        parser = self.probe.parser
        for name in NEXT_NAMES:
            if callable(getattr(parser, name, None)):
                nothing, stop = self.probe.nothing.get(name, (None, None))
                reader = partial(NextEventReader, name, nothing, stop)
                if type(nothing).__module__ != "builtins":
                    yield self._general(feed, takes, f"read by {name}()", partial(reader, by_class=True))
                yield self._general(feed, takes, f"read by {name}()", reader)
        for name in EVENTS_NAMES:
            if _has(parser, name):
                way = f"read from {name}" + ("()" if callable(_value(parser, name)) else "")
                for grows in (True, False):
                    how = way + (", which grows" if grows else "")
                    driver = self._general(feed, takes, how, partial(EventsReader, name, grows=grows))
                    driver.keeps_events = grows
                    yield driver
        if hasattr(parser, "__iter__") or hasattr(parser, "__aiter__"):
            yield self._general(feed, takes, "read by iterating over it", IteratedReader)

    def _general(
        self, feed: str, takes: Takes, way: str, reader: Callable[[], Reader], pass_callback: str | None = None
    ) -> Driver:
        driver = GeneralPush(
            self.loop,
            self._shape(feed, way),
            make=self._make,
            feed=feed,
            reader=reader,
            end=self._end(feed, takes),
            exits=self.probe.exits,
            reads_after=self.probe.reads_after,
            pass_callback=pass_callback,
        )
        driver.is_async = self.probe.is_async
        return driver

    def _end(self, feed: str, takes: Takes) -> Callable[[Any], Any] | None:
        if self.probe.end is not None:
            return methodcaller(self.probe.end)
        if self.declared.empty_chunk == "end" and self.declared.end != "none" and takes != "lines":
            return methodcaller(feed, b"" if takes == "bytes" else "")
        return None

    def _shape(self, feed: str, way: str) -> str:
        kind = "class" if inspect.isclass(self.obj) else "function that makes a parser"
        end = f"{self.probe.end}()" if self.probe.end else "leaving its context" if self.probe.exits else ""
        if not end and self.declared.empty_chunk == "end" and self.declared.end != "none":
            end = "an empty chunk"
        return f"{kind} with {feed}, events {way}, " + (f"the end told by {end}" if end else "no end of input")

    def other_ends(self) -> list[str]:
        """Further methods that may tell the end, where trial has chosen one; none where it was declared."""
        if self.declared.end is not None or self.declared.takes == "lines" or self.probe.end is None:
            return []
        return [name for name in ends_of(self.probe.parser) if name != self.probe.end]

    def returned(self) -> Iterator[str]:
        """What the feed methods returned for one event, for an error message; only where trial raised nothing."""
        chunk = SAMPLES[0].chunks[0]
        for feed in self.probe.feeds if not (self.probe.managed or self.probe.is_async) else ():
            result = getattr(self._make(_no_callback), feed)(chunk)
            if inspect.iscoroutine(result):
                result.close()
            yield f"{feed}({chunk!r}) returned {snapshot(result).text}"

    # pull ----------------------------------------------------------------------------------------------------------

    def _pulls(self) -> Iterator[Driver]:
        parameters = self.parameters
        if len(parameters.required) == 1 and parameters.required[0].lower() in _ADDRESSES:
            return
        if not parameters.takes_one or len(parameters.required) > 1 or (self.probe.feeds and not parameters.required):
            return
        kind = "class made with" if inspect.isclass(self.obj) else "function over"
        for async_source in (True, False) if _wants_async(self.obj, parameters) else (False, True):
            over = f"{kind} an {'async ' if async_source else ''}iterable"
            general = partial(GeneralPull, self.loop, call=self.obj, async_source=async_source)
            # A context of its own is opened by the general driver alone.
            if parameters.callback is None and not async_source and not hasattr(self.obj, "__enter__"):
                yield Pull(self.obj, f"{over}, events iterated")
            if not parameters.callback_required:
                yield general(f"{over}, events iterated")
                yield general(f"{over}, events read from events", via="events")
                yield general(f"{over}, events iterated in lists of several", batches=True)
            if parameters.callback is not None:
                yield general(f"{over}, events given to its callback", callback=parameters.callback)


def _makes_generator(obj: Any) -> bool:
    return inspect.isgeneratorfunction(obj) or inspect.isasyncgenfunction(obj)


def _wants_async(obj: Any, parameters: Parameters) -> bool:
    return inspect.iscoroutinefunction(obj) or inspect.isasyncgenfunction(obj) or "Async" in parameters.annotation


def _no_callback(*args: Any, **named: Any) -> None:
    """Where a constructor wants a callback that is not what events are read by."""


def _value(parser: Any, name: str) -> Any:
    try:
        return getattr(parser, name, None)
    except Exception:  # a property that raises on a new parser may still work on one that was fed
        return None


def _has(parser: Any, name: str) -> bool:
    return name in dir(parser)
