"""The reconnection time: ASCII digits of any number, and nothing else."""

from __future__ import annotations

from chunkproof_strategies.grammar import Draft
from chunkproof_strategies.values import LONG_RETRIES, RETRIES, WRONG_RETRIES

from ..plans import wide
from .rule import chapter, has_field

rule = chapter("retry", clause="9.2.6 (process the field, retry)", layer="fields")

_OTHER_DIGITS = ("٣", "²", "५", "５", "𝟗", "௧", "①", "1٣", "٣1", "²²")


@rule(needs=["retry"], wpt="format-field-retry", point=has_field("retry"))
def digits_set_the_time(draft: Draft) -> None:
    """A value of ASCII digits is the new reconnection time, in milliseconds."""
    for _ in range(1 + draft.source.below(2)):
        draft.retry(draft.source.pick(RETRIES), draft.source.pick((b": ", b":")))
        draft.plain_event()


@rule(needs=["retry"], wpt="format-field-retry-bogus", point=has_field("retry"))
def only_ascii_digits(draft: Draft) -> None:
    """A value that holds anything but ASCII digits is ignored."""
    source = draft.source
    if source.chance(2):
        draft.retry(source.pick(("10", "1234")))
        draft.plain_event()
    draft.ignored(f"retry: {source.pick(WRONG_RETRIES)}")
    draft.plain_event()


@rule(needs=["retry"], point=has_field("retry"))
def a_wrong_value_leaves_the_earlier(draft: Draft) -> None:
    """A value that is not valid leaves the time that was set before it, in the same block too."""
    draft.retry(draft.source.pick(("10", "1234", "0")))
    if draft.source.chance(2):
        draft.data(draft.word())
    draft.ignored(f"retry: {draft.source.pick(WRONG_RETRIES)}")
    draft.plain_event()


@rule(needs=["retry"], point=has_field("retry"))
def leading_zeros(draft: Draft) -> None:
    """Digits are read in base ten, leading zeros and all: 05 is 5, 010 is 10."""
    draft.retry(draft.source.pick(("05", "007", "010", "00", "0000000000000000000001", "08", "0100")))
    draft.plain_event()


@rule(clause="9.2.6 (end of the file)", needs=["retry at the end"], point=has_field("retry"))
def an_unfinished_block_sets_the_time(draft: Draft) -> None:
    """A time takes effect as its line is read, also in a block that the end of input cuts short."""
    draft.plain_event()
    draft.retry(draft.source.pick(RETRIES))


@rule(ignores=["retry"], point=has_field("retry"))
def wrong_values_do_not_raise(draft: Draft) -> None:
    """A value that is not valid raises nothing and loses no event."""
    source = draft.source
    draft.ignored(f"retry: {source.pick(WRONG_RETRIES)}")
    if source.chance(3):
        draft.blank()
    draft.plain_event()


@rule(ignores=["retry"], point=has_field("retry"))
def digits_of_other_scripts_do_not_raise(draft: Draft) -> None:
    """Digits of other scripts, which `str.isdigit` takes for digits, raise nothing."""
    draft.ignored(f"retry: {draft.source.pick(_OTHER_DIGITS)}")
    draft.plain_event()


@rule(ignores=["retry"], plans=wide, point=has_field("retry"), weight=0.3)
def thousands_of_digits_do_not_raise(draft: Draft) -> None:
    """A value of thousands of digits raises nothing and loses no event."""
    draft.retry(draft.source.pick(LONG_RETRIES))
    draft.plain_event()


@rule(severity="info", needs=["retry"], wpt="format-field-retry-empty", point=has_field("retry"))
def an_empty_value_is_ignored(draft: Draft) -> None:
    """An empty value sets no time (the letter of the standard leaves it open)."""
    draft.retry("10")
    draft.plain_event()
    draft.ignored(draft.source.pick((b"retry:", b"retry: ", b"retry")))
    draft.plain_event()


@rule(severity="info", needs=["retry"], point=has_field("retry"))
def values_beyond_31_bits(draft: Draft) -> None:
    """A time above 2147483647 ms is kept as it is (the standard sets no bound)."""
    draft.retry(draft.source.pick(("2147483648", "4294967296", "9007199254740993", "9223372036854775808", "9" * 20)))
    draft.plain_event()
