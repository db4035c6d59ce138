"""From lines to fields: names, the colon, the one space, comments, several data lines."""

from __future__ import annotations

from chunkproof_strategies.chunkings import Cuts
from chunkproof_strategies.grammar import Draft
from chunkproof_strategies.values import NEAR_NAMES, TRAPS

from ..plans import thorough
from .rule import Point, chapter, contains, different, has_field

rule = chapter("fields", clause="9.2.6 (process the field)", layer="fields")

_COMMENT = "9.2.6 (line starts with a colon)"
_VALUE = "9.2.6 (line contains a colon)"


@rule(clause=_VALUE, wpt="format-leading-space", point=contains(b": "))
def one_space_is_removed(draft: Draft) -> None:
    """One space behind the colon is no part of the value."""
    draft.message(draft.word())


@rule(clause=_VALUE, point=lambda wire, cuts: b": " not in wire)
def no_space(draft: Draft) -> None:
    """A value may follow the colon at once."""
    draft.message(draft.word(), b":")


@rule(clause=_VALUE, needs=["type"], point=has_field("event"))
def one_space_in_a_type(draft: Draft) -> None:
    """A type loses one space behind the colon, or none if there is none."""
    draft.event(draft.source.pick(("a", "ping", " a")), draft.source.pick((b": ", b":")))
    draft.plain_event()


@rule(clause=_VALUE, needs=["id"], point=has_field("id"))
def one_space_in_an_id(draft: Draft) -> None:
    """An ID loses one space behind the colon, or none if there is none."""
    draft.id(draft.source.pick(("1", "a", " 1")), draft.source.pick((b": ", b":")))
    draft.plain_event()


@rule(clause=_VALUE, point=contains(b":  "))
def a_second_space_is_kept(draft: Draft) -> None:
    """Only one space is removed: a second one belongs to the value."""
    draft.message(draft.value(draft.source.pick((" ", "  ")) + draft.source.pick(("a", "x y", ""))))


@rule(clause=_VALUE, point=contains(b"\t"))
def a_tab_is_kept(draft: Draft) -> None:
    """A tab behind the colon, or behind the space, belongs to the value."""
    draft.message(draft.value("\t" + draft.source.pick(("a", "", "\ta"))), draft.source.pick((b":", b": ")))


def _has_trailing_blanks(wire: bytes, cuts: Cuts) -> bool:
    lines = wire.decode(errors="replace").replace("\r", "\n").split("\n")
    return any(line[-1:].isspace() for line in lines)


@rule(clause=_VALUE, point=_has_trailing_blanks)
def trailing_blanks_are_kept(draft: Draft) -> None:
    """Blanks at the end of a value belong to it."""
    blanks = draft.source.pick((" ", "  ", "\t", " \t", "\u3000", "\xa0", "\x0b", "\x0c"))
    draft.message(draft.value(draft.source.pick(("a", "x y", "")) + blanks))


def _bare(name: str) -> Point:
    return lambda wire, cuts: name.encode() in wire.replace(b"\r", b"\n").split(b"\n")


@rule(clause="9.2.6 (line without a colon)", point=_bare("data"))
def data_without_colon(draft: Draft) -> None:
    """A line `data` without a colon is a data line with an empty value."""
    draft.bare("data")
    if draft.source.chance(2):
        draft.either(lambda: draft.bare("data"), lambda: draft.data(draft.word()))
    draft.blank()
    draft.plain_event()


@rule(clause="9.2.6 (line without a colon)", needs=["type"], point=_bare("event"))
def event_without_colon(draft: Draft) -> None:
    """A line `event` without a colon makes the type empty, which means "message"."""
    draft.event(draft.source.pick(("a", "ping")))
    draft.bare("event")
    draft.plain_event()


@rule(clause="9.2.6 (line without a colon)", needs=["id"], point=_bare("id"))
def id_without_colon(draft: Draft) -> None:
    """A line `id` without a colon resets the last event ID."""
    draft.id(draft.source.pick(("1", "a")))
    draft.plain_event()
    draft.bare("id")
    draft.plain_event()


@rule(clause="9.2.6 (line without a colon)", ignores=["retry"], point=_bare("retry"))
def retry_without_colon(draft: Draft) -> None:
    """A line `retry` without a colon raises nothing and makes no event (the time it sets is left open)."""
    draft.bare("retry")
    if draft.source.chance(2):
        draft.blank()
    draft.plain_event()


@rule(clause=_VALUE, point=lambda wire, cuts: wire.count(b":") > 1)
def colons_in_the_value(draft: Draft) -> None:
    """The first colon ends the name; all others belong to the value."""
    draft.message(
        draft.value(
            draft.source.pick((":", "a:b", "::", ": a", "a: b", "http://x/?a=1:2", '{"a":1,"b":"c:d"}', "12:30:00"))
        )
    )


@rule(clause=_VALUE, weight=3)
def a_value_that_looks_like_more(draft: Draft) -> None:
    """A value is text, whatever it looks like: an end mark, a field, JSON, an escape."""
    draft.message(draft.value(draft.source.pick(TRAPS)))
    draft.plain_event()


# A mark before a name is for the rules on marks.
_NEAR_NAMES = tuple(name for name in NEAR_NAMES if not name.startswith("\ufeff"))


@rule()
def names_are_exact(draft: Draft) -> None:
    """Names are compared exactly: no other case, no blanks, no prefix."""
    source = draft.source
    draft.data(draft.word())
    draft.ignored(source.pick(_NEAR_NAMES) + source.pick((":", ": ")) + source.pick(("x", "9", "a")))
    draft.blank()
    if source.chance(2):
        draft.ignored(source.pick(_NEAR_NAMES))
        draft.plain_event()


@rule(wpt="format-field-unknown")
def unknown_fields_are_ignored(draft: Draft) -> None:
    """A field with any other name is ignored, wherever it stands."""
    source = draft.source
    unknown = (
        "x: 1",
        "foo",
        "x:",
        "comment: a",
        "_: _",
        "数: 1",
        "retry-after: 5",
        "0: 1",
        "a b: c",
        "{}",
        '{"data":"x"}',
        "HTTP/1.1 200 OK",
    )
    if source.chance(2):
        draft.ignored(source.pick(unknown))
    draft.data(draft.word())
    draft.ignored(source.pick(unknown))
    draft.blank()


def _has_comment(wire: bytes, cuts: Cuts) -> bool:
    return wire[:1] == b":" or b"\n:" in wire


_COMMENTS = (
    "",
    " ",
    " ping",
    "ping",
    ":",
    ": x",
    "data: x",
    " data: x",
    "\t",
    " 心跳",
    "event: x",
    "\0",
    "\ufeff",
    " [DONE]",
)


@rule(clause=_COMMENT, wpt="format-comments", point=_has_comment, weight=1.5)
def comments_are_ignored(draft: Draft) -> None:
    """A line that starts with a colon is ignored, whatever stands in it."""
    source = draft.source
    if source.chance(2):
        draft.plain_event()
    for _ in range(1 + source.below(2)):
        draft.comment(source.pick(_COMMENTS))
    draft.data(draft.word())
    if source.chance(2):
        draft.comment(source.pick(_COMMENTS))
    draft.blank()


@rule(clause=_COMMENT, wpt="format-comments", needs=["type"], point=_has_comment)
def comments_behind_the_type(draft: Draft) -> None:
    """A comment behind the type of an event leaves it as it is."""
    draft.event(draft.source.pick(("a", "ping")))
    draft.comment(draft.source.pick(_COMMENTS))
    draft.data(draft.word())
    draft.blank()


@rule(clause=_COMMENT, wpt="format-comments", point=lambda wire, cuts: wire[:1] == b":")
def a_comment_may_come_first(draft: Draft) -> None:
    """A comment may be the first line of a stream."""
    draft.comment(draft.source.pick(_COMMENTS))
    draft.plain_event()


@rule(clause=_COMMENT, wpt="format-comments", point=_has_comment)
def comments_between_data_lines(draft: Draft) -> None:
    """A comment between the data lines of an event splits neither event nor data."""
    draft.data(draft.word())
    for _ in range(1 + draft.source.below(2)):
        draft.comment(draft.source.pick(_COMMENTS))
    draft.data(draft.word())
    draft.blank()


@rule(clause=_COMMENT, layer="lines", plans=thorough, point=_has_comment)
def comments_cut_anywhere(draft: Draft) -> None:
    """A comment that is cut, even into one that looks like a field, is ignored."""
    draft.comment(draft.source.pick(("data: x", " data: x", "id: 9", "event: x", " ping", "")))
    draft.plain_event()


def _has_empty_data(wire: bytes, cuts: Cuts) -> bool:
    return b"data:\n" in wire or b"data: \n" in wire


@rule(wpt="format-field-data", point=different("data"))
def data_lines_are_joined(draft: Draft) -> None:
    """Several data lines are joined with LF."""
    for _ in range(2 + draft.source.below(3)):
        draft.data(draft.word())
    draft.blank()


@rule(point=_has_empty_data)
def empty_data_lines_count(draft: Draft) -> None:
    """An empty data line between others is an empty line of the data."""
    draft.data(draft.word())
    for _ in range(1 + draft.source.below(2)):
        draft.data("", draft.source.pick((b":", b": ")))
    draft.data(draft.word())
    draft.blank()


@rule(point=_has_empty_data)
def a_leading_empty_data_line_counts(draft: Draft) -> None:
    """An empty first data line makes the data start with LF."""
    for _ in range(1 + draft.source.below(2)):
        draft.data("", draft.source.pick((b":", b": ")))
    draft.data(draft.word())
    draft.blank()


@rule(point=_has_empty_data)
def a_trailing_empty_data_line_counts(draft: Draft) -> None:
    """An empty last data line makes the data end with LF: only one LF is removed."""
    draft.data(draft.word())
    for _ in range(1 + draft.source.below(2)):
        draft.data("", draft.source.pick((b":", b": ")))
    draft.blank()


@rule()
def order_does_not_matter(draft: Draft) -> None:
    """All fields of a block count, in any order, `event`, `id` and `retry` behind `data` too."""
    source = draft.source
    writes = [
        lambda: draft.data(draft.word()),
        lambda: draft.event(source.pick(("a", "ping"))),
        lambda: draft.id(source.pick(("1", "a"))),
        lambda: draft.retry(source.pick(("1", "10"))),
    ]
    while writes:
        writes.pop(source.below(len(writes)))()
    draft.blank()
    draft.plain_event()


@rule(needs=["type"], point=different("event"))
def the_last_type_counts(draft: Draft) -> None:
    """Of several `event` fields in a block, the last counts."""
    first, second = draft.source.pick((("a", "b"), ("a", ""), ("ping", "pong"), ("", "a")))
    draft.event(first)
    if draft.source.chance(2):
        draft.data(draft.word())
    draft.event(second)
    draft.plain_event()


@rule(needs=["id"], point=different("id"))
def the_last_id_counts(draft: Draft) -> None:
    """Of several valid `id` fields in a block, the last counts."""
    first, second = draft.source.pick((("1", "2"), ("1", ""), ("", "2"), ("b", "a")))
    draft.id(first)
    if draft.source.chance(2):
        draft.data(draft.word())
    draft.id(second)
    draft.plain_event()


@rule(needs=["retry"], point=different("retry"))
def the_last_retry_counts(draft: Draft) -> None:
    """Of several valid `retry` fields in a block, the last is in force."""
    first, second = draft.source.pick((("1", "2"), ("3000", "10"), ("5", "0"), ("7", "1234")))
    draft.retry(first)
    if draft.source.chance(2):
        draft.data(draft.word())
    draft.retry(second)
    draft.plain_event()
