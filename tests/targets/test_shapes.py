"""Every shape that a push parser may have is found without configuration, and driven exactly."""

from __future__ import annotations

import asyncio
from collections import deque
from functools import partial
from typing import Any

import pytest

from chunkproof.oracle import interpret
from chunkproof_targets.contract import Event, TargetError
from chunkproof_targets.declared import declare
from chunkproof_targets.reference import ReferenceParser

from .bases import CHUNKINGS, WIRE, Base, assert_right, events_of, load

# push: where the events are ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["feed", "push", "write", "receive_data", "decode"])
def test_feed_methods_by_name(name: str) -> None:
    cls = type("Parser", (Base,), {name: Base._events})
    target = assert_right(load(cls))
    assert target.shape.startswith(f"class with {name}, events returned")
    assert not target.has_end


def test_feed_that_yields() -> None:
    class Parser(Base):
        def feed(self, chunk):
            yield from self._events(chunk)

    assert_right(load(Parser))


def test_feed_that_returns_one_event_or_none() -> None:
    class Parser(Base):
        def __init__(self):
            super().__init__()
            self.left = []

        def feed(self, chunk):
            events = self._events(chunk)
            if len(events) > 1:
                return tuple(events)
            return events[0] if events else None

    assert_right(load(Parser))


def test_feed_that_returns_one_plain_tuple_an_event() -> None:
    class Parser(Base):
        def feed(self, chunk):
            events = self._events(chunk)
            return tuple(events[0]) if events else None

    target = load(Parser)
    assert target.shows.type
    assert target.shows.last_event_id
    run = target.run([b"event: a\nid: 3\ndata: x\n\n", b"data: y\n\n"])
    assert [d.event for d in run.deliveries] == [Event("a", "x", "3"), Event("message", "y", "3")]


def test_write_that_returns_a_length_beside_next_event() -> None:
    class Parser(Base):
        def __init__(self):
            super().__init__()
            self.ready = deque()

        def write(self, chunk):
            self.ready.extend(self._events(chunk))
            return len(chunk)

        def next_event(self):
            return self.ready.popleft() if self.ready else None

    assert "next_event()" in assert_right(load(Parser)).shape


def test_next_event_that_raises_when_there_is_none() -> None:
    class Parser(Base):
        def __init__(self):
            super().__init__()
            self.ready = deque()

        def feed(self, chunk):
            self.ready.extend(self._events(chunk))

        def next_event(self):
            return self.ready.popleft()

    assert_right(load(Parser))


@pytest.mark.parametrize("kind", [list, deque, tuple])
def test_events_that_grow(kind: type) -> None:
    class Parser(Base):
        def __init__(self):
            super().__init__()
            self.events = kind()

        def feed(self, chunk):
            self.events += kind(self._events(chunk))

    parsers = []

    def make():
        parsers.append(Parser())
        return parsers[-1]

    target = assert_right(load(make))
    target.run(CHUNKINGS["whole"])
    assert len(parsers[-1].events) == len(interpret(WIRE).events), "the parser's own list was changed"


def test_events_begun_anew_by_each_feed_but_not_by_an_empty_one_or_the_end() -> None:
    class Parser(Base):
        def __init__(self):
            super().__init__()
            self.events = []

        def feed(self, chunk):
            if chunk:
                self.events = self._events(chunk)

        def close(self):
            pass

    assert_right(load(Parser))


def test_events_cleared_in_place_by_each_feed() -> None:
    class Parser(Base):
        def __init__(self):
            super().__init__()
            self.events = []

        def feed(self, chunk):
            self.events.clear()
            self.events.extend(self._events(chunk))

    assert_right(load(Parser))


def test_parser_iterated_after_each_feed() -> None:
    class Parser(Base):
        def __init__(self):
            super().__init__()
            self.ready = []

        def feed(self, chunk):
            self.ready += self._events(chunk)

        def __iter__(self):
            while self.ready:
                yield self.ready.pop(0)

    assert_right(load(Parser))


@pytest.mark.parametrize("name", ["callback", "on_event", "handler"])
@pytest.mark.parametrize("call", ["one", "several", "keywords"])
@pytest.mark.parametrize("optional", [False, True])
def test_callback_given_to_the_constructor(name: str, call: str, optional: bool) -> None:
    def tell(callback, event):
        if call == "one":
            callback(event)
        elif call == "several":
            callback(*event)
        else:
            callback(**event._asdict())

    class Parser(Base):
        def __init__(self, **given):
            super().__init__()
            self.callback = given.get(name)

        def feed(self, chunk):
            for event in self._events(chunk):
                tell(self.callback, event)

    default = "=None" if optional else ""
    scope: dict[str, Any] = {"Parser": Parser}
    exec(f"def make({name}{default}):\n    return Parser({name}={name})", scope)
    assert_right(load(scope["make"]))


def test_callback_given_to_feed() -> None:
    class Parser(Base):
        def feed(self, chunk, on_event):
            for event in self._events(chunk):
                on_event(event)

    assert_right(load(Parser))


def test_function_with_callback() -> None:
    def parse(chunks, callback):
        for event in events_of(chunks):
            callback(event)

    assert_right(load(parse))


def test_async_callback_that_is_awaited() -> None:
    class Parser(Base):
        def __init__(self, handler):
            super().__init__()
            self.handler = handler

        async def feed(self, chunk):
            for event in self._events(chunk):
                await self.handler(event)

    assert_right(load(Parser))


def test_async_feed_that_yields_and_async_context() -> None:
    class Parser(Base):
        opened = False

        async def __aenter__(self):
            await asyncio.sleep(0)
            self.opened = True
            return self

        async def __aexit__(self, *args):
            await asyncio.sleep(0)
            self.opened = False

        async def feed(self, chunk):
            assert self.opened
            for event in self._events(chunk):
                await asyncio.sleep(0)
                yield event

    target = assert_right(load(Parser))
    assert target.has_end


def test_sync_feed_with_an_async_end() -> None:
    ended = []

    class Parser(Base):
        feed = Base._events

        async def aclose(self):
            await asyncio.sleep(0)
            ended.append(True)

    assert_right(load(Parser))
    assert ended


def test_event_that_can_be_iterated_returned_alone() -> None:
    class Item:
        def __init__(self, event):
            self.payload, self.name, self.event_id = event.data, event.type, event.last_event_id

        def __iter__(self):
            return iter((self.payload, self.name, self.event_id))

    class Parser(Base):
        def feed(self, chunk):
            events = [Item(event) for event in self._events(chunk)]
            return events if len(events) > 1 else events[0] if events else None

    target = assert_right(load(Parser))
    assert target.shows.type


def test_async_next_event() -> None:
    class Parser(Base):
        def __init__(self):
            super().__init__()
            self.ready = deque()

        async def write(self, chunk):
            self.ready.extend(self._events(chunk))

        async def next_event(self):
            await asyncio.sleep(0)
            return self.ready.popleft() if self.ready else None

    assert_right(load(Parser))


def test_next_event_of_a_context_that_raises_outside_of_it() -> None:
    class Parser(Base):
        def __init__(self):
            super().__init__()
            self.ready = None

        def __enter__(self):
            self.ready = deque()
            return self

        def __exit__(self, *args):
            self.ready = None

        def feed(self, chunk):
            self.ready.extend(self._events(chunk))

        def next_event(self):
            return self.ready.popleft() if len(self.ready) else None

    assert assert_right(load(Parser)).has_end


def test_feed_that_returns_the_parser_itself() -> None:
    class Parser(Base):
        data = ""

        def __init__(self):
            super().__init__()
            self.events = []

        def feed(self, chunk):
            self.events += self._events(chunk)
            return self

    assert "read from events" in assert_right(load(Parser)).shape


def test_context_that_gives_another_object() -> None:
    class Parser(Base):
        feed = Base._events

    class Manager:
        def __enter__(self):
            return Parser()

        def __exit__(self, *args):
            pass

    assert_right(load(Manager))


def test_partial_is_a_function_that_makes_parsers() -> None:
    class Parser(Base):
        def __init__(self, limit):
            super().__init__()

        feed = Base._events

    assert_right(load(partial(Parser, limit=3)))


def test_slots_and_keyword_only_defaults() -> None:
    class Parser:
        __slots__ = ("_parser",)

        def __init__(self, *, strict=False):
            self._parser = ReferenceParser()

        def feed(self, chunk, /):
            return self._parser.feed(chunk)

    assert_right(load(Parser))


# push: the end -------------------------------------------------------------------------------------------------------


def ending(*names: str) -> tuple[type, list[str]]:
    """A parser with these methods, and the list of those that were called."""
    calls: list[str] = []

    def method(name: str) -> Any:
        return lambda self, *args: calls.append(name)

    body: dict[str, Any] = {name: method(name) for name in names}
    if "__exit__" in names:
        body["__enter__"] = lambda self: self
    return type("Parser", (Base,), {"feed": Base._events, **body}), calls


class HoldsCR(ReferenceParser):
    """A last CR waits for the next chunk, or for ``flush``; ``close`` only cleans up."""

    def __init__(self) -> None:
        super().__init__()
        self.held = b""

    def feed(self, chunk: bytes) -> list[Event]:
        chunk = self.held + chunk
        self.held = b"\r" if chunk.endswith(b"\r") else b""
        return super().feed(chunk.removesuffix(self.held))

    def flush(self) -> list[Event]:
        return super().feed(self.held)

    def close(self) -> list[Event]:
        return []


class FlushesOnClose(ReferenceParser):
    """Its ``close`` makes an event of what is unfinished, which is wrong; its ``flush`` is no end at all."""

    def flush(self) -> list[Event]:
        return []

    def close(self) -> list[Event]:
        return [*super().feed(b"\n\n"), *super().close()]


def test_end_is_the_call_that_completes_a_held_line() -> None:
    target = load(HoldsCR)
    assert "the end told by flush()" in target.shape
    assert [d.event for d in target.run([b"data: x\r", b"\r"]).deliveries] == [Event("message", "x", "")]


def test_end_that_invents_an_event_is_not_passed_over_for_a_call_that_is_none() -> None:
    target = load(FlushesOnClose)
    assert "the end told by close()" in target.shape
    assert [d.event for d in target.run([b"data: x"]).deliveries] == [Event("message", "x", "")]


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (["close", "finish"], "finish"),
        (["end", "close", "flush"], "end"),
        (["flush", "close"], "close"),
        (["flush"], "flush"),
        (["close", "__exit__"], "close"),
        (["__exit__"], "__exit__"),
        (["flush", "__exit__"], "__exit__"),
    ],
)
def test_end_is_told_once(names: list[str], told: str) -> None:
    parser, calls = ending(*names)
    target = load(parser)
    assert target.has_end
    calls.clear()
    target.run([b"data: x\n\n"])
    assert calls == [told]


def test_declared_end_comes_before_all_others() -> None:
    parser, calls = ending("close", "no_more")
    target = load(parser, end="no_more")
    calls.clear()
    target.run([b"data: x\n\n"])
    assert calls == ["no_more"]


def test_declared_end_none() -> None:
    parser, calls = ending("close")
    target = load(parser, end="none")
    calls.clear()
    target.run([b"data: x\n\n"])
    assert calls == []
    assert not target.has_end


def test_declared_end_that_does_not_exist() -> None:
    with pytest.raises(TargetError, match=r"end=eof: Parser has no such method.*feed.*or end=none"):
        load(ending("close")[0], end="eof")


def test_end_that_is_no_method_or_needs_arguments_is_none() -> None:
    class Parser(Base):
        end = 7
        feed = Base._events

        def close(self, reason):
            raise AssertionError

    assert not load(Parser).has_end


def test_events_of_the_end_count() -> None:
    class Parser(Base):
        def feed(self, chunk):
            self.chunk = chunk
            return self._events(chunk)

        def close(self):
            return [Event("message", "late", "")]

    run = load(Parser).run([b"data: x\n\n", b": c\n\n"])
    assert [(d.event.data, d.chunks_taken) for d in run.deliveries] == [("x", 1), ("late", 2)]


def test_empty_chunk_declared_as_the_end_is_sent_once() -> None:
    fed: list[bytes] = []

    @declare(empty_chunk="end")
    class Parser(Base):
        def feed(self, chunk):
            fed.append(chunk)
            return self._events(chunk)

    target = load(Parser)
    fed.clear()
    target.run([b"data: x\n\n"])
    assert fed == [b"data: x\n\n", b""]
    assert target.empty_chunk_ends
    assert target.has_end
