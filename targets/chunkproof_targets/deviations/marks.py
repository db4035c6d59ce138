"""Deviations of the byte order mark."""

from __future__ import annotations

import re

from ..reference import ReferenceParser
from .deviation import Catalogue

deviation = Catalogue("characters", "9.2.5: one byte order mark at the very start of the stream is ignored")

_STRIP = "Remove one U+FEFF from the start of the decoded stream, before it is cut into lines."
_ONLY_ONE = "Remove one U+FEFF at the very start of the stream, and none after that."
_FIRST_TEXT = "Look for the mark in the first text that the decoder gives, however many chunks that takes."


@deviation(
    symptom="The first event never arrives, and all others do.",
    mend=_STRIP,
    reports=(
        "openai/openai-python#3819",
        "assistant-ui/assistant-ui#6954",
        "Effect-TS/effect#6976",
        "vm0-ai/vm0#24687",
        "agentic-os-org/ANOLISA#2209",
        "elastic/elasticsearch#154632",
    ),
    aliases=("bom-kept",),
)
class BomNotStripped(ReferenceParser):
    """Keeps the byte order mark."""

    def strip_mark(self, text: str) -> str:
        return text


@deviation(
    symptom="Now and then the first event never arrives, where the first read is very short.",
    mend=_FIRST_TEXT,
    reports=("rexxars/eventsource-parser#41",),
    layer="bytes",
)
class BomSplitChunks(ReferenceParser):
    """Removes the byte order mark only if the first chunk has all of it."""

    __first = True

    def decode(self, chunk: bytes) -> str:
        if self.__first and chunk:
            self.__first = False
            chunk = chunk.removeprefix(b"\xef\xbb\xbf")
        return super().decode(chunk)

    def strip_mark(self, text: str) -> str:
        return text


@deviation(
    symptom="The first event never arrives, where the reader hands over nothing before it.",
    mend=_FIRST_TEXT,
    layer="bytes",
)
class BomMissedBehindAnEmptyChunk(ReferenceParser):
    """Looks for the byte order mark in the first chunk, which may be empty."""

    def decode(self, chunk: bytes) -> str:
        if not chunk:
            self._at_start = False
        return super().decode(chunk)


@deviation(
    symptom="Now and then the first event never arrives, where the first read gives no text yet.",
    mend=_FIRST_TEXT,
    reports=("rexxars/eventsource-parser#41",),
    layer="bytes",
)
class BomMissedBehindNoText(ReferenceParser):
    """Looks for the byte order mark in the text of the first chunk, which may be none."""

    def decode(self, chunk: bytes) -> str:
        text = super().decode(chunk)
        if not text:
            self._at_start = False
        return text


@deviation(
    symptom="The first event arrives here, and not in a browser.", mend=_ONLY_ONE, reports=("elizaOS/eliza#19262",)
)
class BomOverstripped(ReferenceParser):
    """Removes all byte order marks at the start."""

    def strip_mark(self, text: str) -> str:
        return text.lstrip("\ufeff")


@deviation(symptom="The first event arrives here, and not in a browser.", mend=_ONLY_ONE)
class BomStrippedTwice(ReferenceParser):
    """Removes a byte order mark in the decoder, and one more in the parser."""

    __first = True

    def decode(self, chunk: bytes) -> str:
        text = super().decode(chunk)
        if self.__first and text:
            self.__first = False
            text = text.removeprefix("\ufeff")
        return text


@deviation(symptom="Invisible characters are missing from the text.", mend=_ONLY_ONE)
class BomStrippedEverywhere(ReferenceParser):
    """Removes U+FEFF wherever it stands."""

    def read_text(self, text: str) -> None:
        super().read_text(text.replace("\ufeff", ""))


@deviation(symptom="Now and then an invisible character is missing from the text.", mend=_ONLY_ONE)
class BomStrippedInEachChunk(ReferenceParser):
    """Removes a byte order mark at the start of each chunk."""

    def read_text(self, text: str) -> None:
        # Of the first chunk it is removed anyway.
        super().read_text(text if self._at_start else text.removeprefix("\ufeff"))


@deviation(symptom="A line that means nothing shows up as text.", mend=_ONLY_ONE)
class BomStrippedAtEachLine(ReferenceParser):
    """Removes a byte order mark at the start of each line."""

    def read_line(self, line: str) -> None:
        super().read_line(line.removeprefix("\ufeff"))


@deviation(symptom="Where two streams are joined, an event arrives here that no browser shows.", mend=_ONLY_ONE)
class BomStrippedAtEachEvent(ReferenceParser):
    """Removes a byte order mark behind each event, as if a new stream began."""

    def split_lines(self, text: str) -> list[str]:
        return super().split_lines(text.replace("\n\n\ufeff", "\n\n"))


@deviation(symptom="Invisible characters are missing around a line of text.", mend=_ONLY_ONE)
class BomStrippedFromValues(ReferenceParser):
    """Trims U+FEFF around data, as JavaScript's trim does."""

    def field_data(self, value: str) -> None:
        super().field_data(value.strip("\ufeff"))


@deviation(symptom="A line that means nothing shows up as text.", mend=_ONLY_ONE)
class BomStrippedFromNames(ReferenceParser):
    """Trims U+FEFF around a field's name, as JavaScript's trim does."""

    def field(self, name: str, value: str) -> None:
        super().field(name.strip("\ufeff"), value)


@deviation(symptom="An event reaches the listener of another type, whose name looks like its own.", mend=_ONLY_ONE)
class BomStrippedFromTypes(ReferenceParser):
    """Trims U+FEFF around a type, as JavaScript's trim does."""

    def field_event(self, value: str) -> None:
        super().field_event(value.strip("\ufeff"))


@deviation(symptom="After a reconnection the server does not know the id that it is asked for.", mend=_ONLY_ONE)
class BomStrippedFromIds(ReferenceParser):
    """Trims U+FEFF around an id, as JavaScript's trim does."""

    def field_id(self, value: str) -> None:
        super().field_id(value.strip("\ufeff"))


@deviation(symptom="The first event never arrives, where it starts with its type, its id or a comment.", mend=_STRIP)
class BomOnlyBeforeData(ReferenceParser):
    """Removes the byte order mark only where a data line follows."""

    def strip_mark(self, text: str) -> str:
        return text.removeprefix("\ufeff") if text[1:2] in ("", "d") else text


@deviation(symptom="The first event loses its first line, or never arrives.", mend=_STRIP)
class BomThenBlankLineLost(ReferenceParser):
    """Throws away a blank line behind the byte order mark, and the next line with it."""

    def strip_mark(self, text: str) -> str:
        return super().strip_mark(re.sub(r"\A\ufeff(\r\n|\r|\n)[^\r\n]*", "\ufeff", text))


@deviation(symptom="An answer that starts with a byte order mark ends at once with an error.", mend=_STRIP)
class BomRaises(ReferenceParser):
    """Raises on a byte order mark at the start."""

    def strip_mark(self, text: str) -> str:
        if text.startswith("\ufeff"):
            raise ValueError("unexpected byte order mark")
        return super().strip_mark(text)


@deviation(
    symptom="An answer that holds nothing ends with an error.",
    mend="Take a stream of the mark alone as an empty stream.",
)
class BomAloneRaises(ReferenceParser):
    """Raises on a stream that is only a byte order mark."""

    __only_mark = False

    def read_text(self, text: str) -> None:
        self.__only_mark = self._at_start and text == "\ufeff"
        super().read_text(text)

    def at_end(self) -> None:
        if self.__only_mark:
            raise ValueError("nothing but a mark")
        super().at_end()


@deviation(
    symptom="The first event arrives here, and not in a browser.",
    mend="Remove the mark from the decoded text, where half a mark is ill-formed text.",
    layer="bytes",
)
class TruncatedBomStripped(ReferenceParser):
    """Removes half a byte order mark at the start too."""

    __first = True

    def decode(self, chunk: bytes) -> str:
        if self.__first and chunk:
            self.__first = False
            chunk = re.sub(rb"\A\xef\xbb?(?!\xbb|\xbf)", b"", chunk)
        return super().decode(chunk)
