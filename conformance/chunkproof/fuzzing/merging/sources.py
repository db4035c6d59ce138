"""State folders as they are merged: what each holds, and the files that cannot be used."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeGuard

from ...corpus.entry import EntryError
from ...corpus.store import Problem, read_file
from ..found import Found, FoundError
from ..state import State, StateError, read_json
from .alike import attributed, digest_of

__all__ = ["FILE_BYTES_MAX", "Source", "StoredEntry", "assert_alike", "later", "read_source"]

#: A larger file is no input, and no file of an engine that is kept.
FILE_BYTES_MAX = 8 << 20
_ID = re.compile(r"[0-9a-z]+(-[0-9a-z]+)*", re.ASCII)
# What two statuses of one shard differ by, and the totals do not.
_GONE = {"doing": "done", "pid": 0}


@dataclass(frozen=True, slots=True)
class StoredEntry:
    """An entry of a folder: its file, the id in it, and a digest of all but the id."""

    path: Path
    id: str
    digest: str


@dataclass(slots=True)
class Source:
    """One state folder, read.

    ``origin`` is the id of its campaign and ``merged`` those of the campaigns that were merged into it. ``records`` are
    the findings, each with the digest of its entry under ``entry`` and the new name of its artefact under ``artefact``;
    ``earlier`` are those that were not run again yet, and ``past`` those that did not fail again.
    ``waiting`` is the inbox by signature. ``entries`` are by digest, and ``attached`` the digests that records name.
    ``artefacts`` and ``statuses`` are by the names that they get. ``problems`` are files that cannot be used, ``left``
    those of them that are not among the artefacts either; ``files`` are all that were listed.
    """

    folder: Path
    about: Mapping[str, Any]
    origin: str
    merged: frozenset[str]
    records: list[dict[str, Any]] = field(default_factory=list)
    earlier: list[dict[str, Any]] = field(default_factory=list)
    past: list[dict[str, Any]] = field(default_factory=list)
    waiting: dict[str, dict[str, str]] = field(default_factory=dict)
    entries: dict[str, list[StoredEntry]] = field(default_factory=dict)
    attached: set[str] = field(default_factory=set)
    artefacts: dict[str, Path] = field(default_factory=dict)
    statuses: dict[str, dict[str, Any]] = field(default_factory=dict)
    known: frozenset[str] = frozenset()
    seeds: Mapping[str, Any] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    left: set[Path] = field(default_factory=set)
    files: list[Path] = field(default_factory=list)

    def listed(self, folder: str) -> list[Path]:
        """The regular files of one of its folders, in the order of their names; what is hidden is being written."""
        try:
            with os.scandir(self.folder / folder) as found:
                names = [one.name for one in found if one.is_file(follow_symlinks=False) and one.name[0] != "."]
        except FileNotFoundError:
            return []
        paths = [self.folder / folder / name for name in sorted(names)]
        self.files += paths
        return paths

    def leave(self, path: Path, reason: str) -> None:
        """Name a file that is neither used nor kept elsewhere."""
        self.problems.append(Problem(path, reason))
        self.left.add(path)


def read_source(folder: Path) -> Source:
    """What a state folder holds, but for its inputs; StateError where it is none.

    A file that cannot be used is a problem of its own, and is kept among the artefacts.
    """
    about = State(folder).about()
    merged = about.get("merged", [])
    if not isinstance(merged, list) or not all(map(_is_id, merged)):
        raise StateError(f"{folder / 'campaign.json'}: merged: {merged!r:.60} stands where a list of ids belongs")
    told = about.get("id")
    origin = told if _is_id(told) else digest_of(dict(about))
    source = Source(folder, about, origin, frozenset(merged or [origin]))
    # Entries come first in the list of files, too: who takes files away goes by it.
    entries = _read_entries(source)
    _read_artefacts(source)
    source.records = _read_records(source, "findings", entries)
    source.earlier = _read_records(source, "earlier", entries)
    source.past = _read_records(source, "past", entries)
    _read_inbox(source)
    _read_statuses(source)
    source.known = frozenset(_names(source, folder / "known.json"))
    source.seeds = _seeds(source, folder / "seeds.json")
    return source


def assert_alike(folders: Sequence[Path]) -> None:
    """All are campaigns of one target with the same declared profile; StateError names two that are not."""
    first = State(folders[0]).about()
    for folder in folders[1:]:
        other = State(folder).about()
        for key, what in (("target", "target"), ("declared", "profile")):
            if first.get(key) != other.get(key):
                raise StateError(
                    f"{folder} is the campaign of another {what} than {folders[0]}: {other.get(key)!r:.200} and not "
                    f"{first.get(key)!r:.200}; merge those of one {what} at a time"
                )


def _is_id(value: Any) -> TypeGuard[str]:
    """Whether it is the id of a campaign: it becomes a part of names of files."""
    return isinstance(value, str) and _ID.fullmatch(value) is not None


def _read_artefacts(source: Source) -> None:
    for path in source.listed("artefacts"):
        content = _content(source, path)
        if content is not None:
            source.artefacts[_named(path.name, content)] = path


def _named(name: str, content: bytes) -> str:
    """The name of an artefact that no other content has; a name that was given here stays."""
    start = f"{digest_of(content)}-"
    return name if name.startswith(start) else start + name[-100:]


def _read_entries(source: Source) -> dict[str, str]:
    """Read the entries; their digests by their paths in the state folder."""
    digests = {}
    for path in sorted((source.folder / "corpus").rglob("*.json")):
        if path.name.startswith("."):
            continue  # still being written
        source.files.append(path)
        try:
            entry = read_file(path)
        except EntryError as error:
            _damaged(source, path, str(error))
            continue
        digest = digest_of({key: value for key, value in entry.data.items() if key != "id"})
        source.entries.setdefault(digest, []).append(StoredEntry(path, entry.id, digest))
        digests[path.relative_to(source.folder).as_posix()] = digest
    return digests


def _read_records(source: Source, folder: str, entries: Mapping[str, str]) -> list[dict[str, Any]]:
    renamed = {path.name: name for name, path in source.artefacts.items()}
    records = []
    for path, data in _objects(source, folder):
        try:
            record = attributed(data, source.origin)
        except FoundError as error:
            _damaged(source, path, str(error))
            continue
        digest = entries.get(record["entry"], "")
        if digest:
            source.attached.add(digest)
        artefact = str(record.get("artefact", ""))
        records.append({**record, "entry": digest, "artefact": renamed.get(artefact, artefact)})
    return records


def _read_inbox(source: Source) -> None:
    renamed = {path.name: name for name, path in source.artefacts.items()}
    for path, data in _objects(source, "inbox"):
        try:
            found = Found.from_data(data)
        except FoundError as error:
            _damaged(source, path, str(error))
            continue
        told = found.to_data()
        source.waiting[found.signature] = {**told, "artefact": renamed.get(found.artefact, found.artefact)}


def _read_statuses(source: Source) -> None:
    """Statuses by campaign and name: those of a merged folder say whose they are."""
    for path, data in _objects(source, "shards"):
        told = data.get("campaign")
        origin = told if _is_id(told) else source.origin
        name = path.stem if path.stem.startswith(f"{origin}-") else f"{origin}-{path.stem}"
        status = {**data, **_GONE, "name": name, "campaign": origin}
        source.statuses[name] = later(status, source.statuses.get(name, status))


def later(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Of two statuses of a shard, the one that was said last."""

    def when(status: Mapping[str, Any]) -> tuple[Any, ...]:
        numbers = (status.get(key, 0) for key in ("updated", "checks", "seconds"))
        return *(number if type(number) in (int, float) else 0 for number in numbers), json.dumps(
            status, sort_keys=True
        )

    return max(one, other, key=when)


def _names(source: Source, path: Path) -> list[str]:
    """What stands in known.json."""
    content = _object(source, path)
    if content is None:
        return []
    names = content.get("deviations")
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        _damaged(source, path, f"deviations: {names!r:.60} stands where a list of names belongs")
        return []
    return names


def _seeds(source: Source, path: Path) -> Mapping[str, Any]:
    content = _object(source, path)
    if content is None:
        return {}
    match content:
        case {"range": [int(), int() | None], "next": int()}:
            return content
    _damaged(source, path, "it holds no range of seeds")
    return {}


def _objects(source: Source, folder: str) -> Iterator[tuple[Path, dict[str, Any]]]:
    for path in source.listed(folder):
        if path.suffix == ".json":
            content = _object(source, path)
            if content is not None:
                yield path, content


def _object(source: Source, path: Path) -> dict[str, Any] | None:
    try:
        return read_json(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        source.leave(path, f"it cannot be read: {error.strerror}")
    except (ValueError, RecursionError) as error:
        _damaged(source, path, f"it holds nothing of a campaign: {error}")
    return None


def _damaged(source: Source, path: Path, reason: str) -> None:
    """Name a file that cannot be used, and keep it for who wants to look at it."""
    source.problems.append(Problem(path, reason))
    content = _content(source, path)
    if content is not None:
        source.artefacts[_named(path.name, content)] = path


def _content(source: Source, path: Path) -> bytes | None:
    try:
        if path.stat().st_size <= FILE_BYTES_MAX:
            return path.read_bytes()
        source.leave(path, f"it has more than {FILE_BYTES_MAX:,} bytes, and is left where it is")
    except OSError as error:
        source.leave(path, f"it cannot be read: {error.strerror}")
    return None
