"""What there is to say while a campaign goes on where there is no terminal: as words, or as lines of JSON."""

from __future__ import annotations

import json
from typing import Any

from ..terminal import show_line
from ..visible import count_of
from .record import CampaignRecord, FoundRecord, ShardRecord
from .words import clock, counts, jobs, next_command, said, shard_line, size, verdict

__all__ = ["json_lines", "plain_lines"]

#: The version of the JSON lines; see `json_lines`.
VERSION = 1

# So many seconds pass between two lines of status.
_STATUS_EVERY = 10


def plain_lines(before: CampaignRecord | None, now: CampaignRecord) -> list[str]:
    """What there is to say now that was not to be said before; nothing, most of the time.

    ``before`` is the record of the call before this one, None at the start. A finding is said when it is new, a shard
    when something odd is new of it; every ten seconds there is a line of status.
    """
    lines = [] if before else [_start_line(now)]
    lines += [_finding_line(now, found) for found in _new(before, now)] if before else []
    lines += [shard_line(shard) for shard in _newly_odd(before, now)]
    if before and _is_due(before, now):
        lines.append(_status_line(now))
    return lines


def _start_line(now: CampaignRecord) -> str:
    time = f", {clock(now.elapsed + now.remaining)}" if now.remaining is not None else ""
    found = f", {count_of(len(now.findings), 'finding')} so far" if now.findings else ""
    return f"{said(now.target)}: {jobs(now)}{time}, state in {said(now.state)}{found}"


def _finding_line(now: CampaignRecord, found: FoundRecord) -> str:
    word = "finding" if found.reproducible else "not reproducible"
    what = f"{said(found.named)}, {said(found.rule)} {said(found.kind)}, {size(found)}"
    command = now.replay(found)
    return f"{word}: {what}: {show_line(command)}" if command else f"{word}: {what}"


def _status_line(now: CampaignRecord) -> str:
    of = f" of {clock(now.elapsed + now.remaining)}" if now.remaining is not None else ""
    words = [f"{count_of(now.checks, 'check')} ({now.rate:,.0f}/s)", *counts(now)]
    words.append(count_of(len(now.reproducible), "finding"))
    if others := len(now.findings) - len(now.reproducible):
        words.append(f"{others:,} not reproducible")
    if now.waiting:
        words.append(f"{now.waiting:,} waiting")
    if now.since_news is not None:
        words.append(f"last new one {clock(now.since_news)} ago")
    return f"{clock(now.elapsed)}{of}  {', '.join(words)}"


def _new(before: CampaignRecord | None, now: CampaignRecord) -> list[FoundRecord]:
    known = {found.id for found in before.findings} if before else set()
    return [found for found in now.findings if found.id not in known]


def _newly_odd(before: CampaignRecord | None, now: CampaignRecord) -> list[ShardRecord]:
    """Shards that died or have something to say, unless that was so before; to diagnose is no news here."""
    known = {(shard.name, shard.doing == "dead", shard.note) for shard in before.shards} if before else set()
    return [
        shard
        for shard in now.shards
        if (shard.note or shard.doing == "dead") and (shard.name, shard.doing == "dead", shard.note) not in known
    ]


def _is_due(before: CampaignRecord, now: CampaignRecord) -> bool:
    return now.elapsed // _STATUS_EVERY > before.elapsed // _STATUS_EVERY


def json_lines(before: CampaignRecord | None, now: CampaignRecord) -> list[str]:
    """What there is to say now that was not said before, each an object of JSON in one line of ASCII.

    ``before`` is the record of the call before this one, None at the start. "event" says what an object is:

    - "status", at the start and every ten seconds: the numbers of `CampaignRecord`. Times are seconds; "remaining" is
      null where no time was given, "since_news" where nothing was found; "coverage" is an object of counts by
      "branches" or "features"; "shards" are objects of "name", "engine", "doing" and "note".
    - "finding", once for each, those of earlier runs at the start: what its file holds, without the bytes of the wire;
      "replay" is the command that runs it again, empty where there is none.
    - "end", once: as "status", and "ended", why; "verdict", in words; "next", the command to type next.

    Fields may be added; none changes its meaning without another "version".
    """
    objects = [_finding_data(now, found) for found in _new(before, now)]
    if before is None or _is_due(before, now):
        objects.append({"event": "status", **_status_data(now)})
    if now.ended and not (before and before.ended):
        more = {"ended": now.ended, "verdict": verdict(now)[0], "next": next_command(now)}
        objects.append({"event": "end", **_status_data(now), **more})
    return [json.dumps(one) for one in objects]


def _status_data(now: CampaignRecord) -> dict[str, Any]:
    return {
        "version": VERSION,
        "target": now.target,
        "engine": now.engine,
        "jobs": now.jobs,
        "state": now.state,
        "elapsed": _rounded(now.elapsed),
        "remaining": _rounded(now.remaining),
        "since_news": _rounded(now.since_news),
        "rate": _rounded(now.rate),
        "checks": now.checks,
        "streams": now.streams,
        "coverage": now.coverage,
        "inputs": now.inputs,
        "repeats": now.repeats,
        "waiting": now.waiting,
        "findings": len(now.reproducible),
        "not_reproducible": len(now.findings) - len(now.reproducible),
        "shards": [
            {"name": shard.name, "engine": shard.engine, "doing": shard.doing, "note": shard.note}
            for shard in now.shards
        ],
    }


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(float(seconds), 3)


def _finding_data(now: CampaignRecord, found: FoundRecord) -> dict[str, Any]:
    return {
        "event": "finding",
        "version": VERSION,
        "target": now.target,
        "id": found.id,
        "rule": found.rule,
        "kind": found.kind,
        "deviations": list(found.deviations),
        "equals": {name: list(names) for name, names in found.equals.items()},
        "reproducible": found.reproducible,
        "note": found.note,
        "wire_bytes": found.wire_bytes,
        "chunks": len(found.cuts) + bool(found.wire_bytes),
        "count": found.count,
        "engine": found.engine,
        "seed": found.seed,
        "found": _rounded(found.found),
        "seconds": _rounded(found.seconds),
        "token": found.token,
        "entry": found.entry,
        "artefact": found.artefact,
        "replay": now.replay(found),
    }
