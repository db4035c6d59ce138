"""The state of a campaign: a folder that many processes write to, and that is whole whenever one of them is killed.

Each file in it is written whole: to another name, synced, renamed. What an engine finds is in the inbox at once; what
became of it is in ``findings``, and as an entry in ``corpus``.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..files import write_whole
from .found import Found, FoundError
from .lock import locked

__all__ = ["INBOX_MAX", "PAST_MAX", "WAITING_MAX", "State", "StateError"]

VERSION = 1
#: So many findings wait at most; an engine that finds more is not listened to until some are dealt with.
INBOX_MAX = 200
#: Where so many findings wait, it is better to look at them than to make more streams small.
WAITING_MAX = 16
#: So many findings are kept that do not fail any more.
PAST_MAX = 300
_LOG_BYTES_MAX = 1 << 20
# Larger files are not of ours.
_FILE_BYTES_MAX = 8 << 20
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

    # the campaign -------------------------------------------------------------------------------------------------

    @classmethod
    def open(cls, folder: Path, target: str, declared: Sequence[str]) -> State:
        """The state of this target's campaign: a new one, or the one there is; StateError where it is another's."""
        state = cls(folder)
        about = {"version": VERSION, "target": target, "declared": list(declared)}
        path = folder / "campaign.json"
        if path.exists():
            state._assert_same(path, about)
        elif folder.is_dir() and any(folder.iterdir()):
            raise StateError(f"{folder} holds something else than a campaign: name another folder")
        for name in _FOLDERS:
            (folder / name).mkdir(parents=True, exist_ok=True)
        if not path.exists():
            write_json(path, about | {"created": round(time.time())})
        return state

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
        return found

    def _assert_same(self, path: Path, about: Mapping[str, Any]) -> None:
        found = self.about()
        for key in ("target", "declared"):
            if found.get(key) != about[key]:
                raise StateError(
                    f"{path.parent} is the campaign of another {key}: {found.get(key)!r:.200}, and not "
                    f"{about[key]!r:.200}; name another folder with --state"
                )

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
        return sorted(self.inbox.glob("*.json"))

    def take(self, path: Path) -> Found | None:
        """What a file of the inbox holds; one that holds no finding goes to the artefacts."""
        try:
            return Found.from_data(read_json(path))
        except FileNotFoundError:
            return None
        except (FoundError, OSError, ValueError):
            path.rename(self.artefacts / path.name)
            return None

    def records(self) -> list[dict[str, Any]]:
        """The findings of the campaign, as their files hold them, by id."""
        return list(_objects(self.findings))

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
        """Their names."""
        try:
            return tuple(map(str, read_json(self.known_path)["deviations"]))
        except (OSError, ValueError, KeyError, TypeError):
            return ()

    def write_known(self, names: Iterable[str]) -> None:
        """Tell all engines what is no news from here on."""
        write_json(self.known_path, {"deviations": sorted(names)})

    # seeds --------------------------------------------------------------------------------------------------------

    def set_seeds(self, first: int, end: int | None) -> None:
        """From which seed on shards take theirs, up to but not with ``end``; the same range again keeps its place."""
        with self.lock("seeds"):
            path = self.folder / "seeds.json"
            if not path.exists() or read_json(path)["range"] != [first, end]:
                write_json(path, {"range": [first, end], "next": first})

    def set_seeds_once(self) -> None:
        """All seeds, where nobody has said which."""
        if not (self.folder / "seeds.json").exists():
            self.set_seeds(0, None)

    def take_seeds(self, count: int) -> range:
        """The next so many seeds, which nobody else gets; fewer at the end of the range, and none behind it."""
        with self.lock("seeds"):
            path = self.folder / "seeds.json"
            found = read_json(path)
            first, end = found["next"], found["range"][1]
            behind = first + count if end is None else max(first, min(first + count, end))
            write_json(path, found | {"next": behind}, sync=False)
            return range(first, behind)

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

    def log(self, name: str) -> Path:
        """Where a shard's output goes; what is there is cut where it has grown too large."""
        path = self.logs / f"{name}.log"
        if path.exists() and path.stat().st_size > _LOG_BYTES_MAX:
            path.write_bytes(path.read_bytes()[-_LOG_BYTES_MAX // 2 :])
        return path

    @contextmanager
    def lock(self, name: str = "lock", *, wait: bool = True) -> Iterator[bool]:
        """Be the only one; see `locked`."""
        with locked(self.folder / f"{name}.lock", wait=wait) as is_held:
            yield is_held


def read_json(path: Path) -> dict[str, Any]:
    """The object that a file of a campaign holds; ValueError where it holds none, or is too large to be one."""
    if path.stat().st_size > _FILE_BYTES_MAX:
        raise ValueError(f"{path.name} has more than {_FILE_BYTES_MAX:,} bytes")
    content = json.loads(path.read_text("utf-8"))
    if not isinstance(content, dict):
        raise ValueError(f"{path.name} holds no object")
    return content


def write_json(path: Path, content: Mapping[str, Any], *, sync: bool = True) -> None:
    """Write an object to a file, whole."""
    write_whole(path, json.dumps(content, indent=1, ensure_ascii=False) + "\n", sync=sync)


def _objects(folder: Path) -> Iterator[dict[str, Any]]:
    for path in sorted(folder.glob("*.json")):
        try:
            yield read_json(path)
        except (OSError, ValueError):
            continue  # it was taken away meanwhile, or is none of ours
