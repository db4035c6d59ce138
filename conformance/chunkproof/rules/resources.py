"""What a parser may use of a machine: time in line with the bytes, and memory for the event in hand."""

from __future__ import annotations

from chunkproof_strategies.grammar import Draft

from ..bounded import bounded
from ..linear import Family, linear
from .rule import chapter

rule = chapter(
    "resources", clause="good sense: 9.2 sets no limit, and a stream may be long", layer="fields", severity="should"
)

_LONG_LINE = Family(b"x", b'data: "', b'"\n\n', whole=False)
_DATA_LINES = Family(b"data: 12345678,\n", b"data: [\n", b"data: 0]\n\n")
_EVENTS = Family(b"data: 123456789\n\n", one_block=False, cut=False)
_COMMENTS = Family(b": 1234567890123\n", tail=b"data: 1\n\n")
_BLANK_LINES = Family(b"\n", tail=b"data: 1\n\n", one_block=False)


@rule(layer="lines", examine=linear(_LONG_LINE))
def linear_in_a_long_line(draft: Draft) -> None:
    """A line that comes in many small chunks takes time in line with its length."""
    draft.message(draft.value('"' + "x" * 1000 + '"'))


@rule(examine=linear(_DATA_LINES))
def linear_in_data_lines(draft: Draft) -> None:
    """An event of many data lines takes time in line with their number, in one chunk and in small ones."""
    draft.data("[")
    for _ in range(60):
        draft.data("12345678,")
    draft.data("0]")
    draft.blank()


@rule(examine=linear(_EVENTS))
def linear_in_events(draft: Draft) -> None:
    """Many events in one chunk take time in line with their number."""
    for _ in range(60):
        draft.message(draft.value("123456789"))


@rule(examine=linear(_COMMENTS))
def linear_in_comments(draft: Draft) -> None:
    """Many comments take time in line with their number, in one chunk and in small ones."""
    for _ in range(60):
        draft.comment("1234567890123")
    draft.plain_event()


@rule(examine=linear(_BLANK_LINES))
def linear_in_blank_lines(draft: Draft) -> None:
    """Many blank lines take time in line with their number, in one chunk and in small ones."""
    for _ in range(500):
        draft.blank()
    draft.plain_event()


@rule(examine=bounded)
def delivered_data_is_let_go(draft: Draft) -> None:
    """Memory does not grow with the number of events delivered: what was handed over is not kept."""
    for number in range(10):
        draft.message(draft.value(f'"{number} {"x" * 100}"'))
