"""Right parsers that harm whoever runs them, as soon as there is a NUL."""

from __future__ import annotations

import os
import shutil
import signal
import time
from pathlib import Path

from .parsers import OnNul


class EndsItsParent(OnNul):
    def act(self) -> None:
        os.kill(os.getppid(), signal.SIGTERM)


class InterruptsItsParent(OnNul):
    def act(self) -> None:
        os.kill(os.getppid(), signal.SIGINT)


class KillsItsParent(OnNul):
    def act(self) -> None:
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(60)


class EmptiesTheFolder(OnNul):
    def act(self) -> None:
        for path in Path().iterdir():
            shutil.rmtree(path, ignore_errors=True)


class SleepsBesideAChild(OnNul):
    def act(self) -> None:
        os.fork()
        time.sleep(600)
