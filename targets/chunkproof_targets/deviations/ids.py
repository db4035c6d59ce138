"""Deviations in the last event ID."""

from __future__ import annotations

import re

from ..contract import Event
from ..reference import ReferenceParser
from .deviation import Catalogue

deviation = Catalogue("fields", "9.2.6, id: the last event ID buffer becomes the value")

_NUL = "9.2.6, id: a value that holds U+0000 is ignored"
_STEP_1 = "9.2.6, dispatch, step 1: the last event ID string becomes the last event ID buffer"
_IGNORE_NUL = "Ignore an `id` field that holds U+0000, and nothing else of the block."
_AS_SENT = "Keep an ID as it was sent: it is text, whatever it looks like."
_RESUME = "and a reconnection asks for the wrong place"

# Values that hold U+0000 ---------------------------------------------------------------------------------------------


@deviation(
    clause=_NUL,
    symptom="An ID with a NUL is shown, and sending it back in a header when the connection is lost fails.",
    mend=_IGNORE_NUL,
    reports=(
        *("launchdarkly/js-eventsource#15", "launchdarkly/okhttp-eventsource#62"),
        *("Ahoo-Wang/fetcher#1231", "mpetazzoni/sse.js#109"),
    ),
)
class IdNulAccepted(ReferenceParser):
    """An ID with U+0000 is taken."""

    def field_id(self, value: str) -> None:
        self._id = value


@deviation(
    clause=_NUL,
    symptom=f"A bad ID wipes the good one before it, {_RESUME}.",
    mend=_IGNORE_NUL,
)
class IdNulResets(ReferenceParser):
    """An ID with U+0000 empties the last event ID."""

    def field_id(self, value: str) -> None:
        super().field_id("" if "\0" in value else value)


@deviation(
    clause=_NUL,
    symptom="The stream ends in an exception at an ID with a NUL.",
    mend=_IGNORE_NUL,
)
class IdNulRaises(ReferenceParser):
    """An ID with U+0000 raises."""

    def field_id(self, value: str) -> None:
        if "\0" in value:
            raise ValueError("NUL in an id")
        super().field_id(value)


@deviation(
    clause=_NUL,
    symptom=f"An ID with a NUL is shown as the part before that, {_RESUME}.",
    mend=_IGNORE_NUL,
)
class IdCutAtNul(ReferenceParser):
    """An ID ends at U+0000."""

    def field_id(self, value: str) -> None:
        super().field_id(value.partition("\0")[0])


@deviation(
    clause=_NUL,
    symptom=f"An ID with a NUL is shown without it, {_RESUME}.",
    mend=_IGNORE_NUL,
)
class IdNulRemoved(ReferenceParser):
    """U+0000 is removed from an ID."""

    def field_id(self, value: str) -> None:
        super().field_id(value.replace("\0", ""))


# When it counts ------------------------------------------------------------------------------------------------------


@deviation(
    layer="events",
    clause=_STEP_1,
    symptom="Events behind a block that only sets an ID have an earlier one, and a reconnection repeats what is known.",
    mend="Set the last event ID at every blank line, before looking whether there is data.",
    reports=("mpetazzoni/sse.js#109",),
)
class IdOnlyBlockIgnored(ReferenceParser):
    """The ID of a block without data is forgotten."""

    def commit_id(self) -> None:
        if self._data:
            super().commit_id()
        else:
            self._id = self.last_event_id


@deviation(
    layer="events",
    clause=_STEP_1,
    symptom="A reconnection right behind a block that only sets an ID asks for the ID before it.",
    mend="Set the last event ID at every blank line, before looking whether there is data.",
)
class IdOnlyBlockWaits(ReferenceParser):
    """The ID of a block without data is not set before the next event."""

    def commit_id(self) -> None:
        if self._data:
            super().commit_id()


@deviation(
    layer="events",
    clause=_STEP_1,
    symptom=f"Events behind one with an ID have none, {_RESUME}.",
    mend="Leave the ID buffer as it is at a blank line: an ID stays until the next one.",
)
class IdPerEvent(ReferenceParser):
    """The ID belongs to its own block only, and is empty behind it."""

    def reset_buffers(self) -> None:
        super().reset_buffers()
        self._id = ""


@deviation(
    layer="events",
    clause=_STEP_1,
    symptom="Events behind one with an ID show none, though the parser still knows it for a reconnection.",
    mend="Show the last event ID with each event, and not only the `id` of its own block.",
)
class IdShownPerEvent(ReferenceParser):
    """An event shows the ID of its own block only, while the last event ID stays."""

    __named = False

    def field_id(self, value: str) -> None:
        super().field_id(value)
        self.__named = self.__named or "\0" not in value or "\0" in self._id

    def emit(self, event: Event) -> None:
        super().emit(event if self.__named else event._replace(last_event_id=""))

    def reset_buffers(self) -> None:
        self.__named = False
        super().reset_buffers()


@deviation(
    layer="events",
    clause=_STEP_1,
    symptom=f"Events behind one with an ID have none, {_RESUME}.",
    mend="Leave the ID buffer as it is at a blank line: an ID stays until the next one.",
)
class IdUsedOnce(ReferenceParser):
    """An ID is given to the next event, and is empty behind that one."""

    def reset_buffers(self) -> None:
        used = bool(self._data)
        super().reset_buffers()
        if used:
            self._id = ""


@deviation(
    layer="events",
    clause=_STEP_1,
    symptom="Each event shows the ID of the event before it.",
    mend="Set the last event ID before the event is made.",
)
class IdOneEventLate(ReferenceParser):
    """The last event ID is set behind the event."""

    __late = False

    def dispatch(self) -> None:
        super().dispatch()
        if self.__late:
            self.__late = False
            super().commit_id()

    def commit_id(self) -> None:
        if self._data:
            self.__late = True
        else:
            super().commit_id()


@deviation(
    layer="events",
    clause="9.2.6, dispatch, step 1, and end of the file: an unfinished block is discarded",
    symptom="A connection that is lost within an event resumes behind it, and the event never arrives.",
    mend="Keep an ID in a buffer of its own until the blank line.",
)
class UnfinishedIdCounts(ReferenceParser):
    """An ID counts as soon as its line is read."""

    def field_id(self, value: str) -> None:
        super().field_id(value)
        self.commit_id()


@deviation(
    symptom="Events have no ID, and a reconnection starts from the beginning.",
    mend="Read the `id` field into the last event ID buffer.",
)
class IdNotStored(ReferenceParser):
    """IDs are not read at all."""

    def field_id(self, value: str) -> None:
        pass


@deviation(
    symptom="All events have the first ID of the stream, and a reconnection repeats nearly all of it.",
    mend="Let each ID replace the one before it.",
)
class IdFirstOfAllWins(ReferenceParser):
    """The first ID of the stream stays."""

    def field_id(self, value: str) -> None:
        if not self._id:
            super().field_id(value)


# What counts as one --------------------------------------------------------------------------------------------------


@deviation(
    symptom="An ID cannot be taken back: a reconnection still sends it.",
    mend="Let an empty `id` field empty the last event ID.",
)
class IdEmptyIgnored(ReferenceParser):
    """An empty ID does not reset."""

    def field_id(self, value: str) -> None:
        if value:
            super().field_id(value)


@deviation(
    symptom="The first event of a server that counts from 0 has no ID of its own.",
    mend="Compare with the empty text: the ID `0` is one.",
)
class IdZeroIgnored(ReferenceParser):
    """The ID `0` is taken for none."""

    def field_id(self, value: str) -> None:
        if value != "0":
            super().field_id(value)


@deviation(symptom=f"An ID with blanks around it is shown without them, {_RESUME}.", mend=_AS_SENT)
class IdTrimmed(ReferenceParser):
    """IDs are trimmed."""

    def field_id(self, value: str) -> None:
        super().field_id(value.strip())


@deviation(symptom=f"An ID such as `ABC` is shown as `abc`, {_RESUME}.", mend=_AS_SENT)
class IdLowerCased(ReferenceParser):
    """IDs are lower-cased."""

    def field_id(self, value: str) -> None:
        super().field_id(value.lower())


@deviation(symptom=f"An ID such as `007` is shown as `7`, {_RESUME}.", mend=_AS_SENT)
class IdAsANumber(ReferenceParser):
    """An ID that looks like a number is one."""

    def field_id(self, value: str) -> None:
        super().field_id(str(int(value)) if re.fullmatch("[0-9]+", value) else value)


@deviation(symptom=f"An ID that is no number is not shown, {_RESUME}.", mend=_AS_SENT)
class IdOfOtherThanDigitsIgnored(ReferenceParser):
    """An ID that is no number is ignored."""

    def field_id(self, value: str) -> None:
        if not value or re.fullmatch("[0-9]+", value):
            super().field_id(value)


@deviation(symptom="The stream ends in an exception at an ID that is no number.", mend=_AS_SENT)
class IdOfOtherThanDigitsRaises(ReferenceParser):
    """An ID that is no number raises."""

    def field_id(self, value: str) -> None:
        if value and not re.fullmatch("[0-9]+", value):
            raise ValueError(f"invalid id: {value!r}")
        super().field_id(value)


@deviation(symptom=f"An ID such as `12:7` is shown as `12`, {_RESUME}.", mend="Cut a line at its first colon only.")
class IdCutAtAColon(ReferenceParser):
    """An ID ends at a colon."""

    def field_id(self, value: str) -> None:
        super().field_id(value.partition(":")[0])
