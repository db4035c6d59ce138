"""One shard of a campaign: one process that drives one engine, and collects what was found."""

from __future__ import annotations

import os
import signal
import time
from types import FrameType

from ..isolation.process import end_session
from .collecting import Collector
from .progress import Engine
from .state import State, is_number

__all__ = ["Shard"]

# Seconds between two signs of life, and about as long an engine goes on by itself.
_STEP = 0.5
# Seconds beyond its time for which a step is waited for.
_GRACE = 1.0
# Seconds for which no finding is collected while more may come at once.
_GATHERING = 2.0
# Behind a collection it is searched for so many times as long as that took.
_SEARCHING = 2.0
_HEARD = (signal.SIGTERM, signal.SIGINT)


class Shard:
    """Drives an engine until its time is up, its work is done, or somebody ends it; and collects meanwhile.

    ``name`` is that of its status file. What an earlier process of this name has done counts on. ``parent`` is the
    process of the campaign that it belongs to, and without which it ends; None where it goes on by itself.
    """

    def __init__(
        self,
        name: str,
        engine_name: str,
        engine: Engine,
        collector: Collector,
        state: State,
        *,
        parent: int | None = None,
    ) -> None:
        self.name = name
        self.engine_name = engine_name
        self.engine = engine
        self.collector = collector
        self.state = state
        self._parent = parent
        self._told_to_end = False
        self._before = {key: value for key, value in state.status(name).items() if is_number(value)}
        self._began = time.monotonic()
        self._collect_at = time.monotonic() + _GATHERING
        collector.beat = self._beat

    def run(self, seconds: float) -> None:
        """Go on for so many seconds at most; SIGTERM ends it, and Ctrl-C where it belongs to no campaign."""
        before = [(number, signal.getsignal(number)) for number in _HEARD]
        self._hear()
        until = time.monotonic() + seconds
        self._say("searching")
        try:
            while not self._is_over(until) and self.engine.step(
                min(_STEP, max(0.01, until - time.monotonic())), lambda: self._is_over(until + _GRACE)
            ):
                self._hear()
                self._say("searching")
                self._collect_now_and_then()
            self.engine.close()
            self._collect(wait=True)
            self._say("done")
        finally:
            self.engine.close()
            for number, handler in before:
                signal.signal(number, handler if handler is not None else signal.SIG_DFL)

    def _hear(self) -> None:
        """Again and again: a target that is run in this process may hear signals itself."""
        for number in _HEARD:
            signal.signal(number, self._end)
        self._end_if_orphan()

    def _end(self, number: int, frame: FrameType | None) -> None:
        self._end_if_orphan()
        # Otherwise it is the target that has sent it.
        if self._parent is None or self.state.ending_path(self.name).exists():
            self._told_to_end = True

    def _is_over(self, until: float) -> bool:
        return self._told_to_end or time.monotonic() >= until

    def _end_if_orphan(self) -> None:
        """The campaign that started this shard is gone, and whoever goes on with it starts others.

        At once, with all that the target has started: what was found is on the disk.
        """
        if self._parent is not None and os.getppid() != self._parent:
            end_session(os.getpid())
            os._exit(1)

    def _collect_now_and_then(self) -> None:
        if time.monotonic() > self._collect_at and self.collector.has_work:
            started = time.monotonic()
            self._collect(wait=False)
            # To look for causes takes seconds, in which nothing is searched here.
            self._collect_at = time.monotonic() + max(_GATHERING, _SEARCHING * (time.monotonic() - started))

    def _collect(self, *, wait: bool) -> None:
        if self.collector.has_work:
            self._beat()
            self.collector.collect(wait=wait)

    def _beat(self) -> None:
        self._end_if_orphan()
        self._say("diagnosing")

    def _say(self, doing: str) -> None:
        progress, before = self.engine.progress, self._before
        status = {
            "name": self.name,
            "engine": self.engine_name,
            "pid": os.getpid(),
            "doing": doing,
            "seconds": round(before.get("seconds", 0) + time.monotonic() - self._began, 3),
            "updated": round(time.time(), 3),
            "coverage": progress.coverage,
            "coverage_of": progress.coverage_of,
            "inputs": progress.inputs,
            "note": progress.note,
        }
        for name in ("checks", "streams", "repeats", "passed_over"):
            status[name] = before.get(name, 0) + getattr(progress, name)
        self.state.write_status(self.name, status)
