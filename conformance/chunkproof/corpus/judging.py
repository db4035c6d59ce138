"""Entries as rules: what a target does with a stored stream, and which faults of the catalogue that shows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from chunkproof_reports.results import Severity
from chunkproof_strategies.grammar import Draft
from chunkproof_targets.deviations import CATALOGUE, Deviation
from chunkproof_targets.deviations.compose import DeviatingTarget
from chunkproof_targets.reference import ReferenceParser

from ..diagnosis.seen import predict
from ..oracle import interpret
from ..question import Question
from ..rule_run import RuleRun, search_cases
from ..rules import Rule
from ..rules.rule import anywhere, itself
from ..watch import Watch
from .entry import Entry, EntryError

__all__ = ["CHAPTER", "assert_agrees", "kills", "kills_of", "rule_of", "rules_of", "shows"]

#: The chapter of the rules that are entries; their ids begin with it.
CHAPTER = "corpus"
_GRAVEST_FIRST: tuple[Severity, ...] = ("must", "should", "info")
# What a machine has found may be a fault that no catalogue has: there it is the target that shows it.
_MAY_BE_NEW = ("fuzz", "prover")
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
    """EntryError where the entry says something else than the oracle, names a deviation that it does not show, or
    weighs more than it may."""
    outcome, expected = interpret(entry.wire), entry.expected
    for name in ("events", "last_event_id", "retries"):
        said, right = getattr(expected, name), getattr(outcome, name)
        if said != right:
            raise EntryError(f"expected.{name}: {said!r:.200} stands where the standard says {right!r:.200}")
    for deviation in entry.deviations:
        if not shows(entry.question, entry.rules[0], deviation):
            raise EntryError(f"deviations: {deviation.name} does on this stream what the standard says")
    if not entry.deviations and entry.severity == "must" and entry.origin["kind"] not in _MAY_BE_NEW:
        raise EntryError("deviations: none shows on this stream; an entry of severity must names one at least")
    _assert_weighs_no_more(entry)


def _assert_weighs_no_more(entry: Entry) -> None:
    """EntryError where the entry is graver than its first rule, or than what the standard leaves open."""
    rule, severity = entry.rules[0], entry.severity
    if _GRAVEST_FIRST.index(severity) < _GRAVEST_FIRST.index(rule.severity):
        raise EntryError(
            f"severity: {severity} is graver than {rule.id}, a {rule.severity}: give --severity {rule.severity}"
        )
    if severity == "info":
        return
    for deviation in CATALOGUE:
        if deviation.is_choice and shows(entry.question, rule, deviation) and _breaks(entry, deviation):
            raise EntryError(
                f"severity: {severity} stands where the standard leaves open what is done: {deviation.name} shows on "
                f"this stream, and is a choice: give --severity info"
            )


def _breaks(entry: Entry, deviation: Deviation) -> bool:
    """Whether it breaks the rule that the entry is, which may not compare all of the state."""
    with Watch() as watch:
        rule_run = RuleRun(rule_of(entry), DeviatingTarget(deviation.part), watch)
        return search_cases(rule_run, [entry.question]) is not None


def kills(entry: Entry) -> list[Deviation]:
    """The deviations of the catalogue that show on the entry."""
    return kills_of(entry.question, entry.rules[0])


def kills_of(question: Question, rule: Rule) -> list[Deviation]:
    """The deviations that show on a stream, as this rule judges it."""
    return [deviation for deviation in CATALOGUE if shows(question, rule, deviation)]


def shows(question: Question, rule: Rule, deviation: Deviation) -> bool:
    """Whether the reference parser with this deviation breaks the rule on this stream.

    What shows in no outcome shows in its own rule alone.
    """
    if rule.way is None:
        if deviation.shows_in:
            return False
        return not predict(_REFERENCE, question, (deviation,)).agrees(predict(_REFERENCE, question, ()))
    if deviation.shows_in != rule.id:
        return False
    with Watch() as watch:
        rule_run = RuleRun(rule, DeviatingTarget(deviation.part), watch)
        return search_cases(rule_run, [question]) is not None
