"""Deviations between text and lines: which characters end a line, and what a cut between two of them does."""

from __future__ import annotations

import re
from typing import ClassVar

from ..contract import Event
from ..reference import ReferenceParser
from .deviation import Catalogue

deviation = Catalogue("lines", "9.2.5: a line ends in CRLF, LF or CR")


class _Ends(ReferenceParser):
    """Splits at what the pattern says."""

    ends: ClassVar[re.Pattern[str]]

    def split_lines(self, text: str) -> list[str]:
        return self.ends.split(text)


class _EndsAlone(_Ends):
    """A CR and an LF that are cut are two ends for it, or none."""

    def resume_after_cr(self, text: str) -> str:
        self._after_cr = False
        return text


class _Blocks(ReferenceParser):
    """Looks for the end of a block in the text, and only then for lines in it; empty ones there are skipped."""

    boundary: ClassVar[re.Pattern[str]]

    def split_lines(self, text: str) -> list[str]:
        split = super().split_lines
        *blocks, rest = self.boundary.split(text)
        return [line for block in blocks for line in (*filter(None, split(block)), "")] + [rest]

    def resume_after_cr(self, text: str) -> str:
        # The ends of a block are looked for in the text as it came.
        super().resume_after_cr(text)
        return text


# Which ends there are --------------------------------------------------------------------------------------------


@deviation(
    symptom="Nothing arrives from a server that ends its lines with CR, or several messages arrive as one.",
    mend="Let a CR end a line wherever no LF follows it.",
)
class CrNotSupported(_EndsAlone):
    """LF and CRLF end a line, and CR is text."""

    ends = re.compile(r"\r?\n")


@deviation(
    symptom="Nothing arrives from most servers, which end their lines with LF.",
    mend="Let an LF end a line, with or without a CR before it.",
    reports=("dotnet/aspnetcore#42001",),
)
class LfNotSupported(ReferenceParser):
    """CR and CRLF end a line, and LF is text."""

    def split_lines(self, text: str) -> list[str]:
        return re.split(r"\r\n|\r", text)


@deviation(
    symptom="From a server that ends its lines with CRLF, each line of a message arrives as a message of its own.",
    mend="Take a CR with an LF behind it as one line end.",
)
class CrlfNotSupported(_EndsAlone):
    """CR and LF each end a line, also where they stand together."""

    ends = re.compile(r"\n|\r")


@deviation(
    symptom="Nothing arrives from most servers, which end their lines with LF.",
    mend="Let LF and CR each end a line as well.",
)
class CrlfRequired(_EndsAlone):
    """Nothing but CRLF ends a line."""

    ends = re.compile(r"\r\n")


@deviation(
    symptom="Nothing arrives from a server that ends its lines with CRLF, or a stray character ends each message.",
    mend="Take the CR before an LF as part of the line end, and let a CR alone end a line.",
)
class LfOnlyWithCrLeft(_EndsAlone):
    """Nothing but LF ends a line, and a CR before it stays in the line."""

    ends = re.compile(r"\n")


@deviation(
    symptom="Nothing arrives from a server that ends its lines with CR; CRs at the end of a text are lost.",
    mend="Let a CR end a line, and take no more than one CR with the LF behind it.",
)
class CrsBeforeAnLfStripped(_EndsAlone):
    """Nothing but LF ends a line, and all CRs before it go with it."""

    ends = re.compile(r"\r*\n")


@deviation(
    symptom="From a server that ends its lines with CR all arrives as one line, and no message comes of it.",
    mend="Let a CR end a line instead of removing it.",
)
class CrRemoved(ReferenceParser):
    """Every CR is removed from the text before it is cut into lines."""

    def read_text(self, text: str) -> None:
        if text := text.replace("\r", ""):
            super().read_text(text)


@deviation(
    symptom="Two messages arrive as one where a blank line has another kind of end than the line before.",
    mend="Let an LF and a CR behind it be two line ends: only CR and then LF are one.",
)
class LfThenCrIsOneEnd(_Ends):
    """LF CR is one line end, as CRLF is."""

    ends = re.compile(r"\r\n|\n\r|\n|\r")


@deviation(
    symptom="Two messages arrive as one where a server ends a line with CR and the blank line with CRLF.",
    mend="Take one CR with the LF behind it: a CR before those ends a line of its own.",
)
class CrCrlfIsOneEnd(ReferenceParser):
    """CR CR LF is one line end: a blank line made of CR and CRLF is not seen."""

    def split_lines(self, text: str) -> list[str]:
        return super().split_lines(text.replace("\r\r\n", "\r\n"))


@deviation(
    symptom="Messages stop, or run into each other, as soon as another kind of line end than the first one comes.",
    mend="Look for CRLF, LF and CR at each line anew.",
)
class FirstEndDecides(ReferenceParser):
    """The first line end of the stream is the only kind that counts."""

    __end = ""

    def split_lines(self, text: str) -> list[str]:
        found = re.search(r"\r\n|\n|\r", text)
        self.__end = self.__end or (found.group() if found else "")
        return text.split(self.__end) if self.__end else [text]


# Which ends make a blank line ------------------------------------------------------------------------------------


@deviation(
    symptom="Messages run into each other where a server mixes its line ends.",
    mend="Cut the text into lines first, and end a block at any line that is empty.",
    reports=("openai/openai-node#2309",),
)
class MixedLineEndings(_Blocks):
    """Looks for a block's end at LF LF, CR CR and CRLF CRLF alone, and reads its lines late."""

    boundary = re.compile(r"\n\n|\r\r|\r\n\r\n")

    def split_lines(self, text: str) -> list[str]:
        *blocks, rest = self.boundary.split(text)
        split = ReferenceParser.split_lines
        return [line for block in blocks if block for line in (*split(self, block), "")] + [rest]


@deviation(
    symptom="Two messages arrive as one where a server mixes its line ends.",
    mend="Cut the text into lines first, and end a block at any line that is empty.",
)
class BlankLinesOfMixedEndsIgnored(_Blocks):
    """A block ends at LF LF, CR CR or CRLF CRLF, and an empty line of two other line ends is skipped."""

    boundary = MixedLineEndings.boundary


@deviation(
    symptom="Nothing arrives from a server that ends its lines with CRLF or CR.",
    mend="Cut the text into lines first, and end a block at any line that is empty.",
)
class BlocksOfLfAlone(_Blocks):
    """A block ends at LF LF alone."""

    boundary = re.compile(r"\n\n")


@deviation(
    symptom="Nothing arrives from most servers, which end their lines with LF.",
    mend="Cut the text into lines first, and end a block at any line that is empty.",
)
class BlocksOfCrlfAlone(_Blocks):
    """A block ends at CRLF CRLF alone."""

    boundary = re.compile(r"\r\n\r\n")


@deviation(
    symptom="Nothing arrives from a server that ends its lines with CR, or messages run into each other.",
    mend="Cut the text into lines first, and end a block at any line that is empty.",
)
class BlocksWithoutCr(_Blocks):
    """A block ends at two of LF and CRLF, and a CR alone ends a line but no block."""

    boundary = re.compile(r"\r?\n\r?\n")


@deviation(
    symptom="A message arrives in two halves where one of its lines holds only spaces.",
    mend="End a block at an empty line only: a line of spaces is a field with an odd name.",
    clause="9.2.6: if the line is empty, dispatch the event",
)
class ALineOfBlanksIsBlank(ReferenceParser):
    """A line of blanks alone ends the block."""

    def read_line(self, line: str) -> None:
        super().read_line(line if line.strip() else "")


@deviation(
    symptom="Spaces at the end of a piece of text are missing, so words run into each other.",
    mend="Leave the line as it is: only one space behind the colon is removed.",
    clause="9.2.6: a line is read as it stands",
)
class LinesTrimmed(ReferenceParser):
    """Blanks at the end of a line are removed."""

    def read_line(self, line: str) -> None:
        super().read_line(line.rstrip())


@deviation(
    symptom="A line that is no field of a message, as it starts with a space, is shown as part of it.",
    mend="Leave the line as it is: with a space before it, a name is another name.",
    clause="9.2.6: a line is read as it stands",
)
class LinesTrimmedAtTheStart(ReferenceParser):
    """Blanks at the start of a line are removed."""

    def read_line(self, line: str) -> None:
        super().read_line(line.lstrip())


@deviation(
    symptom="Text that is no part of a message is shown behind the last line of it.",
    mend="Read each line as a field of its own: the event stream has no folded lines.",
    clause="9.2.6: a line is read as it stands",
)
class FoldedLinesJoined(ReferenceParser):
    """A line that starts with a blank goes on with the data line before it, as in a mail header."""

    def read_line(self, line: str) -> None:
        if line[:1] in (" ", "\t") and self._data:
            self._data[-1] += line
        else:
            super().read_line(line)


# Ends that are cut -----------------------------------------------------------------------------------------------


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


@deviation(
    symptom="A message that was sent with CRLF and a comment in it arrives in two halves now and then.",
    mend="Remember that a chunk ended in CR whatever line it ended.",
)
class CrlfSplitBehindAComment(ReferenceParser):
    """A CRLF that is cut is two line ends, but only behind a comment."""

    __commented = False

    def read_line(self, line: str) -> None:
        self.__commented = line.startswith(":")
        super().read_line(line)

    def resume_after_cr(self, text: str) -> str:
        if self.__commented:
            self._after_cr = False
            return text
        return super().resume_after_cr(text)


@deviation(
    symptom="Two messages that were sent with CRLF arrive as one now and then.",
    mend="Forget the CR as soon as one more character has come, an LF too.",
    reports=("psf/requests#3984", "ChatGPTBox-dev/chatGPTBox#1036"),
)
class CrlfStateStale(ReferenceParser):
    """A chunk that is only the LF of a CRLF leaves the CR in mind, and a further LF is swallowed."""

    def resume_after_cr(self, text: str) -> str:
        self._after_cr = text == "\n"
        return text.removeprefix("\n")


@deviation(
    symptom="Lines run into each other now and then where a server uses CR and LF.",
    mend="Forget the CR as soon as one more character has come, whatever it is.",
)
class CrRememberedTooLong(ReferenceParser):
    """An LF that starts a chunk is swallowed where a CR ended the last line, however much came between them."""

    def resume_after_cr(self, text: str) -> str:
        if text.startswith("\n"):
            return super().resume_after_cr(text)
        return text


@deviation(
    symptom="A message that was sent with CRLF arrives in two halves now and then.",
    mend="Keep in mind that a CR came last until the next byte comes: an empty chunk is no byte.",
)
class CrForgottenOverAnEmptyChunk(ReferenceParser):
    """An empty chunk between CR and LF makes them two line ends."""

    def feed(self, chunk: bytes) -> list[Event]:
        if not chunk:
            self._after_cr = False
        return super().feed(chunk)


@deviation(
    symptom="Two lines run into one now and then where a server uses CR and LF.",
    mend="Skip the LF behind a CR only where it is the very next character.",
)
class LfSwallowedLaterThanACr(ReferenceParser):
    """The first LF of a chunk is swallowed where a CR ended the chunk before, wherever the LF stands."""

    def resume_after_cr(self, text: str) -> str:
        self._after_cr = False
        return text.replace("\n", "", 1)


@deviation(
    symptom="Two messages arrive as one now and then where a server uses CRLF and LF.",
    mend="Skip one LF behind a CR, and no more.",
)
class AllLfsSwallowedBehindACr(ReferenceParser):
    """All LFs that start a chunk are swallowed where a CR ended the chunk before."""

    def resume_after_cr(self, text: str) -> str:
        self._after_cr = False
        return text.lstrip("\n")


@deviation(
    symptom="Lines run into each other now and then where a server ends them with CR.",
    mend="Let a CR end its line where it ends a chunk too, and skip an LF that comes first in the next one.",
)
class CrAtAChunksEndLost(ReferenceParser):
    """A CR at the end of a chunk is taken for half a CRLF, and removed."""

    def read_text(self, text: str) -> None:
        if text := text.removesuffix("\r"):
            super().read_text(text)


@deviation(
    symptom="A message that was sent with CRLF has a stray character in it, or never arrives, now and then.",
    mend="Look for line ends in what is kept of the line and the new chunk together.",
)
class CrlfReplacedInEachChunk(ReferenceParser):
    """CRLF becomes LF in each chunk alone, nothing but LF ends a line, and the CR of a CRLF that is cut is text."""

    def read_text(self, text: str) -> None:
        super().read_text(text.replace("\r\n", "\n"))

    def split_lines(self, text: str) -> list[str]:
        return text.split("\n")

    def resume_after_cr(self, text: str) -> str:
        self._after_cr = False
        return text


@deviation(
    symptom="A line of a message is not seen, and a client that waits for it waits for ever.",
    mend="Go on right behind the line end: it is two characters long where it is CRLF, and one elsewhere.",
    reports=("vercel/ai#6197",),
)
class CrlfOffsetError(ReferenceParser):
    """Behind a CRLF, the first letter of the next line is skipped."""

    def split_lines(self, text: str) -> list[str]:
        return super().split_lines(re.sub(r"\r\n[a-z]", "\r\n", text))
