"""One rule against one target: streams are drawn, cut, run and compared, until one differs or the effort is spent."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from time import monotonic

from chunkproof_reports.results import Kind
from chunkproof_strategies.chunkings import Cuts, chunks_of, outside_characters, without_empty_chunks
from chunkproof_strategies.generator import RandomSource
from chunkproof_strategies.grammar import Draft, Stream
from chunkproof_targets.contract import Run, Target, TargetStopped

from .examples import hypothesis_examples
from .judge import Expectation
from .question import Question
from .rules import Rule
from .rules.rule import anywhere
from .traits import traits
from .watch import Watch
from .way import LEFT_OUT, InItsWay

__all__ = ["Finding", "RuleRun", "search_cases", "search_examples", "search_seeded"]

# A check of so many bytes counts double, of twice as many three times, and so on.
_BYTES_A_CHECK = 256
# So many streams in a row that were seen before: the rule has no more of them.
_REPEATS_MAX = 60


@dataclass(frozen=True, slots=True)
class Finding:
    """A stream on which the target differs: what was run before it, the wire, its cuts, in what way, and the run."""

    before: tuple[bytes, ...]
    wire: bytes
    cuts: Cuts
    kind: Kind
    run: Run


@dataclass(slots=True)
class RuleRun:
    """One rule against one target: runs streams under plans, counts, and keeps the first failure.

    From ``until`` on, by `time.monotonic`, no further stream is tried.
    """

    rule: Rule
    target: Target
    watch: Watch
    checks: int = 0
    streams: int = 0
    spent: float = 0.0
    until: float = float("inf")
    out_of_time: bool = False

    def run(self, wire: bytes, cuts: Cuts, before: tuple[bytes, ...] = ()) -> Run:
        """One run of the target, behind those that come before it, noted on the board."""
        watch, target, way = self.watch, self.target, self.rule.way
        watch.note(before, wire, [cuts], self.checks, self.streams)
        if way is not None:
            return watch.run_alone(InItsWay(way, target, before), chunks_of(wire, cuts))
        for earlier in before:
            watch.run(target, chunks_of(earlier, ()))
        return watch.run_alone(target, chunks_of(wire, cuts))

    def _run(self, wire: bytes, cuts: Cuts, before: tuple[bytes, ...] = ()) -> Run:
        watch, target = self.watch, self.target
        for earlier in before:
            watch.run(target, chunks_of(earlier, ()))
        return watch.run(target, chunks_of(wire, cuts))

    def try_stream(self, stream: Stream, source: RandomSource) -> Finding | None:
        """Every wire of the stream under every plan; None if all is right, or if there is no time left."""
        if monotonic() > self.until:
            self.out_of_time = True
            return None
        rule = self.rule
        if rule.way is not None:
            return self._try_in_its_way(stream, source)
        for wire in rule.wires(stream.wire):
            expectation = rule.expectation(self.target, wire)
            wrong = None if expectation is None else self._wrong_uncut(expectation, wire)
            if wrong is not None and isinstance(wrong.failure, TargetStopped):
                # Graver than what is left out: each of these streams would cost its whole time.
                self.checks += 1
                return Finding((), wire, (), wrong.failure.kind, wrong)
            if expectation is None or wrong is not None:
                self.spent += 1
                continue
            self.streams += 1
            checks = 0
            plans = list(self.plans(wire, source))
            self.watch.note(stream.before, wire, plans, self.checks, self.streams)
            number = self.watch.plan
            try:
                for cuts in plans:
                    number[0] = checks
                    checks += 1
                    run = self._run(wire, cuts, stream.before)
                    kind = expectation.at(cuts).differs(run)
                    if kind is not None:
                        return Finding(stream.before, wire, cuts, kind, run)
            finally:
                self.checks += checks
                self.spent += checks * (1 + len(wire) / _BYTES_A_CHECK)
        return None

    def _wrong_uncut(self, expectation: Expectation, wire: bytes) -> Run | None:
        """The uncut run of a stream, where it is wrong and the rule judges the cuts alone."""
        if not self.rule.only_cuts:
            return None
        run = self.run(wire, ())
        return None if expectation.differs(run) is None else run

    def _try_in_its_way(self, stream: Stream, source: RandomSource) -> Finding | None:
        """The same for a rule with a way of its own: what that leaves out is not counted."""
        way = self.rule.way
        assert way is not None
        for wire in self.rule.wires(stream.wire):
            judged = 0
            expectation = self.rule.expectation(self.target, wire)
            for cuts in self.plans(wire, source) if expectation is not None else ():
                assert expectation is not None
                self.spent += 1 + len(wire) / _BYTES_A_CHECK
                run = self.run(wire, cuts, stream.before)
                kind = way.verdict(expectation, wire, cuts, run)
                if kind == LEFT_OUT:
                    continue
                judged += 1
                self.checks += 1
                self.streams += judged == 1
                if kind is not None:
                    return Finding(stream.before, wire, cuts, kind, run)
            self.spent += not judged
        return None

    def try_case(self, case: Question) -> Finding | None:
        """A stored stream, cut as it is stored; None if it is right, or cannot be asked of this target."""
        if monotonic() > self.until:
            self.out_of_time = True
            return None
        rule, wire, cuts = self.rule, case.wire, case.cuts
        if self.target.takes == "lines":
            cuts = ()
        elif self.target.empty_chunk_ends:
            cuts = without_empty_chunks(cuts, len(wire))
        expectation, *others = (rule.expectation(self.target, one) for one in (wire, *case.before))
        if expectation is None or None in others:
            return None
        run = self.run(wire, cuts, case.before)
        kind = rule.verdict(expectation, wire, cuts, run)
        if kind == LEFT_OUT:
            return None
        self.checks += 1
        self.streams += 1
        return None if kind is None else Finding(case.before, wire, cuts, kind, run)

    def plans(self, wire: bytes, source: RandomSource) -> Iterable[Cuts]:
        """The chunkings of a wire that the rule asks for and the target can be given."""
        if self.target.takes == "lines":
            return ((),)
        plans = self.rule.plans(wire, source)
        if not self.rule.cuts_characters and not wire.isascii():
            plans = (outside_characters(wire, cuts) for cuts in plans)
        if self.target.empty_chunk_ends:
            plans = (without_empty_chunks(cuts, len(wire)) for cuts in plans)
        return plans

    def draft(self, source: RandomSource) -> Stream:
        """One stream of the rule."""
        draft = Draft(source, json_only=self.target.shows.json_only)
        self.rule.write(draft)
        return draft.finish()

    def fails(self, finding: Finding, *, also: frozenset[str] | None = frozenset()) -> Callable[[bytes, Cuts], bool]:
        """Whether another stream is within the rule and fails in the same way: what the shrinker asks.

        It may have the traits of the finding and those named besides, and no others; None allows any.
        """
        allowed = None if also is None else traits(finding.wire, finding.cuts) | also
        # Most streams of a rule hold its point; one that does not is made small without it.
        point = self.rule.point if self.rule.point(finding.wire, finding.cuts) else anywhere

        def same(wire: bytes, cuts: Cuts) -> bool:
            if not point(wire, cuts) or (allowed is not None and not traits(wire, cuts) <= allowed):
                return False
            return self.kind(wire, cuts, finding.before) == finding.kind

        return same

    def first_that_fails(
        self, streams: Iterable[tuple[bytes, Cuts]], finding: Finding, *, also: frozenset[str] | None
    ) -> tuple[bytes, Cuts] | None:
        """The first of these streams that fails as the finding does; see `fails`."""
        fails = self.fails(finding, also=also)
        return next(((wire, cuts) for wire, cuts in streams if fails(wire, cuts)), None)

    def kind(self, wire: bytes, cuts: Cuts, before: tuple[bytes, ...]) -> Kind | None:
        """In what way the target differs on a stream; None where it does not, or where nothing can be asked of it."""
        if self.target.empty_chunk_ends and cuts != without_empty_chunks(cuts, len(wire)):
            return None
        expectation = self.rule.expectation(self.target, wire)
        if expectation is None:
            return None
        wrong = self._wrong_uncut(expectation, wire)
        if wrong is not None:
            return wrong.failure.kind if isinstance(wrong.failure, TargetStopped) else None
        return self.rule.differs(expectation, wire, cuts, self.run(wire, cuts, before))


def search_seeded(rule_run: RuleRun, budget: float, source: RandomSource) -> Finding | None:
    """The first failure among the seeded driver's streams; None when the budget of checks is spent."""
    for stream in _new_streams(lambda: rule_run.draft(source)):
        found = rule_run.try_stream(stream, source)
        if found is not None or rule_run.spent >= budget or rule_run.out_of_time:
            return found
    return None


def search_cases(rule_run: RuleRun, cases: Iterable[Question]) -> Finding | None:
    """The first failure among stored streams; each is run once."""
    return next((found for case in cases if (found := rule_run.try_case(case)) is not None), None)


def _new_streams(draft: Callable[[], Stream]) -> Iterator[Stream]:
    """Streams that were not drawn before, until the rule seems to have no more of them."""
    seen: set[tuple[bytes, tuple[bytes, ...]]] = set()
    repeats = 0
    while repeats < _REPEATS_MAX:
        stream = draft()
        key = (stream.wire, stream.before)
        if key in seen:
            repeats += 1
            continue
        repeats = 0
        seen.add(key)
        yield stream


def search_examples(rule_run: RuleRun, examples: int, seed: str) -> Finding | None:
    """The first failure among so many streams made of Hypothesis's choices, or None."""
    source = RandomSource(seed)
    return hypothesis_examples(
        rule_run.rule.write,
        lambda stream: rule_run.try_stream(stream, source),
        examples=examples,
        seed=seed,
        json_only=rule_run.target.shows.json_only,
    )
