"""Several state folders made one: a function of what is in them, whatever their order and that of their files.

Findings that are the same become one, inputs that try nothing new are dropped, and what was run is added up. The result
is a state folder: a campaign can go on in it, and it can be merged again, with its own sources as well, which changes
nothing. Each file is written whole, and nothing is taken away before all is written: who was interrupted starts again.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

from chunkproof_strategies.chunkings import Cuts

from ...corpus.store import Problem, read_file, rewrite_entry, write_entry
from ..state import PAST_MAX, State, StateError, read_json, write_json
from .alike import digest_of, merge_findings, not_among
from .features import Cover, features
from .sources import FILE_BYTES_MAX, Source, StoredEntry, assert_alike, later, read_source

__all__ = ["Decode", "Merged", "merge"]

#: From the bytes of an input to the stream that an engine makes of it; ValueError where they are none.
Decode = Callable[[bytes], tuple[bytes, Cuts]]

# So much of an input is held to put it in order; beyond it, its hash decides.
_HEAD = 256


@dataclass(slots=True)
class Merged:
    """What a merge has read and kept."""

    folder: Path
    target: str
    folders: int
    findings: int = 0
    findings_read: int = 0
    waiting: int = 0
    inputs: int = 0
    inputs_read: int = 0
    checks: int = 0
    problems: list[Problem] = field(default_factory=list)


def merge(folders: Sequence[Path], into: Path, decoders: Mapping[str, Decode], *, whole: str = "") -> Merged:
    """Merge state folders into another, which may be one of them; what it holds already is merged as well.

    ``decoders`` are for the folders of ``inputs``, by their names; those of other names are kept as they are. ``whole``
    is the id of a campaign of which folders are slices: their ids begin with it and a hyphen, and what they have seen
    becomes its own. StateError where folders are of different targets or profiles, where one is no state folder, or
    where ``into`` is something else.
    """
    is_new = not (into / "campaign.json").exists()
    # A merge that was killed at its very start leaves a lock, and a part of campaign.json.
    if is_new and into.is_dir() and any(path.suffix not in (".lock", ".part") for path in into.iterdir()):
        raise StateError(f"{into} holds something else than a campaign: name another folder with --into")
    others = {folder.resolve(): folder for folder in folders if folder.resolve() != into.resolve()}
    assert_alike([*others.values(), *([] if is_new and others else [into])])
    sources = [read_source(folder) for folder in others.values()]
    # Nothing is made before all is known to be of one campaign.
    into.mkdir(parents=True, exist_ok=True)
    with State(into).lock(wait=False) as is_held:
        if not is_held:
            raise StateError(f"a campaign is running in {into}: wait for its end, or name another folder with --into")
        if not is_new:
            sources.append(read_source(into))
        return _merge(sources, into, decoders, is_new=is_new, whole=whole)


def _merge(
    sources: Sequence[Source], into: Path, decoders: Mapping[str, Decode], *, is_new: bool, whole: str
) -> Merged:
    about = _about(sources, whole)
    written = _Written(into)
    merged = Merged(into, str(about["target"]), len(sources))
    if is_new:
        # From here on it is a state folder, if only a part of one.
        written.put("campaign.json", about)
    _write_inputs(sources, written, decoders, merged)
    _write_artefacts(sources, written)
    _write_findings(sources, written, merged, whole)
    _write_statuses(sources, written, merged)
    written.put("known.json", {"deviations": sorted(set[str]().union(*(source.known for source in sources)))})
    if seeds := _seeds([source.seeds for source in sources if source.seeds]):
        written.put("seeds.json", seeds)
    for source in sources:
        if source.folder == into:
            written.take_away_the_rest(source)
    # Only now: until here, what the folder holds must read as of the campaign that it was before.
    written.put("campaign.json", about)
    merged.problems = sorted((one for source in sources for one in source.problems), key=str)
    return merged


def _about(sources: Sequence[Source], whole: str) -> dict[str, Any]:
    """What stands in campaign.json; the id of a merged campaign follows from those that were merged."""
    merged = set[str]().union(*(source.merged for source in sources))
    for source in sources:
        if source.origin not in source.merged and _went_on(source):
            merged.add(source.origin)
    merged = {_whole_of(origin, whole) for origin in merged}
    created = [moment for source in sources if isinstance(moment := source.about.get("created"), int | float)]
    return {
        "version": sources[0].about["version"],
        "target": sources[0].about.get("target"),
        "declared": sources[0].about.get("declared"),
        "created": min(created, default=0),
        "id": digest_of(sorted(merged)),
        "merged": sorted(merged),
    }


def _whole_of(origin: str, whole: str) -> str:
    return whole if whole and origin.startswith(f"{whole}-") else origin


def _went_on(source: Source) -> bool:
    """Whether a merged folder holds something that a campaign added to it later."""
    counted = (origins for record in source.records for origins in record["seen"].values())
    ran = (status["campaign"] == source.origin for status in source.statuses.values())
    return any(source.origin in origins for origins in counted) or any(ran)


# inputs --------------------------------------------------------------------------------------------------------------


def _write_inputs(sources: Sequence[Source], into: _Written, decoders: Mapping[str, Decode], merged: Merged) -> None:
    engines = sorted({path.name for source in sources for path in _folders(source.folder / "inputs")})
    for engine in engines:
        decode, kept = decoders.get(engine), Cover()
        for content in _in_order(sources, engine):
            merged.inputs_read += 1
            name = hashlib.sha1(content, usedforsecurity=False).hexdigest()
            if decode is not None:
                try:
                    stream = decode(content)
                except ValueError:
                    into.put_bytes(f"artefacts/{digest_of(content)}-{engine}-{name}", content)
                    continue
                if not kept.takes(features(*stream)):
                    continue
            # As engines themselves name them.
            into.put_bytes(f"inputs/{engine}/{name}", content, sync=False)
            merged.inputs += 1


def _folders(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if path.is_dir()] if folder.is_dir() else []


def _in_order(sources: Sequence[Source], engine: str) -> Iterator[bytes]:
    """Each input once, the shortest first, then by its bytes; one at a time is held."""
    sizes = []
    for source in sources:
        for path in source.listed(f"inputs/{engine}"):
            size = path.stat().st_size
            if size > FILE_BYTES_MAX:
                source.leave(path, f"it has more than {FILE_BYTES_MAX:,} bytes, and is no input")
            else:
                sizes.append((size, path))
    sizes.sort()
    for _, group in groupby(sizes, lambda pair: pair[0]):
        earlier = b""
        for _, digest, path in sorted(_keys(path for _, path in group)):
            # What was taken away meanwhile, or is written just now, is in the next merge.
            if digest != earlier and (content := _read(path)) is not None:
                yield content
            earlier = digest


def _keys(paths: Iterable[Path]) -> Iterator[tuple[bytes, bytes, Path]]:
    for path in paths:
        content = _read(path)
        if content is not None:
            yield content[:_HEAD], hashlib.sha256(content).digest(), path


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None


# findings ------------------------------------------------------------------------------------------------------------


def _write_artefacts(sources: Sequence[Source], into: _Written) -> None:
    for source in sources:
        for name, path in source.artefacts.items():
            content = _read(path)
            if content is not None:
                into.put_bytes(f"artefacts/{name}", content)


def _write_findings(sources: Sequence[Source], into: _Written, merged: Merged, whole: str) -> None:
    """Entries first, so that each record has its own; then what waits, where no record stands for it."""
    records = merge_findings(record for source in sources for record in source.records)
    earlier = not_among([record for source in sources for record in source.earlier], records)
    past = not_among([record for source in sources for record in source.past], [*records, *earlier])[:PAST_MAX]
    merged.findings_read = sum(len(source.records) for source in sources)
    merged.findings = len(records)
    attached = set[str]().union(*(source.attached for source in sources))
    digests = {digest for source in sources for digest in source.entries} - attached
    digests |= {record["entry"] for record in (*records, *earlier, *past)} - {""}
    places = _write_entries(sources, into, digests)
    for folder, some in (("findings", records), ("earlier", earlier), ("past", past)):
        for record in some:
            told = {"seen": _seen(record["seen"], whole), "entry": places.get(record["entry"], "")}
            into.put(f"{folder}/{record['id']}.json", {**record, **told})
    seen = {signature for record in (*records, *earlier) for signature in record["seen"]}
    waiting = [found for source in sources for found in source.waiting.items() if found[0] not in seen]
    for signature, data in sorted(waiting, key=lambda found: (found[0], sorted(found[1].items())), reverse=True):
        # The first in order is written last, and stays.
        into.put(f"inbox/{signature}.json", data)
    merged.waiting = len(dict(waiting)) + len(earlier)


def _seen(seen: Mapping[str, Mapping[str, int]], whole: str) -> dict[str, dict[str, int]]:
    """The counts of campaigns; those of slices are added to what their campaign has counted."""
    found: dict[str, dict[str, int]] = {signature: {} for signature in seen}
    for signature, counted in seen.items():
        for origin, times in counted.items():
            of = _whole_of(origin, whole)
            found[signature][of] = found[signature].get(of, 0) + times
    return found


def _write_entries(sources: Sequence[Source], into: _Written, digests: Iterable[str]) -> dict[str, str]:
    """Write these entries, each once; their places in the folder by their digests.

    Each keeps an id that it has. Where different entries have one and the same, none keeps it: so no file is written
    over that is still to be read.
    """
    stored: dict[str, list[StoredEntry]] = {digest: [] for digest in digests}
    claims: dict[str, set[str]] = {}
    for source in sources:
        for digest in stored.keys() & source.entries.keys():
            stored[digest] += source.entries[digest]
            for entry in source.entries[digest]:
                claims.setdefault(entry.id, set()).add(digest)
    places = {}
    for digest, entries in sorted(stored.items()):
        own = sorted({entry.id for entry in entries}, key=lambda id: (not id.endswith(f"-{digest}"), len(id), id))
        id = next((id for id in own if len(claims[id]) == 1), f"{own[0][:80].rstrip('-')}-{digest}")
        places[digest] = into.put_entry(entries[0], id)
    return places


# what was run --------------------------------------------------------------------------------------------------------


def _write_statuses(sources: Sequence[Source], into: _Written, merged: Merged) -> None:
    statuses: dict[str, dict[str, Any]] = {}
    for source in sources:
        for name, status in source.statuses.items():
            statuses[name] = later(status, statuses.get(name, status))
    for name, status in sorted(statuses.items()):
        into.put(f"shards/{name}.json", status)
        if type(status.get("checks")) is int:
            merged.checks += status["checks"]


def _seeds(found: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The range that holds all of the ranges, and the first seed behind those that were given out."""
    if not found:
        return {}
    ends = [seeds["range"][1] for seeds in found]
    end = None if None in ends else max(ends)
    return {"range": [min(seeds["range"][0] for seeds in found), end], "next": max(seeds["next"] for seeds in found)}


# writing -------------------------------------------------------------------------------------------------------------


class _Written:
    """The folder that is written, and which files in it are of this merge."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._stays: set[Path] = set()

    def put(self, name: str, content: Mapping[str, Any]) -> None:
        """Write an object to a file, unless it holds it already."""
        path = self._place(name)
        with suppress(OSError, ValueError):
            if read_json(path) == content:
                return
        write_json(path, content)

    def put_bytes(self, name: str, content: bytes, *, sync: bool = True) -> None:
        """Write bytes to a file, unless it holds them already."""
        path = self._place(name)
        if not path.exists() or path.stat().st_size != len(content):
            _write_bytes(path, content, sync=sync)

    def put_entry(self, stored: StoredEntry, id: str) -> str:
        """Write an entry under an id; its place in the folder."""
        entry = read_file(stored.path).renamed(id)
        name = f"corpus/{entry.chapter}/{id}.json"
        path = self._place(name)
        if path.exists():
            rewrite_entry(path, entry)
        else:
            write_entry(self._folder / "corpus", entry)
        return name

    def take_away_the_rest(self, source: Source) -> None:
        """Remove what was read here and was not written, but for what was named as a problem and is kept nowhere else.

        What has come meanwhile was not read. Entries come first: without its record, one would stay.
        """
        for path in source.files:
            if path not in self._stays and path not in source.left:
                path.unlink(missing_ok=True)

    def _place(self, name: str) -> Path:
        path = self._folder / name
        self._stays.add(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        return path


def _write_bytes(path: Path, content: bytes, *, sync: bool) -> None:
    number, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    try:
        with open(number, "wb") as file:
            file.write(content)
            if sync:
                file.flush()
                os.fsync(file.fileno())
        os.replace(temporary, path)
    finally:
        Path(temporary).unlink(missing_ok=True)
