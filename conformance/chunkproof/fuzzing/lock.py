"""A lock between processes that is given back when its holder ends, however it ends."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]
try:
    import msvcrt
except ImportError:  # on Windows alone
    msvcrt = None  # type: ignore[assignment]

__all__ = ["holder_of", "locked"]

# What a lock that somebody else holds is told by.
_HELD_BY_ANOTHER = {errno.EAGAIN, errno.EACCES, errno.EDEADLK}
# The descriptors of the locks that this process holds.
_held: set[int] = set()


def _close_in_child() -> None:
    """What is forked must not hold a lock on: it may be a target's, and outlive the one who took it."""
    while _held:
        with suppress(OSError):
            os.close(_held.pop())


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_close_in_child)


@contextmanager
def locked(path: Path, *, wait: bool) -> Iterator[bool]:
    """Hold the lock of a file; false where somebody else holds it and this does not ``wait``.

    OSError where there can be no locks, as on some file systems of other machines.
    """
    number = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    _held.add(number)
    try:
        yield _take(number, wait=wait)
    finally:
        # In a child that was forked meanwhile it is closed, and its number may be another file's.
        if number in _held:
            _held.remove(number)
            os.close(number)


def _take(number: int, *, wait: bool) -> bool:
    while True:
        try:
            if fcntl is not None:
                fcntl.flock(number, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
            elif msvcrt is not None:
                msvcrt.locking(number, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
        except OSError as error:
            if error.errno not in _HELD_BY_ANOTHER:
                raise
            if not wait:
                return False
            # On Windows this waits for ten seconds by itself, and then again.
        else:
            _sign(number)
            return True


def _sign(number: int) -> None:
    """Write down who holds the lock, where others can read it."""
    if fcntl is not None:
        with suppress(OSError):  # on a full disk a lock is a lock
            os.ftruncate(number, 0)
            os.pwrite(number, str(os.getpid()).encode(), 0)


def holder_of(path: Path) -> int | None:
    """The process that holds a lock, or held it last; None where nobody knows."""
    with suppress(OSError, ValueError), path.open("rb") as file:
        return int(file.read(20))
    return None
