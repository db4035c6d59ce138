"""A forked process: how it begins, whether it has ended, and how it is ended with all that it has started."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
import warnings
from collections.abc import Callable, Iterator

try:
    import ctypes
except ImportError:  # not in every build
    ctypes = None  # type: ignore[assignment]

__all__ = ["Process", "can_fork", "die_with_parent", "end_session", "fill_standard", "how_it_ended", "standard_kept"]

_PR_SET_PDEATHSIG = 1
# Seconds for which a process that is about to end by itself is waited for.
_ENDING = 5.0
# Rounds of ending what a session has: what is started meanwhile is met in the next one.
_ROUNDS = 20


def can_fork() -> bool:
    """Whether this system has what isolation needs."""
    return hasattr(os, "fork") and hasattr(signal, "setitimer")


def fill_standard() -> None:
    """Open stdin, stdout and stderr where they are closed: a pipe of ours must not get one of their numbers."""
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(number)


@contextlib.contextmanager
def standard_kept() -> Iterator[None]:
    """Whatever a target does to stdin, stdout and stderr in this process is undone: they are files of the user's."""
    fill_standard()
    kept = [os.dup(number) for number in range(3)]
    try:
        yield
    finally:
        for number, copy in enumerate(kept):
            os.dup2(copy, number)
            os.close(copy)


class Process:
    """A child of this process that does ``work`` and ends.

    It is a group of its own: Ctrl-C is its parent's to hear, and what it starts ends with it. Nothing that the parent
    has set up to run at its end runs there, and what leaves the work is lost.
    """

    def __init__(self, work: Callable[[], object]) -> None:
        self._ended = False
        self._status: int | None = None
        # Ctrl-C waits until there are two: in the child it would raise through the frames of a copy of the parent.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            self.pid = _fork()
            if self.pid == 0:
                _live(work, before)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def has_ended(self) -> bool:
        """Whether it has ended by now, by itself or by whatever signal."""
        if not self._ended:
            try:
                pid, status = os.waitpid(self.pid, os.WNOHANG)
            except ChildProcessError:  # somebody ignores SIGCHLD, or waits for all children: its status is lost
                self._ended = True
            else:
                if pid:
                    self._ended, self._status = True, os.waitstatus_to_exitcode(status)
        return self._ended

    def end(self, *, at_once: bool) -> int | None:
        """End it, unless it is about to end by itself, and all that it has started; its status, None where lost."""
        deadline = time.monotonic() + _ENDING
        while not (at_once or self.has_ended() or time.monotonic() > deadline):
            time.sleep(0.0005)
        # The number of the group is nobody else's while there is anyone in it, nor at once thereafter.
        with contextlib.suppress(OSError):
            os.killpg(self.pid, signal.SIGKILL)
        if not self._ended:
            with contextlib.suppress(OSError):  # it may not have got to its own group yet
                os.kill(self.pid, signal.SIGKILL)
            while not self.has_ended():
                time.sleep(0.0005)
        return self._status


def how_it_ended(status: int | None) -> str:
    """An exit status, as `os.waitstatus_to_exitcode` gives it, in words."""
    if status is None:
        return "the process ended"
    if status >= 0:
        return f"the process ended with exit status {status}"
    try:
        name = signal.Signals(-status).name
    except ValueError:
        name = f"signal {-status}"
    return f"the process was ended by {name}"


def _fork() -> int:
    with warnings.catch_warnings():
        # Python 3.12 and later warn of it where there are threads, as in a worker of pytest-xdist. The child needs none
        # of them, and a child that waits in vain is ended.
        warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)
        return os.fork()


def _live(work: Callable[[], object], signals: set[signal.Signals] | set[int]) -> None:
    """The child, from its first to its last moment."""
    try:
        os.setpgid(0, 0)
        die_with_parent()
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, signals)
        work()
    finally:
        os._exit(0)


def die_with_parent(number: int | None = None) -> None:
    """On Linux this process ends with its parent from here on, also where no clock ticks; elsewhere it has to look.

    By SIGKILL, or by another signal.
    """
    if sys.platform == "linux" and ctypes is not None:
        with contextlib.suppress(Exception):
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL if number is None else number)


def end_session(leader: int) -> None:
    """End all processes of the session that this process began, and itself at last: also other groups within it.

    Without /proc its own group alone.
    """
    if not hasattr(os, "killpg"):
        return
    for _ in range(_ROUNDS):
        others = [pid for pid in _processes() if pid != os.getpid() and _session_of(pid) == leader]
        for pid in others:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        if not others:
            break
    with contextlib.suppress(OSError):
        os.killpg(leader, signal.SIGKILL)


def _processes() -> list[int]:
    try:
        return [int(name) for name in os.listdir("/proc") if name.isdecimal()]
    except OSError:
        return []


def _session_of(pid: int) -> int | None:
    """The session of a process; None where it is gone, or has ended and nobody has heard of it yet."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            state, _, _, session = file.read().rpartition(b")")[2].split()[:4]
    except (OSError, ValueError):
        return None
    return None if state in b"ZX" else int(session)
