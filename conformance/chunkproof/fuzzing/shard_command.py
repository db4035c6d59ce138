"""``chunkproof fuzz shard``: one process of a campaign."""

from __future__ import annotations

import os
import signal
import time
import traceback
from collections.abc import Sequence
from typing import NoReturn

import click

from chunkproof_targets.contract import Target

from ..baseline import Baseline, Known
from ..command import close, load_in, profile_of, refuse
from ..isolation.judging import Isolation
from ..isolation.process import die_with_parent
from ..peace import at_peace
from .atheris_engine import AtherisEngine
from .collecting import Collector, named
from .folder import state_of
from .found import Found
from .instrument import atheris_missing
from .options import ATHERIS, baseline_of, campaign_options, isolation_of, words_given
from .progress import Engine
from .shard import Shard
from .state import State
from .storm_engine import StormEngine

__all__ = ["shard"]

_FAULT = 3


@click.command("shard")
@campaign_options
@click.option("--engine", type=click.Choice(["storm", *ATHERIS]), default="storm", show_default=True)
@click.option("--name", default="0", show_default=True, help="The name of its status file.")
@click.option("--parent", type=int, hidden=True, help="The process that starts it, without which it ends.")
@click.option("--after-death", is_flag=True, hidden=True, help="The one before has ended by itself, in some run.")
def shard(
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
    after_death: bool,
    **limits: float | None,
) -> None:
    """One shard of a campaign: one process, one engine, into one folder.

    A range of seeds is a piece of work for any machine: `chunkproof fuzz merge` makes one folder of several.
    """
    if parent is not None:
        # By a signal that the shard hears, which then ends what the target has started.
        die_with_parent(signal.SIGTERM)
        if os.getppid() != parent:
            raise SystemExit(_FAULT)
    if seconds is None and seed_range is None:
        refuse("say how long (--time 10m) or which seeds (--seed-range 0:1000)")
    if engine in ATHERIS and (missing := atheris_missing()):
        refuse(missing)
    profile, spec = profile_of(target, declare, deviations)
    known = baseline_of(profile, spec, baseline)
    state = state_of(profile, spec, folder)
    if seed_range is not None:
        state.set_seeds(*seed_range)
    process = isolation_of(limits)
    loaded = load_in(profile, spec, process)
    try:
        collector = _collector(state, loaded, process, known)
        with at_peace():
            if engine == "storm":
                storm = StormEngine(loaded, process, state, collector.baseline, name)
                if after_death:
                    storm.take_death()
                searching: Engine = storm
            else:
                words = _with_equals(["--target", spec, *words_given(declare, deviations, {})])
                mode = ATHERIS[engine]
                searching = AtherisEngine(loaded, process, state, name, mode, words, collector.baseline)
            Shard(name, engine, searching, collector, state, parent=parent).run(seconds or float("inf"))
    except Exception:
        _fault(state, traceback.format_exc())
    finally:
        close(loaded)
        process.close()
    raise SystemExit(int(bool(state.records() or state.waiting())))


def _fault(state: State, text: str) -> NoReturn:
    """What stops a shard is told: a fault of ours, unless it is that of the disk."""
    try:
        state.assert_writable()
    except OSError as error:
        refuse(f"--state={state.folder}: it cannot be written any more ({error.strerror or error})")
    click.echo(f"A fault of chunkproof itself. Please report it with this text:\n{text}", err=True)
    raise SystemExit(_FAULT)


def _collector(state: State, target: Target, process: Isolation, baseline: Baseline | None) -> Collector:
    known = baseline.rules.values() if baseline else ()
    return Collector(
        state,
        target,
        process,
        seed="fuzz",
        began=state.about().get("created", time.time()),
        baseline=named(one.deviation for one in known),
        signatures=map(_signature, known),
        failures=[(one.rule, one.kind) for one in known],
    )


def _signature(known: Known) -> str:
    return Found.of_case(known.case, known.kind, engine="", seed="").signature  # type: ignore[arg-type]


def _with_equals(words: Sequence[str]) -> list[str]:
    """Options with their values as one word each: what the engine passes over."""
    return [f"{option}={value}" for option, value in zip(words[::2], words[1::2], strict=True)]
