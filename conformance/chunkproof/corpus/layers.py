"""A stream in all its layers: what its bytes are, one step of the standard after another.

Each step is a small function over the whole buffer, in the words of WHATWG HTML 9.2.5 and 9.2.6. The oracle is not
asked: where both say the same, two have read the standard.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from chunkproof_reports.layers import Block, CharacterSeen, ChunkSeen, FieldSeen, Layers, LineSeen
from chunkproof_targets.contract import DEFAULT_TYPE, normal_retry

from ..question import Question
from .entry import EntryError

__all__ = ["BYTES_MAX", "layers"]

#: A longer wire is not taken apart: each of its lines may become an event.
BYTES_MAX = 512 * 1024

_MARK = b"\xef\xbb\xbf"
# Unicode, table 3-7: the well-formed sequences of several bytes, then what else begins one (the maximal subparts of
# ill-formed sequences), longest first.
_SEQUENCES = re.compile(
    rb"""(?P<whole>
        [\xc2-\xdf][\x80-\xbf]
      | \xe0[\xa0-\xbf][\x80-\xbf] | [\xe1-\xec\xee\xef][\x80-\xbf]{2} | \xed[\x80-\x9f][\x80-\xbf]
      | \xf0[\x90-\xbf][\x80-\xbf]{2} | [\xf1-\xf3][\x80-\xbf]{3} | \xf4[\x80-\x8f][\x80-\xbf]{2}
    ) | (?:
        \xe0[\xa0-\xbf] | [\xe1-\xec\xee\xef][\x80-\xbf] | \xed[\x80-\x9f]
      | \xf0[\x90-\xbf][\x80-\xbf]? | [\xf1-\xf3][\x80-\xbf]{1,2} | \xf4[\x80-\x8f][\x80-\xbf]?
      | [\x80-\xff]
    )""",
    re.VERBOSE,
)
# 9.2.5: end-of-line = ( cr lf / cr / lf ).
_LINE = re.compile(rb"([^\r\n]*)(\r\n|\r|\n|\Z)")
_ENDS = {b"\r\n": "CR LF", b"\r": "CR", b"\n": "LF", b"": ""}
_NAMES = ("data", "event", "id", "retry")
_DIGITS = re.compile("[0-9]+")


def layers(question: Question) -> Layers:
    """The layers of a stream; EntryError where it is too long to be taken apart."""
    wire, cuts = question.wire, question.cuts
    size = sum(map(len, (wire, *question.before)))
    if size > BYTES_MAX:
        raise EntryError(f"wire: it has {size:,} bytes, and {BYTES_MAX:,} are the most that are taken apart")
    lines = tuple(_lines(wire, cuts))
    fields = tuple(_field(line) for line in lines if line.end)
    events, discarded, last_event_id = _events(lines, fields, wire, cuts)
    dispatched = {event.blank: number for number, event in enumerate(events, 1)}
    sequences = list(_SEQUENCES.finditer(wire))
    ascii_bytes = len(wire) - sum(found.end() - found.start() for found in sequences)
    return Layers(
        wire=wire,
        cuts=cuts,
        chunks=tuple(_chunks(len(wire), cuts)),
        characters=tuple(_characters(sequences, cuts)),
        whole=ascii_bytes + sum(found["whole"] is not None for found in sequences),
        lines=lines,
        fields=tuple(_noted(field, dispatched) for field in fields),
        events=tuple(events),
        discarded=tuple(discarded),
        last_event_id=last_event_id,
        retries=tuple(normal_retry(one.value) for one in fields if one.name == "retry" and one.kind == "field"),
        before=question.before,
    )


def _chunks(length: int, cuts: Sequence[int]) -> Iterator[ChunkSeen]:
    # The empty wire is no chunk at all, and each cut in it is one empty chunk.
    stops = (*cuts, length) if length else tuple(cuts)
    for number, (start, stop) in enumerate(zip((0, *stops), stops, strict=False), 1):
        yield ChunkSeen(number, start, stop)


def _chunk_of(at: int, cuts: Sequence[int]) -> int:
    """The number of the chunk that holds the byte at this offset."""
    return bisect_right(cuts, at) + 1


# Bytes to characters --------------------------------------------------------------------------------------------------


def _characters(sequences: Sequence[re.Match[bytes]], cuts: Sequence[int]) -> Iterator[CharacterSeen]:
    """The sequences of several bytes that are cut, ill-formed, or the mark at the start."""
    for found in sequences:
        start, stop = found.span()
        inside = tuple(cuts[bisect_right(cuts, start) : bisect_left(cuts, stop)])
        if found["whole"] is None:
            yield CharacterSeen(start, stop, "ill-formed", inside)
        elif start == 0 and found["whole"] == _MARK:
            yield CharacterSeen(start, stop, "mark", inside)
        elif inside:
            yield CharacterSeen(start, stop, "whole", inside)


def _decoded(octets: bytes) -> str:
    """9.2.5: the UTF-8 decode algorithm: each ill-formed sequence becomes one U+FFFD."""
    return _SEQUENCES.sub(lambda found: found["whole"] or b"\xef\xbf\xbd", octets).decode()


# Characters to lines --------------------------------------------------------------------------------------------------


def _lines(wire: bytes, cuts: Sequence[int]) -> Iterator[LineSeen]:
    """The lines, and what follows the last line end. No sequence of UTF-8 holds a CR or LF: bytes can be split."""
    body = len(_MARK) if wire.startswith(_MARK) else 0
    for number, found in enumerate(_LINE.finditer(wire, body), 1):
        start, stop = found.span()
        end = _ENDS[found[2]]
        if start == stop:
            return
        cut = end == "CR LF" and bisect_left(cuts, stop - 1) < bisect_right(cuts, stop - 1)
        yield LineSeen(number, start, stop, _decoded(found[1]), end, cut)  # type: ignore[arg-type]


# Lines to fields ------------------------------------------------------------------------------------------------------


def _field(line: LineSeen) -> FieldSeen:
    """9.2.6: what a line is."""
    if line.text == "":
        return FieldSeen(line.number, "blank")
    if line.text.startswith(":"):
        return FieldSeen(line.number, "comment", value=line.text[1:])
    name, colon, value = line.text.partition(":")
    value = value.removeprefix(" ")
    if name not in _NAMES:
        return FieldSeen(line.number, "unknown", name, value, _unknown(name))
    ignored = _ignored(name, value)
    if ignored:
        return FieldSeen(line.number, "ignored", name, value, ignored)
    return FieldSeen(line.number, "field", name, value, "" if colon else "no colon: all of the line is the name")


def _unknown(name: str) -> str:
    """Why a name is none of the four, where it looks like one."""
    meant = name.strip("\ufeff \t\0").lower()
    return f"not {meant}: names are compared exactly" if meant in _NAMES else ""


def _ignored(name: str, value: str) -> str:
    """Why a field is ignored; empty where it is not."""
    if name == "id" and "\0" in value:
        return "it holds U+0000"
    if name == "retry" and value == "":
        return "empty: the standard leaves it open"
    if name == "retry" and not _DIGITS.fullmatch(value):
        return "not only ASCII digits"
    return ""


# Fields to events -----------------------------------------------------------------------------------------------------


def _events(
    lines: Sequence[LineSeen], fields: Sequence[FieldSeen], wire: bytes, cuts: Sequence[int]
) -> tuple[list[Block], list[int], str]:
    """The events, the lines of the block that no blank line follows, and the last event ID at the end."""
    events: list[Block] = []
    block: list[FieldSeen] = []
    last_event_id = ""
    for field in fields:
        if field.kind == "field":
            block.append(field)
        if field.kind != "blank":
            continue
        # The buffer is never reset: the last id of all blocks so far counts.
        last_event_id = _last(block, "id", last_event_id)
        data = [one.value for one in block if one.name == "data"]
        if data:
            line = lines[field.line - 1]
            # CR already ends a line: an LF behind it belongs to that end, and nothing waits for it.
            at = line.start
            events.append(
                Block(
                    type=_last(block, "event", "") or DEFAULT_TYPE,
                    data="\n".join(data),
                    last_event_id=last_event_id,
                    lines=tuple(one.line for one in block),
                    blank=field.line,
                    at=at,
                    chunk=_chunk_of(at, cuts),
                )
            )
        block = []
    return events, [one.line for one in block], last_event_id


def _last(block: Sequence[FieldSeen], name: str, otherwise: str) -> str:
    """The value of the last field of this name."""
    return next((one.value for one in reversed(block) if one.name == name), otherwise)


def _noted(field: FieldSeen, dispatched: dict[int, int]) -> FieldSeen:
    """A blank line with what it does."""
    if field.kind != "blank":
        return field
    number = dispatched.get(field.line)
    return FieldSeen(field.line, "blank", note=f"dispatches event {number}" if number else "no data, no event")
