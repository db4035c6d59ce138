"""Deviations between text and lines."""

from __future__ import annotations

from ..reference import ReferenceParser
from .deviation import Catalogue

deviation = Catalogue("lines", "9.2.5: a line ends in CRLF, LF or CR")


@deviation(
    symptom="An event that was sent with CRLF comes out in two halves, or twice, now and then.",
    mend="Remember that a chunk ended in CR, and skip an LF that comes first in the next one.",
    reports=("openai/openai-agents-python#4215",),
    aliases=("crlf-split",),
)
class CrlfSplitChunks(ReferenceParser):
    """A CRLF that is cut is two line ends."""

    def resume_after_cr(self, text: str) -> str:
        self._after_cr = False
        return text
