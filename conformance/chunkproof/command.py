"""What the commands share: the options that name a target, the target itself, and what cannot be used."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import click

from chunkproof_targets.contract import Target, TargetError

from .isolation.judging import Isolation
from .isolation.process import standard_kept
from .peace import at_peace
from .profile import Profile
from .settings import SettingsError

__all__ = ["close", "load", "load_in", "profile_of", "profile_options", "refuse"]

Command = TypeVar("Command", bound=Callable[..., Any])


def profile_options(
    help: str = "As for pytest; else the one that pyproject.toml names.",
) -> Callable[[Command], Command]:
    """The options that say which parser it is, and what it declares; ``help`` is of the first."""

    def add(command: Command) -> Command:
        for option in (
            click.option(
                "--deviations", multiple=True, metavar="NAME,NAME", help="As --chunkproof-deviations; repeatable."
            ),
            click.option("--declare", multiple=True, metavar="KEY=VALUE", help="As --chunkproof-declare; repeatable."),
            click.option("--target", metavar="SPEC", help=help),
        ):
            command = option(command)
        return command

    return add


def load(spec: str | None, declare: Sequence[str], deviations: Sequence[str], process: Isolation) -> Target:
    """The target of a command; what cannot be used ends it."""
    profile, spec = profile_of(spec, declare, deviations)
    return load_in(profile, spec, process)


def profile_of(spec: str | None, declare: Sequence[str], deviations: Sequence[str]) -> tuple[Profile, str]:
    """What is declared, and the target that is meant; what cannot be used ends the command."""
    try:
        profile = Profile(Path.cwd(), deviations=deviations or None, declare=declare, option="--deviations")
    except (SettingsError, TargetError) as error:
        refuse(str(error))
    specs = profile.specs([spec] if spec else [])
    if not specs:
        refuse(profile.no_target("no target"))
    return profile, specs[0]


def load_in(profile: Profile, spec: str, process: Isolation) -> Target:
    """The target of a profile; what cannot be used ends the command."""
    try:
        with standard_kept(), at_peace():
            return profile.load(spec, process.rehearse)
    except TargetError as error:
        refuse(str(error))


def close(target: Target) -> None:
    """Give back what the target holds."""
    with at_peace():
        target.close()


def refuse(message: str) -> NoReturn:
    """Say what cannot be used, and end with the exit code of it."""
    click.echo(f"chunkproof: {message}", err=True)
    raise SystemExit(2)
