"""``chunkproof fuzz``: a campaign, and one shard of one."""

from __future__ import annotations

import os
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from itertools import cycle, islice
from pathlib import Path
from typing import Any, TypeVar

import click

from chunkproof_reports.campaign.markdown import markdown
from chunkproof_reports.campaign.record import CampaignRecord

from ..baseline import Baseline, BaselineError
from ..command import close, load_in, profile_of, profile_options, refuse
from ..files import write_whole
from ..isolation.judging import Isolation
from ..isolation.limits import Limits
from ..isolation.process import die_with_parent
from ..peace import at_peace
from ..profile import Profile
from ..replay import replay_settings
from .atheris_engine import AtherisEngine
from .collecting import Collector, named
from .durations import Duration, SeedRange
from .folder import state_of
from .found import Found
from .instrument import atheris_missing
from .merge_command import merge_
from .progress import Engine
from .remote import RemoteCampaign
from .scheduler import Remote, SchedulerError
from .seeding import DECODERS
from .seeds_command import seeds
from .shard import Shard
from .shown import Shown
from .storm_engine import StormEngine
from .supervisor import Campaign, Ending, ShardFailed

__all__ = ["fuzz"]

FOLDER = "chunkproof-fuzz"
ENGINES = ("storm", "atheris", "both")
#: The modes of the engine atheris, by the name of a shard's engine.
_ATHERIS = {"atheris-table": "table", "atheris-raw": "raw"}
_FAULT = 3
# Seconds of a campaign of which nobody says how long it is to be.
_SECONDS = 60.0

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
@click.option("--engine", type=click.Choice(ENGINES), default="storm", show_default=True, help="What looks for faults.")
@click.option("--jobs", type=click.IntRange(1), default=os.cpu_count(), help="Shards at a time; one a core by default.")
@click.option("--until-quiet", type=Duration(), help="End when nothing new has come for so long.")
@click.option("--until-found", is_flag=True, help="End with the first finding.")
@click.option("--scheduler", metavar="tcp://...", help="Run the shards on the workers of a dask.distributed scheduler.")
@click.option("--json", "as_json", is_flag=True, help="JSON lines instead of text.")
@click.option("--summary", metavar="FILE.md", help="Write a summary in Markdown to this file.")
@click.pass_context
def fuzz(
    ctx: click.Context,
    /,
    target: str | None,
    declare: tuple[str, ...],
    deviations: tuple[str, ...],
    seconds: float | None,
    seed_range: tuple[int, int] | None,
    folder: str,
    baseline: str | None,
    engine: str,
    jobs: int,
    until_quiet: float | None,
    until_found: bool,
    scheduler: str | None,
    as_json: bool,
    summary: str | None,
    **limits: float | None,
) -> None:
    """A campaign: look for faults of a parser for a while. Each finding becomes an entry that stays.

    What is there of an earlier campaign in the folder goes on.
    """
    if ctx.invoked_subcommand is not None:
        return
    if seed_range is not None and engine != "storm":
        refuse(f"--seed-range: seeds are of the storm, and not of --engine {engine}; give --time")
    if engine != "storm" and (missing := atheris_missing()):
        refuse(missing)
    profile, spec = profile_of(target, declare, deviations)
    baseline_of(profile, spec, baseline)
    isolation_of(limits).close()
    if summary is not None:
        _assert_can_be_written(summary)
    state = state_of(profile, spec, folder)
    if not ctx.with_resource(state.lock("running", wait=False)):
        refuse(f"--state={folder}: another campaign is running in it: end that one, or name another folder")
    state.set_seeds(*(seed_range or (0, None)))
    state.look_again()
    settings = _words_given(declare, deviations, limits)
    about = CampaignRecord(
        target=spec,
        engine=engine,
        jobs=jobs,
        shards=(),
        findings=(),
        waiting=0,
        elapsed=0.0,
        remaining=None,
        since_news=None,
        rate=0.0,
        state=folder,
        replaying=tuple(settings),
    )
    ending = Ending(seconds, until_quiet, until_found)
    if seconds is None and until_quiet is None and seed_range is None:
        ending.seconds = _SECONDS
    command = ["--target", spec, *settings, *(("--baseline", baseline) if baseline else ())]
    engines = _engines(engine, jobs)
    with Shown(as_json=as_json) as shown:
        campaign = Campaign(state, engines, [*command, "--state", folder], ending, about, shown.show)
        if scheduler is not None:
            remote = Remote(
                scheduler, state, command, DECODERS, seed_range or (0, None), list(dict.fromkeys(_engines(engine, 4)))
            )
            campaign = RemoteCampaign(state, engines, command, ending, about, shown.show, remote=remote)
        record = _run(campaign, shown)
    shown.end(record)
    if summary is not None:
        write_whole(Path.cwd() / summary, markdown(record))
    # What nobody has looked at is taken for a finding: it was one when it was found.
    found = bool(record.findings or record.waiting)
    if not found and not any(shard.checks for shard in record.shards):
        refuse("nothing was checked in so short a time; give more, as --time 1m")
    raise SystemExit(int(found))


def _assert_can_be_written(summary: str) -> None:
    """A file that cannot be written ends the command before the campaign, and not behind it."""
    path = Path.cwd() / summary
    if path.is_dir() or not path.parent.is_dir() or not os.access(path if path.exists() else path.parent, os.W_OK):
        refuse(f"--summary={summary}: it cannot be written: name a file in a folder that there is")


def _run(campaign: Campaign, shown: Shown) -> CampaignRecord:
    """Run it to its end; where it cannot be run, so ends the command."""
    try:
        return campaign.run()
    except ShardFailed as failed:
        shown.close()
        click.echo(failed.text, err=True)
        raise SystemExit(failed.code) from None
    except SchedulerError as error:
        shown.close()
        refuse(str(error))


def _engines(engine: str, jobs: int) -> list[str]:
    """The engine of each shard: of several kinds by turns."""
    kinds = {"storm": ["storm"], "atheris": list(_ATHERIS)}
    kinds["both"] = ["storm", "atheris-table", "storm", "atheris-raw"]
    jobs = max(jobs, 2) if engine == "both" else jobs
    return list(islice(cycle(kinds[engine]), jobs))


def _words_given(declare: Sequence[str], deviations: Sequence[str], limits: Mapping[str, float | None]) -> list[str]:
    given = {name: value for name, value in limits.items() if value is not None}
    return replay_settings(declare, deviations, given)


fuzz.add_command(merge_)
fuzz.add_command(seeds)


@fuzz.command("shard")
@_options
@click.option("--engine", type=click.Choice(["storm", *_ATHERIS]), default="storm", show_default=True)
@click.option("--name", default="0", show_default=True, help="The name of its status file.")
@click.option("--parent", type=int, hidden=True, help="The process that starts it, without which it ends.")
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
    parent: int | None,
    **limits: float | None,
) -> None:
    """One shard of a campaign: one process, one engine, into one folder.

    A range of seeds is a piece of work for any machine: `chunkproof fuzz merge` makes one folder of several.
    """
    if parent is not None:
        die_with_parent()
        if os.getppid() != parent:
            raise SystemExit(_FAULT)
    if seconds is None and seed_range is None:
        refuse("say how long (--time 10m) or which seeds (--seed-range 0:1000)")
    profile, spec = profile_of(target, declare, deviations)
    known = baseline_of(profile, spec, baseline)
    state = state_of(profile, spec, folder)
    if seed_range is not None:
        state.set_seeds(*seed_range)
    if engine in _ATHERIS and (missing := atheris_missing()):
        refuse(missing)
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
            if engine == "storm":
                searching: Engine = StormEngine(loaded, process, state, expected)
            else:
                words = _with_equals(["--target", spec, *_words_given(declare, deviations, {})])
                searching = AtherisEngine(loaded, process, state, name, _ATHERIS[engine], words, expected)
            Shard(name, engine, searching, collector, state).run(seconds or float("inf"))
    except Exception:
        click.echo(
            f"A fault of chunkproof itself. Please report it with this text:\n{traceback.format_exc()}", err=True
        )
        raise SystemExit(_FAULT) from None
    finally:
        close(loaded)
        process.close()
    raise SystemExit(int(bool(state.records() or state.waiting())))


def _with_equals(words: Sequence[str]) -> list[str]:
    """Options with their values as one word each: what the engine passes over."""
    return [f"{option}={value}" for option, value in zip(words[::2], words[1::2], strict=True)]


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
