"""``chunkproof fuzz``: a campaign."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path

import click

from chunkproof_reports.campaign.markdown import markdown
from chunkproof_reports.campaign.record import CampaignRecord

from ..command import profile_of, refuse
from ..files import write_whole
from .durations import Duration
from .folder import state_of
from .instrument import atheris_missing
from .merging.command import merge_
from .options import ATHERIS, baseline_of, campaign_options, isolation_of, words_given
from .remote.campaign import RemoteCampaign
from .remote.scheduler import Remote, SchedulerError
from .seeding import DECODERS
from .seeds_command import seeds
from .shard_command import shard
from .shown import Shown, ShownError
from .state import State
from .supervisor import Campaign, Ending, ShardFailed, Show

__all__ = ["fuzz"]

_ENGINES = {
    "storm": ("storm",),
    "atheris": tuple(ATHERIS),
    "both": ("storm", "atheris-table", "storm", "atheris-raw"),
}
# Seconds of a campaign of which nobody says how long it is to be.
_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class _Asked:
    """What somebody asked for. ``settings`` are the words for what was declared and limited."""

    spec: str
    engine: str
    jobs: int
    folder: str
    baseline: str | None
    seed_range: tuple[int, int] | None
    scheduler: str | None
    ending: Ending
    settings: Sequence[str]

    def campaign(self, state: State, show: Show) -> Campaign:
        """The campaign, on this machine or on others."""
        command = ["--target", self.spec, *self.settings, *(("--baseline", self.baseline) if self.baseline else ())]
        if self.scheduler is None:
            return Campaign(state, self.engines, [*command, "--state", self.folder], self.ending, self.about(), show)
        kinds = list(dict.fromkeys(_ENGINES[self.engine]))
        remote = Remote(self.scheduler, state, command, DECODERS, self.seed_range or (0, None), kinds)
        return RemoteCampaign(state, self.engines, command, self.ending, self.about(), show, remote=remote)

    @property
    def engines(self) -> list[str]:
        """The engine of each shard: of several kinds by turns."""
        jobs = max(self.jobs, 2) if self.engine == "both" else self.jobs
        return list(islice(cycle(_ENGINES[self.engine]), jobs))

    def about(self) -> CampaignRecord:
        """What the campaign is before it has begun."""
        return CampaignRecord(
            target=self.spec,
            engine=self.engine,
            jobs=self.jobs,
            shards=(),
            findings=(),
            waiting=0,
            elapsed=0.0,
            remaining=None,
            since_news=None,
            rate=0.0,
            state=self.folder,
            replaying=tuple(self.settings),
        )


@click.group("fuzz", invoke_without_command=True)
@campaign_options
@click.option(
    "--engine", type=click.Choice(list(_ENGINES)), default="storm", show_default=True, help="What looks for faults."
)
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
    if seconds is None and until_quiet is None and seed_range is None:
        seconds = _SECONDS
    ending = Ending(seconds, until_quiet, until_found)
    settings = words_given(declare, deviations, limits)
    asked = _Asked(spec, engine, jobs, folder, baseline, seed_range, scheduler, ending, settings)
    state = state_of(profile, spec, folder)
    # It may be a file of this folder.
    if summary is not None:
        _assert_can_be_written(summary)
    if not ctx.with_resource(state.lock("running", wait=False)):
        holder = state.holder("running")
        process = "" if holder is None else f" (process {holder})"
        refuse(f"--state={folder}: another campaign{process} is running in it: end that one, or name another folder")
    state.set_seeds(*(seed_range or (0, None)))
    state.free_seeds()
    state.look_again()
    try:
        with Shown(as_json=as_json) as shown:
            record = _run(asked.campaign(state, shown.show), shown)
        shown.end(record)
    except ShownError as error:
        refuse(f"the output cannot be written ({error}), and the campaign has ended; what was found is in {folder}")
    if summary is not None:
        write_whole(Path.cwd() / summary, markdown(record))
    raise SystemExit(_exit_code(record, state))


for command in (merge_, seeds, shard):
    fuzz.add_command(command)


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


def _exit_code(record: CampaignRecord, state: State) -> int:
    """1 where something was found; a campaign that has not checked what it was to cannot say that nothing was."""
    # What nobody has looked at is taken for a finding: it was one when it was found.
    found = bool(record.findings or record.waiting)
    if lost := ", ".join(f"{one.start}:{one.stop}" for one in state.lost_seeds()):
        told = f"the process that ran the seeds {lost} was killed twice, by the target or by somebody else"
        if not found:
            refuse(f"{told}: nobody knows what they would have found; the same command tries them again")
        click.echo(f"chunkproof: {told}: they may find more", err=True)
    if not found and not any(one.checks for one in record.shards):
        refuse("nothing was checked in so short a time; give more, as --time 1m")
    return int(found)
