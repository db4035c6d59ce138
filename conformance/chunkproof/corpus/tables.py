"""Entries as source code for tests of projects that have no chunkproof: a pytest file, a TypeScript table.

Whatever is in an entry is written as a literal in ASCII: nothing of it can end a string, a line or a comment. Entries
of severity info have no place in a test: a parser that differs there is not wrong.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from chunkproof_reports.visible import count_of

from .entry import Entry, EntryError

__all__ = ["ENTRY_BYTES_MAX", "tested", "to_pytest", "to_typescript"]

#: An entry that unrolls to more has no place in a source file.
ENTRY_BYTES_MAX = 4 * 1024 * 1024
# Where a table says how many entries it leaves out.
_LEFT_OUT = "{left_out}"

_PYTEST = '''\
"""Streams of Server-Sent Events, and what the standard makes of them. Written by `chunkproof corpus export`.

Fill in `parse`, then run pytest on this file.
"""
{left_out}
import pytest


def parse(chunks):
    """Feed the chunks, one by one, to a new parser, and tell it the end of input where it can be told.

    Return three things: the events as a list of (type, data, last event ID); the last event ID at the end; all
    reconnection times that were set, in order, as whole milliseconds. For the last two, None where the parser does not
    show them.
    """
    raise NotImplementedError("let parse() in this file feed your parser")


# Streams that are run before, the chunks, the events, the last event ID at the end, the reconnection times in
# milliseconds as decimal digits (they have no upper bound), and how much a parser that differs is wrong: must, should.
CASES = [
'''
_PYTEST_END = """\
]


@pytest.mark.parametrize(("before", "chunks", "events", "last_event_id", "retries", "severity"), CASES)
def test_stream(before, chunks, events, last_event_id, retries, severity):
    for wire in before:
        parse([wire])
    found, found_id, found_retries = parse(chunks)
    assert [tuple(event) for event in found] == events, severity
    assert found_id is None or found_id == last_event_id, severity
    assert found_retries is None or [str(time) for time in found_retries] == retries, severity
"""

_TYPESCRIPT = """\
// Streams of Server-Sent Events, and what the standard makes of them. Written by `chunkproof corpus export`.
{left_out}
export interface Event {
  readonly type: string;
  readonly data: string;
  readonly lastEventId: string;
}

export interface Case {
  readonly id: string;
  readonly title: string;
  /** How much a parser that differs is wrong. */
  readonly severity: "must" | "should";
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


def tested(entries: Iterable[Entry]) -> list[Entry]:
    """The entries that a table holds: those on which a parser can be wrong."""
    return [entry for entry in entries if entry.severity != "info"]


def to_pytest(entries: Iterable[Entry]) -> str:
    """The source of a test file for Python 3 and pytest, without entries of severity info, which it counts.

    EntryError where an entry is too large for one, or where all of them are left out.
    """
    chosen, left_out = _chosen(entries, "#")
    return _PYTEST.replace(_LEFT_OUT, left_out, 1) + "".join(map(_pytest_case, chosen)) + _PYTEST_END


def _chosen(entries: Iterable[Entry], comment: str) -> tuple[list[Entry], str]:
    """The entries that a table holds, and the line that says how many it leaves out."""
    given = list(entries)
    chosen = tested(given)
    count = len(given) - len(chosen)
    if count and not chosen:
        raise EntryError("all entries are of severity info, and a parser that differs there fails no test")
    if not count:
        return chosen, ""
    left_out = count_of(count, "entry", "entries")
    return (
        chosen,
        f"{comment} Left out: {left_out} of severity info (open choices: a parser that differs is not wrong).\n",
    )


def _pytest_case(entry: Entry) -> str:
    _assert_small(entry)
    events = [tuple(event) for event in entry.expected.events]
    values: Sequence[object] = (
        list(entry.question.before),
        entry.question.chunks,
        events,
        entry.expected.last_event_id,
        list(entry.expected.retries),
        entry.severity,
    )
    written = "".join(f"        {value!a},\n" for value in values)
    return f"    pytest.param(  # {ascii(entry.title)[1:-1]}\n{written}        id={entry.id!a},\n    ),\n"


def to_typescript(entries: Iterable[Entry]) -> str:
    """The source of a module for TypeScript 4 and later, without entries of severity info, which it counts.

    EntryError where an entry is too large for one, or where all of them are left out.
    """
    chosen, left_out = _chosen(entries, "//")
    return _TYPESCRIPT.replace(_LEFT_OUT, left_out, 1) + "".join(map(_typescript_case, chosen)) + "];\n"


def _typescript_case(entry: Entry) -> str:
    _assert_small(entry)
    question, expected = entry.question, entry.expected
    events = [{"type": event.type, "data": event.data, "lastEventId": event.last_event_id} for event in expected.events]
    values = {
        "id": json.dumps(entry.id),
        "title": json.dumps(entry.title),
        "severity": json.dumps(entry.severity),
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
