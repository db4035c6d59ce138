"""``chunkproof corpus show``, ``import``, ``export`` and ``copy``: entries looked at, and handed on."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import click

from chunkproof_reports import terminal
from chunkproof_reports.layers import draw_layers
from chunkproof_reports.results import Severity
from chunkproof_reports.visible import count_of

from ..command import refuse
from ..files import write_whole
from .commands import FOLDER, corpus_option, find_entry, read
from .copying import copy_to
from .entry import Entry, EntryError
from .judging import assert_agrees
from .layers import layers
from .making import Described, store
from .tables import tested, to_pytest, to_typescript
from .vectors import Refused, from_json_lines, from_vectors, to_json_lines, to_vectors

__all__ = ["COMMANDS"]

# A larger file is not read.
_BYTES_MAX = 64 * 1024 * 1024
_WRITERS: dict[str, Callable[[Iterable[Entry]], str]] = {
    "jsonl": to_json_lines,
    "vectors": to_vectors,
    "pytest": to_pytest,
    "typescript": to_typescript,
}
# What holds no entries of severity info.
_TABLES = ("pytest", "typescript")


@click.command("show")
@click.argument("entry", metavar="ENTRY")
@corpus_option
def show(entry: str, folder: str | None) -> None:
    """Show an entry: the wire with its cuts and as hex, then its characters, lines, fields and events.

    ENTRY is an id, or the path of a file.
    """
    _, stored = find_entry(entry, folder)
    reference = ", ".join([stored.origin.get("reference", ""), *stored.origin.get("also", ())]).strip(", ")
    said = [
        f"{stored.chapter}/{stored.id} ({stored.severity})",
        stored.title,
        f"a case of: {', '.join(rule.id for rule in stored.rules)}",
        f"shows: {', '.join(one.name for one in stored.deviations) or 'no deviation'}",
        f"from: {stored.origin['kind']}" + (f", {reference}" if reference else ""),
        *([f"arrived after: {', '.join(f'{seconds:g}' for seconds in stored.times)} s"] if stored.times else []),
    ]
    try:
        seen = layers(stored.question)
    except EntryError as error:
        way_out = f"`chunkproof corpus shrink {entry} --output DIR` makes a small one that shows the same"
        refuse(f"{entry}: {terminal.show_line(str(error))}; {way_out}")
    width = min(shutil.get_terminal_size().columns, 120)
    for line in draw_layers(said, seen, width=width, colour=sys.stdout.isatty()):
        click.echo(line)


@click.command("export")
@click.argument("entries", nargs=-1, metavar="[ENTRY]...")
@corpus_option
@click.option("--format", "form", type=click.Choice(list(_WRITERS)), default="jsonl", show_default=True)
@click.option("--output", metavar="FILE", help="Write it there; without this, to the terminal.")
def export(entries: tuple[str, ...], folder: str | None, form: str, output: str | None) -> None:
    """Write entries, all of a corpus or those named, as JSON lines, vectors, a pytest file or a TypeScript table."""
    found = read(folder) if not entries else None
    chosen = [find_entry(one, folder)[1] for one in entries] if found is None else found.entries
    try:
        text = _WRITERS[form](chosen)
    except EntryError as error:
        refuse(f"--format={form}: {terminal.show_line(str(error))}; name the entries that are wanted")
    if output is None:
        click.echo(text, nl=False)
    else:
        try:
            write_whole(Path.cwd() / output, text)
        except OSError as error:
            refuse(f"--output={output}: {error.strerror}")
        held = len(tested(chosen) if form in _TABLES else chosen)
        left_out = f", {len(chosen) - held} of severity info left out" if held < len(chosen) else ""
        click.echo(f"{output}: {count_of(held, 'entry', 'entries')}{left_out}")
    raise SystemExit(2 if found is not None and found.problems else 0)


@click.command("import")
@click.argument("file", metavar="FILE")
@click.option("--into", default=FOLDER, show_default=True, metavar="DIR", help="The folder of the entries.")
@click.option("--format", "form", type=click.Choice(["jsonl", "vectors"]), help="By its content without this.")
@click.option(
    "--rule", "rules", multiple=True, metavar="ID", help="What vectors that name none are a case of; repeatable."
)
@click.option("--origin", metavar="REF", default="", help="Where vectors come from.")
@click.option("--severity", type=click.Choice(["must", "should", "info"]), help="Of vectors; else that of their rule.")
@click.option("--licence", default="CC0-1.0", show_default=True, help="Of the data.")
def import_(
    file: str,
    into: str,
    form: str | None,
    rules: tuple[str, ...],
    origin: str,
    severity: Severity | None,
    licence: str,
) -> None:
    """Take entries from a file of JSON lines, or the vectors of another suite.

    One that says something else than the standard is named, and not taken.
    """
    text = _text(file)
    reference = {"reference": origin} if origin else {}
    said = Described(rules=rules, severity=severity, origin={"kind": "file", **reference}, licence=licence)
    try:
        found, refused = from_json_lines(text) if _form(text, form) == "jsonl" else from_vectors(text, said)
    except EntryError as error:
        refuse(f"{file}: {terminal.show_line(str(error))}")
    taken, wrong = _taken(found, Path.cwd() / into)
    for one in (*refused, *wrong):
        click.echo(f"not taken: {terminal.show_line(str(one))}", err=True)
    click.echo(f"{into}: {count_of(taken, 'entry', 'entries')} taken from {file}")
    raise SystemExit(2 if refused or wrong or not taken else 0)


@click.command("copy")
@click.argument("folder", metavar="DIR")
@click.option("--corpus", "source", metavar="DIR", help="The folder that is copied; else as for the other commands.")
def copy(folder: str, source: str | None) -> None:
    """Copy a corpus, with its schema, for a project in another language. A former copy is brought up to date."""
    found = read(source)
    try:
        written = copy_to(Path.cwd() / folder, found.entries)
    except FileExistsError as error:
        refuse(str(error))
    except OSError as error:
        refuse(f"{folder}: {error.strerror}")
    click.echo(f"{folder}: {count_of(len(found.entries), 'entry', 'entries')} in {count_of(len(written), 'file')}")
    raise SystemExit(2 if found.problems else 0)


COMMANDS = (show, import_, export, copy)


def _text(file: str) -> str:
    try:
        with (Path.cwd() / file).open("rb") as opened:
            content = opened.read(_BYTES_MAX + 1)
    except OSError as error:
        refuse(f"{file}: {error.strerror}")
    if len(content) > _BYTES_MAX:
        refuse(f"{file}: it has more than {_BYTES_MAX:,} bytes; take a part of it")
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        refuse(f"{file}: it is no UTF-8: {error.reason} at byte {error.start}")


def _form(text: str, form: str | None) -> str:
    """JSON lines are objects with a version; all else is vectors."""
    return form or ("jsonl" if text.lstrip().startswith("{") and '"version"' in text.partition("\n")[0] else "vectors")


def _taken(entries: Sequence[Entry], folder: Path) -> tuple[int, list[Refused]]:
    """Store the entries that agree with the standard; how many they are, and those that do not."""
    taken = 0
    wrong = []
    for entry in entries:
        try:
            assert_agrees(entry)
            store(folder, entry)
            taken += 1
        except EntryError as error:
            wrong.append(Refused(entry.id, str(error)))
        except OSError as error:
            refuse(f"--into={folder}: {error.strerror}")
    return taken, wrong
