"""Parsers that work in a thread which their import has started: they live in that process alone, and in no child."""

from __future__ import annotations

import os
import queue
import threading
from typing import Any

from chunkproof_targets.contract import Event
from chunkproof_targets.reference import ReferenceParser

_asked: queue.Queue[Any] = queue.Queue()
_told: queue.Queue[list[Event]] = queue.Queue()


def _work() -> None:
    while True:
        call, *given = _asked.get()
        _told.put(call(*given))


threading.Thread(target=_work, daemon=True).start()


class DropsNul:
    def __init__(self) -> None:
        self.parser = ReferenceParser()

    def feed(self, chunk: bytes) -> list[Event]:
        _asked.put((self.parser.feed, chunk.replace(b"\0", b"")))
        return _told.get()

    def close(self) -> list[Event]:
        _asked.put((self.parser.close,))
        return _told.get()


class ExitsOnNul(DropsNul):
    def feed(self, chunk: bytes) -> list[Event]:
        if b"\0" in chunk:
            os._exit(7)
        return super().feed(chunk)


class FloodsItsLog(DropsNul):
    def feed(self, chunk: bytes) -> list[Event]:
        os.write(2, b"x" * 100_000)
        return super().feed(chunk)
