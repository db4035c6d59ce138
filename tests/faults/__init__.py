"""Parsers with one fault each: small subclasses of the reference parser that override one step.

Each is named for its fault, and says which rules must catch it. `tests/test_rules_catch.py` holds that they do, and
that every rule catches at least one.
"""

from __future__ import annotations

from . import bytes as _bytes
from . import chunks, comments_and_values, delivery, events, fields, ids_and_retry, lines, marks, resources
from .fault import FAULTS, Fault, FaultyTarget

__all__ = ["FAULTS", "Fault", "FaultyTarget"]

del _bytes, chunks, comments_and_values, delivery, events, fields, ids_and_retry, lines, marks, resources
