"""Parsers with one fault each: the catalogue of deviations, and what cannot be one.

Each says which rules must catch it: for the catalogue, in the table ``CATCHES`` of the module of the same name.
`tests/test_rules_catch.py` holds that they do, and that every rule catches at least one.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from chunkproof_targets.deviations import CATALOGUE

from .fault import FAULTS, Fault, FaultyTarget

__all__ = ["CATCHES", "FAULTS", "Fault", "FaultyTarget"]

_MODULES = [import_module(f".{module.name}", __name__) for module in iter_modules(__path__)]

#: The rules that must catch each entry of the catalogue.
CATCHES: dict[str, tuple[str, ...]] = {
    name: rules for module in _MODULES for name, rules in getattr(module, "CATCHES", {}).items()
}
FAULTS[:0] = [Fault(entry.name, entry.part, CATCHES[entry.name]) for entry in CATALOGUE]
