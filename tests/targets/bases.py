"""Right parsers to build shapes on, and what holds for every target that is right."""

from __future__ import annotations

import asyncio
from typing import Any

from chunkproof.oracle import interpret
from chunkproof_targets.contract import Event, Target
from chunkproof_targets.declared import Declared
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


async def async_events(chunks: Any) -> Any:
    parser = ReferenceParser()
    async for chunk in chunks:
        await asyncio.sleep(0)
        for event in parser.feed(chunk):
            yield event
