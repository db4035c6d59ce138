"""Deviations of data lines: how several are joined, and what becomes of empty ones."""

from __future__ import annotations

from ..reference import ReferenceParser
from .deviation import Catalogue

deviation = Catalogue("fields", "9.2.6: each data line adds its value and a line feed; at dispatch the last one goes")


@deviation(
    symptom="Of a text of several lines only the last one arrives.",
    mend="Append the value of each data line, and join them at the blank line.",
    reports=(
        "mark3labs/mcp-go#927",
        "open-metadata/OpenMetadata#28945",
        "milady-ai/milady#1653",
        "openresponses/openresponses#56",
        "1jehuang/jcode#565",
        "duolahypercho/codex-router#145",
    ),
)
class MultilineDataOverwritten(ReferenceParser):
    """Keeps only the last data line of an event."""

    def field_data(self, value: str) -> None:
        self._data = []
        super().field_data(value)


@deviation(
    symptom="Of a text of several lines only the first one arrives.",
    mend="Append the value of each data line, and join them at the blank line.",
)
class MultilineFirstLineOnly(ReferenceParser):
    """Keeps only the first data line of an event."""

    def field_data(self, value: str) -> None:
        if not self._data:
            super().field_data(value)


@deviation(
    symptom="The last line of a text of several lines is missing.",
    mend="Remove the last line feed at the blank line, not the last line.",
)
class MultilineLastLineLost(ReferenceParser):
    """Leaves out the last of several data lines."""

    def dispatch(self) -> None:
        if len(self._data) > 1:
            self._data = self._data[:-1]
        super().dispatch()


@deviation(
    symptom="Lists, code and paragraphs run together into one line.",
    mend="Join data lines with a line feed.",
)
class MultilineJoinedWithSpace(ReferenceParser):
    """Joins data lines with a space."""

    def join_data(self) -> str:
        return " ".join(self._data)


@deviation(
    symptom="Lists, code and paragraphs run together into one line, without a blank between them.",
    mend="Join data lines with a line feed.",
)
class MultilineJoinedWithNothing(ReferenceParser):
    """Joins data lines with nothing between them."""

    def join_data(self) -> str:
        return "".join(self._data)


@deviation(
    symptom="Texts of several lines are longer than what was sent, and checksums differ.",
    mend="Join data lines with a line feed, whatever ended them on the wire.",
)
class MultilineJoinedWithCrlf(ReferenceParser):
    """Joins data lines with a carriage return and a line feed."""

    def join_data(self) -> str:
        return "\r\n".join(self._data)


@deviation(
    symptom="Lists and code are shown with an empty line between any two lines.",
    mend="Join data lines with one line feed.",
)
class MultilineJoinedWithBlankLine(ReferenceParser):
    """Joins data lines with two line feeds."""

    def join_data(self) -> str:
        return "\n\n".join(self._data)


@deviation(
    symptom="Of a text of many lines only the first and the last one arrive.",
    mend="Append the value of each data line, however many there are.",
)
class MultilineTwoLinesAtMost(ReferenceParser):
    """Keeps only the first and the last data line of an event."""

    def field_data(self, value: str) -> None:
        self._data = self._data[:1]
        super().field_data(value)


@deviation(
    symptom="The second and all further lines of a text begin with `data: `.",
    mend="Remove the name from each line, not from the first one of the block.",
)
class FurtherDataLinesKeepTheirName(ReferenceParser):
    """Keeps the name and the colon of all data lines but the first."""

    def read_line(self, line: str) -> None:
        if self._data and line.startswith("data:"):
            self.field_data(line)
        else:
            super().read_line(line)


@deviation(
    symptom="The second and all further lines of a text begin with a space that nobody wrote.",
    mend="Remove one space behind the colon of each line.",
)
class FurtherDataLinesKeepTheirSpace(ReferenceParser):
    """Keeps the space behind the colon of all data lines but the first."""

    def split_field(self, line: str) -> tuple[str, str]:
        name, value = super().split_field(line)
        return name, " " + value if self._data and line.startswith("data: ") else value


@deviation(
    symptom="Keep-alive comments, event names and IDs are shown as text, or cannot be read as JSON.",
    mend="Read a block line by line, and take the data lines alone.",
    layer="events",
)
class BlockIsThePayload(ReferenceParser):
    """Splits the text at two LFs, and takes each piece, less a leading `data:`, for the data of an event."""

    def resume_after_cr(self, text: str) -> str:
        self._after_cr = False
        return text

    def split_lines(self, text: str) -> list[str]:
        return text.split("\n\n")

    def read_line(self, line: str) -> None:
        self._data = [line.removeprefix("data:").lstrip(" ")]
        self.dispatch()


@deviation(
    symptom="Each piece of text ends in a line feed that nobody wrote.",
    mend="Remove the last line feed of the data at the blank line.",
)
class LastLineFeedKept(ReferenceParser):
    """Keeps the line feed behind the last data line."""

    def join_data(self) -> str:
        return super().join_data() + "\n"


@deviation(
    symptom="The last letter of each piece of text is missing, and JSON cannot be read.",
    mend="Look whether the data ends in a line feed before the last character is removed.",
)
class LastCharacterLost(ReferenceParser):
    """Removes the last character of the data, a line feed or not."""

    def join_data(self) -> str:
        return super().join_data()[:-1]


@deviation(
    symptom="A text of several lines comes out as several messages, and JSON over several lines cannot be read.",
    mend="Collect data lines, and dispatch them at the blank line.",
    layer="events",
)
class EachDataLineIsAnEvent(ReferenceParser):
    """Dispatches each data line at once."""

    def field_data(self, value: str) -> None:
        super().field_data(value)
        self.dispatch()


@deviation(
    symptom="A line feed at the start of a piece of text is lost: a list or a paragraph does not begin on a new line.",
    mend="Ask whether there was a data line, not whether the text so far is empty.",
    reports=(
        "Azure/fetch-event-source#50",
        "Azure/fetch-event-source#65",
        "Azure/fetch-event-source#104",
        "sysid/sse-starlette#107",
    ),
    aliases=("leading-empty-data-line-lost",),
)
class EmptyDataLineLost(ReferenceParser):
    """Loses empty data lines in front of the first text."""

    def field_data(self, value: str) -> None:
        if self._data == [""]:
            self._data = []
        super().field_data(value)


@deviation(
    symptom="Paragraphs run together: empty lines within the text are missing.",
    mend="Append the value of each data line, an empty one too.",
)
class FurtherEmptyDataLinesLost(ReferenceParser):
    """Ignores an empty data line behind another data line."""

    def field_data(self, value: str) -> None:
        if value or not self._data:
            super().field_data(value)


@deviation(
    symptom="Empty lines are missing from the text, and an event without text never arrives.",
    mend="Append the value of each data line, an empty one too.",
)
class EmptyDataLinesIgnored(ReferenceParser):
    """Ignores every empty data line."""

    def field_data(self, value: str) -> None:
        if value:
            super().field_data(value)


@deviation(
    symptom="A text with an empty line in it comes out as two messages.",
    mend="Take a line without any character for the blank line, not a field with an empty value.",
    layer="events",
)
class EmptyDataLineEndsTheEvent(ReferenceParser):
    """Takes an empty data line for a blank line."""

    def field_data(self, value: str) -> None:
        if value:
            super().field_data(value)
        else:
            self.dispatch()


@deviation(
    symptom="Line feeds at the end of a piece of text are lost, and paragraphs run together.",
    mend="Remove one line feed from the end of the data, not all of them.",
    reports=("spring-projects/spring-framework#35412",),
)
class TrailingNewlinesLost(ReferenceParser):
    """Removes all line feeds at the end of the data."""

    def join_data(self) -> str:
        return super().join_data().rstrip("\n")


@deviation(
    symptom="Words and paragraphs run together where a piece of text begins or ends with a blank or a line feed.",
    mend="Remove one line feed from the end of the data, and nothing else.",
)
class DataTrimmed(ReferenceParser):
    """Trims blanks and line feeds on both sides of the joined data."""

    def join_data(self) -> str:
        return super().join_data().strip()


@deviation(
    symptom="A line that is sent twice in a row stands once in the text.",
    mend="Append the value of each data line, equal to the one before or not.",
)
class EqualDataLinesMerged(ReferenceParser):
    """Ignores a data line that equals the one before."""

    def field_data(self, value: str) -> None:
        if self._data[-1:] != [value]:
            super().field_data(value)
