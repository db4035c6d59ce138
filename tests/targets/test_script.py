"""Sources that keep to a script, and consumers that stop, under every kind of driver."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

import pytest

from chunkproof_targets.contract import Run, Target
from chunkproof_targets.reference import ReferenceParser
from chunkproof_targets.script import MORE_UNITS, ConsumerStopped, Script, SourceFailed, SourceWithoutEnd
from chunkproof_targets.shapes import adapt

WIRE = b"data: a\n\ndata: b\n\ndata: c\n\n"
CHUNKS = [WIRE[:9], WIRE[9:13], WIRE[13:]]


def generator(chunks):
    parser = ReferenceParser()
    for chunk in chunks:
        yield from parser.feed(chunk)
    yield from parser.close()


async def async_generator(chunks):
    parser = ReferenceParser()
    async for chunk in chunks:
        for event in parser.feed(chunk):
            yield event


def text_generator(chunks: list[str]):
    parser = ReferenceParser()
    for chunk in chunks:
        yield from parser.feed(chunk.encode())


class Reader:
    """A context with an iterator in it."""

    left = 0

    def __init__(self, chunks):
        self.events = generator(chunks)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        Reader.left += error == (None, None, None)

    def __iter__(self):
        return self.events


def to_callback(chunks, callback):
    for event in generator(chunks):
        callback(SimpleNamespace(data=event.data, event=event.type))


def finished_list(chunks):
    return list(generator(chunks))


PULLED = [generator, async_generator, text_generator, Reader]


def target_of(parser) -> Target:
    return adapt(parser, name="t", found="in a test")


def data(run: Run) -> list[str | None]:
    return [delivery.event.data for delivery in run.deliveries]


def test_an_empty_script_is_a_plain_run():
    for parser in (*PULLED, to_callback, finished_list, ReferenceParser):
        target = target_of(parser)
        assert target.run_script(CHUNKS, Script()) == target.run(CHUNKS)
        target.close()


@pytest.mark.parametrize("parser", [*PULLED, to_callback, finished_list])
def test_a_source_that_fails_is_seen_by_the_parser(parser):
    target = target_of(parser)
    run = target.run_script(CHUNKS, Script(fails=True))
    assert isinstance(run.failure, SourceFailed)
    assert data(run) == ([] if parser is finished_list else ["a", "b", "c"])
    target.close()


@pytest.mark.parametrize("parser", PULLED)
def test_a_consumer_stops_and_the_parser_is_closed(parser):
    target, script = target_of(parser), Script(endless=True, stops_after=2)
    run = target.run_script(CHUNKS, script)
    assert (data(run), run.failure) == (["a", "b"], None)
    assert script.taken == script.taken_at_stop == 3
    assert not script.closed
    target.close()


def test_a_context_is_left_as_after_a_break():
    target = target_of(Reader)
    Reader.left = 0
    target.run_script(CHUNKS, Script(stops_after=1))
    assert Reader.left == 1


def test_what_closing_raises_is_the_failure_of_the_run():
    def raises(chunks):
        try:
            yield from generator(chunks)
        finally:
            raise EOFError("not over")

    def goes_on(chunks):
        for event in generator(chunks):
            try:
                yield event
            except GeneratorExit:
                yield event

    async def async_goes_on(chunks):
        async for event in async_generator(chunks):
            try:
                yield event
            except GeneratorExit:
                yield event

    for parser, kind in ((goes_on, RuntimeError), (async_goes_on, RuntimeError)):
        target = target_of(parser)
        assert isinstance(target.run_script(CHUNKS, Script(stops_after=1)).failure, kind)
        target.close()
    run = adapt(raises, name="t", found="in a test").run_script(CHUNKS, Script(stops_after=1))
    assert isinstance(run.failure, EOFError)


@pytest.mark.parametrize("parser", [generator, async_generator, text_generator, to_callback, finished_list])
def test_a_source_without_an_end_ends_after_some_hundred_chunks(parser):
    target, script = target_of(parser), Script(endless=True)
    run = target.run_script(CHUNKS, script)
    assert isinstance(run.failure, SourceWithoutEnd)
    assert script.taken == len(CHUNKS) + MORE_UNITS
    target.close()


def test_chunks_taken_are_counted_in_chunks_behind_the_last_one_too():
    def late(chunks):
        held = []
        for event in generator(chunk + ":" if isinstance(chunk, str) else chunk for chunk in chunks):
            held.append(event)
            if len(held) > 1:
                yield held.pop(0)

    def late_text(chunks: list[str]):
        parser, held = ReferenceParser(), []
        for chunk in chunks:
            yield from held
            held = parser.feed(chunk.encode())
        yield from held

    for parser, taken in ((late, [3, 3]), (late_text, [2, 4, 4])):
        run = target_of(parser).run_script(CHUNKS, Script(endless=True))
        assert [one.chunks_taken for one in run.deliveries] == taken


def test_a_text_parser_counts_the_chunks_of_its_units():
    # The second chunk completes no character, and is not sent.
    chunks = [b"data: ", "你".encode()[:1], "你".encode()[1:] + b"\n\n"]
    run = target_of(text_generator).run_script(chunks, Script(endless=True, stops_after=1))
    assert [one.chunks_taken for one in run.deliveries] == [3]


def test_a_target_closes_its_source():
    def closes(chunks):
        source = iter(chunks)
        try:
            yield from generator(source)
        finally:
            if hasattr(source, "close"):
                source.close()

    async def async_closes(chunks):
        try:
            async for event in async_generator(chunks):
                yield event
        finally:
            await chunks.aclose()

    for parser in (closes, async_closes):
        target, script = target_of(parser), Script(stops_after=1)
        assert target.run_script(CHUNKS, script).failure is None
        assert script.closed
        target.close()


def test_something_happens_between_two_chunks():
    for parser in (generator, ReferenceParser, text_generator, finished_list):
        calls: list[int] = []
        target_of(parser).run_script(CHUNKS, Script(between=lambda calls=calls: calls.append(1)))
        assert len(calls) == len(CHUNKS)


def test_a_chunk_that_was_written_to_is_noted_and_a_kept_one_is_overwritten():
    kept: list[bytearray] = []

    def keeps(chunks):
        for chunk in chunks:
            kept.append(chunk)
            yield from ()
        yield from generator(bytes(chunk) for chunk in kept)

    def empties(chunks):
        for chunk in chunks:
            yield from generator([bytes(chunk)])
            if isinstance(chunk, bytearray):
                chunk.clear()

    script = Script(give=bytearray, spoils=True)
    target = target_of(keeps)
    kept.clear()
    target.run_script(CHUNKS, script)
    assert script.changed == 0
    assert [set(chunk) for chunk in kept] == [{0}, {0}, {0}]
    script = Script(give=bytearray)
    target_of(empties).run_script(CHUNKS, script)
    script.look_back()
    assert script.changed == len(CHUNKS)


def test_async_parsers_beside_each_other_take_turns():
    order: list[bytes] = []

    async def noting(chunks):
        parser = ReferenceParser()
        async for chunk in chunks:
            order.append(chunk)
            for event in parser.feed(chunk):
                yield event

    target = target_of(noting)
    order.clear()
    run = target.run_beside([b"data: a\n", b"\n"], [[b"data: x\n", b"data"]])
    assert order == [b"data: a\n", b"data: x\n", b"\n", b"data"]
    assert data(run) == ["a"]
    target.close()


def test_a_task_that_reads_ahead_gets_its_turns():
    async def reads_ahead(chunks):
        queue: asyncio.Queue[bytes | None] = asyncio.Queue(1)

        async def fill():
            async for chunk in chunks:
                await queue.put(chunk)
            await queue.put(None)

        task, parser = asyncio.create_task(fill()), ReferenceParser()
        try:
            while (chunk := await queue.get()) is not None:
                for event in parser.feed(chunk):
                    yield event
        finally:
            task.cancel()

    target = target_of(reads_ahead)
    run = target.run_script(CHUNKS, Script(pauses=50))
    assert [one.chunks_taken for one in run.deliveries] == [1, 3, 3]
    script = Script(endless=True, stops_after=1, pauses=50)
    assert target.run_script(CHUNKS, script).failure is None
    assert script.took_more == 0
    target.close()


def test_what_a_target_offers_is_found():
    class Again(ReferenceParser):
        def feed(self, chunk: bytes | bytearray):  # type: ignore[override]
            return super().feed(bytes(chunk))

        def reset(self):
            """Get ready for another stream."""
            self.start_over()

    class OfABlock(ReferenceParser):
        def reset(self):
            """Begin a fresh block."""
            self.reset_buffers()

    assert target_of(Again).offers == {"script", "reset", "documented reset", "again", "buffers"}
    assert target_of(OfABlock).offers == {"script", "reset", "again"}
    assert target_of(generator).offers == {"script", "source", "stop"}
    assert target_of(to_callback).offers == {"script", "source"}


def test_a_used_parser_is_run_again():
    target = target_of(ReferenceParser)
    run = target.run_used(CHUNKS, [b"data: left\n"], "end")
    assert (data(run), run.failure) == (["a", "b", "c"], None)


def test_a_consumer_that_stopped_is_no_exception_of_the_target():
    assert not issubclass(ConsumerStopped, Exception)
    assert not issubclass(SourceWithoutEnd, Exception)
    assert issubclass(SourceFailed, OSError)
