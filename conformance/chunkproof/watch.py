"""What keeps one run of a target from taking the whole suite with it: a clock, and the user's own Ctrl-C.

A timer ticks beside the runs and looks whether the run in hand is still the one it saw before; so a run costs two
assignments, and no call to the clock. It needs SIGALRM and the main thread; elsewhere there is no clock, and a hang
stays a hang.
"""

from __future__ import annotations

import gc
import signal
import threading
from collections.abc import Sequence
from types import FrameType, TracebackType
from typing import Any

from chunkproof_targets.contract import Run, Target, TargetHung

__all__ = ["TIMEOUT", "Watch"]

#: Seconds that one run of a target may take before it counts as hung.
TIMEOUT = 20.0

_TICKS = 4
_ALLOCATIONS = 20_000


class Watch:
    """Runs targets under a clock; a context manager.

    Inside it, a target that does not finish one run within ``timeout`` seconds gets a `TargetHung`, which is kept as
    that run's failure. A KeyboardInterrupt that the target raises is a failure too; one that the user causes is not.
    """

    def __init__(self, timeout: float = TIMEOUT) -> None:
        self.timeout = timeout
        self._run = 0
        self._inside = False
        self._seen = -1
        self._ticks = 0
        self._interrupted = False
        self._restore: list[tuple[int, Any]] = []
        self._timer_before = (0.0, 0.0)
        self._collections_before = gc.get_threshold()

    def __enter__(self) -> Watch:
        # Each check makes and drops some dozen small objects: looking for cycles among them took a tenth of the time.
        self._collections_before = gc.get_threshold()
        gc.set_threshold(_ALLOCATIONS, *self._collections_before[1:])
        if threading.current_thread() is not threading.main_thread():
            return self
        self._restore.append((signal.SIGINT, signal.signal(signal.SIGINT, self._interrupt)))
        if hasattr(signal, "setitimer"):
            self._restore.append((signal.SIGALRM, signal.signal(signal.SIGALRM, self._tick)))
            pace = self.timeout / _TICKS
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

    def run(self, target: Target, chunks: Sequence[bytes]) -> Run:
        """One run of the target."""
        self._run += 1
        self._inside = True
        try:
            run = target.run(chunks)
        except TargetHung as hung:
            # The alarm came before the target began to watch for failures, or when it was done with that.
            run = Run(failure=hung)
        finally:
            self._inside = False
        if self._interrupted:
            raise KeyboardInterrupt
        return run

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        self._interrupted = True
        raise KeyboardInterrupt

    def _tick(self, number: int, frame: FrameType | None) -> None:
        if not self._inside or self._run != self._seen:
            self._seen = self._run
            self._ticks = 0
            return
        self._ticks += 1
        if self._ticks >= _TICKS:
            raise TargetHung(f"one run took more than {self.timeout:g} s")
