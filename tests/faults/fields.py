"""Faults between lines and fields."""

from __future__ import annotations

import unicodedata

from chunkproof_targets.reference import ReferenceParser

from .fault import fault


@fault("fields/no-space")
class SpaceAfterColonRequired(ReferenceParser):
    """A field is a name, a colon and a space."""

    def split_field(self, line):
        name, _, value = line.partition(": ")
        return name, value


@fault("fields/one-space-is-removed")
class SpaceNotRemoved(ReferenceParser):
    """The space behind the colon is kept."""

    def strip_space(self, value):
        return value


@fault("fields/one-space-in-a-type")
class SpaceKeptInTypes(ReferenceParser):
    """The space behind the colon is kept in a type."""

    def split_field(self, line):
        name, value = super().split_field(line)
        return name, " " + value if line.startswith("event: ") else value


@fault("fields/one-space-in-an-id")
class SpaceKeptInIds(ReferenceParser):
    """The space behind the colon is kept in an id."""

    def split_field(self, line):
        name, value = super().split_field(line)
        return name, " " + value if line.startswith("id: ") else value


@fault("fields/a-second-space-is-kept", "fields/a-tab-is-kept", "fields/trailing-blanks-are-kept")
class ValueOvertrimmed(ReferenceParser):
    """A value is stripped on both sides."""

    def strip_space(self, value):
        return value.strip()


@fault("fields/trailing-blanks-are-kept")
class ValueTrimmedAtTheEnd(ReferenceParser):
    """A value is stripped at its end."""

    def strip_space(self, value):
        return value.removeprefix(" ").rstrip()


@fault("fields/a-second-space-is-kept")
class AllSpacesRemoved(ReferenceParser):
    """All spaces behind the colon go."""

    def strip_space(self, value):
        return value.lstrip(" ")


@fault("fields/a-tab-is-kept")
class ATabIsRemoved(ReferenceParser):
    """A tab behind the colon counts as the space."""

    def strip_space(self, value):
        return value[1:] if value[:1] in (" ", "\t") else value


@fault("fields/no-space")
class AnyFirstCharacterRemoved(ReferenceParser):
    """The character behind the colon is skipped, a space or not."""

    def strip_space(self, value):
        return value[1:]


@fault("fields/names-are-exact")
class FieldNameTrimmed(ReferenceParser):
    """Blanks around a name are removed."""

    def field(self, name, value):
        super().field(name.strip(), value)


@fault("fields/names-are-exact")
class FieldNameCaseFolded(ReferenceParser):
    """Names are lower-cased."""

    def field(self, name, value):
        super().field(name.lower(), value)


@fault("fields/names-are-exact")
class FieldNamePrefix(ReferenceParser):
    """A name that starts as a field's does is that field."""

    def field(self, name, value):
        super().field("data" if name.startswith("data") else name, value)


@fault("fields/names-are-exact")
class FieldNameNormalised(ReferenceParser):
    """Full-width letters are letters."""

    def field(self, name, value):
        super().field(unicodedata.normalize("NFKC", name), value)


@fault("fields/colons-in-the-value")
class ValueSplitOnLastColon(ReferenceParser):
    """The last colon ends the name."""

    def split_field(self, line):
        if ":" not in line:
            return line, ""
        name, _, value = line.rpartition(":")
        return name, self.strip_space(value)


@fault("fields/colons-in-the-value")
class ValueSplitOnColon(ReferenceParser):
    """The value ends at the next colon."""

    def split_field(self, line):
        name, value = super().split_field(line)
        return name, value.partition(":")[0]


class _BareNameIgnored(ReferenceParser):
    bare = ""

    def read_line(self, line):
        if line != self.bare:
            super().read_line(line)


@fault("fields/data-without-colon", "fields/event-without-colon", "fields/id-without-colon")
class NoColonIgnored(ReferenceParser):
    """A line without a colon is ignored."""

    def read_line(self, line):
        if not line or ":" in line:
            super().read_line(line)


@fault(
    "fields/data-without-colon", "fields/event-without-colon", "fields/id-without-colon", "fields/retry-without-colon"
)
class NoColonRaises(ReferenceParser):
    """A line without a colon raises."""

    def split_field(self, line):
        at = line.index(":")
        return line[:at], self.strip_space(line[at + 1 :])


@fault("fields/data-without-colon")
class DataWithoutColonIgnored(_BareNameIgnored):
    """A line `data` is ignored."""

    bare = "data"


@fault("fields/event-without-colon")
class EventWithoutColonIgnored(_BareNameIgnored):
    """A line `event` is ignored."""

    bare = "event"


@fault("fields/id-without-colon")
class IdWithoutColonIgnored(_BareNameIgnored):
    """A line `id` is ignored."""

    bare = "id"


@fault("fields/retry-without-colon")
class RetryWithoutColonRaises(ReferenceParser):
    """A line `retry` raises."""

    def read_line(self, line):
        if line == "retry":
            raise ValueError("retry needs a value")
        super().read_line(line)


@fault(
    "dispatch/empty-data-is-an-event",
    "fields/empty-data-lines-count",
    "fields/a-leading-empty-data-line-counts",
    "fields/a-trailing-empty-data-line-counts",
)
class EmptyValueCrash(ReferenceParser):
    """The character behind the colon is read without looking whether there is one."""

    def strip_space(self, value):
        return value[1:] if value[0] == " " else value


@fault("fields/data-lines-are-joined")
class MultilineDataOverwritten(ReferenceParser):
    """Each data line replaces the one before."""

    def field_data(self, value):
        self._data = [value]


@fault("fields/data-lines-are-joined")
class MultilineFirstLineOnly(ReferenceParser):
    """Only the first data line counts."""

    def field_data(self, value):
        self._data = self._data or [value]


@fault("fields/data-lines-are-joined")
class MultilineJoinedWithSpace(ReferenceParser):
    """Data lines are joined with a space."""

    def join_data(self):
        return " ".join(self._data)


@fault("fields/data-lines-are-joined")
class MultilineJoinedWithNothing(ReferenceParser):
    """Data lines are joined with nothing."""

    def join_data(self):
        return "".join(self._data)


@fault("fields/data-lines-are-joined")
class MultilineTwoLinesAtMost(ReferenceParser):
    """The third data line replaces the second."""

    def field_data(self, value):
        self._data = [*self._data[:1], value]


@fault("fields/data-lines-are-joined", "dispatch/empty-data-is-an-event")
class LastLineFeedKept(ReferenceParser):
    """The LF behind the last data line is not removed."""

    def join_data(self):
        return super().join_data() + "\n"


@fault("fields/data-lines-are-joined")
class EachDataLineIsAnEvent(ReferenceParser):
    """A data line is an event at once."""

    def field_data(self, value):
        super().field_data(value)
        self.dispatch()


@fault("fields/empty-data-lines-count", "fields/a-trailing-empty-data-line-counts")
class EmptyDataLineLost(ReferenceParser):
    """An empty data line adds nothing."""

    def field_data(self, value):
        if value or not self._data:
            super().field_data(value)


@fault("fields/a-leading-empty-data-line-counts")
class LeadingEmptyDataLineLost(ReferenceParser):
    """Joins with LF only when the buffer is not empty."""

    def field_data(self, value):
        self._data = ["\n".join([*self._data, value]) if self._data and self._data != [""] else value]


@fault("fields/a-trailing-empty-data-line-counts")
class TrailingNewlinesLost(ReferenceParser):
    """All LFs at the end of the data go."""

    def join_data(self):
        return super().join_data().rstrip("\n")


@fault("fields/order-does-not-matter")
class FieldsBehindDataIgnored(ReferenceParser):
    """What stands behind the first data line of a block, and is no data, is ignored."""

    def field(self, name, value):
        if name == "data" or not self._data:
            super().field(name, value)


@fault("fields/order-does-not-matter")
class TypeMustComeFirst(ReferenceParser):
    """A type behind the id is ignored."""

    seen = False

    def field(self, name, value):
        if name != "event" or not self.seen:
            super().field(name, value)
        self.seen = name == "id" or self.seen

    def reset_buffers(self):
        super().reset_buffers()
        self.seen = False


@fault("fields/the-last-type-counts")
class FirstTypeWins(ReferenceParser):
    """Of several types the first counts."""

    def field_event(self, value):
        self._type = self._type or value


@fault("fields/the-last-id-counts")
class FirstIdWins(ReferenceParser):
    """Of several ids in a block the first counts."""

    seen = False

    def field_id(self, value):
        if not self.seen:
            super().field_id(value)
        self.seen = True

    def reset_buffers(self):
        super().reset_buffers()
        self.seen = False


@fault("fields/the-last-retry-counts")
class FirstRetryWins(ReferenceParser):
    """Of several times in a block the first counts."""

    seen = False

    def set_retry(self, digits):
        if not self.seen:
            super().set_retry(digits)
        self.seen = True

    def reset_buffers(self):
        super().reset_buffers()
        self.seen = False


@fault("fields/unknown-fields-are-ignored")
class UnknownFieldRaises(ReferenceParser):
    """An unknown field raises."""

    def field_unknown(self, name, value):
        raise ValueError(f"unknown field {name!r}")


@fault("fields/unknown-fields-are-ignored", "dispatch/unknown-only-blocks", "whole/ignored-lines-change-nothing")
class UnknownFieldIsData(ReferenceParser):
    """A line that is no field is data, as bare JSON lines are sent."""

    def field_unknown(self, name, value):
        self.field_data(name)


@fault("fields/unknown-fields-are-ignored")
class UnknownFieldEndsABlock(ReferenceParser):
    """An unknown field throws the block away."""

    def field_unknown(self, name, value):
        self.reset_buffers()


@fault("fields/unknown-fields-are-ignored")
class UnknownFieldIsAType(ReferenceParser):
    """An unknown name is the type of the event."""

    def field_unknown(self, name, value):
        self._type = name
