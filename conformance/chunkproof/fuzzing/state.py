"""The state of a campaign: a folder that many processes write to, and that is whole whenever one of them is killed.

Each file in it is written whole: to another name, synced, renamed. What an engine finds is in the inbox at once; what
became of it is in ``findings``, and as an entry in ``corpus``.
"""

from __future__ import annotations

import json
import os
import stat
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeGuard

from ..files import write_whole
from .found import Found, FoundError
from .lock import holder_of, locked

__all__ = ["INBOX_MAX", "LOG_BYTES_MAX", "PAST_MAX", "WAITING_MAX", "State", "StateError"]

VERSION = 1
#: So many findings wait at most; an engine that finds more is not listened to until some are dealt with.
INBOX_MAX = 200
#: Where so many findings wait, it is better to look at them than to make more streams small.
WAITING_MAX = 16
#: So many findings are kept that do not fail any more.
PAST_MAX = 300
#: A log that has grown to more is cut to a quarter of it, at four looks a second.
LOG_BYTES_MAX = 1 << 20
# Bytes of a stream that a record shows.
_SHOWN_MAX = 4096
# Written to see whether there is room.
_PROBE_BYTES = 1 << 14
# Larger files are not of ours.
_FILE_BYTES_MAX = 8 << 20
# What a process has begun to write and not finished is left behind where it is killed; this many seconds later it is.
_LEFT_BEHIND = 60.0
_BEGUN = (".part", ".claim")
# What a record holds that is read, besides the finding itself, and what stands for it where it is damaged.
_RECORD: Mapping[str, Any] = {
    "reproducible": True,
    "note": "",
    "settled": False,
    "deviations": [],
    "equals": {},
    "entry": "",
    "seen": {},
    "count": 1,
    "found": 0.0,
    "seconds": 0.0,
}
_FOLDERS = ("inbox", "findings", "earlier", "past", "corpus", "inputs", "artefacts", "shards", "logs")


class StateError(ValueError):
    """The folder cannot be used for this campaign; the message names it, why, and the way out."""


class State:
    """The folder of a campaign."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.inbox = folder / "inbox"
        self.findings = folder / "findings"
        self.earlier = folder / "earlier"
        self.past = folder / "past"
        self.corpus = folder / "corpus"
        self.inputs = folder / "inputs"
        self.artefacts = folder / "artefacts"
        self.shards = folder / "shards"
        self.logs = folder / "logs"
        self._records: dict[str, tuple[tuple[int, ...], dict[str, Any] | None]] = {}

    # the campaign -------------------------------------------------------------------------------------------------

    @classmethod
    def open(cls, folder: Path, target: str, declared: Sequence[str]) -> State:
        """The state of this target's campaign: a new one, or the one there is; StateError where it is another's."""
        state = cls(folder)
        about = {"version": VERSION, "target": target, "declared": list(declared)}
        path = folder / "campaign.json"
        if folder.exists() and not folder.is_dir():
            raise StateError(f"{folder} is no folder: name another one with --state")
        # Who was killed at the very start leaves a lock, and a part of campaign.json.
        if (
            not path.exists()
            and folder.is_dir()
            and any(one.suffix not in (".lock", ".part") for one in folder.iterdir())
        ):
            raise StateError(f"{folder} holds something else than a campaign: name another folder")
        folder.mkdir(parents=True, exist_ok=True)
        with state.lock("campaign"):
            if path.exists():
                state._assert_same(path, about)
            else:
                write_json(path, about | {"created": round(time.time())})
        for name in _FOLDERS:
            (folder / name).mkdir(exist_ok=True)
        state._tidy()
        state._assert_readable()
        return state

    def _tidy(self) -> None:
        """Take away what killed processes have begun to write."""
        before = time.time() - _LEFT_BEHIND
        for place, _, names in os.walk(self.folder):
            for name in names:
                if name.startswith(".") and name.endswith(_BEGUN):
                    path = Path(place, name)
                    with suppress(OSError):  # another one has done so
                        if path.lstat().st_mtime < before:
                            path.unlink()

    def _assert_readable(self) -> None:
        """StateError where a file is damaged that is needed from here on."""
        if (self.folder / "seeds.json").exists():
            self._seeds()
        try:
            self._known()
        except (OSError, ValueError) as error:
            raise StateError(
                f"{self.known_path} cannot be used: {error}; remove it, and what it names is looked for again"
            ) from None

    def about(self) -> Mapping[str, Any]:
        """What stands in campaign.json: target, declared, created; StateError where this is no campaign's folder."""
        path = self.folder / "campaign.json"
        try:
            found = read_json(path)
        except FileNotFoundError:
            raise StateError(f"{self.folder} is no folder of a campaign: there is no campaign.json in it") from None
        except (OSError, ValueError) as error:
            raise StateError(f"{path} cannot be read: {error}") from None
        if found.get("version") != VERSION:
            raise StateError(f"{path} is of version {found.get('version')!r:.20}, and this is {VERSION}")
        if not is_number(found.get("created", 0)):
            raise StateError(f"{path} is damaged: created: {found['created']!r:.60} stands where a number belongs")
        return found

    def _assert_same(self, path: Path, about: Mapping[str, Any]) -> None:
        found = self.about()
        for key in ("target", "declared"):
            if found.get(key) != about[key]:
                raise StateError(
                    f"{path.parent} is the campaign of another {key}: {found.get(key)!r:.200}, and not "
                    f"{about[key]!r:.200}; name another folder with --state"
                )

    def assert_writable(self) -> None:
        """OSError where no file can be written to the folder."""
        for folder in (self.folder, self.inbox, self.shards):
            path = folder / f".{os.getpid()}.probe.part"
            try:
                path.write_bytes(bytes(_PROBE_BYTES))
            finally:
                path.unlink(missing_ok=True)

    # findings -----------------------------------------------------------------------------------------------------

    def put(self, found: Found) -> bool:
        """Keep what an engine has found, whatever becomes of it; false where too many wait, and it is not kept."""
        path = self.inbox / f"{found.signature}.json"
        if not path.exists():
            if sum(1 for _ in self.inbox.glob("*.json")) >= INBOX_MAX:
                return False
            write_json(path, found.to_data())
        return True

    def waiting(self) -> list[Path]:
        """What waits in the inbox, by name."""
        return sorted(path for path in self.inbox.glob("*.json") if path.is_file())

    def take(self, path: Path) -> Found | None:
        """What a file of the inbox holds; one that holds no finding goes to the artefacts."""
        try:
            return Found.from_data(read_json(path))
        except FileNotFoundError:
            return None
        except (FoundError, OSError, ValueError):
            path.replace(self.artefacts / path.name)
            return None

    def records(self) -> list[dict[str, Any]]:
        """The findings of the campaign, as their files hold them, by id."""
        names = sorted(path.name for path in self.findings.glob("*.json"))
        self._records = {name: self._record(name) for name in names}
        return [record for _, record in self._records.values() if record is not None]

    def _record(self, name: str) -> tuple[tuple[int, ...], dict[str, Any] | None]:
        """What the file of a finding holds, which is read once for as long as it stays as it is; None where none."""
        path = self.findings / name
        state: tuple[int, ...] = ()
        try:
            about = path.stat()
            state = about.st_ino, about.st_mtime_ns, about.st_size
            before = self._records.get(name)
            if before is not None and before[0] == state:
                return before
            data = read_json(path)
            found = Found.from_data(data)
        except (OSError, ValueError):  # it was taken away meanwhile, or is none of ours
            return state, None
        if data.get("id") != path.stem:
            return state, None
        sound = {key: value for key, value in data.items() if key not in _RECORD or _is_like(value, _RECORD[key])}
        defaults = {key: value for key, value in _RECORD.items() if key != "seen"}
        return state, {**defaults, **sound, "rule": found.rule, **shown(found)}

    def look_again(self) -> None:
        """Every finding is one of an earlier campaign from here on: it counts again when it has failed again."""
        for path in sorted(self.findings.glob("*.json")):
            path.replace(self.earlier / path.name)

    def of_earlier(self) -> list[Path]:
        """The findings of earlier campaigns that were not run again yet, by name."""
        return sorted(self.earlier.glob("*.json"))

    def put_away(self, path: Path) -> None:
        """A finding of an earlier campaign that did not fail again is kept, while there is room, and counts no more."""
        if sum(1 for _ in self.past.glob("*.json")) < PAST_MAX:
            path.replace(self.past / path.name)
        path.unlink(missing_ok=True)

    def write_record(self, record: Mapping[str, Any]) -> None:
        """Write the file of a finding, or write it anew."""
        write_json(self.findings / f"{record['id']}.json", record)

    # what is known ------------------------------------------------------------------------------------------------

    @property
    def known_path(self) -> Path:
        """Where the deviations stand that were found so far."""
        return self.folder / "known.json"

    def known(self) -> tuple[str, ...]:
        """Their names; none where the file cannot be read, which `open` refuses."""
        try:
            return self._known()
        except (OSError, ValueError):
            return ()

    def _known(self) -> tuple[str, ...]:
        try:
            names = read_json(self.known_path).get("deviations")
        except FileNotFoundError:
            return ()
        if not isinstance(names, list) or not all(isinstance(one, str) for one in names):
            raise ValueError(f"deviations: {names!r:.60} stands where a list of names belongs")
        return tuple(names)

    def write_known(self, names: Iterable[str]) -> None:
        """Tell all engines what is no news from here on."""
        write_json(self.known_path, {"deviations": sorted(names)})

    # seeds --------------------------------------------------------------------------------------------------------

    def set_seeds(self, first: int, end: int | None) -> None:
        """From which seed on shards take theirs, up to but not with ``end``; the same range again keeps its place."""
        with self.lock("seeds"):
            path = self.folder / "seeds.json"
            if not path.exists() or self._seeds()["range"] != [first, end]:
                write_json(path, {"range": [first, end], "next": first})

    def set_seeds_once(self) -> None:
        """All seeds, where nobody has said which."""
        if not (self.folder / "seeds.json").exists():
            self.set_seeds(0, None)

    def take_seeds(self, count: int, holder: str = "") -> range:
        """The next so many seeds, which nobody else gets; fewer at the end of the range, and none behind it.

        A ``holder``, a shard by its name, has them in hand from here on.
        """
        with self.lock("seeds"):
            found = self._seeds()
            left = _ranges(found.get("left"))
            if left:
                taken = range(left[0][0], min(left[0][0] + count, left[0][1]))
                found["left"] = [one for one in ([taken.stop, left[0][1]], *left[1:]) if one[0] < one[1]]
            else:
                first, end = found["next"], found["range"][1]
                taken = range(first, first + count if end is None else max(first, min(first + count, end)))
                found["next"] = taken.stop
            self._write_held(found, holder, taken)
            return taken

    def hold_seeds(self, seeds: range, holder: str) -> None:
        """These are what is left of the seeds that a shard has in hand."""
        with self.lock("seeds"):
            self._write_held(self._seeds(), holder, seeds)

    def held_seeds(self, holder: str) -> range:
        """What an earlier process of this shard had in hand as it was killed: given out once more, and only once.

        Where it is killed again, they are lost: they may be what has killed it.
        """
        with self.lock("seeds"):
            found = self._seeds()
            held = _ranges([_held(found).get(holder)])
            lost = _ranges([_held(found, "again").get(holder)])
            found["lost"] = sorted([*_ranges(found.get("lost")), *lost])
            self._write_held(found, holder, range(0), again=held)
            return range(*held[0]) if held else range(0)

    def lost_seeds(self) -> list[range]:
        """Those of this campaign whose process was killed twice."""
        return [range(*one) for one in _ranges(self._seeds().get("lost"))]

    def free_seeds(self) -> None:
        """No shard of an earlier campaign runs any more: whatever they had in hand, or lost, is given out first."""
        with self.lock("seeds"):
            found = self._seeds()
            names = ("held", "again")
            back = [found.get("left"), found.get("lost"), *(list(_held(found, name).values()) for name in names)]
            found["left"] = sorted(one for ranges in back for one in _ranges(ranges))
            write_json(self.folder / "seeds.json", found | {"held": {}, "again": {}, "lost": []}, sync=False)

    def seeds_are_done(self, holder: str) -> bool:
        """Whether all of the range were given out, and this shard is through with its own."""
        found = self._seeds()
        end = found["range"][1]
        return (
            end is not None
            and found["next"] >= end
            and not [*_ranges(found.get("left")), *_ranges([_held(found).get(holder)])]
        )

    def _write_held(
        self, found: Mapping[str, Any], holder: str, seeds: range, again: Sequence[Sequence[int]] = ()
    ) -> None:
        held = {name: one for name, one in _held(found).items() if name != holder}
        if holder and seeds:
            held[holder] = [seeds.start, seeds.stop]
        tried = {name: one for name, one in _held(found, "again").items() if name != holder}
        if again:
            tried[holder] = list(again[0])
        write_json(self.folder / "seeds.json", {**found, "held": held, "again": tried}, sync=False)

    def _seeds(self) -> dict[str, Any]:
        """Which seeds there are, and the next; StateError where that cannot be read."""
        path = self.folder / "seeds.json"
        try:
            found = read_json(path)
            first, end = found["range"]
            numbers = first, found["next"], 0 if end is None else end
            if any(type(number) is not int or number < 0 for number in numbers):
                raise ValueError(f"{found!r:.60} stands where numbers from 0 belong")
        except (OSError, ValueError, KeyError, TypeError) as error:
            told = f"it lacks {error}" if isinstance(error, KeyError) else str(error)
            raise StateError(f"{path} cannot be used: {told}; remove it, and the seeds begin anew") from None
        return found

    # shards -------------------------------------------------------------------------------------------------------

    def status(self, name: str) -> dict[str, Any]:
        """What a shard has said last; nothing where there is no such shard."""
        try:
            return read_json(self.shards / f"{name}.json")
        except (OSError, ValueError):
            return {}

    def statuses(self) -> list[dict[str, Any]]:
        """What each shard has said last."""
        return list(_objects(self.shards))

    def write_status(self, name: str, status: Mapping[str, Any]) -> None:
        """Say what a shard is doing."""
        write_json(self.shards / f"{name}.json", status, sync=False)

    def ending_path(self, name: str) -> Path:
        """The file whose being there tells a shard of a campaign to end: a signal alone may be the target's."""
        return self.shards / f"{name}.ending"

    def log(self, name: str) -> Path:
        """Where a shard's output goes."""
        return self.logs / f"{name}.log"

    def cut_logs(self) -> None:
        """Of each log that has grown too large the end stays; who writes to it goes on behind that."""
        for path in self.logs.glob("*.log"):
            with suppress(OSError):
                cut_log(path)

    def holder(self, name: str) -> int | None:
        """The process that holds a lock; None where nobody knows."""
        return holder_of(self.folder / f"{name}.lock")

    @contextmanager
    def lock(self, name: str = "lock", *, wait: bool = True) -> Iterator[bool]:
        """Be the only one; see `locked`."""
        with locked(self.folder / f"{name}.lock", wait=wait) as is_held:
            yield is_held


def shown(found: Found) -> dict[str, Any]:
    """What the record of a finding shows of its stream: all of it, unless it is large."""
    is_small = len(found.wire) <= _SHOWN_MAX
    return {
        "wire": found.wire.hex() if is_small else "",
        "cuts": list(found.cuts) if is_small else [],
        "before": [wire.hex() for wire in found.before] if is_small else [],
        "wire_bytes": len(found.wire),
    }


def read_json(path: Path) -> dict[str, Any]:
    """The object that a file of a campaign holds; ValueError where it holds none, or is too large to be one."""
    about = path.stat()
    if not stat.S_ISREG(about.st_mode):
        raise ValueError(f"{path.name} is no regular file")
    if about.st_size > _FILE_BYTES_MAX:
        raise ValueError(f"{path.name} has more than {_FILE_BYTES_MAX:,} bytes")
    try:
        content = json.loads(path.read_text("utf-8"))
    except RecursionError:
        raise ValueError(f"{path.name} is nested too deeply") from None
    if not isinstance(content, dict):
        raise ValueError(f"{path.name} holds no object")
    return content


def cut_log(path: Path) -> None:
    """Of a log that has grown too large the end stays, in the same file: it is open elsewhere, to be appended to."""
    size = path.stat().st_size
    if size > LOG_BYTES_MAX:
        with path.open("rb+") as log:
            log.seek(size - LOG_BYTES_MAX // 4)
            end = log.read(LOG_BYTES_MAX // 4)
            log.truncate(0)
            log.seek(0)
            log.write(end)


def _held(seeds: Mapping[str, Any], name: str = "held") -> Mapping[str, Any]:
    held = seeds.get(name)
    return held if isinstance(held, dict) else {}


def _ranges(value: object) -> list[list[int]]:
    """Those of a list that are ranges of seeds."""
    ones = value if isinstance(value, list) else []
    return [
        one
        for one in ones
        if isinstance(one, list) and len(one) == 2 and all(type(end) is int for end in one) and 0 <= one[0] < one[1]
    ]


def is_number(value: object) -> TypeGuard[float]:
    """Whether a value out of a file is a number that can be reckoned with."""
    return type(value) in (int, float) and abs(value) < float("inf")  # type: ignore[arg-type]


def _is_like(value: object, other: object) -> bool:
    return is_number(value) if is_number(other) else type(value) is type(other)


def write_json(path: Path, content: Mapping[str, Any], *, sync: bool = True) -> None:
    """Write an object to a file, whole."""
    write_whole(path, json.dumps(content, indent=1, ensure_ascii=False) + "\n", sync=sync)


def _objects(folder: Path) -> Iterator[dict[str, Any]]:
    for path in sorted(folder.glob("*.json")):
        try:
            yield read_json(path)
        except (OSError, ValueError):
            continue  # it was taken away meanwhile, or is none of ours
