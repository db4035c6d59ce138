"""Deviations between lines and fields: the colon, the space behind it, and lines without one."""

from __future__ import annotations

from ..reference import ReferenceParser
from .deviation import Catalogue

deviation = Catalogue("fields", "9.2.6: the first colon ends the name, and one space behind it is no part of the value")

_NO_COLON = "9.2.6: a line without a colon is a field with an empty value"


@deviation(
    symptom="Nothing arrives from a server that leaves out the space behind the colon.",
    mend="Cut the line at the colon alone, then remove one space if there is one.",
    reports=(
        "openai/openai-python#559",
        "tashfeenahmed/freellmapi#1087",
        "ag-ui-protocol/ag-ui#772",
        "netease-lcap/wave-agent#223",
        "odysseus-dev/odysseus#1701",
        "dataelement/Clawith#106",
        "nullclaw/nullclaw#509",
        "davidmigloz/langchain_dart#790",
        "davidmigloz/langchain_dart#791",
        "praxis-proxy/praxis#739",
    ),
)
class SpaceAfterColonRequired(ReferenceParser):
    """Ignores a field that has no space behind the colon."""

    def split_field(self, line: str) -> tuple[str, str]:
        _, colon, value = line.partition(":")
        if colon and not value.startswith(" "):
            return line, ""
        return super().split_field(line)


@deviation(
    symptom="The stream stops with an error at a server that leaves out the space behind the colon.",
    mend="Cut the line at the colon alone, then remove one space if there is one.",
)
class NoSpaceRaises(ReferenceParser):
    """Raises at a field that has no colon with a space behind it."""

    def split_field(self, line: str) -> tuple[str, str]:
        if not line.partition(":")[2].startswith(" "):
            raise ValueError("not enough values to unpack (expected 2, got 1)")
        return super().split_field(line)


@deviation(
    symptom="Each piece of text begins with a space that nobody wrote.",
    mend="Remove one space behind the colon.",
)
class SpaceNotRemoved(ReferenceParser):
    """Keeps the space behind the colon."""

    def strip_space(self, value: str) -> str:
        return value


@deviation(
    symptom="Handlers for named events are never called: the name begins with a space.",
    mend="Remove one space behind the colon of every field, not of `data` alone.",
)
class SpaceKeptInTypes(ReferenceParser):
    """Keeps the space behind the colon in an event type."""

    def split_field(self, line: str) -> tuple[str, str]:
        name, value = super().split_field(line)
        return name, " " + value if line.startswith("event: ") else value


@deviation(
    symptom="After a reconnection the server does not know the ID that it is given, and starts over.",
    mend="Remove one space behind the colon of every field, not of `data` alone.",
)
class SpaceKeptInIds(ReferenceParser):
    """Keeps the space behind the colon in an ID."""

    def split_field(self, line: str) -> tuple[str, str]:
        name, value = super().split_field(line)
        return name, " " + value if line.startswith("id: ") else value


@deviation(
    symptom="The client reconnects at its own pace, whatever the server asks for.",
    mend="Remove one space behind the colon of every field, not of `data` alone.",
)
class SpaceKeptInRetries(ReferenceParser):
    """Keeps the space behind the colon in a retry, which is then no number."""

    def split_field(self, line: str) -> tuple[str, str]:
        name, value = super().split_field(line)
        return name, " " + value if line.startswith("retry: ") else value


@deviation(
    symptom="Words run together, and code loses its indentation.",
    mend="Remove one space behind the colon, and nothing else.",
    reports=(
        "spring-projects/spring-framework#27473",
        "langchain4j/langchain4j#5531",
        "go-resty/resty#1044",
        "starfederation/datastar#658",
        "hydall/Glaze#247",
        "Ichigo3766/Open-Relay#220",
        "mpetazzoni/sse.js#48",
    ),
)
class ValueOvertrimmed(ReferenceParser):
    """Trims blanks on both sides of a value."""

    def strip_space(self, value: str) -> str:
        return super().strip_space(value).strip()


@deviation(
    symptom="A blank at the end of a piece of text is lost, and two words run together.",
    mend="Leave the end of a value as it is.",
    reports=("mpetazzoni/sse.js#48",),
)
class ValueTrimmedAtTheEnd(ReferenceParser):
    """Trims blanks at the end of a value."""

    def strip_space(self, value: str) -> str:
        return super().strip_space(value).rstrip()


@deviation(
    symptom="Code loses its indentation, and words run together where a piece of text begins with a blank.",
    mend="Remove one space behind the colon, and no other blank.",
)
class ValueTrimmedAtTheStart(ReferenceParser):
    """Trims blanks of any kind at the start of a value."""

    def strip_space(self, value: str) -> str:
        return super().strip_space(value).lstrip()


@deviation(
    symptom="Code that is indented with spaces loses its indentation.",
    mend="Remove one space behind the colon, not all of them.",
)
class AllSpacesRemoved(ReferenceParser):
    """Removes all spaces behind the colon."""

    def strip_space(self, value: str) -> str:
        return super().strip_space(value).lstrip(" ")


@deviation(
    symptom="Words run together where a piece of text begins with a blank.",
    mend="Remove the space behind the colon in one place alone.",
)
class SpaceRemovedTwice(ReferenceParser):
    """Removes a second space behind the colon."""

    def strip_space(self, value: str) -> str:
        return super().strip_space(value).removeprefix(" ")


@deviation(
    symptom="The first tab of indented code is lost.",
    mend="Remove U+0020 behind the colon, and no tab.",
)
class ATabIsRemoved(ReferenceParser):
    """Removes a tab behind the colon, as it does a space."""

    def strip_space(self, value: str) -> str:
        return value[1:] if value[:1] == "\t" else super().strip_space(value)


@deviation(
    symptom="The first tab, or the wide blank that opens a paragraph, is lost.",
    mend="Remove U+0020 behind the colon, and no other blank: not what a pattern's `\\s` takes.",
)
class AnyBlankRemoved(ReferenceParser):
    """Removes one blank of any kind behind the colon."""

    def strip_space(self, value: str) -> str:
        return value[1:] if value[:1].isspace() else super().strip_space(value)


@deviation(
    symptom="The first letter of each piece of text is missing, at some servers.",
    mend="Look whether the character behind the colon is a space before it is removed.",
)
class AnyFirstCharacterRemoved(ReferenceParser):
    """Removes the character behind the colon, a space or not."""

    def strip_space(self, value: str) -> str:
        return value[1:]


@deviation(
    symptom="Some pieces of text lose their first letters: always letters of the word `data`.",
    mend='Remove the name as a prefix: `lstrip("data: ")` removes any of these characters.',
)
class NameLettersRemoved(ReferenceParser):
    """Removes letters of the name from the start of data."""

    def field_data(self, value: str) -> None:
        super().field_data(value.lstrip("data: "))  # noqa: B005  (the fault is this one)


@deviation(
    symptom="The stream stops with an index error at an empty line of text.",
    mend="Look whether there is a character behind the colon before it is read.",
    reports=("spring-projects/spring-framework#27923", "zaproxy/zaproxy#8320"),
)
class EmptyValueCrash(ReferenceParser):
    """Raises at a field with an empty value."""

    def strip_space(self, value: str) -> str:
        if not value:
            raise IndexError("string index out of range")
        return super().strip_space(value)


@deviation(
    symptom="Text with a colon in it, and nearly all JSON, does not arrive.",
    mend="Cut at the first colon, not at the last one.",
)
class ValueSplitOnLastColon(ReferenceParser):
    """Takes the last colon of a line for the end of the name."""

    def split_field(self, line: str) -> tuple[str, str]:
        if ":" not in line:
            return line, ""
        name, _, value = line.rpartition(":")
        return name, self.strip_space(value)


@deviation(
    symptom="Text stops at its first colon, and JSON cannot be read.",
    mend="Cut at the first colon only: all others belong to the value.",
    reports=("denoland/deno#22367",),
)
class ValueSplitOnColon(ReferenceParser):
    """Cuts the value at its next colon."""

    def split_field(self, line: str) -> tuple[str, str]:
        name, value = super().split_field(line)
        return name, value.partition(":")[0]


@deviation(
    symptom="Text stops at its first colon that has a blank behind it.",
    mend="Cut at the first colon only: all others belong to the value, with a blank behind them or not.",
)
class ValueSplitOnColonSpace(ReferenceParser):
    """Cuts the value where a colon and a space come next."""

    def split_field(self, line: str) -> tuple[str, str]:
        name, value = super().split_field(line)
        return name, value.partition(": ")[0]


@deviation(
    symptom="The stream stops with an error as soon as the text holds a colon.",
    mend="Cut at the first colon only, however many there are.",
)
class ColonInTheValueRaises(ReferenceParser):
    """Raises where a value holds a colon."""

    def split_field(self, line: str) -> tuple[str, str]:
        if line.count(":") > 1:
            raise ValueError("too many values to unpack (expected 2)")
        return super().split_field(line)


@deviation(
    symptom="The stream stops with an error as soon as the text holds a colon and a blank.",
    mend="Cut at the first colon only, however many there are.",
    reports=("ai-forever/gigachat-js#12",),
)
class ColonSpaceInTheValueRaises(ReferenceParser):
    """Raises where a value holds a colon and a space."""

    def split_field(self, line: str) -> tuple[str, str]:
        name, value = super().split_field(line)
        if ": " in value:
            raise ValueError("too many values to unpack (expected 2)")
        return name, value


# Lines without a colon -------------------------------------------------------------------------------------------


@deviation(
    symptom="Empty lines of the text are lost where the server sends `data` without a colon.",
    mend="Read a line without a colon as a field with an empty value.",
    clause=_NO_COLON,
)
class NoColonIgnored(ReferenceParser):
    """Ignores a line without a colon."""

    def read_line(self, line: str) -> None:
        if not line or ":" in line:
            super().read_line(line)


@deviation(
    symptom="The stream stops with an error at a line without a colon.",
    mend="Read a line without a colon as a field with an empty value.",
    clause=_NO_COLON,
)
class NoColonRaises(ReferenceParser):
    """Raises at a line without a colon."""

    def split_field(self, line: str) -> tuple[str, str]:
        if ":" not in line:
            raise ValueError("substring not found")
        return super().split_field(line)


@deviation(
    symptom="The word `data`, or a stray line that is none of the answer's, stands in the text.",
    mend="Read a line without a colon as a field of that name, with an empty value.",
    clause=_NO_COLON,
)
class NoColonIsData(ReferenceParser):
    """Takes a line without a colon for data."""

    def read_line(self, line: str) -> None:
        if line and ":" not in line:
            self.field_data(line)
        else:
            super().read_line(line)


@deviation(
    symptom="Empty lines of the text are lost where the server sends `data` without a colon.",
    mend="Look whether a colon was found: the position -1 cuts off the last letter.",
    clause=_NO_COLON,
)
class NoColonCutsTheName(ReferenceParser):
    """Cuts the last letter off a name without a colon, and takes the whole line for its value."""

    def split_field(self, line: str) -> tuple[str, str]:
        if ":" not in line:
            return line[:-1], self.strip_space(line)
        return super().split_field(line)


@deviation(
    symptom="Empty lines of the text are lost where the server sends `data` without a colon.",
    mend="Read `data` without a colon as a data line with an empty value.",
    clause=_NO_COLON,
)
class DataWithoutColonIgnored(ReferenceParser):
    """Ignores a line `data` without a colon."""

    def read_line(self, line: str) -> None:
        if line != "data":
            super().read_line(line)


@deviation(
    symptom="An event is handled under a name that the server took back.",
    mend="Read `event` without a colon as the empty type.",
    clause=_NO_COLON,
)
class EventWithoutColonIgnored(ReferenceParser):
    """Ignores a line `event` without a colon."""

    def read_line(self, line: str) -> None:
        if line != "event":
            super().read_line(line)


@deviation(
    symptom="After a reconnection the stream goes on from an ID that the server had reset.",
    mend="Read `id` without a colon as the empty ID.",
    clause=_NO_COLON,
)
class IdWithoutColonIgnored(ReferenceParser):
    """Ignores a line `id` without a colon."""

    def read_line(self, line: str) -> None:
        if line != "id":
            super().read_line(line)


@deviation(
    symptom="The stream stops with an error at a line `retry`.",
    mend="Ignore a `retry` without a number.",
    clause=_NO_COLON,
)
class RetryWithoutColonRaises(ReferenceParser):
    """Raises at a line `retry` without a colon."""

    def read_line(self, line: str) -> None:
        if line == "retry":
            raise ValueError("retry needs a value")
        super().read_line(line)
