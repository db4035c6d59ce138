"""Folders of entries: read with what is wrong named, written whole or not at all."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ..files import write_whole
from .entry import Entry, EntryError, entry_text, read_entry

__all__ = [
    "FILE_BYTES_MAX",
    "Corpus",
    "Problem",
    "own_corpus",
    "own_folder",
    "read_corpus",
    "read_file",
    "rewrite_entry",
    "write_entry",
]

#: A larger file is not read: a large wire is written as a recipe.
FILE_BYTES_MAX = 4 * 1024 * 1024
_HERE = Path(__file__).resolve().parent


@dataclass(frozen=True, slots=True)
class Problem:
    """A file that cannot be used, and why."""

    path: Path
    reason: str

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}"


@dataclass(slots=True)
class Corpus:
    """The entries of a folder, by their ids, the file of each, and the files that could not be used."""

    entries: list[Entry] = field(default_factory=list)
    paths: dict[str, Path] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)


def own_folder() -> Path:
    """Where the entries that come with chunkproof are: beside this file where it is installed, else in the checkout."""
    installed = _HERE / "whole"
    return _HERE if installed.is_dir() else _HERE.parents[2] / "corpus"


def own_corpus() -> Corpus:
    """The entries that come with chunkproof."""
    return read_corpus(own_folder())


def read_corpus(folder: Path) -> Corpus:
    """All entries of a folder and of those in it, in the order of their ids.

    A file that cannot be used is a problem of its own, and never one of the others.
    """
    corpus = Corpus()
    for path in _files(folder):
        try:
            entry = read_file(path)
        except EntryError as error:
            corpus.problems.append(Problem(path, str(error)))
            continue
        if entry.id in corpus.paths:
            corpus.problems.append(Problem(path, f"id: {entry.id} stands in {corpus.paths[entry.id]} as well"))
            continue
        corpus.paths[entry.id] = path
        corpus.entries.append(entry)
    corpus.entries.sort(key=lambda entry: entry.id)
    return corpus


def _files(folder: Path) -> Iterator[Path]:
    """The entries' files; links to folders are not followed, so that no folder holds itself."""
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "__")))
        for name in sorted(names):
            # A schema beside the entries is none of them, nor is a file that is still being written.
            if name.endswith(".json") and not name.endswith(".schema.json") and not name.startswith("."):
                yield Path(place, name)


def read_file(path: Path) -> Entry:
    """The entry of a file; EntryError where it is none."""
    try:
        with path.open("rb") as file:
            content = file.read(FILE_BYTES_MAX + 1)
    except OSError as error:
        raise EntryError(f"it cannot be read: {error.strerror}") from None
    if len(content) > FILE_BYTES_MAX:
        raise EntryError(f"it has more than {FILE_BYTES_MAX:,} bytes; a large wire is written as a recipe")
    try:
        data = json.loads(content.decode())
    except UnicodeDecodeError as error:
        raise EntryError(f"it is no UTF-8: {error.reason} at byte {error.start}") from None
    except (ValueError, RecursionError) as error:
        raise EntryError(f"it is no JSON: {error}") from None
    entry = read_entry(data)
    if path.stem != entry.id:
        raise EntryError(f"id: {entry.id} stands in a file of another name")
    return entry


def write_entry(folder: Path, entry: Entry) -> Path:
    """Write an entry into the folder of its chapter; FileExistsError where its name is taken there."""
    path = folder / entry.chapter / f"{entry.id}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, entry_text(entry), name=_name)
    return path


def rewrite_entry(path: Path, entry: Entry) -> None:
    """Write an entry over the file that it was read from."""
    write_whole(path, entry_text(entry))


def _name(temporary: str, path: Path) -> None:
    """Give a file its name, where nobody else has it."""
    try:
        os.link(temporary, path)
    except FileExistsError:
        raise
    except OSError:
        # A file system without links: the name is taken first, so that for a moment it is an empty file.
        path.open("x").close()
        os.replace(temporary, path)
