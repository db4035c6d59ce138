"""Folders of entries: read with what is wrong named, written whole or not at all."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ..files import write_whole
from .entry import Entry, EntryError, entry_text, read_entry

__all__ = [
    "FILE_BYTES_MAX",
    "FOLDER_BYTES_MAX",
    "Corpus",
    "Problem",
    "own_corpus",
    "own_folder",
    "own_paths",
    "paths_of",
    "read_corpus",
    "read_file",
    "rewrite_entry",
    "write_entry",
]

#: A larger file is not read: a large wire is written as a recipe.
FILE_BYTES_MAX = 4 * 1024 * 1024
#: What the entries of one folder may hold together, and their files with them.
FOLDER_BYTES_MAX = 256 * 1024 * 1024
_FULL = (
    f"it is not used: the entries of one folder hold {FOLDER_BYTES_MAX:,} bytes at most, and with it there would be "
    "more; put some of them in another folder"
)
# A pipe is opened without waiting for who writes into it.
_AT_ONCE: int = getattr(os, "O_NONBLOCK", 0)
_HERE = Path(__file__).resolve().parent


@dataclass(frozen=True, slots=True)
class Problem:
    """A file or a folder that cannot be used, and why."""

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


def own_paths() -> dict[str, Path]:
    """The files of the entries that come with chunkproof, by their ids; none of them is read."""
    return paths_of(own_folder())


def paths_of(folder: Path) -> dict[str, Path]:
    """The files of a folder's entries by the ids that their names say; none of them is read."""
    return {found.stem: found for found in _files(folder) if isinstance(found, Path)}


def read_corpus(folder: Path) -> Corpus:
    """All entries of a folder and of those in it, in the order of their ids.

    A file that cannot be used is a problem of its own, and never one of the others; so is a folder.
    """
    corpus = Corpus()
    room = FOLDER_BYTES_MAX
    for found in _files(folder):
        if isinstance(found, Problem):
            corpus.problems.append(found)
            continue
        try:
            if room >= 0:
                entry, size = _read(found)
                room -= size
            # What does not fit is let go again, and no further file is read.
            if room < 0:
                raise EntryError(_FULL)
        except EntryError as error:
            corpus.problems.append(Problem(found, str(error)))
            continue
        if entry.id in corpus.paths:
            corpus.problems.append(Problem(found, f"id: {entry.id} stands in {corpus.paths[entry.id]} as well"))
            continue
        corpus.paths[entry.id] = found
        corpus.entries.append(entry)
    corpus.entries.sort(key=lambda entry: entry.id)
    return corpus


def _files(folder: Path) -> Iterator[Path | Problem]:
    """The entries' files, and the folders that are not read; links to folders are not followed."""
    refused: list[OSError] = []
    for place, folders, names in os.walk(folder, onerror=refused.append):
        folders[:] = sorted(name for name in folders if not _passed_over(name))
        for name in folders:
            path = Path(place, name)
            if path.is_symlink() and not _leads_into(path, folder):
                yield Problem(path, "it is a link to another folder, which is not read: name that folder itself")
        for name in sorted(names):
            # A schema beside the entries is none of them, nor is a file that is still being written.
            if name.endswith(".json") and not name.endswith(".schema.json") and not name.startswith("."):
                yield Path(place, name)
    for error in refused:
        yield Problem(Path(error.filename or folder), f"the folder cannot be read: {error.strerror}")


def _passed_over(name: str) -> bool:
    return name.startswith((".", "__"))


def _leads_into(link: Path, folder: Path) -> bool:
    """Whether all that is behind the link is read anyway."""
    behind, whole = link.resolve(), folder.resolve()
    return behind.is_relative_to(whole) and not any(map(_passed_over, behind.relative_to(whole).parts))


def read_file(path: Path) -> Entry:
    """The entry of a file; EntryError where it is none."""
    return _read(path)[0]


def _read(path: Path) -> tuple[Entry, int]:
    """The entry of a file, and how much the two hold together; EntryError where it is none."""
    content = _content(path)
    try:
        data = json.loads(content.decode())
    except UnicodeDecodeError as error:
        raise EntryError(f"it is no UTF-8: {error.reason} at byte {error.start}") from None
    except (ValueError, RecursionError) as error:
        raise EntryError(f"it is no JSON: {error}") from None
    entry = read_entry(data)
    if path.stem != entry.id:
        raise EntryError(f"id: {entry.id} stands in a file of another name")
    return entry, len(content) + entry.size


def _content(path: Path) -> bytes:
    try:
        with open(path, "rb", opener=lambda name, flags: os.open(name, flags | _AT_ONCE)) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise EntryError("it is no regular file")
            content = file.read(FILE_BYTES_MAX + 1)
    except OSError as error:
        raise EntryError(f"it cannot be read: {error.strerror}") from None
    if len(content) > FILE_BYTES_MAX:
        raise EntryError(f"it has more than {FILE_BYTES_MAX:,} bytes; a large wire is written as a recipe")
    return content


def write_entry(folder: Path, entry: Entry) -> Path:
    """Write an entry into the folder of its chapter; FileExistsError where its name is taken there.

    EntryError where its file would be larger than those that are read.
    """
    text = _text(entry)
    path = folder / entry.chapter / f"{entry.id}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, text, name=_name)
    return path


def rewrite_entry(path: Path, entry: Entry) -> None:
    """Write an entry over the file that it was read from; EntryError as above."""
    write_whole(path, _text(entry))


def _text(entry: Entry) -> str:
    text = entry_text(entry)
    size = len(text.encode())
    if size > FILE_BYTES_MAX:
        raise EntryError(
            f"{entry.id}: its file would have {size:,} bytes, and no larger one than of {FILE_BYTES_MAX:,} is read: "
            "keep a part of the stream, make it small with --shrink, or write its wire as a recipe"
        )
    return text


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
