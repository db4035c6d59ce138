"""A lock between processes that is given back when its holder ends, however it ends."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]
try:
    import msvcrt
except ImportError:  # on Windows alone
    msvcrt = None  # type: ignore[assignment]

__all__ = ["locked"]


@contextmanager
def locked(path: Path, *, wait: bool) -> Iterator[bool]:
    """Hold the lock of a file; false where somebody else holds it and this does not ``wait``."""
    number = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        yield _take(number, wait=wait)
    finally:
        # A process that was forked meanwhile has the descriptor as well, so that closing it would not be enough.
        if fcntl is not None:
            fcntl.flock(number, fcntl.LOCK_UN)
        os.close(number)


def _take(number: int, *, wait: bool) -> bool:
    try:
        if fcntl is not None:
            fcntl.flock(number, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        elif msvcrt is not None:
            msvcrt.locking(number, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
    except OSError:
        return False
    return True
