"""From bytes to text: UTF-8 across chunks, ill-formed sequences, the byte order mark."""

from __future__ import annotations

from chunkproof_strategies.chunkings import Cuts
from chunkproof_strategies.grammar import Draft
from chunkproof_strategies.values import (
    ILL_FORMED,
    MARK,
    NONCHARACTERS,
    TEXTS,
    TRUNCATED,
    UNNORMALISED,
    ZWJ_SEQUENCES,
    Raw,
)

from ..plans import empty_chunks, thorough
from .rule import chapter, contains, holds

rule = chapter("bytes", clause="9.2.5 (UTF-8 decode)", layer="bytes")

_UTF8 = "Encoding, UTF-8 decoder"


def strict_by_design(failure: BaseException | None) -> str:
    """What to tell the author of a parser that raises on ill-formed UTF-8."""
    if isinstance(failure, UnicodeError):
        return (
            "The standard never stops a stream for ill-formed UTF-8. If this parser is strict by design, declare it: "
            "--chunkproof-declare invalid_utf8=strict (deviation invalid-utf8=strict)."
        )
    return ""


def _has_characters(wire: bytes, cuts: Cuts) -> bool:
    return not wire.isascii()


def _cut_in_the_mark(wire: bytes, cuts: Cuts) -> bool:
    return wire.startswith(MARK) and any(at in (1, 2) for at in cuts)


# A sequence of bytes that its next bytes could still have completed, but did not.
_TRUNCATED = (
    rb"(?:[\xc2-\xf4]|[\xe1-\xec\xee\xef][\x80-\xbf]|\xe0[\xa0-\xbf]|\xed[\x80-\x9f]|[\xf1-\xf3][\x80-\xbf]{1,2}"
    rb"|\xf0[\x90-\xbf][\x80-\xbf]?|\xf4[\x80-\x8f][\x80-\xbf]?)"
)


def _characters(draft: Draft, low: int, high: int) -> None:
    source = draft.source
    text = "".join([chr(source.between(low, high)) for _ in range(1 + source.below(3))])
    before, behind = source.pick(("", "a")), source.pick(("", "b"))
    draft.message(draft.value(before + text + behind))


@rule(cuts_characters=True, clause=_UTF8, wpt="format-utf-8", point=_has_characters)
def two_byte_character_cut(draft: Draft) -> None:
    """A character of two bytes that is cut between chunks comes out whole."""
    _characters(draft, 0xA1, 0x7FF)


@rule(cuts_characters=True, clause=_UTF8, wpt="format-utf-8", point=_has_characters)
def three_byte_character_cut(draft: Draft) -> None:
    """A character of three bytes, Chinese for one, that is cut between chunks comes out whole."""
    low, high = draft.source.pick(((0x4E00, 0x9FFF), (0x0900, 0x1FFF), (0xAC00, 0xD7A3), (0xE000, 0xFDCF)))
    _characters(draft, low, high)


@rule(cuts_characters=True, clause=_UTF8, wpt="format-utf-8", point=_has_characters)
def four_byte_character_cut(draft: Draft) -> None:
    """A character of four bytes, an emoji for one, that is cut between chunks comes out whole."""
    low, high = draft.source.pick(((0x1F300, 0x1FAFF), (0x20000, 0x2A6DF), (0x10000, 0x10FFFF)))
    _characters(draft, low, high)


@rule(cuts_characters=True, clause=_UTF8, point=holds(rb"(?:[\xc2-\xf4][\x80-\xbf]+){2}"))
def zwj_sequence_cut(draft: Draft) -> None:
    """A sequence of emoji that people see as one, cut anywhere, comes out whole."""
    source = draft.source
    draft.message(draft.value(source.pick(("", "a", "你")) + source.pick(ZWJ_SEQUENCES) + source.pick(("", "b", "🙂"))))


@rule(cuts_characters=True, clause=_UTF8, needs=["type"], point=holds(rb"event: ?[^\r\n]*[\x80-\xff]"))
def character_cut_in_a_type(draft: Draft) -> None:
    """A character that is cut between chunks comes out whole in an event's type."""
    draft.event(draft.source.pick(TEXTS))
    draft.plain_event()


@rule(cuts_characters=True, clause=_UTF8, point=holds(rb"(?:\A|[\r\n]):[^\r\n]*[\x80-\xff]"))
def character_cut_in_a_comment(draft: Draft) -> None:
    """A character that is cut between chunks in a comment changes nothing."""
    draft.comment(draft.source.pick(("心跳", " 心跳", "🙂", " é", "a🙂a")))
    draft.plain_event()


@rule(cuts_characters=True, clause=_UTF8, advice=strict_by_design, plans=thorough)
def ill_formed_is_replaced(draft: Draft) -> None:
    """Ill-formed UTF-8 becomes U+FFFD, once for each maximal subpart, and never stops the stream."""
    source = draft.source
    raw = source.pick(ILL_FORMED)
    before, behind = source.pick(("", "a", "你")), source.pick(("", "b", "你"))
    draft.message(Raw(before.encode() + raw.wire + behind.encode(), before + raw.text + behind))
    if source.chance(2):
        draft.plain_event()


@rule(
    clause=_UTF8,
    cuts_characters=True,
    advice=strict_by_design,
    plans=thorough,
    point=holds(_TRUNCATED + rb"[^\x80-\xbf\r\n]"),
)
def truncated_character_before_text(draft: Draft) -> None:
    """A character that lacks its last bytes becomes one U+FFFD, and what follows is kept, also in a later chunk."""
    source = draft.source
    raw, behind = source.pick(TRUNCATED), source.pick(("a", "b", "你"))
    draft.message(Raw(raw.wire + behind.encode(), raw.text + behind))


@rule(clause=_UTF8, cuts_characters=True, advice=strict_by_design, needs=["type"])
def ill_formed_in_a_type_is_replaced(draft: Draft) -> None:
    """Ill-formed UTF-8 in an event's type becomes U+FFFD as anywhere, and the field counts."""
    draft.event(draft.source.pick(ILL_FORMED))
    draft.plain_event()


@rule(clause=_UTF8, cuts_characters=True, advice=strict_by_design, needs=["id"])
def ill_formed_in_an_id_is_replaced(draft: Draft) -> None:
    """Ill-formed UTF-8 in an ID becomes U+FFFD as anywhere, and the field counts."""
    draft.id(draft.source.pick(ILL_FORMED))
    draft.plain_event()


@rule(cuts_characters=True, clause=_UTF8, advice=strict_by_design, plans=thorough, point=holds(_TRUNCATED + rb"[\r\n]"))
def truncated_character_before_a_line_end(draft: Draft) -> None:
    """A character that lacks its last bytes does not swallow the line end behind it."""
    draft.message(draft.source.pick(TRUNCATED))
    draft.plain_event()


@rule(cuts_characters=True, clause=_UTF8, advice=strict_by_design, plans=thorough, point=holds(_TRUNCATED + rb"\Z"))
def cut_short_at_the_end(draft: Draft) -> None:
    """A character that the end of input cuts short stands in an unfinished line, and raises nothing."""
    draft.plain_event()
    draft.unfinished(
        draft.source.pick((b"data: ", b"data: a", b": ", b"id: ", b"")) + draft.source.pick(TRUNCATED).wire
    )


@rule(wpt="format-bom", plans=thorough, point=lambda wire, cuts: wire.startswith(MARK))
def mark_removed(draft: Draft) -> None:
    """One byte order mark at the very start is removed."""
    draft.mark()
    draft.plain_event()
    if draft.source.chance(2):
        draft.plain_event()


@rule(wpt="format-bom", plans=thorough, point=lambda wire, cuts: wire.startswith(MARK))
def mark_before_other_fields(draft: Draft) -> None:
    """A byte order mark is removed before a comment or an id as well."""
    draft.mark()
    source = draft.source
    if source.chance(2):
        draft.comment(source.pick(("", " x")))
    else:
        draft.id(source.pick(("1", "a")))
    draft.plain_event()


@rule(cuts_characters=True, only_cuts=True, plans=thorough, wpt="format-bom", point=_cut_in_the_mark)
def mark_cut(draft: Draft) -> None:
    """A byte order mark whose bytes fall on two or three chunks is removed."""
    draft.mark()
    draft.plain_event()


@rule(needs=["empty chunks"], plans=empty_chunks, point=lambda wire, cuts: wire.startswith(MARK) and cuts[:1] == (0,))
def mark_behind_an_empty_chunk(draft: Draft) -> None:
    """A byte order mark is removed also where an empty chunk comes before it."""
    draft.mark()
    draft.plain_event()


@rule(wpt="format-bom-2", plans=thorough, point=lambda wire, cuts: wire.startswith(MARK + MARK))
def only_one_mark(draft: Draft) -> None:
    """Of two byte order marks at the start, the second is text."""
    draft.mark()
    draft.ignored(MARK + draft.source.pick((b"data: x", b"data", b": x", b"data:")))
    draft.blank()
    draft.plain_event()


@rule(plans=thorough, layer="text", point=contains(MARK))
def a_mark_in_a_value_is_text(draft: Draft) -> None:
    """U+FEFF in a value is text."""
    source = draft.source
    draft.message(draft.value(source.pick(("", "a")) + "\ufeff" + source.pick(("", draft.word()))))


@rule(plans=thorough, point=holds(rb"[\r\n]\xef\xbb\xbf"), layer="text")
def a_mark_at_a_later_line_is_text(draft: Draft) -> None:
    """U+FEFF at the start of a later line is part of a name, behind a blank line as well."""
    for _ in range(1 + draft.source.below(2)):
        draft.blank()
    draft.ignored(MARK + draft.source.pick((b"data: x", b"data: a", b"data: 1")))
    draft.blank()
    if draft.source.chance(2):
        draft.plain_event()


@rule(cuts_characters=True, plans=thorough, advice=strict_by_design, point=holds(rb"\A\xef(?!\xbb\xbf)"))
def truncated_mark(draft: Draft) -> None:
    """EF or EF BB at the start is no byte order mark, but ill-formed text."""
    draft.raw(draft.source.pick((b"\xef", b"\xef\xbb")))
    draft.raw(draft.source.pick((b"", b"\n", b"data: x\n\n", b"a\n", b"\xef\xbb\xbfdata: x\n\n")))
    if draft.source.chance(2):
        draft.raw(b"\n\ndata: a\n\n")


@rule(plans=thorough, point=holds(rb"\A\xef\xbb\xbf[\r\n]"))
def mark_then_blank_line(draft: Draft) -> None:
    """A blank line right behind the byte order mark is a blank line."""
    draft.mark()
    draft.blank(draft.source.pick((b"\n", b"\r\n")))
    draft.plain_event()


@rule(plans=thorough, point=lambda wire, cuts: wire.startswith(MARK))
def mark_alone(draft: Draft) -> None:
    """A stream that is only a byte order mark holds no event."""
    draft.mark()


@rule(plans=thorough, advice=strict_by_design, point=holds(rb"\A\xff\xfe"))
def utf16_mark_is_no_mark(draft: Draft) -> None:
    """FF FE at the start are two ill-formed bytes and not the mark of UTF-16: nothing is guessed."""
    draft.raw(draft.source.pick((b"\xff\xfe", b"\xff\xfe\0\0")))
    draft.raw(draft.source.pick((b"data: x\n", b"\n", b": x\n", b"")))
    draft.plain_event()


@rule(layer="text", wpt="format-null-character", point=contains(b"\0"))
def nul_is_text(draft: Draft) -> None:
    """U+0000 is text in data."""
    source = draft.source
    draft.message(
        draft.value(source.pick(("", draft.word())) + source.pick(("\0", "\0\0")) + source.pick(("", draft.word())))
    )


@rule(layer="text", needs=["type"], point=contains(b"\0"))
def nul_in_a_type_is_text(draft: Draft) -> None:
    """U+0000 is text in an event's type."""
    draft.event(draft.source.pick(("a\0", "\0", "\0a", "a\0a")))
    draft.plain_event()


@rule(layer="text", point=contains(b"\0"))
def nul_in_a_comment_or_a_name(draft: Draft) -> None:
    """U+0000 in a comment changes nothing, and in a name it makes another name."""
    draft.ignored(draft.source.pick((":\0", ": a\0b", "data\0: x", "\0data: x", "\0", "a\0b: x", "da\0ta")))
    draft.plain_event()


@rule(layer="text")
def nothing_is_normalised(draft: Draft) -> None:
    """Text comes out as it was sent: decomposed, composed, compatibility and full-width forms alike."""
    draft.event(draft.source.pick(UNNORMALISED))
    draft.id(draft.source.pick(UNNORMALISED))
    draft.message(draft.value(draft.source.pick(UNNORMALISED) + draft.source.pick(("", *UNNORMALISED))))


@rule(layer="text")
def noncharacters_pass(draft: Draft) -> None:
    """Noncharacters, private use and U+FFFD itself are text."""
    source = draft.source
    text = source.pick((*NONCHARACTERS, "\ufffd", "\ue000", "\U000f0000"))
    draft.message(draft.value(source.pick(("", "a")) + text + source.pick(("", "b"))))
