"""A copy of a corpus for projects in other languages: the entries, their schema, and a word on both."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from ..files import write_whole
from .entry import Entry, entry_text

__all__ = ["SCHEMA", "copy_to"]

#: The JSON Schema of an entry.
SCHEMA = Path(__file__).with_name("entry.schema.json")
# What a copy is known by: it lists its own files, and only those are ever removed.
_LIST = ".chunkproof-copy"
_HEADLINE = "# The files of a copy by `chunkproof corpus copy`; a later copy replaces these and no others."
_OURS = re.compile(r"[a-z0-9-]+/[a-z0-9-]+\.json|README\.md|\.gitattributes|entry\.schema\.json", re.ASCII)
_ATTRIBUTES = "# Line ends are what many entries are about: git must not change them.\n* -text\n"
_README = """\
# Event streams, and what the standard makes of them

Each file `<chapter>/<id>.json` is one entry: a stream of Server-Sent Events (`text/event-stream`), where its chunks
end, and what a parser has to make of it by the WHATWG HTML standard, section 9.2. `entry.schema.json` is the JSON
Schema of the form; the keys that a test needs are these:

| key | holds |
| --- | --- |
| `id`, `title` | the name of the entry, and what it is about |
| `severity` | `must`, `should` or `info`: how much a parser that differs is wrong |
| `wire` | the bytes of the stream: `{"text": ...}` in UTF-8, `{"base64": ...}`, or a recipe |
| `cuts` | offsets into the wire at which chunks end, sorted; an offset that stands twice is an empty chunk |
| `before` | streams that are run before this one, each on a parser of its own; most entries have none |
| `expected.events` | the events in order: `type`, `data`, and the `last_event_id` at the time |
| `expected.last_event_id` | the last event ID at the end of the stream |
| `expected.retries` | the reconnection times that were set, in order, as decimal digits (milliseconds) |

A recipe, `{"recipe": [...]}`, is a list of pieces that stand one behind the other: a piece is what a wire is, or
`{"repeat": [...], "times": n}`, which is a list of pieces repeated. Long texts and lists of events are written so, too.

To test a parser: make the wire, cut it, feed it chunk by chunk, say that the input is over, and compare. Where the
chunks end must change nothing: the whole wire in one chunk, and one byte a chunk, have the same outcome.

Entries are licensed as each one's `licence` says. This copy was written by `chunkproof corpus copy`, which brings it up
to date; what it wrote is listed in `.chunkproof-copy`, and other files here are left alone.
"""


def copy_to(folder: Path, entries: Iterable[Entry]) -> list[Path]:
    """Write the entries into a folder, with their schema; the files that were written.

    FileExistsError where something stands in the folder that is no former copy; files of a former copy are replaced, or
    removed where their entry is gone.
    """
    former = _former(folder)
    files = {f"{entry.chapter}/{entry.id}.json": entry_text(entry) for entry in entries}
    files |= {
        ".gitattributes": _ATTRIBUTES,
        "README.md": _README,
        SCHEMA.name: SCHEMA.read_text("utf-8"),
    }
    for name in sorted(files.keys() - former):
        if (folder / name).exists():
            raise FileExistsError(f"{folder / name} is no part of the former copy: move it, or choose another folder")
    folder.mkdir(parents=True, exist_ok=True)
    # The list comes first: what a copy that was interrupted has left is known as its own.
    _put(folder / _LIST, "\n".join([_HEADLINE, *sorted(files.keys() | former)]) + "\n")
    for name, text in files.items():
        _put(folder / name, text)
    for name in former - files.keys():
        (folder / name).unlink(missing_ok=True)
    _put(folder / _LIST, "\n".join([_HEADLINE, *sorted(files)]) + "\n")
    return [folder / name for name in sorted([*files, _LIST])]


def _former(folder: Path) -> set[str]:
    """The files of the copy that the folder holds; FileExistsError where something else is in it."""
    if not folder.exists():
        return set()
    if not folder.is_dir():
        raise FileExistsError(f"{folder} is a file, and a copy is a folder")
    listed = folder / _LIST
    if listed.is_file():
        return set(_listed(listed))
    # A new repository is a good place for a copy.
    if found := sorted(path.name for path in folder.iterdir() if path.name != ".git"):
        raise FileExistsError(
            f"{folder} holds {found[0]!r} and is no former copy: choose an empty folder, or one that is not there yet"
        )
    return set()


def _listed(path: Path) -> Iterator[str]:
    # Only what a copy can have written: nothing else is removed, whatever stands in the list.
    return (line for line in path.read_text("utf-8", errors="replace").split("\n") if _OURS.fullmatch(line))


def _put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, text)
