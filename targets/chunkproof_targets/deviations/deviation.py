"""What a deviation is: one named departure from the standard, as an override of one step of the reference parser.

Each is a small class that overrides a few methods of `ReferenceParser` and calls ``super()`` where it only changes what
goes in or comes out; so several of them can stand behind one another in one class. State of its own has a name with two
underscores in front, which Python makes unique.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeVar

from ..reference import ReferenceParser

__all__ = ["Catalogue", "Deviation", "Layer", "Part"]

#: Where in a parser the fault sits; "transport" is what lies below the stream, or what it takes of the machine.
Layer = Literal["bytes", "characters", "lines", "fields", "events", "completion", "transport"]
Part = type[ReferenceParser]
Made = TypeVar("Made", bound=Part)

_CAPITAL = re.compile(r"(?<!^)(?=[A-Z])")


@dataclass(frozen=True, eq=False)
class Deviation:
    """One departure from the standard.

    ``name`` is kebab-case, with ``=value`` behind it where the fault has several forms; ``aliases`` are other names
    for it. ``what`` says in a few words what the parser does, ``symptom`` in a sentence what a user of it sees,
    ``mend`` what to do about it. ``clause`` is the part of the standard that it departs from. ``reports`` are
    references to public reports of it, as ``owner/repository#number``.
    ``shows_in`` is the rule that shows it, where no outcome does: time, memory, or when an event is out. ``carries``
    says that one run leaves something to the next: it is kept on the class of the parser. ``is_choice``: the standard
    leaves it open, so that it is shown, and breaks no run.
    """

    name: str
    layer: Layer
    clause: str
    what: str
    symptom: str
    mend: str
    part: Part
    reports: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    shows_in: str = ""
    carries: bool = False
    is_choice: bool = False

    @cached_property
    def steps(self) -> frozenset[str]:
        """The methods that it overrides."""
        return frozenset(
            name for cls in self._classes for name, value in vars(cls).items() if inspect.isfunction(value)
        )

    @cached_property
    def replaces(self) -> frozenset[str]:
        """Those of them that do not go on to the step that was there before."""
        return frozenset(step for step in self.steps if self._is_replaced(step))

    def _is_replaced(self, step: str) -> bool:
        methods = [vars(cls)[step] for cls in self._classes if step in vars(cls)]
        if not hasattr(ReferenceParser, step):
            methods.pop()  # a step that several deviations share begins here, and has none before it
        return not all(_goes_on(method) for method in methods)

    @property
    def _classes(self) -> list[type]:
        return [cls for cls in self.part.__mro__ if cls not in ReferenceParser.__mro__]


def _goes_on(method: object) -> bool:
    # What calls super() without arguments holds its class in a cell of this name.
    return inspect.isfunction(method) and "__class__" in method.__code__.co_freevars


class Catalogue:
    """A decorator that makes a deviation of a class: the name is the class's, the docstring's first line ``what``.

    One stands in each module of the catalogue, with the layer and the clause that most of its entries share.
    """

    def __init__(self, layer: Layer, clause: str, *, carries: bool = False) -> None:
        self.layer = layer
        self.clause = clause
        self.carries = carries
        self.entries: list[Deviation] = []

    def __call__(
        self,
        *,
        symptom: str,
        mend: str,
        reports: tuple[str, ...] = (),
        layer: Layer | None = None,
        clause: str = "",
        aliases: tuple[str, ...] = (),
        shows_in: str = "",
        is_choice: bool = False,
        value: object = None,
    ) -> Callable[[Made], Made]:
        """Register the class; ``value`` is the form, where a fault has several."""

        def keep(part: Made) -> Made:
            name = _CAPITAL.sub("-", part.__name__).lower() + (f"={value}" if value is not None else "")
            what = inspect.cleandoc(part.__doc__ or "").partition("\n")[0]
            if value is not None:
                what = what.format(f"{value:,}" if isinstance(value, int) else value)
            self.entries.append(
                Deviation(
                    name,
                    layer or self.layer,
                    clause or self.clause,
                    what,
                    symptom,
                    mend,
                    part,
                    reports,
                    aliases,
                    shows_in,
                    self.carries,
                    is_choice,
                )
            )
            return part

        return keep
