"""``chunkproof corpus add``, ``record``, ``shrink`` and ``redact``: from what somebody has to an entry."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import click

from chunkproof_reports import terminal
from chunkproof_reports.visible import count_of
from chunkproof_targets.contract import TargetError
from chunkproof_targets.deviations import find_deviation

from ..command import close, load, profile_options, refuse
from ..isolation.judging import Isolation
from ..isolation.limits import Limits
from ..question import Question
from ..rules import Rule
from .artefacts import FORMATS, ArtefactError, read_artefact
from .commands import FOLDER, corpus_option, find_entry
from .entry import Entry, EntryError
from .judging import assert_agrees, shows
from .making import NAMED, Described, entry_of, rule_named, store, telling
from .recording import RecordingError, describe, read_headers, record
from .redaction import RedactionError, redact_case
from .smallest import Difference, Sameness, smallest
from .store import own_folder, rewrite_entry, write_entry

__all__ = ["COMMANDS"]

Command = TypeVar("Command", bound=Callable[..., Any])

# What is read of a file at most.
_BYTES_MAX = 256 * 1024 * 1024


_failing_target = profile_options("The parser that fails on it; without one, the deviations that show have to stay.")


@dataclass(frozen=True, slots=True)
class _Failure:
    """What has to stay when a stream is made smaller or redacted.

    ``question`` is the stream on which it was seen, ``still`` says whether it shows on another, ``names`` are the
    deviations that explain it, and ``by_target`` says that it is a target that failed.
    """

    question: Question
    still: Callable[[Question], bool]
    names: tuple[str, ...]
    by_target: bool = False


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What the user wants to be made of a stream."""

    into: str
    said: Described
    redacted: bool
    shrunk: bool
    keep: tuple[str, ...]
    target: str | None
    declare: tuple[str, ...]
    declared: tuple[str, ...]


def _what_is_made(command: Command) -> Command:
    """The options that say what an entry is, and what is done with its stream first."""

    def with_wanted(**given: Any) -> None:
        reference = given.pop("origin")
        said = Described(
            id=given.pop("name"),
            title=given.pop("title"),
            rules=given.pop("rules"),
            severity=given.pop("severity"),
            deviations=given.pop("names"),
            origin={"kind": "report", "reference": reference} if reference else {"kind": "file"},
            licence=given.pop("licence"),
        )
        wanted = _Wanted(
            said=said,
            declared=given.pop("deviations"),
            **{name: given.pop(name) for name in ("into", "redacted", "shrunk", "keep", "target", "declare")},
        )
        command(wanted=wanted, **given)

    with_wanted.__doc__ = command.__doc__
    with_wanted.__name__ = command.__name__
    made: Any = _failing_target(with_wanted)
    for option in (
        click.option("--licence", default="CC0-1.0", show_default=True, help="Of the data."),
        click.option("--origin", metavar="REF", default="", help="Where it was reported: owner/repository#number."),
        click.option("--severity", type=click.Choice(["must", "should", "info"]), help="Else that of its first rule."),
        click.option("--deviation", "names", multiple=True, metavar="NAME", help="One that it shows; repeatable."),
        click.option("--rule", "rules", multiple=True, metavar="ID", help="One that it is a case of; repeatable."),
        click.option("--title", default="", help="One sentence: what is right here."),
        click.option("--id", "name", default="", metavar="NAME", help="What it is called; else made from its bytes."),
        click.option("--into", default=FOLDER, show_default=True, metavar="DIR", help="The folder of the entries."),
        click.option("--keep", multiple=True, metavar="WORD", help="Not to be redacted; repeatable."),
        click.option("--redact/--no-redact", "redacted", default=True, help="Replace all text (default), or keep it."),
        click.option("--shrink", "shrunk", is_flag=True, help="Make it as small as it still fails so."),
    ):
        made = option(made)
    return made  # type: ignore[no-any-return]


# the commands --------------------------------------------------------------------------------------------------------


@click.command("add")
@click.argument("file", metavar="FILE|-")
@click.option("--format", "form", type=click.Choice(FORMATS), help="What the file is, where it is not seen rightly.")
@_what_is_made
def add(file: str, form: str | None, wanted: _Wanted) -> None:
    """Make an entry of what somebody has.

    FILE is raw bytes, what curl wrote, a hex dump, a Python bytes literal, a HAR file, a capture, or a list of chunks
    in JSON.
    """
    try:
        artefact = read_artefact(_content(file), format=form, name=file)
    except ArtefactError as error:
        refuse(f"{file}: {terminal.show_line(str(error))}")
    for step in artefact.understood:
        click.echo(f"  {terminal.show_line(step)}")
    _make(Question(artefact.wire, artefact.cuts), wanted)


@click.command("record")
@click.argument("url")
@click.option("--headers", metavar="FILE", help="Headers of the request, one 'Name: value' a line; never written.")
@click.option("--method", default="GET", show_default=True)
@click.option("--body", metavar="FILE", help="The body of the request.")
@click.option("--max-time", type=float, default=30.0, show_default=True, metavar="SECONDS")
@click.option("--max-bytes", type=click.IntRange(1), default=1 << 20, show_default=True)
@_what_is_made
def record_(
    url: str,
    headers: str | None,
    method: str,
    body: str | None,
    max_time: float,
    max_bytes: int,
    wanted: _Wanted,
) -> None:
    """Record a live stream as it arrives, and make an entry of it: each read of the socket is a chunk."""
    drawn = sys.stderr.isatty()

    def on_chunk(size: int, seconds: float) -> None:
        if drawn:
            click.echo(f"\r{seconds:6.1f} s: a chunk of {size:,} bytes ", nl=False, err=True)

    try:
        given = read_headers(_content(headers).decode("utf-8", "replace")) if headers is not None else []
        recorded = record(
            url,
            headers=given,
            method=method,
            body=_content(body) if body is not None else b"",
            max_time=max_time,
            max_bytes=max_bytes,
            on_chunk=on_chunk,
        )
    except RecordingError as error:
        refuse(terminal.show_line(str(error)))
    if drawn:
        click.echo("", err=True)
    for line in describe(recorded):
        click.echo(f"  {terminal.show_line(line)}")
    if recorded.repeats_secret and not wanted.redacted:
        refuse("the stream repeats what was sent to get it: leave out --no-redact, so that none of it is stored")
    origin = {"kind": "recording"} if wanted.said.origin["kind"] == "file" else wanted.said.origin
    wanted = replace(wanted, said=replace(wanted.said, origin=origin, times=recorded.times))
    _make(Question(recorded.wire, recorded.cuts), wanted)


@click.command("shrink")
@click.argument("entry", metavar="ENTRY")
@corpus_option
@click.option("--output", metavar="DIR", help="Write it there; without this, in place of the entry.")
@_failing_target
def shrink(entry: str, folder: str | None, output: str | None, **target: Any) -> None:
    """Make an entry small: the fewest bytes, then the fewest cuts, for which the target still fails so."""
    path, stored = find_entry(entry, folder)
    with _failing(stored.question, stored.rules[0], _names(stored), **target) as failure:
        question = _small(failure)
    _rewrite(path, stored, question, output)


@click.command("redact")
@click.argument("entry", metavar="ENTRY")
@corpus_option
@click.option("--keep", multiple=True, metavar="WORD", help="Not to be redacted; repeatable.")
@click.option("--output", metavar="DIR", help="Write it there; without this, in place of the entry.")
@_failing_target
def redact(entry: str, folder: str | None, keep: tuple[str, ...], output: str | None, **target: Any) -> None:
    """Replace the text of an entry by another of the same lengths and classes; the failure has to stay."""
    path, stored = find_entry(entry, folder)
    with _failing(stored.question, stored.rules[0], _names(stored), **target) as failure:
        question = _redacted(failure, keep)
    _rewrite(path, stored, question, output)


COMMANDS = (add, record_, shrink, redact)


# what they do --------------------------------------------------------------------------------------------------------


def _content(file: str) -> bytes:
    try:
        if file == "-":
            return sys.stdin.buffer.read(_BYTES_MAX + 1)
        with (Path.cwd() / file).open("rb") as opened:
            return opened.read(_BYTES_MAX + 1)
    except OSError as error:
        refuse(f"{file}: {error.strerror}")


def _make(question: Question, wanted: _Wanted) -> None:
    """Make small and redact what is wanted so, and store the entry."""
    click.echo(f"  {_size(question)}")
    said = wanted.said
    try:
        rule = rule_named(said.rules)
        names = said.deviations or tuple(one.name for one in telling(question, rule))
    except EntryError as error:
        refuse(terminal.show_line(str(error)))
    with _failing(question, rule, names, wanted.target, wanted.declare, wanted.declared) as failure:
        if wanted.shrunk:
            failure = replace(failure, question=_small(failure))
            if isinstance(failure.still, Sameness):
                failure.still.renew()
        question = _redacted(failure, wanted.keep) if wanted.redacted else failure.question
    # What explained the stream as it was may not show on a smaller one.
    still = tuple(name for name in failure.names if shows(question, rule, find_deviation(name)))
    times = said.times if len(said.times) == len(question.cuts) + 1 else ()
    try:
        entry = entry_of(question, replace(said, deviations=said.deviations or still, times=times))
        path, entry = store(Path.cwd() / wanted.into, entry)
    except EntryError as error:
        refuse(terminal.show_line(str(error)))
    except OSError as error:
        refuse(f"--into={wanted.into}: {error.strerror}")
    click.echo(f"{_shown(path)}: {_size(entry.question)}")
    click.echo(f"  shows: {', '.join(one.name for one in entry.deviations) or 'no deviation'}")
    _next(path, wanted)


def _next(path: Path, wanted: _Wanted) -> None:
    call = ["pytest", f"--target={wanted.target or 'SPEC'}", f"--chunkproof-corpus={wanted.into}"]
    click.echo(f"next: {shlex.join([*call, f'chunkproof::corpus/{path.stem}'])}")


@contextmanager
def _failing(
    question: Question,
    rule: Rule,
    names: Sequence[str],
    target: str | None,
    declare: Sequence[str],
    deviations: Sequence[str],
) -> Iterator[_Failure]:
    """What has to stay: how the target fails on the stream, or that these deviations show on it where none is named."""
    if target is None:
        yield _of_deviations(question, rule, names)
        return
    process = Isolation(Limits())
    loaded = load(target, declare, deviations, process)
    try:
        try:
            same = Sameness(loaded, question, process, rule=rule)
        except ValueError as error:
            refuse(str(error))
        with same:
            found = _causes(same.difference, question, rule)
            cause = f", as {' or '.join(found)} would have it" if found else ""
            click.echo(f"  {loaded.name} fails on it ({same.difference.kind}{cause})")
            if not found:
                click.echo("  no deviation of the catalogue explains that: the entry names others that show on it")
            yield _Failure(same.question, same, found or tuple(names), by_target=True)
    finally:
        close(loaded)
        process.close()


def _causes(difference: Difference, question: Question, rule: Rule) -> tuple[str, ...]:
    """The deviations each of which explains the failure, the first of them; or else the smallest set that does."""
    sets = [[one for one in causes if shows(question, rule, one)] for causes in difference.explained_by]
    alone = [one.name for causes in sets if len(causes) == 1 for one in causes]
    return tuple(alone[:NAMED] or [one.name for one in min(sets, key=len, default=[])])


def _of_deviations(question: Question, rule: Rule, names: Sequence[str]) -> _Failure:
    try:
        wanted = [find_deviation(name) for name in names]
    except TargetError as error:
        refuse(str(error))
    return _Failure(
        question,
        lambda other: all(shows(other, rule, one) for one in wanted),
        tuple(names),
    )


def _names(entry: Entry) -> tuple[str, ...]:
    return tuple(one.name for one in entry.deviations)


def _small(failure: _Failure) -> Question:
    if not failure.names and not failure.by_target:
        refuse("no deviation shows on it, so nothing says what has to stay: name a --target that fails on it")
    try:
        return smallest(failure.question, failure.still)
    except ValueError as error:
        refuse(str(error))


def _redacted(failure: _Failure, keep: Sequence[str]) -> Question:
    try:
        question, kept = redact_case(failure.question, failure.still, keep=keep)
    except RedactionError as error:
        refuse(terminal.show_line(str(error)))
    click.echo(f"  redacted; kept: {'; '.join(map(terminal.show_line, kept)) or 'nothing'}")
    return question


def _rewrite(path: Path, entry: Entry, question: Question, output: str | None) -> None:
    """Store the entry with another stream, in its place or in another folder."""
    if output is None and path.resolve().is_relative_to(own_folder()):
        refuse(f"{entry.id} comes with chunkproof and stays as it is: --output DIR writes what becomes of it")
    before = entry.question
    try:
        still = [one for one in entry.deviations if shows(question, entry.rules[0], one)]
        made = entry.with_question(question, still or telling(question, entry.rules[0]))
        assert_agrees(made)
        if output is None:
            rewrite_entry(path, made)
        else:
            path = write_entry(Path.cwd() / output, made)
    except EntryError as error:
        refuse(terminal.show_line(str(error)))
    except FileExistsError:
        refuse(f"--output={output}: there is an entry {entry.id} already; name another folder")
    except OSError as error:
        refuse(f"{output or path}: {error.strerror}")
    click.echo(f"{_shown(path)}: from {_size(before)} to {_size(question)}")


def _size(question: Question) -> str:
    return f"{count_of(len(question.wire), 'byte')} in {count_of(len(question.cuts) + 1, 'chunk')}"


def _shown(path: Path) -> str:
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)
