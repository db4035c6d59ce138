"""The command line: ``chunkproof replay``, ``baseline``, ``corpus``, ``rules``, ``deviations`` and ``mutants``.

Exit codes: 0 the target agrees, 1 the rule is broken, 2 the target or the arguments cannot be used, 3 a fault of the
suite itself.
"""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
import time
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

import click

from chunkproof_reports import terminal
from chunkproof_reports.diagnosis import deviation
from chunkproof_reports.mutants import Catch
from chunkproof_reports.mutants import markdown as mutation_table
from chunkproof_reports.mutants import summary as mutation_score
from chunkproof_reports.results import Results, RuleResult
from chunkproof_targets.contract import Target, TargetError
from chunkproof_targets.deviations import CATALOGUE, Deviation, find_deviation
from chunkproof_targets.deviations.deviation import Layer

from .baseline import baseline_text, could_be_declared, keep_what_repeats
from .check import RELEASE, check, describe_target
from .command import close, load, profile_options, refuse
from .corpus.commands import corpus
from .corpus.making_commands import COMMANDS as MAKING
from .corpus.sharing_commands import COMMANDS as SHARING
from .corpus.suite import suite
from .counterexample import TOKEN_LENGTH_MAX
from .diagnosis.diagnose import diagnose_all
from .files import write_whole
from .fuzzing.commands import fuzz
from .isolation.judging import Isolation
from .isolation.limits import Limits
from .mutants import catches
from .peace import at_peace
from .replay import ReplayError, read_case, replay_command, replay_settings
from .rule_check import EFFORTS
from .rules import RULES, Rule, find_rule
from .settings import find_settings

__all__ = ["main"]

# Seconds after which a sign of life is given.
_PATIENCE = 2.0
# The exit code behind Ctrl-C.
_INTERRUPTED = 130


class _Commands(click.Group):
    """Commands whose unforeseen ends have exit codes of their own."""

    def invoke(self, ctx: click.Context) -> object:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise SystemExit(_INTERRUPTED) from None
        except (click.ClickException, click.exceptions.Exit, OSError):
            raise
        except Exception:
            click.echo(
                f"A fault of chunkproof itself. Please report it with this text:\n{traceback.format_exc()}", err=True
            )
            raise SystemExit(3) from None


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(RELEASE, prog_name="chunkproof", message="%(prog)s %(version)s")
def main() -> None:
    """Conformance of Server-Sent Events parsers. The suite itself runs as `pytest --target=SPEC`."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # A terminal that cannot show a character shows its escape instead.
            stream.reconfigure(errors="backslashreplace")


for command in (*MAKING, *SHARING):
    corpus.add_command(command)
main.add_command(corpus)
main.add_command(fuzz)


@main.command("replay")
@click.argument("counterexample", metavar="TOKEN|FILE")
@profile_options()
@click.option("--timeout", type=float, metavar="SECONDS", help="For the one run; else by the target's own pace.")
@click.option("--memory", type=int, metavar="MiB", help="As --chunkproof-memory.")
@click.option("--output", type=int, metavar="MiB", help="As --chunkproof-output.")
@click.option("--isolation", type=click.Choice(["fork", "none"]), default="fork", help="As --chunkproof-isolation.")
def replay_(
    counterexample: str,
    target: str | None,
    declare: tuple[str, ...],
    deviations: tuple[str, ...],
    isolation: str,
    **given: float | None,
) -> None:
    """Run one counterexample again: the token that a failure ends with, or the file that holds one."""
    limits = {name: value for name, value in given.items() if value is not None}
    try:
        process = Isolation(Limits(**limits), forked=isolation == "fork")  # type: ignore[arg-type]
    except ValueError as error:
        refuse(f"--{error}")
    try:
        case = read_case(counterexample)
    except ReplayError as error:
        refuse(str(error))
    loaded = load(target, declare, deviations, process)
    try:
        with at_peace():
            result = process.replay(case, loaded)
    except ReplayError as error:
        refuse(str(error))
    finally:
        close(loaded)
        process.close()
    colour = sys.stdout.isatty()
    if result.status == "held":
        click.echo(f"{result.id}: {loaded.name} {_agrees(find_rule(result.id), describe_target(loaded).declared)}")
        return
    command = replay_command(result, replay_settings(declare, deviations, limits))
    if result.counterexample and len(result.counterexample.token) > TOKEN_LENGTH_MAX:
        command = ""  # it came from a file, which the user has just named
    click.echo(terminal.failure(result, command, width=min(shutil.get_terminal_size().columns, 120), colour=colour))
    raise SystemExit(3 if result.status == "fault" else 1)


@main.command("baseline")
@profile_options()
@click.option(
    "--output", default="chunkproof-baseline.json", metavar="FILE", show_default=True, help="What is written."
)
@click.option("--effort", type=click.Choice(list(EFFORTS)), help="As for pytest.")
@click.option("--seed", metavar="random|N", help="As --chunkproof-seed.")
@click.option("--corpus", "folders", multiple=True, metavar="DIR", help="As --chunkproof-corpus; repeatable.")
def baseline_(
    target: str | None,
    declare: tuple[str, ...],
    deviations: tuple[str, ...],
    output: str,
    effort: str | None,
    seed: str | None,
    folders: tuple[str, ...],
) -> None:
    """Write down what is broken now, so that only what breaks later fails a run."""
    _check_output(output)
    wanted = effort or find_settings(Path.cwd()).effort or "default"
    try:
        judged_by = suite(wanted, [Path.cwd() / folder for folder in folders])
    except NotADirectoryError as error:
        refuse(f"--corpus: {error} is no folder")
    if judged_by.problems:
        refuse(f"--corpus: {terminal.show_line(str(judged_by.problems[0]))}")
    process = Isolation(Limits())
    loaded = load(target, declare, deviations, process)
    try:
        results = _judged(loaded, wanted, seed, judged_by.rules)
        faults = [result for result in results.rules if result.status == "fault"]
        if faults:
            click.echo(terminal.failure(faults[0]), err=True)
            raise SystemExit(3)
        with at_peace():
            left_out = keep_what_repeats(results, loaded, process)
            diagnose_all(results, [loaded], process)
    finally:
        close(loaded)
        process.close()
    _write(output, baseline_text(results))
    could = could_be_declared(results.diagnoses)
    for line in terminal.baseline(results, output, deviations=could, left_out=left_out, declare=declare):
        click.echo(line)


def _judged(target: Target, effort: str, seed: str | None, rules: Sequence[Rule]) -> Results:
    """The results of these rules, with a sign of life where somebody waits."""
    started = time.monotonic()
    done: list[RuleResult] = []
    drawn = sys.stderr.isatty()

    def after(result: RuleResult) -> None:
        done.append(result)
        if drawn and time.monotonic() - started > _PATIENCE:
            click.echo(f"\r{len(done)} of {len(rules)} rules judged ", nl=False, err=True)

    if not drawn:
        click.echo(f"judging {target.name} by {len(rules)} rules, effort {effort}", err=True)
    results = check(target, effort, seed=seed, rules=rules, after=after)
    if drawn and time.monotonic() - started > _PATIENCE:
        click.echo("", err=True)
    return results


@main.command("rules")
@click.option("--chapter", metavar="NAME", help="The rules of one chapter alone.")
def rules_(chapter: str | None) -> None:
    """List the rules: id, severity, requirement and clause."""
    chapters = list(dict.fromkeys(rule.chapter for rule in RULES))
    if chapter is not None and chapter not in chapters:
        refuse(f"--chapter={chapter}: there is no such chapter; they are {', '.join(chapters)}")
    for rule in RULES:
        if chapter in (None, rule.chapter):
            click.echo(f"{rule.id} ({rule.severity})")
            click.echo(textwrap.indent(textwrap.fill(rule.requirement, 112), "    "))
            click.echo(f"    {rule.clause}" + (f" · {rule.wpt}" if rule.wpt else ""))


@main.command("deviations")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--layer", type=click.Choice(get_args(Layer)), help="Those of one layer alone.")
def deviations_(names: tuple[str, ...], layer: str | None) -> None:
    """List the deviations of the catalogue, or say all of the ones named. Each is a target: deviation:NAME."""
    try:
        chosen = [find_deviation(name) for name in names]
    except TargetError as error:
        refuse(str(error))
    if names and layer is not None:
        refuse(f"--layer={layer}: it chooses among all; say it without names, or the names without it")
    for entry in chosen:
        for line in deviation(entry):
            click.echo(line)
    if not names:
        for entry in CATALOGUE:
            if layer in (None, entry.layer):
                click.echo(f"{entry.name} ({entry.layer}): {entry.what}")


@main.command("mutants")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--effort", type=click.Choice(list(EFFORTS)), default="smoke", show_default=True)
@click.option("--seeds", type=click.IntRange(1), default=1, show_default=True, help="So many seeds, from 1.")
@click.option("--jobs", type=click.IntRange(1), default=os.cpu_count(), help="Processes; one a core by default.")
@click.option("--every-rule", is_flag=True, help="Go on behind the first catch: which rules catch what.")
@click.option("--output", metavar="FILE.md", help="Write a row for each entry to this file.")
def mutants_(names: tuple[str, ...], effort: str, seeds: int, jobs: int, every_rule: bool, output: str | None) -> None:
    """The mutation score: whether the suite catches every deviation of the catalogue, or those named."""
    try:
        entries = [find_deviation(name) for name in names] or list(CATALOGUE)
    except TargetError as error:
        refuse(str(error))
    if output is not None:
        _check_output(output)
    found, stopped = _caught(entries, effort, seeds, jobs, every_rule)
    place = {entry.name: at for at, entry in enumerate(entries)}
    found.sort(key=lambda one: (place[one.entry], int(one.seed)))
    lines = mutation_score(found, [rule.id for rule in RULES], every_rule=every_rule)
    for line in lines:
        click.echo(line)
    if output is not None:
        head = f"# The mutation score: {len(entries)} deviations, {effort} effort, {seeds} seed{'s' * (seeds > 1)}"
        text = [head, "", *(f"- {line}" for line in lines), "", *mutation_table(found)]
        _write(output, "\n".join(text) + "\n")
    raise SystemExit(_INTERRUPTED if stopped else int(any(not one.rules for one in found)))


def _caught(
    entries: Sequence[Deviation], effort: str, seeds: int, jobs: int, every_rule: bool
) -> tuple[list[Catch], bool]:
    """What was caught, with signs of life; Ctrl-C ends it with what there is by then, and is told."""
    found: list[Catch] = []
    stopped = False
    drawn, of = sys.stderr.isatty(), len(entries) * seeds
    wanted = [str(seed) for seed in range(1, seeds + 1)]
    try:
        for one in catches(entries, effort=effort, seeds=wanted, jobs=jobs, every_rule=every_rule):
            found.append(one)
            if drawn:
                click.echo(f"\r{len(found)} of {of}: {one.entry:<60.60}", nl=False, err=True)
            elif len(found) % 100 == 0:
                click.echo(f"{len(found)} of {of} done", err=True)
    except KeyboardInterrupt:
        stopped = True
        click.echo(f"stopped: {len(found)} of {of} are done", err=True)
    if drawn:
        click.echo("", err=True)
    return found, stopped


def _agrees(rule: Rule, declared: Sequence[str]) -> str:
    """What is said of a target that held: of good sense, and of what is measured, the standard says nothing."""
    if rule.examine is not None:
        return "keeps the rule, measured again"
    if rule.severity == "must" and declared:
        return f"does as the standard with what it declares ({', '.join(declared)}) on this stream"
    return f"{'agrees with the standard' if rule.severity == 'must' else 'keeps the rule'} on this stream"


def _check_output(output: str) -> None:
    path = Path.cwd() / output
    if not path.parent.is_dir() or path.is_dir():
        refuse(f"--output={output}: it is the name of a file, in a folder that is there")


def _write(output: str, text: str) -> None:
    try:
        write_whole(Path.cwd() / output, text)
    except OSError as error:
        refuse(f"--output={output}: {error.strerror}")
