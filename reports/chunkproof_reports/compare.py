"""Expected beside actual: events that belong together in one row, and the end state where it differs."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import NamedTuple

from .results import EventRecord, OutcomeRecord
from .visible import show

__all__ = ["Side", "compare"]

# Of a longer value the surroundings of the first difference are shown.
_VALUE_MAX = 60
_VALUE_BEFORE = 20
# Rows that are alike are shown up to so many in a row.
_ALIKE_MAX = 4
# Beyond so many events they are set side by side by their place alone.
_ALIGNED_MAX = 400


class Side(NamedTuple):
    """One cell of the comparison: visible text, or empty."""

    text: str


_Pair = tuple[EventRecord | None, EventRecord | None]


def compare(expected: OutcomeRecord, actual: OutcomeRecord) -> list[tuple[Side, Side, bool]]:
    """The rows: expected, actual, and whether they differ."""
    rows = list(_event_rows(expected, actual))
    if not rows and not actual.failure:
        rows.append((Side("no event"), Side("no event"), False))
    rows += _state_rows(expected, actual)
    if expected.failure or actual.failure:
        rows.append(
            (Side(show(expected.failure) or "no exception"), Side(show(actual.failure) or "no exception"), True)
        )
    return rows


def _event_rows(expected: OutcomeRecord, actual: OutcomeRecord) -> Iterator[tuple[Side, Side, bool]]:
    pairs = list(_pairs(expected.events, actual.events))
    alike = 0
    for at, (left, right) in enumerate(pairs):
        differs = left != right
        alike = 0 if differs else alike + 1
        if alike <= _ALIKE_MAX // 2 or _differs_soon(pairs, at):
            yield Side(_event(left, right)), Side(_event(right, left)), differs
        elif alike == _ALIKE_MAX // 2 + 1:
            count = _run_of_alike(pairs, at) - 1 if at + 1 < len(pairs) else 1
            yield Side(f"… {max(count, 1)} alike …"), Side(""), False


def _differs_soon(pairs: list[_Pair], at: int) -> bool:
    return any(left != right for left, right in pairs[at : at + 2])


def _run_of_alike(pairs: list[_Pair], at: int) -> int:
    count = 0
    while at + count < len(pairs) and pairs[at + count][0] == pairs[at + count][1]:
        count += 1
    return count


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
    if event is None:
        return "(no event)"
    parts = []
    for name, value in (("", event.type), ("data", event.data), ("id", event.last_event_id)):
        if value is None or (name == "id" and value == "" and (other is None or not other.last_event_id)):
            continue
        beside = getattr(other, {"": "type", "data": "data", "id": "last_event_id"}[name]) if other else None
        parts.append(f"{name} {_value(value, beside)}".strip())
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


def _state_rows(expected: OutcomeRecord, actual: OutcomeRecord) -> Iterator[tuple[Side, Side, bool]]:
    if expected.last_event_id is not None and expected.last_event_id != actual.last_event_id:
        yield Side(_state_id(expected.last_event_id)), Side(_state_id(actual.last_event_id)), True
    if expected.retries is not None and expected.retries != actual.retries:
        yield Side(_retries(expected.retries)), Side(_retries(actual.retries)), True


def _state_id(value: str | None) -> str:
    return f"last event ID at the end {_value(value, None)}" if value is not None else "last event ID not shown"


def _retries(values: tuple[str, ...] | None) -> str:
    if not values:
        return "no retry set"
    return "retry " + ", ".join(
        show(v) if len(v) <= _VALUE_MAX else f"{show(v[:20])}… ({len(v):,} digits)" for v in values
    )
