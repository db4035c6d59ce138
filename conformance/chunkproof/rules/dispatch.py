"""From fields to events: what makes one, what it holds, what is reset behind it."""

from __future__ import annotations

from chunkproof_strategies.grammar import Draft
from chunkproof_strategies.values import TRAPS

from ..plans import uncut, wide
from .rule import chapter, contains, has_field

rule = chapter("dispatch", clause="9.2.6 (dispatch the event)", layer="fields")


@rule(point=has_field("event", "id"))
def no_data_no_event(draft: Draft) -> None:
    """A block without a data field makes no event."""
    source = draft.source
    if source.chance(2):
        draft.plain_event()
    draft.event(source.pick(("a", "ping")))
    if source.chance(2):
        draft.id(source.pick(("1", "a")))
    draft.blank()
    draft.plain_event()


@rule(wpt="format-field-data", point=contains(b"data:\n", b"data: \n"))
def empty_data_is_an_event(draft: Draft) -> None:
    """A block with an empty data field makes an event whose data is empty."""
    draft.message("", draft.source.pick((b":", b": ")))
    draft.plain_event()


@rule(needs=["type"], wpt="format-field-event-empty")
def the_default_type_is_message(draft: Draft) -> None:
    """An event whose block names no type, or the empty one, has the type "message"."""
    if draft.source.chance(2):
        draft.event("", draft.source.pick((b":", b": ")))
    draft.plain_event()


_TYPES = (
    *("Ping", "PING", "a b", "a ", " a", "a:b", "类型", "error", "message", "open", "close", "end", "done", "[DONE]"),
    *("ping", "heartbeat", "keep-alive", "a.b-c_d", "0", "12", "2024", "null", "true", "🙂", *TRAPS),
)


@rule(needs=["type"], point=has_field("event"), weight=2)
def the_type_is_untouched(draft: Draft) -> None:
    """A type is text: its case, blanks, colons and script stay as they are, whatever it says."""
    draft.event(draft.source.pick(_TYPES))
    draft.plain_event()
    if draft.source.chance(2):
        draft.plain_event()


@rule(needs=["type"], wpt="format-field-event", point=has_field("event"))
def the_type_is_reset(draft: Draft) -> None:
    """A type belongs to its own event: the next one starts without."""
    draft.event(draft.source.pick(("a", "ping")))
    draft.plain_event()
    draft.plain_event()


@rule(needs=["type"], point=has_field("event"))
def the_type_is_reset_without_data(draft: Draft) -> None:
    """A block without data resets the type as well."""
    draft.event(draft.source.pick(("a", "ping")))
    draft.blank()
    draft.plain_event()


@rule(needs=["type"], point=has_field("event", at_least=2))
def an_empty_type_resets_the_type(draft: Draft) -> None:
    """An empty `event` field in the same block makes the type "message" again."""
    draft.event(draft.source.pick(("a", "ping")))
    draft.event("", draft.source.pick((b":", b": ")))
    draft.plain_event()


@rule(point=has_field("data", at_least=2))
def the_data_is_reset(draft: Draft) -> None:
    """The data of one event is not in the next."""
    for _ in range(2 + draft.source.below(2)):
        draft.plain_event()


@rule(layer="lines", plans=uncut, point=lambda wire, cuts: not cuts)
def many_events_in_one_chunk(draft: Draft) -> None:
    """All events of one chunk come out, in order."""
    for number in range(2 + draft.source.below(24)):
        draft.message(draft.value(f"{number}{draft.source.pick(('', 'a', '你'))}"))


@rule(plans=wide, weight=0.5)
def many_events_in_a_stream(draft: Draft) -> None:
    """A stream of 300 events and more comes out whole, in order, with the types and IDs of each."""
    source = draft.source
    comments, types, ids = 3 + source.below(30), 2 + source.below(5), 2 + source.below(5)
    for number in range(300 + source.below(60)):
        if number % comments == 0:
            draft.comment(" ping")
        if number % types == 0:
            draft.event(f"t{number}")
        if number % ids == 0 and number < 200:
            draft.id(str(number))
        draft.message(draft.value(str(number)))


@rule(plans=wide, layer="lines", weight=0.3)
def a_thousand_events_at_once(draft: Draft) -> None:
    """More than a thousand small events come out of one chunk, with many blank lines between some of them."""
    blanks = 40 + draft.source.below(100)
    for number in range(1030 + draft.source.below(100)):
        if number % blanks == 0:
            for _ in range(20):
                draft.blank()
        draft.message(draft.value(str(number % 10)))


@rule(point=lambda wire, cuts: b"\n\n\n" in wire or wire[:1] == b"\n")
def blank_lines_in_a_row(draft: Draft) -> None:
    """Further blank lines, between events or at the start, make no event."""
    source = draft.source
    for _ in range(source.below(3)):
        draft.blank()
    draft.plain_event()
    for _ in range(1 + source.below(4)):
        draft.blank()
    draft.plain_event()
    if source.chance(2):
        draft.blank()


@rule(point=lambda wire, cuts: wire[:1] == b":" or b"\n:" in wire)
def comment_only_blocks(draft: Draft) -> None:
    """A block of comments alone makes no event."""
    source = draft.source
    if source.chance(2):
        draft.plain_event()
    for _ in range(1 + source.below(2)):
        draft.comment(source.pick(("", " ping", " keep-alive", " 心跳", "data: x")))
    draft.blank()
    draft.plain_event()


@rule(needs=["id"], point=has_field("id"))
def an_id_that_stays_makes_no_event(draft: Draft) -> None:
    """A block without data makes no event, whatever ID is in force: a heartbeat behind an event with an ID."""
    source = draft.source
    draft.id(source.pick(("1", "a")))
    draft.plain_event()
    if source.chance(2):
        draft.comment(source.pick(("", " ping")))
    draft.blank()
    draft.plain_event()


@rule(point=has_field("retry"))
def retry_only_blocks(draft: Draft) -> None:
    """A block with only a `retry` makes no event."""
    draft.retry(draft.source.pick(("1", "3000")))
    draft.blank()
    draft.plain_event()


@rule()
def unknown_only_blocks(draft: Draft) -> None:
    """A block of unknown fields alone makes no event."""
    draft.ignored(draft.source.pick(("x: 1", "foo", "x", "Data: x", "data : x")))
    draft.blank()
    draft.plain_event()
