"""What a target prints in a child: kept in two files that the parent can read, run by run, up to a limit."""

from __future__ import annotations

import io
import os
import sys
import tempfile
from collections.abc import Callable

from chunkproof_targets.contract import TargetFlooded

__all__ = ["Printed", "count_printed"]

_MIB = 1024 * 1024
_KEPT = 64 * 1024

try:
    import fcntl
except ImportError:  # no fork either
    fcntl = None  # type: ignore[assignment]


class Printed:
    """The two files of stdout and stderr.

    They hold what was printed since the run in hand began to print, so that ten thousand runs fill no disk. What passes
    Python's ``print`` is counted as it comes; of what does not, the clock sees to it.
    """

    def __init__(self) -> None:
        self._files = [tempfile.TemporaryFile(), tempfile.TemporaryFile()]  # noqa: SIM115
        for file in self._files:
            # Behind a cut the next write begins at the start.
            fcntl.fcntl(file, fcntl.F_SETFL, fcntl.fcntl(file, fcntl.F_GETFL) | os.O_APPEND)

    def capture(self, run_number: Callable[[], int], limit: Callable[[], int]) -> None:
        """In the child: both streams go to the files, by Python and by file descriptor; ``limit`` in MiB for a run."""
        self.clear()
        self._kept = sys.stdin, sys.stdout, sys.stderr  # what they still hold is the parent's to write
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        sys.stdin = io.TextIOWrapper(io.FileIO(0, closefd=False))
        for number, file in enumerate(self._files, 1):
            os.dup2(file.fileno(), number)
        out, err = (_Stream(number, run_number, limit) for number in (1, 2))
        sys.stdout = sys.__stdout__ = out.text()  # type: ignore[misc]
        sys.stderr = sys.__stderr__ = err.text()  # type: ignore[misc]

    def clear(self) -> None:
        """Forget what was printed."""
        for file in self._files:
            os.ftruncate(file.fileno(), 0)

    @property
    def size(self) -> int:
        """The bytes in both files."""
        return sum(os.fstat(file.fileno()).st_size for file in self._files)

    def texts(self) -> tuple[str, str]:
        """The end of what was printed on stdout and on stderr."""
        out, err = (_end(file.fileno()) for file in self._files)
        return out, err

    def error_file(self) -> int:
        """The file descriptor of stderr's file."""
        return self._files[1].fileno()

    def close(self) -> None:
        """Give the files back."""
        for file in self._files:
            file.close()


def count_printed(run_number: Callable[[], int], limit: int) -> None:
    """In this process: what a target prints goes nowhere, and counts; beyond ``limit`` MiB a run is ended.

    By Python alone: what else writes to stdout and stderr does so as before.
    """
    out, err = (_Stream(os.open(os.devnull, os.O_WRONLY), run_number, lambda: limit, is_kept=False) for _ in range(2))
    sys.stdout, sys.stderr = out.text(), err.text()


def _end(number: int) -> str:
    size = os.fstat(number).st_size
    return os.pread(number, _KEPT, max(0, size - _KEPT)).decode("utf-8", "replace")


class _Stream(io.RawIOBase):
    """One of the two streams, without a buffer: what a process that dies has printed is in the file."""

    def __init__(
        self, number: int, run_number: Callable[[], int], limit: Callable[[], int], *, is_kept: bool = True
    ) -> None:
        self._is_kept = is_kept
        self._number = number
        self._limit = limit
        self._run_number = run_number
        self._run = 0
        self._size = 0

    def text(self) -> io.TextIOWrapper:
        """The stream as `print` wants it."""
        return io.TextIOWrapper(self, "utf-8", "backslashreplace", write_through=True)  # type: ignore[arg-type]

    def fileno(self) -> int:
        return self._number

    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int:
        content = memoryview(data).cast("B")  # type: ignore[arg-type]
        run = self._run_number()
        if run != self._run:
            self._run, self._size = run, 0
            if self._is_kept:
                os.ftruncate(self._number, 0)
        self._size += len(content)
        limit = self._limit() * _MIB
        left = content[: max(0, limit - (self._size - len(content)))]
        while left:
            left = left[os.write(self._number, left) :]
        if self._size > limit:
            raise TargetFlooded(f"one run printed more than {self._limit()} MiB")
        return len(content)
