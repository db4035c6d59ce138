"""Where the chunks are cut changes nothing: neither the events, nor their order, nor the state at the end."""

from __future__ import annotations

from collections.abc import Iterator

from chunkproof_strategies.chunkings import Cuts, bytewise, in_sizes, random_cuts
from chunkproof_strategies.grammar import CR, CRLF, LF, Draft, write_blocks
from chunkproof_strategies.source import Source

from ..plans import empty_chunks, pairs, single_cuts
from .rule import chapter

rule = chapter(
    "chunking",
    clause="follows from 9.2.5 (the stream is decoded as a whole)",
    layer="lines",
    only_cuts=True,
    cuts_characters=True,
)


def _simple(draft: Draft) -> None:
    """Two or three events with what most streams have: types, ids, several data lines, comments, other scripts."""
    source = draft.source
    draft.ends = (source.pick((LF, LF, CRLF, CR)),)
    for _ in range(1 + source.below(2)):
        kind = source.below(4)
        if kind == 0:
            draft.event("a")
        elif kind == 1:
            draft.id("1")
        elif kind == 2:
            draft.comment(" x")
        draft.data(draft.value(source.pick(("a", "你", "x y", "🙂", '{"a":1}'))))
        if source.chance(3):
            draft.data(draft.word())
        draft.blank()


def _bytewise(wire: bytes, source: Source) -> Iterator[Cuts]:
    yield bytewise(wire)


def _sizes(wire: bytes, source: Source) -> Iterator[Cuts]:
    for size in (2, 3, 4, 7):
        yield in_sizes(wire, size)


def _random(wire: bytes, source: Source) -> Iterator[Cuts]:
    for _ in range(8):
        yield random_cuts(source, len(wire))


@rule(plans=single_cuts, weight=1.5)
def every_single_cut(draft: Draft) -> None:
    """One cut, at any byte, changes nothing."""
    _simple(draft)


@rule(plans=_bytewise)
def one_byte_a_chunk(draft: Draft) -> None:
    """One byte a chunk changes nothing."""
    _simple(draft)


@rule(plans=_sizes)
def small_sizes(draft: Draft) -> None:
    """Chunks of 2, 3, 4 or 7 bytes change nothing."""
    _simple(draft)


@rule(plans=pairs, weight=1.5)
def pairs_of_cuts(draft: Draft) -> None:
    """Two cuts at the places that hurt most change nothing."""
    _simple(draft)


@rule(plans=_random, weight=1.5)
def random_plans(draft: Draft) -> None:
    """Any plan of cuts changes nothing."""
    _simple(draft)


@rule(plans=empty_chunks, needs=["empty chunks"])
def empty_chunks_anywhere(draft: Draft) -> None:
    """An empty chunk, anywhere, changes nothing."""
    _simple(draft)


@rule(layer="bytes", plans=single_cuts, point=lambda wire, cuts: not wire.isascii() and b"\n" in wire)
def text_behind_a_line_end_at_a_chunks_end(draft: Draft) -> None:
    """A chunk that ends inside a character, behind a line end, keeps what it holds of the next line."""
    draft.message(draft.word())
    draft.message(draft.value(draft.source.pick(("你", "🙂", "é", "a你", "你a", "流式"))))
    draft.plain_event()


@rule(plans=single_cuts)
def a_blank_line_cut(draft: Draft) -> None:
    """The two ends of a blank line may fall on two chunks."""
    draft.ends = (draft.source.pick((LF, CRLF, CR)),)
    for _ in range(2):
        draft.plain_event()


@rule(weight=1.5, broad=True)
def the_whole_grammar_cut(draft: Draft) -> None:
    """Cuts change nothing in a stream of the whole grammar."""
    write_blocks(draft)
