"""Deviations in the reconnection time."""

from __future__ import annotations

import re
from contextlib import suppress

from ..contract import normal_retry
from ..reference import ReferenceParser
from .deviation import Catalogue

deviation = Catalogue("fields", "9.2.6, retry: ASCII digits and nothing else are the reconnection time, in base ten")

_STATE = "9.2.6, retry: the reconnection time is set as the field is read, and stays until the next one"
_BOUND = "9.2.6, retry: any number of digits (the standard sets no bound)"
_WRONG_TIME = "After a lost connection the client waits for a time that the server never named."
_DIGITS = "Take a value only where value.isascii() and value.isdigit(), and ignore any other."
_ENDS = "The stream ends in an exception over a time that nobody needs yet"
_BASE_TEN = "Read the digits in base ten, whatever zeros they begin with."
_FLOAT_DIGITS = 308
_INT_32 = "2147483647"


def _is_time(value: str) -> bool:
    return value.isascii() and value.isdigit()


def _is_above(digits: str, bound: str) -> bool:
    return (len(digits), digits) > (len(bound), bound)


# What counts as a time -----------------------------------------------------------------------------------------------


@deviation(symptom=_WRONG_TIME, mend=_DIGITS, reports=("openai/openai-python#3834",))
class RetryLenientInt(ReferenceParser):
    """Takes for a time what int() does: signs, blanks, underscores, digits of other scripts."""

    def field_retry(self, value: str) -> None:
        with suppress(ValueError):
            digits = str(int(value))
            self.set_retry(digits)


@deviation(symptom=_WRONG_TIME, mend=_DIGITS)
class RetryLenientFloat(ReferenceParser):
    """Takes for a time what float() does: points and exponents."""

    def field_retry(self, value: str) -> None:
        with suppress(ValueError):
            digits = f"{float(value):.0f}"
            self.set_retry(digits)


@deviation(symptom=_WRONG_TIME, mend=_DIGITS)
class RetryParseInt(ReferenceParser):
    """Reads the digits at the start of a time, and takes no notice of the rest."""

    def field_retry(self, value: str) -> None:
        match = re.match(r"[0-9]+", value)
        super().field_retry(match.group() if match else value)


@deviation(symptom=_WRONG_TIME, mend=_DIGITS)
class RetryTrimmed(ReferenceParser):
    """Blanks around a time are removed."""

    def field_retry(self, value: str) -> None:
        super().field_retry(value.strip())


@deviation(symptom=_WRONG_TIME, mend=_DIGITS)
class RetrySigned(ReferenceParser):
    """A time may have a sign."""

    def field_retry(self, value: str) -> None:
        if re.fullmatch(r"-[0-9]+", value):
            self.set_retry("-" + normal_retry(value[1:]))
        else:
            super().field_retry(value[1:] if value[:1] == "+" else value)


@deviation(symptom=_WRONG_TIME, mend=_DIGITS)
class RetryAnyText(ReferenceParser):
    """Takes any text for a time."""

    def field_retry(self, value: str) -> None:
        self.set_retry(normal_retry(value) if _is_time(value) else value)


@deviation(symptom=f"{_ENDS}, written with a superscript.", mend=_DIGITS)
class RetryIsdigit(ReferenceParser):
    """Asks isdigit(), which takes a superscript for a digit, and raises in int()."""

    def field_retry(self, value: str) -> None:
        if value.isdigit() and not value.isascii():
            self.set_retry(str(int(value)))
        else:
            super().field_retry(value)


@deviation(symptom=_WRONG_TIME, mend=_DIGITS)
class RetryIsdecimal(ReferenceParser):
    """Digits of other scripts are taken for a time."""

    def field_retry(self, value: str) -> None:
        if value.isdecimal() and not value.isascii():
            self.set_retry(str(int(value)))
        else:
            super().field_retry(value)


# What becomes of a wrong one -----------------------------------------------------------------------------------------


@deviation(
    symptom=f"{_ENDS}, because it is no number.",
    mend=_DIGITS,
    reports=("rexxars/eventsource-parser#26",),
)
class RetryInvalidRaises(ReferenceParser):
    """A time that is not valid raises."""

    def field_retry(self, value: str) -> None:
        if not _is_time(value):
            raise ValueError(f"invalid retry: {value!r}")
        super().field_retry(value)


@deviation(
    symptom="After a wrong time and a lost connection the client reconnects at once, again and again.",
    mend="Leave the time as it is where a value is not valid.",
)
class RetryInvalidResets(ReferenceParser):
    """A time that is not valid sets it to 0."""

    def field_retry(self, value: str) -> None:
        super().field_retry(value if _is_time(value) else "0")


@deviation(
    symptom="An event with a wrong time in its block never arrives, or lacks what stood before that.",
    mend="Ignore the field alone, and not the block.",
)
class RetryInvalidDropsTheBlock(ReferenceParser):
    """A time that is not valid throws away what the block had so far."""

    def field_retry(self, value: str) -> None:
        super().field_retry(value)
        if not _is_time(value):
            self.reset_buffers()


@deviation(
    is_choice=True,
    clause="9.2.6, retry: the letter of the standard leaves an empty value open",
    symptom="After an empty `retry` field and a lost connection the client reconnects at once, again and again.",
    mend="Ask for at least one digit.",
)
class RetryEmptyIsZero(ReferenceParser):
    """An empty time is 0: a choice left open."""

    def field_retry(self, value: str) -> None:
        super().field_retry(value or "0")


# Which number it is --------------------------------------------------------------------------------------------------


@deviation(symptom=_WRONG_TIME, mend=_BASE_TEN)
class RetryOctal(ReferenceParser):
    """A leading zero makes a time octal."""

    def field_retry(self, value: str) -> None:
        if not (_is_time(value) and value[0] == "0"):
            super().field_retry(value)
        elif re.fullmatch("[0-7]{1,4000}", value):
            super().field_retry(str(int(value, 8)))


@deviation(symptom="A time such as 0500 is not kept.", mend=_BASE_TEN)
class RetryLeadingZerosIgnored(ReferenceParser):
    """A time with a leading zero is not taken."""

    def field_retry(self, value: str) -> None:
        if value[:1] != "0" or value == "0":
            super().field_retry(value)


@deviation(symptom="A time such as 0500 is shown with its zeros, and is no number.", mend=_BASE_TEN)
class RetryLeadingZerosKept(ReferenceParser):
    """The time is kept as the text it came in."""

    def field_retry(self, value: str) -> None:
        if _is_time(value):
            self.set_retry(value)


@deviation(
    symptom="After a lost connection the client waits a thousand times as long as the server asked.",
    mend="Take the time for milliseconds.",
)
class RetryInSeconds(ReferenceParser):
    """Takes a time for seconds."""

    def set_retry(self, digits: str) -> None:
        super().set_retry(normal_retry(digits + "000"))


def _retry_minimum(bound: int) -> None:
    @deviation(
        symptom=f"A server that asks for less than {bound:,} milliseconds waits longer for its clients.",
        mend="Keep the time as it was sent, and put a bound on the wait and not on the time.",
        value=bound,
    )
    class RetryMinimum(ReferenceParser):
        """A time below {} ms is raised to it."""

        def set_retry(self, digits: str) -> None:
            super().set_retry(digits if _is_above(digits, str(bound)) else str(bound))


_retry_minimum(100)
_retry_minimum(1000)


@deviation(
    symptom="A server that asks for a reconnection at once waits for its clients.",
    mend="Compare with None, or with the empty text: 0 is a time.",
)
class RetryZeroIgnored(ReferenceParser):
    """Zero is no time."""

    def set_retry(self, digits: str) -> None:
        if digits != "0":
            super().set_retry(digits)


# Which are too large -------------------------------------------------------------------------------------------------


@deviation(
    clause=_BOUND,
    symptom=f"{_ENDS}, because it has thousands of digits.",
    mend="Compare the length of the value with a bound before int() reads it.",
)
class RetryHugeRaises(ReferenceParser):
    """Raises on a time of more than 4,300 digits, as int() does."""

    def field_retry(self, value: str) -> None:
        if _is_time(value) and len(value) > 4300:
            raise ValueError("Exceeds the limit (4300 digits) for integer string conversion")
        super().field_retry(value)


@deviation(
    clause=_BOUND,
    symptom=f"{_ENDS}, because a float cannot hold it.",
    mend="Compare the length of the value with a bound before float() reads it.",
)
class RetryOverflowRaises(ReferenceParser):
    """A time beyond what a float holds raises."""

    def set_retry(self, digits: str) -> None:
        if len(digits) > _FLOAT_DIGITS:
            raise OverflowError("int too large to convert to float")
        super().set_retry(digits)


@deviation(
    is_choice=True,
    clause=_BOUND,
    symptom="A time of more than 24 days is shown as 2147483647.",
    mend="Nothing need be done; an exact value above 2^31-1 is a choice left open.",
)
class RetryClamped(ReferenceParser):
    """A time above 2^31-1 is made 2^31-1: a choice left open."""

    def set_retry(self, digits: str) -> None:
        super().set_retry(_INT_32 if _is_above(digits, _INT_32) else digits)


@deviation(
    is_choice=True,
    clause=_BOUND,
    symptom="A time of more than 24 days is shown as a small or a negative number.",
    mend="Compare the value with the bound before it is put into 32 bits.",
)
class RetryWraps(ReferenceParser):
    """A time above 2^31-1 loses all but its last 32 bits."""

    def set_retry(self, digits: str) -> None:
        if _is_above(digits, _INT_32) and len(digits) <= _FLOAT_DIGITS:
            digits = str((int(digits) + 2**31) % 2**32 - 2**31)
        super().set_retry(digits)


@deviation(
    is_choice=True,
    clause=_BOUND,
    symptom="A time of more than 24 days is not kept.",
    mend="Nothing need be done; an exact value above 2^31-1 is a choice left open.",
)
class RetryTooLargeIgnored(ReferenceParser):
    """A time above 2^31-1 is not taken: a choice left open."""

    def set_retry(self, digits: str) -> None:
        if not _is_above(digits, _INT_32):
            super().set_retry(digits)


# How long it stays ---------------------------------------------------------------------------------------------------


@deviation(
    clause=_STATE,
    symptom="The time that a server asks for has no effect.",
    mend="Keep the number that was read.",
    reports=("gin-contrib/sse#48",),
)
class RetryNotStored(ReferenceParser):
    """Times are not kept."""

    def set_retry(self, digits: str) -> None:
        pass


@deviation(
    clause=_STATE,
    symptom="A server cannot change the time that it asked for first.",
    mend="Let each valid time replace the one before it.",
)
class RetryFirstOfAllWins(ReferenceParser):
    """The first time of the stream stays."""

    def set_retry(self, digits: str) -> None:
        if not self.retries:
            super().set_retry(digits)


@deviation(
    clause=_STATE,
    symptom="A time that a server sends in a block of its own has no effect.",
    mend="Set the time as the field is read, whatever else the block holds.",
)
class RetryOnlyWithData(ReferenceParser):
    """The time of a block without data is forgotten."""

    __pending: tuple[str, ...] = ()

    def set_retry(self, digits: str) -> None:
        self.__pending = (digits,)

    def dispatch(self) -> None:
        if self._data:
            for digits in self.__pending:
                super().set_retry(digits)
        self.__pending = ()
        super().dispatch()


@deviation(
    clause=_STATE,
    symptom="A time that came right before the connection was lost has no effect.",
    mend="Set the time as the field is read, and not at the blank line.",
)
class RetryOfAnUnfinishedBlockLost(ReferenceParser):
    """A time is set by the blank line, and not when its line is read."""

    __pending: tuple[str, ...] = ()

    def set_retry(self, digits: str) -> None:
        self.__pending = (*self.__pending, digits)

    def dispatch(self) -> None:
        for digits in self.__pending:
            super().set_retry(digits)
        self.__pending = ()
        super().dispatch()
