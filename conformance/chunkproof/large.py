"""Runs one very long line, where the target's own pace allows it."""

from __future__ import annotations

import time
from collections.abc import Sequence

from chunkproof_reports.results import Counterexample, Kind, StreamRecord
from chunkproof_strategies.chunkings import Cuts, chunks_of, in_sizes
from chunkproof_targets.contract import Run

from .counterexample import Case, encode_token
from .examination import Examination, Examine, Examined
from .judge import expect, record_of_run

__all__ = ["large"]

# The pace is taken with a line of so many bytes, which rules of ordinary streams judge.
_PACE_BYTES = 1 << 16
_CHUNK_BYTES = 1 << 16
# At smoke effort, this part of the CPU seconds that one run may take.
_SMOKE = 0.2
_SMOKE_CHECKS = 1_000
# To make a failure smaller may take so many times the CPU seconds that one run may take.
_SMALLER = 2
_EXACT_BYTES = 64


def large(size: int, *, seconds_max: float) -> Examine:
    """The examination of the rule that a line of ``size`` bytes comes out whole, or that the declared limit raises.

    It is not sent to a target that would take more than ``seconds_max`` of CPU time for it, or less at smoke effort.
    """

    def examine(examination: Examination) -> Examined:
        most = seconds_max * (_SMOKE if examination.checks <= _SMOKE_CHECKS else 1)
        pace = _seconds(examination, _PACE_BYTES) * size / _PACE_BYTES
        if pace > most:
            return Examined(
                "not judged",
                f"not sent: at the pace of this parser a line of {size:,} bytes takes more than {most:g} s",
            )
        found = _differs(examination, size)
        if found is None:
            return Examined("held", checks=2, streams=1)
        if found[1] == "hung":
            # Sent because it would not take long, and it did: how the time grows is for the rules on that.
            return Examined("not judged", f"a line of {size:,} bytes took more than the time that one run may take")
        smallest = _smallest(examination, size, int(_SMALLER * most / (pace + 1e-3)))
        again = _differs(examination, smallest)
        # One that does not fail every time is shown as it was found.
        shown, (cuts, kind, run) = (size, found) if again is None else (smallest, again)
        counterexample = _counterexample(examination, shown, cuts, kind, run)
        return Examined("broken", counterexample=counterexample, checks=2, streams=1)

    return examine


def _wire(size: int) -> bytes:
    """A line of so many bytes between two short events. The data is JSON, for targets that take no other."""
    filled = b"0123456789abcdef" * (size // 16 + 1)
    return b'data: 1\n\ndata: "' + filled[: size - len(b'data: ""')] + b'"\n\ndata: 2\n\n'


def _ways(examination: Examination, wire: bytes) -> Sequence[Cuts]:
    return ((),) if examination.target.takes == "lines" else ((), in_sizes(wire, _CHUNK_BYTES))


def _seconds(examination: Examination, size: int) -> float:
    wire = _wire(size)
    examination.watch.note((), wire, [()])
    before = time.process_time()
    examination.watch.run(examination.target, chunks_of(wire, ()))
    return time.process_time() - before


def _differs(examination: Examination, size: int) -> tuple[Cuts, Kind, Run] | None:
    """In what way, and under what cuts, a line of this size does not come out right."""
    wire = _wire(size)
    expectation = expect(examination.target, wire)
    if expectation is not None:
        for cuts in _ways(examination, wire):
            examination.watch.note((), wire, [cuts])
            run = examination.watch.run(examination.target, chunks_of(wire, cuts))
            if (kind := expectation.at(cuts).differs(run)) is not None:
                return cuts, kind, run
    return None


def _smallest(examination: Examination, size: int, tries: int) -> int:
    """A small size that fails, if not the smallest: most limits fail everything beyond them."""
    right, wrong = _PACE_BYTES, size
    for _ in range(min(tries, 20)):
        if wrong - right <= _EXACT_BYTES:
            break
        middle = (right + wrong) // 2
        if _differs(examination, middle) is None:
            right = middle
        else:
            wrong = middle
    return wrong


def _counterexample(examination: Examination, size: int, cuts: Cuts, kind: Kind, run: Run) -> Counterexample:
    wire = _wire(size)
    expectation = expect(examination.target, wire)
    assert expectation is not None, "what failed can be expected again"
    return Counterexample(
        kind=kind,
        streams=(StreamRecord.of(wire, cuts),),
        expected=expectation.at(cuts).record(),
        actual=record_of_run(run),
        token=encode_token(Case(examination.rule, examination.target.takes, ((wire, cuts),))),
    )
