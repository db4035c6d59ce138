"""From a finding to the counterexample that is shown: made small, run again, with the advice that it asks for."""

from __future__ import annotations

import traceback
from dataclasses import replace
from pathlib import Path

import chunkproof_targets
from chunkproof_reports.results import Counterexample, Kind, StreamRecord
from chunkproof_strategies.chunkings import Cuts, without_empty_chunks
from chunkproof_targets.contract import Run, TargetStopped

from .counterexample import Case, encode_token
from .judge import Expectation, record_of_run
from .rule_run import Finding, RuleRun
from .rules import Rule
from .sharp import SHARP
from .shrinker import shrink
from .traits import SHORTER

__all__ = ["NOT_EVERY_TIME", "advice_on", "counterexample_of", "is_ours", "record", "smaller"]

_OURS = (str(Path(__file__).parent), str(Path(chunkproof_targets.__file__).parent), "<frozen ")
_TARGETS = ("libraries", "published", "reference")
_PRINTED_MAX = 2000
_UNSHRUNK_MAX = 4096
# A counterexample of so many bytes is read at a glance; a longer one may leave out spaces and values.
_SHORT_ENOUGH = 16
# Of one of more bytes it is the length that matters: a second shrink would cost as much as the first, for nothing.
_LONG = 512
#: The advice where a failure was seen once.
NOT_EVERY_TIME = (
    "It failed so, but not every time: run again, it was right. The parser may keep something from one stream to the "
    "next, or depend on time or chance."
)
_EMPTY_CHUNK = (
    "It takes an empty chunk to fail so. If this parser documents an empty chunk as the end of input, declare it: "
    "--chunkproof-declare empty_chunk=end"
)
_DECLARED = (
    "What is expected here is not what the standard says, but what the reference parser gives with the declared "
    "deviation{} ({}). Declare only what the parser does."
)


def counterexample_of(rule_run: RuleRun, finding: Finding) -> tuple[Counterexample, str]:
    """The finding made small, as it is shown, and the advice that goes with it."""
    found = finding
    # A hang costs its whole time at each try, so it is shown as it was found. What does not fail again is shown so too.
    if finding.kind != "hung" and rule_run.kind(finding.wire, finding.cuts, finding.before) == finding.kind:
        finding = smaller(rule_run, finding)
    rule_run.watch.forget_printed()
    run = rule_run.run(finding.wire, finding.cuts, finding.before)
    printed = rule_run.watch.printed_texts()
    rule = rule_run.rule
    expectation = rule.expectation(rule_run.target, finding.wire)
    advice = advice_on(rule, expectation, finding.cuts, run) or _advice_on_cuts(finding)
    if expectation is not None and rule.differs(expectation, finding.wire, finding.cuts, run) is None:
        finding, run, advice = found, found.run, NOT_EVERY_TIME
        expectation = rule_run.rule.expectation(rule_run.target, finding.wire)
    assert expectation is not None, "what failed can be expected again"
    streams = (*((earlier, ()) for earlier in finding.before), (finding.wire, finding.cuts))
    case = Case(rule.case_of or rule.id, rule_run.target.takes, streams)
    shown = record(rule, case, expectation, run, finding.kind, printed)
    if len(found.wire) <= _UNSHRUNK_MAX and not found.before:
        shown = replace(shown, unshrunk=StreamRecord.of(found.wire, found.cuts))
    return shown, advice


def advice_on(rule: Rule, expectation: Expectation | None, cuts: Cuts, run: Run) -> str:
    """What the author of a target may do that failed so."""
    expected = expectation and expectation.at(cuts)
    if expected and expected.deviates:
        names = ", ".join(one.name for one in expected.deviations)
        return _DECLARED.format("s" * (len(expected.deviations) > 1), names)
    return rule.advice(run.failure)


def _advice_on_cuts(finding: Finding) -> str:
    return _EMPTY_CHUNK if finding.cuts != without_empty_chunks(finding.cuts, len(finding.wire)) else ""


def _less_before(rule_run: RuleRun, finding: Finding) -> Finding:
    """The finding without the streams that ran before it, or with smaller ones, if it still fails."""

    def same(before: tuple[bytes, ...]) -> bool:
        return rule_run.kind(finding.wire, finding.cuts, before) == finding.kind

    if not finding.before or same(()):
        return replace(finding, before=())
    (earlier,) = finding.before
    earlier, _ = shrink(earlier, (), lambda wire, cuts: not cuts and same((wire,)))
    return replace(finding, before=(earlier,))


def smaller(rule_run: RuleRun, finding: Finding) -> Finding:
    """The finding made small: the first sharp stream that fails so, or what the shrinker gets of it.

    A stored stream is shown as it is stored.
    """
    if rule_run.rule.cases is not None:
        return finding
    finding = _less_before(rule_run, finding)
    sharp = rule_run.first_that_fails(SHARP, finding, also=None if rule_run.rule.broad else SHORTER)
    if sharp is not None:
        return replace(finding, wire=sharp[0], cuts=sharp[1])
    wire, cuts = shrink(finding.wire, finding.cuts, rule_run.fails(finding))
    if _SHORT_ENOUGH < len(wire) <= _LONG:
        wire, cuts = shrink(wire, cuts, rule_run.fails(finding, also=SHORTER))
    return replace(finding, wire=wire, cuts=cuts)


def record(
    rule: Rule, case: Case, expectation: Expectation, run: Run, kind: Kind, printed: tuple[str, str] = ("", "")
) -> Counterexample:
    """A counterexample as it is shown and kept; ``printed`` is what the run left on stdout and stderr."""
    expected, actual = expectation.at(case.streams[-1][1]).record(), record_of_run(run)
    if rule.way is not None and not isinstance(run.failure, TargetStopped):
        expected, actual = rule.way.records(expectation, *case.streams[-1], run)
    return Counterexample(
        kind=kind,
        streams=tuple(StreamRecord.of(wire, cuts) for wire, cuts in case.streams),
        expected=expected,
        actual=actual,
        token=encode_token(case),
        others="run before" if rule.way is None else rule.way.others,
        traceback=_where(run.failure),
        stdout=_end(printed[0]),
        stderr=_end(printed[1]),
    )


def _end(text: str) -> str:
    return text if len(text) <= _PRINTED_MAX else f"… {len(text) - _PRINTED_MAX:,} characters …\n{text[-_PRINTED_MAX:]}"


def is_ours(filename: str) -> bool:
    """Whether a file is of the suite, and not of a target: the parsers that come with it are targets."""
    return filename.startswith(_OURS) and not any(name in filename for name in _TARGETS)


def _where(failure: BaseException | None) -> str:
    """The last line of the target's own that was running when the exception left it; empty if there is none."""
    frames = traceback.extract_tb(failure.__traceback__) if failure is not None else []
    for frame in reversed(frames):
        if not is_ours(frame.filename):
            return f"{frame.filename}:{frame.lineno} in {frame.name}: {frame.line or ''}".rstrip(": ")
    return ""
