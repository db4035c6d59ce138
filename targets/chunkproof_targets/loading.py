"""From ``--target=SPEC`` to a `Target`."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

from .contract import Target, TargetError
from .declared import NOTHING_DECLARED, Declared
from .registry import TABLE, normal_name
from .shapes import adapt

__all__ = ["load_target"]


def load_target(spec: str, *, folder: Path, declared: Declared = NOTHING_DECLARED) -> Target:
    """The target that a spec names; TargetError, one clear paragraph, where it cannot be used."""
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    entry = TABLE.get(normal_name(spec))
    module, _, attribute = (entry.target if entry else spec).partition(":")
    try:
        obj: Any = importlib.import_module(module)
    except ImportError as error:
        raise TargetError(f"--target={spec}: {error}") from error
    for part in attribute.split("."):
        obj = getattr(obj, part)
    found = f"the library registry: {entry.target}" if entry else f"{module}:{attribute}"
    return adapt(obj, name=spec, found=found, declared=declared)
