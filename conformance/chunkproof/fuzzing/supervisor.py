"""The supervisor of a campaign: starts its shards, watches them, and tells what they have found.

It never loads the target, so that nothing a target does can end it. A shard is a process in a session of its own; one
that ends without having said so, or stands still, is started again. What was found is in the folder by then. One that
ends before it has said anything is not: the target has taken it along, and would do so each time.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import FrameType

from chunkproof_reports.campaign.record import CampaignRecord, FoundRecord, ShardRecord

from ..isolation.process import end_session, how_it_ended
from .state import State, StateError, is_number

__all__ = ["COLLECTING", "LOOK", "Campaign", "Ending", "Process", "ShardFailed", "Show"]

#: Seconds between two looks.
LOOK = 0.25
# Seconds without a sign of life after which a shard is ended: a target may be slow, and to find a cause takes a while.
_STANDS_STILL = 180.0
# The same for one that has not said anything yet: the target is imported, and calibrated within a minute.
_STARTING = 120.0
# Times in a row that one shard is ended from outside before it has said anything.
_FALSE_STARTS_MAX = 3
#: Seconds for which shards may collect what they have found when the time is up, before they are ended.
COLLECTING = 90.0
# Seconds between SIGTERM and SIGKILL for a shard that is not to go on.
_ENDING = 5.0
# Seconds for a shard of a campaign of which nobody says how long it is to be: that tells it when to end.
_LONG = 30 * 24 * 3600
# Times that shards are started again, in all.
_STARTS_MAX = 30
# Bytes of a log that are told.
_PRINTED_MAX = 4000
# Seconds over which the rate is taken.
_RATE = 5.0
_USAGE, _FAULT = 2, 3
_WORDS = {_USAGE: ("chunkproof: ", "Usage: "), _FAULT: ("A fault of chunkproof",)}

Show = Callable[[CampaignRecord], None]


class ShardFailed(Exception):
    """A shard cannot do its work: its exit code, and what it has printed."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code
        self.text = text


@dataclass(slots=True)
class Ending:
    """When a campaign ends: after so many seconds, when nothing new has come for so long, or with the first finding."""

    seconds: float | None = None
    until_quiet: float | None = None
    until_found: bool = False


@dataclass(slots=True)
class Process:
    """One shard's process."""

    name: str
    engine: str
    command: list[str]
    log: Path
    ending: Path | None = None
    popen: subprocess.Popen[bytes] | None = None
    started: float = 0.0
    false_starts: int = 0
    is_done: bool = False
    _behind: int = 0

    def start(self, *words: str) -> None:
        """Start it, or start it again; ``words`` are further options."""
        self.started = time.time()
        if self.ending is not None:
            self.ending.unlink(missing_ok=True)
        with self.log.open("ab") as log:
            self._behind = log.tell()
            self.popen = subprocess.Popen(
                [*self.command, *words], stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            )

    @property
    def printed(self) -> str:
        """The end of what it has printed since it was started."""
        try:
            with self.log.open("rb") as log:
                size = log.seek(0, os.SEEK_END)
                log.seek(max(0, size - _PRINTED_MAX, self._behind if self._behind <= size else 0))
                return log.read().decode("utf-8", "replace").strip()
        except OSError:
            return ""

    def poll(self) -> int | None:
        """Its exit code, None while it runs or before it was started. What it has left running ends with it."""
        popen = self.popen
        if popen is None or popen.returncode is not None:
            return None if popen is None else popen.returncode
        if hasattr(os, "waitid"):
            if os.waitid(os.P_PID, popen.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
                return None
            # Before anybody hears of its end: until then its number is nobody else's.
            end_session(popen.pid)
        return popen.poll()

    def tell_to_end(self) -> None:
        """It collects what it has, and ends."""
        if self.popen is not None and self.poll() is None:
            if self.ending is not None:
                with suppress(OSError):  # it is ended a while later, then
                    self.ending.touch()
            self.popen.terminate()

    def end(self) -> None:
        """End it at once, with all that it has started."""
        if self.popen is None or self.poll() is not None:
            return
        if hasattr(os, "killpg"):
            end_session(self.popen.pid)
        else:
            self.popen.kill()
        self.popen.wait()


@dataclass
class Campaign:
    """A campaign, from its start to its end.

    ``engines`` has one engine for each shard; ``command`` is what starts a shard, but for its name and engine.
    ``about`` is what does not change of the record that ``show`` is given.
    """

    state: State
    engines: Sequence[str]
    command: Sequence[str]
    ending: Ending
    about: CampaignRecord
    show: Show
    _began: float = field(default_factory=time.monotonic)
    _news: float | None = None
    _known: frozenset[str] = frozenset()
    _found: bool = False
    _counts: list[tuple[float, int]] = field(default_factory=list)
    _coverage: int = 0
    _starts: int = 0
    _given_up: str = ""
    _told_to_end: int = 0
    _is_read: bool = True

    def run(self) -> CampaignRecord:
        """Run it; ShardFailed where a shard says that it cannot be done.

        Ctrl-C and SIGTERM end it as if the time were up, and at once when they come again. Where nobody reads what is
        shown, it ends at once: what was found is in the folder.
        """
        self._known = frozenset(path.stem for path in self.state.of_earlier())
        processes = [self._process(number, engine) for number, engine in enumerate(self.engines)]
        ended = ""
        with self._signals(), self._in_the_folder():
            try:
                for process in processes:
                    process.start()
                while not (ended := self._why_it_ends(processes)):
                    self._look_after(processes)
                    self._show(self._record(processes))
                    time.sleep(LOOK)
            finally:
                self._end(processes, at_once=not ended or not self._is_read)
        self._raise_for(processes)
        record = replace(self._record(processes), ended=ended, remaining=None)
        self._show(record)
        return record

    @contextmanager
    def _in_the_folder(self) -> Iterator[None]:
        """ShardFailed where the folder cannot be used any more: it may be beside the target, which may do anything."""
        try:
            yield
        except (StateError, FileNotFoundError) as error:
            raise ShardFailed(_USAGE, f"chunkproof: --state={self.about.state}: {error}") from None

    @contextmanager
    def _signals(self) -> Iterator[None]:
        """Ctrl-C, SIGTERM and the end of the terminal are heard, and raise nothing in the middle of what is drawn."""
        names = ("SIGINT", "SIGTERM", "SIGHUP") if threading.current_thread() is threading.main_thread() else ()
        numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
        # What is ignored, as Ctrl-C by what runs in the background, stays so.
        heard = [number for number in numbers if signal.getsignal(number) is not signal.SIG_IGN]
        before = [(number, signal.signal(number, self._hear)) for number in heard]
        try:
            yield
        finally:
            for number, handler in before:
                signal.signal(number, handler if handler is not None else signal.SIG_DFL)

    def _hear(self, number: int, frame: FrameType | None) -> None:
        self._told_to_end += 1

    def _show(self, record: CampaignRecord) -> None:
        if self._is_read:
            try:
                self.show(record)
            except BrokenPipeError:
                self._is_read = False

    def _process(self, number: int, engine: str) -> Process:
        name = str(number)
        command = [
            sys.executable,
            "-P",  # no file beside the target stands in for a module of the same name
            "-m",
            "chunkproof",
            "fuzz",
            "shard",
            *self.command,
            *("--name", name),
            *("--engine", engine),
            *("--time", f"{self.ending.seconds or _LONG:.3f}"),
            *("--parent", str(os.getpid())),
        ]
        return Process(name, engine, command, self.state.log(name), self.state.ending_path(name))

    # while it goes on ---------------------------------------------------------------------------------------------

    def _why_it_ends(self, processes: Sequence[Process]) -> str:
        elapsed, ending = time.monotonic() - self._began, self.ending
        if self._told_to_end:
            return "interrupted"
        if not self._is_read:
            return "nobody reads what it says"
        if ending.seconds is not None and elapsed >= ending.seconds:
            return "the time is up"
        since = elapsed if self._news is None else time.monotonic() - self._news
        if ending.until_quiet is not None and since >= ending.until_quiet:
            return f"nothing new for {ending.until_quiet:g} s"
        if ending.until_found and self._found:
            return "something was found"
        if all(process.is_done for process in processes):
            return "all seeds are done"
        return self._given_up

    def _look_after(self, processes: Sequence[Process]) -> None:
        for process in processes:
            if process.is_done or process.popen is None:
                continue
            code = process.poll()
            if code is None:
                self._look_at(process)
            elif self._has_done_all(process, code):
                process.is_done = True
            else:
                self._raise_for([process])
                self._start_again(process, code)
        self.state.cut_logs()

    def _has_done_all(self, process: Process, code: int) -> bool:
        """Whether nothing is left to do for it: it may have ended early too, told so by the target."""
        is_done = code in (0, 1) and self._said(process).get("doing") == "done"
        return is_done and process.engine == "storm" and self.state.seeds_are_done(process.name)

    def _said(self, process: Process) -> dict[str, object]:
        """What a shard has said last since it was started: one may end with 0 or 1 without having done its work."""
        status = self.state.status(process.name)
        updated = status.get("updated")
        return status if is_number(updated) and updated >= process.started else {}

    def _look_at(self, process: Process) -> None:
        """End a shard that stands still; it is started again at the next look."""
        said = self._said(process)
        silent = time.time() - float(said.get("updated", process.started))  # type: ignore[arg-type]
        if not said and silent > _STARTING:
            raise ShardFailed(_USAGE, _with(f"chunkproof: {self._target} is not loaded after {_STARTING:g} s", process))
        if silent > _STANDS_STILL:
            process.end()

    def _start_again(self, process: Process, code: int) -> None:
        if not (self.state.shards.is_dir() and self.state.logs.is_dir()):
            raise StateError(f"{self.state.folder} was taken away while the campaign ran")
        process.false_starts = 0 if self._said(process) else process.false_starts + 1
        from_outside = code in (-signal.SIGTERM, -getattr(signal, "SIGKILL", signal.SIGTERM))
        if process.false_starts > (_FALSE_STARTS_MAX if from_outside else 0):
            if "Traceback" in process.printed:
                raise ShardFailed(_FAULT, process.printed)
            told = f"chunkproof: {self._target} takes its process with it when it is loaded: {how_it_ended(code)}"
            raise ShardFailed(_USAGE, _with(told, process))
        self._starts += 1
        if self._starts > _STARTS_MAX:
            self._given_up = f"its shards have ended {self._starts} times, at last so: {how_it_ended(code)}"
            if not self.state.records():
                raise ShardFailed(_FAULT, _with(self._given_up, process))
        process.start(*([] if from_outside else ["--after-death"]))

    @property
    def _target(self) -> str:
        return f"--target={self.about.target}"

    def _raise_for(self, processes: Sequence[Process]) -> None:
        for process in processes:
            code = process.poll()
            # With these words to it: without them it was the target that ended its process so.
            if code in _WORDS and any(words in process.printed for words in _WORDS[code]):
                raise ShardFailed(code, process.printed)

    # its end --------------------------------------------------------------------------------------------------------

    def _end(self, processes: Sequence[Process], *, at_once: bool) -> None:
        for process in processes:
            process.tell_to_end()
        began, told_by_now = time.monotonic(), self._told_to_end
        while any(one.popen and one.poll() is None for one in processes):
            at_once = at_once or self._told_to_end > told_by_now or not self._is_read
            if time.monotonic() - began > (_ENDING if at_once else COLLECTING) or self._told_to_end > told_by_now + 1:
                break
            if not at_once:
                self._show(self._record(processes))
                self.state.cut_logs()
            time.sleep(LOOK)
        for process in processes:
            process.end()

    # what is shown --------------------------------------------------------------------------------------------------

    def _record(self, processes: Sequence[Process]) -> CampaignRecord:
        now = time.monotonic()
        records = self.state.records()
        findings = tuple(found for data in records if data["settled"] and (found := _found(data)) is not None)
        shards = tuple(shard for process in processes if (shard := self._shard(process)) is not None)
        names = frozenset(found.id for found in findings)
        coverage = sum(shard.coverage or 0 for shard in shards)
        if names - self._known or coverage > self._coverage:
            self._news = now
        self._known |= names
        self._found = bool(names)
        self._coverage = max(coverage, self._coverage)
        elapsed = now - self._began
        return replace(
            self.about,
            shards=shards,
            findings=findings,
            waiting=len(self.state.waiting()) + len(self.state.of_earlier()) + len(records) - len(findings),
            elapsed=elapsed,
            remaining=None if self.ending.seconds is None else max(0.0, self.ending.seconds - elapsed),
            since_news=None if self._news is None else now - self._news,
            rate=self._rate(now, sum(shard.checks for shard in shards)),
        )

    def _shard(self, process: Process) -> ShardRecord | None:
        status = self.state.status(process.name)
        if not status or status.get("engine") != process.engine:
            return None
        try:
            shard = ShardRecord.from_data(status)
        except ValueError:
            return None
        is_dead = process.popen is not None and process.poll() is not None and shard.doing != "done"
        return replace(shard, doing="dead") if is_dead else shard

    def _rate(self, now: float, checks: int) -> float:
        self._counts = [*(one for one in self._counts if now - one[0] < _RATE), (now, checks)]
        then, before = self._counts[0]
        return (checks - before) / (now - then) if now > then else 0.0


def _found(data: dict[str, object]) -> FoundRecord | None:
    try:
        return FoundRecord.from_data(data)
    except ValueError:
        return None  # it is being looked at by a later release, or was written by hand


def _with(told: str, process: Process) -> str:
    """The text, and behind it what a process has printed, if it has."""
    return f"{told}\n{process.printed}".strip()
