"""Colour on a terminal that has it."""

from __future__ import annotations

__all__ = ["BOLD", "CYAN", "DIM", "GREEN", "RED", "YELLOW", "Paint"]

BOLD, DIM, RED, GREEN, YELLOW, CYAN = 1, 2, 31, 32, 33, 36


class Paint:
    """Text with or without the escapes for colour; what is painted has no escapes of its own."""

    def __init__(self, colour: bool) -> None:
        self._colour = colour

    def __call__(self, text: str, *codes: int) -> str:
        """The text in these colours."""
        if not (self._colour and codes and text):
            return text
        return f"\x1b[{';'.join(map(str, codes))}m{text}\x1b[0m"
