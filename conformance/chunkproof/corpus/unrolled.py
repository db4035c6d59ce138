"""Large streams as a small declared recipe: pieces, and pieces that are repeated.

A recipe is data: a list of pieces, each of them as it stands where there is no recipe, or
``{"repeat": [piece, ...], "times": n}``. How long it becomes is worked out before any of it is built.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

__all__ = ["EntryError", "as_list", "as_number", "as_object", "unrolled"]

# Recipes within recipes.
_DEPTH_MAX = 4

T = TypeVar("T")


class EntryError(ValueError):
    """What stands in an entry cannot be used: the message names the place, the value and the rule."""


def unrolled(pieces: Any, where: str, leaf: Callable[[Any, str], T], size: Callable[[T], int], most: int) -> list[T]:
    """The pieces of a recipe, each repeated as often as it says.

    ``leaf`` reads one piece, ``size`` is what it counts, and ``most`` what all of them may count together.
    """
    return list(_built(_read(pieces, where, leaf, size, most, 1)[0]))


@dataclass(frozen=True, slots=True)
class _Repeated:
    """Parts, and how often they stand there."""

    parts: list[Any]
    times: int


def _read(
    pieces: Any, where: str, leaf: Callable[[Any, str], T], size: Callable[[T], int], most: int, depth: int
) -> tuple[list[Any], int]:
    """The parts that were read, and what they count together."""
    if depth > _DEPTH_MAX:
        raise EntryError(f"{where}: recipes within recipes, more than {_DEPTH_MAX} deep")
    parts: list[Any] = []
    total = 0
    for at, piece in enumerate(as_list(pieces, where)):
        place = f"{where}[{at}]"
        if isinstance(piece, dict) and "repeat" in piece:
            as_object(piece, place, ("repeat", "times"))
            times = as_number(piece["times"], f"{place}.times")
            inner, counted = _read(piece["repeat"], f"{place}.repeat", leaf, size, most, depth + 1)
            parts.append(_Repeated(inner, times))
            # An empty piece takes time too, however often it is repeated.
            counted = max(counted, 1) * times
        else:
            parts.append(leaf(piece, place))
            counted = size(parts[-1])
        total += counted
        if total > most:
            raise EntryError(f"{where}: it unrolls to more than {most:,}, the most that an entry may hold")
    return parts, total


def _built(parts: Sequence[Any]) -> Iterator[Any]:
    for part in parts:
        if isinstance(part, _Repeated):
            once = list(_built(part.parts))
            for _ in range(part.times):
                yield from once
        else:
            yield part


def as_list(value: Any, where: str) -> list[Any]:
    """The value, which has to be a list."""
    if not isinstance(value, list):
        raise EntryError(f"{where}: {_shown(value)} stands where a list belongs")
    return value


def as_number(value: Any, where: str) -> int:
    """The value, which has to be a number from 0."""
    if type(value) is not int or value < 0:
        raise EntryError(f"{where}: {_shown(value)} stands where a whole number from 0 belongs")
    return value


def as_object(value: Any, where: str, keys: Sequence[str], optional: Sequence[str] = ()) -> dict[str, Any]:
    """The value, which has to be an object with these keys and no others."""
    if not isinstance(value, dict):
        raise EntryError(f"{where}: {_shown(value)} stands where an object belongs")
    for key in keys:
        if key not in value:
            raise EntryError(f"{where}: it lacks {key!r}")
    for key in value:
        if key not in keys and key not in optional:
            known = ", ".join((*keys, *optional))
            raise EntryError(f"{where}: {_shown(key)} is no key of this form; the keys are {known}")
    return value


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
