"""Functions and classes over an iterable, sync and async, are found without configuration."""

from __future__ import annotations

import asyncio
import contextlib
import copy
import gc
import warnings
from typing import Any

import pytest

from chunkproof_targets.contract import Event, TargetHung
from chunkproof_targets.limits import time_limit
from chunkproof_targets.reference import ReferenceParser

from .bases import assert_right, async_events, events_of, load

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
