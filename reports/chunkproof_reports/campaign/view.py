"""A campaign on a terminal while it goes on: one screen that is drawn anew, at most four times a second."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import chain, zip_longest
from types import TracebackType
from typing import Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Column, Table
from rich.text import Text

from .record import CampaignRecord, Cause, ShardRecord, causes
from .words import clock, jobs, said, shard_line

__all__ = ["CampaignView", "draw"]

_DRAWN_EVERY = 0.25
# So many lines about shards, whatever the height.
_SHARDS_MAX = 4
# Rows for causes where the terminal does not say how high it is, or is hardly so.
_CAUSES_MIN = 3
# The columns of a number, up to 9,999,999,999.
_NUMBER_WIDTH = 13
_COVERAGE_MAX = 2
_HARMLESS = 2


class CampaignView:
    """A context in which `update` draws a campaign; it is gone from the terminal afterwards, for the summary.

    Nothing is drawn but by `update`: there is no thread, so the caller may fork.
    """

    def __init__(self, console: Console, *, now: Callable[[], float] = time.monotonic) -> None:
        self._console = console
        self._now = now
        self._drawn: float | None = None
        self._live = Live(console=console, auto_refresh=False, transient=True)

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.stop()

    def update(self, record: CampaignRecord) -> None:
        """Draw this, unless something was drawn within the last quarter of a second."""
        now = self._now()
        if self._drawn is None or now - self._drawn >= _DRAWN_EVERY:
            self._drawn = now
            width, height = self._console.size
            self._live.update(draw(record, width, height), refresh=True)


def draw(record: CampaignRecord, width: int = 80, height: int = 24) -> RenderableType:
    """One screen of it: no line is wider than this, and where there is much to say, the least new is left out."""
    top = [_title(record, width), _time(record, width), Text(), _numbers(record)]
    bottom = [*_shards(record, max(min(height // 6, _SHARDS_MAX), 2)), _state(record)]
    # The numbers are several lines. The table has a head, and an empty line before it and behind it; the last line of
    # a terminal is the cursor's.
    numbers = 2 + len(_coverage(record))
    rows = height - (len(top) - 1 + numbers) - len(bottom) - 4
    return Group(*top, Text(), *_causes(record, max(rows, _CAUSES_MIN)), Text(), *bottom)


def _title(record: CampaignRecord, width: int) -> RenderableType:
    grid = _grid(Column(ratio=1), Column(justify="right"))
    engine = jobs(record)
    grid.add_row(Text(said(record.target, max(width - len(engine) - 2, 10)), "bold"), Text(engine))
    return grid


def _time(record: CampaignRecord, width: int) -> RenderableType:
    """What is over of the time, as a bar, and what is left."""
    if record.remaining is None:
        return Text(f"{clock(record.elapsed)}, no end set")
    whole = record.elapsed + record.remaining
    grid = _grid(Column(), Column(ratio=1), Column(justify="right"))
    bar = ProgressBar(
        total=max(whole, 1.0),
        completed=record.elapsed,
        style="dim",
        complete_style="cyan",
        finished_style="cyan",
    )
    grid.add_row(Text(f"{clock(record.elapsed)} of {clock(whole)}"), bar, Text(f"{clock(record.remaining)} left"))
    return grid


def _numbers(record: CampaignRecord) -> RenderableType:
    # Of one width, whatever they hold, so that nothing moves; the last column is empty: releases of rich pad the
    # last one in two ways.
    columns = ((Column(), Column(justify="right", min_width=_NUMBER_WIDTH)) for _ in range(3))
    grid = _grid(*chain.from_iterable(columns), Column(), expand=False)
    news = "-" if record.since_news is None else f"{clock(record.since_news)} ago"
    run = (("checks", f"{record.checks:,}"), ("a second", f"{record.rate:,.0f}"), ("streams", f"{record.streams:,}"))
    seen = (*_coverage(record), ("inputs", f"{record.inputs:,}"), ("repeats", f"{record.repeats:,}"))
    found = (("findings", f"{len(record.reproducible):,}"), ("last new", news), ("waiting", f"{record.waiting:,}"))
    for row in zip_longest(run, seen, found, fillvalue=("", "")):
        grid.add_row(*chain.from_iterable((Text(word, "dim"), Text(number)) for word, number in row))
    return grid


def _coverage(record: CampaignRecord) -> list[tuple[str, str]]:
    """What is covered, with its word; each engine counts something else."""
    counted = [(said(word, 12), f"{number:,}") for word, number in record.coverage.items()]
    return counted[:_COVERAGE_MAX] or [("coverage", "-")]


def _causes(record: CampaignRecord, rows: int) -> Iterator[RenderableType]:
    """The findings by what explains them, the newest first; those that did not come again stand behind."""
    sure = sorted(causes(record.reproducible), key=lambda cause: -cause.since)
    others = causes(found for found in record.findings if not found.reproducible)
    every = [*((cause, True) for cause in sure), *((cause, False) for cause in others)]
    if not every:
        yield Text("no finding so far", "dim")
        return
    table = Table(
        Column("diagnosis", ratio=3, no_wrap=True, overflow="ellipsis"),
        Column("rule", ratio=3, no_wrap=True, overflow="ellipsis"),
        Column("kind", no_wrap=True),
        *(Column(word, justify="right", no_wrap=True) for word in ("bytes", "cuts", "count")),
        box=None,
        expand=True,
        padding=(0, 2, 0, 0),
        pad_edge=False,
        header_style="dim",
    )
    shown = every if len(every) <= rows else every[: rows - 1]
    for cause, is_sure in shown:
        _add_row(table, cause, is_sure)
    yield table
    if len(shown) < len(every):
        yield Text(f"and {len(every) - len(shown):,} more", "dim")


def _add_row(table: Table, cause: Cause, is_sure: bool) -> None:
    one = cause.smallest
    name = said(cause.named)
    if not is_sure:
        name = "not reproducible" + (f": {name}" if one.deviations else "")
    if len(cause.findings) > 1:
        name = f"({len(cause.findings):,}) {name}"
    numbers = (one.wire_bytes, len(one.cuts), cause.count)
    style = ("red" if one.deviations else "bold red") if is_sure else "yellow"
    table.add_row(Text(name, style), *map(Text, (said(one.rule), said(one.kind, 12), *map(_short, numbers))))


def _short(number: int) -> str:
    """A number in at most seven columns, or as good as: a table has no room for more."""
    for size, unit in ((10**9, "G"), (10**6, "M")):
        if number >= size:
            return f"{number / size:,.1f} {unit}"
    return f"{number:,}"


def _shards(record: CampaignRecord, most: int) -> Iterator[Text]:
    """A line for each shard of which there is something to say besides numbers."""
    odd = sorted((shard for shard in record.shards if shard.is_odd), key=_urgency)
    shown = odd if len(odd) <= most else odd[: most - 1]
    for shard in shown:
        yield _line(shard_line(shard), "yellow" if _urgency(shard) < _HARMLESS else "")
    if len(shown) < len(odd):
        yield _line(f"and {len(odd) - len(shown):,} more shards with something to say", "dim")


def _urgency(shard: ShardRecord) -> int:
    """Small for what is to be seen first: a process that is gone, then whatever a shard says itself."""
    if shard.doing == "dead":
        return 0
    return 1 if shard.note else _HARMLESS


def _state(record: CampaignRecord) -> Text:
    return _line(f"state in {said(record.state)}; Ctrl-C ends it, and what was found stays", "dim")


def _line(text: str, style: str) -> Text:
    return Text(text, style, no_wrap=True, overflow="ellipsis")


def _grid(*columns: Column, expand: bool = True) -> Table:
    for column in columns:
        column.no_wrap = True
    return Table(*columns, box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0), expand=expand)
