"""Steps that deviations of several modules share."""

from __future__ import annotations

from ..contract import Event
from ..reference import ReferenceParser

__all__ = ["StoppingParser"]


class StoppingParser(ReferenceParser):
    """Reads no further once ``_over`` is set: what follows sets no ID and no time, and raises nothing."""

    _over = False

    def feed(self, chunk: bytes) -> list[Event]:
        return [] if self._over else super().feed(chunk)

    def read_line(self, line: str) -> None:
        if not self._over:
            super().read_line(line)

    def at_end(self) -> None:
        if not self._over:
            super().at_end()
