"""The mutation score as text: how many entries were caught, and for each by which rules, how soon, how small."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

__all__ = ["Catch", "markdown", "summary"]

_BROAD = ("whole", "prefix")


@dataclass(frozen=True, slots=True)
class Catch:
    """What became of one entry under one seed: the rules that it broke, and what it took to the first of them.

    ``checks`` and ``seconds`` are all that was spent by then, ``size`` the bytes of the counterexample. With no rules
    the entry was missed.
    """

    entry: str
    seed: str
    rules: tuple[str, ...]
    checks: int
    seconds: float
    size: int = 0

    @property
    def is_broad(self) -> bool:
        """Whether no rule caught it but those about any stream: then a rule with a point of its own is missing."""
        return bool(self.rules) and all(rule.partition("/")[0] in _BROAD for rule in self.rules)


def summary(catches: Sequence[Catch], rules: Iterable[str], *, every_rule: bool = False) -> list[str]:
    """The score in a few lines; ``rules`` are all there are, and ``every_rule`` says that all of them judged."""
    missed = sorted({f"{one.entry} (seed {one.seed})" for one in catches if not one.rules})
    caught = len(catches) - sum(not one.rules for one in catches)
    lines = [f"{caught} of {len(catches)} caught ({100 * caught / max(len(catches), 1):.1f} %)"]
    if missed:
        lines.append(f"missed: {', '.join(missed)}")
    if caught:
        found = _of_the_first_seed(one for one in catches if one.rules)
        checks, seconds = [one.checks for one in found], [one.seconds for one in found]
        lines.append(
            f"to the first catch: {median(checks):,.0f} checks in the median, {max(checks):,} at most; "
            f"{median(seconds):.2f} s in the median, {max(seconds):.1f} s at most"
        )
        lines.append(f"counterexamples: {median(one.size for one in found):,.0f} bytes in the median")
    if every_rule:
        broad = sorted({one.entry for one in catches if one.is_broad})
        lines.append(f"caught by whole and prefix alone: {', '.join(broad) or 'none'}")
        unneeded = sorted(set(rules) - {rule for one in catches for rule in one.rules})
        lines.append(f"rules that no entry breaks: {', '.join(unneeded) or 'none'}")
    return lines


def _of_the_first_seed(found: Iterable[Catch]) -> list[Catch]:
    """Those from which it is told what a catch takes: later on, the rules that caught an entry come first."""
    several = list(found)
    first = min((int(one.seed) for one in several), default=0)
    return [one for one in several if int(one.seed) == first]


def markdown(catches: Sequence[Catch]) -> list[str]:
    """A row for each entry: over all seeds the rules that caught it, and what it took under the first seed."""
    of_entry: dict[str, list[Catch]] = defaultdict(list)
    for one in catches:
        of_entry[one.entry].append(one)
    lines = [
        "| entry | caught | by | checks | seconds | bytes |",
        "| --- | ---: | --- | ---: | ---: | ---: |",
    ]
    for name, ones in of_entry.items():
        found = [one for one in ones if one.rules]
        by = ", ".join(f"`{rule}`" for rule in sorted({one.rules[0] for one in found}))
        timed = _of_the_first_seed(found)
        numbers = " | ".join(
            f"{median(getattr(one, word) for one in timed):{form}}" if found else "-"
            for word, form in (("checks", ",.0f"), ("seconds", ".2f"), ("size", ",.0f"))
        )
        lines.append(f"| {name} | {len(found)} of {len(ones)} | {by} | {numbers} |")
    return lines
