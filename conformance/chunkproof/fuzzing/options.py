"""What the commands of a campaign share: their options, and what these stand for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import click

from ..baseline import Baseline, BaselineError
from ..command import profile_options, refuse
from ..isolation.judging import Isolation
from ..isolation.limits import Limits
from ..profile import Profile
from ..replay import replay_settings
from .durations import Duration, SeedRange

__all__ = ["ATHERIS", "baseline_of", "campaign_options", "isolation_of", "words_given"]

#: Where a campaign is kept, unless another folder is named.
FOLDER = "chunkproof-fuzz"
#: The modes of the engine atheris, by the name of a shard's engine.
ATHERIS = {"atheris-table": "table", "atheris-raw": "raw"}

Command = TypeVar("Command", bound=Callable[..., Any])


def campaign_options(command: Command) -> Command:
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


def words_given(declare: Sequence[str], deviations: Sequence[str], limits: Mapping[str, float | None]) -> list[str]:
    """What was declared and limited, as it was given."""
    given = {name: value for name, value in limits.items() if value is not None}
    return replay_settings(declare, deviations, given)


def isolation_of(limits: Mapping[str, float | None]) -> Isolation:
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
