"""Measures whether a target's CPU time grows in line with the bytes of a stream, beside the reference parser.

Theory of operation: a stream of one kind is doubled until one run takes long enough (or it is long enough): only then
does the quadratic part of ``buf += chunk`` show, which is small. If the target's own times over the last four sizes are
in line with the bytes, that is all. If not, target and reference take turns over these sizes, in rounds; the least time
of each counts, and `growth` says what that means. An accusation needs more: rounds that know nothing of the first ones,
at one size larger, of which each must say the same. What stays unclear is not judged.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial

from chunkproof_reports.results import Counterexample, OutcomeRecord, Status, StreamRecord
from chunkproof_strategies.chunkings import Cuts, chunks_of, in_sizes
from chunkproof_targets.contract import Run, TargetStopped
from chunkproof_targets.reference import ReferenceParser
from chunkproof_targets.shapes import adapt

from .counterexample import Case, encode_token
from .examination import Examination, Examine, Examined
from .growth import STEPS, Growth, Timed, growth_of, least
from .judge import expect

__all__ = ["Family", "linear"]

#: Bytes of the chunks, where it is the number of chunks that matters.
SMALL = 16
#: Bytes of the first and smallest stream, of the longest, and of what a declared limit must leave for a verdict.
_START = 256
_BYTES_MAX = 4 << 20
_BYTES_MIN = 8192
# CPU seconds of one run beyond which streams grow no longer, by the checks that the effort gives to a rule. What an
# examination costs follows from it, and no verdict.
_RUN_MAX = ((1_000, 0.006), (50_000, 0.02), (sys.maxsize, 0.2))
# Doublings beyond the first sizes by which a growth that is not clear is followed, while a run takes no longer than so
# many times the above.
_LARGER_MAX = 4
_LARGER_SECONDS = 40
_ADVICE = (
    "What came before seems to be copied or searched again at each step. Keep pieces in a list and join them once; "
    "look for an end in what is new alone; go on by an offset, and do not slice off the rest."
)


@dataclass(frozen=True, slots=True)
class Family:
    """Streams of one kind: ``unit`` again and again, between ``head`` and ``tail``.

    ``one_block``: no blank line stands between the units, so that a size limit holds for all of them. ``whole`` and
    ``cut``: whether it is fed in one chunk, and in small ones.
    """

    unit: bytes
    head: bytes = b""
    tail: bytes = b""
    one_block: bool = True
    whole: bool = True
    cut: bool = True

    def wire(self, size: int) -> bytes:
        """The stream of so many bytes, or a few less."""
        times = (size - len(self.head) - len(self.tail)) // len(self.unit)
        return self.head + self.unit * times + self.tail


class _Failed(Exception):
    """The target failed, or gave something else than what the stream means: other rules judge that."""


def linear(family: Family) -> Examine:
    """The examination of a rule that a family of streams takes time in line with its bytes, and no more."""

    def examine(examination: Examination) -> Examined:
        target = examination.target
        found = Examined("not judged", "none of this rule's streams can be fed to the target")
        for size in ([0] if family.whole else []) + ([SMALL] if family.cut and target.takes != "lines" else []):
            one = _Series(examination, family, size).examined()
            checks, streams = found.checks + one.checks, found.streams + one.streams
            # What is broken one way is broken; what is unclear one way is not held.
            worse = one if one.status != "held" or not found.streams else found
            found = Examined(worse.status, worse.reason, worse.advice, worse.counterexample, checks, streams)
            if found.status == "broken":
                break
        return found

    return examine


class _Series:
    """One family, fed in one way."""

    def __init__(self, examination: Examination, family: Family, chunk: int) -> None:
        self.examination = examination
        self.target = examination.target
        self.family = family
        self.chunk = chunk
        self.checks = 0
        self.streams = 0
        self.longest = 0.0
        self.chunks: dict[int, Sequence[bytes]] = {}
        self.watched = partial(examination.watch.run, examination.target)
        self.run_max = next(seconds for checks, seconds in _RUN_MAX if examination.checks <= checks)
        self.size_max = _BYTES_MAX
        if family.one_block and self.target.size_limit is not None:
            # Twice: the ends of lines may count as two bytes each.
            self.size_max = min(self.size_max, self.target.size_limit // 2)

    def examined(self) -> Examined:
        if self.size_max < _BYTES_MIN:
            limit = self.target.size_limit
            return self._result("not judged", f"the declared size limit of {limit} bytes leaves too little to measure")
        with _no_collections():
            try:
                return self._judged(self._pilot())
            except _Failed as failed:
                return self._result("not judged", str(failed))

    def _judged(self, pilot: list[Timed]) -> Examined:
        # Most parsers are linear, and are seen to be without the reference, which could only speak for them. Not by one
        # round: what disturbs a small size alone makes a quadratic parser look linear.
        again = [Timed(timed.size, self._run(timed.size)[1]) for timed in pilot]
        if growth_of(least([pilot, again])).shape == "linear":
            return self._result("held")
        return self._compared([timed.size for timed in pilot])

    def _compared(self, sizes: list[int]) -> Examined:
        """Beside the reference, at larger sizes until the answer is clear: the quadratic part shows more and more."""
        for _ in range(_LARGER_MAX + 1):
            growth = growth_of(least([self._round(sizes), self._round(sizes)]))
            if growth.shape == "linear":
                return self._result("held")
            if growth.shape == "quadratic" and self._confirmed(sizes):
                return self._result("broken", advice=_ADVICE, counterexample=self._counterexample(growth))
            if self.longest > _LARGER_SECONDS * self.run_max or not self._grow(sizes):
                break
        if growth.nearly_linear:
            return self._result("held")
        return self._result(
            "not judged", f"undecided, {self._way()}: {growth.words}. Run it again on a quieter machine"
        )

    def _pilot(self) -> list[Timed]:
        """Double the stream until a run takes long enough, and check what comes out: the times of the last sizes."""
        size = _START
        times = [self._first(size)]
        while (len(times) <= STEPS or times[-1].target < self.run_max) and 2 * size <= self.size_max:
            size *= 2
            times.append(self._first(size))
            self.chunks.pop(size >> STEPS + 1, None)
        return times[-STEPS - 1 :]

    def _first(self, size: int) -> Timed:
        """The first run at a size: what comes out has to be right."""
        wire = self.family.wire(size)
        expectation = expect(self.target, wire)
        if expectation is None:
            raise _Failed(f"{self.target.name} takes {self.target.takes} and cannot be given these streams")
        self.chunks[size] = chunks_of(wire, self._cuts(wire))
        self.streams += 1
        run, seconds = self._run(size)
        if (kind := expectation.at(self._cuts(wire)).differs(run)) is not None:
            raise _Failed(
                f"the stream of {size:,} bytes does not come out right ({kind}), so its time says nothing; "
                "other rules judge that"
            )
        return Timed(size, seconds)

    def _grow(self, sizes: list[int]) -> bool:
        """Each size doubled; False where that is too long a stream."""
        larger = self._next(sizes)
        sizes[:] = [*sizes, *larger][-STEPS - 1 :]
        return bool(larger)

    def _next(self, sizes: Sequence[int]) -> list[int]:
        size = 2 * sizes[-1]
        if size > self.size_max:
            return []
        if size not in self.chunks:
            try:
                self._first(size)
            except _Failed:
                # It may have a limit that it does not declare, or be so slow that it counts as hung.
                self.size_max = sizes[-1]
                return []
        return [size]

    def _confirmed(self, sizes: list[int]) -> bool:
        """Whether rounds of their own say so too: two at these sizes, one at one size larger, and none of them no."""
        if not self._say_so(sizes, 2):
            return False
        try:
            return self._say_so([*sizes, *self._next(sizes)][-STEPS - 1 :], 1)
        except _Failed:
            # It was right there once, and now took longer than one run may take: the sizes before have to do.
            return self._say_so(sizes, 1)

    def _say_so(self, sizes: Sequence[int], times: int) -> bool:
        for _ in range(2 * times):
            shape = growth_of(self._round(sizes)).shape
            times -= shape == "quadratic"
            if shape == "linear" or not times:
                break
        return not times

    def _round(self, sizes: Sequence[int]) -> list[Timed]:
        return [Timed(size, self._run(size)[1], _cpu(_reference(), self.chunks[size])[1]) for size in sizes]

    def _run(self, size: int) -> tuple[Run, float]:
        self.checks += 1
        # Whatever becomes of this process, the input is then known.
        wire = self.family.wire(size)
        self.examination.watch.note((), wire, [self._cuts(wire)], self.checks, self.streams)
        run, seconds = _cpu(self.watched, self.chunks[size])
        if isinstance(run.failure, TargetStopped):
            raise _Failed(f"a run over {size:,} bytes took more than the time that one run may take")
        self.longest = max(self.longest, seconds)
        return run, seconds

    # what came of it ----------------------------------------------------------------------------------------------

    def _cuts(self, wire: bytes) -> Cuts:
        return in_sizes(wire, self.chunk) if self.chunk else ()

    def _way(self) -> str:
        return f"in chunks of {self.chunk} bytes" if self.chunk else "in one chunk"

    def _result(
        self, status: Status, reason: str = "", advice: str = "", counterexample: Counterexample | None = None
    ) -> Examined:
        return Examined(status, reason, advice, counterexample, self.checks, self.streams)

    def _counterexample(self, growth: Growth) -> Counterexample:
        wire = self.family.wire(_START)
        cuts = self._cuts(wire)
        case = Case(self.examination.rule, self.target.takes, ((wire, cuts),))
        return Counterexample(
            kind="slow",
            streams=(StreamRecord.of(wire, cuts),),
            expected=OutcomeRecord((), failure="CPU time in line with the bytes."),
            actual=OutcomeRecord((), failure=f"{self._way()[:1].upper()}{self._way()[1:]}, {growth.words}."),
            token=encode_token(case),
        )


@cache
def _reference() -> Callable[[Sequence[bytes]], Run]:
    return adapt(ReferenceParser, name="reference", found="the reference parser").run


def _cpu(run: Callable[[Sequence[bytes]], Run], chunks: Sequence[bytes]) -> tuple[Run, float]:
    """A run and its CPU seconds, at least one tick of a clock: a ratio needs more than nothing."""
    before = time.process_time()
    done = run(chunks)
    return done, max(time.process_time() - before, 1e-6)


@contextmanager
def _no_collections() -> Iterator[None]:
    """Garbage collections come by the number of objects that live in the whole process: no matter of the target."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
