"""The words for a campaign that all share who show one."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from ..paint import GREEN, RED, YELLOW
from ..terminal import show_line
from ..visible import clip, count_of
from .record import UNNAMED, CampaignRecord, FoundRecord, ShardRecord

__all__ = ["clock", "counts", "jobs", "next_command", "odd_shards", "said", "shard_line", "size", "some", "verdict"]

# Of a name or a note of somebody's, so many columns.
_SAID_MAX = 200
_SHARDS_MAX = 8
#: Times for another run, as `--time` takes them, and their seconds.
_TIMES = (("1m", 60), ("10m", 600), ("1h", 3600), ("8h", 28800), ("24h", 86400))


def clock(seconds: float) -> str:
    """A time as a clock shows it: 0:41, 10:00, 1:02:03."""
    minutes, second = divmod(int(seconds), 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours}:{minute:02}:{second:02}" if hours else f"{minute}:{second:02}"


def said(text: str, most: int = _SAID_MAX) -> str:
    """Somebody's text in one line, visible, and not longer than this."""
    return clip(show_line(text[: most + 1]), most)


def size(found: FoundRecord) -> str:
    """How large the stream of a finding is."""
    chunks = len(found.cuts) + bool(found.wire_bytes)
    return f"{count_of(found.wire_bytes, 'byte')} in {count_of(chunks, 'chunk')}"


def shard_line(shard: ShardRecord) -> str:
    """What there is to say of a shard, in one line."""
    doing = {"dead": "its process ended too early"}.get(shard.doing, shard.doing)
    return f"shard {said(shard.name, 20)} ({said(shard.engine, 20)}): " + ", ".join(
        said(part) for part in (doing, shard.note) if part and part != "searching"
    )


def odd_shards(record: CampaignRecord) -> Iterator[str]:
    """A line for each shard that died or has something to say, and where there is more to read."""
    odd = [shard for shard in record.shards if shard.doing == "dead" or shard.note]
    odd.sort(key=lambda shard: shard.doing != "dead")
    yield from map(shard_line, odd[:_SHARDS_MAX])
    if len(odd) > _SHARDS_MAX:
        yield f"and {len(odd) - _SHARDS_MAX:,} more shards with something to say"
    if record.dead:
        yield f"what they printed: {said(record.state)}/logs"


def verdict(record: CampaignRecord) -> tuple[str, int]:
    """What the campaign came to, in words, and their colour."""
    if not record.checks and not record.findings:
        return "no verdict: nothing was checked", YELLOW
    words, code = _found_words(record)
    buts = []
    if record.waiting:
        waiting = "1 finding waits" if record.waiting == 1 else f"{record.waiting:,} findings wait"
        buts.append(f"{waiting} in {said(record.state)}/inbox")
    if record.dead:
        buts.append(f"it is not whole: {count_of(len(record.dead), 'shard')} ended too early")
    if not buts:
        return words, code
    return f"{words}, but {', and '.join(buts)}", RED if code == RED else YELLOW


def _found_words(record: CampaignRecord) -> tuple[str, int]:
    checks = count_of(record.checks, "check")
    found, others = record.reproducible, len(record.findings) - len(record.reproducible)
    if not found:
        words = f"no finding in {checks}"
        return (f"{words} that came again: {others:,} did not", YELLOW) if others else (words, GREEN)
    names = {name for one in found for name in one.deviations}
    unnamed = sum(not one.deviations for one in found)
    parts = [count_of(len(names), "deviation")] if names else []
    parts += [f"{unnamed:,} {UNNAMED}"] if unnamed else []
    return f"{count_of(len(found), 'finding')} in {checks}: {' and '.join(parts)}", RED


def next_command(record: CampaignRecord) -> str:
    """What to type next: pytest on what was found; where nothing was, a longer campaign of both engines."""
    if record.reproducible:
        return record.judge()
    longer = next((word for word, seconds in _TIMES if seconds >= 5 * record.elapsed), _TIMES[-1][0])
    words = ["chunkproof", "fuzz", "--target", record.target, "--engine", "both", "--time", longer]
    return shlex.join([*words, "--state", record.state, *record.replaying])


def counts(record: CampaignRecord) -> Iterator[str]:
    """How much was seen, of what there is a number of."""
    for word, number in record.coverage.items():
        yield f"{number:,} {said(word, 20)}"
    if record.inputs:
        yield count_of(record.inputs, "input")


def jobs(record: CampaignRecord) -> str:
    """With what it is run."""
    engine = "storm and atheris" if record.engine == "both" else said(record.engine, 20)
    return f"{engine}, {count_of(record.jobs, 'job')}"


def some(names: Sequence[str], most: int = 6) -> str:
    """The first of the names, and how many more there are."""
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(said(name) for name in names[:most]) + more
