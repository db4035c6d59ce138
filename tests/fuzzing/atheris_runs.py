"""The harness as its users run it: a process in a folder of its own."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from chunkproof.fuzzing import harness
from chunkproof.fuzzing.state import State

__all__ = ["AT_CR", "BROKEN", "HARNESS", "WRONG", "found_in", "needs_atheris", "run"]

HARNESS = Path(harness.__file__)

#: Here it has to be there: atheris has wheels for it.
needs_atheris = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() != "x86_64" or sys.version_info >= (3, 14),
    reason="atheris has no wheel for this system, machine or Python",
)

#: A parser that takes a CR for no line end.
WRONG = """\
from chunkproof_targets.reference import ReferenceParser


class Wrong(ReferenceParser):
    def split_lines(self, text):
        return [line.removesuffix("\\r") for line in text.split("\\n")]
"""

#: As the reference, but for what a function does at the first CR.
AT_CR = """\
from chunkproof_targets.reference import ReferenceParser


class Parser(ReferenceParser):
    def feed(self, chunk):
        if b"\\r" in chunk:
            at_cr()
        return super().feed(chunk)


"""

#: The harness with a fault of its own.
BROKEN = """\
from chunkproof.fuzzing import harness


def broken(data):
    raise LookupError("broken on purpose")


harness.DECODERS["table"] = broken
harness.main()
"""


def run(
    folder: Path, *words: str, script: Path | str = HARNESS, **surroundings: str
) -> subprocess.CompletedProcess[str]:
    """Run the harness in a folder, with inputs of at most 64 bytes."""
    place = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    command = [sys.executable, str(script)] if isinstance(script, Path) else [script]
    return subprocess.run(
        [*command, *words, "-max_len=64"],
        cwd=folder,
        env={**os.environ, "PATH": place, **surroundings},
        capture_output=True,
        text=True,
        errors="replace",
        timeout=110,
    )


def found_in(folder: Path) -> list[Any]:
    """What was found, by the order of the names."""
    state = State(folder)
    return [state.take(path) for path in state.waiting()]
