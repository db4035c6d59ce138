"""Long values and large chunks. A limit that a target declares must raise, and never lose silently."""

from __future__ import annotations

from chunkproof_strategies.grammar import Draft

from ..plans import wide
from .rule import chapter

rule = chapter("size", clause="follows from 9.2.5 and 9.2.6, which set no limit", layer="fields")


def _filled(draft: Draft, length: int) -> str:
    # So many bytes, or a few less where a character would be cut.
    piece = draft.source.pick(("a", "0123456789", "你好", "é ", '{"k":[1,2]},'))
    filled = (piece * (length // len(piece.encode()) + 1)).encode()[:length]
    return draft.value(filled.decode(errors="ignore"))


@rule(plans=wide, weight=0.5)
def values_up_to_16_kib(draft: Draft) -> None:
    """A value of up to 16,384 bytes comes out whole, in one chunk and in many."""
    draft.plain_event()
    length = draft.source.pick((255, 256, 1000, 1024, 2048, 4095, 4096, 4097, 8192, 16383, 16384))
    draft.message(_filled(draft, length))
    draft.plain_event()


@rule(plans=wide, layer="lines", weight=0.5)
def chunks_beyond_4_kib(draft: Draft) -> None:
    """A chunk of more than 4,096 bytes is read whole, whatever number of lines it holds."""
    while True:
        draft.message(_filled(draft, 20 + draft.source.below(300)))
        if draft.size > 4096 + draft.source.below(12_000):
            break
    draft.plain_event()


@rule(plans=wide, weight=0.3)
def many_data_lines(draft: Draft) -> None:
    """An event of hundreds of data lines comes out whole."""
    for number in range(300 + draft.source.below(100)):
        draft.data(draft.value(str(number)))
    draft.blank()


@rule(severity="should", plans=wide, weight=0.3)
def values_beyond_64_ki_characters(draft: Draft) -> None:
    """A value of more than 65,536 characters comes out whole, or the declared limit raises."""
    piece = draft.source.pick(("a", "你", "é", "x y"))
    draft.message(draft.value((piece * 70_000)[: draft.source.pick((65_537, 65_600, 70_000, 131_072))]))
    draft.plain_event()


@rule(severity="should", plans=wide, layer="lines", weight=0.3)
def chunks_beyond_64_kib(draft: Draft) -> None:
    """A chunk of more than 65,536 bytes is read whole."""
    filler = _filled(draft, 900)
    while draft.size < 66_000:
        draft.message(filler)
    draft.plain_event()
