"""A limit on the time that calibration gives a target, where the platform has one to give."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from .contract import TargetHung

__all__ = ["time_limit"]


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise TargetHung in what runs longer.

    Nothing is done outside the main thread, where there are no timers, or where one that runs already ends sooner.
    """
    usable = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    other, interval = signal.getitimer(signal.ITIMER_REAL) if usable else (0.0, 0.0)
    if not usable or 0 < other <= seconds:
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        raise TargetHung(f"it had not finished {seconds:g} s after it was called")

    before = signal.signal(signal.SIGALRM, stop)
    began = time.monotonic()
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if other:
            # Another timer (of pytest-timeout, say) goes on where it would be by now.
            signal.setitimer(signal.ITIMER_REAL, max(other - (time.monotonic() - began), 0.001), interval)
