"""Plain names for the choices that many parsers make otherwise than the standard: ``end-of-stream=dispatch``.

They stand wherever the name of a deviation may. The standard's own choice is one of each, and declares nothing: it is
there so that a profile can say that it was thought of.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..contract import TargetError
from ..declared import Declared
from . import find_deviations
from .compose import compose

__all__ = ["CHOICES", "SIZE_LIMIT", "declared_by"]

#: Each choice with its values: the deviation that a value stands for, or what else it declares.
CHOICES: dict[str, dict[str, str | Declared]] = {
    "end-of-stream": {"discard": Declared(), "dispatch": "eof-incomplete-dispatched"},
    "invalid-utf8": {"replace": Declared(), "strict": Declared(invalid_utf8="strict")},
    "id": {"persistent": Declared(), "per-event": "id-per-event"},
}
#: The one whose value is a number of bytes.
SIZE_LIMIT = "size-limit"


def declared_by(names: Iterable[str]) -> Declared:
    """What these names declare, each a deviation of the catalogue or a choice, several with a comma between them.

    TargetError where one is unknown, or where two of them contradict one another.
    """
    found = Declared()
    deviations: list[str] = []
    chosen: dict[str, str] = {}
    for name in (part.strip() for each in names for part in each.split(",")):
        key, _, value = name.replace("_", "-").partition("=")
        if key not in CHOICES and key != SIZE_LIMIT:
            deviations += [deviation.name for deviation in find_deviations(name)]
            continue
        if chosen.setdefault(key, value) != value:
            raise TargetError(f"{key}={chosen[key]} and {key}={value} contradict one another: take one of them")
        choice = _choice(key, value)
        if isinstance(choice, str):
            deviations += [deviation.name for deviation in find_deviations(choice)]
        else:
            found = choice.over(found)
    return Declared(deviations=_together(deviations)).over(found)


def _choice(key: str, value: str) -> str | Declared:
    if key == SIZE_LIMIT:
        return Declared.parse([f"{key}={value}"])
    choice = CHOICES[key].get(value)
    if choice is None:
        raise TargetError(f"{key}={value}: {key} is one of {', '.join(CHOICES[key])}: for instance {_example(key)}")
    return choice


def _example(key: str) -> str:
    return f"{key}={list(CHOICES[key])[-1]}"


def _together(names: list[str]) -> tuple[str, ...]:
    """Each once; TargetError where they cannot be declared, or not with one another."""
    deviations = find_deviations("+".join(names))
    for deviation in deviations:
        if deviation.carries:
            raise TargetError(
                f"{deviation.name} cannot be declared: what one run leaves to the next makes each stream depend on all "
                "that were run before it. `chunkproof baseline` keeps what it breaks as known"
            )
    compose(deviations)
    return tuple(deviation.name for deviation in deviations)
