"""Deviations in the names of fields: what is taken for a name, and what is done with an unknown one."""

from __future__ import annotations

import unicodedata

from ..reference import ReferenceParser
from .deviation import Catalogue

deviation = Catalogue("fields", "9.2.6: names are compared exactly, and a field with any other name is ignored")


@deviation(
    symptom="Text appears that a browser would not show: lines with blanks around the name count.",
    mend="Compare names as they are, blanks and all.",
    reports=("stalwartlabs/jmap-client#25",),
)
class FieldNameTrimmed(ReferenceParser):
    """Removes blanks around a name."""

    def field(self, name: str, value: str) -> None:
        super().field(name.strip(), value)


@deviation(
    symptom="Text appears that a browser would not show: indented lines count.",
    mend="Compare names as they are: an indented line is an unknown field.",
    reports=("stalwartlabs/jmap-client#25",),
)
class FieldNameTrimmedAtTheStart(ReferenceParser):
    """Removes blanks in front of a name."""

    def field(self, name: str, value: str) -> None:
        super().field(name.lstrip(), value)


@deviation(
    symptom="Text appears that a browser would not show: lines with a blank before the colon count.",
    mend="Compare names as they are, with the blanks before the colon.",
)
class FieldNameTrimmedAtTheEnd(ReferenceParser):
    """Removes blanks between a name and the colon."""

    def field(self, name: str, value: str) -> None:
        super().field(name.rstrip(), value)


@deviation(
    symptom="Text appears that a browser would not show: of a name of several words the first counts.",
    mend="Cut the line at the colon, not at a blank.",
)
class FieldNameEndsAtASpace(ReferenceParser):
    """Takes the first word of a name for the name."""

    def field(self, name: str, value: str) -> None:
        super().field(name.partition(" ")[0], value)


@deviation(
    symptom="Text appears that a browser would not show: `Data` and `DATA` count.",
    mend="Compare names as they are: they are no HTTP headers.",
    reports=("Ahoo-Wang/fetcher#1231",),
)
class FieldNameCaseFolded(ReferenceParser):
    """Lower-cases names."""

    def field(self, name: str, value: str) -> None:
        super().field(name.lower(), value)


@deviation(
    symptom="Fields that the server added for itself, such as `database`, stand in the text.",
    mend="Compare the whole name, not its start.",
)
class FieldNamePrefix(ReferenceParser):
    """Takes any name that starts with `data` for it."""

    def field(self, name: str, value: str) -> None:
        super().field("data" if name.startswith("data") else name, value)


@deviation(
    symptom="Fields that the server added for itself, such as `metadata`, stand in the text.",
    mend="Compare the whole name.",
)
class FieldNameContains(ReferenceParser):
    """Takes any name that contains `data` for it."""

    def field(self, name: str, value: str) -> None:
        super().field("data" if "data" in name else name, value)


@deviation(
    symptom="Fields that the server added for itself change the text, the type or the ID.",
    mend="Compare the whole name, not its first letter.",
)
class FirstLetterDecides(ReferenceParser):
    """Knows a field by the first letter of its name."""

    def field(self, name: str, value: str) -> None:
        super().field({"d": "data", "e": "event", "i": "id", "r": "retry"}.get(name[:1], name), value)


@deviation(
    symptom="Keep-alive comments that quote the protocol, and other fields, stand in the text.",
    mend="Cut the line at the first colon, and compare what stands before it.",
)
class DataFoundAnywhere(ReferenceParser):
    """Takes a line that holds `data:` anywhere for data."""

    def read_line(self, line: str) -> None:
        _, found, value = line.partition("data:")
        if found:
            self.field_data(self.strip_space(value))
        else:
            super().read_line(line)


@deviation(
    symptom="Text appears that a browser would not show: names in full-width letters count.",
    mend="Compare names as they are, without normalising them.",
)
class FieldNameNormalised(ReferenceParser):
    """Takes full-width letters in a name for plain ones."""

    def field(self, name: str, value: str) -> None:
        super().field(unicodedata.normalize("NFKC", name), value)


@deviation(
    symptom="Events are handled under a name that a browser would not see.",
    mend="Read the type from `event` alone.",
)
class TypeFieldTaken(ReferenceParser):
    """Takes a field `type` or `name` for the event type."""

    def field(self, name: str, value: str) -> None:
        super().field("event" if name in ("type", "name") else name, value)


@deviation(
    symptom="Text appears that a browser would not show: `message`, `content` or `text` counts.",
    mend="Read the text from `data` alone.",
)
class MessageFieldTaken(ReferenceParser):
    """Takes a field `message`, `content` or `text` for data."""

    def field(self, name: str, value: str) -> None:
        super().field("data" if name in ("message", "content", "text") else name, value)


@deviation(
    symptom="After a reconnection the stream goes on from an ID that a browser would not know.",
    mend="Read the ID from `id` alone.",
)
class LastEventIdFieldTaken(ReferenceParser):
    """Takes a field `lastEventId`, in any spelling, for the ID."""

    def field(self, name: str, value: str) -> None:
        spelt = name.replace("-", "").replace("_", "").lower()
        super().field("id" if spelt == "lasteventid" else name, value)


# Unknown fields --------------------------------------------------------------------------------------------------


@deviation(
    symptom="The stream stops with an error when the server adds a field.",
    mend="Ignore a field of any other name.",
)
class UnknownFieldRaises(ReferenceParser):
    """Raises at an unknown field."""

    def field_unknown(self, name: str, value: str) -> None:
        raise ValueError(f"unknown field {name!r}")


@deviation(
    symptom="Stray lines that are no part of the answer stand in the text.",
    mend="Ignore a line that is no field.",
)
class UnknownFieldIsData(ReferenceParser):
    """Takes the name of an unknown field for data."""

    def field_unknown(self, name: str, value: str) -> None:
        self.field_data(name)
        super().field_unknown(name, value)


@deviation(
    symptom="Error texts and other stray lines behind the text are shown as part of it.",
    mend="Ignore a line that is no field; the server has to write `data:` before each line.",
)
class UnknownFieldContinuesData(ReferenceParser):
    """Takes an unknown line behind a data line for more of the data."""

    __line = ""

    def read_line(self, line: str) -> None:
        self.__line = line
        super().read_line(line)

    def field_unknown(self, name: str, value: str) -> None:
        super().field_unknown(name, value)
        if self._data:
            self.field_data(self.__line)


@deviation(
    symptom="An answer appears where a browser shows none: the server sends JSON without `data:`.",
    mend="Ignore a line that is no field, or declare that bare JSON lines are taken.",
    layer="completion",
    reports=("QuantumNous/new-api#6798",),
)
class BareJsonLines(ReferenceParser):
    """Takes a line that starts with a brace for data."""

    def read_line(self, line: str) -> None:
        if line.startswith("{"):
            self.field_data(line)
        else:
            super().read_line(line)


@deviation(
    symptom="Whole events are missing as soon as the server adds a field.",
    mend="Ignore an unknown field, and keep the rest of its block.",
)
class UnknownFieldEndsABlock(ReferenceParser):
    """Throws away what it has of a block at an unknown field."""

    def field_unknown(self, name: str, value: str) -> None:
        super().field_unknown(name, value)
        self.reset_buffers()


@deviation(
    symptom="An event comes out in two halves as soon as the server adds a field.",
    mend="End an event at a blank line, and nowhere else.",
    layer="events",
)
class UnknownFieldIsABlankLine(ReferenceParser):
    """Takes an unknown field for a blank line."""

    def field_unknown(self, name: str, value: str) -> None:
        super().field_unknown(name, value)
        self.dispatch()


@deviation(
    symptom="Events are not handled as soon as the server adds a field: its name is taken for theirs.",
    mend="Read the type from `event` alone.",
)
class UnknownFieldIsAType(ReferenceParser):
    """Takes the name of an unknown field for the event type."""

    def field_unknown(self, name: str, value: str) -> None:
        super().field_unknown(name, value)
        self.field_event(name)
