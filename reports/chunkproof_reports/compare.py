"""Expected beside actual: events that belong together in one row, and the end state where it differs."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import groupby
from typing import NamedTuple

from chunkproof_targets.contract import DEFAULT_TYPE

from .results import EventRecord, OutcomeRecord
from .visible import show

__all__ = ["Row", "compare", "exceptions"]

# Of a longer value the surroundings of the first difference are shown.
_VALUE_MAX = 40
_VALUE_BEFORE = 12
# So many rows in a row are shown; of more the first and the last.
_ALIKE_MAX = 4
_DIFFERING_MAX = 12
# Beyond so many events they are set side by side by their place alone.
_ALIGNED_MAX = 400


class Row(NamedTuple):
    """What is expected beside what came, as visible text, and whether they differ."""

    expected: str
    actual: str
    differs: bool


_Pair = tuple[EventRecord | None, EventRecord | None]


def compare(expected: OutcomeRecord, actual: OutcomeRecord) -> list[Row]:
    """The events that belong together, row by row; then the end state, where it differs."""
    rows = list(_event_rows(expected, actual)) or [Row("no event", "no event", False)]
    rows += _state_rows(expected, actual)
    return rows


def exceptions(expected: OutcomeRecord, actual: OutcomeRecord) -> tuple[str, bool]:
    """What was raised, as one line of visible text or none, and whether that is the difference."""
    if actual.failure:
        return f"raised {show(actual.failure)}", not expected.failure
    return (f"not raised: {show(expected.failure)}", True) if expected.failure else ("", False)


def _event_rows(expected: OutcomeRecord, actual: OutcomeRecord) -> Iterator[Row]:
    for differs, group in groupby(_pairs(expected.events, actual.events), lambda pair: pair[0] != pair[1]):
        pairs = list(group)
        most = _DIFFERING_MAX if differs else _ALIKE_MAX
        for at, (left, right) in enumerate(pairs):
            if len(pairs) <= most or at < most // 2 or at >= len(pairs) - most // 2:
                yield Row(_event(left, right), _event(right, left), differs)
            elif at == most // 2:
                count = f"… {len(pairs) - most // 2 * 2:,} more …"
                yield Row(count, count, differs)


def _pairs(expected: tuple[EventRecord, ...], actual: tuple[EventRecord, ...]) -> Iterator[_Pair]:
    if len(expected) == len(actual) or max(len(expected), len(actual)) > _ALIGNED_MAX:
        for at in range(max(len(expected), len(actual))):
            yield (expected[at] if at < len(expected) else None, actual[at] if at < len(actual) else None)
        return
    matcher = SequenceMatcher(None, expected, actual, autojunk=False)
    for _, left, left_end, right, right_end in matcher.get_opcodes():
        for at in range(max(left_end - left, right_end - right)):
            yield (
                expected[left + at] if left + at < left_end else None,
                actual[right + at] if right + at < right_end else None,
            )


def _event(event: EventRecord | None, other: EventRecord | None) -> str:
    """One event beside the other. The default type and the empty ID are said only where they are the difference."""
    if event is None:
        return "(no event)"
    beside = event if other is None else other
    parts = []
    if event.type is not None and (event.type != DEFAULT_TYPE or beside.type != DEFAULT_TYPE):
        parts.append(f"type {_value(event.type, beside.type)}")
    if event.data is not None:
        parts.append(f"data {_value(event.data, beside.data)}")
    if event.last_event_id is not None and (event.last_event_id or beside.last_event_id):
        parts.append(f"id {_value(event.last_event_id, beside.last_event_id)}")
    if event.after_chunk is not None:
        parts.append(f"after chunk {event.after_chunk:,}")
    return "  ".join(parts)


def _value(value: str, other: str | None) -> str:
    if len(value) <= _VALUE_MAX:
        return f'"{show(value)}"'
    at = 0
    if other is not None and other != value:
        at = next(
            (n for n, (a, b) in enumerate(zip(value, other, strict=False)) if a != b), min(len(value), len(other))
        )
    start = max(0, min(at - _VALUE_BEFORE, len(value) - _VALUE_MAX))
    shown = show(value[start : start + _VALUE_MAX])
    before, after = "…" if start else "", "…" if start + _VALUE_MAX < len(value) else ""
    return f'"{before}{shown}{after}" ({len(value):,} characters)'


def _state_rows(expected: OutcomeRecord, actual: OutcomeRecord) -> Iterator[Row]:
    if expected.last_event_id is not None and expected.last_event_id != actual.last_event_id:
        yield Row(_state_id(expected.last_event_id), _state_id(actual.last_event_id), True)
    if expected.retries is not None and expected.retries != actual.retries:
        yield Row(_retries(expected.retries), _retries(actual.retries), True)
    if expected.note != actual.note:
        yield Row(show(expected.note), show(actual.note), True)


def _state_id(value: str | None) -> str:
    return f"last event ID at the end {_value(value, None)}" if value is not None else "last event ID not shown"


def _retries(values: tuple[str, ...] | None) -> str:
    if not values:
        return "no retry set"
    return "retry " + ", ".join(
        show(v) if len(v) <= _VALUE_MAX else f"{show(v[:20])}… ({len(v):,} digits)" for v in values
    )
