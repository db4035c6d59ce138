"""Results as text for a terminal: the failure of a rule, and the last section of a run."""

from __future__ import annotations

import json
import shlex
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .compare import Row, compare, exceptions
from .diagnosis import diagnosis
from .paint import BOLD, CYAN, DIM, GREEN, RED, YELLOW, Paint
from .results import Counterexample, DiagnosisRecord, Results, RuleResult, TargetRecord
from .visible import cells, clip, count_of, folded, pad, show, wire_rows
from .wire import draw_wire

__all__ = ["Ran", "baseline", "describe_targets", "failure", "last_lines", "one_line", "summary"]

_WIDTH = 100
_CAPTURED_MAX = 2000


# one rule --------------------------------------------------------------------------------------------------------


def one_line(result: RuleResult) -> str:
    """What failed, in one line: the kind of difference and the wire with its cuts."""
    found = result.counterexample
    if found is None:
        return clip(show(result.reason.strip().rpartition("\n")[2]), 200)
    if found.measured:
        return f"{found.kind}: {clip(show(found.actual.failure), 120)}"
    stream = found.streams[-1]
    wire, cuts = stream.data, stream.cuts
    if len(wire) > 300:
        wire, cuts = wire[:300], tuple(at for at in cuts if at < 300)
    said = f"raised {show(found.actual.failure.partition(':')[0])}" if found.kind == "raised" else found.kind
    return f"{said}: {clip(''.join(row.text for row in wire_rows(wire, cuts)), 120)}"


def failure(result: RuleResult, replay: str = "", *, width: int = _WIDTH, colour: bool = False) -> str:
    """The text of a failed rule: the rule and its clause, the wire, expected beside actual, the replay command."""
    return "\n".join(_failure(result, replay, max(width, 40), Paint(colour)))


def _failure(result: RuleResult, replay: str, width: int, paint: Paint) -> Iterator[str]:
    yield from _rule(result, width, paint)
    found = result.counterexample
    if result.status == "stale":
        yield ""
        yield from (show_line(line) for line in _wrapped(result.reason, width))
        return
    if found is None:
        yield ""
        yield "A fault of chunkproof itself, not of the target. Please report it with this text:"
        yield from (show_line(line) for line in result.reason.rstrip().splitlines())
        return
    for number, stream in enumerate(found.streams, 1):
        yield ""
        name = "wire" if len(found.streams) == 1 else f"wire {number} of {len(found.streams)}"
        if number < len(found.streams):
            name += f", {show_line(found.others)}"
        if found.measured:
            name += ", the smallest of several"
        yield from draw_wire(name, stream.data, stream.cuts, width, paint)
    yield ""
    yield from _measured(found, width, paint) if found.measured else _compared(found, width, paint)
    if found.traceback:
        yield ""
        yield from (paint(show_line(line), DIM) for line in found.traceback.rstrip().splitlines())
    for name in ("stdout", "stderr"):
        if text := getattr(found, name):
            yield ""
            yield f"on {name}:"
            yield from (f"    {line}" for line in last_lines(text).splitlines())
    if result.advice:
        yield ""
        yield from _wrapped(result.advice, width)
    if replay:
        yield ""
        yield paint(replay, CYAN)


def _compared(found: Counterexample, width: int, paint: Paint) -> Iterator[str]:
    yield from _sides(compare(found.expected, found.actual), width, paint)
    said, differs = exceptions(found.expected, found.actual)
    if said:
        yield from _marked(said, differs, RED, width, paint)


def _measured(found: Counterexample, width: int, paint: Paint) -> Iterator[str]:
    """What was measured, in two sentences: the wire above is the smallest of many."""
    for name, side, code in (("expected", found.expected, GREEN), ("actual", found.actual, RED)):
        yield name
        yield from (paint(f"  {line}", code) for line in _wrapped(show(side.failure), width - 2))


def _rule(result: RuleResult, width: int, paint: Paint) -> Iterator[str]:
    yield f"{paint(result.id, BOLD)} ({result.severity})"
    yield from _wrapped(show_line(result.requirement), width)
    yield paint(result.clause + (f" · WPT {result.wpt}" if result.wpt else ""), DIM)


def _sides(rows: Sequence[Row], width: int, paint: Paint) -> Iterator[str]:
    """Expected beside actual, or above it where they do not fit; what differs is marked."""
    left = max(map(cells, ("expected", *(row.expected for row in rows))))
    right = max(map(cells, ("actual", *(row.actual for row in rows))))
    if 2 + left + 3 + right > width:
        yield from _stacked("expected", [(row.expected, row.differs) for row in rows], GREEN, width, paint)
        yield from _stacked("actual", [(row.actual, row.differs) for row in rows], RED, width, paint)
        return
    yield f"  {pad('expected', left)}   actual"
    for expected, actual, differs in rows:
        yield (
            paint("≠ " if differs else "  ", *_style(differs, BOLD))
            + paint(pad(expected, left), *_style(differs, GREEN))
            + "   "
            + paint(actual, *_style(differs, RED))
        )


def _stacked(name: str, side: Sequence[tuple[str, bool]], code: int, width: int, paint: Paint) -> Iterator[str]:
    yield name
    for text, differs in side:
        yield from _marked(text, differs, code, width, paint)


def _marked(text: str, differs: bool, code: int, width: int, paint: Paint) -> Iterator[str]:
    """Visible text in as many lines as it needs, with the mark of a difference before the first."""
    for number, part in enumerate(folded(text, width - 2)):
        mark = "≠ " if differs and not number else "  "
        yield paint(mark, *_style(differs, BOLD)) + paint(part, *_style(differs, code))


def _style(differs: bool, code: int) -> tuple[int, ...]:
    return (code,) if differs else ()


def show_line(line: str) -> str:
    """One line of somebody's text, its own backslashes and bars left as they are."""
    return show(line).replace("\\\\", "\\").replace("\\|", "|")


def last_lines(text: str) -> str:
    """The end of what a target printed, with nothing in it that could drive a terminal."""
    kept = text[-_CAPTURED_MAX:]
    lines = [show_line(line) for line in kept.splitlines()]
    if len(kept) < len(text):
        lines.insert(0, f"… {len(text) - len(kept):,} characters …")
    return "\n".join(lines) + "\n"


# a run -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Ran:
    """What a summary must know besides the results.

    ``rules`` is the number of rules there are; ``died`` are the ids of items that ended without a result. ``option`` is
    how pytest is told the target here, ``settings`` are further options that a next run needs to judge alike,
    ``replaying`` those of `chunkproof replay`.
    """

    rules: int
    option: str = "--target"
    settings: Sequence[str] = ()
    replaying: Sequence[str] = ()
    died: Sequence[str] = ()


def describe_targets(targets: Sequence[TargetRecord]) -> list[str]:
    """The lines of the header: what each target is, how it is driven, what it shows and how it was found."""
    lines = []
    for target in targets:
        lines.append(f"target: {show_line(target.name)} ({show_line(target.shape)})")
        lines.append(f"  shows {target.shows}")
        lines.append(f"  found as {show_line(target.found)}")
        if target.declared:
            lines.append(f"  with {_deviations(target)}")
        if target.baseline:
            lines.append(f"  known failures in {show_line(target.baseline)}")
    return lines


def summary(results: Results, run: Ran, *, colour: bool = False) -> list[str]:
    """The last section of a run: for each target the counts, the verdict in words, and what to type next."""
    paint = Paint(colour)
    lines: list[str] = []
    for target in results.targets:
        found = [result for result in results.rules if result.target == target.name]
        known = next((one for one in results.diagnoses if one.target == target.name), None)
        lines += _target_summary(target, found, results.effort, run, paint, known)
    lines += [paint(f"{show_line(nodeid)} ended without a result", RED) for nodeid in run.died]
    return lines


def _target_summary(
    target: TargetRecord,
    found: Sequence[RuleResult],
    effort: str,
    run: Ran,
    paint: Paint,
    known: DiagnosisRecord | None,
) -> Iterator[str]:
    work = f"{count_of(sum(r.checks for r in found), 'check')} of {count_of(sum(r.streams for r in found), 'stream')}"
    yield f"{paint(show_line(target.name), BOLD)}: {_rules([r for r in found if r.judged])} judged, {work}"
    yield "  " + ", ".join(_counts(found))
    if known is not None:
        yield from diagnosis(known, run.replaying, paint)
    for status in ("not judged", "held"):
        said = [r for r in found if r.status == status and r.reason]
        for reason in dict.fromkeys(r.reason for r in said):
            yield f"  {status}, {_rules([r for r in said if r.reason == reason])}: {show_line(reason)}"
    for result in found:
        if result.severity == "info" and result.status == "broken":
            yield f"  info {result.id}: {one_line(result)}"
    yield f"  {_verdict(target, found, run, paint)}"
    if next_command := _next(target.name, found, effort, run):
        yield f"  next: {paint(next_command, CYAN)}"


def _rules(found: Sequence[RuleResult]) -> str:
    """How many rules they are, and how many entries of a corpus."""
    entries = sum(bool(r.case_of) for r in found)
    words = [count_of(len(found) - entries, "rule")] if len(found) > entries or not entries else []
    words += [count_of(entries, "entry of the corpus", "entries of the corpus")] if entries else []
    return " and ".join(words)


def _next(name: str, found: Sequence[RuleResult], effort: str, run: Ran) -> str:
    """What to type next: the first broken rule alone; all rules after some; more effort after all."""
    call = shlex.join(["pytest", f"{run.option}={name}", *run.settings])
    broken = next((r for r in found if r.fails and r.status == "broken"), None)
    if broken is not None:
        return f"{call} {shlex.quote(f'chunkproof::{broken.id}')}"
    if any(r.status in ("fault", "stale") for r in found):
        return ""
    if len(found) < run.rules:
        return call
    return {"smoke": call, "default": f"{call} --effort=deep"}.get(effort, "")


def _counts(found: Sequence[RuleResult]) -> Iterator[str]:
    yield f"{sum(r.status == 'held' for r in found)} held"
    for severity in ("must", "should", "info"):
        broken = sum(r.status == "broken" and r.severity == severity for r in found)
        if broken:
            yield f"{broken} {severity} broken" if severity != "info" else f"{broken} info differ"
    for status, word in (
        ("known", "known"),
        ("stale", "stale"),
        ("not judged", "not judged"),
        ("fault", "stopped by a fault of chunkproof"),
    ):
        count = sum(r.status == status for r in found)
        if count:
            yield f"{count} {word}"


def _verdict(target: TargetRecord, found: Sequence[RuleResult], run: Ran, paint: Paint) -> str:
    if any(r.status == "fault" for r in found):
        return paint("no verdict: chunkproof itself failed", RED)
    new = sum(r.fails and r.status == "broken" for r in found)
    known = sum(r.status == "known" for r in found)
    told = _told(target, known, new)
    if any(r.fails and r.severity == "must" and r.status == "broken" for r in found):
        return paint(f"not conformant{told}", RED)
    if any(r.status == "stale" for r in found):
        stale = sum(r.status == "stale" for r in found)
        return paint(f"{count_of(stale, 'known failure')} no more: remove from {show_line(target.baseline)}", RED)
    if not any(r.judged for r in found):
        return paint("no verdict: no rule was judged", YELLOW)
    if run.died:
        return paint("no verdict: the run is not whole", RED)
    if any(r.status == "known" and r.severity == "must" for r in found):
        return paint(f"not conformant{told}", YELLOW)
    profile = f" with {_deviations(target)}" if target.declared else ""
    if len(found) < run.rules:
        words = f"no must is broken in the {len(found)} of {count_of(run.rules, 'rule')} that ran"
        return paint(f"{words},{profile}" if profile else words, YELLOW)
    words = f"conformant{profile}"
    if new or known:
        return paint(f"{words}, but {count_of(new + known, 'should')} broken{told}", YELLOW)
    return paint(words, GREEN)


def _told(target: TargetRecord, known: int, new: int) -> str:
    """Behind a verdict: how many failures are known, where there is a file of them."""
    if not known:
        return ""
    told = f"{new} new" if new else "no new ones"
    return f": {count_of(known, 'known failure')} (baseline {show_line(target.baseline)}), {told}"


def _deviations(target: TargetRecord) -> str:
    return f"{count_of(len(target.declared), 'declared deviation')}: {', '.join(target.declared)}"


def baseline(
    results: Results,
    file: str,
    *,
    deviations: Sequence[str] = (),
    left_out: Sequence[RuleResult] = (),
    declare: Sequence[str] = (),
) -> Iterator[str]:
    """What is said of a file of known failures: what is in it, the lines for pyproject.toml, and what to type next.

    ``deviations`` are those that could be declared instead, ``left_out`` what is not in the file, and ``declare`` what
    was declared by key and value.
    """
    (target,) = results.targets
    known = sum(result.fails for result in results.rules)
    yield f"{show_line(file)}: {count_of(known, 'known failure')} of {show_line(target.name)}"
    for result in left_out:
        yield f"  left out, as it does not fail every time: {result.id}"
    yield ""
    yield "for pyproject.toml:"
    yield ""
    yield "[tool.chunkproof]"
    yield f"target = {_toml(target.name)}"
    profile = [name for name in target.declared if name.partition("=")[0] not in _DECLARED_OTHERWISE]
    more = [name for name in deviations if name not in profile]
    if profile:
        yield f"deviations = {_toml_list(profile)}"
    if more:
        yield "# What is meant to be so can be declared instead; then write the file anew:"
        yield f"# deviations = {_toml_list([*profile, *more])}"
    if results.effort != _EFFORT:
        yield f"effort = {_toml(results.effort)}"
    yield f"baseline = {_toml(file)}"
    yield ""
    yield f"next: {shlex.join(['pytest', '--chunkproof', *(f'--chunkproof-declare={one}' for one in declare)])}"


# The effort of a run that names none. At a greater one than the file's, a rule may break that is not in it.
_EFFORT = "default"
# These have no place in a list of deviations.
_DECLARED_OTHERWISE = ("empty_chunk",)


def _toml_list(values: Sequence[str]) -> str:
    return f"[{', '.join(map(_toml, values))}]"


def _toml(value: str) -> str:
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width) or [""]
