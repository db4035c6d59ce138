"""What a fault is, and the target that drives one."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from chunkproof_targets.contract import Target
from chunkproof_targets.deviations.compose import DeviatingTarget
from chunkproof_targets.reference import ReferenceParser
from chunkproof_targets.shapes import adapt

__all__ = ["FAULTS", "Fault", "FaultyTarget", "adapted_fault", "fault"]

Parser = type[ReferenceParser]
Made = TypeVar("Made", bound=Callable[..., Any])

_CAPITAL = re.compile(r"(?<!^)(?=[A-Z])")


@dataclass(frozen=True)
class Fault:
    """A parser with one fault, and the rules that must catch it.

    ``has_end`` is False where the parser is never told the end of input. ``hangs`` says that a run may not end.
    """

    name: str
    make: Parser
    breaks: tuple[str, ...]
    has_end: bool = True
    hangs: bool = False

    def target(self) -> Target:
        """The parser as a target."""
        return FaultyTarget(self.make, self.name, has_end=self.has_end)


#: Every fault, in the order of the chapters.
FAULTS: list[Fault] = []


def fault(*breaks: str, has_end: bool = True, hangs: bool = False) -> Callable[[Parser], Parser]:
    """Keep the class as a fault that these rules must catch; its name in kebab case is the fault's."""

    def keep(make: Parser) -> Parser:
        FAULTS.append(Fault(_CAPITAL.sub("-", make.__name__).lower(), make, breaks, has_end, hangs))
        return make

    return keep


@dataclass(frozen=True)
class AdaptedFault(Fault):
    """A fault that shows only in how a parser is driven: a function over chunks, or a class as a user's own."""

    make: Any

    def target(self) -> Target:
        """The parser as `--target` finds it."""
        return adapt(self.make, name=self.name, found="a fault")


def adapted_fault(*breaks: str) -> Callable[[Made], Made]:
    """Keep the function or class as a fault that these rules must catch."""

    def keep(make: Made) -> Made:
        name = _CAPITAL.sub("-", make.__name__).lower().replace("_", "-")
        FAULTS.append(AdaptedFault(name, make, breaks))
        return make

    return keep


FaultyTarget = DeviatingTarget
