"""A piece of work in a forked child: its answer, or what became of it.

The parent waits with a watchdog of its own: the child's clock ends a run that takes too long as long as Python is
running in it; where it no longer ticks, or the run goes on all the same, the parent ends the child.
"""

from __future__ import annotations

import dataclasses
import faulthandler
import gc
import json
import os
import select
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from chunkproof_targets.contract import TargetDied, TargetHung, TargetStopped

from ..watch import Watch
from .board import Board, Noted
from .coverage_data import save_coverage
from .limits import Limits, Pace
from .owntime import OwnTime
from .printed import Printed
from .process import Process, how_it_ended

try:
    import resource
except ImportError:  # not on every system
    resource = None  # type: ignore[assignment]

__all__ = ["Cell", "Child", "Ended"]

# Seconds between two looks at a child.
_LOOK = 0.1
# Seconds for which a child whose clock stands still, or whose run does not stop, is left alone beyond its time: as long
# as a run may take, within these bounds.
_GRACE_MIN, _GRACE = 0.3, 2.0
# Seconds without a sign of life while no run is noted: then the suite itself stands still.
_OURS = 120.0
# Bytes of a message's length.
_LENGTH = 8
# Times the memory allowed: where the clock does not tick, allocation fails.
_ALLOCATED_MAX = 4


@dataclass(frozen=True, slots=True)
class Ended:
    """A child that gave no answer: why, as the failure of the run in hand, and that run, if one was noted."""

    failure: TargetStopped
    noted: Noted | None


Work = Callable[[Any, Watch], Any]

# What becomes of a child that nobody waits for: no fault of the target's.
_GIVEN_UP = TargetHung("it was waited for no longer")


def _never() -> bool:
    return False


class Cell:
    """Where children run, one after another: the board and the output files that they share with this process."""

    def __init__(self) -> None:
        self.board = Board()
        self.printed = Printed()

    def call(self, work: Callable[[Watch], Any], limits: Limits, pace: Pace) -> Any:
        """What the work returns, in a child of its own; see `Child.ask`."""
        child = Child(self, lambda question, watch: work(watch))
        try:
            return child.ask(None, limits, pace)
        finally:
            child.end()

    def close(self) -> None:
        """Give the files back."""
        self.printed.close()


class Child:
    """A forked process that does a piece of work for each question, as long as it lives."""

    def __init__(self, cell: Cell, work: Work) -> None:
        self._cell = cell
        self._work = work
        parent = os.getpid()
        questions, self._asking = os.pipe()
        self._reading, answers = os.pipe()
        self._process = Process(lambda: self._serve(questions, answers, parent))
        os.close(questions)
        os.close(answers)
        self.alive = True

    def ask(self, question: Any, limits: Limits, pace: Pace, *, is_over: Callable[[], bool] = _never) -> Any:
        """What the work returns for a question, both data that JSON can hold; `Ended` where the child did not live.

        Where ``is_over`` says so, the answer is waited for no longer: the child is ended, with no run noted.
        An exception that leaves the work is raised here as a RuntimeError with its traceback: it is a fault of ours.
        """
        cell = self._cell
        cell.board.clear()
        cell.printed.clear()
        asked = json.dumps([question, limits.to_data(), dataclasses.astuple(pace)]).encode()
        answer: bytes | TargetStopped | None = _GIVEN_UP
        try:
            _write(self._asking, asked)
            answer = _Waiting(self._process, self._reading, cell.board, limits, pace).wait(is_over)
        except BrokenPipeError:
            answer = None
        finally:
            # Also where the user interrupts.
            status = None if isinstance(answer, bytes) else self._reap(at_once=answer is not None)
        if isinstance(answer, TargetStopped):
            return Ended(answer, None if answer is _GIVEN_UP else cell.board.read())
        if answer is None:
            return Ended(TargetDied(how_it_ended(status)), cell.board.read())
        found = json.loads(answer)
        if "fault" in found:
            raise RuntimeError(found["fault"])
        return found["answer"]

    def end(self) -> None:
        """Let it end, with all that it has started."""
        self._reap(at_once=False)

    def _reap(self, *, at_once: bool) -> int | None:
        if not self.alive:
            return None
        self.alive = False
        os.close(self._asking)
        status = self._process.end(at_once=at_once)
        os.close(self._reading)
        return status

    # in the child ---------------------------------------------------------------------------------------------------

    def _serve(self, questions: int, answers: int, parent: int) -> None:
        os.close(self._asking)
        gc.freeze()
        watch = Watch()
        self._cell.printed.capture(lambda: watch.number, lambda: watch.limits.output)
        os.register_at_fork(after_in_child=lambda: watch.forked())
        # The interpreter's own words on a crash belong to what the target has printed.
        faulthandler.enable(self._cell.printed.error_file())
        bounded = False
        while (asked := _read(questions)) is not None:
            question, limits_data, pace_data = json.loads(asked)
            limits, pace = Limits(**limits_data), Pace(*pace_data)
            if not bounded:
                _bound_memory(limits.memory)
                bounded = True
            watch = Watch(limits=limits, pace=pace, board=self._cell.board, printed=self._cell.printed, parent=parent)
            try:
                with watch:
                    found = self._work(question, watch)
                # Here, and not behind: what cannot be told would end the child, and pass for a death of the target's.
                answer = json.dumps({"answer": found})
            except BaseException:
                answer = json.dumps({"fault": traceback.format_exc()})
            _write(answers, answer.encode())
        save_coverage()


def _write(number: int, content: bytes) -> None:
    left = memoryview(len(content).to_bytes(_LENGTH, "big") + content)
    while left:
        left = left[os.write(number, left) :]


def _read(number: int) -> bytes | None:
    """One message; None at the end."""
    content = bytearray()
    while not _is_whole(content):
        piece = os.read(number, 1 << 20)
        if not piece:
            return None
        content += piece
    return bytes(content[_LENGTH:])


def _is_whole(content: bytearray) -> bool:
    return len(content) >= _LENGTH and len(content) == _LENGTH + int.from_bytes(content[:_LENGTH], "big")


class _Waiting:
    """The parent's side of one child."""

    def __init__(self, process: Process, reading: int, board: Board, limits: Limits, pace: Pace) -> None:
        self._process = process
        self._reading = reading
        self._board = board
        self._limits = limits
        self._pace = pace
        self._time = OwnTime(process.pid)
        self._life: tuple[int, ...] = ()
        self._since = self._time.now()
        self._stopped_since: float | None = None
        self._grace = min(_GRACE, max(_GRACE_MIN, limits.seconds(pace, 0, 0)))

    def wait(self, is_over: Callable[[], bool]) -> bytes | TargetStopped | None:
        """The child's answer; why it was ended; or None where it ended itself before it had answered."""
        content = bytearray()
        try:
            while True:
                if select.select([self._reading], [], [], _LOOK)[0]:
                    piece = os.read(self._reading, 1 << 20)
                    if not piece:
                        return None
                    content += piece
                    if _is_whole(content):
                        return bytes(content[_LENGTH:])
                elif self._process.has_ended() and not select.select([self._reading], [], [], 0)[0]:
                    # What it has started holds the pipe open.
                    return None
                elif (stopped := self._look()) is not None:
                    return stopped
                elif is_over():
                    return _GIVEN_UP
        finally:
            self._time.close()

    def _look(self) -> TargetStopped | None:
        """Why the child is to be ended, if it is."""
        now, board = self._time.now(), self._board
        if (life := board.life) != self._life:
            self._life, self._since = life, now
        if not board.stopped:
            self._stopped_since = None
        elif self._stopped_since is None:
            self._stopped_since = now
        elif now - self._stopped_since > self._grace:
            return TargetHung("one run was told to stop, and went on")
        if now - self._since <= self._grace:
            return None
        noted = board.read()
        if noted is None:
            return TargetHung("it stood still") if now - self._since > _OURS else None
        allowed = self._limits.seconds(self._pace, len(noted.wire), len(noted.cuts) + 1)
        if now - self._since <= allowed + self._grace:
            return None
        return TargetHung(f"one run took more than {allowed:.3g} s, within which no signal got to Python")


def _bound_memory(mebibytes: int) -> None:
    """Let allocation fail far beyond the limit, for what eats memory so fast that no clock ticks in between.

    What counts is what can be written to: engines that reserve gigabytes of addresses and use few of them may do so.
    """
    if resource is None:
        return
    try:
        with open("/proc/self/statm", "rb") as file:
            pages = int(file.read().split()[5])
        bound = pages * os.sysconf("SC_PAGE_SIZE") + _ALLOCATED_MAX * mebibytes * 1024 * 1024
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (bound if hard < 0 else min(bound, hard), hard))
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    except (OSError, ValueError):
        pass
