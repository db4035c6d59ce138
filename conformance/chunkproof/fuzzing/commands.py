"""``chunkproof fuzz``: a campaign, and one shard of one."""

from __future__ import annotations

import os
import time
import traceback
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

import click

from chunkproof_targets.declared import Declared

from ..baseline import Baseline, BaselineError
from ..command import close, load_in, profile_of, profile_options, refuse
from ..isolation.judging import Isolation
from ..isolation.limits import Limits
from ..peace import at_peace
from ..profile import Profile
from .collecting import Collector, named
from .durations import Duration, SeedRange
from .found import Found
from .shard import Shard, StormEngine
from .state import State, StateError

__all__ = ["fuzz"]

FOLDER = "chunkproof-fuzz"
ENGINES = ("storm", "atheris", "both")
_FAULT = 3

Command = TypeVar("Command", bound=Callable[..., Any])


def _options(command: Command) -> Command:
    """The options that a campaign and a shard share."""
    for option in (
        click.option("--output", type=int, metavar="MiB", help="As --chunkproof-output."),
        click.option("--memory", type=int, metavar="MiB", help="As --chunkproof-memory."),
        click.option("--timeout", type=float, metavar="SECONDS", help="As --chunkproof-timeout."),
        click.option("--baseline", metavar="FILE", help="Known failures, which are no news; else pyproject.toml's."),
        click.option(
            "--state", "folder", default=FOLDER, metavar="DIR", show_default=True, help="The campaign's folder."
        ),
        click.option("--seed-range", type=SeedRange(), help="Storm: these seeds and no others; 0:1000 are a thousand."),
        click.option("--time", "seconds", type=Duration(), help="How long: 30s, 10m, 1h."),
    ):
        command = option(command)
    return profile_options()(command)


@click.group("fuzz", invoke_without_command=True)
@_options
@click.option("--engine", type=click.Choice(ENGINES), default="storm", show_default=True)
@click.option("--jobs", type=click.IntRange(1), default=os.cpu_count(), help="Shards at a time; one a core by default.")
@click.option("--until-quiet", type=Duration(), help="End when nothing new has come for so long.")
@click.option("--json", "as_json", is_flag=True, help="JSON lines instead of text.")
@click.option("--summary", metavar="FILE.md", help="Write a summary in Markdown.")
@click.pass_context
def fuzz(ctx: click.Context, **given: Any) -> None:
    """A campaign: look for faults of a parser for a while; each finding becomes an entry that stays."""
    if ctx.invoked_subcommand is None:
        raise SystemExit(0)


@fuzz.command("shard")
@_options
@click.option("--engine", type=click.Choice(["storm", "atheris-table", "atheris-raw"]), default="storm")
@click.option("--name", default="0", show_default=True, help="The name of its status file.")
def shard_(
    target: str | None,
    declare: tuple[str, ...],
    deviations: tuple[str, ...],
    seconds: float | None,
    seed_range: tuple[int, int] | None,
    folder: str,
    baseline: str | None,
    engine: str,
    name: str,
    **limits: float | None,
) -> None:
    """One shard of a campaign: one process, one engine, into one folder.

    A range of seeds is a piece of work for any machine: `chunkproof fuzz merge` makes one folder of several.
    """
    if seconds is None and seed_range is None:
        refuse("say how long (--time 10m) or which seeds (--seed-range 0:1000)")
    profile, spec = profile_of(target, declare, deviations)
    known = baseline_of(profile, spec, baseline)
    state = state_of(profile, spec, folder)
    if seed_range is not None:
        state.set_seeds(*seed_range)
    process = isolation_of(limits)
    loaded = load_in(profile, spec, process)
    expected = named(one.deviation for one in known.rules.values()) if known else ()
    signatures = [_signature(one.kind, one.case) for one in known.rules.values()] if known else []
    try:
        collector = Collector(
            state,
            loaded,
            process,
            seed="fuzz",
            began=state.about().get("created", time.time()),
            baseline=expected,
            signatures=signatures,
        )
        with at_peace():
            Shard(name, engine, StormEngine(loaded, process, state, expected), collector, state).run(
                seconds or float("inf")
            )
    except Exception:
        click.echo(
            f"A fault of chunkproof itself. Please report it with this text:\n{traceback.format_exc()}", err=True
        )
        raise SystemExit(_FAULT) from None
    finally:
        close(loaded)
        process.close()
    raise SystemExit(int(bool(state.records())))


def _signature(kind: Any, case: Any) -> str:
    return Found.of_case(case, kind, engine="", seed="").signature


def isolation_of(limits: dict[str, float | None]) -> Isolation:
    """Where the target is run; a limit that cannot be used ends the command."""
    try:
        return Isolation(Limits(**{name: value for name, value in limits.items() if value is not None}))  # type: ignore[arg-type]
    except ValueError as error:
        refuse(f"--{error}")


def baseline_of(profile: Profile, spec: str, given: str | None) -> Baseline | None:
    """The known failures of the target; a file that cannot be used ends the command."""
    try:
        return profile.baselines(given, [spec]).get(spec)
    except BaselineError as error:
        refuse(str(error))


def state_of(profile: Profile, spec: str, folder: str) -> State:
    """The folder of the campaign; one that cannot be used ends the command."""
    declared = profile.settings.declared(spec, profile.deviations, profile.declare)
    try:
        state = State.open((Path.cwd() / folder).absolute(), spec, _words(declared))
        state.set_seeds_once()
    except (StateError, OSError) as error:
        refuse(f"--state={folder}: {error}")
    return state


def _words(declared: Declared) -> list[str]:
    values = ((one.name, getattr(declared, one.name)) for one in fields(declared))
    return [f"{name}={','.join(value) if isinstance(value, tuple) else value}" for name, value in values if value]
