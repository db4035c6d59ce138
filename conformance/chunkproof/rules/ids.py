"""The last event ID: it stays, it is reset, it counts without data."""

from __future__ import annotations

from chunkproof_strategies.grammar import Draft
from chunkproof_strategies.values import TRAPS

from .rule import chapter, contains, has_field

rule = chapter("ids", clause="9.2.6 (process the field, id)", layer="fields")

_DISPATCH = "9.2.6 (dispatch, step 1)"
_IDS = ("1", "2", "a", "id-9", "a b", "é", "0", "00")


@rule(wpt="format-field-id", needs=["id"], point=has_field("id"))
def an_id_is_shown(draft: Draft) -> None:
    """An event has the ID that its block sets."""
    for _ in range(1 + draft.source.below(2)):
        draft.id(draft.source.pick(_IDS))
        draft.plain_event()


@rule(wpt="format-field-id-3", clause=_DISPATCH, needs=["id"], point=has_field("id"))
def ids_persist(draft: Draft) -> None:
    """An ID stays for the events that follow, until the next one."""
    draft.id(draft.source.pick(_IDS))
    draft.plain_event()
    for _ in range(1 + draft.source.below(2)):
        draft.plain_event()


@rule(wpt="format-field-id-3", needs=["id"], point=has_field("id", at_least=2))
def an_empty_id_resets(draft: Draft) -> None:
    """An empty `id` resets the last event ID to the empty string."""
    draft.id(draft.source.pick(_IDS))
    draft.plain_event()
    draft.id("", draft.source.pick((b":", b": ")))
    draft.plain_event()


@rule(wpt="format-field-id-null", needs=["id"], point=contains(b"\0"))
def an_id_with_nul_is_ignored(draft: Draft) -> None:
    """An `id` that holds U+0000 is ignored: an earlier one stays, in the block and from before."""
    source = draft.source
    nul = ("id: \0", "id: a\0b", "id:\0x", "id: 5\0", "id: \x001")
    if source.chance(2):
        draft.id(source.pick(_IDS))
        if source.chance(2):
            draft.plain_event()
    draft.ignored(source.pick(nul))
    draft.plain_event()


@rule(clause=_DISPATCH, needs=["id"], point=has_field("id"))
def a_block_without_data_sets_the_id(draft: Draft) -> None:
    """The ID of a block without data counts for the events that follow, and at the end of the stream."""
    draft.id(draft.source.pick(_IDS))
    draft.blank()
    if draft.source.below(3):
        draft.plain_event()


@rule(clause="9.2.6 (end of the file)", needs=["id at the end"], point=has_field("id"))
def an_unfinished_block_sets_no_id(draft: Draft) -> None:
    """The ID of a block that the end of input cuts short does not become the last event ID."""
    draft.id(draft.source.pick(_IDS))
    draft.plain_event()
    draft.either(lambda: draft.id("2"), lambda: draft.bare("id"))
    if draft.source.chance(2):
        draft.data(draft.word())


_ODD_IDS = (
    *(" 1", "1 ", " ", "\t1", "a:b", "{}", "你", "🙂", "01", "1.0", "-1", "null", "undefined", "\ufeff1"),
    *TRAPS,
)


@rule(needs=["id"], point=has_field("id"), weight=2)
def an_id_is_not_trimmed(draft: Draft) -> None:
    """An ID is text: blanks, colons and any script stay as they are, whatever it says."""
    draft.id(draft.source.pick(_ODD_IDS))
    draft.plain_event()
