"""The end of input: what is discarded, what is complete, what nothing at all means."""

from __future__ import annotations

from chunkproof_strategies.grammar import CR, CRLF, LF, Draft

from ..plans import empty_chunks, thorough
from .rule import chapter

rule = chapter("end", clause="9.2.6 (end of the file)", layer="lines")


@rule(wpt="format-data-before-final-empty-line", layer="fields")
def an_unfinished_event_is_discarded(draft: Draft) -> None:
    """A block with no blank line behind it is discarded at the end of input."""
    source = draft.source
    draft.ends = (source.pick((LF, CRLF)),)
    if source.chance(2):
        draft.plain_event()
    if source.chance(3):
        draft.event("a")
    draft.data(draft.word())
    if source.chance(3):
        draft.data(draft.word())


@rule()
def an_event_in_an_unfinished_line_is_discarded(draft: Draft) -> None:
    """A block whose last line has no end is discarded."""
    if draft.source.chance(2):
        draft.plain_event()
    if draft.source.chance(2):
        draft.data(draft.word())
    draft.unfinished(b"data: " + draft.word().encode())


@rule(layer="fields")
def nothing_is_invented(draft: Draft) -> None:
    """The end of a complete stream adds no event."""
    for _ in range(1 + draft.source.below(2)):
        draft.plain_event()
    draft.either(draft.blank, lambda: draft.comment(" x"), lambda: draft.id("1"), lambda: draft.ignored("x"))


def _ends_in_cr(wire: bytes, cuts: tuple[int, ...]) -> bool:
    return wire.endswith(b"\r")


@rule(plans=thorough, point=_ends_in_cr, open_without_end=True)
def a_cr_at_the_very_end_completes_a_blank_line(draft: Draft) -> None:
    """A blank line made by a CR that is the last byte is complete: its event comes out by the end of input.

    A target that cannot be told the end cannot know that no LF follows, so it may wait: for it this is an info.
    """
    source = draft.source
    draft.ends = (source.pick((LF, CR, CRLF)),)
    if source.chance(2):
        draft.plain_event()
    draft.data(draft.word())
    draft.blank(CR)


@rule(plans=thorough, layer="fields")
def a_field_before_a_cr_at_the_end(draft: Draft) -> None:
    """A line that ends in CR as the last byte is a line, but makes no event without a blank one."""
    draft.plain_event()
    draft.ends = (CR,)
    draft.either(lambda: draft.data(draft.word()), lambda: draft.comment(" x"), lambda: draft.retry("5"))


@rule(plans=lambda wire, source: [()], layer="fields")
def no_chunks(draft: Draft) -> None:
    """No chunks at all make no event and raise nothing."""


@rule(needs=["empty chunks"], plans=lambda wire, source: [(0,) * count for count in (1, 2, 3, 10)])
def only_empty_chunks(draft: Draft) -> None:
    """Empty chunks alone make no event and raise nothing."""


@rule(needs=["empty chunks"], plans=empty_chunks)
def empty_chunks_at_the_end(draft: Draft) -> None:
    """Empty chunks before the end of input change nothing, with an event complete or not."""
    draft.plain_event()
    if draft.source.chance(2):
        draft.data(draft.word())
    if draft.source.chance(2):
        draft.unfinished(b"data: x")
