"""What a rule is: one requirement, with its clause, and a small function that writes streams around it.

The function writes a stream into a `Draft` with all else plain, so that one fault breaks few rules. What is expected of
a stream is never said by the rule: it is always what the oracle makes of the wire at hand.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypedDict, Unpack

from chunkproof_reports.results import Kind, RuleResult, Severity, Status
from chunkproof_strategies.chunkings import Cuts
from chunkproof_strategies.grammar import Draft
from chunkproof_targets.contract import Offer, Run, Takes, Target
from chunkproof_targets.deviations import find_deviations

from ..examination import Examine
from ..judge import Expectation, expect
from ..plans import Plans, common
from ..question import Question
from ..way import LEFT_OUT, Verdict, Way

__all__ = [
    "Chapter",
    "Layer",
    "Need",
    "Rule",
    "anywhere",
    "chapter",
    "contains",
    "different",
    "has_field",
    "holds",
    "itself",
]

#: The layer a rule looks at. A target that is fed text is not judged on "bytes", one fed lines on "fields" alone.
Layer = Literal["bytes", "text", "lines", "fields"]
#: What a target must show, or have, to be judged by a rule. What is seen on events alone is judged there alone.
Need = Literal["type", "id", "id at the end", "retry", "retry at the end", "end", "empty chunks", "time"] | Offer

Point = Callable[[bytes, Cuts], bool]
Write = Callable[[Draft], None]

_FED: dict[str, frozenset[Layer]] = {
    "bytes": frozenset({"bytes", "text", "lines", "fields"}),
    "text": frozenset({"text", "lines", "fields"}),
    "lines": frozenset({"fields"}),
}
_MADE_BEFORE: dict[Takes, str] = {
    "bytes": "",
    "text": "which was decoded before it",
    "lines": "which were decoded and split before it",
}


def anywhere(wire: bytes, cuts: Cuts) -> bool:
    """No condition: any stream is within the rule."""
    return True


def contains(*parts: bytes) -> Point:
    """Within the rule is a wire that holds one of these."""
    return lambda wire, cuts: any(part in wire for part in parts)


def holds(pattern: bytes) -> Point:
    """Within the rule is a wire in which this regular expression is found."""
    found = re.compile(pattern)
    return lambda wire, cuts: found.search(wire) is not None


def has_field(*names: str, at_least: int = 1) -> Point:
    """Within the rule is a wire that has so many lines of one of these fields."""
    line = re.compile(rb"(?:\A|[\r\n]|\A\xef\xbb\xbf)(?:" + "|".join(names).encode() + rb")(?=[:\r\n]|\Z)")
    return lambda wire, cuts: len(line.findall(wire)) >= at_least


def different(name: str) -> Point:
    """Within the rule is a wire in which two lines of this field have different values."""
    line = re.compile(rb"(?:\A|[\r\n])" + name.encode() + rb":? ?([^\r\n]*)")
    return lambda wire, cuts: len(set(line.findall(wire))) > 1


def itself(wire: bytes) -> Iterator[bytes]:
    """A rule looks at the wires it writes, as they are."""
    yield wire


def no_advice(failure: BaseException | None) -> str:
    """Nothing to say beyond the failure itself."""
    return ""


@dataclass(frozen=True, slots=True)
class Rule:
    """One requirement and the check for it.

    ``requirement`` is one sentence, ``clause`` the section of the WHATWG HTML standard (or what else it rests on),
    ``wpt`` the web-platform-tests file of the same point, ``since`` the release that brought the rule.
    ``write`` writes one stream; ``wires`` makes of it the wires that are run; ``plans`` the chunkings of each, with the
    cuts inside characters left out unless ``cuts_characters``.
    ``point`` holds for the streams that are within the rule: the shrinker does not leave them. A ``broad`` rule is
    about streams of many kinds: its counterexample need not be of the kind that was found. A rule with ``only_cuts``
    leaves out the streams on which the target differs uncut: what it judges is the cuts alone. ``ignores`` names the
    state that is not compared. ``weight`` is the rule's share of the checks, 1 for most. ``open_without_end`` makes the
    rule an info for targets that cannot be told the end of input. ``advice`` says what the author of a target that
    raised so may do. ``way`` is how its streams are run and judged, None where they are fed and compared.
    ``info_without`` names what a target has to offer for the rule to be more than an info. ``examine``
    takes the place of the whole search, for rules that measure; ``write`` then writes the smallest stream of those that
    are measured. ``cases`` are all the streams of a rule that looks at stored ones, and none is written. Where
    they are a case of another rule, ``case_of`` is its id: what is found is replayed by that one.
    """

    id: str
    requirement: str
    clause: str
    write: Write
    layer: Layer
    severity: Severity = "must"
    wpt: str = ""
    since: str = "0.1"
    needs: frozenset[Need] = frozenset()
    plans: Plans = common
    cuts_characters: bool = False
    point: Point = anywhere
    wires: Callable[[bytes], Iterable[bytes]] = itself
    ignores: frozenset[str] = frozenset()
    weight: float = 1.0
    broad: bool = False
    only_cuts: bool = False
    open_without_end: bool = False
    advice: Callable[[BaseException | None], str] = no_advice
    way: Way | None = None
    info_without: Offer | None = None
    examine: Examine | None = None
    cases: Callable[[], Iterable[Question]] | None = None
    case_of: str = ""

    @property
    def chapter(self) -> str:
        """The module that the rule stands in."""
        return self.id.partition("/")[0]

    def not_judged(self, target: Target) -> str:
        """Why this rule cannot judge the target; empty where it can."""
        if self.layer not in _FED[target.takes]:
            return f"the target is fed {target.takes}, {_MADE_BEFORE[target.takes]}"
        for need in sorted(self.needs):
            if reason := _MISSING[need](target):
                return reason
        if self.examine is not None or (self.way is not None and not self.way.follows_declared):
            for deviation in find_deviations("+".join(target.deviations)):
                # A case of a rule is left out with it.
                if deviation.shows_in == (self.case_of or self.id):
                    return f"the target declares {deviation.name}"
        return ""

    def severity_for(self, target: Target) -> Severity:
        """How much the rule weighs for this target."""
        if self.info_without is not None and self.info_without not in target.offers:
            return "info"
        return "info" if self.open_without_end and not target.has_end else self.severity

    def expectation(self, target: Target, wire: bytes) -> Expectation | None:
        """What the target must deliver on a wire, as far as this rule compares; None where nothing can be asked."""
        return expect(target, wire, ignores=self.ignores, may_hold=not self.open_without_end)

    def differs(self, expectation: Expectation, wire: bytes, cuts: Cuts, run: Run) -> Kind | None:
        """In what way a run of this rule differs; None where it does not, or where nothing can be said of it."""
        kind = self.verdict(expectation, wire, cuts, run)
        return None if kind == LEFT_OUT else kind

    def verdict(self, expectation: Expectation, wire: bytes, cuts: Cuts, run: Run) -> Verdict:
        """The same, with `LEFT_OUT` where nothing can be said."""
        if self.way is None:
            return expectation.at(cuts).differs(run)
        return self.way.verdict(expectation, wire, cuts, run)

    def result(self, target: Target, status: Status, **found: Any) -> RuleResult:
        """What a run of this rule came to; ``found`` are the other fields of a `RuleResult`."""
        return RuleResult(
            id=self.id,
            target=target.name,
            requirement=self.requirement,
            clause=self.clause,
            severity=self.severity_for(target),
            status=status,
            wpt=self.wpt,
            since=self.since,
            case_of=self.case_of,
            **found,
        )


def _missing(absent: Callable[[Target], bool], reason: str) -> Callable[[Target], str]:
    return lambda target: reason if absent(target) else ""


def _offered(offer: Offer, reason: str) -> Callable[[Target], str]:
    return _missing(lambda target: offer not in target.offers, reason)


_MISSING: dict[Need, Callable[[Target], str]] = {
    "type": _missing(lambda target: not target.shows.type, "the target does not show an event's type"),
    "id": _missing(
        lambda target: not (target.shows.last_event_id or target.shows.end_last_event_id),
        "the target does not show event IDs",
    ),
    "id at the end": _missing(
        lambda target: not target.shows.end_last_event_id, "the target shows event IDs on events alone, if at all"
    ),
    "retry at the end": _missing(
        lambda target: target.shows.retry not in ("updates", "state"),
        "the target shows reconnection times on events alone, if at all",
    ),
    "retry": _missing(lambda target: target.shows.retry is None, "the target does not show reconnection times"),
    "end": _missing(lambda target: not target.has_end, "the target cannot be told the end of input"),
    "empty chunks": _missing(
        lambda target: target.empty_chunk_ends, "an empty chunk ends the input, as the target declares"
    ),
    "time": _missing(
        lambda target: target.returns_list, "all events come back at once, so it cannot be seen when each is out"
    ),
    "script": _offered("script", "a target of its own kind is run in its own way"),
    "source": _offered("source", "the target is given its chunks, and takes none itself"),
    "stop": _offered("stop", "nobody iterates over the target's events, so nobody can stop"),
    "reset": _offered("reset", "the target has no method reset"),
    "documented reset": _offered("documented reset", "the target does not say that a reset starts anew"),
    "again": _offered("again", "the target cannot be fed again after an end"),
    "buffers": _offered("buffers", "the target does not say that it takes bytearrays or memoryviews"),
}


class Options(TypedDict, total=False):
    """The fields of a `Rule` that a chapter's rules may set, as they are written down."""

    severity: Severity
    since: str
    needs: Iterable[Need]
    plans: Plans
    cuts_characters: bool
    point: Point
    wires: Callable[[bytes], Iterable[bytes]]
    ignores: Iterable[str]
    weight: float
    broad: bool
    only_cuts: bool
    open_without_end: bool
    advice: Callable[[BaseException | None], str]
    way: Way
    info_without: Offer
    examine: Examine
    cases: Callable[[], Iterable[Question]]


class Chapter:
    """A decorator that makes a rule of a function: the name is the id, the docstring's first line the requirement."""

    def __init__(self, name: str, *, clause: str, layer: Layer, **options: Unpack[Options]) -> None:
        self.name = name
        self.clause = clause
        self.layer = layer
        self.options = options
        self.rules: list[Rule] = []

    def __call__(
        self, *, clause: str = "", layer: Layer | None = None, wpt: str = "", **options: Unpack[Options]
    ) -> Callable[[Write], Write]:
        """Register the function as a rule of this chapter; see `Rule` for the arguments."""

        def register(write: Write) -> Write:
            chosen: dict[str, Any] = {**self.options, **options}
            for name in ("needs", "ignores"):
                chosen[name] = frozenset(chosen.get(name, ()))
            self.rules.append(
                Rule(
                    id=f"{self.name}/{write.__name__.replace('_', '-')}",
                    requirement=" ".join(inspect.cleandoc(write.__doc__ or "").partition("\n\n")[0].split()),
                    clause=clause or self.clause,
                    write=write,
                    layer=layer or self.layer,
                    wpt=wpt and f"eventsource/{wpt}",
                    **chosen,
                )
            )
            return write

        return register


def chapter(name: str, *, clause: str, layer: Layer, **options: Unpack[Options]) -> Chapter:
    """A chapter of rules; each module of this package has one, named ``rule``. The options hold for all its rules."""
    return Chapter(name, clause=clause, layer=layer, **options)
