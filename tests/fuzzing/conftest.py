"""What tests of campaigns share."""

from __future__ import annotations

from .campaigns import start

__all__ = ["start"]
