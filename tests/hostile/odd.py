"""Parsers with odd habits that are allowed; besides, each drops NUL, so that there is something to find."""

from __future__ import annotations

import os
import signal

from chunkproof_targets.contract import Event
from chunkproof_targets.reference import ReferenceParser


class DropsNul(ReferenceParser):
    def feed(self, chunk: bytes) -> list[Event]:
        self.act(chunk)
        return super().feed(chunk.replace(b"\0", b""))

    def act(self, chunk: bytes) -> None:
        """What it does with each chunk besides."""


class ClosesStandard(DropsNul):
    """Also where it is loaded."""

    def act(self, chunk: bytes) -> None:
        for number in (0, 1, 2):
            try:
                os.close(number)
            except OSError:
                continue


class ChangesFolder(DropsNul):
    def act(self, chunk: bytes) -> None:
        os.chdir("/")


class HearsNoSignal(DropsNul):
    def act(self, chunk: bytes) -> None:
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)


class ForksEachTime(DropsNul):
    def act(self, chunk: bytes) -> None:
        if b"\0" in chunk:
            child = os.fork()
            if child == 0:
                os._exit(0)
            os.waitpid(child, 0)


class WritesToItsLog(DropsNul):
    """Where no stream of Python's counts it."""

    def act(self, chunk: bytes) -> None:
        os.write(2, b"x" * 20_000)
