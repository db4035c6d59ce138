"""Entries as rules: what a target does with a stored stream, and which faults of the catalogue that shows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from chunkproof_strategies.grammar import Draft
from chunkproof_targets.deviations import CATALOGUE, Deviation
from chunkproof_targets.deviations.compose import DeviatingTarget
from chunkproof_targets.reference import ReferenceParser

from ..diagnosis.seen import predict
from ..oracle import interpret
from ..rule_run import RuleRun, search_cases
from ..rules import Rule
from ..rules.rule import anywhere, itself
from ..watch import Watch
from .entry import Entry, EntryError

__all__ = ["CHAPTER", "assert_agrees", "kills", "rule_of", "rules_of", "shows"]

#: The chapter of the rules that are entries; their ids begin with it.
CHAPTER = "corpus"
_REFERENCE = DeviatingTarget(ReferenceParser)


def rule_of(entry: Entry) -> Rule:
    """The rule that the entry is: its one stream, judged as its first rule judges."""
    rule = entry.rules[0]

    def write(draft: Draft) -> None:
        draft.raw(entry.wire)

    return replace(
        rule,
        id=f"{CHAPTER}/{entry.id}",
        requirement=entry.title,
        severity=entry.severity,
        write=write,
        cases=lambda: [entry.question],
        case_of=rule.id,
        point=anywhere,
        wires=itself,
        only_cuts=False,
    )


def rules_of(entries: Iterable[Entry]) -> list[Rule]:
    """The rules of these entries, in their order."""
    return [rule_of(entry) for entry in entries]


def assert_agrees(entry: Entry) -> None:
    """EntryError where the entry says something else than the oracle, or names a deviation that it does not show."""
    outcome, expected = interpret(entry.wire), entry.expected
    for name in ("events", "last_event_id", "retries"):
        said, right = getattr(expected, name), getattr(outcome, name)
        if said != right:
            raise EntryError(f"expected.{name}: {said!r:.200} stands where the standard says {right!r:.200}")
    for deviation in entry.deviations:
        if not shows(entry, deviation):
            raise EntryError(f"deviations: {deviation.name} does on this stream what the standard says")
    if not entry.deviations and entry.severity == "must":
        raise EntryError("deviations: none shows on this stream; an entry of severity must names one at least")


def kills(entry: Entry) -> Iterator[Deviation]:
    """The deviations of the catalogue that show on the entry."""
    return (deviation for deviation in CATALOGUE if shows(entry, deviation))


def shows(entry: Entry, deviation: Deviation) -> bool:
    """Whether the reference parser with this deviation does something else than without it, as the entry is judged."""
    if not deviation.shows_in and entry.rules[0].way is None:
        return not predict(_REFERENCE, entry.question, (deviation,)).agrees(predict(_REFERENCE, entry.question, ()))
    if deviation.shows_in and (deviation.shows_in not in {rule.id for rule in entry.rules}):
        return False
    with Watch() as watch:
        rule_run = RuleRun(rule_of(entry), DeviatingTarget(deviation.part), watch)
        return search_cases(rule_run, [entry.question]) is not None
