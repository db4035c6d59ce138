"""Every shape that a Python parser may have is found without configuration, and driven exactly."""

from __future__ import annotations

import asyncio
import codecs
import contextlib
import copy
import gc
import warnings
from collections import deque
from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest

from chunkproof.oracle import interpret
from chunkproof_targets.contract import Event, Run, Target, TargetError, TargetHung
from chunkproof_targets.declared import Declared, declare
from chunkproof_targets.limits import time_limit
from chunkproof_targets.reference import ReferenceParser
from chunkproof_targets.shapes import adapt

WIRE = (
    'id: 1\nevent: a\ndata: {"x":"你"}\n\nretry: 77\n\n: c\ndata: one\ndata:\n\n'
    "id\ndata: 🙂\r\rdata: a\r\n\r\nevent: q\nid: 9\ndata\n\n"
).encode()
CHUNKINGS = {
    "whole": [WIRE],
    "bytewise": [bytes([byte]) for byte in WIRE],
    "threes": [WIRE[at : at + 3] for at in range(0, len(WIRE), 3)],
    "with empty chunks": [b"", WIRE[:40], b"", b"", WIRE[40:], b""],
    "none": [],
}


def load(obj: Any, **declared: Any) -> Target:
    return adapt(obj, name="it", found="a test", declared=Declared(**declared))


def seen(target: Target, events: tuple[Event, ...]) -> list[Event]:
    shows = target.shows
    return [
        Event(e.type if shows.type else None, e.data, e.last_event_id if shows.last_event_id else None) for e in events
    ]


def assert_right(target: Target) -> Target:
    """The target delivers what the oracle says, however the wire is cut, and never before it was taken."""
    for name, chunks in CHUNKINGS.items():
        run = target.run(chunks)
        assert run.failure is None, name
        expected = interpret(b"".join(chunks))
        assert [d.event for d in run.deliveries] == seen(target, expected.events), name
        if not target.returns_list:
            assert [d.chunks_taken for d in run.deliveries] == due(chunks), name
    target.close()
    return target


def due(chunks: list[bytes]) -> list[int]:
    """For each event, the number of chunks of which the reference needs to see the last."""
    parser = ReferenceParser()
    return [number for number, chunk in enumerate(chunks, 1) for _ in parser.feed(chunk)]


class Base:
    """A right parser to build shapes on."""

    def __init__(self) -> None:
        self._parser = ReferenceParser()

    def _events(self, chunk: bytes) -> list[Event]:
        return self._parser.feed(chunk)


def events_of(chunks: Any) -> Any:
    parser = ReferenceParser()
    for chunk in chunks:
        yield from parser.feed(chunk)


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


# pull ----------------------------------------------------------------------------------------------------------------


def test_generator_function_counts_chunks_exactly() -> None:
    target = assert_right(load(events_of))
    assert target.shape == "function over an iterable, events iterated"


def test_function_that_returns_an_iterator() -> None:
    assert_right(load(lambda chunks: map(copy.copy, events_of(chunks))))


def test_generator_that_yields_lists_of_events() -> None:
    def parse(chunks):
        parser = ReferenceParser()
        for chunk in chunks:
            yield parser.feed(chunk)

    assert_right(load(parse))


def test_result_that_can_be_iterated_both_ways() -> None:
    class Both:
        def __init__(self, chunks):
            self.chunks = chunks

        def __iter__(self):
            return events_of(self.chunks)

        def __aiter__(self):
            return async_events(self.chunks)

    assert_right(load(Both))


def test_context_manager_function_over_chunks() -> None:
    left = []

    @contextlib.contextmanager
    def parse(chunks):
        yield events_of(chunks)
        left.append(True)

    target = assert_right(load(parse))
    left.clear()
    target.run([b"data: x\n\n"])
    assert left == [True]


@pytest.mark.parametrize("kind", [list, tuple])
def test_function_that_returns_all_at_once(kind: type) -> None:
    assert assert_right(load(lambda chunks: kind(events_of(chunks)))).returns_list


def test_class_made_with_the_chunks_and_iterated() -> None:
    class Reader:
        def __init__(self, chunks):
            self.chunks = chunks

        def __iter__(self):
            return events_of(self.chunks)

    assert "class made with an iterable" in assert_right(load(Reader)).shape


def test_class_made_with_the_chunks_and_events() -> None:
    class Reader:
        def __init__(self, stream):
            self.stream = stream

        def events(self):
            return events_of(self.stream)

        def close(self):
            # As sseclient-py does: it closes the response, and a plain iterator has no such method.
            self.stream.close()

    assert_right(load(Reader))


def test_reader_with_a_context() -> None:
    class Reader:
        def __init__(self, stream):
            self.stream = None
            self.given = stream

        def __enter__(self):
            self.stream = self.given
            return self

        def __exit__(self, *args):
            self.stream = None

        def __iter__(self):
            return events_of(self.stream)

    assert_right(load(Reader))


async def async_events(chunks: Any) -> Any:
    parser = ReferenceParser()
    async for chunk in chunks:
        await asyncio.sleep(0)
        for event in parser.feed(chunk):
            yield event


async def async_list(chunks: Any) -> list[Event]:
    return [event async for event in async_events(chunks)]


class AsyncReader:
    def __init__(self, chunks):
        self.chunks = chunks

    async def __aiter__(self):
        async for event in async_events(self.chunks):
            yield event


class AsyncEvents:
    def __init__(self, chunks):
        self.chunks = chunks

    async def events(self):
        async for event in async_events(self.chunks):
            yield event


def plain_function_over_async(chunks: Any) -> Any:
    return async_events(chunks)


async def async_function_over_plain(chunks: Any) -> Any:
    for event in events_of(chunks):
        await asyncio.sleep(0)
        yield event


@pytest.mark.parametrize(
    "obj",
    [async_events, async_list, AsyncReader, AsyncEvents, plain_function_over_async, async_function_over_plain],
)
def test_async_shapes_leave_nothing_behind(obj: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        target = load(obj)
        assert_right(target)
        del target
        gc.collect()


def test_one_event_loop_for_all_runs() -> None:
    loops = set()

    async def parse(chunks):
        loops.add(asyncio.get_running_loop())
        async for event in async_events(chunks):
            yield event

    target = load(parse)
    target.run([b"data: x\n\n"])
    target.run([b"data: x\n\n"])
    assert len(loops) == 1
    target.close()
    assert loops.pop().is_closed()


def test_async_generator_left_early_by_a_failure_is_closed() -> None:
    closed = []

    async def parse(chunks):
        try:
            async for event in async_events(chunks):
                yield event
                if event.data == "bad":
                    raise SystemExit(3)
        finally:
            closed.append(True)

    target = load(parse)
    closed.clear()
    run = target.run([b"data: x\n\ndata: bad\n\n", b"data: y\n\n"])
    assert isinstance(run.failure, SystemExit)
    assert [d.event.data for d in run.deliveries] == ["x", "bad"]
    assert closed == [True]
    assert target.run([b"data: x\n\n"]).failure is None
    target.close()


def test_task_left_behind_is_cancelled() -> None:
    cancelled = []

    async def wait():
        try:
            await asyncio.sleep(1000)
        except asyncio.CancelledError:
            cancelled.append(True)
            raise

    async def parse(chunks):
        task = asyncio.create_task(wait())
        async for event in async_events(chunks):
            yield event
        del task

    target = load(parse)
    cancelled.clear()
    target.run([b"data: x\n\n"])
    assert cancelled == [True]
    target.close()


def test_async_target_that_waits_for_ever_can_be_interrupted() -> None:
    hang = False

    async def parse(chunks):
        async for event in async_events(chunks):
            yield event
        if hang:
            await asyncio.Event().wait()

    target = load(parse)
    hang = True
    with time_limit(0.1):
        run = target.run([b"data: x\n\n"])
    assert isinstance(run.failure, TargetHung)
    assert [d.event.data for d in run.deliveries] == ["x"]
    hang = False
    assert target.run([b"data: x\n\n"]).failure is None
    target.close()


# failures ------------------------------------------------------------------------------------------------------------


def failing(error: BaseException) -> Any:
    def parse(chunks):
        for event in events_of(chunks):
            yield event
            if event.data == "bad":
                raise error

    return parse


@pytest.mark.parametrize(
    "error", [ValueError("no"), SystemExit(1), GeneratorExit(), KeyboardInterrupt(), StopAsyncIteration()]
)
def test_any_exception_is_a_failure_with_the_events_before_it(error: BaseException) -> None:
    run = load(failing(error)).run([b"data: x\n\n", b"data: bad\n\ndata: y\n\n"])
    assert run.failure is error
    assert [(d.event.data, d.chunks_taken) for d in run.deliveries] == [("x", 1), ("bad", 2)]


def test_failure_of_a_push_parser_keeps_the_events_before_it() -> None:
    class Parser(Base):
        def feed(self, chunk):
            for event in self._events(chunk):
                yield event
                if event.data == "bad":
                    raise StopIteration

        def close(self):
            raise AssertionError("told the end after a failure")

    run = load(Parser, end="none").run([b"data: x\n\ndata: bad\n\ndata: y\n\n"])
    assert isinstance(run.failure, RuntimeError)
    assert [d.event.data for d in run.deliveries] == ["x", "bad"]


def test_failure_of_the_end_is_a_failure() -> None:
    class Parser(Base):
        feed = Base._events

        def close(self):
            raise StopIteration

    class Managed(Base):
        feed = Base._events

        def __enter__(self):
            return self

        def __exit__(self, *args):
            raise StopIteration

    for cls in (Parser, Managed):
        run = load(cls).run([b"data: x\n\n"])
        assert isinstance(run.failure, StopIteration), cls
        assert len(run.deliveries) == 1, cls


def test_property_that_raises_is_a_failure_of_the_target() -> None:
    class Lazy:
        def __init__(self, event):
            self._event = event

        @property
        def data(self):
            if self._event.data == "bad":
                raise LookupError("a property of the target")
            return self._event.data

    run = load(lambda chunks: map(Lazy, events_of(chunks))).run([b"data: x\n\n", b"data: bad\n\n"])
    assert isinstance(run.failure, LookupError)
    assert [d.event.data for d in run.deliveries] == ["x"]


def test_runs_share_no_state() -> None:
    target = load(ReferenceParser)
    target.run([b"id: 7\nevent: a\ndata: unfinished"])
    run = target.run([b"data: x\n\n"])
    assert [d.event for d in run.deliveries] == [Event("message", "x", "")]


# text and lines ------------------------------------------------------------------------------------------------------


class TextBase:
    def __init__(self) -> None:
        self._parser = ReferenceParser()
        self._parser.decode = lambda text: text  # type: ignore[method-assign,assignment,return-value]
        self._parser.decode_end = lambda: ""  # type: ignore[method-assign]
        self.fed: list[str] = []

    def feed(self, text):
        if not isinstance(text, str):
            raise TypeError("str, please")
        self.fed.append(text)
        return self._parser.feed(text)


def test_text_push() -> None:
    target = assert_right(load(TextBase))
    assert target.takes == "text"
    assert target.shape.endswith("fed text")


def test_text_pull() -> None:
    def parse(texts):
        parser = TextBase()
        for text in texts:
            yield from parser.feed(text)

    assert assert_right(load(parse)).takes == "text"


def test_text_is_decoded_with_state_and_empty_chunks_are_sent() -> None:
    made = []

    def make():
        made.append(TextBase())
        return made[-1]

    target = load(make)
    run = target.run([b"data: \xe4", b"\xbd", b"", b"\xa0\n\n", b"\xf0"])
    assert made[-1].fed == ["data: ", "", "你\n\n", "\ufffd"]
    assert [(d.event.data, d.chunks_taken) for d in run.deliveries] == [("你", 4)]


def test_annotation_guides_the_order_only() -> None:
    class Parser(Base):
        def feed(self, chunk: str | bytes):
            return self._events(chunk if isinstance(chunk, bytes) else chunk.encode())

    class TextFirst(Base):
        def feed(self, chunk: str):
            return self._events(chunk if isinstance(chunk, bytes) else chunk.encode())

    assert load(Parser).takes == "bytes"
    assert load(TextFirst).takes == "text"


class LineParser:
    """Fed line by line, as openai's decoder is."""

    def __init__(self):
        self._parser = ReferenceParser()

    def decode(self, line):
        assert not set(line) & {"\r", "\n"}
        self._parser.read_line(line)
        events = self._parser.take_events()
        return events[0] if events else None


def test_lines_are_never_inferred() -> None:
    with pytest.raises(TargetError, match="--chunkproof-declare takes=lines"):
        load(LineParser)


def test_declared_lines() -> None:
    target = assert_right(load(LineParser, takes="lines"))
    assert target.takes == "lines"


def test_lines_are_split_as_the_standard_says() -> None:
    lines: list[str] = []

    @declare(takes="lines")
    def parse(given):
        parser = LineParser()
        for line in given:
            lines.append(line)
            event = parser.decode(line)
            if event:
                yield event

    target = load(parse)
    lines.clear()
    run = target.run([b"\xef\xbb", b"\xbfdata: a\x0b\r", b"\n\r", b"\r\ndata: \xe2\x80\xa8\n\nrest"])
    assert lines == ["data: a\x0b", "", "", "data: \u2028", ""]
    assert [(d.event.data, d.chunks_taken) for d in run.deliveries] == [("a\x0b", 3), ("\u2028", 4)]


# what cannot be used -------------------------------------------------------------------------------------------------


def test_instance_is_refused() -> None:
    with pytest.raises(TargetError, match=r"An instance serves one stream.*--target=\S+:ReferenceParser"):
        load(ReferenceParser())


def test_class_that_needs_arguments() -> None:
    class Client:
        def __init__(self, url, timeout):
            pass

        def feed(self, chunk):
            return []

    with pytest.raises(TargetError, match=r"needs arguments: url, timeout") as caught:
        load(Client)
    assert "from ... import Client" in str(caught.value)
    assert "--target=./adapter.py:parse" in str(caught.value)


def test_no_event_says_what_came_back() -> None:
    class Parser:
        def feed(self, chunk):
            raise NotImplementedError("not yet")

    with pytest.raises(TargetError, match="shows no event") as caught:
        load(Parser)
    assert (
        "- class with feed, events returned, no end of input, fed bytes or text: raised NotImplementedError: not yet\n"
    ) in str(caught.value)


def test_no_event_says_what_feed_returned() -> None:
    class Parser:
        def feed(self, chunk):
            return len(chunk)

    with pytest.raises(TargetError, match=r"Parser\(\).feed\(.*\) returned 23"):
        load(Parser)


def test_parser_that_hangs_in_trial_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chunkproof_targets.calibration._SECONDS_MAX", 0.1)

    class Parser:
        def feed(self, chunk):
            while True:
                pass

    with pytest.raises(TargetError, match=r"raised TargetHung: it had not finished 0\.1 s after"):
        load(Parser)


def test_constructor_that_raises_is_named() -> None:
    class Parser:
        def __init__(self):
            raise OSError("no socket")

        def feed(self, chunk):
            return []

    with pytest.raises(TargetError, match="Parser raised OSError: no socket"):
        load(Parser)


def test_a_target_is_taken_as_it_is() -> None:
    class Own(Target):
        def run(self, chunks):
            return Run()

    own = Own()
    assert load(own) is own
    assert isinstance(load(Own), Own)


@dataclass
class Item:
    data: str


def test_endless_items_do_not_hang_calibration() -> None:
    def parse(chunks):
        while True:
            yield Item("x")

    with pytest.raises(TargetError, match="more than 1000 items"):
        load(parse)


def test_trial_is_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    class Parser(Base):
        def feed(self, chunk):
            print("fed")
            warnings.warn("old", DeprecationWarning, stacklevel=2)
            return self._events(chunk)

    load(Parser)
    assert capsys.readouterr() == ("", "")


def test_class_of_codecs_is_no_parser() -> None:
    with pytest.raises(TargetError, match="shows no event"):
        load(codecs.getincrementaldecoder("utf-8"))


def test_namespace_items() -> None:
    def parse(chunks):
        for event in events_of(chunks):
            yield SimpleNamespace(**event._asdict())

    assert_right(load(parse))
