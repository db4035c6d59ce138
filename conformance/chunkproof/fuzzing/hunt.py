"""What an engine does with a stream on which the target differs: is it news, and if so, what is its smallest form?

Most streams on which a faulty target fails show what is known by then. What the deviations found so far explain is no
news, and no stream is made small into one that they explain: so a second fault is seen behind a frequent one.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from chunkproof_reports.results import Kind, RuleResult
from chunkproof_strategies.chunkings import Cuts, chunks_of, without_empty_chunks
from chunkproof_targets.contract import Run, Target, TargetError
from chunkproof_targets.deviations import Deviation, find_deviations
from chunkproof_targets.deviations.compose import DeviatingTarget, compose

from ..corpus.making import ANY_RULE
from ..counterexample import decode_token
from ..diagnosis.seen import Seen
from ..judge import Expectation
from ..question import Question
from ..rule_run import Finding, RuleRun
from ..rules import Rule, find_rule
from ..smaller import smaller
from ..watch import Watch
from ..ways import due_sizes
from .found import Found, is_on_what_comes_out

__all__ = ["PROMPT", "Hunt", "any_stream", "explains", "prompt_rule", "seems_late"]

#: The rule that says when an event is out.
PROMPT = "delivery/prompt"
# The part of the time that may go into making streams small, and seconds that it may take at the start.
_SHRINKING, _SHRINKING_START = 0.25, 0.5
# Seconds for which one stream is made small: where a target is slow, that which is the smallest by then is kept.
_ONE_STREAM = 10.0
_CR = 0x0D


@dataclass(slots=True)
class Hunt:
    """One target before one engine: judges streams, and tells news from what is known.

    ``known`` are the deviations that explain what was found so far, ``signatures`` the findings that they do not.
    ``checks`` are the runs that were judged, ``repeats`` the failures that were no news; ``passed_over`` those of which
    that is not known, since making streams small would have taken too much of the time: of that since ``began``,
    ``shrinking`` seconds went into it. Where it ``holds_back``, nothing is made small: enough waits to be looked at.
    ``any_rule`` is what streams of any kind are judged by.
    """

    target: Target
    watch: Watch
    engine: str
    known: tuple[Deviation, ...] = ()
    signatures: set[str] = field(default_factory=set)
    checks: int = 0
    repeats: int = 0
    passed_over: int = 0
    began: float = field(default_factory=time.monotonic)
    shrinking: float = 0.0
    holds_back: bool = False
    any_rule: Rule = field(default_factory=lambda: any_stream())
    _prompt: Rule | None = None
    _wire: bytes | None = None
    _expectation: Expectation | None = None

    def __post_init__(self) -> None:
        self._prompt = prompt_rule(self.target)

    def judge(self, wire: bytes, cuts: Cuts, seed: str) -> Found | None:
        """Run one chunking of a stream, and compare it with the oracle; a finding, made small, where it is news."""
        if self.target.takes == "lines":
            cuts = ()
        elif self.target.empty_chunk_ends:
            cuts = without_empty_chunks(cuts, len(wire))
        return self.judge_plans(wire, (cuts,), seed)

    def judge_plans(self, wire: bytes, plans: Sequence[Cuts], seed: str) -> Found | None:
        """The same with several chunkings, up to the first that is news; each is one that the target can be given.

        ``watch.plan[0]`` says which of them is run.
        """
        if wire != self._wire:
            self._wire, self._expectation = wire, self.any_rule.expectation(self.target, wire)
        expectation = self._expectation
        if expectation is None:
            return None
        target, run_target, number, timed = self.target, self.watch.run, self.watch.plan, self._prompt is not None
        explained: list[Run] = []
        for at, cuts in enumerate(plans):
            number[0] = at
            self.checks += 1
            run = run_target(target, chunks_of(wire, cuts))
            kind = expectation.at(cuts).differs(run)
            if kind is None:
                if not timed or not seems_late(run, wire, cuts):
                    continue
                found = self._late(wire, cuts, seed)
            elif any(same_end(run, other) for other in explained):
                # What is known explains it, cut otherwise: to ask again for each plan would take most of the time.
                self.repeats += 1
                continue
            else:
                repeats = self.repeats
                found = self.news(self.any_rule, Finding((), wire, cuts, kind, run), seed)
                explained += [run] * (self.repeats > repeats)
            if found is not None:
                return found
        return None

    def _late(self, wire: bytes, cuts: Cuts, seed: str) -> Found | None:
        """What seems to come late, judged as the rule on that does."""
        assert self._prompt is not None
        if not self._prompt.point(wire, cuts):
            return None
        found = RuleRun(self._prompt, self.target, self.watch).try_case(Question(wire, cuts))
        return None if found is None else self.news(self._prompt, found, seed)

    def news(self, rule: Rule, finding: Finding, seed: str) -> Found | None:
        """The finding made small; None where it shows nothing new, or where there is no time to tell."""
        if explains(self.known, self.target, rule, finding):
            self.repeats += 1
            return None
        if self.holds_back or self.shrinking > _SHRINKING_START + _SHRINKING * (time.monotonic() - self.began):
            self.passed_over += 1
            return None
        started = time.monotonic()
        small = self._smaller(rule, finding)
        self.shrinking += time.monotonic() - started
        return self._if_new(
            Found(rule.id, small.kind, small.wire, small.cuts, small.before, self.target.takes, self.engine, seed)
        )

    def measured(self, result: RuleResult, seed: str) -> Found | None:
        """The finding that a broken rule is which measures: it has made its stream small itself."""
        assert result.counterexample is not None
        if any(one.shows_in == result.id for one in self.known):
            self.repeats += 1
            return None
        token, kind = result.counterexample.token, result.counterexample.kind
        found = Found.of_case(decode_token(token), kind, engine=self.engine, seed=seed)
        return self._if_new(replace(found, result=result.to_data()))

    def _if_new(self, found: Found) -> Found | None:
        if found.signature in self.signatures:
            self.repeats += 1
            return None
        self.signatures.add(found.signature)
        return found

    def _smaller(self, rule: Rule, finding: Finding) -> Finding:
        rule_run = _Unexplained(rule, self.target, self.watch, self.known)
        # As for a rule: a hang costs its whole time at each try, and what does not fail again stays as it is.
        if finding.kind == "hung" or rule_run.kind(finding.wire, finding.cuts, finding.before) != finding.kind:
            return finding
        return smaller(rule_run, finding)


class _Unexplained(RuleRun):
    """A rule's runs in which only that fails which the known deviations do not explain."""

    def __init__(self, rule: Rule, target: Target, watch: Watch, known: tuple[Deviation, ...]) -> None:
        super().__init__(rule, target, watch, until=time.monotonic() + _ONE_STREAM)
        self.known = known

    def kind(self, wire: bytes, cuts: Cuts, before: tuple[bytes, ...]) -> Kind | None:
        """See `RuleRun.kind`; when the time is up, nothing fails any more, and so nothing smaller is found."""
        if time.monotonic() > self.until:
            return None
        kind = super().kind(wire, cuts, before)
        if kind is None or not self.known:
            return kind
        finding = Finding(before, wire, cuts, kind, self.run(wire, cuts, before))
        return None if explains(self.known, self.target, self.rule, finding) else kind


def any_stream() -> Rule:
    """The rule on streams of any kind. A stream that breaks it is made small within its own traits."""
    return replace(find_rule(ANY_RULE), broad=False)


def prompt_rule(target: Target) -> Rule | None:
    """The rule that says when events are out; None where that cannot be seen of this target."""
    rule = find_rule(PROMPT)
    return None if rule.not_judged(target) or rule.severity_for(target) == "info" else rule


def explains(known: Iterable[Deviation], target: Target, rule: Rule, finding: Finding) -> bool:
    """Whether the reference parser with some of these deviations, or with all of them, does the same."""
    known = tuple(known)
    if rule.examine is not None:
        return any(one.shows_in == rule.id for one in known)
    if rule.way is None:
        known = tuple(one for one in known if not one.shows_in)
    sets = [known, *((one,) for one in known if len(known) > 1)] if known else []
    does_so = _gives if is_on_what_comes_out(rule) else _breaks
    return any(does_so(some, target, rule, finding) for some in sets)


def _gives(deviations: tuple[Deviation, ...], target: Target, rule: Rule, finding: Finding) -> bool:
    """Whether what came out is what the reference parser with these gives."""
    seen = Seen(Question(finding.wire, finding.cuts, finding.before), finding.run)
    # What the target declares it does besides.
    declared = find_deviations("+".join(target.deviations))
    deviations = (*(one for one in declared if one not in deviations), *deviations)
    try:
        return seen.fits(target, deviations)
    except TargetError:  # they cannot be combined
        return False


def _breaks(deviations: tuple[Deviation, ...], target: Target, rule: Rule, finding: Finding) -> bool:
    """Whether the reference parser with these breaks the rule so on this stream."""
    try:
        deviating = DeviatingTarget(compose(deviations), has_end=target.has_end)
    except TargetError:
        return False
    # A watch that was not entered has no clock: that of the run in hand goes on.
    kind = RuleRun(rule, deviating, Watch()).kind(finding.wire, finding.cuts, finding.before)
    return kind == finding.kind


def same_end(one: Run, other: Run) -> bool:
    """Whether two runs of one stream came to the same."""
    return (
        [delivery.event for delivery in one.deliveries] == [delivery.event for delivery in other.deliveries]
        and (one.last_event_id, one.retries) == (other.last_event_id, other.retries)
        and type(one.failure) is type(other.failure)
    )


def seems_late(run: Run, wire: bytes, cuts: Cuts) -> bool:
    """Whether an event came out with a later chunk than it was due with, in a run that gave all events.

    It was due with the first chunk by whose end its blank line was complete; a CR at the end of a chunk may be held.
    """
    for size, (_, number, _) in zip(due_sizes(wire), run.deliveries, strict=False):
        if number > 1:
            before = cuts[number - 2] if number - 2 < len(cuts) else len(wire)
            # What ends with the event's last byte had it, but where that is a CR.
            if before > size or (before == size and wire[size - 1] != _CR):
                return True
    return False
