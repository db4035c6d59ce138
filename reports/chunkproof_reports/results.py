"""The results of a run: the schema that everything writes and every reporter reads.

All of it is data that JSON can hold, so that results cross processes, machines and versions. Bytes are written as hex.
``VERSION`` changes when a reader of the old form could misread the new one; fields may be added without.
"""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

__all__ = [
    "VERSION",
    "Counterexample",
    "DeviationRecord",
    "DiagnosisRecord",
    "EventRecord",
    "Kind",
    "OutcomeRecord",
    "Results",
    "RuleResult",
    "Severity",
    "Status",
    "StreamRecord",
    "TargetRecord",
]

VERSION = 1

T = TypeVar("T")

#: The last two are of rules with a stored failure: it fails as it did, or does not fail any more.
Status = Literal["held", "broken", "not judged", "fault", "known", "stale"]
Severity = Literal["must", "should", "info"]
#: In what way an outcome differs: the first of these that holds. The first four end the run or its process; the last
#: five are of rules on delivery: an event is late; an error does not arrive; a chunk is taken that nobody asked for,
#: written to, or its source left open.
StoppedKind = Literal["hung", "died", "memory", "output"]
OutcomeKind = Literal["raised", "lost", "extra", "changed", "state"]
DeliveryKind = Literal["late", "swallowed", "greedy", "spoilt", "open"]
# None of an outcome: time, or memory, grew as it must not.
MeasuredKind = Literal["slow", "kept"]
Kind = Literal[StoppedKind, OutcomeKind, DeliveryKind, MeasuredKind]


@dataclass(frozen=True, slots=True)
class StreamRecord:
    """A wire and the offsets at which it was cut."""

    wire: str
    cuts: tuple[int, ...] = ()

    @classmethod
    def of(cls, wire: bytes, cuts: tuple[int, ...]) -> StreamRecord:
        """From the bytes themselves."""
        return cls(wire.hex(), tuple(cuts))

    @property
    def data(self) -> bytes:
        """The bytes of the wire."""
        return bytes.fromhex(self.wire)


@dataclass(frozen=True, slots=True)
class EventRecord:
    """An event as it is shown; None where the target does not show that field.

    ``retry`` is set only for targets that show reconnection times on their events; ``after_chunk``, where that is the
    point, is the chunk (from 1) that the event was due with, or came out with.
    """

    type: str | None
    data: str | None
    last_event_id: str | None
    retry: str | None = None
    after_chunk: int | None = None


@dataclass(frozen=True, slots=True)
class OutcomeRecord:
    """Events and end state; None where the target does not show it. ``failure`` is one line, or empty.

    ``note`` is what else is to be seen, in words, or empty: of a chunk, the source or the consumer.
    """

    events: tuple[EventRecord, ...]
    last_event_id: str | None = None
    retries: tuple[str, ...] | None = None
    failure: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Counterexample:
    """The smallest stream found on which the target differs from the standard.

    ``streams`` is one wire, or several of which the last is judged; ``others`` says how the ones before it are run.
    ``token`` replays it; ``token_file`` is the path of the file it was written to where it is too long to be pasted.
    ``stdout`` and ``stderr`` are the end of what the target printed on it. ``unshrunk`` is the stream that was found
    first, where it is not too long: a smaller one may fail for another reason.
    """

    kind: Kind
    streams: tuple[StreamRecord, ...]
    expected: OutcomeRecord
    actual: OutcomeRecord
    token: str
    token_file: str = ""
    others: str = "run before"
    traceback: str = ""
    stdout: str = ""
    stderr: str = ""
    unshrunk: StreamRecord | None = None

    @property
    def measured(self) -> bool:
        """Whether it is a measure that differs: ``failure`` of both sides then says what was to be, and what was."""
        return self.kind in ("slow", "kept")


@dataclass(frozen=True, slots=True)
class RuleResult:
    """What one rule found of one target.

    ``checks`` counts chunkings of streams that were run and compared; ``seconds`` is the wall time of the rule.
    ``case_of`` is set where the rule is a stored stream: the rule that it is a case of.
    ``reason`` says why a rule was not judged or held after fewer checks, which known failure it is or was, or holds the
    traceback of a fault of ours.
    """

    id: str
    target: str
    requirement: str
    clause: str
    severity: Severity
    status: Status
    wpt: str = ""
    since: str = ""
    case_of: str = ""
    checks: int = 0
    streams: int = 0
    seconds: float = 0.0
    reason: str = ""
    advice: str = ""
    counterexample: Counterexample | None = None

    @property
    def fails(self) -> bool:
        """Whether this breaks the run: a broken must or should, or a known failure that is none; info never does."""
        return self.status == "stale" or (self.status == "broken" and self.severity != "info")

    @property
    def judged(self) -> bool:
        """Whether something was said of the target."""
        return self.status in ("held", "broken", "known", "stale")

    def to_data(self) -> dict[str, Any]:
        """As JSON holds it."""
        return dataclasses.asdict(self)

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> RuleResult:
        """From what `to_data` gave, perhaps through JSON and in another release: unknown fields are passed over."""
        found = data.get("counterexample")
        return _made(cls, data, counterexample=_counterexample(found) if found else None)


@dataclass(frozen=True, slots=True)
class TargetRecord:
    """Which target was run: its name, how it was driven, what it shows and how it was found.

    ``declared`` are the departures that it declares, ``baseline`` the file of its known failures, or empty.
    """

    name: str
    shape: str
    shows: str
    found: str
    declared: tuple[str, ...] = ()
    baseline: str = ""


@dataclass(frozen=True, slots=True)
class DeviationRecord:
    """One deviation of a target: what it does, what a user sees of it, what it departs from, and how to mend it.

    ``rules`` are the broken rules that it explains, ``token`` a counterexample, ``equals`` other deviations that
    explain all that was seen as well. ``declared`` ones are part of the target's profile. ``measured`` ones show in no
    outcome: they are what the catalogue has of parsers that break the rule, and the target's fault may be another.
    ``against`` is the token of a stream on which it would show, and the target does as the standard says: it is so at
    times, or in another form.
    """

    name: str
    what: str
    symptom: str
    clause: str
    mend: str
    reports: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    token: str = ""
    equals: tuple[str, ...] = ()
    declared: bool = False
    measured: bool = False
    against: str = ""


@dataclass(frozen=True, slots=True)
class DiagnosisRecord:
    """What a target behaves like: the reference parser with these deviations.

    ``outcomes`` were seen, of which ``explained`` come out so too; ``fresh`` of them are of streams made to check it.
    ``unexplained`` is the token of the smallest one that does not come out so, ``rules_unexplained`` the broken rules
    that nothing here stands for. ``stale`` are declared deviations that the target does not have, as some stream shows;
    ``otherwise`` are those without which all is explained that would show them, ``undecided`` those that nothing seen
    speaks for or against. ``cut_short``: the time was up before the search.
    """

    target: str
    deviations: tuple[DeviationRecord, ...]
    outcomes: int
    explained: int
    fresh: int = 0
    unexplained: str = ""
    rules_unexplained: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()
    otherwise: tuple[str, ...] = ()
    undecided: tuple[str, ...] = ()
    cut_short: bool = False

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> DiagnosisRecord:
        """From JSON."""
        deviations = tuple(_made(DeviationRecord, _tuples(one)) for one in data["deviations"])
        return _made(cls, _tuples(data), deviations=deviations)


def _tuples(data: dict[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in data.items()}


@dataclass(slots=True)
class Results:
    """A whole run: what `--chunkproof-report=FILE.json` writes."""

    chunkproof: str
    effort: str
    seed: str
    targets: list[TargetRecord] = field(default_factory=list)
    diagnoses: list[DiagnosisRecord] = field(default_factory=list)
    rules: list[RuleResult] = field(default_factory=list)

    def to_json(self) -> str:
        """The file's text."""
        return json.dumps({"version": VERSION, **dataclasses.asdict(self)}, ensure_ascii=False, indent=1) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Results:
        """Read a file's text; ValueError where it is not of this version, or not whole."""
        data = json.loads(text)
        if not isinstance(data, dict) or data.get("version") != VERSION:
            found = data.get("version") if isinstance(data, dict) else type(data).__name__
            raise ValueError(
                f"not a chunkproof report of version {VERSION}: found {found!r}; write it again with this release"
            )
        try:
            return _made(
                cls,
                data,
                targets=[_made(TargetRecord, _tuples(target)) for target in data["targets"]],
                rules=[RuleResult.from_data(rule) for rule in data["rules"]],
                diagnoses=[DiagnosisRecord.from_data(one) for one in data.get("diagnoses", [])],
            )
        except KeyError as error:
            raise ValueError(f"not a whole chunkproof report: it lacks {error}; write it again") from None


def _made(kind: type[T], data: dict[str, Any], **read: Any) -> T:
    """An object of its fields; what a later release added is passed over, KeyError names what must be there."""
    values = {**data, **read}
    made = {}
    for one in dataclasses.fields(kind):  # type: ignore[arg-type]
        if one.name in values:
            made[one.name] = values[one.name]
        elif one.default is one.default_factory is dataclasses.MISSING:
            raise KeyError(one.name)
    return kind(**made)


def _counterexample(data: dict[str, Any]) -> Counterexample:
    unshrunk = data.get("unshrunk")
    streams = tuple(_made(StreamRecord, stream, cuts=tuple(stream["cuts"])) for stream in data["streams"])
    return _made(
        Counterexample,
        data,
        streams=streams,
        unshrunk=_made(StreamRecord, unshrunk, cuts=tuple(unshrunk["cuts"])) if unshrunk else None,
        expected=_outcome(data["expected"]),
        actual=_outcome(data["actual"]),
    )


def _outcome(data: dict[str, Any]) -> OutcomeRecord:
    events = tuple(_made(EventRecord, event) for event in data["events"])
    retries = data.get("retries")
    return _made(OutcomeRecord, data, events=events, retries=None if retries is None else tuple(retries))
