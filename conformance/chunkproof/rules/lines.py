"""From text to lines: LF, CR and CRLF, whole and cut, and what is no line end."""

from __future__ import annotations

from chunkproof_strategies.chunkings import Cuts
from chunkproof_strategies.grammar import CR, CRLF, LF, Draft
from chunkproof_strategies.values import SEPARATORS

from ..plans import thorough
from .rule import chapter, contains, holds

rule = chapter("lines", clause="9.2.5 (end-of-line)", layer="lines")


def _cr_without_lf(wire: bytes, cuts: Cuts) -> bool:
    return b"\r" in wire.replace(b"\r\n", b"")


def _two_kinds_of_ends(wire: bytes, cuts: Cuts) -> bool:
    alone = wire.replace(b"\r\n", b"")
    return (b"\r\n" in wire) + (b"\n" in alone) + (b"\r" in alone) > 1


def _without_cr(wire: bytes, cuts: Cuts) -> bool:
    return b"\r" not in wire


def _events(draft: Draft, *ends: bytes, data_lines: int = 1) -> None:
    """One to three events with these ends, of so many data lines at the most."""
    draft.ends = ends
    for _ in range(1 + draft.source.below(3)):
        for _ in range(1 + draft.source.below(data_lines)):
            draft.data(draft.word())
        draft.blank()


@rule(wpt="format-newlines", point=_without_cr)
def lf(draft: Draft) -> None:
    """LF ends a line."""
    _events(draft, LF)


@rule(wpt="format-newlines", point=_cr_without_lf)
def cr(draft: Draft) -> None:
    """CR ends a line."""
    _events(draft, CR)


@rule(wpt="format-newlines", point=contains(CRLF))
def crlf(draft: Draft) -> None:
    """CRLF ends a line, and is one end: a stream of CRLF alone has no more events than one of LF."""
    _events(draft, CRLF, data_lines=2)


@rule(wpt="format-newlines", point=_two_kinds_of_ends, broad=True)
def mixed(draft: Draft) -> None:
    """LF, CR and CRLF may stand in one stream, each line with its own."""
    # Not CR and then LF: those are one end.
    first, second = draft.source.pick(((LF, CR), (LF, CRLF), (CR, CRLF), (CRLF, LF), (CRLF, CR)))
    if draft.source.chance(2):
        draft.ends = (second,)
        draft.plain_event()
    draft.ends = (first,)
    draft.data(draft.word())
    draft.ends = (second,)
    draft.blank()
    if draft.source.chance(2):
        draft.plain_event()


@rule(plans=thorough, point=contains(CRLF))
def crlf_cut(draft: Draft) -> None:
    """A CRLF whose CR and LF fall on two chunks is one line end."""
    draft.ends = (CRLF,)
    draft.data(draft.word())
    draft.data(draft.word())
    draft.blank()
    if draft.source.chance(2):
        draft.plain_event()


@rule(plans=thorough, point=contains(CRLF))
def crlf_cut_behind_other_lines(draft: Draft) -> None:
    """A CRLF that is cut is one line end behind a comment, a type, an id or a blank line as well."""
    draft.ends = (CRLF,)
    source = draft.source
    kind = source.below(4)
    if kind == 0:
        # Behind data: a blank line too many would show nothing if the block were empty.
        draft.data(draft.word())
        draft.comment(source.pick(("", " x")))
    elif kind == 1:
        draft.event("a")
    elif kind == 2:
        draft.id("1")
    draft.plain_event()
    draft.data(draft.word())
    draft.blank()


@rule(plans=thorough, point=holds(rb"\r[^\r\n]+\n"))
def lf_later_than_a_cr(draft: Draft) -> None:
    """An LF that does not come first after a CR ends a line of its own."""
    draft.ends = (CR,)
    draft.data(draft.word())
    draft.ends = (LF,)
    draft.either(lambda: draft.data(draft.word()), lambda: draft.comment(" x"))
    draft.blank()
    draft.plain_event()


@rule(plans=thorough, weight=2)
def blank_line_of_two_ends(draft: Draft) -> None:
    """A blank line is any two ends in a row that the standard reads as two: LF LF, LF CR, CR CR, CRLF LF and so on."""
    source = draft.source
    first, second = source.pick(
        ((LF, LF), (LF, CR), (LF, CRLF), (CR, CR), (CR, CRLF), (CRLF, LF), (CRLF, CR), (CRLF, CRLF))
    )
    for _ in range(1 + source.below(2)):
        draft.ends = (first,)
        draft.data(draft.word())
        draft.blank(second)


@rule(
    layer="text", plans=thorough, point=lambda wire, cuts: any(mark.encode() in wire for mark in SEPARATORS), weight=2
)
def other_separators_are_text(draft: Draft) -> None:
    """U+2028, U+2029, U+0085, VT, FF and the like are text, and end no line."""
    source = draft.source
    separator = source.pick(SEPARATORS)
    before, behind = source.pick(("a", "")), source.pick(("b", "", "data: b", "\ufeff"))
    draft.message(draft.value(before + separator + behind))
    if source.chance(3):
        draft.comment(separator + "data: x")
        draft.plain_event()


@rule(layer="text", needs=["type"], plans=thorough)
def other_separators_in_a_type(draft: Draft) -> None:
    """What is no line end ends no type."""
    draft.event(f"a{draft.source.pick(SEPARATORS)}{draft.source.pick(('', 'b'))}")
    draft.plain_event()


@rule(layer="text", needs=["id"], plans=thorough)
def other_separators_in_an_id(draft: Draft) -> None:
    """What is no line end ends no ID."""
    draft.id(f"a{draft.source.pick(SEPARATORS)}{draft.source.pick(('', 'b'))}")
    draft.plain_event()


@rule(layer="fields", plans=thorough)
def a_line_of_blanks_is_not_blank(draft: Draft) -> None:
    """A line that holds only blanks dispatches nothing: it is a field with an odd name."""
    draft.data(draft.word())
    draft.ignored(draft.source.pick((" ", "  ", "\t", " \t", "\u3000", "\xa0", "\u200b", "\x0b", "\x0c")))
    draft.data(draft.word())
    draft.blank()


@rule(
    plans=thorough, wpt="format-data-before-final-empty-line", point=lambda wire, cuts: wire[-1:] not in (b"\n", b"\r")
)
def an_unfinished_line_is_no_line(draft: Draft) -> None:
    """What follows the last line end is no line, and is thrown away."""
    draft.data(draft.word())
    if draft.source.chance(2):
        draft.blank()
    draft.unfinished(draft.source.pick((b"data: x", b"data", b": x", b"id: 1", b"event: a", b"retry: 5", b" ", b"d")))
