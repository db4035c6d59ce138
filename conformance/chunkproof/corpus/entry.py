"""One entry of the corpus: a stream that somebody was bitten by, and what the standard makes of it.

An entry is one JSON file (`entry.schema.json` is its schema). All that is read from one is checked here: files come
from strangers. Nothing in them is executed, and nothing is built before it is known how large it becomes.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import pairwise
from typing import Any, get_args

from chunkproof_reports.results import Severity
from chunkproof_strategies.chunkings import Cuts
from chunkproof_targets.contract import Event, Outcome, TargetError
from chunkproof_targets.deviations import CATALOGUE, Deviation, find_deviation
from chunkproof_targets.deviations.deviation import Layer

from ..oracle import interpret
from ..question import Question
from ..rules import Rule, find_rule
from .unrolled import Budget, EntryError, as_list, as_number, as_object, joined, shown, unrolled

__all__ = ["VERSION", "WIRE_BYTES_MAX", "Entry", "EntryError", "entry_text", "outcome_data", "read_entry", "wire_data"]

VERSION = 1
#: All wires of an entry and all texts of its expected outcome together may not be longer.
WIRE_BYTES_MAX = 64 * 1024 * 1024
#: More events are not expected of a stream.
_EVENTS_MAX = 1_000_000
_BEFORE_MAX = 8
_TEXT_MAX = 500
_NAME_MAX = 200

_LAYERS: tuple[Layer, ...] = get_args(Layer)
_SEVERITIES: tuple[Severity, ...] = get_args(Severity)
_ID = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_KEYS = (
    *("version", "id", "title", "rules", "layer", "severity", "deviations", "wire", "cuts", "expected", "origin"),
    *("licence", "date"),
)
_NOT_ASCII = re.compile(r"[^\n -~]")
#: How an entry came to be.
_ORIGINS = ("report", "rule", "fuzz", "prover", "recording", "file", "standard", "article")


@dataclass(frozen=True, slots=True)
class Entry:
    """A stored stream.

    ``rules`` are those that it is a case of, the first of which it is judged by; ``layer`` is where a parser's fault
    sits that it shows, ``deviations`` the faults of the catalogue that do. ``question`` is the wire, its cuts and what
    is run before it. ``origin`` is where it comes from: ``{"kind": ..., "reference": ...}``. ``times`` are the seconds
    from the request to each chunk, of a recording. ``data`` is all of it, as the file holds it.
    """

    id: str
    title: str
    rules: tuple[Rule, ...]
    layer: Layer
    severity: Severity
    deviations: tuple[Deviation, ...]
    question: Question
    expected: Outcome
    origin: Mapping[str, str]
    licence: str
    date: str
    times: tuple[float, ...]
    data: Mapping[str, Any] = field(repr=False)

    @property
    def wire(self) -> bytes:
        """The bytes of the stream that is judged."""
        return self.question.wire

    @property
    def cuts(self) -> Cuts:
        """Where it is cut."""
        return self.question.cuts

    @property
    def size(self) -> int:
        """How much of the memory it holds: the bytes of its streams and the characters that are expected of it."""
        expected = self.expected
        texts = (text for event in expected.events for text in event)
        streams = len(self.wire) + sum(map(len, self.question.before))
        return streams + sum(len(text or "") for text in (*expected.retries, expected.last_event_id, *texts))

    @property
    def chapter(self) -> str:
        """The folder that it stands in: that of its first rule."""
        return self.rules[0].chapter

    def renamed(self, name: str) -> Entry:
        """The same under another id."""
        return self if name == self.id else read_entry({**self.data, "id": name})

    def with_question(self, question: Question, deviations: Iterable[Deviation]) -> Entry:
        """The same point with another stream, what the standard makes of that, and the deviations that show on it."""
        left_out = {"before"} if question.cuts == self.cuts else {"before", "times"}
        data = {key: value for key, value in self.data.items() if key not in left_out}
        data |= {
            "wire": wire_data(question.wire),
            "cuts": list(question.cuts),
            "expected": outcome_data(interpret(question.wire)),
            "deviations": [one.name for one in deviations],
        }
        if question.before:
            data["before"] = [wire_data(wire) for wire in question.before]
        return read_entry(data)

    @classmethod
    def of(
        cls,
        id: str,
        title: str,
        question: Question,
        expected: Outcome,
        *,
        rules: Sequence[str],
        layer: Layer,
        origin: Mapping[str, str],
        severity: Severity = "must",
        deviations: Sequence[str] = (),
        licence: str = "CC0-1.0",
        day: str = "",
        times: Sequence[float] = (),
    ) -> Entry:
        """An entry from its parts; EntryError where one of them cannot be used."""
        data: dict[str, Any] = {
            "version": VERSION,
            "id": id,
            "title": title,
            "rules": list(rules),
            "layer": layer,
            "severity": severity,
            "deviations": list(deviations),
            "wire": wire_data(question.wire),
            "cuts": list(question.cuts),
            "expected": outcome_data(expected),
            "origin": dict(origin),
            "licence": licence,
            "date": day or date.today().isoformat(),
        }
        if question.before:
            data["before"] = [wire_data(wire) for wire in question.before]
        if times:
            data["times"] = [round(seconds, 3) for seconds in times]
        return read_entry(data)


# reading -------------------------------------------------------------------------------------------------------------


def read_entry(data: Any) -> Entry:
    """The entry that the content of a file is; EntryError says what is wrong with it."""
    version = data.get("version") if isinstance(data, dict) else None
    if version != VERSION or type(version) is not int:
        raise EntryError(
            f"version: {shown(version)} stands where {VERSION} belongs: it is no entry, or of a later release"
        )
    as_object(data, "entry", _KEYS, optional=("before", "times", "note"))
    name = _text(data["id"], "id")
    if len(name) > 100 or not _ID.fullmatch(name):
        raise EntryError(f"id: {shown(name)} is not made of words of a-z and 0-9 with single hyphens between them")
    budget = Budget(WIRE_BYTES_MAX)
    wire = _wire(data["wire"], "wire", budget)
    before = _before(data.get("before", []), budget)
    rules = tuple(_rule(one, f"rules[{at}]") for at, one in enumerate(as_list(data["rules"], "rules")))
    if not rules:
        raise EntryError("rules: there is none; an entry is a case of one rule or of several")
    if rules[0].examine is not None or rules[0].cases is not None:
        raise EntryError(f"rules[0]: {rules[0].id} looks at several streams; the first must be a rule that judges one")
    deviations = as_list(data["deviations"], "deviations")
    for at, one in enumerate(deviations[: len(CATALOGUE) + 1]):
        if one in deviations[:at]:
            raise EntryError(f"deviations[{at}]: {one!r:.60} stands there twice")
    cuts = _cuts(data["cuts"], len(wire))
    return Entry(
        id=name,
        title=_text(data["title"], "title", most=_TEXT_MAX),
        rules=rules,
        layer=_one_of(data["layer"], "layer", _LAYERS),
        severity=_one_of(data["severity"], "severity", _SEVERITIES),
        deviations=tuple(_deviation(one, f"deviations[{at}]") for at, one in enumerate(deviations)),
        question=Question(wire, cuts, before),
        expected=_outcome(data["expected"], budget),
        origin=_origin(data["origin"]),
        licence=_text(data["licence"], "licence", most=100),
        date=_day(data["date"]),
        times=_times(data.get("times", []), len(cuts) + 1),
        data=data,
    )


def _text(value: Any, where: str, *, most: int = WIRE_BYTES_MAX, empty: bool = False) -> str:
    if not isinstance(value, str) or not (value or empty):
        raise EntryError(f"{where}: {value!r:.60} stands where a text belongs")
    if len(value) > most:
        raise EntryError(f"{where}: it has {len(value):,} characters, and {most:,} are the most")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise EntryError(f"{where}: it holds half of a surrogate pair, which is no character") from None
    return value


def _named(value: Any, where: str) -> str:
    """The id of a rule or the name of a deviation: a message that names it stays short."""
    name = _text(value, where)
    if len(name) > _NAME_MAX:
        raise EntryError(f"{where}: {shown(name)} is longer than any name, of {_NAME_MAX} characters")
    return name


def _one_of(value: Any, where: str, known: Sequence[Any]) -> Any:
    if value not in known or not isinstance(value, str):
        raise EntryError(f"{where}: {value!r:.60} is none of {', '.join(known)}")
    return value


def _rule(value: Any, where: str) -> Rule:
    try:
        return find_rule(_named(value, where))
    except LookupError as error:
        raise EntryError(f"{where}: {error.args[0]}") from None


def _deviation(value: Any, where: str) -> Deviation:
    try:
        return find_deviation(_named(value, where))
    except TargetError as error:
        raise EntryError(f"{where}: {error}") from None


def _before(value: Any, budget: Budget) -> tuple[bytes, ...]:
    wires = as_list(value, "before")
    if len(wires) > _BEFORE_MAX:
        raise EntryError(f"before: more than {_BEFORE_MAX} streams")
    return tuple(_wire(one, f"before[{at}]", budget) for at, one in enumerate(wires))


def _wire(value: Any, where: str, budget: Budget) -> bytes:
    if isinstance(value, dict) and "recipe" in value:
        as_object(value, where, ("recipe",))
        return joined(value["recipe"], f"{where}.recipe", _piece, budget)
    wire = _piece(value, where)
    budget.take(len(wire), where)
    return wire


def _piece(value: Any, where: str) -> bytes:
    if not isinstance(value, dict) or len(value) != 1 or not value.keys() <= {"text", "base64"}:
        raise EntryError(f'{where}: {value!r:.60} stands where {{"text": ...}} or {{"base64": ...}} belongs')
    if "text" in value:
        return _text(value["text"], f"{where}.text", empty=True).encode()
    try:
        return base64.b64decode(_text(value["base64"], f"{where}.base64", empty=True), validate=True)
    except (binascii.Error, ValueError) as error:
        raise EntryError(f"{where}.base64: {error}") from None


def _cuts(value: Any, length: int) -> Cuts:
    cuts = tuple(as_number(at, f"cuts[{n}]") for n, at in enumerate(as_list(value, "cuts")))
    for at, following in pairwise((*cuts, length)):
        if at > following:
            raise EntryError(
                f"cuts: {shown(at)} stands before {shown(following)}; they are offsets into a wire of {length}, sorted"
            )
    return cuts


def _times(value: Any, chunks: int) -> tuple[float, ...]:
    times = as_list(value, "times")
    if times and len(times) != chunks:
        raise EntryError(f"times: there are {len(times)}, and {chunks} chunks; there is one for each, or none")
    for at, seconds in enumerate(times):
        if type(seconds) not in (int, float) or not 0 <= seconds < math.inf:
            raise EntryError(f"times[{at}]: {seconds!r:.60} stands where seconds from 0 belong")
    return tuple(times)


def _outcome(value: Any, budget: Budget) -> Outcome:
    as_object(value, "expected", ("events", "last_event_id", "retries"))

    def event(piece: Any, where: str) -> Event:
        as_object(piece, where, ("type", "data", "last_event_id"))
        return Event(*(_long_text(piece[key], f"{where}.{key}", budget) for key in ("type", "data", "last_event_id")))

    events = unrolled(value["events"], "expected.events", event, _size, budget, _EVENTS_MAX)
    retries = as_list(value["retries"], "expected.retries")
    return Outcome(
        tuple(events),
        _long_text(value["last_event_id"], "expected.last_event_id", budget),
        tuple(_long_text(one, f"expected.retries[{at}]", budget) for at, one in enumerate(retries)),
    )


def _size(event: Event) -> int:
    # An empty event takes room as well.
    return 64 + sum(len(text or "") for text in event)


def _long_text(value: Any, where: str, budget: Budget) -> str:
    if isinstance(value, dict) and "recipe" in value:
        try:
            return _wire(value, where, budget).decode()
        except UnicodeDecodeError as error:
            raise EntryError(f"{where}: what it unrolls to is no UTF-8: {error.reason}") from None
    text = _text(value, where, empty=True)
    budget.take(len(text), where)
    return text


def _origin(value: Any) -> Mapping[str, str]:
    as_object(value, "origin", ("kind",), optional=("reference", "also"))
    _one_of(value["kind"], "origin.kind", _ORIGINS)
    _text(value.get("reference", ""), "origin.reference", most=_TEXT_MAX, empty=True)
    for at, one in enumerate(as_list(value.get("also", []), "origin.also")):
        _text(one, f"origin.also[{at}]", most=_TEXT_MAX)
    return value  # type: ignore[no-any-return]


def _day(value: Any) -> str:
    text = _text(value, "date", most=40)
    try:
        # Other forms of ISO 8601 are dates too, but not to every reader.
        if date.fromisoformat(text).isoformat() == text:
            return text
        reason = f"{text!r:.60} is another form"
    except ValueError as error:
        reason = str(error)
    raise EntryError(f"date: {reason}; it is written as 2026-11-30")


# writing -------------------------------------------------------------------------------------------------------------


def wire_data(wire: bytes) -> dict[str, str]:
    """A wire as an entry holds it: as text where it is well-formed UTF-8, else in base64."""
    try:
        return {"text": wire.decode()}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(wire).decode()}


def outcome_data(outcome: Outcome) -> dict[str, Any]:
    """An outcome as an entry holds it."""
    return {
        "events": [event._asdict() for event in outcome.events],
        "last_event_id": outcome.last_event_id,
        "retries": list(outcome.retries),
    }


def entry_text(entry: Entry) -> str:
    """The text of the entry's file; what cannot be seen in it is escaped."""
    text = json.dumps(entry.data, indent=1, ensure_ascii=False)
    return _NOT_ASCII.sub(_seen, text) + "\n"


def _seen(found: re.Match[str]) -> str:
    return found[0] if found[0].isprintable() else json.dumps(found[0])[1:-1]
