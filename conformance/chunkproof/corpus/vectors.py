"""Entries in the forms in which they travel: JSON lines, and the vectors of other suites.

A JSON line is a whole entry. A vector is what other suites store: chunks, events, the last event ID, retry updates.
The names of its keys are those of the Rust crate sse-parse (id, purpose, chunks, events, final_last_event_id,
retry_updates); those that other suites have for the same are read too. Ours say their severity and rules besides: an
open choice must not come back as a must. What a vector says is held against the oracle: one that disagrees is never
taken.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any

from chunkproof_targets.contract import DEFAULT_TYPE, Event, Outcome, normal_retry

from ..oracle import interpret
from ..question import Question
from .artefacts import ArtefactError
from .artefacts.forms import chunk_bytes, utf8
from .entry import Entry, EntryError, read_entry, wire_data
from .judging import assert_agrees
from .making import Described, entry_of, slug
from .store import FILE_BYTES_MAX
from .unrolled import as_list

__all__ = ["Refused", "from_json_lines", "from_vectors", "to_json_lines", "to_vectors"]

# A larger whole number is not the same in every reader of JSON; it is written as text.
_EXACT_MAX = 2**53
# Digits of a reconnection time that are looked at.
_DIGITS_MAX = 100_000
#: A file of vectors is a list, or an object that holds the list under one of these keys.
_LISTS = ("vectors", "cases", "tests")
_NAMES = ("id", "name")
_TITLES = ("purpose", "title", "description")
_LAST_IDS = ("final_last_event_id", "finalLastEventId", "last_event_id", "lastEventId")
_RETRIES = ("retry_updates", "retryUpdates", "retries", "retry")
_TYPES = ("event", "type")
_EVENT_IDS = ("id", "last_event_id", "lastEventId")


@dataclass(frozen=True, slots=True)
class Refused:
    """What was not taken: where it stood, by its name where it has one, and why."""

    name: str
    reason: str

    def __str__(self) -> str:
        return f"{self.name}: {self.reason}"


# JSON lines -----------------------------------------------------------------------------------------------------------


def to_json_lines(entries: Iterable[Entry]) -> str:
    """One entry a line, in ASCII."""
    return "".join(json.dumps(entry.data) + "\n" for entry in entries)


def from_json_lines(text: str) -> tuple[list[Entry], list[Refused]]:
    """The entries of a text, and the lines that are none, or that say something else than the standard."""
    lines = ((f"line {at}", line) for at, line in enumerate(text.split("\n"), 1) if line.strip())
    return _taken(lines, _entry_of_line)


def _entry_of_line(line: str) -> Entry:
    if len(line) > FILE_BYTES_MAX:
        raise EntryError(f"it has {len(line):,} characters, and {FILE_BYTES_MAX:,} are the most")
    entry = read_entry(_json(line))
    assert_agrees(entry)
    return entry


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise EntryError(f"it is no JSON: {error}") from None


def _taken(items: Iterable[tuple[str, Any]], entry_of_item: Any) -> tuple[list[Entry], list[Refused]]:
    """The entry of each item; one that cannot be used is none of the others' problem."""
    entries: dict[str, Entry] = {}
    refused: list[Refused] = []
    for name, item in items:
        try:
            entry = entry_of_item(item)
            if entry.id in entries:
                raise EntryError(f"id: {entry.id} stands here twice")
        except EntryError as error:
            refused.append(Refused(name, str(error)))
        else:
            entries[entry.id] = entry
    return list(entries.values()), refused


# Vectors, written -----------------------------------------------------------------------------------------------------


def to_vectors(entries: Iterable[Entry]) -> str:
    """A JSON list of vectors, in ASCII.

    A chunk is a text where it is well-formed UTF-8, else ``{"base64": ...}``. ``before`` are the streams that are run
    before this one, where there are any.
    """
    vectors = ",\n".join(json.dumps(_vector(entry)) for entry in entries)
    return f"[\n{vectors}\n]\n" if vectors else "[]\n"


def _vector(entry: Entry) -> dict[str, Any]:
    vector: dict[str, Any] = {
        "id": entry.id,
        "purpose": entry.title,
        "severity": entry.severity,
        "rules": [rule.id for rule in entry.rules],
        "chunks": [_chunk(chunk) for chunk in entry.question.chunks],
        "events": [
            {"event": event.type, "data": event.data, "id": event.last_event_id} for event in entry.expected.events
        ],
        "final_last_event_id": entry.expected.last_event_id,
        "retry_updates": [_retry(digits) for digits in entry.expected.retries],
    }
    if entry.question.before:
        vector["before"] = [_chunk(wire) for wire in entry.question.before]
    return vector


def _chunk(chunk: bytes) -> str | dict[str, str]:
    data = wire_data(chunk)
    return data.get("text", data)


def _retry(digits: str) -> int | str:
    return digits if len(digits) > len(str(_EXACT_MAX)) or int(digits) > _EXACT_MAX else int(digits)


# Vectors, read --------------------------------------------------------------------------------------------------------


def from_vectors(text: str, said: Described | None = None) -> tuple[list[Entry], list[Refused]]:
    """The entries that a file of vectors holds, and the vectors that cannot be used, each with the reason.

    ``said`` is what all of them share: rules, origin, licence. The severity and the rules that a vector names itself
    count over it. What a vector does not say is not compared; keys that it has besides are left out. EntryError where
    the text is no list of vectors.
    """
    described = said or Described()
    data = _json(text)
    if isinstance(data, dict):
        data = next((data[key] for key in _LISTS if key in data), data)
    vectors = as_list(data, "vectors")
    named = ((_named(vector, at), vector) for at, vector in enumerate(vectors))
    return _taken(named, lambda vector: _entry(vector, described))


def _named(vector: Any, at: int) -> str:
    name = _first(vector, _NAMES) if isinstance(vector, dict) else None
    return f"vectors[{at}] ({name:.100})" if isinstance(name, str) else f"vectors[{at}]"


def _entry(vector: Any, said: Described) -> Entry:
    if not isinstance(vector, dict):
        raise EntryError(f"{vector!r:.60} stands where a vector belongs")
    chunks = list(_chunks(vector, "chunks"))
    question = Question(b"".join(chunks), _cuts(chunks), tuple(_chunks(vector, "before") if "before" in vector else ()))
    _assert_right(vector, interpret(question.wire))
    name = _text(_first(vector, _NAMES), "id")
    entry = entry_of(question, replace(_described(vector, said), id=slug(name)))
    with suppress(EntryError):
        # It is kept as it is where it can be an id.
        return entry.renamed(name)
    return entry


def _described(vector: Mapping[str, Any], said: Described) -> Described:
    """What the vector says of itself, over what is said of all of them."""
    title, rules = _first(vector, _TITLES), as_list(vector.get("rules", []), "rules")
    return replace(
        said,
        title=_text(title, "purpose") if title else said.title,
        severity=vector.get("severity", said.severity),
        rules=tuple(_text(rule, f"rules[{at}]") for at, rule in enumerate(rules)) or said.rules,
    )


def _cuts(chunks: Sequence[bytes]) -> tuple[int, ...]:
    # The empty wire is no chunk at all, and each cut in it is one empty chunk.
    return tuple(accumulate(map(len, chunks if not any(chunks) else chunks[:-1])))


def _chunks(vector: Mapping[str, Any], key: str) -> Iterator[bytes]:
    if key not in vector:
        raise EntryError(f"{key}: there are none; a vector that makes its chunks by a generator is not read")
    for at, chunk in enumerate(as_list(vector[key], key)):
        yield _bytes(chunk, f"{key}[{at}]")


def _bytes(chunk: Any, where: str) -> bytes:
    try:
        return chunk_bytes(chunk, where)
    except ArtefactError as error:
        raise EntryError(str(error)) from None


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str):
        raise EntryError(f"{where}: {value!r:.60} stands where a text belongs")
    try:
        utf8(value, where)
    except ArtefactError as error:
        raise EntryError(str(error)) from None
    return value


def _assert_right(vector: Mapping[str, Any], outcome: Outcome) -> None:
    """EntryError where the vector says something else than the oracle."""
    events = [_event(one, f"events[{at}]") for at, one in enumerate(as_list(vector.get("events"), "events"))]
    right = [
        Event(*(value if said is not None else None for said, value in zip(one, event, strict=True)))
        for one, event in zip(events, outcome.events, strict=False)
    ]
    right += outcome.events[len(right) :]
    if events != right:
        _disagrees("events", list(map(_plain, events)), list(map(_plain, right)))
    last_event_id = _first(vector, _LAST_IDS)
    if last_event_id is not None and last_event_id != outcome.last_event_id:
        _disagrees("final_last_event_id", last_event_id, outcome.last_event_id)
    retries = _first(vector, _RETRIES)
    if retries is None:
        return
    said = [_digits(one, f"retry_updates[{at}]") for at, one in enumerate(as_list(retries, "retry_updates"))]
    if said != list(outcome.retries):
        _disagrees("retry_updates", said, list(outcome.retries))


def _disagrees(where: str, said: object, right: object) -> None:
    raise EntryError(f"{where}: {said!r:.300} stands where the standard says {right!r:.300}")


def _plain(event: Event) -> dict[str, str]:
    keys = ("event", "data", "id")
    return {key: value for key, value in zip(keys, event, strict=True) if value is not None}


def _event(value: Any, where: str) -> Event:
    """An event of a vector: a type that it leaves out is the default one, an id that it leaves out is not said."""
    if not isinstance(value, dict):
        raise EntryError(f"{where}: {value!r:.60} stands where an event belongs")
    kind, last_event_id = _first(value, _TYPES), _first(value, _EVENT_IDS)
    return Event(
        DEFAULT_TYPE if kind in (None, "") else _text(kind, f"{where}.event"),
        _text(value.get("data"), f"{where}.data"),
        None if last_event_id is None else _text(last_event_id, f"{where}.id"),
    )


def _digits(value: Any, where: str) -> str:
    text = str(value) if type(value) is int and abs(value) < _EXACT_MAX**2 else value
    if not isinstance(text, str) or not text.isascii() or not text.isdigit() or len(text) > _DIGITS_MAX:
        raise EntryError(f"{where}: {value!r:.60} is no number of milliseconds")
    return normal_retry(text)


def _first(data: Mapping[str, Any], keys: Sequence[str]) -> Any:
    """What stands under the first of these keys that is there."""
    return next((data[key] for key in keys if key in data), None)
