"""Runs rules against a target: search for a failure, shrink it, say what it is.

Strategy: the seeded driver makes streams as fast as it can, each interpreted once and run under several plans of
cuts; then Hypothesis adds examples of its own, through the same grammar. The first failure ends the search; the
shrinker makes it small within the same rule and the same kind of difference.
"""

from __future__ import annotations

import re
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from importlib.metadata import version
from random import Random

from chunkproof_reports.results import Counterexample, Kind, Results, RuleResult, Status, TargetRecord
from chunkproof_reports.results import Stream as StreamRecord
from chunkproof_strategies.chunkings import Cuts, chunks_of, without_empty_chunks
from chunkproof_strategies.generator import RandomSource
from chunkproof_strategies.grammar import Draft, Stream
from chunkproof_targets.contract import Run, Target

from .counterexample import TOKEN_LENGTH_MAX, Case, encode_token
from .examples import hypothesis_examples
from .judge import Expectation, record_of_run
from .peace import at_peace
from .rules import RULES, Rule
from .sharp import SHARP
from .shrinker import shrink
from .traits import SHORTER, traits
from .watch import Watch

__all__ = [
    "EFFORTS",
    "RELEASE_SEED",
    "Effort",
    "Finding",
    "Session",
    "check",
    "check_rule",
    "describe_target",
    "resolve_seed",
    "search_examples",
    "search_seeded",
]

RELEASE = version("chunkproof")
#: The seed of every run that asks for no other: fixed by release, so that nobody's CI turns red by chance.
RELEASE_SEED = RELEASE


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is done for each rule: checks of the seeded driver, and Hypothesis examples on top.

    ``checks`` is what a rule of weight 1 makes on streams of ordinary length; a check of a long wire counts for more.
    """

    name: str
    checks: int
    examples: int


EFFORTS = {
    effort.name: effort
    for effort in (Effort("smoke", 250, 0), Effort("default", 12_000, 40), Effort("deep", 120_000, 400))
}

# A check of so many bytes counts double, of twice as many three times, and so on.
_BYTES_A_CHECK = 256
# Why a rule had no stream left to judge by, with and without `Rule.only_cuts`.
_NOTHING_LEFT = {
    False: "the target takes none of this rule's streams",
    True: "the target differs on every stream of this rule uncut, so nothing can be said of the cuts",
}
# Files of the suite that a target's traceback runs through.
_OURS = re.compile(r"[/\\](chunkproof|chunkproof_targets)[/\\](?!libraries|published|reference)|<frozen ")
# A counterexample of so many bytes is read at a glance; a longer one may leave out spaces and colons.
_SHORT_ENOUGH = 16
_NOT_EVERY_TIME = (
    "It failed so, but not every time: run again, it was right. The parser may keep something from one stream to the "
    "next, or depend on time or chance."
)
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
class Session:
    """One rule against one target: runs streams under plans, counts, and keeps the first failure."""

    rule: Rule
    target: Target
    watch: Watch
    checks: int = 0
    streams: int = 0
    spent: float = 0.0

    def run(self, wire: bytes, cuts: Cuts, before: tuple[bytes, ...] = ()) -> Run:
        """One run of the target, behind those that come before it."""
        watch, target = self.watch, self.target
        for earlier in before:
            watch.run(target, chunks_of(earlier, ()))
        return watch.run(target, chunks_of(wire, cuts))

    def try_stream(self, stream: Stream, source: RandomSource) -> Finding | None:
        """Every wire of the stream under every plan; None if all is right."""
        rule = self.rule
        for wire in rule.wires(stream.wire):
            expectation = rule.expectation(self.target, wire)
            if expectation is None or (rule.only_cuts and expectation.differs(self.run(wire, ())) is not None):
                self.spent += 1
                continue
            self.streams += 1
            checks = 0
            try:
                for cuts in self._plans(wire, source):
                    checks += 1
                    run = self.run(wire, cuts, stream.before)
                    kind = expectation.differs(run)
                    if kind is not None:
                        return Finding(stream.before, wire, cuts, kind, run)
            finally:
                self.checks += checks
                self.spent += checks * (1 + len(wire) / _BYTES_A_CHECK)
        return None

    def _plans(self, wire: bytes, source: RandomSource) -> Iterable[Cuts]:
        if self.target.takes == "lines":
            return ((),)
        plans = self.rule.plans(wire, source)
        if self.target.empty_chunk_ends:
            return (without_empty_chunks(cuts, len(wire)) for cuts in plans)
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

        def same(wire: bytes, cuts: Cuts) -> bool:
            if not self.rule.point(wire, cuts) or (allowed is not None and not traits(wire, cuts) <= allowed):
                return False
            return self.kind(wire, cuts, finding.before) == finding.kind

        return same

    def kind(self, wire: bytes, cuts: Cuts, before: tuple[bytes, ...]) -> Kind | None:
        """In what way the target differs on a stream; None where it does not, or where nothing can be asked of it."""
        if self.target.empty_chunk_ends and cuts != without_empty_chunks(cuts, len(wire)):
            return None
        expectation = self.rule.expectation(self.target, wire)
        if expectation is None or (self.rule.only_cuts and expectation.differs(self.run(wire, ())) is not None):
            return None
        return expectation.differs(self.run(wire, cuts, before))


def resolve_seed(seed: str | int | None) -> str:
    """The seed of a run: the release's own by default, a fresh number for "random", or what is given."""
    if seed is None or seed == "":
        return RELEASE_SEED
    if seed == "random":
        return str(Random().randrange(10**9))
    return str(seed)


def check_rule(rule: Rule, target: Target, *, effort: Effort, seed: str, watch: Watch) -> RuleResult:
    """Judge the target by one rule. A fault of the suite itself comes back as a result of status "fault"."""
    started = time.perf_counter()
    session = Session(rule, target, watch)
    reason = rule.not_judged(target)
    status: Status = "not judged"
    counterexample = None
    advice = ""
    if not reason:
        try:
            finding = _search(session, effort, seed)
            status = "held"
            if finding is not None:
                status = "broken"
                counterexample, advice = _counterexample(session, finding)
            elif not session.streams:
                status, reason = "not judged", _NOTHING_LEFT[rule.only_cuts]
        except Exception:  # a fault of ours is a result too: shown whole, and the run goes on
            status, reason = "fault", traceback.format_exc()
    return RuleResult(
        id=rule.id,
        target=target.name,
        requirement=rule.requirement,
        clause=rule.clause,
        severity=rule.severity,
        status=status,
        wpt=rule.wpt,
        since=rule.since,
        checks=session.checks,
        streams=session.streams,
        seconds=round(time.perf_counter() - started, 4),
        reason=reason,
        advice=advice,
        counterexample=counterexample,
    )


def check(
    target: Target, effort: str = "default", *, seed: str | int | None = None, rules: Iterable[Rule] = RULES
) -> Results:
    """Judge a target by all rules, without pytest."""
    chosen = resolve_seed(seed)
    results = Results(RELEASE, effort, chosen, [describe_target(target)])
    with at_peace(), Watch() as watch:
        for rule in rules:
            results.rules.append(check_rule(rule, target, effort=EFFORTS[effort], seed=chosen, watch=watch))
    return results


def describe_target(target: Target) -> TargetRecord:
    """How a target is driven, what it shows and how it was found, in words."""
    shows = target.shows
    shown = [
        *(["type"] if shows.type else []),
        "data" if shows.data == "text" else "data (decoded JSON)",
        *(["last event ID"] if shows.last_event_id or shows.end_last_event_id else []),
        *([f"retry ({shows.retry})"] if shows.retry else []),
    ]
    return TargetRecord(target.name, target.shape, ", ".join(shown), target.found)


# search ----------------------------------------------------------------------------------------------------------


def _search(session: Session, effort: Effort, seed: str) -> Finding | None:
    found = search_seeded(session, effort.checks * session.rule.weight, f"{seed}/{session.rule.id}")
    if found is not None or not session.streams or not effort.examples:
        return found
    return search_examples(session, effort.examples, f"{seed}/{session.rule.id}/hypothesis")


def search_seeded(session: Session, budget: float, seed: str) -> Finding | None:
    """The first failure among the seeded driver's streams; None when the budget of checks is spent."""
    source = RandomSource(seed)
    for stream in _new_streams(lambda: session.draft(source)):
        found = session.try_stream(stream, source)
        if found is not None or session.spent >= budget:
            return found
    return None


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


def search_examples(session: Session, examples: int, seed: str) -> Finding | None:
    """The first failure among so many streams made of Hypothesis's choices, or None."""
    source = RandomSource(seed)
    return hypothesis_examples(
        session.rule.write,
        lambda stream: session.try_stream(stream, source),
        examples=examples,
        seed=seed,
        json_only=session.target.shows.json_only,
    )


# counterexamples -------------------------------------------------------------------------------------------------


def _counterexample(session: Session, finding: Finding) -> tuple[Counterexample, str]:
    """The finding made small, as it is shown, and the advice that goes with it."""
    found = finding
    # A hang costs its whole time at each try, so it is shown as it was found. What does not fail again is shown so too.
    if finding.kind != "hung" and session.kind(finding.wire, finding.cuts, finding.before) == finding.kind:
        finding = _smaller(session, _less_before(session, finding))
    run = session.run(finding.wire, finding.cuts, finding.before)
    advice = session.rule.advice(run.failure)
    expectation = session.rule.expectation(session.target, finding.wire)
    if expectation is not None and expectation.differs(run) is None:
        finding, run, advice = found, found.run, _NOT_EVERY_TIME
        expectation = session.rule.expectation(session.target, finding.wire)
    assert expectation is not None, "what failed can be expected again"
    streams = (*((earlier, ()) for earlier in finding.before), (finding.wire, finding.cuts))
    return record(Case(session.rule.id, session.target.takes, streams), expectation, run, finding.kind), advice


def _less_before(session: Session, finding: Finding) -> Finding:
    """The finding without the streams that ran before it, or with smaller ones, if it still fails."""

    def same(before: tuple[bytes, ...]) -> bool:
        return session.kind(finding.wire, finding.cuts, before) == finding.kind

    if not finding.before or same(()):
        return replace(finding, before=())
    (earlier,) = finding.before
    earlier, _ = shrink(earlier, (), lambda wire, cuts: not cuts and same((wire,)))
    return replace(finding, before=(earlier,))


def _smaller(session: Session, finding: Finding) -> Finding:
    """The finding made small: the first sharp stream that fails so, or what the shrinker gets of it."""
    fails = session.fails(finding, also=None if session.rule.broad else SHORTER)
    for wire, cuts in SHARP:
        if fails(wire, cuts):
            return replace(finding, wire=wire, cuts=cuts)
    wire, cuts = shrink(finding.wire, finding.cuts, session.fails(finding))
    if len(wire) > _SHORT_ENOUGH:
        wire, cuts = shrink(wire, cuts, session.fails(finding, also=SHORTER))
    return replace(finding, wire=wire, cuts=cuts)


def record(case: Case, expectation: Expectation, run: Run, kind: Kind) -> Counterexample:
    """A counterexample as it is shown and kept; a large one has no token yet (who prints it writes a file)."""
    token = encode_token(case)
    return Counterexample(
        kind=kind,
        streams=tuple(StreamRecord.of(wire, cuts) for wire, cuts in case.streams),
        expected=expectation.record(),
        actual=record_of_run(run),
        token=token if len(token) <= TOKEN_LENGTH_MAX else "",
        token_file="" if len(token) <= TOKEN_LENGTH_MAX else token,
        traceback=_where(run.failure),
    )


def _where(failure: BaseException | None) -> str:
    """The last line of the target's own that was running when the exception left it; empty if there is none."""
    frames = traceback.extract_tb(failure.__traceback__) if failure is not None else []
    for frame in reversed(frames):
        if not _OURS.search(frame.filename):
            return f"{frame.filename}:{frame.lineno} in {frame.name}: {frame.line or ''}".rstrip(": ")
    return ""
