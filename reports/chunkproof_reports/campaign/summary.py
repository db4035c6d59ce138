"""What a campaign came to, as the last lines on a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..diagnosis import draw_cause
from ..paint import BOLD, CYAN, DIM, YELLOW, Paint
from ..terminal import show_line
from ..visible import count_of, folded
from ..wire import draw_wire
from .record import UNNAMED, CampaignRecord, Cause, FoundRecord, causes, find_cause
from .words import clock, counts, jobs, next_command, odd_shards, said, size, some, verdict

__all__ = ["draw_found", "summary"]

# Of the findings with one cause, the smallest is shown whole and so many more as commands; where nothing explains
# them, each may have a cause of its own, and more are shown whole.
_COMMANDS_MAX = 3
_UNNAMED_MAX = 10
_CAUSES_MAX = 40
_BEFORE_MAX = 3


def summary(record: CampaignRecord, *, colour: bool = False, width: int = 100) -> list[str]:
    """The last section of a campaign: what was run, each finding, the verdict in words, and what to type next."""
    return list(_summary(record, max(width, 40), Paint(colour)))


def _summary(record: CampaignRecord, width: int, paint: Paint) -> Iterator[str]:
    yield from _ran(record, paint)
    found = causes(record.reproducible)
    for number, cause in enumerate(found[:_CAUSES_MAX], 1):
        yield ""
        yield from _cause(number, cause, record, width, paint)
    if len(found) > _CAUSES_MAX:
        yield ""
        yield f"  and {len(found) - _CAUSES_MAX:,} more causes in {said(record.state)}/findings"
    others = [one for one in record.findings if not one.reproducible]
    if others:
        yield ""
        yield paint(
            f"  not reproducible: {count_of(len(others), 'finding')}, not seen again in a fresh process", YELLOW
        )
        yield from _findings(others, _UNNAMED_MAX, record, width, paint)
    yield ""
    words, code = verdict(record)
    yield f"  {paint(words, code)}"
    yield f"  next: {paint(show_line(next_command(record)), CYAN)}"


def _ran(record: CampaignRecord, paint: Paint) -> Iterator[str]:
    work = f"{count_of(record.checks, 'check')} of {count_of(record.streams, 'stream')} in {clock(record.elapsed)}"
    yield f"{paint(said(record.target), BOLD)}: {work}"
    seeds = [f"seeds up to {record.seeds - 1:,}"] if record.seeds else []
    yield f"  {', '.join([jobs(record), *seeds])}"
    numbers = list(counts(record))
    if record.repeats:
        numbers.append(f"{count_of(record.repeats, 'failure')} that {'was' if record.repeats == 1 else 'were'} no news")
    if numbers:
        yield f"  {', '.join(numbers)}"
    if record.declared:
        declared = ", ".join(map(said, record.declared))
        yield f"  with {count_of(len(record.declared), 'declared deviation')}: {declared}"
    if record.ended:
        yield f"  ended: {said(record.ended)}"
    yield from (paint(f"  {line}", YELLOW) for line in odd_shards(record))


def _cause(number: int, cause: Cause, record: CampaignRecord, width: int, paint: Paint) -> Iterator[str]:
    mark = f"{number}. "
    for name in cause.smallest.deviations:
        known = find_cause(name)
        if known:
            yield from draw_cause(mark, known, width, paint)
        else:
            yield f"  {mark}{paint(said(name), BOLD)}: no deviation that this release knows"
        others = cause.smallest.equals.get(name, ())
        if others:
            yield f"     not told apart from: {some(others)}"
        mark = "+  "
    if cause.named == UNNAMED:
        yield f"  {mark}{paint(UNNAMED, BOLD)}: no set of its deviations explains {_these(len(cause.findings))}"
    yield from _findings(cause.findings, _UNNAMED_MAX if cause.named == UNNAMED else 1, record, width, paint)


def _these(number: int) -> str:
    return "this finding" if number == 1 else f"these {number:,} findings"


def _findings(
    findings: Sequence[FoundRecord], whole: int, record: CampaignRecord, width: int, paint: Paint
) -> Iterator[str]:
    """So many of them whole, a few more as commands, and how many are left."""
    for number, found in enumerate(findings[:whole]):
        if number:
            yield ""
        yield from draw_found(found, record, width, paint)
    commands = [record.replay(found) for found in findings[whole : whole + _COMMANDS_MAX]]
    yield from (f"     {paint(show_line(command), CYAN)}" for command in commands if command)
    left = len(findings) - whole - _COMMANDS_MAX
    if left > 0:
        yield f"     and {left:,} more in {said(record.state)}/findings"


def draw_found(found: FoundRecord, record: CampaignRecord, width: int, paint: Paint) -> Iterator[str]:
    """One finding, indented: the rule it breaks and how, what found it, the wire, and what runs it again."""
    times = f", {found.count:,} times" if found.count > 1 else ""
    seed = f", seed {said(found.seed, 60)}" if found.seed else ""
    yield f"     breaks {said(found.rule)}: {said(found.kind)}{times}"
    yield paint(f"     first after {clock(found.seconds)} by {said(found.engine)}{seed}", DIM)
    if found.note:
        differed = "" if found.reproducible else "what differed: "
        yield from (f"     {part}" for part in folded(said(f"{differed}{found.note}", 4 * width), width - 5))
    for wire in found.before[:_BEFORE_MAX]:
        yield from (f"     {line}" for line in draw_wire("run before it", bytes.fromhex(wire), (), width - 5, paint))
    if len(found.before) > _BEFORE_MAX:
        yield f"     and {len(found.before) - _BEFORE_MAX:,} more run before it"
    if found.wire or not found.wire_bytes:
        yield from (f"     {line}" for line in draw_wire("wire", found.data, found.cuts, width - 5, paint))
    else:
        yield f"     wire: {size(found)}, too long to be shown"
    if command := record.replay(found):
        yield f"     {paint(show_line(command), CYAN)}"
    if found.artefact:
        yield f"     the engine's own file: {said(record.state)}/artefacts/{said(found.artefact)}"
