"""Faults between text and lines, and at the end of input."""

from __future__ import annotations

import re

from chunkproof_targets.reference import ReferenceParser

from .fault import fault


class _Ends(ReferenceParser):
    """Splits at what the pattern says; a CR and an LF that are cut are two ends for it, or none."""

    ends = re.compile("")

    def split_lines(self, text):
        return self.ends.split(text)

    def resume_after_cr(self, text):
        self._after_cr = False
        return text


class _Blocks(ReferenceParser):
    """Looks for the end of a block in the text, and only then for lines in it."""

    boundary = re.compile("")

    def split_lines(self, text):
        *blocks, rest = self.boundary.split(text)
        return [line for block in blocks for line in (*super(_Blocks, self).split_lines(block), "")] + [rest]

    def resume_after_cr(self, text):
        return text


@fault(
    "lines/cr",
    "lines/mixed",
    "lines/lf-later-than-a-cr",
    "lines/blank-line-of-two-ends",
    "end/a-cr-at-the-very-end-completes-a-blank-line",
    "whole/line-ends-are-alike",
)
class CrNotSupported(_Ends):
    """LF and CRLF end a line; CR is text."""

    ends = re.compile(r"\r?\n")


@fault("lines/lf")
class LfNotSupported(ReferenceParser):
    """CR and CRLF end a line; LF is text."""

    def split_lines(self, text):
        return re.split(r"\r\n|\r", text)


@fault("lines/crlf", "lines/crlf-cut", "lines/crlf-cut-behind-other-lines")
class CrlfNotSupported(_Ends):
    """CR and LF each end a line, together too."""

    ends = re.compile(r"\n|\r")


@fault("lines/lf", "lines/cr")
class CrlfRequired(_Ends):
    """Nothing but CRLF ends a line."""

    ends = re.compile(r"\r\n")


@fault("lines/cr", "lines/crlf")
class LfOnlyWithCrLeft(_Ends):
    """Nothing but LF ends a line, and the CR before it stays."""

    ends = re.compile(r"\n")


@fault("lines/blank-line-of-two-ends")
class LfThenCrIsOneEnd(_Ends):
    """LF CR is one end, as CRLF is."""

    ends = re.compile(r"\r\n|\n\r|\n|\r")

    def resume_after_cr(self, text):
        return ReferenceParser.resume_after_cr(self, text)


@fault("lines/blank-line-of-two-ends")
class CrCrlfIsOneEnd(ReferenceParser):
    """CR CR LF is one end: a blank line of CR and CRLF is not seen."""

    def split_lines(self, text):
        return super().split_lines(text.replace("\r\r\n", "\r\n"))


@fault(
    "lines/crlf-cut",
    "lines/crlf-cut-behind-other-lines",
    "chunking/every-single-cut",
    "chunking/one-byte-a-chunk",
    "chunking/pairs-of-cuts",
)
class CrlfSplitChunks(ReferenceParser):
    """A CRLF that is cut is two ends."""

    def resume_after_cr(self, text):
        self._after_cr = False
        return text


@fault("lines/crlf-cut-behind-other-lines")
class CrlfSplitBehindAComment(ReferenceParser):
    """A CRLF that is cut is two ends, but only behind a comment."""

    commented = False

    def read_line(self, line):
        self.commented = line.startswith(":")
        super().read_line(line)

    def resume_after_cr(self, text):
        self._after_cr = False
        return text if self.commented else text.removeprefix("\n")


@fault("lines/blank-line-of-two-ends")
class CrlfStateStale(ReferenceParser):
    """A chunk that is only the LF of a CRLF leaves the CR in mind: a further LF is swallowed."""

    def resume_after_cr(self, text):
        self._after_cr = text == "\n"
        return text.removeprefix("\n")


@fault("chunking/empty-chunks-anywhere")
class CrForgottenOverAnEmptyChunk(ReferenceParser):
    """An empty chunk between CR and LF makes them two ends."""

    def feed(self, chunk):
        if not chunk:
            self._after_cr = False
        return super().feed(chunk)


@fault("lines/lf-later-than-a-cr")
class LfSwallowedLaterThanACr(ReferenceParser):
    """The first LF of the chunk behind a CR is swallowed, wherever it stands."""

    def resume_after_cr(self, text):
        self._after_cr = False
        return text.replace("\n", "", 1)


@fault("lines/blank-line-of-two-ends")
class AllLfsSwallowedBehindACr(ReferenceParser):
    """Every LF that starts the chunk behind a CR is swallowed."""

    def resume_after_cr(self, text):
        self._after_cr = False
        return text.lstrip("\n")


@fault("lines/mixed", "lines/lf-later-than-a-cr")
class FirstEndDecides(ReferenceParser):
    """The first line end seen is the only one."""

    end = ""

    def split_lines(self, text):
        found = re.search(r"\r\n|\n|\r", text)
        self.end = self.end or (found.group() if found else "")
        return text.split(self.end) if self.end else [text]


@fault("lines/mixed", "lines/blank-line-of-two-ends")
class MixedLineEndings(_Blocks):
    """A block ends at LF LF, CR CR or CRLF CRLF, and at no other two ends."""

    boundary = re.compile(r"\n\n|\r\r|\r\n\r\n")


@fault("lines/cr", "lines/crlf")
class BlocksOfLfAlone(_Blocks):
    """A block ends at LF LF alone."""

    boundary = re.compile(r"\n\n")


@fault("lines/crlf")
class CrlfOffsetError(ReferenceParser):
    """Behind a CRLF, one character too many is skipped."""

    def split_lines(self, text):
        return super().split_lines(re.sub(r"\r\n[a-z]", "\r\n", text))


@fault("lines/other-separators-are-text", "lines/other-separators-in-a-type", "lines/other-separators-in-an-id")
class UnicodeLineSplitting(ReferenceParser):
    """Uses str.splitlines."""

    def split_lines(self, text):
        lines = text.splitlines(keepends=True)
        return [line.rstrip("\r\n") for line in lines] + ([""] if lines[-1][-1] in "\r\n" else [])


@fault("lines/other-separators-are-text")
class LineSeparatorsEndALine(_Ends):
    """U+2028 and U+2029 end a line, as in JavaScript's regular expressions."""

    ends = re.compile("\r\n|\n|\r|\u2028|\u2029")
    resume_after_cr = ReferenceParser.resume_after_cr


@fault("lines/other-separators-are-text")
class NelEndsALine(_Ends):
    """U+0085 ends a line."""

    ends = re.compile("\r\n|\n|\r|\x85")
    resume_after_cr = ReferenceParser.resume_after_cr


@fault("lines/other-separators-are-text")
class VerticalTabEndsALine(_Ends):
    """VT and FF end a line, as in a Perl `\\R`."""

    ends = re.compile("\r\n|\n|\r|\x0b|\x0c")
    resume_after_cr = ReferenceParser.resume_after_cr


@fault("lines/a-line-of-blanks-is-not-blank")
class ALineOfBlanksIsBlank(ReferenceParser):
    """A line of blanks alone ends the block."""

    def read_line(self, line):
        super().read_line(line if line.strip() else "")


@fault("fields/trailing-blanks-are-kept")
class LinesTrimmed(ReferenceParser):
    """Blanks at the end of a line are removed."""

    def read_line(self, line):
        super().read_line(line.rstrip())


# The end of input ------------------------------------------------------------------------------------------------


@fault("end/a-cr-at-the-very-end-completes-a-blank-line")
class TrailingCrHeldBackLost(ReferenceParser):
    """A CR at a chunk's end waits for the next chunk, and at the end of input it is lost."""

    held = ""

    def read_text(self, text):
        text = self.held + text
        self.held = "\r" if text.endswith("\r") else ""
        text = text.removesuffix("\r")
        if text:
            super().read_text(text)


@fault("end/a-cr-at-the-very-end-completes-a-blank-line", has_end=False)
class CrHeldBackForEver(TrailingCrHeldBackLost):
    """The same in a parser that is never told the end: a choice left open, and shown as such."""


@fault("end/a-cr-at-the-very-end-completes-a-blank-line", has_end=False)
class CrIsNoEndWithoutAnEndCall(_Ends):
    """CR is text, in a parser that is never told the end."""

    ends = re.compile(r"\r?\n")


@fault("end/a-field-before-a-cr-at-the-end")
class ACrAtTheEndIsABlankLine(ReferenceParser):
    """A CR that is the last byte ends its line and the block with it."""

    def at_end(self):
        if self._after_cr:
            self.dispatch()


@fault("end/an-unfinished-event-is-discarded", "prefix/every-prefix-is-a-stream")
class EofIncompleteDispatched(ReferenceParser):
    """The end of input dispatches what stands in the buffers."""

    def at_end(self):
        self.dispatch()


@fault("end/an-event-in-an-unfinished-line-is-discarded", "lines/an-unfinished-line-is-no-line")
class EofUnfinishedLineTaken(ReferenceParser):
    """The end of input ends the line, and dispatches."""

    def at_end(self):
        if self._line:
            self.read_line(self._line)
            self.dispatch()


@fault("lines/an-unfinished-line-is-no-line", "prefix/every-prefix-is-a-stream")
class EofUnfinishedLineIsALine(ReferenceParser):
    """The end of input ends the line, and dispatches nothing: a retry in it counts."""

    def at_end(self):
        if self._line:
            self.read_line(self._line)


@fault("end/an-unfinished-event-is-discarded", "end/an-event-in-an-unfinished-line-is-discarded")
class EofBlankLineAdded(ReferenceParser):
    """Two line feeds are put behind the stream."""

    def decode_end(self):
        return super().decode_end() + "\n\n"


@fault("end/an-unfinished-event-is-discarded", "end/empty-chunks-at-the-end")
class EofIncompleteRaises(ReferenceParser):
    """An unfinished block at the end of input raises."""

    def at_end(self):
        if self._data or self._line:
            raise EOFError("incomplete event")


@fault("end/nothing-is-invented")
class EofRepeatsTheLastEvent(ReferenceParser):
    """The end of input gives the last event once more."""

    last = None

    def emit(self, event):
        self.last = event
        super().emit(event)

    def at_end(self):
        if self.last:
            self.emit(self.last)


@fault("end/nothing-is-invented", "end/no-chunks", "end/only-empty-chunks")
class EofEndMarkInvented(ReferenceParser):
    """The end of a stream that had events adds one of its own."""

    def at_end(self):
        if self.last_event_id or not self._data:
            self._data.append("[DONE]")
            self.dispatch()


@fault("end/no-chunks")
class EmptyStreamRaises(ReferenceParser):
    """A stream without a single chunk raises."""

    fed = False

    def feed(self, chunk):
        self.fed = True
        return super().feed(chunk)

    def at_end(self):
        if not self.fed:
            raise EOFError("no response")
