"""A stream on a terminal, layer by layer: bytes, characters, lines, fields, events.

Who fills `Layers` says what is in the stream; here it is only drawn. Nothing of the stream can drive the terminal.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal, TypeVar

from .paint import BOLD, DIM, GREEN, RED, YELLOW, Paint
from .terminal import show_line
from .visible import BAR, cells, character_size, count_of, folded, pad, show, units
from .wire import draw_wire

__all__ = ["Block", "CharacterSeen", "ChunkSeen", "FieldSeen", "Layers", "LineSeen", "draw_layers"]

# Of a longer list, so many of the start and of the end are drawn.
_END_ROWS = 12
# Bytes in one row of hex; the second where the terminal is wide.
_HEX_BYTES = (8, 16)
_WIDE = 120
# More bars than these at one offset are drawn as their number.
_BARS_MAX = 3

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ChunkSeen:
    """One chunk: its number from 1, and the offsets at which it starts and stops."""

    number: int
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class CharacterSeen:
    """One sequence of bytes that a decoder may fall over.

    "ill-formed" becomes one U+FFFD, "mark" is the byte order mark that is removed, "whole" a character in order.
    ``cuts`` are the offsets inside of it at which a chunk ends.
    """

    start: int
    stop: int
    kind: Literal["whole", "ill-formed", "mark"]
    cuts: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class LineSeen:
    """One line: its number from 1, the offset at which it starts, its text, and how it ends.

    ``end`` is empty for what follows the last line end: it is no line. ``stop`` is the offset behind the line end.
    ``end_is_cut`` says that a chunk ends between the CR and the LF of it.
    """

    number: int
    start: int
    stop: int
    text: str
    end: Literal["LF", "CR", "CR LF", ""]
    end_is_cut: bool = False


@dataclass(frozen=True, slots=True)
class FieldSeen:
    """What a line is: a field that counts, one that is "ignored" and why, "unknown", a "comment", or "blank".

    ``line`` is the number of its line; ``name`` and ``value`` are empty where there is none; ``note`` says in words
    what comes of it.
    """

    line: int
    kind: Literal["field", "ignored", "unknown", "comment", "blank"]
    name: str = ""
    value: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Block:
    """An event, and what made it.

    ``lines`` are the numbers of the lines of its fields, ``blank`` that of the blank line that dispatches it. It is due
    once the byte at offset ``at`` has been read, and that is in the chunk of number ``chunk``.
    """

    type: str
    data: str
    last_event_id: str
    lines: tuple[int, ...]
    blank: int
    at: int
    chunk: int


@dataclass(frozen=True, slots=True)
class Layers:
    """A stream in all its layers.

    ``characters`` are those only that are worth a word: cut, ill-formed, or a mark; ``whole`` is the number of all.
    ``discarded`` are the numbers of lines with fields behind which no blank line comes. ``before`` are the wires that
    are run before this one. ``last_event_id`` and ``retries`` (milliseconds, as digits) are the state at the end.
    """

    wire: bytes
    cuts: tuple[int, ...]
    chunks: tuple[ChunkSeen, ...]
    characters: tuple[CharacterSeen, ...]
    whole: int
    lines: tuple[LineSeen, ...]
    fields: tuple[FieldSeen, ...]
    events: tuple[Block, ...]
    discarded: tuple[int, ...]
    last_event_id: str
    retries: tuple[str, ...]
    before: tuple[bytes, ...] = ()


def draw_layers(title_lines: Sequence[str], layers: Layers, *, width: int = 100, colour: bool = False) -> Iterator[str]:
    """The lines: what is said of the stream, the wire with its cuts, and one section for each layer."""
    paint, width = Paint(colour), max(width, 40)
    for number, line in enumerate(title_lines):
        yield from (paint(part, *(() if number else (BOLD,))) for part in folded(show_line(line), width))
    for number, wire in enumerate(layers.before, 1):
        yield ""
        yield from draw_wire(f"before it, {number} of {len(layers.before)}", wire, (), width, paint)
    yield ""
    yield from draw_wire("wire", layers.wire, layers.cuts, width, paint)
    # What stands behind a text has to fit beside it.
    most = width // 2
    for name, rows in (
        (f"bytes: {_sizes(layers)}", _hex(layers, width)),
        (f"characters: {_characters_said(layers)}", _rows(layers.characters, "sequence", _character(layers))),
        (f"lines: {_lines_said(layers)}", _rows(layers.lines, "line", _line(most))),
        (f"fields: {_fields_said(layers)}", _rows(layers.fields, "line", _field(most))),
        (f"events: {_events_said(layers)}", _rows(layers.events, "event", _event(layers, most))),
    ):
        yield ""
        yield from (paint(part, BOLD) for part in folded(name, width))
        yield from (f"  {_cut_off(row, width - 2, paint)}" for row in rows)
    yield from (f"  {_cut_off(row, width - 2, paint)}" for row in _state(layers, most))


# What a section is headed by ------------------------------------------------------------------------------------------


def _sizes(layers: Layers) -> str:
    return f"{count_of(len(layers.wire), 'byte')} in {count_of(len(layers.chunks), 'chunk')}"


def _characters_said(layers: Layers) -> str:
    cut = sum(bool(one.cuts) for one in layers.characters)
    wrong = sum(one.kind == "ill-formed" for one in layers.characters)
    return f"{count_of(layers.whole, 'character')}, {count_of(wrong, 'ill-formed sequence')}, {cut:,} cut"


def _lines_said(layers: Layers) -> str:
    complete = sum(line.end != "" for line in layers.lines)
    return count_of(complete, "line") + (" and one that has no end" if complete < len(layers.lines) else "")


def _fields_said(layers: Layers) -> str:
    said = [count_of(sum(field.kind == "field" for field in layers.fields), "field")]
    for kind, word in (("ignored", "ignored"), ("unknown", "unknown")):
        if number := sum(field.kind == kind for field in layers.fields):
            said.append(f"{number:,} {word}")
    for kind, word in (("comment", "comment"), ("blank", "blank line")):
        if number := sum(field.kind == kind for field in layers.fields):
            said.append(count_of(number, word))
    return ", ".join(said)


def _events_said(layers: Layers) -> str:
    return count_of(len(layers.events), "event")


# Rows -----------------------------------------------------------------------------------------------------------------

#: What one row is painted of: parts of visible text, each with its colours.
Row = Sequence[tuple[str, tuple[int, ...]]]


def _rows(items: Sequence[T], word: str, rows_of: Callable[[T], Iterable[Row]]) -> Iterator[Row]:
    """The rows of each; of many, those of the start and the end, and how many are left out."""
    left_out = len(items) - 2 * _END_ROWS
    if left_out <= 1:
        yield from chain.from_iterable(map(rows_of, items))
        return
    yield from chain.from_iterable(map(rows_of, items[:_END_ROWS]))
    yield [(f"… {count_of(left_out, word)} …", (DIM,))]
    yield from chain.from_iterable(map(rows_of, items[-_END_ROWS:]))


def _cut_off(row: Row, width: int, paint: Paint) -> str:
    """The row as text, with a mark at its end where it is too long."""
    too_long = sum(cells(text) for text, _ in row) > width
    left = width - too_long
    parts: list[str] = []
    for text, codes in row:
        kept: list[str] = []
        for unit in units(text):
            left -= cells(unit)
            if left < 0:
                break
            kept.append(unit)
        parts.append(paint("".join(kept), *codes))
        if left < 0:
            break
    return "".join(parts) + ("…" if too_long else "")


def _hex(layers: Layers, width: int) -> Iterator[Row]:
    size = _HEX_BYTES[width >= _WIDE]
    yield from _rows(range(0, len(layers.wire), size), "row", lambda at: [_hex_row(layers, at, size)])


def _hex_row(layers: Layers, at: int, size: int) -> Row:
    """Offset, the bytes in hex, and beside them as text."""
    wire = layers.wire
    stop = min(at + size, len(wire))
    # The bars of its end stand at the start of the next row, if there is one.
    last = stop if stop == len(wire) else stop - 1
    row: list[tuple[str, tuple[int, ...]]] = [(f"{at:08x} ", (DIM,))]
    used = 0
    for offset in range(at, last + 1):
        bars = _bars(layers.cuts, offset)
        row.append((bars, (BOLD, RED)) if bars else (" ", ()))
        used += max(len(bars), 1)
        if offset < stop:
            row.append((f"{wire[offset]:02x}", ()))
            used += 2
    row.append((" " * max(3 * size + 1 - used, 0) + "  ", ()))
    for offset in range(at, last + 1):
        # A number beside the bars would be taken for text.
        row.append((_bars(layers.cuts, offset).rstrip("×0123456789"), (BOLD, RED)))
        if offset < stop:
            row.append((_seen_at(layers, offset), ()))
    return row


def _bars(cuts: Sequence[int], offset: int) -> str:
    number = bisect_right(cuts, offset) - bisect_left(cuts, offset)
    return BAR * number if number <= _BARS_MAX else f"{BAR}×{number}"


def _seen_at(layers: Layers, offset: int) -> str:
    """What stands for this byte in text: its character if it starts here, nothing if it is inside of one.

    A byte of what is cut or ill-formed stands for itself.
    """
    wire, cuts = layers.wire, layers.cuts
    for start in range(offset, max(offset - 4, -1), -1):
        size = character_size(wire, start)
        if start + size <= offset:
            continue
        if bisect_right(cuts, start) < bisect_left(cuts, start + size):
            break
        return show(wire[start : start + size].decode()) if start == offset else ""
    return f"\\x{wire[offset]:02X}"


def _character(layers: Layers) -> Callable[[CharacterSeen], Iterator[Row]]:
    def rows(one: CharacterSeen) -> Iterator[Row]:
        octets = [f"{layers.wire[at]:02X}" for at in range(one.start, one.stop)]
        drawn = octets[0] + "".join(
            (_bars(one.cuts, one.start + at) or " ") + octet for at, octet in enumerate(octets[1:], 1)
        )
        codes = (RED,) if one.kind == "ill-formed" else (YELLOW,)
        said = _SAID.get(one.kind) or show(layers.wire[one.start : one.stop].decode())
        cut = f", cut at {', '.join(map(str, dict.fromkeys(one.cuts)))}" if one.cuts else ""
        yield [(f"{one.start:8}  {pad(drawn, 14)} ", ()), (said + cut, codes)]

    return rows


_SAID = {"ill-formed": "ill-formed, becomes one U+FFFD", "mark": "byte order mark at the start, removed"}
_ENDS = {"LF": "␊", "CR": "␍", "CR LF": "␍␊", "": ""}


def _line(most: int) -> Callable[[LineSeen], Iterator[Row]]:
    def rows(line: LineSeen) -> Iterator[Row]:
        number = f"{line.number:5}" if line.end else "    -"
        note = "" if line.end else "   no line end: unfinished, thrown away"
        if line.end_is_cut:
            note = "   its end is cut"
        text = _start_of(line.text, most)
        yield [(f"{number}  at {line.start:<7} ", (DIM,)), (text, ()), (_ENDS[line.end], (DIM,)), (note, (YELLOW,))]

    return rows


_KINDS = {"field": ("", GREEN), "ignored": ("ignored ", YELLOW), "unknown": ("unknown ", YELLOW)}


def _field(most: int) -> Callable[[FieldSeen], Iterator[Row]]:
    def rows(field: FieldSeen) -> Iterator[Row]:
        number = (f"{field.line:5}  ", (DIM,))
        note = (f"   {show_line(field.note)}" if field.note else "", (DIM,))
        if field.kind == "blank":
            yield [number, ("blank line", ()), note]
        elif field.kind == "comment":
            yield [number, (f"comment {_quoted(field.value, most)}", (DIM,)), note]
        else:
            word, code = _KINDS[field.kind]
            name = word + _start_of(field.name, most)
            yield [number, (name, (code,)), (f" = {_quoted(field.value, most)}", ()), note]

    return rows


def _event(layers: Layers, most: int) -> Callable[[Block], Iterator[Row]]:
    def rows(block: Block) -> Iterator[Row]:
        yield [
            (f"{_start_of(block.type, most)} ", (GREEN,)),
            (_quoted(block.data, most), ()),
            (f" id {_quoted(block.last_event_id, most)}" if block.last_event_id else "", ()),
        ]
        made = f"of {_numbered(block.lines)}, dispatched by blank line {block.blank}"
        yield [(f"    {made}, due with byte {block.at} in chunk {block.chunk} of {len(layers.chunks)}", (DIM,))]

    return rows


def _state(layers: Layers, most: int) -> Iterator[Row]:
    if layers.discarded:
        yield [(f"discarded: {_numbered(layers.discarded)}, with no blank line behind", (YELLOW,))]
    yield [(f"at the end: last event ID {_quoted(layers.last_event_id, most)}", ())]
    if layers.retries:
        shown = ", ".join(_start_of(one, most) for one in layers.retries[-_END_ROWS:])
        left_out = len(layers.retries) - _END_ROWS
        more = f"… {left_out:,} more …, " if left_out > 0 else ""
        yield [(f"reconnection times in ms, in order: {more}{shown}", ())]


def _start_of(text: str, most: int) -> str:
    """The start of a text, visible, and how many characters are left out."""
    return show(text) if len(text) <= most else f"{show(text[:most])}… {len(text) - most:,} more"


def _quoted(text: str, most: int) -> str:
    return f'"{_start_of(text, most)}"'


def _numbered(lines: Sequence[int]) -> str:
    """Lines 1-3, 5."""
    spans: list[list[int]] = []
    for number in lines:
        if spans and number == spans[-1][1] + 1:
            spans[-1][1] = number
        else:
            spans.append([number, number])
    said = ", ".join(f"{first}" if first == last else f"{first}-{last}" for first, last in spans)
    return f"line {said}" if len(lines) == 1 else f"lines {said}"
