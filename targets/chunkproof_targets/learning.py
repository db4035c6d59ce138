"""What calibration learns beyond the events themselves: reconnection times, and the parser's own state."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .extract import Snapshot, Update
from .state import State
from .texts import as_text
from .times import Unit, digits_of, unit_of

__all__ = ["find_event_retry", "find_state", "find_updates"]

# The last event ID string of the standard: no other name is read as state, since "id" may be a block's own.
_LAST_ID_NAMES = ("last_event_id", "lastEventId")
_RETRY_NAMES = ("retry", "retries", "retry_ms", "reconnection_time", "reconnect_time", "reconnect_delay", "retry_delay")


def find_updates(rest: Iterable[Snapshot], times: Sequence[int], tag: Any) -> Update | None:
    """The items, no events themselves, that show each reconnection time in order; None where there are none."""
    rest = list(rest)
    for item in rest:
        for name, value in item.values.items():
            unit = unit_of(value, times[0])
            if unit is None:
                continue
            update = Update(item.cls, item.kind, name, unit, tag, item.values.get(tag) if tag is not None else None)
            same = [other.values.get(name) for other in rest if other.cls is item.cls]
            shown = [value for value in same if any(unit_of(value, time) == unit for time in times)]
            if len(shown) == len(times) and all(unit_of(v, t) == unit for v, t in zip(shown, times, strict=True)):
                return update
    return None


def find_event_retry(events: Iterable[tuple[Snapshot, int | None]]) -> tuple[Any, Unit, str | None]:
    """The field of an event that shows the reconnection time of its block, its unit, and what it shows before any.

    The field is None where there is none: where an event sets no time, all of them must show the same.
    """
    events = list(events)
    setting = [(item, time) for item, time in events if time is not None]
    for item, time in setting:
        for name in sorted(item.values, key=lambda n: n not in _RETRY_NAMES):
            unit = unit_of(item.values[name], time)
            if unit is None:
                continue
            starts = {digits_of(other.values.get(name), unit) for other, none in events if none is None}
            if len(starts) == 1:
                return name, unit, starts.pop()
    return None, "ms", None


def find_state(
    fresh: Mapping[str, Any],
    after_id: Mapping[str, Any],
    last_id: str,
    after_retry: Mapping[str, Any],
    times: Sequence[int],
) -> State:
    """The attributes of the parser that changed as the streams demand."""
    id_name = next((n for n in _LAST_ID_NAMES if as_text(after_id.get(n)) == last_id and not fresh.get(n)), None)
    for name in sorted(after_retry, key=lambda n: n not in _RETRY_NAMES):
        value = after_retry[name]
        if isinstance(value, (list, tuple)):
            units = [unit_of(v, t) for v, t in zip(value, times, strict=False)]
            if len(value) == len(times) and units[0] is not None and set(units) == {units[0]} and not fresh.get(name):
                return State(id_name, name, "list", units[0])
    for name in sorted(after_retry, key=lambda n: n not in _RETRY_NAMES):
        unit = unit_of(after_retry[name], times[-1])
        if unit is not None and unit_of(fresh.get(name), times[-1]) is None:
            return State(id_name, name, "value", unit)
    return State(id_name)
