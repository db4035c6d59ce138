"""Entries as source code for tests of projects that have no chunkproof: a pytest file, a TypeScript table.

Whatever is in an entry is written as a literal in ASCII: nothing of it can end a string, a line or a comment.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from .entry import Entry, EntryError

__all__ = ["ENTRY_BYTES_MAX", "to_pytest", "to_typescript"]

#: An entry that unrolls to more has no place in a source file.
ENTRY_BYTES_MAX = 4 * 1024 * 1024

_PYTEST = '''\
"""Streams of Server-Sent Events, and what the standard makes of them. Written by `chunkproof corpus export`.

Fill in `parse`, then run pytest on this file.
"""

import pytest


def parse(chunks):
    """Feed the chunks, one by one, to a new parser, and tell it the end of input where it can be told.

    Return the events as a list of (type, data, last event ID), and the last event ID at the end, or None where the
    parser does not show that.
    """
    raise NotImplementedError("let parse() in this file feed your parser")


# Streams that are run before, the chunks, the events, the last event ID at the end.
CASES = [
'''
_PYTEST_END = """\
]


@pytest.mark.parametrize(("before", "chunks", "events", "last_event_id"), CASES)
def test_stream(before, chunks, events, last_event_id):
    for wire in before:
        parse([wire])
    found, found_id = parse(chunks)
    assert [tuple(event) for event in found] == events
    assert found_id is None or found_id == last_event_id
"""

_TYPESCRIPT = """\
// Streams of Server-Sent Events, and what the standard makes of them. Written by `chunkproof corpus export`.

export interface Event {
  readonly type: string;
  readonly data: string;
  readonly lastEventId: string;
}

export interface Case {
  readonly id: string;
  readonly title: string;
  /** Streams that are run before this one, on parsers of their own. */
  readonly before: readonly Uint8Array[];
  /** What the parser is fed, one by one; a chunk may be empty. */
  readonly chunks: readonly Uint8Array[];
  readonly events: readonly Event[];
  /** The last event ID at the end. */
  readonly lastEventId: string;
  /** Reconnection times that were set, in order, in milliseconds as decimal digits: they have no upper bound. */
  readonly retries: readonly string[];
}

/** Each character stands for the byte of its number. */
const bytes = (text: string): Uint8Array => Uint8Array.from(text, (character) => character.charCodeAt(0));

export const cases: readonly Case[] = [
"""


def to_pytest(entries: Iterable[Entry]) -> str:
    """The source of a test file for Python 3 and pytest; EntryError where an entry is too large for one."""
    return _PYTEST + "".join(map(_pytest_case, entries)) + _PYTEST_END


def _pytest_case(entry: Entry) -> str:
    _assert_small(entry)
    events = [tuple(event) for event in entry.expected.events]
    values: Sequence[object] = (
        list(entry.question.before),
        entry.question.chunks,
        events,
        entry.expected.last_event_id,
    )
    written = "".join(f"        {value!a},\n" for value in values)
    return f"    pytest.param(  # {ascii(entry.title)[1:-1]}\n{written}        id={entry.id!a},\n    ),\n"


def to_typescript(entries: Iterable[Entry]) -> str:
    """The source of a module for TypeScript 4 and later; EntryError where an entry is too large for one."""
    return _TYPESCRIPT + "".join(map(_typescript_case, entries)) + "];\n"


def _typescript_case(entry: Entry) -> str:
    _assert_small(entry)
    question, expected = entry.question, entry.expected
    events = [{"type": event.type, "data": event.data, "lastEventId": event.last_event_id} for event in expected.events]
    values = {
        "id": json.dumps(entry.id),
        "title": json.dumps(entry.title),
        "before": _typescript_bytes(question.before),
        "chunks": _typescript_bytes(question.chunks),
        "events": json.dumps(events),
        "lastEventId": json.dumps(expected.last_event_id),
        "retries": json.dumps(expected.retries),
    }
    return "  {\n" + "".join(f"    {name}: {value},\n" for name, value in values.items()) + "  },\n"


def _typescript_bytes(wires: Iterable[bytes]) -> str:
    # As JSON, Latin-1 has a character for each byte and none beyond: all of them can be read back as bytes.
    written = (f"bytes({json.dumps(wire.decode('latin-1'))})" for wire in wires)
    return f"[{', '.join(written)}]"


def _assert_small(entry: Entry) -> None:
    texts = [text or "" for event in entry.expected.events for text in event]
    size = len(entry.wire) + sum(map(len, (*entry.question.before, *texts)))
    if size > ENTRY_BYTES_MAX:
        raise EntryError(f"{entry.id}: it unrolls to {size:,} bytes, and {ENTRY_BYTES_MAX:,} are the most in a table")
