"""``chunkproof corpus``: what is remembered, looked at and judged."""

from __future__ import annotations

import shutil
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import click

from chunkproof_reports import terminal
from chunkproof_reports.results import Results, RuleResult
from chunkproof_reports.visible import count_of
from chunkproof_targets.contract import TargetError
from chunkproof_targets.deviations import CATALOGUE, find_deviation

from ..check import check as check_target
from ..command import close, load, profile_options, refuse
from ..isolation.judging import Isolation
from ..isolation.limits import Limits
from .entry import Entry, EntryError
from .judging import assert_agrees, kills, rules_of
from .store import Corpus, Problem, own_folder, read_corpus, read_file

__all__ = ["corpus", "corpus_option", "find_entry", "folder_of", "told"]

#: Where a user's entries are kept, unless another folder is named.
FOLDER = "chunkproof-corpus"


@click.group("corpus")
def corpus() -> None:
    """Stored streams: a bug report becomes a test that stays."""


def corpus_option(command: click.decorators.FC) -> click.decorators.FC:
    """The option that says which corpus is meant."""
    return click.option(
        "--corpus",
        "folder",
        metavar="DIR",
        help=f"The folder of the entries; without it {FOLDER}, or what comes with chunkproof where that is not there.",
    )(command)


def folder_of(given: str | None) -> Path:
    """The folder that is read: the one given, the user's usual one, or that of chunkproof."""
    folder = Path.cwd() / (given or FOLDER)
    if not folder.is_dir():
        if given is not None:
            refuse(f"--corpus={given}: there is no such folder; `chunkproof corpus add FILE --into {given}` makes it")
        return own_folder()
    return folder


def read(given: str | None) -> Corpus:
    """The entries of a folder; the files that cannot be used are named."""
    found = read_corpus(folder_of(given))
    told(found.problems)
    return found


def told(problems: Iterable[Problem]) -> None:
    """Name the files that cannot be used."""
    for problem in problems:
        click.echo(f"not used: {terminal.show_line(str(problem))}", err=True)


def find_entry(given: str, folder: str | None) -> tuple[Path, Entry]:
    """The entry of a file, or of an id in the corpus, and where it stands."""
    path: Path | None = Path.cwd() / given
    if path is not None and not path.is_file():
        name = given.rpartition("/")[2]
        places = dict.fromkeys((folder_of(folder), own_folder()))
        path = next((found for place in places if (found := read_corpus(place).paths.get(name)) is not None), None)
    if path is None:
        refuse(
            f"{given}: there is no such file, and no entry of this id; `chunkproof corpus list` shows those there are"
        )
    try:
        return path, read_file(path)
    except EntryError as error:
        refuse(f"{given}: {terminal.show_line(str(error))}")


@corpus.command("list")
@corpus_option
@click.option("--chapter", metavar="NAME", help="Those of one chapter alone.")
@click.option("--deviation", metavar="NAME", help="Those on which this deviation shows.")
@click.option("--kills", "with_kills", is_flag=True, help="The deviations that show on each, and those on none.")
def list_(folder: str | None, chapter: str | None, deviation: str | None, with_kills: bool) -> None:
    """List the entries: id, severity and title."""
    found = read(folder)
    chosen = [entry for entry in found.entries if chapter in (None, entry.chapter)]
    if chapter is not None and not chosen:
        chapters = ", ".join(sorted({entry.chapter for entry in found.entries}))
        refuse(f"--chapter={chapter}: there is no entry in it; the chapters are {chapters}")
    try:
        wanted = None if deviation is None else find_deviation(deviation)
    except TargetError as error:
        refuse(f"--deviation={deviation}: {error}")
    killed: Counter[str] = Counter()
    for number, entry in enumerate(chosen, 1):
        shown = kills(entry) if with_kills or wanted else []
        if with_kills and sys.stderr.isatty():
            click.echo(f"\r{number} of {len(chosen)} ", nl=False, err=True)
        killed.update(one.name for one in shown)
        if wanted is None or wanted in shown:
            click.echo(f"{entry.chapter}/{entry.id} ({entry.severity}): {terminal.show_line(entry.title)}")
            if with_kills:
                click.echo(f"    {len(shown)}: {', '.join(one.name for one in shown)}")
    if with_kills:
        # What shows in time and memory alone is a rule's matter, and no stream's.
        missed = [one.name for one in CATALOGUE if one.name not in killed and not one.shows_in]
        click.echo(f"{len(killed)} deviations show on {len(chosen)} entries; on none: {', '.join(missed) or 'none'}")
    raise SystemExit(2 if found.problems else 0)


@corpus.command("check")
@corpus_option
@profile_options("Judge this parser by all of them; as for pytest.")
def check_(folder: str | None, target: str | None, declare: tuple[str, ...], deviations: tuple[str, ...]) -> None:
    """Check that every entry says what the standard says, and judge a target by all of them where one is named."""
    found = read(folder)
    wrong = list(found.problems)
    for entry in found.entries:
        try:
            assert_agrees(entry)
        except EntryError as error:
            wrong.append(Problem(found.paths[entry.id], str(error)))
    told(wrong[len(found.problems) :])
    click.echo(f"{count_of(len(found.entries), 'entry', 'entries')}, {len(wrong)} that cannot be used")
    code = 0 if target is None else _judge(found.entries, target, declare, deviations)
    raise SystemExit(2 if wrong or not found.entries else code)


def _judge(entries: Sequence[Entry], spec: str, declare: Sequence[str], deviations: Sequence[str]) -> int:
    """Judge the target by the entries; the exit code: 1 where one is broken, 2 where none was judged."""
    process = Isolation(Limits())
    loaded = load(spec, declare, deviations, process)
    width, colour = min(shutil.get_terminal_size().columns, 120), sys.stdout.isatty()
    failed: list[RuleResult] = []

    def after(result: RuleResult) -> None:
        if result.status in ("broken", "fault"):
            failed.append(result)
        if result.fails or result.status == "fault":
            click.echo(terminal.failure(result, width=width, colour=colour) + "\n")

    try:
        results = check_target(loaded, "smoke", rules=rules_of(entries), after=after)
    finally:
        close(loaded)
        process.close()
    for line in _verdict(results, failed):
        click.echo(line)
    if any(result.status == "fault" for result in failed):
        raise SystemExit(3)
    if any(result.fails for result in failed):
        return 1
    return 0 if any(result.judged for result in results.rules) else 2


def _verdict(results: Results, failed: Sequence[RuleResult]) -> Iterable[str]:
    (target,) = results.targets
    judged = [result for result in results.rules if result.judged]
    info = sum(not result.fails for result in failed)
    words = [f"{target.name}: right on {len(judged) - len(failed)} of {count_of(len(judged), 'entry', 'entries')}"]
    words += [f"{info} info differ"] if info else []
    words += [f"{len(results.rules) - len(judged)} not judged"] if len(judged) < len(results.rules) else []
    yield ", ".join(words)
    if len(failed) > info:
        first = failed[0].id.partition("/")[2]
        yield f"next: chunkproof corpus show {first}"
