"""Large streams as a small declared recipe: pieces, and pieces that are repeated.

A recipe is data: a list of pieces, each of them as it stands where there is no recipe, or
``{"repeat": [piece, ...], "times": n}``. How long it becomes is worked out before any of it is built.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

__all__ = ["Budget", "EntryError", "as_list", "as_number", "as_object", "joined", "shown", "unrolled"]

# Recipes within recipes.
_DEPTH_MAX = 4

T = TypeVar("T")


class EntryError(ValueError):
    """What stands in an entry cannot be used: the message names the place, the value and the rule."""


class Budget:
    """How many bytes an entry may still hold, of all that it may hold together."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.left = most

    def take(self, size: int, where: str) -> None:
        """So many are held now; EntryError where there are no more of them."""
        if size > self.left:
            alone = size > self.most
            what = (
                f"it unrolls to more than {self.most:,}"
                if alone
                else f"with this it holds more than {self.most:,} bytes"
            )
            raise EntryError(f"{where}: {what}, the most that an entry may hold")
        self.left -= size


def unrolled(
    pieces: Any, where: str, leaf: Callable[[Any, str], T], size: Callable[[T], int], budget: Budget, many: int
) -> list[T]:
    """The pieces of a recipe, each repeated as often as it says; they are counted before they are repeated.

    ``leaf`` reads one piece, and takes what it builds from the budget. ``size`` is what a piece counts, as often as it
    stands there, and ``many`` how many there may be.
    """
    left = budget.left
    parts, total = _read(pieces, where, leaf, size, budget.most, 1)
    _read(pieces, where, lambda piece, place: None, lambda piece: 1, many, 1)
    # What was read once is in the total.
    budget.left = left
    budget.take(total, where)
    return _repeated(parts)


def joined(pieces: Any, where: str, leaf: Callable[[Any, str], bytes], budget: Budget) -> bytes:
    """The bytes of a recipe in one; they are counted before any of them is repeated."""
    parts, total = _read(pieces, where, leaf, len, budget.most, 1)
    budget.take(total, where)
    return _joined(parts)


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


def _repeated(parts: Sequence[Any]) -> list[Any]:
    pieces: list[Any] = []
    for part in parts:
        if isinstance(part, _Repeated):
            pieces += _repeated(part.parts) * part.times
        else:
            pieces.append(part)
    return pieces


def _joined(parts: Sequence[Any]) -> bytes:
    """The bytes of these parts: joined at each level, so that no list gets longer than its recipe."""
    return b"".join([_joined(part.parts) * part.times if isinstance(part, _Repeated) else part for part in parts])


def as_list(value: Any, where: str) -> list[Any]:
    """The value, which has to be a list."""
    if not isinstance(value, list):
        raise EntryError(f"{where}: {shown(value)} stands where a list belongs")
    return value


def as_number(value: Any, where: str) -> int:
    """The value, which has to be a number from 0."""
    if type(value) is not int or value < 0:
        raise EntryError(f"{where}: {shown(value)} stands where a whole number from 0 belongs")
    return value


def as_object(value: Any, where: str, keys: Sequence[str], optional: Sequence[str] = ()) -> dict[str, Any]:
    """The value, which has to be an object with these keys and no others."""
    if not isinstance(value, dict):
        raise EntryError(f"{where}: {shown(value)} stands where an object belongs")
    for key in keys:
        if key not in value:
            raise EntryError(f"{where}: it lacks {key!r}")
    for key in value:
        if key not in keys and key not in optional:
            known = ", ".join((*keys, *optional))
            raise EntryError(f"{where}: {shown(key)} is no key of this form; the keys are {known}")
    return value


def shown(value: Any) -> str:
    """A value for a message, of 60 characters at most."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
