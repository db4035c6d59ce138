"""Long values and large chunks. A limit that a target declares must raise, and never lose silently."""

from __future__ import annotations

import re
from collections.abc import Iterator

from chunkproof_strategies.chunkings import Cuts
from chunkproof_strategies.grammar import CRLF, LF, Draft
from chunkproof_strategies.source import Source

from ..large import large
from ..plans import wide
from .rule import chapter

rule = chapter("size", clause="follows from 9.2.5 and 9.2.6, which set no limit", layer="fields")


#: Around the sizes that buffers have.
_SIZES = (
    *(63, 64, 65, 127, 128, 129, 255, 256, 257, 511, 512, 513, 1000, 1023, 1024, 1025, 2048),
    *(4095, 4096, 4097, 8191, 8192, 8193, 16383, 16384),
)


def _filled(draft: Draft, length: int) -> str:
    # So many bytes, or a few less where a character would be cut.
    piece = draft.source.pick(("a", "0123456789", "你好", "é ", '{"k":[1,2]},'))
    filled = (piece * (length // len(piece.encode()) + 1)).encode()[:length]
    return draft.value(filled.decode(errors="ignore"))


@rule(plans=wide, weight=0.5)
def values_up_to_16_kib(draft: Draft) -> None:
    """A value of up to 16,384 bytes comes out whole, in one chunk and in many."""
    draft.plain_event()
    length = draft.source.pick(_SIZES)
    draft.message(_filled(draft, length))
    draft.plain_event()


@rule(plans=wide, layer="lines", weight=0.5)
def chunks_beyond_4_kib(draft: Draft) -> None:
    """A chunk of more than 4,096 bytes is read whole, whatever lines it holds and wherever they end."""
    draft.ends = (draft.source.pick((LF, LF, CRLF)),)
    while True:
        draft.message(_filled(draft, 20 + draft.source.below(300)))
        if draft.size > 4096 + draft.source.below(12_000):
            break
    draft.plain_event()


def _event_by_event(wire: bytes, source: Source) -> Iterator[Cuts]:
    ends = [match.end() for match in re.finditer(rb"\n\n", wire)]
    yield ()
    yield tuple(ends[:-1])


@rule(plans=_event_by_event, layer="lines", weight=0.5)
def chunks_of_any_size(draft: Draft) -> None:
    """A chunk of exactly 64, 512, 1,024 or 8,192 bytes, or one more or less, is read whole."""
    size = draft.source.pick((63, 64, 65, 127, 128, 129, 511, 512, 513, 1023, 1024, 1025, 4096, 8191, 8192, 8193))
    draft.message(draft.value("a" * (size - len("data: \n\n"))))
    draft.plain_event()


@rule(plans=wide, weight=0.5, broad=True)
def long_lines_of_every_kind(draft: Draft) -> None:
    """A long type, ID, comment, name or unknown field is read whole, and harms nothing."""
    source = draft.source
    length = source.pick((65, 129, 256, 257, 513, 1025, 2049, 4097))
    draft.plain_event()
    draft.either(
        lambda: draft.event(_filled(draft, length)),
        lambda: draft.id(_filled(draft, length)),
        lambda: draft.comment(_filled(draft, length)),
        lambda: draft.ignored("n" * length + ": x"),
        lambda: draft.ignored("x: " + _filled(draft, length)),
    )
    draft.plain_event()


@rule(plans=wide, weight=0.3)
def many_data_lines(draft: Draft) -> None:
    """An event of more than a thousand data lines comes out whole."""
    for number in range(1030 + draft.source.below(100)):
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


@rule(severity="should", layer="lines", examine=large(1 << 20, seconds_max=1))
def a_line_of_1_mib(draft: Draft) -> None:
    """A line of 1 MiB comes out whole, or the declared limit raises; nothing is lost silently."""
    draft.message(draft.value("1 MiB"))


@rule(severity="should", layer="lines", examine=large(10 << 20, seconds_max=1.5))
def a_line_of_10_mib(draft: Draft) -> None:
    """A line of 10 MiB comes out whole, or the declared limit raises; nothing is lost silently."""
    draft.message(draft.value("10 MiB"))
