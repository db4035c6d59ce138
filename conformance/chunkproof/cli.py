"""The command line: ``chunkproof replay`` and ``chunkproof rules``.

Exit codes: 0 the target agrees, 1 the rule is broken, 2 the target or the arguments cannot be used, 3 a fault of the
suite itself.
"""

from __future__ import annotations

import shutil
import sys
import textwrap
import traceback
from pathlib import Path
from typing import NoReturn

import click

from chunkproof_reports import terminal
from chunkproof_targets.contract import Target, TargetError
from chunkproof_targets.declared import Declared
from chunkproof_targets.loading import load_target

from .check import RELEASE
from .counterexample import TOKEN_LENGTH_MAX
from .isolation.judging import Isolation
from .isolation.limits import Limits
from .peace import at_peace
from .replay import ReplayError, read_case, replay_command
from .rules import RULES, Rule, find_rule

__all__ = ["main"]


class _Commands(click.Group):
    """Commands whose unforeseen ends have exit codes of their own."""

    def invoke(self, ctx: click.Context) -> object:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise SystemExit(130) from None
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


@main.command("replay")
@click.argument("counterexample", metavar="TOKEN|FILE")
@click.option("--target", "spec", required=True, metavar="SPEC", help="The parser, as for pytest --target.")
@click.option("--declare", "declared", multiple=True, metavar="KEY=VALUE", help="As --chunkproof-declare; repeatable.")
@click.option("--timeout", type=float, metavar="SECONDS", help="For the one run; else by the target's own pace.")
@click.option("--memory", type=int, metavar="MiB", help="As --chunkproof-memory.")
@click.option("--output", type=int, metavar="MiB", help="As --chunkproof-output.")
@click.option("--isolation", type=click.Choice(["fork", "none"]), default="fork", help="As --chunkproof-isolation.")
def replay_(counterexample: str, spec: str, declared: tuple[str, ...], isolation: str, **given: float | None) -> None:
    """Run one counterexample again: the token that a failure ends with, or the file that holds one."""
    limits = {name: value for name, value in given.items() if value is not None}
    try:
        process = Isolation(Limits(**limits), forked=isolation == "fork")  # type: ignore[arg-type]
    except ValueError as error:
        _refuse(f"--{error}")
    try:
        case = read_case(counterexample)
        with at_peace():
            target = load_target(spec, folder=Path.cwd(), declared=Declared.parse(declared), first=process.rehearse)
    except (ReplayError, TargetError) as error:
        _refuse(str(error))
    try:
        with at_peace():
            result = process.replay(case, target)
    except ReplayError as error:
        _refuse(str(error))
    finally:
        _close(target)
        process.close()
    colour = sys.stdout.isatty()
    if result.status == "held":
        click.echo(f"{result.id}: {target.name} {_agrees(find_rule(result.id))}")
        return
    command = replay_command(result, declared, limits)
    if result.counterexample and len(result.counterexample.token) > TOKEN_LENGTH_MAX:
        command = ""  # it came from a file, which the user has just named
    click.echo(terminal.failure(result, command, width=min(shutil.get_terminal_size().columns, 120), colour=colour))
    raise SystemExit(3 if result.status == "fault" else 1)


@main.command("rules")
@click.option("--chapter", metavar="NAME", help="The rules of one chapter alone.")
def rules_(chapter: str | None) -> None:
    """List the rules: id, severity, requirement and clause."""
    chapters = list(dict.fromkeys(rule.chapter for rule in RULES))
    if chapter is not None and chapter not in chapters:
        _refuse(f"--chapter={chapter}: there is no such chapter; they are {', '.join(chapters)}")
    for rule in RULES:
        if chapter in (None, rule.chapter):
            click.echo(f"{rule.id} ({rule.severity})")
            click.echo(textwrap.indent(textwrap.fill(rule.requirement, 112), "    "))
            click.echo(f"    {rule.clause}" + (f" · {rule.wpt}" if rule.wpt else ""))


def _agrees(rule: Rule) -> str:
    """What is said of a target that held: of good sense, and of what is measured, the standard says nothing."""
    if rule.examine is not None:
        return "keeps the rule, measured again"
    return f"{'agrees with the standard' if rule.severity == 'must' else 'keeps the rule'} on this stream"


def _close(target: Target) -> None:
    with at_peace():
        target.close()


def _refuse(message: str) -> NoReturn:
    click.echo(f"chunkproof: {message}", err=True)
    raise SystemExit(2)
