"""What the eight libraries do, held to models of them: the reference parser with each library's departures.

The models (`library_models.py`) say that the table in ``reports/library-departures.md`` is complete over the streams
tried here. Each row of the table is run as well. That the adapters add no departure of their own is held against the
libraries' clients in `test_library_adapters.py`.
"""

from __future__ import annotations

import ast
import gc
import importlib
import importlib.metadata
import logging
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from chunkproof.oracle import interpret
from chunkproof_targets.contract import Event
from chunkproof_targets.registry import TABLE as TARGETS

from .library_models import FAILURES, MODELS, run_model

Shown = tuple[str | None, ...]

NAMES = [name for name, entry in TARGETS.items() if ".libraries." in entry.target]
TABLE = Path(__file__).parents[2] / "reports" / "library-departures.md"


def parser_of(name: str) -> Callable[[Iterable[bytes]], Iterator[Any]]:
    module, _, attribute = TARGETS[name].target.partition(":")
    try:
        parse: Callable[[Iterable[bytes]], Iterator[Any]] = getattr(importlib.import_module(module), attribute)
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("chunkproof"):
            raise
        pytest.skip(f"{name} needs {error.name}: pip install 'chunkproof[libraries]'")
    return parse


def is_event(item: Any) -> bool:
    return type(item).__name__ != "Comment"


def shown(name: str, item: Any) -> Event:
    type_ = item.type if name == "requests-sse" else item.event
    last_event_id = item.last_event_id if name in ("launchdarkly-eventsource", "requests-sse") else item.id
    return Event(type_ or "message", item.data, last_event_id or "")


def items_of(name: str, chunks: Iterable[bytes]) -> tuple[list[Any], str | None]:
    """What came out as an event, and the name of the exception that ended it."""
    items = []
    reader = parser_of(name)(chunks)
    try:
        for item in reader:
            if is_event(item):
                items.append(item)
    except FAILURES as error:
        return items, type(error).__name__
    return items, None


def run(name: str, chunks: Iterable[bytes]) -> tuple[list[Event], str | None]:
    """The events that came out, and the name of the exception that ended them."""
    items, raised = items_of(name, chunks)
    return [shown(name, item) for item in items], raised


def bytewise(wire: bytes) -> list[bytes]:
    return [wire[i : i + 1] for i in range(len(wire))]


# Streams --------------------------------------------------------------------------------------------------------------

LINES = [
    *["data: a", "data:b", "data", "data:", "data:  two", "data:\ttab", "data: trailing ", "data: a:b", "data: [DONE]"],
    *[
        "data: 流式🙂",
        "data: 👩‍👩‍👧 e\u0301 \ufeff",
        "data: x\u2028y\u2029z\u0085w",
        "data: \x0b\x0c\x1c\x1d\x1e",
        "data: n\0l",
    ],
    *["event: e", "event:", "event", "event:  流", "event: message", "Event: x", "event : x", " data: x"],
    *["id: 1", "id: 流", "id:", "id", "id:  1 ", "id: a\0b"],
    *["retry: 5", "retry:05", "retry: x", "retry", "retry: +5", "retry: 5 ", "retry: ٣", "retry: 1_0", "retry: ²"],
    "retry: 99999999999999999",
    *[":", ": ping", ":data: x", "unknown: x", "unknown", " ", "\t", "\u2028", "dataa: x"],
]
ODD_BYTES = [b"\xef\xbb\xbf", b"\xff", b"\xe4", b"\xf0\x9f", b"\xed\xa0\x80", b"\xc0\x80", b"\r", b"\n", b"\0"]


def random_stream(rng: random.Random, lines: Sequence[str] = LINES) -> bytes:
    """Lines with ends of one kind or of all kinds, blank lines about as often as others, at times an odd byte."""
    ends = rng.choice([[b"\n"], [b"\r\n"], [b"\r"], [b"\n", b"\r\n", b"\r"]])
    wire = b"\xef\xbb\xbf" if rng.random() < 0.1 else b""
    for _ in range(rng.randint(1, 8)):
        wire += rng.choice(lines).encode() + rng.choice(ends)
        while rng.random() < 0.5:
            wire += rng.choice(ends)
    if rng.random() < 0.2:
        at = rng.randint(0, len(wire))
        wire = wire[:at] + rng.choice(ODD_BYTES) + wire[at:]
    return wire[: rng.randint(0, len(wire))] if rng.random() < 0.2 else wire


def chunkings(wire: bytes, rng: random.Random) -> Iterator[list[bytes]]:
    """Whole, bytewise, in twos, threes and sevens, and at random cuts with empty chunks between."""
    yield [wire]
    for size in (1, 2, 3, 7):
        yield [wire[i : i + size] for i in range(0, len(wire), size)]
    cuts = sorted(rng.choices(range(len(wire) + 1), k=6))
    yield [wire[a:b] for a, b in zip([0, *cuts], [*cuts, len(wire)], strict=True)]


@pytest.mark.parametrize("name", NAMES)
def test_library_does_what_its_model_does_however_a_stream_is_cut(name: str) -> None:
    rng = random.Random(name)
    for _ in range(500):
        wire = random_stream(rng)
        for chunks in chunkings(wire, rng):
            assert run(name, chunks) == run_model(name, chunks), chunks


@pytest.mark.parametrize("name", NAMES)
def test_the_models_differ_from_the_standard_on_the_streams_tried(name: str) -> None:
    rng = random.Random(name)
    wires = [random_stream(rng) for _ in range(200)]
    assert any(run_model(name, [wire]) != (list(interpret(wire).events), None) for wire in wires)


PLAIN = [
    (
        'event: message_start\ndata: {"type":"message_start"}\n\ndata: {"text":"流式"}\n\n: ping\n\ndata: [DONE]\n\n',
        ["\n", "\r\n", "\r"],
    ),
    ("data: 第一行\ndata: 第二行\n\ndata\n\ndata:\ndata: x\ndata:\n\n\n\n", ["\n", "\r\n", "\r"]),
    ("data: a\nevent: last\n\ndata: 👩‍👩‍👧\u2028\u0085\x0b \n\nunknown: x\nData: y\n\n", ["\n", "\r\n", "\r"]),
]


@pytest.mark.parametrize("name", NAMES)
def test_plain_streams_come_out_right_at_every_pair_of_cuts(name: str) -> None:
    for text, ends in PLAIN:
        for end in ends:
            if name == "requests-sse" and (end == "\r\n" or "data:\n\n" in text):
                continue  # its departures are in the plainest of streams
            wire = text.replace("\n", end).encode()
            right = (list(interpret(wire).events), None)
            assert right[0]
            for first in range(0, len(wire) + 1, 3):
                for second in range(first, len(wire) + 1, 5):
                    chunks = [wire[:first], wire[first:second], wire[second:]]
                    assert run(name, chunks) == right, chunks


@pytest.mark.parametrize("name", NAMES)
def test_values_of_64_ki_characters_and_streams_of_300_events_come_out_whole(name: str) -> None:
    long = "流" * 65_536
    wire = f"data: {long}\n\n".encode()
    assert run(name, [wire]) == ([Event("message", long, "")], None)
    assert run(name, [wire[i : i + 1000] for i in range(0, len(wire), 1000)]) == ([Event("message", long, "")], None)
    many = b"data: x\n\n" * 300
    assert run(name, [many]) == ([Event("message", "x", "")] * 300, None)


# Driving --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_an_event_comes_out_before_the_next_chunk_is_taken(name: str) -> None:
    taken: list[bytes] = []

    def source() -> Iterator[bytes]:
        for chunk in (b"data: 1\n", b"\n", b"data: 2\n\ndata: 3\n\n", b"data: 4\n\n"):
            taken.append(chunk)
            yield chunk

    reader = parser_of(name)(source())
    assert taken == []
    assert [(next(reader).data, len(taken)) for _ in range(4)] == [("1", 2), ("2", 3), ("3", 3), ("4", 4)]
    assert list(reader) == []


@pytest.mark.parametrize("name", NAMES)
def test_no_chunks_and_empty_chunks_give_nothing(name: str) -> None:
    assert run(name, []) == ([], None)
    assert run(name, [b"", b""]) == ([], None)
    assert run(name, [b"", b"data: 1\n", b"", b"\n", b""]) == ([Event("message", "1", "")], None)


@pytest.mark.parametrize("name", NAMES)
def test_an_error_of_the_source_reaches_the_user(name: str) -> None:
    def source() -> Iterator[bytes]:
        yield b"data: 1\n\n"
        raise ConnectionResetError("by the test")

    reader = parser_of(name)(source())
    assert next(reader).data == "1"
    with pytest.raises(ConnectionResetError, match="by the test"):
        next(reader)


@pytest.mark.parametrize("name", NAMES)
def test_a_reader_left_early_closes_its_source(name: str) -> None:
    closed: list[bool] = []

    def source() -> Iterator[bytes]:
        try:
            while True:
                yield b"data: 1\n\n"
        finally:
            closed.append(True)

    chunks = source()
    reader = parser_of(name)(chunks)
    next(reader)
    reader.close()  # type: ignore[attr-defined]  # a generator
    del reader, chunks
    gc.collect()  # a ResourceWarning here is an error
    assert closed == [True]


@pytest.mark.parametrize("name", NAMES)
def test_a_second_run_sees_nothing_of_the_first(name: str) -> None:
    first = run(name, [b"id: 1\nretry: 5\nevent: e\ndata: a\n\ndata: b"])
    assert first[0][0] == Event("e", "a", "1")
    assert run(name, [b"data: c\n\n"]) == ([Event("message", "c", "")], None)


def test_runs_of_launchdarkly_leave_no_log_handlers_behind() -> None:
    parse = parser_of("launchdarkly-eventsource")
    names = ["launchdarkly-eventsource.null", "chunkproof_targets.libraries.launchdarkly"]
    before = [len(logging.getLogger(name).handlers) for name in names]
    for _ in range(5):
        assert list(parse([])) == []
    assert [len(logging.getLogger(name).handlers) for name in names] == before


def test_launchdarkly_passes_comments_on_and_keeps_its_connection_to_itself() -> None:
    items = list(parser_of("launchdarkly-eventsource")([b": ping\ndata: 1\n\n"]))
    assert [type(item).__name__ for item in items] == ["Comment", "Event"]
    assert items[0].comment == " ping"


# The table ------------------------------------------------------------------------------------------------------------


class Row(NamedTuple):
    library: str
    version: str
    departure: str
    wire: bytes
    cut: str
    expected: list[Shown]
    actual: list[Shown]
    raised: str | None
    clause: str
    why: str


def table() -> list[Row]:
    rows = []
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        # The table of departures, not those of the rules that fail and of time.
        if not line.startswith("| ") or cells[0] in ("library", "---") or len(cells) in (3, 5):
            continue
        library, version, departure, wire, cut, expected, actual, clause, why = cells
        events, _, raised = actual.strip("`").partition(" then ")
        rows.append(
            Row(
                *(library, version, departure, ast.literal_eval(wire.strip("`")), cut),
                *(ast.literal_eval(expected.strip("`")), ast.literal_eval(events), raised or None, clause, why),
            )
        )
    return rows


ROWS = table()
ROW_IDS = [f"{row.library}: {row.departure}" for row in ROWS]


def cut_as_said(row: Row, wire: bytes) -> list[bytes]:
    """The stream in a chunking in which the row fails, in which a stream a byte shorter is tried as well."""
    if row.cut in ("any", "whole"):
        return [wire]
    if row.cut == "bytewise":
        return bytewise(wire)
    at = int(row.cut.removeprefix("at "))
    return [wire[:at], wire[at:]]


def of_version(row: Row) -> Row:
    parser_of(row.library)
    installed = importlib.metadata.version(str(TARGETS[row.library].distribution))
    if installed != row.version:
        pytest.skip(f"the row is about {row.library} {row.version}; {installed} is installed")
    return row


def expected_of(wire: bytes, with_retry: bool) -> list[Shown]:
    outcome = interpret(wire)
    if not with_retry:
        return [tuple(event) for event in outcome.events]
    return [(*event, own) for event, (own, _) in zip(outcome.events, outcome.event_retries, strict=True)]


def actual_of(name: str, chunks: list[bytes], with_retry: bool) -> tuple[list[Shown], str | None]:
    items, raised = items_of(name, chunks)
    if not with_retry:
        return [tuple(shown(name, item)) for item in items], raised
    return [(*shown(name, item), None if item.retry is None else str(item.retry)) for item in items], raised


def test_the_table_has_rows_for_every_library() -> None:
    assert {row.library for row in ROWS} == set(NAMES) == set(MODELS)
    assert len({(row.library, row.wire) for row in ROWS}) == len(ROWS)


@pytest.mark.parametrize("row", ROWS, ids=ROW_IDS)
def test_row_is_what_the_library_does(row: Row) -> None:
    of_version(row)
    with_retry = len(row.expected[0]) == 4 if row.expected else False
    assert expected_of(row.wire, with_retry) == row.expected
    assert actual_of(row.library, cut_as_said(row, row.wire), with_retry) == (row.actual, row.raised)
    for cut, chunks in (("whole", [row.wire]), ("bytewise", bytewise(row.wire))):
        result = actual_of(row.library, chunks, with_retry)
        assert result == ((row.actual, row.raised) if row.cut in ("any", cut) else (row.expected, None))
    assert (row.actual, row.raised) != (row.expected, None)
    assert row.clause.startswith("9.2.")
    assert row.why


@pytest.mark.parametrize("row", ROWS, ids=ROW_IDS)
def test_row_has_no_byte_to_spare(row: Row) -> None:
    of_version(row)
    with_retry = len(row.expected[0]) == 4 if row.expected else False
    kind = (len(row.expected), len(row.actual), row.raised)
    for at in range(len(row.wire)):
        wire = row.wire[:at] + row.wire[at + 1 :]
        if b"retry:\n" in wire:
            continue  # left open by the standard
        expected = expected_of(wire, with_retry)
        actual, raised = actual_of(row.library, cut_as_said(row, wire), with_retry)
        same_kind = (len(expected), len(actual), raised) == kind
        assert not (same_kind and (actual, raised) != (expected, None)), wire


@pytest.mark.parametrize("name", ["httpx-sse", "openai", "anthropic"])
@pytest.mark.parametrize("value", ["+5", "-5", " 5", "5 ", "5\t", "1_0", "٣"])
def test_retry_takes_what_int_takes(name: str, value: str) -> None:
    wire = f"retry: {value}\ndata\n\n".encode()
    assert expected_of(wire, with_retry=True) == [("message", "", "", None)]
    assert actual_of(name, [wire], with_retry=True) == ([("message", "", "", str(int(value)))], None)


@pytest.mark.parametrize("name", ["httpx-sse", "openai", "anthropic"])
def test_retry_of_thousands_of_digits_does_not_raise(name: str) -> None:
    wire = b"retry: " + b"9" * 5000 + b"\ndata\n\n"
    assert actual_of(name, [wire], with_retry=True) == ([("message", "", "", None)], None)
