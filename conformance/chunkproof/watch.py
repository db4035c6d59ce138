"""What keeps one run of a target within its limits: a clock, and the user's own Ctrl-C.

A timer ticks beside the runs and looks whether the run in hand is still the one it saw before; so a run costs a few
assignments, and no call to the clock. It needs SIGALRM and the main thread; elsewhere there is no clock, and a hang
stays a hang. In a forked child (`chunkproof.isolation`) the same clock also looks at memory and at what is printed.
"""

from __future__ import annotations

import gc
import os
import signal
import threading
from collections.abc import Sequence
from types import FrameType, TracebackType
from typing import Any

from chunkproof_strategies.chunkings import Cuts
from chunkproof_targets.contract import Run, Target, TargetFlooded, TargetGrew, TargetHung, TargetStopped

from .isolation.board import Board
from .isolation.limits import UNKNOWN_PACE, Limits, Pace
from .isolation.owntime import OwnTime
from .isolation.printed import Printed

try:
    import resource
except ImportError:  # not on every system
    resource = None  # type: ignore[assignment]

__all__ = ["Watch"]

_ALLOCATIONS = 20_000
_MIB = 1024 * 1024
# Seconds between two ticks: a twentieth of what a run may take, within these bounds.
_TICK_MIN, _TICK_MAX, _TICKS = 0.01, 0.1, 20
# Of a run that is stopped for its time, growth beyond this part of the memory allowed is what is told.
_GROWN = 4


class Watch:
    """Runs targets under a clock; a context manager.

    Inside it, a target that goes beyond the limits in one run gets a `TargetStopped`, which is kept as that run's
    failure. A KeyboardInterrupt that the target raises is a failure too; one that the user causes is not.

    ``timeout`` in seconds, or ``limits`` and the target's ``pace``. In a child: ``board`` is where the run in hand is
    noted, ``printed`` what holds its output, and ``parent`` the process without which it ends.
    """

    def __init__(
        self,
        timeout: float | None = None,
        *,
        limits: Limits | None = None,
        pace: Pace = UNKNOWN_PACE,
        board: Board | None = None,
        printed: Printed | None = None,
        parent: int | None = None,
    ) -> None:
        self.limits = limits or Limits(timeout)
        self.pace = pace
        self.board = board
        self.printed = printed
        #: Notes what is going to be run, where there is a board; ``plan[0]`` then says which of the plans it is.
        self.note = _note_nothing if board is None else board.note
        self.plan = memoryview(bytearray(8)).cast("Q") if board is None else board.plan
        #: A number of the work's own, which is known too whatever becomes of the run.
        self.mark = memoryview(bytearray(8)).cast("Q") if board is None else board.mark
        self._parent = parent
        self._run = 0
        self._chunks: Sequence[bytes] | None = None
        self._seen = -1
        self._since = 0.0
        self._allowed: float | None = None
        self._size_since = 0
        self._interrupted = False
        self._attentive = False
        self._ticking = False
        self._restore: list[tuple[int, Any]] = []
        self._timer_before = (0.0, 0.0)
        self._collections_before = gc.get_threshold()
        self._memory_before = 0
        self._process = 0

    def __enter__(self) -> Watch:
        # Each check makes and drops some dozen small objects: looking for cycles among them took a tenth of the time.
        self._collections_before = gc.get_threshold()
        gc.set_threshold(_ALLOCATIONS, *self._collections_before[1:])
        self._time = OwnTime()
        self._memory_before = _memory()
        self._process = os.getpid()
        if threading.current_thread() is not threading.main_thread():
            return self
        # A child of ours is in a group of its own: an interrupt that reaches it is none of the user's.
        if self._parent is None:
            self._restore.append((signal.SIGINT, signal.signal(signal.SIGINT, self._interrupt)))
        if hasattr(signal, "setitimer"):
            self._restore.append((signal.SIGALRM, signal.signal(signal.SIGALRM, self._tick)))
            pace = min(_TICK_MAX, max(_TICK_MIN, self.limits.seconds(self.pace, 0, 0) / _TICKS))
            self._timer_before = signal.setitimer(signal.ITIMER_REAL, pace, pace)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        gc.set_threshold(*self._collections_before)
        if hasattr(signal, "setitimer") and self._restore:
            signal.setitimer(signal.ITIMER_REAL, *self._timer_before)
        while self._restore:
            number, handler = self._restore.pop()
            # A handler that was not set from Python reads as None, and cannot be set again.
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)
        self._time.close()

    @property
    def number(self) -> int:
        """The number of the run in hand, or of the last one."""
        return self._run

    def run(self, target: Target, chunks: Sequence[bytes]) -> Run:
        """One run of the target."""
        self._run += 1
        self._chunks = chunks
        try:
            run = target.run(chunks)
        except TargetStopped as stopped:
            # The alarm came before the target began to watch for failures, or when it was done with that.
            run = Run(failure=stopped)
        finally:
            self._chunks = None
        if self._attentive:
            run = self._attend(run)
        return run if run.failure is None else self._failed(run, chunks)

    def run_alone(self, target: Target, chunks: Sequence[bytes]) -> Run:
        """One run of the target, of which it also counts what it has printed without Python's streams."""
        self.forget_printed()
        return self._counted(self.run(target, chunks))

    def _attend(self, run: Run) -> Run:
        """What is looked at behind each run once there was a sign of it."""
        if os.getpid() != self._process:
            # The target has forked, and this is its child, which has no business here.
            os._exit(0)
        if self._interrupted:
            raise KeyboardInterrupt
        return self._counted(run)

    def _counted(self, run: Run) -> Run:
        if self.printed is None or not self.printed.size:
            return run
        flooded = self.printed.size > self.limits.output * _MIB
        if self._attentive:
            self.printed.clear()
        return Run(run.deliveries, failure=self._flooded()) if flooded and run.failure is None else run

    def _failed(self, run: Run, chunks: Sequence[bytes]) -> Run:
        if (stopped := self._text_stopped(run.failure, chunks)) is not None:
            return Run(run.deliveries, failure=stopped)
        if self.board is None or not isinstance(run.failure, MemoryError) or run.failure.args:
            return run
        # What it has eaten hangs on the frames of the exception, and goes with them.
        return Run(failure=TargetGrew(f"it got a MemoryError, when it had taken {_in_mib(self._grown())}"))

    def _text_stopped(self, failure: BaseException | None, chunks: Sequence[bytes]) -> TargetStopped | None:
        """What stopped the exception's own text, which is the target's code too and is asked for later."""
        self._chunks = chunks
        try:
            str(failure)
        except TargetStopped as stopped:
            return stopped
        except BaseException:
            pass  # that it cannot be had is told
        finally:
            self._chunks = None
        return None

    def forked(self) -> None:
        """This is a child of the target's, from inside a run: when that run returns here, the process ends."""
        self._attentive = True

    def _flooded(self) -> TargetFlooded:
        return TargetFlooded(f"one run printed more than {self.limits.output} MiB")

    def printed_texts(self) -> tuple[str, str]:
        """The end of what the run in hand has printed on stdout and stderr, as far as it is kept here."""
        return ("", "") if self.printed is None else self.printed.texts()

    def forget_printed(self) -> None:
        """What was printed before is not this run's."""
        if self.printed is not None:
            self.printed.clear()

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        self._interrupted = self._attentive = True
        raise KeyboardInterrupt

    def _tick(self, number: int, frame: FrameType | None) -> None:
        if self._ticking:
            # On a busy machine the next tick may come before this one is done with.
            return
        self._ticking = True
        try:
            self._look()
        finally:
            self._ticking = False

    def _look(self) -> None:
        if self._parent is not None and os.getppid() != self._parent:
            os._exit(1)
        chunks = self._chunks
        if chunks is None or self._run != self._seen:
            self._seen = self._run
            self._since = self._time.now()
            self._allowed = None
            self._size_since = self._size_by_now()
            self._beat(stopped=False)
            return
        stopped = self._beyond(chunks)
        self._beat(stopped=stopped is not None)
        if stopped is not None:
            raise stopped

    def _size_by_now(self) -> int:
        """What was printed by the runs before this one, less what is thrown away: it must not fill the disk."""
        if self.printed is None or (size := self.printed.size) <= self.limits.output * _MIB:
            return 0 if self.printed is None else size
        # By one run or by many: from here on each is looked at.
        self._attentive = True
        self.printed.clear()
        return 0

    def _beat(self, *, stopped: bool) -> None:
        if self.board is not None:
            self.board.beat(stopped=stopped)

    def _beyond(self, chunks: Sequence[bytes]) -> TargetStopped | None:
        """What to stop the run with, if it goes beyond a limit."""
        limits, grown = self.limits, self._grown()
        if self.board is not None and grown > limits.memory * _MIB:
            return TargetGrew(f"its memory grew by more than {limits.memory:,} MiB")
        if self.printed is not None and self.printed.size - self._size_since > limits.output * _MIB:
            return self._flooded()
        if self._allowed is None:
            # Once for a run: to sum at each tick would make the time of long runs quadratic.
            self._allowed = limits.seconds(self.pace, sum(map(len, chunks)), len(chunks))
        allowed = self._allowed
        if self._time.now() - self._since <= allowed:
            return None
        if self.board is not None and grown > limits.memory * _MIB // _GROWN:
            return TargetGrew(f"it was not done after {allowed:g} s, and had taken {_in_mib(grown)} of memory by then")
        return TargetHung(self._hung(allowed, sum(map(len, chunks)), len(chunks)))

    def _hung(self, allowed: float, size: int, count: int) -> str:
        if self.limits.timeout is not None:
            return f"one run took more than {allowed:g} s"
        usual = self.pace.seconds(size, count)
        return (
            f"one run took more than {allowed:.3g} s; at the pace of its other runs it takes about {_in_words(usual)}"
        )

    def _grown(self) -> int:
        return max(0, _memory() - self._memory_before)


def _note_nothing(before: tuple[bytes, ...], wire: bytes, plans: list[Cuts], checks: int = 0, streams: int = 0) -> None:
    """Where there is no board."""


def _memory() -> int:
    """The bytes of this process that are in memory; 0 where nobody tells."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        pass
    if resource is None:
        return 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if os.uname().sysname == "Darwin" else 1024)


def _in_words(seconds: float) -> str:
    if seconds < 1e-3:
        return f"{max(1, round(seconds * 1e6))} microseconds"
    return f"{round(seconds * 1e3)} ms" if seconds < 1 else f"{seconds:.2g} s"


def _in_mib(size: int) -> str:
    return f"{size // _MIB:,} MiB"
