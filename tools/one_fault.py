"""Ten parsers with one fault each, for `make bench`: how many checks it takes to find it."""

from __future__ import annotations

import codecs

from chunkproof_targets.contract import Event
from chunkproof_targets.reference import ReferenceParser

__all__ = ["ONE_FAULT"]


class CrlfCutBehindAComment(ReferenceParser):
    """A CRLF that is cut counts twice, but only behind a comment."""

    _comment_last = False

    def read_line(self, line: str) -> None:
        """Keep what the last line was."""
        super().read_line(line)
        self._comment_last = line.startswith(":")

    def resume_after_cr(self, text: str) -> str:
        """Forget the CR behind a comment."""
        if self._comment_last and self._after_cr:
            self._after_cr = False
            return text
        return super().resume_after_cr(text)


class MarkOnlyInFirstChunk(ReferenceParser):
    """The mark is removed only if the first chunk holds all of it."""

    _first = True

    def decode(self, chunk: bytes) -> str:
        """Look at the first chunk alone."""
        if self._first and chunk:
            self._first = False
            if not chunk.startswith(codecs.BOM_UTF8):
                self._at_start = False
        return super().decode(chunk)


class NulInAnId(ReferenceParser):
    """An id with U+0000 is taken."""

    def field_id(self, value: str) -> None:
        """Take any."""
        self._id = value


class DoneEndsTheStream(ReferenceParser):
    """Nothing comes behind `[DONE]`."""

    _done = False

    def emit(self, event: Event) -> None:
        """Stop at the end mark."""
        if not self._done:
            super().emit(event)
        self._done = self._done or event.data == "[DONE]"


class IsdigitOnRetry(ReferenceParser):
    """`str.isdigit` takes digits of other scripts."""

    def field_retry(self, value: str) -> None:
        """Take what `isdigit` takes."""
        if value.isdigit():
            self.set_retry(value.lstrip("0") or "0")


class CharacterCut(ReferenceParser):
    """Each chunk is decoded by itself."""

    def decode(self, chunk: bytes) -> str:
        """Decode without state."""
        return chunk.decode(errors="replace")


class CrIsNoLineEnd(ReferenceParser):
    """A CR alone ends no line."""

    def split_lines(self, text: str) -> list[str]:
        """Cut at LF and CRLF."""
        return [line.removesuffix("\r") for line in text.split("\n")]


class TypeLeaks(ReferenceParser):
    """A block without data keeps its type for the next one."""

    def dispatch(self) -> None:
        """Leave the type."""
        kept = self._type if not self._data else ""
        super().dispatch()
        self._type = kept


class EmptyDataLineLost(ReferenceParser):
    """An empty data line before others is lost."""

    def field_data(self, value: str) -> None:
        """Join only what is there."""
        if value or self._data:
            super().field_data(value)
        elif not self._data:
            self._data.append("")
            self._lone = True

    _lone = False

    def join_data(self) -> str:
        """Without the first empty line."""
        lines = self._data[1:] if self._lone and len(self._data) > 1 else self._data
        self._lone = False
        return "\n".join(lines)


class SeparatorsEndLines(ReferenceParser):
    """`str.splitlines` ends lines at U+2028 and others."""

    def split_lines(self, text: str) -> list[str]:
        """Cut where Python does."""
        lines = text.splitlines()
        return [*lines, ""] if text and text[-1] in "\r\n" else lines or [""]


ONE_FAULT: dict[str, type[ReferenceParser]] = {
    "crlf cut behind a comment": CrlfCutBehindAComment,
    "mark only in the first chunk": MarkOnlyInFirstChunk,
    "NUL in an id": NulInAnId,
    "[DONE] ends the stream": DoneEndsTheStream,
    "isdigit() on retry": IsdigitOnRetry,
    "character cut": CharacterCut,
    "CR is no line end": CrIsNoLineEnd,
    "type leaks": TypeLeaks,
    "empty data line lost": EmptyDataLineLost,
    "separators end lines": SeparatorsEndLines,
}
