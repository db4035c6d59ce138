"""Calibration: a few small streams, and where type, data, id and reconnection time came back.

Every event of these streams holds a JSON object (a target may decode it), every line ends in LF and every chunk at the
end of a block, so that parsers with most known faults still show what they show. Nothing here is a verdict: what
calibration does not find is not judged, and a target that shows no event at all cannot be used.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from .contract import Shows
from .drivers import Driver
from .extract import Kind, Snapshot, View, snapshot

__all__ = ["STREAMS", "Finding", "Stream", "Trial", "learn", "try_driver"]

TYPE_NAMES = ("type", "event", "event_type", "eventType", "event_name", "name", "kind")
DATA_NAMES = ("data", "value", "payload", "text", "message", "content", "body")
LAST_ID_NAMES = ("last_event_id", "lastEventId", "last_id")
ID_NAMES = ("id", "event_id", "eventId")


class Expected(NamedTuple):
    """An event of a calibration stream; what its block does not set is None."""

    data: str
    type: str | None = None
    id: str | None = None
    retry: int | None = None


@dataclass(frozen=True)
class Stream:
    """Chunks, each one whole block, and the events in them."""

    chunks: tuple[bytes, ...]
    events: tuple[Expected, ...]


STREAMS = (
    # Data alone: what even a parser that knows nothing else shows.
    Stream(
        (b'data: {"delta":"one"}\n\n', b'data: {"delta":"two"}\n\n', b'data: {"delta":"three"}\n\n'),
        (Expected('{"delta":"one"}'), Expected('{"delta":"two"}'), Expected('{"delta":"three"}')),
    ),
    Stream(
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
    Stream(
        (b'data: {"delta":"seven"}\n\n', b"retry: 1234\n\n", b'retry: 5678\ndata: {"delta":"eight"}\n\n'),
        (Expected('{"delta":"seven"}'), Expected('{"delta":"eight"}', retry=5678)),
    ),
)


@dataclass
class Trial:
    """What one driver did on one stream."""

    stream: Stream
    items: list[Snapshot] = field(default_factory=list)
    parser: Any = None
    failure: BaseException | None = None


@dataclass
class Finding:
    """What one driver showed on all streams, and how it is read."""

    driver: Driver
    trials: list[Trial]
    view: View | None = None
    shows: Shows = field(default_factory=Shows)
    matched: int = 0
    extra: int = 0

    @property
    def perfect(self) -> bool:
        """Every expected event, and nothing else."""
        return self.matched == sum(len(stream.events) for stream in STREAMS) and not self.extra


def try_driver(driver: Driver, units_of: Any) -> Finding:
    """Run a driver over the calibration streams and learn how its items are read."""
    trials = []
    for stream in STREAMS:
        trial = Trial(stream)
        units, _ = units_of(stream.chunks)

        def keep(item: Any, taken: int, items: list[Snapshot] = trial.items) -> None:
            items.append(snapshot(item))

        trial.parser, trial.failure = driver.drive(units, keep, lambda delivery: None)
        trials.append(trial)
    finding = Finding(driver, trials)
    learn(finding)
    return finding


def learn(finding: Finding) -> None:
    """Find the data of the events first, then, on the events found, all else."""
    place = _find_data(finding.trials)
    if place is None:
        return
    kind, name, form = place
    pairs = list(_pairs(finding.trials, kind, name, form))
    classes = frozenset(item.cls for item, _ in pairs)
    others = frozenset(i.cls for t in finding.trials for i in t.items) - classes
    type_ = _find(pairs, "type", TYPE_NAMES, {name})
    id_ = _find(pairs, "id", (*LAST_ID_NAMES, *ID_NAMES), {name, type_})
    finding.view = View(kind, name, form, type_, id_, None, "ms", classes, others)
    finding.shows = Shows(type=type_ is not None, data=form, last_event_id=id_ is not None)
    finding.matched = len({(id(event), event) for _, event in pairs})
    finding.extra = sum(item.cls in classes for t in finding.trials for item in t.items) - finding.matched


def _matches(value: Any, text: str) -> Literal["text", "json"] | None:
    if isinstance(value, (bytes, bytearray, memoryview)):
        value = bytes(value).decode("utf-8", "replace")
    if isinstance(value, str):
        return "text" if value == text else None
    return "json" if isinstance(value, dict) and value == json.loads(text) else None


def _find_data(trials: Iterable[Trial]) -> tuple[Kind, Any, Literal["text", "json"]] | None:
    votes: dict[tuple[Kind, Any, Literal["text", "json"]], int] = {}
    for trial in trials:
        for item in trial.items:
            for name, value in item.values.items():
                for event in trial.stream.events:
                    form = _matches(value, event.data)
                    if form:
                        votes[item.kind, name, form] = votes.get((item.kind, name, form), 0) + 1
    known = {name: -rank for rank, name in enumerate(DATA_NAMES)}
    return max(votes, key=lambda p: (votes[p], known.get(p[1], -99), p[2] == "text"), default=None)


def _pairs(trials: Iterable[Trial], kind: Kind, name: Any, form: str) -> Iterable[tuple[Snapshot, Expected]]:
    for trial in trials:
        left = list(trial.stream.events)
        for item in trial.items:
            for event in left:
                if item.kind == kind and name in item.values and _matches(item.values[name], event.data) == form:
                    yield item, event
                    left.remove(event)
                    break


def _find(pairs: Sequence[tuple[Snapshot, Expected]], what: str, known: Sequence[str], taken: set[Any]) -> Any:
    """The name under which every block that sets a field shows it: a known name, or else any other."""
    setting = [(item, getattr(event, what)) for item, event in pairs if getattr(event, what) is not None]
    if not setting:
        return None
    names = [name for name in (*known, *setting[0][0].values) if name not in taken]
    for name in names:
        if all(_text(item.values.get(name)) == value for item, value in setting):
            return name
    return None


def _text(value: Any) -> Any:
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value).decode("utf-8", "replace")
    return value
