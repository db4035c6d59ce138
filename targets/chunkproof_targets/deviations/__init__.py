"""The catalogue of deviations: each one a fault that real parsers have, as an override of one step of the reference.

Four uses: the suite must catch each of them; a profile declares some; the diagnosis composes them until they behave as
a failing target does; and each is a target itself, ``--target=deviation:crlf-split-chunks``, or several of them,
``--target=deviation:bom-not-stripped+eof-incomplete-dispatched``.
"""

from __future__ import annotations

import difflib

from ..contract import TargetError
from . import (
    blocks,
    bytes,
    carried,
    characters,
    chunks,
    comments,
    data,
    delivery,
    done,
    end,
    events,
    fields,
    ids,
    ill_formed,
    lines,
    marks,
    names,
    order,
    resources,
    retry,
    separators,
    sizes,
    types,
    values,
)
from .deviation import Deviation

__all__ = ["CATALOGUE", "Deviation", "find_deviation", "find_deviations"]

_MODULES = (
    bytes,
    ill_formed,
    characters,
    marks,
    lines,
    separators,
    names,
    fields,
    comments,
    data,
    values,
    order,
    types,
    ids,
    retry,
    blocks,
    events,
    done,
    end,
    chunks,
    sizes,
    delivery,
    carried,
    resources,
)

#: Every entry, in the order of the steps of a parser.
CATALOGUE: tuple[Deviation, ...] = tuple(entry for module in _MODULES for entry in module.deviation.entries)
_BY_NAME = {name: entry for entry in CATALOGUE for name in (entry.name, *entry.aliases)}


def find_deviation(name: str) -> Deviation:
    """The entry of this name, or of which it is an alias; TargetError where there is none."""
    found = _BY_NAME.get(name.strip().replace("_", "-"))
    if found is None:
        near = difflib.get_close_matches(name, _BY_NAME, 3, 0.5)
        hint = f"near it: {', '.join(near)}" if near else "`chunkproof deviations` lists them"
        raise TargetError(f"{name!r} is no deviation of the catalogue; {hint}")
    return found


def find_deviations(names: str) -> tuple[Deviation, ...]:
    """The entries of ``a+b`` or ``a,b``, each once, in this order."""
    parts = names.replace(",", "+").split("+")
    return tuple(dict.fromkeys(find_deviation(part) for part in parts if part.strip()))
