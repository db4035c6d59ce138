"""A slice of a campaign as another machine runs it: a shard in a process of its own, and its folder handed back.

The target is never loaded where the task runs: whatever it does ends the slice's process and nothing else. All that is
exchanged are names and bytes, within bounds.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

__all__ = ["FILES_BYTES_MAX", "Handed", "Slice", "pack", "run_slice", "unpack"]

#: A folder that is handed over holds at most so many bytes; what is over is left out, inputs first.
FILES_BYTES_MAX = 16 << 20
_FILES_MAX = 20_000
#: What a state folder is made of, in the order of what must not be left out.
_PARTS = tuple(
    re.compile(part, re.ASCII)
    for part in (
        r"(campaign|known|seeds)\.json",
        r"(findings|inbox|earlier|past)/[\w-][\w.-]{0,150}\.json",
        r"corpus/[\w-]{1,50}/[\w-]{1,120}\.json",
        r"shards/[\w-][\w.-]{0,150}\.json",
        r"artefacts/[\w-][\w.-]{0,200}",
        r"inputs/[\w-]{1,50}/[\w-][\w.-]{0,150}",
    )
)
# Seconds between two looks at the process, and those it has to collect what it found, and to end when told to.
_LOOK, _COLLECTING, _ENDING = 0.1, 120.0, 5.0
_PRINTED_MAX = 4000


@dataclass(frozen=True, slots=True)
class Slice:
    """A piece of work: these seeds, and no longer than ``seconds``.

    ``command`` are the arguments of ``python -m`` that start a shard, but for the folder, the seeds and the time; it is
    run in ``place``, where there is such a folder. ``files`` is the state that it starts with.
    """

    name: str
    command: tuple[str, ...]
    seeds: tuple[int, int] | None
    seconds: float
    place: str
    files: Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class Handed:
    """What came of a slice: how its process ended, what it printed last, and its folder.

    ``worker`` is who ran it, ``left_out`` how many files did not fit.
    """

    name: str
    worker: str
    code: int
    printed: str
    files: Mapping[str, bytes]
    left_out: int


def run_slice(work: Slice) -> Handed:
    """Run a slice here, in a process of its own, and hand over its folder however that process ends."""
    worker, place = _worker()
    folder = Path(tempfile.mkdtemp(prefix="chunkproof-slice-", dir=place))
    try:
        state, log = folder / "state", folder / "log"
        unpack(work.files, state)
        with log.open("wb") as output:
            code = _run(work, state, output.fileno())
        files, left_out = pack(state)
        return Handed(work.name, worker, code, _end_of(log), files, left_out)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _run(work: Slice, state: Path, output: int) -> int:
    """The exit code of the shard; one that does not end in time is ended with all that it has started."""
    seeds = () if work.seeds is None else ("--seed-range", "{}:{}".format(*work.seeds))
    command = [sys.executable, "-m", *work.command, "--state", str(state), *seeds, "--time", f"{work.seconds:g}"]
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        start_new_session=True,
        cwd=work.place if os.path.isdir(work.place) else None,
    )
    try:
        until = time.monotonic() + work.seconds + _COLLECTING
        while process.poll() is None and time.monotonic() < until:
            time.sleep(_LOOK)
        if process.poll() is None:
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(_ENDING)
    finally:
        with contextlib.suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()
    return process.wait()


def _end_of(log: Path) -> str:
    with log.open("rb") as file:
        file.seek(max(0, log.stat().st_size - _PRINTED_MAX))
        return file.read().decode("utf-8", "replace").strip()


def _worker() -> tuple[str, str | None]:
    """The address of the worker that runs this, and its folder, which its successor clears."""
    try:
        from distributed import get_worker

        worker = get_worker()
    except (ImportError, ValueError):
        return f"process {os.getpid()}", None
    return str(worker.address), str(worker.local_directory)


# folders as bytes ----------------------------------------------------------------------------------------------------


def pack(folder: Path, bytes_max: int = FILES_BYTES_MAX) -> tuple[dict[str, bytes], int]:
    """The files of a state folder, and how many were left out since they are too many or too large together."""
    files: dict[str, bytes] = {}
    room, left_out = bytes_max, 0
    for name, path in sorted(_parts_of(folder), key=lambda part: (_rank(part[0]), part[1].stat().st_size, part[0])):
        size = path.stat().st_size
        if size > room or len(files) >= _FILES_MAX:
            left_out += 1
            continue
        files[name] = path.read_bytes()
        room -= size
    return files, left_out


def _parts_of(folder: Path) -> Iterator[tuple[str, Path]]:
    for path in folder.rglob("*"):
        name = path.relative_to(folder).as_posix()
        if _rank(name) < len(_PARTS) and path.is_file() and not path.is_symlink():
            yield name, path


def _rank(name: str) -> int:
    return next((at for at, part in enumerate(_PARTS) if part.fullmatch(name)), len(_PARTS))


def unpack(files: Mapping[str, bytes], folder: Path) -> None:
    """Write the files of a state folder; ValueError where one is no file of such a folder, or they are too many."""
    if len(files) > _FILES_MAX or sum(map(len, files.values())) > FILES_BYTES_MAX:
        raise ValueError(f"what was handed over has more than {FILES_BYTES_MAX:,} bytes or {_FILES_MAX:,} files")
    for name, content in files.items():
        if _rank(name) == len(_PARTS):
            raise ValueError(f"{name!r:.100} is no file of a campaign")
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    folder.mkdir(parents=True, exist_ok=True)
