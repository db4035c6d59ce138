"""A diagnosis as text for a terminal: one deviation after another, and under each the rules that it breaks."""

from __future__ import annotations

import shlex
import textwrap
from collections.abc import Iterator, Sequence

from chunkproof_targets.deviations.deviation import Deviation

from .paint import BOLD, CYAN, DIM, YELLOW, Paint
from .results import DeviationRecord, DiagnosisRecord
from .visible import count_of

__all__ = ["deviation", "diagnosis", "draw_cause"]

#: How the ids begin of the rules that are entries of a corpus.
CORPUS = "corpus/"
_RULES_SHOWN = 6
_REPORTS_SHOWN = 4
#: A longer token is not shown: the rule's own failure names the file that holds it.
_TOKEN_MAX = 1500
_MEASURED = "time, memory or delivery: no outcome shows the cause, which may be no part of the catalogue; it has"


def diagnosis(found: DiagnosisRecord, settings: Sequence[str], paint: Paint, *, width: int = 100) -> Iterator[str]:
    """The lines; ``settings`` are what a replay of this target needs besides."""
    sure = [one for one in found.deviations if not one.measured]
    measured = [one for one in found.deviations if one.measured]
    for ones, headline in ((sure, _headline(found, len(sure))), (measured, _MEASURED)):
        if ones:
            yield f"  {paint(headline, BOLD)}"
        for number, one in enumerate(ones, 1 if ones is sure else 1 + len(sure)):
            yield from _deviation(number, one, found.target, settings, paint, width)
    left = found.outcomes - found.explained
    if left:
        known = "by these" if sure else "by the catalogue"
        yield paint(f"  not explained {known}: {left} of {found.outcomes} outcomes. The smallest:", YELLOW)
        yield f"    {paint(_replay(found.unexplained, found.target, settings), CYAN)}"
    if found.rules_unexplained:
        yield f"  no cause was found for {_broken(found.rules_unexplained)}"
    if sure:
        yield paint("  others may hide behind these", DIM)
    if found.cut_short:
        yield paint("  the search was cut short by its time: another set may explain more", YELLOW)
    for name in found.stale:
        yield paint(f"  {name} is declared, and the target does as the standard says: stale, remove it", YELLOW)
    for name in found.otherwise:
        yield paint(
            f"  {name} is declared, and what was found stands without it: declare that instead, or mend it", YELLOW
        )
    for name in found.undecided:
        yield f"  {name} is declared: undecided, nothing that was seen speaks for it or against it"


def deviation(entry: Deviation, width: int = 100) -> Iterator[str]:
    """All that the catalogue says of one deviation."""
    yield f"{entry.name} ({entry.layer})"
    yield f"  {entry.what}"
    for word, text in (("seen as", entry.symptom), ("mend", entry.mend), ("clause", entry.clause)):
        yield from textwrap.wrap(text, width, initial_indent=f"  {word}: ", subsequent_indent="    ")
    if entry.reports:
        yield f"  reported: {', '.join(entry.reports)}"
    yield f"  as a target: pytest --target=deviation:{entry.name}"


def _headline(found: DiagnosisRecord, number: int) -> str:
    what = "this deviation" if number == 1 else f"these {number} deviations"
    all_ = found.explained == found.outcomes
    of = f"all {found.outcomes}" if all_ else f"{found.explained} of {found.outcomes}"
    fresh = f" ({found.fresh} of them of fresh streams)" if found.fresh else ""
    return f"diagnosis: on {of} outcomes{fresh} it behaves like the reference parser with {what}"


def _deviation(
    number: int, one: DeviationRecord, target: str, settings: Sequence[str], paint: Paint, width: int
) -> Iterator[str]:
    yield from draw_cause(f"{number}. ", one, width, paint, " (declared)" if one.declared else "")
    if one.against and len(one.against) <= _TOKEN_MAX:
        yield paint("     not always, or in another form: here it would show, and the target does it right", YELLOW)
        yield f"     {paint(_replay(one.against, target, settings), CYAN)}"
    if one.equals:
        yield f"     not told apart from: {_some(one.equals, _RULES_SHOWN)}"
    if one.rules:
        text = f"breaks {_broken(one.rules)}"
        yield from textwrap.wrap(text, width, initial_indent="     ", subsequent_indent="       ")
    if one.token and len(one.token) <= _TOKEN_MAX:
        yield f"     {paint(_replay(one.token, target, settings), CYAN)}"


def draw_cause(
    mark: str, one: Deviation | DeviationRecord, width: int, paint: Paint, behind_name: str = ""
) -> Iterator[str]:
    """What a deviation is, behind a mark of three columns: what it does, what a user sees, how to mend it, where."""
    head = f"{mark}{one.name}{behind_name}: {one.what}"
    first, *more = textwrap.wrap(head, width, initial_indent="  ", subsequent_indent="     ", break_on_hyphens=False)
    yield first.replace(one.name, paint(one.name, BOLD), 1)
    yield from more
    for word, text in (("seen as", one.symptom), ("mend", one.mend), ("clause", one.clause)):
        yield from textwrap.wrap(text, width, initial_indent=f"     {word}: ", subsequent_indent="       ")
    if one.reports:
        yield paint(f"     reported: {_some(one.reports, _REPORTS_SHOWN)}", DIM)


def _broken(names: Sequence[str]) -> str:
    """Rules by their names, the first of them, and how many entries of a corpus."""
    entries = [name for name in names if name.startswith(CORPUS)]
    rules = [name for name in names if name not in entries]
    words = [f"{count_of(len(rules), 'rule')}: {_some(rules, _RULES_SHOWN)}"] if rules else []
    if entries:
        some = "" if rules else f": {_some(entries, _RULES_SHOWN)}"
        words.append(count_of(len(entries), "entry of the corpus", "entries of the corpus") + some)
    return "; ".join(words)


def _some(names: Sequence[str], most: int) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _replay(token: str, target: str, settings: Sequence[str]) -> str:
    return shlex.join(["chunkproof", "replay", token, "--target", target, *settings])
