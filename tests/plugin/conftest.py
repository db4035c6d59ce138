"""Runs of the suite as a user starts them: another process, in a folder of its own."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

# Plugins that this environment may have and that change the order of every run, or are slow to import. Rewriting the
# assertions of Hypothesis takes most of a short run's time where no bytecode is kept, so most runs do without.
QUIET = ("-p", "no:randomly", "-p", "no:random_order", "-p", "no:langsmith_plugin")
PLAIN = "--assert=plain"

#: Small parsers with one fault each, written into the folder of a run as ``parsers.py``.
PARSERS = '''
import os, signal, sys, threading, time, warnings

from chunkproof_targets.reference import ReferenceParser


class Good(ReferenceParser):
    pass


class HangsAtCR(ReferenceParser):
    def feed(self, chunk):
        while b"\\r" in chunk:
            pass
        return super().feed(chunk)


class ExitsAtCR(ReferenceParser):
    def feed(self, chunk):
        if b"\\r" in chunk:
            sys.exit("that was a \\x1b[31mCR\\x07")
        return super().feed(chunk)


class DiesAtCR(ReferenceParser):
    def feed(self, chunk):
        if b"\\r" in chunk:
            os._exit(9)
        return super().feed(chunk)


class DiesAtOnce(ReferenceParser):
    def feed(self, chunk):
        os._exit(9)


class Interrupted(ReferenceParser):
    """The user hits Ctrl-C while the second rule runs: pytest hears it, and its child does not."""

    def feed(self, chunk):
        if b"\\r\\n" in chunk:
            os.kill(os.getppid(), signal.SIGINT)
            time.sleep(60)
        return super().feed(chunk)


class Noisy(ReferenceParser):
    """Prints, warns, logs, and leaves an exception behind in a thread and in a finaliser."""

    def __init__(self):
        super().__init__()
        warnings.warn("an old parser", DeprecationWarning)
        if not hasattr(Noisy, "told"):
            Noisy.told = True
            thread = threading.Thread(target=lambda: 1 / 0)
            thread.start()
            thread.join()

    def __del__(self):
        raise RuntimeError("in a finaliser")

    def feed(self, chunk):
        print("fed", chunk)
        return super().feed(chunk)


class NoisyAndWrong(Noisy):
    def feed(self, chunk):
        print("\\x1b[2Jcleared")
        return super().feed(chunk.replace(b"\\r", b"\\n"))


class DropsLong(ReferenceParser):
    """Loses events over 1000 bytes that cannot be packed: the token is long too."""

    def feed(self, chunk):
        return [event for event in super().feed(chunk) if len(event.data) < 1000]


class Slow(ReferenceParser):
    def feed(self, chunk):
        if not hasattr(Slow, "slept"):
            Slow.slept = True
            time.sleep(1.5)
        return super().feed(chunk)
'''


def _interruptible() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)


#: A run that was started in the background ignores Ctrl-C, and so would all that it starts.
INTERRUPTIBLE = _interruptible if os.name == "posix" else None


@dataclass(frozen=True)
class Ran:
    """What a run printed, and its exit code."""

    code: int
    out: str
    err: str
    folder: Path

    @property
    def all(self) -> str:
        return self.out + self.err

    def counts(self) -> dict[str, int]:
        """The numbers of pytest's last line: passed, failed, skipped ..."""
        last = [line for line in self.out.splitlines() if line.strip()][-1]
        return {word: int(number) for number, word in re.findall(r"(\d+) ([a-z]+)", last) if word != "in"}

    def report(self, name: str = "report.json") -> Any:
        return json.loads((self.folder / name).read_text(encoding="utf-8"))


def run_in(
    folder: Path, *args: str, env: Mapping[str, str] | None = None, plain: bool = True, timeout: float = 120
) -> Ran:
    """`pytest ARGS` in this folder, which is not on the import path by itself."""
    return _run(folder, ["-P", "-m", "pytest", *QUIET, *([PLAIN] if plain else []), *args], env, timeout)


def chunkproof_in(folder: Path, *args: str) -> Ran:
    """`python -m chunkproof ARGS` in this folder."""
    return _run(folder, ["-P", "-m", "chunkproof", *args])


def _run(folder: Path, command: list[str], env: Mapping[str, str] | None = None, timeout: float = 120) -> Ran:
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("PYTEST", "COV_", "CI"))}
    kept |= {"COLUMNS": "100", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONIOENCODING": "utf-8", **(env or {})}
    done = subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env=kept,
        capture_output=True,
        encoding="utf-8",
        preexec_fn=INTERRUPTIBLE,
        timeout=timeout,
        check=False,
    )
    return Ran(done.returncode, done.stdout, done.stderr, folder)


@pytest.fixture(scope="session")
def make_folder(tmp_path_factory):
    """A function that makes a folder with the parsers in it, and with more files if they are given."""

    def make(**files: str) -> Path:
        path = Path(tmp_path_factory.mktemp("run"))
        for name, text in {"parsers.py": PARSERS, **{f"{name}.py": text for name, text in files.items()}}.items():
            (path / name).write_text(text)
        return path

    return make


@pytest.fixture(scope="session")
def run():
    """`run(folder, "--target=...")`: pytest in that folder."""
    return run_in


@pytest.fixture(scope="session")
def chunkproof():
    """`chunkproof(folder, "replay", ...)`: the command line in that folder."""
    return chunkproof_in


@pytest.fixture
def folder(make_folder):
    """A folder with the parsers in it, and nothing else."""
    return make_folder()
