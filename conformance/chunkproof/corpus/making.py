"""From a wire to an entry: what it is a case of, which deviations show on it, what it is called."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from itertools import count, islice
from pathlib import Path

from chunkproof_reports.results import Severity
from chunkproof_targets.deviations import CATALOGUE, Deviation, find_deviation

from ..diagnosis.telling import telling_cases
from ..oracle import interpret
from ..question import Question
from ..rules import Rule, find_rule
from .entry import Entry, EntryError
from .judging import assert_agrees, kills_of, shows
from .store import own_paths, paths_of, write_entry

__all__ = ["ANY_RULE", "NAMED", "Described", "entry_of", "rule_named", "slug", "store", "telling"]

#: The rule that a stream of any kind is a case of.
ANY_RULE = "whole/any-stream-in-any-chunking"
#: So many deviations an entry names, where nobody says which.
NAMED = 3
_SLUG_MAX = 60
# Beyond so many bytes not all deviations are tried on a stream.
_LARGE = 1 << 16


@dataclass(frozen=True, slots=True)
class Described:
    """What is said of an entry by who makes it; what is left empty is worked out.

    Without a ``severity`` it is that of the first rule.
    """

    id: str = ""
    title: str = ""
    rules: tuple[str, ...] = ()
    severity: Severity | None = None
    deviations: tuple[str, ...] = ()
    origin: Mapping[str, str] = field(default_factory=lambda: {"kind": "file"})
    licence: str = "CC0-1.0"
    times: tuple[float, ...] = ()


def entry_of(question: Question, said: Described) -> Entry:
    """The entry of a stream; EntryError where something that was said of it does not hold."""
    rules = said.rules or (ANY_RULE,)
    rule = rule_named(rules)
    names = said.deviations or tuple(one.name for one in telling(question, rule))
    layer = find_deviation(names[0]).layer if names else "events"
    digest = hashlib.sha256(repr((question.wire, question.cuts)).encode()).hexdigest()
    entry = Entry.of(
        slug(said.id) if said.id else f"stream-{digest[:8]}",
        said.title or "A stream that was seen is read as the standard says.",
        question,
        interpret(question.wire),
        rules=rules,
        layer=layer,
        origin=said.origin,
        severity=said.severity or rule.severity,
        deviations=names,
        licence=said.licence,
        times=said.times,
    )
    assert_agrees(entry)
    return entry


def slug(text: str) -> str:
    """A text as the id of an entry: words of a-z and 0-9 with hyphens between; EntryError where none is in it."""
    plain = unicodedata.normalize("NFKD", text.lower()).encode("ascii", "ignore").decode()
    words = re.findall(r"[a-z0-9]+", plain)
    if not words:
        raise EntryError(f"id: {text!r:.60} has no letter of a-z and no digit; give another with --id")
    return "-".join(words)[:_SLUG_MAX].strip("-")


def store(folder: Path, entry: Entry) -> tuple[Path, Entry]:
    """Write an entry; where its id is taken in the folder or by one of ours, under the next one that is free.

    EntryError where its file would be larger than those that are read.
    """
    folder.mkdir(parents=True, exist_ok=True)
    taken = set(own_paths())
    for name in _names(entry.id):
        if name in taken:
            continue
        with _claimed(folder, name) as free:
            if not free:
                continue
            # Looked for in all chapters, and only now that nobody else can take it.
            taken |= paths_of(folder).keys()
            if name not in taken:
                named = entry.renamed(name)
                return write_entry(folder, named), named
    raise AssertionError("there is always a further number")


@contextmanager
def _claimed(folder: Path, name: str) -> Iterator[bool]:
    """Keep an id of a folder from all others who add to it; false where one of them keeps it."""
    claim = folder / f".{name}.claim"
    try:
        claim.open("x").close()
    except FileExistsError:
        yield False
        return
    try:
        yield True
    finally:
        claim.unlink(missing_ok=True)


def _names(name: str) -> Iterator[str]:
    yield name
    yield from (f"{name}-{number}" for number in count(2))


def rule_named(rules: Sequence[str]) -> Rule:
    """The rule that a stream is judged by, of those named; EntryError where there is none of this id."""
    try:
        return find_rule((*rules, ANY_RULE)[0])
    except LookupError as error:
        raise EntryError(str(error.args[0])) from None


def telling(question: Question, rule: Rule) -> list[Deviation]:
    """The deviations that this stream tells most of: those that show on the fewest telling cases.

    Of a large stream it is one that shows on many, since to try all of them would take minutes.
    """
    seen = _seldom()
    if len(question.wire) > _LARGE:
        often = sorted((one for one in CATALOGUE if not one.is_choice), key=lambda one: -seen[one.name])
        return list(islice((one for one in often if shows(question, rule, one)), 1))
    return sorted(kills_of(question, rule), key=lambda one: (seen[one.name], one.name))[:NAMED]


@cache
def _seldom() -> Counter[str]:
    found = Counter({one.name: 10_000 for one in CATALOGUE if one.is_choice})
    found.update(one.name for shown in telling_cases().values() for one in shown)
    return found
