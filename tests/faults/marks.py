"""Faults of the byte order mark."""

from __future__ import annotations

import codecs
import re

from chunkproof_targets.reference import ReferenceParser

from .fault import fault


@fault("bytes/mark-removed", "bytes/mark-before-other-fields", "bytes/mark-behind-an-empty-chunk")
class BomNotStripped(ReferenceParser):
    """Keeps the mark."""

    def strip_mark(self, text):
        return text


@fault("bytes/mark-cut")
class BomSplitChunks(ReferenceParser):
    """Knows the mark only if the first chunk has all of it."""

    first = True

    def decode(self, chunk):
        if self.first and chunk:
            self.first = False
            chunk = chunk.removeprefix(b"\xef\xbb\xbf")
        return super().decode(chunk)

    def strip_mark(self, text):
        return text


@fault("bytes/mark-behind-an-empty-chunk")
class BomMissedBehindAnEmptyChunk(ReferenceParser):
    """Looks for the mark in the first chunk, which may be empty."""

    def feed(self, chunk):
        if not chunk:
            self._at_start = False
        return super().feed(chunk)


@fault("bytes/only-one-mark")
class BomOverstripped(ReferenceParser):
    """Strips all marks at the start."""

    def strip_mark(self, text):
        return text.lstrip("\ufeff")


@fault("bytes/only-one-mark")
class BomStrippedTwice(ReferenceParser):
    """The decoder strips a mark, and the parser one more."""

    def __init__(self):
        super().__init__()
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")


@fault("bytes/only-one-mark", "bytes/a-mark-in-a-value-is-text", "bytes/a-mark-at-a-later-line-is-text")
class BomStrippedEverywhere(ReferenceParser):
    """U+FEFF is never text."""

    def read_text(self, text):
        super().read_text(text.replace("\ufeff", ""))


@fault("bytes/only-one-mark", "bytes/a-mark-in-a-value-is-text")
class BomStrippedInEachChunk(ReferenceParser):
    """Strips a mark at the start of each chunk."""

    def read_text(self, text):
        super().read_text(text.removeprefix("\ufeff"))


@fault("bytes/only-one-mark", "bytes/a-mark-at-a-later-line-is-text")
class BomStrippedAtEachLine(ReferenceParser):
    """Strips a mark at the start of each line."""

    def read_line(self, line):
        super().read_line(line.removeprefix("\ufeff"))


@fault("bytes/a-mark-at-a-later-line-is-text", "whole/two-streams-joined")
class BomStrippedAtEachEvent(ReferenceParser):
    """Strips a mark behind each event, as if a new stream began."""

    def split_lines(self, text):
        return super().split_lines(text.replace("\n\n\ufeff", "\n\n"))


@fault("bytes/a-mark-in-a-value-is-text")
class BomStrippedFromValues(ReferenceParser):
    """U+FEFF around a value is trimmed, as JavaScript's trim does."""

    def field_data(self, value):
        super().field_data(value.strip("\ufeff"))


@fault("bytes/mark-before-other-fields")
class BomOnlyBeforeData(ReferenceParser):
    """Knows the mark only where a data line follows."""

    def strip_mark(self, text):
        return text.removeprefix("\ufeff") if text[1:2] in ("", "d") else text


@fault("bytes/mark-then-blank-line")
class BomThenBlankLineLost(ReferenceParser):
    """The line behind the mark is thrown away with it if it is blank, and the next one too."""

    def strip_mark(self, text):
        return (
            re.sub(r"\A\ufeff(\r\n|\r|\n)[^\r\n]*", "", text) if text[:1] == "\ufeff" and text[1:2] in "\r\n" else text
        )


@fault("bytes/mark-alone")
class BomAloneRaises(ReferenceParser):
    """A stream that is only a mark raises."""

    def strip_mark(self, text):
        self.only_mark = text == "\ufeff"
        return super().strip_mark(text)

    def at_end(self):
        if self.__dict__.get("only_mark") and not self._line and not self.last_event_id and not self.retries:
            raise ValueError("nothing but a mark")


@fault("bytes/truncated-mark")
class TruncatedBomStripped(ReferenceParser):
    """EF or EF BB at the start goes too."""

    first = True

    def decode(self, chunk):
        if self.first and chunk:
            self.first = False
            chunk = re.sub(rb"\A\xef\xbb?(?!\xbb|\xbf)", b"", chunk)
        return super().decode(chunk)
