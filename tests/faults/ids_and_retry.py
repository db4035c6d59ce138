"""Faults of the last event ID and of the reconnection time."""

from __future__ import annotations

import re
from contextlib import suppress

from chunkproof_targets.contract import normal_retry
from chunkproof_targets.reference import ReferenceParser

from .fault import fault


@fault("ids/an-id-with-nul-is-ignored")
class IdNulAccepted(ReferenceParser):
    """An id with U+0000 is taken."""

    def field_id(self, value):
        self._id = value


@fault("ids/an-id-with-nul-is-ignored")
class IdNulResets(ReferenceParser):
    """An id with U+0000 empties the last event ID."""

    def field_id(self, value):
        self._id = "" if "\0" in value else value


@fault("ids/an-id-with-nul-is-ignored")
class IdNulRaises(ReferenceParser):
    """An id with U+0000 raises."""

    def field_id(self, value):
        if "\0" in value:
            raise ValueError("NUL in an id")
        self._id = value


@fault("ids/a-block-without-data-sets-the-id")
class IdOnlyBlockIgnored(ReferenceParser):
    """The id of a block without data is forgotten."""

    def dispatch(self):
        if self._data:
            super().dispatch()
        else:
            self._id = self.last_event_id
            self.reset_buffers()


@fault("ids/a-block-without-data-sets-the-id")
class IdOnlyBlockWaits(ReferenceParser):
    """The id of a block without data is not set before the next event."""

    def commit_id(self):
        if self._data:
            super().commit_id()


@fault("ids/ids-persist")
class IdPerEvent(ReferenceParser):
    """The id belongs to its own event only."""

    def reset_buffers(self):
        super().reset_buffers()
        self._id = ""


@fault("ids/an-id-is-shown")
class IdOneEventLate(ReferenceParser):
    """The last event ID is set behind the event."""

    def dispatch(self):
        had = bool(self._data)
        super().dispatch()
        if had:
            super().commit_id()

    def commit_id(self):
        if not self._data:
            super().commit_id()


@fault("ids/an-empty-id-resets", "fields/id-without-colon")
class IdEmptyIgnored(ReferenceParser):
    """An empty id does not reset."""

    def field_id(self, value):
        if value:
            super().field_id(value)


@fault("ids/an-id-is-shown", "ids/ids-persist")
class IdNotStored(ReferenceParser):
    """Ids are not read at all."""

    def field_id(self, value):
        pass


@fault("ids/an-id-is-not-trimmed")
class IdTrimmed(ReferenceParser):
    """Ids are trimmed."""

    def field_id(self, value):
        super().field_id(value.strip())


@fault("ids/an-id-is-not-trimmed")
class IdAsANumber(ReferenceParser):
    """An id that looks like a number is one."""

    def field_id(self, value):
        super().field_id(str(int(value)) if re.fullmatch("[0-9]+", value) else value)


@fault("ids/an-id-is-not-trimmed")
class IdCutAtAColon(ReferenceParser):
    """An id ends at a colon."""

    def field_id(self, value):
        super().field_id(value.partition(":")[0])


@fault("ids/an-unfinished-block-sets-no-id")
class UnfinishedIdCounts(ReferenceParser):
    """An id counts as soon as its line is read."""

    def field_id(self, value):
        super().field_id(value)
        self.commit_id()


# The reconnection time -------------------------------------------------------------------------------------------


class _Number(ReferenceParser):
    """Reads a time with a function that raises ValueError for what it does not take."""

    def read(self, value):
        return value

    def field_retry(self, value):
        with suppress(ValueError):
            self.set_retry(str(self.read(value)))


@fault("retry/only-ascii-digits", "retry/a-wrong-value-leaves-the-earlier")
class RetryLenientInt(_Number):
    """int() takes signs, blanks, underscores and other scripts' digits."""

    def read(self, value):
        return int(value)


@fault("retry/only-ascii-digits", "retry/a-wrong-value-leaves-the-earlier")
class RetryLenientFloat(_Number):
    """float() takes points and exponents."""

    def read(self, value):
        return f"{float(value):.0f}"


@fault("retry/only-ascii-digits", "retry/a-wrong-value-leaves-the-earlier")
class RetryParseInt(_Number):
    """Reads the digits at the start, and takes no notice of the rest."""

    def read(self, value):
        match = re.match(r"[0-9]+", value)
        return normal_retry(match.group()) if match else int("x")


@fault("retry/only-ascii-digits", "retry/a-wrong-value-leaves-the-earlier")
class RetryTrimmed(_Number):
    """Blanks around a time are removed."""

    def read(self, value):
        value = value.strip()
        return normal_retry(value) if value.isascii() and value.isdigit() else int("x")


@fault("retry/digits-of-other-scripts-do-not-raise")
class RetryIsdigit(ReferenceParser):
    """isdigit() takes a superscript, and int() raises on it."""

    def field_retry(self, value):
        if value.isdigit():
            self.set_retry(normal_retry(value) if value.isascii() else str(int(value)))


@fault("retry/only-ascii-digits", "retry/a-wrong-value-leaves-the-earlier")
class RetryIsdecimal(ReferenceParser):
    """Digits of other scripts are taken."""

    def field_retry(self, value):
        if value.isdecimal():
            self.set_retry(normal_retry(value) if value.isascii() else str(int(value)))


@fault("retry/leading-zeros")
class RetryOctal(_Number):
    """A leading zero makes a time octal."""

    def read(self, value):
        if not (value.isascii() and value.isdigit()):
            raise ValueError
        return int(value, 8) if value[0] == "0" else normal_retry(value)


@fault("retry/leading-zeros")
class RetryLeadingZerosIgnored(_Number):
    """A time with a leading zero is not taken."""

    def read(self, value):
        if not (value.isascii() and value.isdigit()) or value != normal_retry(value):
            raise ValueError
        return value


@fault("retry/leading-zeros")
class RetryLeadingZerosKept(ReferenceParser):
    """The time is kept as the text it came in."""

    def field_retry(self, value):
        if value.isascii() and value.isdigit():
            self.retries.append(value)


@fault("retry/thousands-of-digits-do-not-raise")
class RetryHugeRaises(ReferenceParser):
    """int() raises beyond 4,300 digits."""

    def field_retry(self, value):
        if value.isascii() and value.isdigit():
            self.set_retry(str(int(value)))


@fault("retry/thousands-of-digits-do-not-raise")
class RetryOverflowRaises(ReferenceParser):
    """A time beyond what a float holds raises."""

    def set_retry(self, digits):
        if len(digits) > 308:
            raise OverflowError("int too large to convert to float")
        super().set_retry(digits)


@fault("retry/wrong-values-do-not-raise", "retry/digits-of-other-scripts-do-not-raise")
class RetryInvalidRaises(ReferenceParser):
    """A time that is not valid raises."""

    def field_retry(self, value):
        if not (value.isascii() and value.isdigit()):
            raise ValueError(f"invalid retry: {value!r}")
        super().field_retry(value)


@fault("retry/only-ascii-digits", "retry/a-wrong-value-leaves-the-earlier")
class RetryInvalidResets(ReferenceParser):
    """A time that is not valid sets it to nothing."""

    def field_retry(self, value):
        super().field_retry(value if value.isascii() and value.isdigit() else "0")


@fault("retry/a-wrong-value-leaves-the-earlier")
class RetryInvalidDropsTheBlock(ReferenceParser):
    """A time that is not valid throws the block away."""

    def field_retry(self, value):
        super().field_retry(value)
        if not (value.isascii() and value.isdigit()):
            self.reset_buffers()


@fault("retry/digits-set-the-time")
class RetryNotStored(ReferenceParser):
    """Times are not kept."""

    def set_retry(self, digits):
        pass


@fault("retry/digits-set-the-time")
class RetryFirstOfAllWins(ReferenceParser):
    """The first time of the stream stays."""

    def set_retry(self, digits):
        if not self.retries:
            super().set_retry(digits)


@fault("retry/digits-set-the-time")
class RetryZeroIgnored(ReferenceParser):
    """Zero is no time."""

    def set_retry(self, digits):
        if digits != "0":
            super().set_retry(digits)


@fault("dispatch/retry-only-blocks")
class RetryOnlyWithData(ReferenceParser):
    """The time of a block without data is forgotten."""

    pending = None

    def set_retry(self, digits):
        self.pending = digits

    def dispatch(self):
        if self._data and self.pending is not None:
            self.retries.append(self.pending)
        self.pending = None
        super().dispatch()


@fault(
    "retry/an-unfinished-block-sets-the-time", "end/a-field-before-a-cr-at-the-end", "prefix/every-prefix-is-a-stream"
)
class RetryOfAnUnfinishedBlockLost(ReferenceParser):
    """A time is set by the blank line, and not when its line is read."""

    def __init__(self):
        super().__init__()
        self.pending = []

    def set_retry(self, digits):
        self.pending.append(digits)

    def dispatch(self):
        self.retries += self.pending
        self.pending = []
        super().dispatch()


@fault("retry/values-beyond-31-bits")
class RetryClamped(ReferenceParser):
    """A time above 2^31-1 is made 2^31-1: a choice left open."""

    def set_retry(self, digits):
        super().set_retry(digits if len(digits) < 10 or (len(digits), digits) <= (10, "2147483647") else "2147483647")


@fault("retry/an-empty-value-is-ignored")
class RetryEmptyIsZero(ReferenceParser):
    """An empty time is 0: a choice left open."""

    def field_retry(self, value):
        super().field_retry(value or "0")
