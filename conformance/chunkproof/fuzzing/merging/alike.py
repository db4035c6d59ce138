"""Which findings are one and the same, where several campaigns of one target have found them.

Two records of the same signature are one finding; so are two of the same diagnosis, and of those the smallest stream is
kept. ``seen`` in a record says how often each campaign saw each of the signatures it stands for, so
that a folder may be merged twice and nothing is counted twice.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ..found import Found, FoundError

__all__ = ["attributed", "digest_of", "merge_findings", "not_among"]

#: How often each campaign has seen each signature.
Seen = dict[str, dict[str, int]]
# What differs between two records of one finding by when and where they were made, and not by what was found.
_CIRCUMSTANCES = ("count", "seen", "found", "seconds")
# So much of a wire is held to put it in order; beyond it, its hash decides.
_HEAD = 4096


@dataclass(frozen=True, slots=True)
class _Record:
    """A record of a finding, with what it is compared by."""

    data: Mapping[str, Any]
    signature: str
    diagnosis: tuple[Any, ...]
    size: tuple[Any, ...]
    seen: Seen

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> _Record:
        found = Found.from_data(data)
        names = tuple(sorted(data["deviations"]))
        return cls(
            data,
            found.signature,
            # What was not diagnosed is alone, and comes last: a diagnosis of the same signature is better.
            (0, names) if names and data["reproducible"] else (1, found.signature),
            _size(found),
            data["seen"],
        )

    def rank(self, diagnosis: tuple[Any, ...]) -> tuple[Any, ...]:
        """The order of records of the same signature: the first is kept."""
        data = {key: value for key, value in self.data.items() if key not in _CIRCUMSTANCES}
        lacks = (not data["reproducible"], not data["settled"], not data["entry"])
        return self.diagnosis != diagnosis, *lacks, _text(data)

    @property
    def found_at(self) -> tuple[float, float]:
        """When it was found, and how many seconds into its campaign that was."""
        return self.data["found"], self.data["seconds"]


def attributed(data: Mapping[str, Any], origin: str) -> dict[str, Any]:
    """A record as its file holds it, with its count given to the campaign that counted; FoundError where it is damaged.

    What other campaigns have counted already (``seen``) stays theirs.
    """
    signature = Found.from_data(data).signature
    for key in ("count", "found", "seconds", "wire_bytes"):
        _check(key, data, "a number from 0", (int, float), lambda value: 0 <= value < float("inf"))
    for key in ("reproducible", "settled"):
        _check(key, data, "true or false", (bool,))
    for key in ("note", "entry"):
        _check(key, data, "a text", (str,))
    _check("deviations", data, "a list of names", (list,), lambda value: all(isinstance(one, str) for one in value))
    seen: Seen = {name: dict(counted) for name, counted in _seen(data.get("seen", {})).items()}
    rest = int(data["count"]) - _total(seen)
    own = seen.setdefault(signature, {})
    if rest > 0:
        own[origin] = own.get(origin, 0) + rest
    return {**data, "id": signature, "seen": seen}


def _check(
    key: str,
    data: Mapping[str, Any],
    what: str,
    kinds: tuple[type, ...],
    fits: Callable[[Any], bool] = lambda value: True,
) -> None:
    value = data.get(key)
    if type(value) not in kinds or not fits(value):
        raise FoundError(f"{key}: {value!r:.60} stands where {what} belongs")


def _seen(value: Any) -> Seen:
    if not isinstance(value, dict) or not all(
        isinstance(counted, dict) and all(type(times) is int and times > 0 for times in counted.values())
        for counted in value.values()
    ):
        raise FoundError(f"seen: {value!r:.60} stands where the counts of signatures by campaigns belong")
    return value


def merge_findings(records: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The findings that these records are, in the order of their signatures; the same for any order of the records.

    Each record is one that `attributed` has made. A finding without a diagnosis is dropped only where its very
    signature is among those of a diagnosed one. Merging the result with records that it came from gives it again.
    """
    read = [_Record.of(data) for data in records]
    diagnoses: dict[str, tuple[Any, ...]] = {}
    for record in read:
        for signature in record.seen:
            told = diagnoses.get(signature, record.diagnosis)
            diagnoses[signature] = min(told, record.diagnosis)
    groups: dict[tuple[Any, ...], list[_Record]] = {}
    for record in read:
        groups.setdefault(diagnoses[record.signature], []).append(record)
    counts = _counts(read, diagnoses, groups.keys())
    merged = [_merged(group, diagnosis, counts[diagnosis]) for diagnosis, group in groups.items()]
    return [data for _, data in sorted(merged, key=lambda one: one[0])]


def not_among(records: Iterable[Mapping[str, Any]], kept: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The findings that these records are, without those that are among the kept ones by signature or diagnosis."""
    signatures: set[str] = set()
    diagnoses = set()
    for data in kept:
        signatures |= data["seen"].keys()
        diagnoses.add(_Record.of(data).diagnosis)
    left = [data for data in records if not signatures & data["seen"].keys()]
    return merge_findings(data for data in left if _Record.of(data).diagnosis not in diagnoses)


def _counts(
    records: Iterable[_Record], diagnoses: Mapping[str, tuple[Any, ...]], kept: Iterable[tuple[Any, ...]]
) -> dict[tuple[Any, ...], Seen]:
    """What was seen of each diagnosis that is kept."""
    counts: dict[tuple[Any, ...], Seen] = {diagnosis: {} for diagnosis in kept}
    for record in records:
        for signature, counted in record.seen.items():
            # A signature whose own record is gone, and whose stand-in has another diagnosis by now, goes with that.
            of = diagnoses[signature] if diagnoses[signature] in counts else diagnoses[record.signature]
            total = counts[of].setdefault(signature, {})
            for origin, times in counted.items():
                total[origin] = max(times, total.get(origin, 0))
    return counts


def _merged(group: list[_Record], diagnosis: tuple[Any, ...], seen: Seen) -> tuple[str, dict[str, Any]]:
    """The one record of a group, and its signature."""
    kept = min(group, key=lambda record: (record.size, record.rank(diagnosis)))
    found, seconds = min(record.found_at for record in group)
    ordered = {signature: dict(sorted(counted.items())) for signature, counted in sorted(seen.items())}
    circumstances = {"count": _total(seen), "seen": ordered, "found": found, "seconds": seconds}
    return kept.signature, {**kept.data, **circumstances}


def digest_of(content: Any) -> str:
    """Twelve hex digits of what JSON holds, or of bytes: the same for the same content."""
    return hashlib.sha256(content if isinstance(content, bytes) else _text(content).encode()).hexdigest()[:12]


def _total(seen: Seen) -> int:
    return sum(times for counted in seen.values() for times in counted.values())


def _size(found: Found) -> tuple[Any, ...]:
    """Bytes of the wire, cuts, then the bytes themselves: the smaller, the plainer."""
    told = hashlib.sha256(repr((found.wire, found.cuts, found.before)).encode()).digest()
    return len(found.wire) + sum(map(len, found.before)), len(found.cuts), found.wire[:_HEAD], told


def _text(content: Any) -> str:
    return json.dumps(content, sort_keys=True)
