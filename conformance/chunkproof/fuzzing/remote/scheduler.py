"""A campaign on several machines: its shards as tasks of dask.distributed, in slices.

A slice is a range of seeds, or a short time of another engine. What it found is handed over at its end and is then in
the folder of the campaign; a worker that is lost costs the slices that it was running, and another worker runs those
again.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import queue
import shutil
import time
from asyncio import CancelledError
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from ..merging.merge import Decode, merge
from ..merging.sources import read_source
from ..state import State, StateError, read_json, write_json
from .plan import Range, SeedPlan
from .slices import Handed, Slice, run_slice, unpack

__all__ = ["SHARD", "Remote", "SchedulerError"]

STORM = "storm"
#: The arguments of ``python -m`` that start a shard.
SHARD = ("chunkproof", "fuzz", "shard")

# Seconds that a slice is to take, those after which it is ended, and those for which none is worth its start; and
# those of another engine, which takes longer to start.
_SLICE, _SLICE_MAX, _SLICE_MIN, _SLICE_OF_OTHERS = 10.0, 60.0, 1.0, 30.0
# Times that a slice is tried; then its seeds are given up.
_TRIES_MAX = 3
# Seconds to connect, and seconds without a worker.
_CONNECTING, _WITHOUT_WORKERS = 10.0, 60.0
# What was handed over is merged when there is so much of it, or after so many seconds.
_SLICES_MERGED, _SECONDS_MERGED = 16, 5.0
# Bytes of inputs that a slice starts with.
_INPUTS_BYTES_MAX = 2 << 20
# Seeds that a shard takes at a time: so many of those that it took it may not have run.
_IN_HAND = 16
_USAGE = 2


class SchedulerError(Exception):
    """The campaign cannot be run so; the message says why, and the way out."""


@dataclass(slots=True)
class _Work:
    """A slice that is out."""

    slice: Slice
    engine: str
    future: Any = None


@dataclass
class Remote:
    """The shards of a campaign, wherever they run.

    ``address`` is that of the scheduler, ``command`` are the options of a shard, but for folder, name, engine, seeds
    and time. ``seeds`` is the range for the storm, ``engines`` are used by turns. ``jobs`` is how many slices are out
    at most; by default as many as the workers have threads, and one more. ``notes`` tell what went wrong on the way. A
    context manager.
    """

    address: str
    state: State
    command: Sequence[str]
    decoders: Mapping[str, Decode]
    seeds: tuple[int, int | None] = (0, None)
    engines: Sequence[str] = (STORM,)
    jobs: int | None = None
    start: Sequence[str] = SHARD
    notes: list[str] = field(default_factory=list)
    _client: Any = None
    _plan: SeedPlan = field(init=False)
    _turns: Iterator[str] = field(init=False)
    _out: dict[str, _Work] = field(default_factory=dict)
    _ended: queue.SimpleQueue[str] = field(default_factory=queue.SimpleQueue)
    _tries: dict[Range | None, int] = field(default_factory=dict)
    _workers: dict[str, dict[str, Any]] = field(default_factory=dict)
    _origin: str = ""
    _number: int = 0
    _merged_at: float = field(default_factory=time.monotonic)
    _alone_since: float | None = None
    _looking_again: bool = False

    def __enter__(self) -> Remote:
        self._connect()
        self._origin = read_source(self.state.folder).origin
        self._plan = SeedPlan(*self.seeds, seconds=_SLICE, done=self._done_before())
        self._turns = cycle(self.engines)
        # What was handed over to a campaign that was killed.
        self._merge()
        self._looking_again = bool(self.state.of_earlier())
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @property
    def shards(self) -> list[tuple[str, str]]:
        """The names of status files with the engine of each: one for each worker that has handed something over."""
        return [(status["name"], status["engine"]) for status in self._workers.values()]

    def step(self, seconds: float, remaining: float | None = None) -> bool:
        """Hand out slices and take in what came of them, for so long; false where nothing is left to do.

        ``remaining`` are the seconds until the campaign's end, from which on nothing is handed out. SchedulerError
        where the scheduler is gone, or a shard says that it cannot be done.
        """
        self._hand_out(remaining)
        if not self._out:
            self._merge()
            return False
        with contextlib.suppress(queue.Empty):
            self._take_in(self._ended.get(timeout=seconds))
            while True:
                self._take_in(self._ended.get_nowait())
        if len(self._handed()) >= _SLICES_MERGED or time.monotonic() - self._merged_at > _SECONDS_MERGED:
            self._merge()
        return True

    def close(self) -> None:
        """Hand out no more, and let go of the scheduler; what a worker is running ends by itself, soon."""
        if self._client is None:
            return
        with contextlib.suppress(Exception):
            self._client.cancel([work.future for work in self._out.values()])
        with contextlib.suppress(Exception):
            self._client.close(timeout=5)
        self._client = None
        self._merge()
        for status in self._workers.values():
            status["doing"] = "done"
            self.state.write_status(status["name"], status)

    @property
    def has_more(self) -> bool:
        """Whether there is something to hand out, were there time for it."""
        return not self._plan.is_empty or any(engine != STORM for engine in self.engines)

    @property
    def given_up(self) -> list[Range]:
        """The seeds that could not be run to their end."""
        return list(self._plan.given_up)

    # the scheduler --------------------------------------------------------------------------------------------------

    def _connect(self) -> None:
        try:
            from distributed import Client
        except ImportError:
            raise SchedulerError(
                "--scheduler needs dask.distributed: install it with `pip install 'chunkproof[distributed]'`"
            ) from None
        # It tells of lost connections and workers at length; what matters is told here.
        for name in ("distributed", "distributed.client"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
        try:
            self._client = Client(self.address, timeout=_CONNECTING, set_as_default=False)
        except (OSError, ValueError, TimeoutError) as error:
            said = str(error).partition("\n")[0] or type(error).__name__
            raise SchedulerError(
                f"--scheduler={self.address}: no scheduler answers there ({said}); `dask scheduler` starts one, "
                "`dask worker ADDRESS` its workers"
            ) from None

    def _assert_alive(self) -> None:
        """The scheduler answers and has workers; SchedulerError where it has none for a while."""
        if self._client.status != "running":
            raise SchedulerError(f"the scheduler at {self.address} is gone; {self._way_out()}")
        if self._threads():
            self._alone_since = None
            return
        now = time.monotonic()
        self._alone_since = self._alone_since or now
        if now - self._alone_since > _WITHOUT_WORKERS:
            raise SchedulerError(
                f"the scheduler at {self.address} has had no worker for {_WITHOUT_WORKERS:g} s; {self._way_out()}"
            )

    def _way_out(self) -> str:
        return f"what was handed over is in {self.state.folder}: the same command goes on from there"

    def _threads(self) -> int:
        with contextlib.suppress(OSError, TimeoutError):
            return sum(self._client.nthreads().values())
        return 0

    # handing out ----------------------------------------------------------------------------------------------------

    def _hand_out(self, remaining: float | None) -> None:
        self._assert_alive()
        if remaining is not None and (remaining <= 0 or (remaining < _SLICE_MIN and self._number)):
            return
        # One slice runs the findings of earlier campaigns again: what is news to the others follows from that.
        most = 1 if self._looking_again else self.jobs or self._threads() + 1
        while len(self._out) < most and (work := self._next(remaining)) is not None:
            future = self._client.submit(run_slice, work.slice, key=work.slice.name, pure=False)
            work.future = future
            self._out[work.slice.name] = work
            future.add_done_callback(lambda done: self._ended.put(str(done.key)))

    def _next(self, remaining: float | None) -> _Work | None:
        """The next slice; None where all seeds are out, and no other engine goes on."""
        for engine in islice(self._turns, len(self.engines)):
            piece = self._plan.take() if engine == STORM else None
            if piece is None and engine == STORM:
                continue
            tries = self._tries.get(piece, 0)
            seconds = _SLICE_OF_OTHERS if piece is None else _SLICE_MAX * 2**tries
            return _Work(self._slice(engine, piece, seconds if remaining is None else min(seconds, remaining)), engine)
        return None

    def _slice(self, engine: str, piece: Range | None, seconds: float) -> Slice:
        self._number += 1
        name = f"{self._origin}-{os.getpid():x}-{self._number:x}"
        command = (*self.start, *self.command, "--name", "slice", "--engine", engine)
        return Slice(name, command, piece, seconds, os.getcwd(), self._files(name, with_inputs=piece is None))

    def _files(self, name: str, *, with_inputs: bool) -> dict[str, bytes]:
        """The state that a slice starts with: whose it is, what is known, and for some engines the inputs."""
        about = {key: value for key, value in self.state.about().items() if key != "merged"}
        state = self.state
        write = {"campaign.json": {**about, "id": name}, "known.json": {"deviations": list(state.known())}}
        files = {path: _json(content) for path, content in write.items()}
        if self._looking_again:
            paths = [*state.of_earlier(), *state.corpus.glob("*/*.json")]
            files |= {path.relative_to(state.folder).as_posix(): path.read_bytes() for path in paths}
        if with_inputs:
            files |= dict(_inputs(state.folder))
        return files

    # taking in ------------------------------------------------------------------------------------------------------

    def _take_in(self, name: str) -> None:
        work = self._out.pop(name, None)
        if work is None:
            return
        try:
            handed = work.future.result(timeout=_CONNECTING)
            work.future.release()
            self._keep(handed)
        except (Exception, CancelledError) as error:
            # A worker that was lost too often, a task that its worker cannot run, or nothing that can be used. What was
            # called off was not tried: the scheduler was away.
            if "Cancelled" in type(error).__name__:
                self._give_back(work.slice.seeds)
                return
            if isinstance(error, ImportError):
                raise SchedulerError(
                    f"a worker cannot run it: {error}; install the same chunkproof there, and what the target needs"
                ) from None
            self._failed(work, f"{type(error).__name__}: {error}".partition("\n")[0])
            return
        self._account(work, handed)

    def _keep(self, handed: Handed) -> None:
        """Put what was handed over into the folder, whole: from here on no end of this process loses it."""
        folder = self.state.folder / "slices"
        part = folder / f".{handed.name}.part"
        shutil.rmtree(part, ignore_errors=True)
        unpack(handed.files, part)
        part.rename(folder / handed.name)

    def _account(self, work: _Work, handed: Handed) -> None:
        state = State(self.state.folder / "slices" / handed.name)
        status, behind = state.status("slice"), _next_seed(state)
        self._write_status(work, handed, status)
        # What they tell stands in the worker's status and in the plan from here on.
        (state.shards / "slice.json").unlink(missing_ok=True)
        (state.folder / "seeds.json").unlink(missing_ok=True)
        if handed.code == _USAGE:
            raise SchedulerError(f"a shard cannot be run on {handed.worker}: {handed.printed or 'it says nothing'}")
        # A fault in Python ends with 1 as well.
        if handed.code not in (0, 1) or status.get("doing") != "done":
            self._failed(work, f"its process ended with {handed.code}: {handed.printed[-300:]}")
            return
        if self._looking_again:
            self._looked_again(state)
        if handed.left_out:
            self._note(f"{handed.left_out:,} files of a slice were too much to hand over, inputs first")
        piece, seconds = work.slice.seeds, _number(status.get("seconds"))
        if piece is None:
            self._tries.pop(None, None)
            return
        if seconds < work.slice.seconds:
            self._plan.is_done(piece, seconds)
        else:
            self._took_too_long(work, piece, min(behind, piece[1]) - _IN_HAND, seconds)
        write_json(self.state.folder / "slices.json", {"range": list(self.seeds), "done": self._plan.done})
        self._tries.pop(piece, None)

    def _looked_again(self, slice_state: State) -> None:
        """What failed again is a finding of the slice, and what did not is past."""
        for path in self.state.of_earlier():
            if not (slice_state.earlier / path.name).exists():
                path.unlink()
        self.state.write_known(slice_state.known())
        self._looking_again = bool(self.state.of_earlier())

    def _took_too_long(self, work: _Work, piece: Range, behind: int, seconds: float) -> None:
        """Of a slice whose time was up, the seeds before ``behind`` are done, and the others are given out again."""
        if behind > piece[0]:
            self._plan.is_done((piece[0], behind), seconds)
            self._plan.give_back((behind, piece[1]))
        else:
            self._again(work, piece, f"its seeds took longer than {work.slice.seconds:g} s")

    def _failed(self, work: _Work, reason: str) -> None:
        self._again(work, work.slice.seeds, reason)

    def _again(self, work: _Work, piece: Range | None, reason: str) -> None:
        """Give seeds out again, or give them up where they were tried often enough."""
        self._tries[piece] = tries = self._tries.get(piece, 0) + 1
        told = "a slice" if piece is None else "seeds {}:{}".format(*piece)
        if tries >= _TRIES_MAX:
            self._note(f"{told} given up after {tries} tries: {reason}")
            if piece is None:
                raise SchedulerError(f"no slice can be run: {reason}")
            self._plan.give_up(piece)
        else:
            self._note(f"{told} tried again: {reason}")
            self._give_back(piece)

    def _give_back(self, piece: Range | None) -> None:
        if piece is not None:
            self._plan.give_back(piece)

    def _note(self, text: str) -> None:
        if text not in self.notes and len(self.notes) < 100:
            self.notes.append(text)

    # the folder -----------------------------------------------------------------------------------------------------

    def _write_status(self, work: _Work, handed: Handed, status: Mapping[str, Any]) -> None:
        """Add what a slice has done to what its worker had done."""
        key = f"{handed.worker} {work.engine}"
        worker = self._workers.get(key) or self._new_worker(handed.worker, work.engine)
        for name in ("seconds", "checks", "streams", "repeats", "passed_over"):
            worker[name] = round(worker.get(name, 0) + _number(status.get(name)), 3)
        worker |= {"inputs": status.get("inputs", 0), "doing": "searching", "updated": round(time.time(), 3)}
        self._workers[key] = worker
        self.state.write_status(worker["name"], worker)

    def _new_worker(self, address: str, engine: str) -> dict[str, Any]:
        """The status of a worker; what an earlier one of its name has done counts on."""
        name = f"{self._origin}-worker-{len(self._workers) + 1}"
        return self.state.status(name) | {
            "name": name,
            "campaign": self._origin,
            "engine": engine,
            "pid": 0,
            "note": address,
            "coverage": None,
            "coverage_of": "",
        }

    def _handed(self) -> list[Path]:
        """What was handed over and is not merged yet."""
        folder = self.state.folder / "slices"
        folder.mkdir(exist_ok=True)
        return sorted(path for path in folder.iterdir() if path.name[0] != "." and (path / "campaign.json").exists())

    def _merge(self) -> None:
        folders = self._handed()
        self._merged_at = time.monotonic()
        if not folders:
            return
        try:
            merged = merge(folders, self.state.folder, self.decoders, whole=self._origin)
        except StateError as error:
            # It stays where it is, and is merged the next time.
            self._note(str(error))
            return
        for problem in merged.problems:
            self._note(str(problem))
        for folder in folders:
            shutil.rmtree(folder, ignore_errors=True)
        # A merge takes all that it reads for done.
        for status in self._workers.values():
            self.state.write_status(status["name"], status)

    def _done_before(self) -> list[Range]:
        """The seeds of this range that an earlier campaign in the folder has run."""
        try:
            found = read_json(self.state.folder / "slices.json")
            if found["range"] != list(self.seeds):
                return []
            return [(int(first), int(end)) for first, end in found["done"]]
        except (OSError, ValueError, KeyError, TypeError):
            return []


def _json(content: Mapping[str, Any]) -> bytes:
    """An object as a file of a campaign holds it."""
    return json.dumps(content, ensure_ascii=False).encode()


def _next_seed(state: State) -> int:
    """The first seed that a shard has not taken."""
    try:
        return int(read_json(state.folder / "seeds.json")["next"])
    except (OSError, ValueError, KeyError, TypeError):
        return 0


def _inputs(folder: Path) -> Iterator[tuple[str, bytes]]:
    """The smallest inputs of a campaign, by their names in its folder."""
    found = sorted((path.stat().st_size, path) for path in (folder / "inputs").glob("*/*") if path.name[0] != ".")
    room = _INPUTS_BYTES_MAX
    for size, path in found:
        room -= size
        if room < 0:
            return
        yield path.relative_to(folder).as_posix(), path.read_bytes()


def _number(value: Any) -> float:
    return value if type(value) in (int, float) else 0
