"""What is known of a campaign at one moment: the schema that its files hold and that everything which shows one reads.

All numbers and texts of a file are checked as they are read: another process wrote it, or somebody did by hand. Texts
are kept as they are; who shows one makes it visible first.
"""

from __future__ import annotations

import dataclasses
import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any, TypeVar

from chunkproof_targets.contract import TargetError
from chunkproof_targets.deviations import find_deviation
from chunkproof_targets.deviations.deviation import Deviation

__all__ = ["UNNAMED", "CampaignRecord", "Cause", "FoundRecord", "ShardRecord", "causes", "find_cause"]

#: The cause of a finding that no deviation explains.
UNNAMED = "not in the catalogue"

# A longer token does not fit a command line that people paste.
_TOKEN_MAX = 1500
# Larger numbers are no counts.
_NUMBER_MAX = 1 << 63
# Of a damaged value so much is said.
_SAID_MAX = 40

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ShardRecord:
    """What one shard has said last: ``shards/NAME.json``.

    ``checks`` are chunkings that were run and compared, ``streams`` the wires they are of, in ``seconds`` of wall time;
    ``next_seed`` is the first seed that it has not tried. ``coverage`` counts what the word ``coverage_of`` says
    ("branches", "features", or nothing), None where it is not measured. ``inputs`` are those that its engine keeps,
    ``repeats`` failures that were no news. ``doing`` is "searching", "diagnosing" or "done"; who watches the shard says
    "dead" where its process ended without that. ``note`` is what else there is to say, in words. ``updated`` is Unix
    time.
    """

    name: str = ""
    engine: str = ""
    pid: int = 0
    seconds: float = 0.0
    checks: int = 0
    streams: int = 0
    next_seed: int = 0
    coverage: int | None = None
    coverage_of: str = ""
    inputs: int = 0
    repeats: int = 0
    doing: str = "searching"
    note: str = ""
    updated: float = 0.0

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> ShardRecord:
        """From JSON: unknown keys are passed over, missing ones have defaults; ValueError names a damaged value."""
        return _read(cls, data, f"shard {_said(data.get('name', ''))}")

    @property
    def is_odd(self) -> bool:
        """Whether something is to be said of it besides its numbers."""
        return self.doing not in ("searching", "done") or bool(self.note)


@dataclass(frozen=True, slots=True)
class FoundRecord:
    """One finding: ``findings/ID.json``.

    ``wire`` is hex, or empty where it is too long for this file, ``wire_bytes`` its size, ``cuts`` are the offsets at
    which chunks end, ``before`` the wires that are run first, in hex. ``token`` replays it; where that is too long to
    be pasted, ``entry`` does, a path in the campaign's folder. ``artefact`` is the engine's own file, kept where there
    is no entry. ``deviations`` are those that explain it together, and ``equals`` names for each of them what would as
    well. Where it is not ``reproducible``, ``note`` says what differed. ``count`` is how often it was met. ``found`` is
    Unix time, ``seconds`` that since the campaign began.
    """

    id: str = ""
    rule: str = ""
    kind: str = ""
    token: str = ""
    engine: str = ""
    seed: str = ""
    deviations: tuple[str, ...] = ()
    equals: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    entry: str = ""
    artefact: str = ""
    reproducible: bool = True
    note: str = ""
    wire: str = ""
    wire_bytes: int = 0
    cuts: tuple[int, ...] = ()
    before: tuple[str, ...] = ()
    count: int = 1
    found: float = 0.0
    seconds: float = 0.0

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> FoundRecord:
        """From JSON: unknown keys are passed over, missing ones have defaults; ValueError names a damaged value."""
        whose = f"finding {_said(data.get('id', ''))}"
        found = _read(cls, data, whose)
        sizes = [_size(wire, whose) for wire in (found.wire, *found.before)]
        size = sizes[0] or found.wire_bytes
        if list(found.cuts) != sorted(found.cuts) or (found.cuts and found.cuts[-1] > size):
            raise ValueError(f"{whose}: cuts are offsets from 0 to {size:,}, in order; found {_said(list(found.cuts))}")
        return dataclasses.replace(found, wire_bytes=size)

    @property
    def data(self) -> bytes:
        """The bytes of the wire; none where it is not in the file."""
        return bytes.fromhex(self.wire)

    @property
    def named(self) -> str:
        """What explains it, in words."""
        return " + ".join(self.deviations) or UNNAMED


@dataclass(frozen=True, slots=True)
class CampaignRecord:
    """A campaign at one moment.

    ``state`` is its folder, as it is shown. ``waiting`` are findings in the inbox that nobody has looked at yet. Times
    are seconds: ``elapsed`` since it began, ``remaining`` until it ends, None where no time was given, ``since_news``
    since the last new finding, None where there is none. ``rate`` is checks a second, just now. ``replaying`` are the
    words that a replay of this target needs besides, ``settings`` those that pytest does. ``ended`` says why it ended,
    in words, and is empty while it goes on.
    """

    target: str
    engine: str
    jobs: int
    shards: tuple[ShardRecord, ...]
    findings: tuple[FoundRecord, ...]
    waiting: int
    elapsed: float
    remaining: float | None
    since_news: float | None
    rate: float
    state: str
    replaying: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    declared: tuple[str, ...] = ()
    ended: str = ""

    @property
    def checks(self) -> int:
        """Chunkings that were run and compared, of all shards."""
        return sum(shard.checks for shard in self.shards)

    @property
    def streams(self) -> int:
        """The wires that these are of."""
        return sum(shard.streams for shard in self.shards)

    @property
    def repeats(self) -> int:
        """Failures that were no news."""
        return sum(shard.repeats for shard in self.shards)

    @property
    def inputs(self) -> int:
        """Inputs that engines keep: shards share a folder of them, so this is no sum."""
        return max((shard.inputs for shard in self.shards), default=0)

    @property
    def coverage(self) -> dict[str, int]:
        """For each kind of coverage, how much the shard with the most has; they overlap, so this is no sum."""
        found: Counter[str] = Counter()
        for shard in self.shards:
            if shard.coverage is not None and shard.coverage_of:
                found[shard.coverage_of] = max(found[shard.coverage_of], shard.coverage)
        return dict(sorted(found.items()))

    @property
    def seeds(self) -> int:
        """The first seed that no shard has tried; 0 where no engine counts them."""
        return max((shard.next_seed for shard in self.shards), default=0)

    @property
    def reproducible(self) -> tuple[FoundRecord, ...]:
        """The findings that came again in a fresh process."""
        return tuple(found for found in self.findings if found.reproducible)

    @property
    def dead(self) -> tuple[ShardRecord, ...]:
        """The shards whose process ended before its time."""
        return tuple(shard for shard in self.shards if shard.doing == "dead")

    def replay(self, found: FoundRecord) -> str:
        """What to type to run a finding again; empty where there is neither a token to paste nor an entry."""
        if found.token and len(found.token) <= _TOKEN_MAX:
            return shlex.join(["chunkproof", "replay", found.token, "--target", self.target, *self.replaying])
        if found.entry:
            return f"{self.judge()} {shlex.quote(f'chunkproof::corpus/{PurePath(found.entry).stem}')}"
        return ""

    def judge(self) -> str:
        """What to type to run all findings in pytest."""
        corpus = PurePath(self.state, "corpus").as_posix()
        return shlex.join(["pytest", f"--target={self.target}", f"--chunkproof-corpus={corpus}", *self.settings])


@dataclass(frozen=True, slots=True)
class Cause:
    """Findings with one explanation, the smallest first; ``named`` is a deviation, several, or that there is none."""

    named: str
    findings: tuple[FoundRecord, ...]

    @property
    def smallest(self) -> FoundRecord:
        """The finding to look at."""
        return self.findings[0]

    @property
    def count(self) -> int:
        """How often they were met."""
        return sum(found.count for found in self.findings)

    @property
    def since(self) -> float:
        """When the first of them was found: seconds since the campaign began."""
        return min(found.seconds for found in self.findings)


def causes(findings: Iterable[FoundRecord]) -> list[Cause]:
    """The findings by what explains them, in the order in which that was found; what nothing explains comes last."""
    groups: dict[tuple[str, ...], list[FoundRecord]] = {}
    for found in findings:
        groups.setdefault(tuple(sorted(found.deviations)), []).append(found)
    made = [
        Cause(ones[0].named, tuple(sorted(ones, key=lambda one: (one.wire_bytes, len(one.cuts), one.id))))
        for ones in groups.values()
    ]
    return sorted(made, key=lambda cause: (cause.named == UNNAMED, cause.since, cause.named))


def find_cause(name: str) -> Deviation | None:
    """What the catalogue says of a deviation; None where it has none of this name: another release wrote it."""
    try:
        return find_deviation(name)
    except TargetError:
        return None


# reading --------------------------------------------------------------------------------------------------------------


def _read(cls: type[T], data: Mapping[str, Any], whose: str) -> T:
    """An object of its fields, each of the type that the class names."""
    values = {}
    for one in dataclasses.fields(cls):  # type: ignore[arg-type]
        if one.name in data:
            what, read = _READERS[str(one.type)]
            try:
                values[one.name] = read(data[one.name])
            except ValueError:
                raise ValueError(f"{whose}: {one.name} is {what}; found {_said(data[one.name])}") from None
    return cls(**values)


def _said(value: object) -> str:
    """A value from anywhere, as a short text with nothing odd in it."""
    if isinstance(value, list | tuple | dict | str) and len(value) > _SAID_MAX:
        value = str(value[:_SAID_MAX]) if isinstance(value, str) else f"{type(value).__name__} of {len(value):,}"
    text = ascii(value) if not isinstance(value, int) or abs(value) < _NUMBER_MAX else "a larger number"
    return text if len(text) <= _SAID_MAX else f"{text[: _SAID_MAX - 3]}..."


def _size(text: str, whose: str) -> int:
    try:
        return len(bytes.fromhex(text))
    except ValueError:
        raise ValueError(f"{whose}: wires are bytes in hex; found {_said(text)}") from None


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError
    return value


def _is_set(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError
    return value


def _count(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < _NUMBER_MAX:
        raise ValueError
    return value


def _count_or_none(value: object) -> int | None:
    return None if value is None else _count(value)


def _seconds(value: object) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value < _NUMBER_MAX:
        raise ValueError  # and that is what NaN is, too
    return float(value)


def _many(read: Callable[[object], T]) -> Callable[[object], tuple[T, ...]]:
    def items(value: object) -> tuple[T, ...]:
        if not isinstance(value, list | tuple):
            raise ValueError
        return tuple(map(read, value))

    return items


def _names_by_name(value: object) -> dict[str, tuple[str, ...]]:
    if not isinstance(value, Mapping):
        raise ValueError
    return {_text(key): _many(_text)(names) for key, names in value.items()}


#: For each type of a field: what a value has to be, and what checks that.
_READERS: dict[str, tuple[str, Callable[[object], object]]] = {
    "str": ("a text", _text),
    "bool": ("true or false", _is_set),
    "int": ("a whole number from 0 on", _count),
    "int | None": ("a whole number from 0 on, or null", _count_or_none),
    "float": ("a number from 0 on", _seconds),
    "tuple[str, ...]": ("a list of texts", _many(_text)),
    "tuple[int, ...]": ("a list of whole numbers from 0 on", _many(_count)),
    "Mapping[str, tuple[str, ...]]": ("an object of lists of texts", _names_by_name),
}
