"""Campaigns as a user starts them: a command in a process of its own, and all that it starts by a mark."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

try:
    import fcntl
    import termios
except ImportError:  # no terminals there
    pass

ROOT = Path(__file__).resolve().parent.parent.parent
MARK = "CHUNKPROOF_TESTS_MARK"


def _prepare(terminal: int | None) -> None:
    """What was started in the background ignores Ctrl-C, or a hang-up, and so would all that it starts."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    if terminal is not None:
        fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)


class Command:
    """`chunkproof fuzz ...` in a folder; a session of its own, as behind a terminal."""

    def __init__(
        self,
        folder: Path,
        *words: str,
        env: Mapping[str, str] | None = None,
        terminal: int | None = None,
        before: Sequence[str] = (),
        **how: Any,
    ) -> None:
        self.folder = folder
        self.mark = uuid.uuid4().hex
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("PYTEST", "COV_", "CI"))}
        path = os.pathsep.join([*before, str(ROOT), *sys.path])
        how = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL, **how}
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "chunkproof", "fuzz", *words],
            cwd=folder,
            env={**kept, "COLUMNS": "100", "PYTHONPATH": path, MARK: self.mark, **(env or {})},
            preexec_fn=partial(_prepare, terminal),
            start_new_session=True,
            **how,
        )

    def end(self, timeout: float = 120) -> Ended:
        """Its exit code and what it has said, once it has ended."""
        try:
            out, err = self.process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            self.kill()
            raise
        return Ended(self.process.returncode, (out or b"").decode(), (err or b"").decode(), self)

    def processes(self) -> dict[int, str]:
        """All that it has started and that runs still, with the command of each."""
        found = {}
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if self.mark.encode() in (folder / "environ").read_bytes():
                    found[int(folder.name)] = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                continue
        return found

    def kill(self) -> None:
        """End all of it at once."""
        for pid in (self.process.pid, *self.processes()) if self.process.poll() is None else self.processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if self.process.returncode is None:
            self.process.communicate()

    def left(self, seconds: float = 5) -> dict[int, str]:
        """The same, once those that are ending have had the time for it."""
        wait_for(lambda: not self.processes(), seconds)
        return self.processes()


class Ended:
    """A campaign that has ended."""

    def __init__(self, code: int, out: str, err: str, command: Command) -> None:
        self.code = code
        self.out = out
        self.err = err
        self.command = command

    @property
    def all(self) -> str:
        return self.out + self.err


def fuzz(folder: Path, *words: str, **how: Any) -> Ended:
    """Run a campaign to its end."""
    return Command(folder, *words, **how).end()


def wait_for(it: Callable[[], Any], seconds: float = 60) -> Any:
    """What it gives as soon as that is something; what it gives in the end where it never is."""
    until = time.monotonic() + seconds
    while not (found := it()) and time.monotonic() < until:
        time.sleep(0.05)
    return found


def objects(folder: Path) -> list[dict[str, Any]]:
    """The JSON files of a folder, those left out that were taken away meanwhile."""
    found = []
    for path in sorted(folder.glob("*.json")):
        try:
            found.append(json.loads(path.read_text("utf-8")))
        except FileNotFoundError:
            continue
    return found


def size_of(folder: Path) -> int:
    """Bytes on the disk of all files in a folder."""
    return sum(path.lstat().st_blocks * 512 for path in folder.rglob("*") if path.is_file())


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Command]]:
    """`start("--target=...")`: a campaign in the folder of the test; nothing of it outlives that."""
    started: list[Command] = []

    def start_one(*words: str, **how: Any) -> Command:
        started.append(Command(tmp_path, *words, **how))
        return started[-1]

    yield start_one
    for command in started:
        command.kill()
