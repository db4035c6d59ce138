"""Deviations in what else is taken for a line end."""

from __future__ import annotations

import re

from ..reference import ReferenceParser
from .deviation import Catalogue

deviation = Catalogue("lines", "9.2.5: no other character ends a line")

_MEND = "Split at CRLF, LF and CR alone, on bytes or with a pattern of your own."

# Each becomes a CRLF: that is one line end of its own, whatever stands before it and behind it.


@deviation(
    symptom="A message breaks off, or is lost, where its text holds a rare separator, as copied text does.",
    mend="Split at CRLF, LF and CR alone: `str.splitlines` knows eight more.",
    reports=("mpetazzoni/sseclient#9", "Soju06/codex-lb#1010"),
)
class UnicodeLineSplitting(ReferenceParser):
    """VT, FF, FS, GS, RS, U+0085, U+2028 and U+2029 end a line too, as in `str.splitlines`."""

    def read_text(self, text: str) -> None:
        super().read_text(re.sub("[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]", "\r\n", text))


@deviation(symptom="A message breaks off where its text holds U+2028 or U+2029.", mend=_MEND)
class LineSeparatorsEndALine(ReferenceParser):
    """U+2028 and U+2029 end a line too, as in JavaScript's regular expressions."""

    def read_text(self, text: str) -> None:
        super().read_text(re.sub("[\u2028\u2029]", "\r\n", text))


@deviation(symptom="A message breaks off where its text holds U+0085.", mend=_MEND)
class NelEndsALine(ReferenceParser):
    """U+0085 ends a line too."""

    def read_text(self, text: str) -> None:
        super().read_text(text.replace("\x85", "\r\n"))


@deviation(symptom="A message breaks off where its text holds a vertical tab or a form feed.", mend=_MEND)
class VerticalTabEndsALine(ReferenceParser):
    r"""VT and FF end a line too, as in a Perl `\R`."""

    def read_text(self, text: str) -> None:
        super().read_text(re.sub("[\x0b\x0c]", "\r\n", text))


@deviation(symptom="A message breaks off where its text holds one of the control characters FS, GS and RS.", mend=_MEND)
class InformationSeparatorsEndALine(ReferenceParser):
    """FS, GS and RS end a line too."""

    def read_text(self, text: str) -> None:
        super().read_text(re.sub("[\x1c-\x1e]", "\r\n", text))


@deviation(symptom="A message breaks off where its text holds U+0000.", mend=_MEND)
class NulIsALineEnd(ReferenceParser):
    """U+0000 ends a line too, as it does where records are kept as C strings."""

    def read_text(self, text: str) -> None:
        super().read_text(text.replace("\0", "\r\n"))
