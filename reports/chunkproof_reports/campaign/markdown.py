"""What a campaign came to, as the summary of a job in CI: GitHub's Markdown.

Whatever is somebody's text stands in a block of code, or has each character that could mean something in Markdown or
HTML as a numeric reference: so no name or stream makes a link, an image, a cell or an element.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..paint import Paint
from ..terminal import show_line
from ..visible import count_of
from .record import UNNAMED, CampaignRecord, Cause, causes, find_cause
from .summary import draw_found
from .words import clock, counts, jobs, next_command, odd_shards, said, some, verdict

__all__ = ["markdown"]

# GitHub takes 1 MiB for one step; what is beyond this is left to the artefact.
_BYTES_MAX = 500_000
_ROWS_MAX = 100
# Of the findings with one cause, so many are shown; where nothing explains them, each may have a cause of its own.
_FINDINGS_MAX = 3
_UNNAMED_MAX = 10
_WIDTH = 100

# Points and colons inside of words may make an address of them.
_MEANING = re.compile(r"[^\w .:,=+()/-]|_|(?<!\d)[.:](?=\S)|[.:](?=[^\s\d])")
_FENCES = re.compile("`+")


def markdown(record: CampaignRecord) -> str:
    """The summary: the verdict, the numbers, a row for each cause, and its findings folded away."""
    return "\n".join(_markdown(record)) + "\n"


def _markdown(record: CampaignRecord) -> Iterator[str]:
    yield f"## chunkproof fuzz: {_code(record.target)}"
    yield ""
    yield f"**{_plain(verdict(record)[0])}**"
    yield ""
    yield from _numbers(record)
    groups = [(cause, True) for cause in causes(record.reproducible)]
    groups += [(cause, False) for cause in causes(one for one in record.findings if not one.reproducible)]
    if groups:
        yield ""
        yield from _table(groups)
        yield ""
        yield from _details(groups, record)
    yield ""
    yield "Next:"
    yield ""
    yield from _block([show_line(next_command(record))])


def _numbers(record: CampaignRecord) -> Iterator[str]:
    work = f"{count_of(record.checks, 'check')} of {count_of(record.streams, 'stream')} in {clock(record.elapsed)}"
    numbers = [work, jobs(record), *counts(record)]
    if record.seeds:
        numbers.append(f"seeds up to {record.seeds - 1:,}")
    yield _plain(", ".join(numbers))
    if record.declared:
        names = ", ".join(map(_code, record.declared))
        yield f"<br>with {count_of(len(record.declared), 'declared deviation')}: {names}"
    if record.ended:
        yield f"<br>ended: {_code(record.ended)}"
    yield from (f"<br>{_code(line)}" for line in odd_shards(record))


def _table(groups: Sequence[tuple[Cause, bool]]) -> Iterator[str]:
    yield "| diagnosis | rule | kind | bytes | cuts | count | reproducible |"
    yield "| --- | --- | --- | ---: | ---: | ---: | --- |"
    for cause, is_sure in groups[:_ROWS_MAX]:
        one = cause.smallest
        numbers = f"{one.wire_bytes:,} | {len(one.cuts):,} | {cause.count:,}"
        yield f"| {_name(cause)} | {_code(one.rule)} | {_code(one.kind)} | {numbers} | {'yes' if is_sure else 'no'} |"
    if len(groups) > _ROWS_MAX:
        yield f"| and {len(groups) - _ROWS_MAX:,} more | | | | | | |"


def _details(groups: Sequence[tuple[Cause, bool]], record: CampaignRecord) -> Iterator[str]:
    left = _BYTES_MAX
    for number, (cause, is_sure) in enumerate(groups):
        text = "\n".join(_detail(cause, is_sure, record))
        left -= len(text.encode())
        if left < 0:
            yield f"and {count_of(len(groups) - number, 'more cause')} in {_code(f'{record.state}/findings')}"
            return
        yield text


def _detail(cause: Cause, is_sure: bool, record: CampaignRecord) -> Iterator[str]:
    """One cause, folded: what it is, and its findings as blocks of code."""
    known = [(name, find_cause(name)) for name in cause.smallest.deviations]
    what = " ".join(one.what for _, one in known if one) or count_of(len(cause.findings), "finding")
    again = "" if is_sure else ", not reproducible"
    yield f"<details><summary>{_name(cause)}{again}: {_plain(what)}</summary>"
    yield ""
    for name, one in known:
        if len(known) > 1:
            yield f"- {_code(name)}" + (f": {_plain(one.what)}" if one else "")
        if one:
            for word, text in (("seen as", one.symptom), ("mend", one.mend), ("clause", one.clause)):
                yield f"- {word}: {_plain(text)}"
        if others := cause.smallest.equals.get(name, ()):
            yield f"- not told apart from: {_code(some(others))}"
    if known:
        yield ""
    shown = cause.findings[: _UNNAMED_MAX if cause.named == UNNAMED else _FINDINGS_MAX]
    for found in shown:
        yield from _block([line[5:] for line in draw_found(found, record, _WIDTH + 5, Paint(False))])
        yield ""
    if len(shown) < len(cause.findings):
        yield f"and {len(cause.findings) - len(shown):,} more"
        yield ""
    yield "</details>"


def _plain(text: str) -> str:
    """Somebody's text in one line that means nothing but itself."""
    return _MEANING.sub(lambda found: "".join(f"&#{ord(character)};" for character in found.group()), show_line(text))


def _name(cause: Cause) -> str:
    return cause.named if cause.named == UNNAMED else _code(cause.named)


def _code(text: str) -> str:
    """The same as code: GitHub makes no mention and no reference of it."""
    return f"<code>{_plain(said(text))}</code>"


def _block(lines: Sequence[str]) -> Iterator[str]:
    """Visible lines as they are; the fence is longer than any in them."""
    longest = max((len(run) for line in lines for run in _FENCES.findall(line)), default=0)
    fence = "`" * max(longest + 1, 3)
    yield f"{fence}text"
    yield from lines
    yield fence
