"""Time that counts against a process: what it ran and what it slept, not what the machine gave to others."""

from __future__ import annotations

import contextlib
import os
import time

__all__ = ["OwnTime"]

# Where nobody tells how long a process had to wait for a core, its CPU time counts in full and other time in part.
_ASLEEP = 0.2


class OwnTime:
    """A clock of one process, in seconds: of this one, or of a child by its number."""

    def __init__(self, pid: int | None = None) -> None:
        self._is_other = pid is not None
        try:
            self._waits = os.open(f"/proc/{pid or 'self'}/schedstat", os.O_RDONLY)
        except OSError:
            self._waits = -1

    def now(self) -> float:
        """Seconds since some moment."""
        if self._waits >= 0:
            try:
                return time.monotonic() - int(os.pread(self._waits, 200, 0).split()[1]) / 1e9
            except (OSError, IndexError):  # it has ended
                return time.monotonic()
        if self._is_other:
            return _ASLEEP * time.monotonic()
        return (1 - _ASLEEP) * time.process_time() + _ASLEEP * time.monotonic()

    def close(self) -> None:
        """Give the file back."""
        if self._waits >= 0:
            with contextlib.suppress(OSError):  # a target may have closed all that it found open
                os.close(self._waits)
            self._waits = -1
