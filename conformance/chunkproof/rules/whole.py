"""Whole streams: everything at once, for what no rule of one point thinks of."""

from __future__ import annotations

from collections.abc import Iterator

from chunkproof_strategies.grammar import CR, CRLF, LF, Draft, write_blocks
from chunkproof_strategies.values import MARK

from ..diagnosis.telling import telling_cases
from ..plans import everything, thorough
from ..question import Question
from .bytes import strict_by_design
from .rule import chapter

rule = chapter("whole", clause="9.2.5 and 9.2.6", layer="fields", cuts_characters=True)

_TOKENS = (
    b"data", b"data", b"data:", b"data: ", b"event", b"id", b"retry", b":", b" ", b"a", b"1", b"5", b"\0", b"\t", b"{",
    b"\n", b"\n", b"\r", b"\r\n", b"\n\n", b"\x0b", "\u2028".encode(), "\x85".encode(), b"}", b"[DONE]",
    MARK, b"\xe4", b"\xe4\xbd", b"\xbd\xa0", "你".encode(), "🙂".encode(), b"\xf0\x9f", b"\xff", b"\x80", b"\xc0",
    b"\xed\xa0\x80",
)  # fmt: skip


@rule(weight=3, broad=True, plans=everything)
def any_stream_in_any_chunking(draft: Draft) -> None:
    """A spec-valid stream of any kind gives what the standard says, however it is cut."""
    write_blocks(draft)


@rule(plans=everything, layer="text", ignores=["retry"], advice=strict_by_design, weight=2, broad=True)
def any_bytes_never_stop_a_parser(draft: Draft) -> None:
    """No bytes at all stop a parser: what is no event stream still has an outcome."""
    source = draft.source
    for _ in range(1 + source.below(16)):
        draft.raw(source.pick(_TOKENS) if source.below(4) else bytes([source.below(256)]))
    if source.chance(2):
        draft.raw(b"\n\ndata: a\n\n")


# Longer wires are those of the size chapter.
_LONG = 2000


def _telling() -> Iterator[Question]:
    """The telling cases, without those on which a choice that is left open shows."""
    for question, deviations in telling_cases().items():
        if len(question.wire) <= _LONG and not any(one.is_choice for one in deviations):
            yield question


@rule(cases=_telling, advice=strict_by_design, broad=True)
def telling_cases_are_right(draft: Draft) -> None:
    """The streams that tell the known deviations apart give what the standard says."""
    draft.plain_event()


@rule(layer="lines")
def line_ends_are_alike(draft: Draft) -> None:
    """The same lines with other ends give the same events."""
    source = draft.source
    ends = (LF, CR, CRLF)
    draft.ends = source.pick((*[(end,) for end in ends], ends))
    for _ in range(1 + source.below(2)):
        draft.event("a")
        draft.id(source.pick(("1", "2")))
        draft.data(draft.word())
        draft.data(draft.word())
        draft.blank()


@rule()
def ignored_lines_change_nothing(draft: Draft) -> None:
    """Comments and unknown fields at the start of any line change nothing."""
    source = draft.source

    def ignored() -> None:
        while source.chance(2):
            draft.ignored(source.pick((":", ": x", ":data: x", "x: 1", "x", "x:", "数: 1")))

    ignored()
    draft.event("a")
    ignored()
    draft.data(draft.word())
    ignored()
    draft.data(draft.word())
    ignored()
    draft.blank()
    ignored()
    draft.plain_event()


@rule(clause="9.2.6 (all buffers are empty at the start)", layer="fields")
def a_second_run_sees_nothing_of_the_first(draft: Draft) -> None:
    """A stream that ended in the middle leaves nothing to the next one."""
    source = draft.source
    if source.chance(2):
        draft.id("9")
        draft.plain_event()
    draft.either(
        lambda: draft.event("left"), lambda: draft.id("8"), lambda: draft.retry("7"), lambda: draft.comment("x")
    )
    draft.data(draft.value("left"))
    draft.unfinished(source.pick((b"data: le", b"da", b"\r", b"data: \xe4", b"", b"\xef")))
    draft.next_run()
    draft.message(draft.word())


@rule(layer="lines", plans=thorough)
def two_streams_joined(draft: Draft) -> None:
    """Two streams, the second right behind the first, are one stream: the second's mark is text."""
    source = draft.source
    draft.ends = (source.pick((LF, CRLF, CR)),)
    draft.plain_event()
    draft.ends = (source.pick((LF, CRLF, CR)),)
    if source.chance(3):
        draft.ignored("\ufeffdata: x")
    draft.plain_event()
