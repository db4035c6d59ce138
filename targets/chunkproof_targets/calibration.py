"""Calibration: a few small streams, and where type, data, id and reconnection time came back.

Every event of these streams holds a JSON object (a target may decode it), every line ends in LF and every chunk at the
end of a block, so that parsers with most known faults still show what they show. Nothing here is a verdict: what
calibration does not find is not judged, and a target that shows no event at all cannot be used.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, Literal, NamedTuple

from .contract import RetryShown, Shows, TargetHung
from .drivers import AsyncFound, Driver
from .extract import ItemKind, Snapshot, Update, View, attributes, snapshot
from .learning import find_event_retry, find_state, find_updates
from .limits import time_limit
from .state import State
from .texts import plain, same
from .times import Unit, digits_of

__all__ = ["SAMPLES", "Reading", "Sample", "Trial", "UnitsOf", "learn", "settle", "try_driver"]

UnitsOf = Callable[[Sequence[bytes]], tuple[Sequence[Any], "list[int] | None"]]

_ITEMS_MAX = 1000
_SECONDS_MAX = 5.0

TYPE_NAMES = ("type", "event", "event_type", "eventType", "event_name", "name", "kind")
DATA_NAMES = ("data", "value", "payload", "text", "message", "content", "body")
LAST_ID_NAMES = ("last_event_id", "lastEventId", "last_id")
ID_NAMES = ("id", "event_id", "eventId")


class Place(NamedTuple):
    """Where data stands on an item, and in what form; ``exact`` is False where more than the data stands there."""

    kind: ItemKind
    name: Any
    form: Literal["text", "json"]
    exact: bool


class Expected(NamedTuple):
    """An event of a calibration stream; what its block does not set is None."""

    data: str
    type: str | None = None
    id: str | None = None
    retry: int | None = None


@dataclass(frozen=True)
class Sample:
    """Chunks, each one whole block, and the events in them."""

    chunks: tuple[bytes, ...]
    events: tuple[Expected, ...]


SAMPLES = (
    # Data alone: what even a parser that knows nothing else shows.
    Sample(
        (b'data: {"delta":"one"}\n\n', b'data: {"delta":"two"}\n\n', b'data: {"delta":"three"}\n\n'),
        (Expected('{"delta":"one"}'), Expected('{"delta":"two"}'), Expected('{"delta":"three"}')),
    ),
    Sample(
        (
            b": a comment\n\n",
            b'event: first-kind\nid: id-7\ndata: {"delta":"four"}\n\n',
            b'data: {"delta":"five"}\n\n',
            b'event: second-kind\nunknown: x\ndata: {"delta":"six"}\n\n',
            b": a comment\n\n",
        ),
        (
            Expected('{"delta":"four"}', "first-kind", "id-7"),
            Expected('{"delta":"five"}'),
            Expected('{"delta":"six"}', "second-kind"),
        ),
    ),
    Sample(
        (b'data: {"delta":"seven"}\n\n', b"retry: 1234\n\n", b'retry: 5678\ndata: {"delta":"eight"}\n\n'),
        (Expected('{"delta":"seven"}'), Expected('{"delta":"eight"}', retry=5678)),
    ),
)

_NOT_JSON = Sample((b'data: {"delta":"one"}\n\n', b"data: not JSON\n\n", b'data: {"delta":"two"}\n\n'), ())
_TIME_BEHIND = Sample((b'data: {"delta":"one"}\n\nretry: 1234\n\ndata: {"delta":"two"}\n\n',), ())
# A parser that waits whether an LF follows its last CR is told here, or never, that none does; and nothing else is
# to come out at the end.
_HELD = Sample((b'data: {"delta":"one"}\r\r',), (Expected('{"delta":"one"}'),))
_UNFINISHED = Sample((b'data: {"delta":"one"}\n',), ())
_LAST_ID = "id-7"
_TIMES = (1234, 5678)


@dataclass
class Trial:
    """What one driver did on one stream; ``parser`` is a copy of the parser's public attributes at its end."""

    sample: Sample
    items: list[Snapshot] = field(default_factory=list)
    parser: dict[str, Any] = field(default_factory=dict)
    failure: BaseException | None = None


@dataclass
class Reading:
    """What one driver showed on all streams, and how it is read.

    ``matched`` and ``extra`` count expected events that came out, and events that nobody expects.
    """

    driver: Driver
    trials: list[Trial] = field(default_factory=list)
    view: View | None = None
    pairs: list[tuple[Snapshot, Expected]] = field(default_factory=list)
    shows: Shows = field(default_factory=Shows)
    state: State = field(default_factory=State)
    updates: Update | None = None
    matched: int = 0
    extra: int = 0

    @property
    def failures(self) -> int:
        """The number of streams that it did not get through."""
        return sum(trial.failure is not None for trial in self.trials)

    @property
    def hung(self) -> bool:
        """Whether it did not come to an end."""
        return any(isinstance(trial.failure, TargetHung) for trial in self.trials)

    @property
    def score(self) -> tuple[int, int]:
        """What the best of several drivers has most of: events, and streams that it got through."""
        return self.matched - self.extra, -self.failures

    @property
    def perfect(self) -> bool:
        """Every expected event, and nothing else."""
        return self.score == (sum(len(sample.events) for sample in SAMPLES), 0)


def try_driver(driver: Driver, units_of: UnitsOf) -> Reading:
    """Run a driver over the calibration streams, and learn how its items are read."""
    reading = Reading(driver)
    for sample in SAMPLES:
        trial = _trial(driver, sample, units_of)
        if isinstance(trial.failure, AsyncFound) and not driver.is_async:
            driver.is_async = True
            trial = _trial(driver, sample, units_of)
        reading.trials.append(trial)
        if reading.hung:
            break
    if not any(isinstance(trial.failure, AsyncFound) for trial in reading.trials):
        learn(reading)
    return reading


def _trial(driver: Driver, sample: Sample, units_of: UnitsOf) -> Trial:
    trial = Trial(sample)
    units, _ = units_of(sample.chunks)

    def keep(item: Any, taken: int) -> None:
        if len(trial.items) >= _ITEMS_MAX:
            raise TargetHung(f"more than {_ITEMS_MAX} items came out of {len(sample.chunks)} chunks")
        trial.items.append(snapshot(item))

    with time_limit(_SECONDS_MAX):
        parser, trial.failure = driver.drive(list(units), keep, lambda delivery: None)
    trial.parser = attributes(parser)
    return trial


def learn(reading: Reading) -> None:
    """Find the data of the events first; then, on the events found, all else."""
    place = _find_data(reading.trials, exact=True) or _find_data(reading.trials, exact=False)
    if place is None:
        return
    pairs = list(_pairs(reading.trials, place))
    classes = frozenset(item.cls for item, _ in pairs)
    items = [item for trial in reading.trials for item in trial.items]
    seen = {id(item) for item, _ in pairs}
    rest = [item for item in items if id(item) not in seen]
    others = frozenset(item.cls for item in rest) - classes
    tag, tag_value = _find_tag([item for item, _ in pairs], [item for item in rest if item.cls in classes])
    type_ = _find(pairs, "type", TYPE_NAMES, {place.name, tag})
    id_ = _find(pairs, "id", (*LAST_ID_NAMES, *ID_NAMES), {place.name, type_, tag})
    none_is_event = not any(item.cls in classes and item.values.get(place.name) is None for item in rest)
    view = View(place.kind, place.name, place.form, type_, id_, classes=classes, others=others)
    view = replace(view, tag=tag, tag_value=tag_value, none_is_event=none_is_event)
    reading.view = view
    reading.pairs = pairs
    reading.matched = len(pairs)
    reading.extra = sum(view.counts(item) for item in rest)
    reading.updates = find_updates((item for item in rest if not view.counts(item)), _TIMES, tag)


def settle(reading: Reading, units_of: UnitsOf) -> None:
    """Of the driver that was chosen: what state it shows, where reconnection times are seen, whether JSON is a must."""
    view, driver = reading.view, reading.driver
    assert view is not None
    parser, _ = driver.drive(units_of(())[0], lambda item, taken: None, lambda delivery: None)
    fresh = attributes(parser)
    after = [trial.parser for trial in reading.trials] + [{}] * len(SAMPLES)
    state = find_state(fresh, after[1], _LAST_ID, after[2], _TIMES)
    name, unit, start = find_event_retry((item, event.retry) for item, event in reading.pairs)
    if name is not None and not _shows_start(reading, units_of, name, unit, start):
        name, start = None, None
    retry: RetryShown | None = None
    if reading.updates is not None or (state.retry is not None and state.retry_form == "list"):
        retry, name = "updates", None
    elif name is not None:
        retry = "event"
    elif state.retry is not None:
        retry = "state"
    if retry == "event" or reading.updates is not None:
        state = State(state.last_event_id)
    reading.state = state
    if state.last_event_id is not None and _shows_own_id(reading.pairs, view.id):
        view = replace(view, id=None)
    reading.view = replace(view, retry=name, unit=unit, retry_start=start)
    in_force = state.retries(parser) if retry == "state" else ()
    reading.shows = Shows(
        type=view.type is not None,
        data=view.form,
        json_only=view.form == "json" and not _takes_text(reading, units_of),
        last_event_id=view.id is not None,
        end_last_event_id=state.last_event_id is not None,
        retry=retry,
        retry_start=start if retry == "event" else in_force[0] if in_force else None,
    )


def completes_held_line(reading: Reading, units_of: UnitsOf) -> bool:
    """Whether the end that the driver tells brings out an event whose blank line waited behind a last CR."""
    return _count(reading, _HELD, units_of) == len(_HELD.events)


def invents_at_the_end(reading: Reading, units_of: UnitsOf) -> bool:
    """Whether an unfinished event comes out at the end."""
    return _count(reading, _UNFINISHED, units_of) > 0


def _count(reading: Reading, sample: Sample, units_of: UnitsOf) -> int:
    view = reading.view
    assert view is not None
    return sum(view.counts(item) for item in _trial(reading.driver, sample, units_of).items)


def _shows_start(reading: Reading, units_of: UnitsOf, name: Any, unit: Unit, start: str | None) -> bool:
    """Whether an event ahead of a time in the same chunk does not show it: else it is the time of the chunk's end."""
    view = reading.view
    assert view is not None
    events = [item for item in _trial(reading.driver, _TIME_BEHIND, units_of).items if view.counts(item)]
    return not events or digits_of(events[0].values.get(name), unit) == start


def _shows_own_id(pairs: Iterable[tuple[Snapshot, Expected]], name: Any) -> bool:
    """Whether an event shows the ID of its own block alone, and not the one that was set before."""
    behind = False
    for item, event in pairs:
        if behind and name is not None and event.id is None:
            return not same(item.values.get(name), _LAST_ID)
        behind = behind or event.id is not None
    return False


def _takes_text(reading: Reading, units_of: UnitsOf) -> bool:
    """Whether data that is no JSON comes out as an event, and stops nothing."""
    trial = _trial(reading.driver, _NOT_JSON, units_of)
    view = reading.view
    assert view is not None
    events = [item for item in trial.items if item.kind == view.kind and item.values.get(view.data) is not None]
    return trial.failure is None and len(events) == len(_NOT_JSON.chunks)


def _find_data(trials: Iterable[Trial], *, exact: bool) -> Place | None:
    """Where most of the expected data stands; a known name counts first where two places show as much."""
    votes: Counter[Place] = Counter()
    for trial in trials:
        for item in trial.items:
            for name, value in item.values.items():
                forms = {_matches(value, event.data, exact) for event in trial.sample.events}
                votes.update(Place(item.kind, name, form, exact) for form in forms if form is not None)
    known = {name: -rank for rank, name in enumerate(DATA_NAMES)}
    return max(votes, key=lambda place: (votes[place], known.get(place.name, -99), place.form == "text"), default=None)


def _matches(value: Any, text: str, exact: bool) -> Literal["text", "json"] | None:
    value = plain(value)
    if isinstance(value, str):
        # A parser that leaves blanks and the like in its data is wrong, and can be judged all the same; what hands out
        # whole lines is no parser.
        near = not exact and text in value and "data:" not in value
        return "text" if value == text or near else None
    return "json" if isinstance(value, dict) and same(value, json.loads(text)) else None


def _pairs(trials: Iterable[Trial], place: Place) -> Iterable[tuple[Snapshot, Expected]]:
    for trial in trials:
        left = list(trial.sample.events)
        for item in trial.items:
            if item.kind != place.kind or place.name not in item.values:
                continue
            value = item.values[place.name]
            event = next((e for e in left if _matches(value, e.data, place.exact) == place.form), None)
            if event is not None:
                left.remove(event)
                yield item, event


def _find(pairs: Sequence[tuple[Snapshot, Expected]], what: str, known: Sequence[str], taken: set[Any]) -> Any:
    """The name under which every block that sets a field shows it: a known name, or else any other."""
    setting = [(item, getattr(event, what)) for item, event in pairs if getattr(event, what) is not None]
    if not setting:
        return None
    for name in (*known, *setting[0][0].values):
        if name not in taken and all(same(item.values.get(name), value) for item, value in setting):
            return name
    return None


def _find_tag(events: Sequence[Snapshot], rest: Sequence[Snapshot]) -> tuple[Any, Any]:
    """The field that is one text on every event and another on every other item of the same class."""
    if not rest:
        return None, None
    for name, value in events[0].values.items():
        if not isinstance(value, (str, Enum)) or same(value, ""):
            continue
        others = [item.values.get(name) for item in rest]
        one = all(same(item.values.get(name), value) for item in events)
        if one and all(isinstance(o, type(value)) and not same(o, "") and not same(o, value) for o in others):
            return name, value
    return None, None
