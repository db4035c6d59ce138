"""A wire on a terminal, with its cuts drawn in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .paint import BOLD, DIM, RED, Paint
from .visible import BAR, WireRow, clip, count_of, folded, units, wire_rows

__all__ = ["draw_wire"]

# A wire is shown whole up to so many rows, and a row up to so many columns; of a longer one the start and the end.
_ROWS_MAX = 24
_ROW_MAX = 200


def draw_wire(name: str, wire: bytes, cuts: Sequence[int], width: int, paint: Paint) -> Iterator[str]:
    """The lines: how large it is under this name, then what is in it, with a bar at each cut."""
    yield f"{name}: {count_of(len(wire), 'byte')} in {count_of(len(cuts) + bool(wire), 'chunk')}"
    rows = wire_rows(wire, tuple(cuts))
    head = _ROWS_MAX // 2
    left_out = len(rows) - 2 * head
    for at, row in enumerate(rows):
        if left_out <= 0 or at < head or at >= len(rows) - head:
            yield from (f"    {line}" for line in _wire_row(row, width - 4, paint))
        elif at == head:
            size = sum(bytes_ for row in rows[head : len(rows) - head] for _, bytes_ in row.pieces)
            yield paint(f"    … {count_of(size, 'byte')} in {count_of(left_out, 'line')} …", DIM)


def _wire_row(row: WireRow, width: int, paint: Paint) -> Iterator[str]:
    end = len(row.pieces) if len(row.pieces) <= _ROW_MAX else _ROW_MAX // 3
    lines = list(folded("".join(piece for piece, _ in row.pieces[:end]), width))
    if end < len(row.pieces):
        size = sum(bytes_ for _, bytes_ in row.pieces[end:-end])
        yield from (_bars(line, paint) for line in lines)
        yield paint(f"… {count_of(size, 'byte')} …", DIM)
        lines = list(folded("".join(piece for piece, _ in row.pieces[-end:]), width))
    *most, last = lines
    yield from (_bars(line, paint) for line in most)
    note = f"   ({clip(' '.join(row.apart), 20)} cut)" if row.apart else ""
    yield _bars(last, paint) + paint(note, DIM)


def _bars(row: str, paint: Paint) -> str:
    return "".join(paint(unit, BOLD, RED) if unit == BAR else unit for unit in units(row))
