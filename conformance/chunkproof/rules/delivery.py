"""When an event is out, and what becomes of the source, of the consumer, and of a parser that is not alone.

The standard speaks of no time and of no source: these rules are good sense. Where what a target is asked for is not
part of what it promises, the rule is an info.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from chunkproof_strategies.chunkings import Cuts, bytewise, in_sizes, random_cuts, sore_cuts, sore_points
from chunkproof_strategies.grammar import CR, CRLF, LF, Draft
from chunkproof_strategies.source import Source

from ..ways import Beside, Closed, FailingSource, Handed, Lazy, Prompt, Used
from .rule import Point, chapter, contains, holds

rule = chapter(
    "delivery",
    clause="good sense: the standard speaks of no time, and of no source",
    layer="fields",
    severity="should",
)

_bare_cr = holds(rb"\r(?!\n)")


def _without_bare_cr(wire: bytes, cuts: Cuts) -> bool:
    return not _bare_cr(wire, cuts)


def _both(*points: Point) -> Point:
    return lambda wire, cuts: all(point(wire, cuts) for point in points)


def _few(wire: bytes, source: Source) -> Iterator[Cuts]:
    """Each line and byte by itself, and two plans by chance."""
    yield bytewise(wire)
    yield tuple(at for at in range(1, len(wire)) if wire[at - 1 : at] == b"\n")
    yield sore_cuts(source, sore_points(wire))
    yield random_cuts(source, len(wire))


def _few_and_whole(wire: bytes, source: Source) -> Iterator[Cuts]:
    yield ()
    yield from _few(wire, source)


def _events(draft: Draft, at_least: int = 1) -> None:
    """A few plain events, one of them perhaps with a type and an ID, and a comment now and then."""
    source = draft.source
    for _ in range(at_least + source.below(2)):
        kind = source.below(5)
        if kind == 0:
            draft.event("a")
        elif kind == 1:
            draft.id(source.pick(("1", "2")))
        elif kind == 2:
            draft.comment(" x")
        draft.data(draft.value(source.pick(("a", "b", "你", "x y"))))
        draft.blank()


# When ----------------------------------------------------------------------------------------------------------------


@rule(
    clause="good sense, and 9.2.6 (a blank line dispatches the event)",
    way=Prompt(may_hold=True),
    needs=["time"],
    info_without="script",
    layer="lines",
    plans=_few,
    point=_without_bare_cr,
    weight=0.3,
)
def prompt(draft: Draft) -> None:
    """An event is out before the chunk after its blank line is taken, where lines end in LF or CRLF."""
    draft.ends = draft.source.pick(((LF,), (CRLF,), (LF, CRLF)))
    _events(draft, 2)


@rule(
    way=Prompt(may_hold=False),
    needs=["time"],
    layer="lines",
    severity="info",
    plans=_few,
    point=_both(_bare_cr, lambda wire, cuts: b"\r\n" not in wire),
    weight=0.1,
)
def prompt_at_a_bare_cr(draft: Draft) -> None:
    """An event is out before the chunk after its blank line is taken, where lines end in CR."""
    draft.ends = (CR,)
    _events(draft, 2)


@rule(
    way=Prompt(may_hold=False),
    needs=["time"],
    layer="lines",
    severity="info",
    plans=_few,
    point=_both(_without_bare_cr, contains(CRLF)),
    weight=0.1,
)
def prompt_at_the_cr_of_a_cut_crlf(draft: Draft) -> None:
    """An event is out with the CR that ends its blank line, though the LF behind it is in the next chunk."""
    draft.ends = (CRLF,)
    _events(draft, 2)


@rule(way=Lazy(), needs=["source", "time"], plans=_few_and_whole, point=_without_bare_cr, weight=0.2)
def lazy(draft: Draft) -> None:
    """A stream without an end yields its events, and not only when it is over."""
    draft.ends = (draft.source.pick((LF, CRLF)),)
    _events(draft)


# Who stops, and what fails -------------------------------------------------------------------------------------------


@rule(way=Closed(), needs=["source", "stop", "time"], plans=_few_and_whole, point=_without_bare_cr, weight=0.2)
def closed(draft: Draft) -> None:
    """A consumer that stops early ends the parser at once: it takes no chunk more, and raises nothing."""
    draft.ends = (draft.source.pick((LF, CRLF)),)
    _events(draft)


@rule(
    way=Closed(source=True),
    needs=["source", "stop", "time"],
    severity="info",
    plans=_few_and_whole,
    point=_without_bare_cr,
    weight=0.05,
)
def closes_its_source(draft: Draft) -> None:
    """A consumer that stops early has the source of the chunks closed too."""
    _events(draft)


@rule(way=FailingSource(), needs=["source"], plans=_few_and_whole, point=_without_bare_cr, weight=0.2)
def failing_source(draft: Draft) -> None:
    """An error of the source reaches the consumer, behind the events that came before it and no other."""
    source = draft.source
    draft.ends = (source.pick((LF, CRLF)),)
    for _ in range(source.below(3)):
        _events(draft)
    if source.chance(2):
        draft.data(draft.word())
        draft.unfinished(source.pick((b"", b"data: b", b"da")))


# Who is not alone ----------------------------------------------------------------------------------------------------


def _left(draft: Draft, *more: Callable[[], None]) -> None:
    """A stream that ends in the middle of a character, a line or an event, and is dropped there.

    ``more`` are further lines that may stand in its last block.
    """
    source = draft.source
    if source.chance(3):
        draft.plain_event()
    data = draft.value("left")
    draft.either(lambda: draft.event("left"), lambda: draft.comment("x"), lambda: draft.data(data), *more)
    if source.chance(2):
        draft.data(draft.value("left"))
    draft.unfinished(source.pick((b"data: le", b"da", b"data: \xe4", b"data: \xf0\x9f", b"", b"event: l")))
    draft.next_run()


def _next(draft: Draft) -> None:
    """The stream behind it, which may begin with a byte order mark as any other."""
    if draft.source.chance(4):
        draft.mark()
    _events(draft)


def _cut_everywhere(wire: bytes, source: Source) -> Iterator[Cuts]:
    if len(wire) < 48:
        yield bytewise(wire)
    yield in_sizes(wire, 5)
    yield sore_cuts(source, sore_points(wire))
    yield random_cuts(source, len(wire))


@rule(way=Beside(), needs=["script"], plans=_cut_everywhere, cuts_characters=True, weight=0.3)
def alone(draft: Draft) -> None:
    """Two parsers that read in turn do not mix, though one is dropped in the middle of its stream."""
    if draft.source.chance(3):
        draft.id("9")
    _left(draft)
    _events(draft)


@rule(way=Used("reset"), needs=["reset"], info_without="documented reset", ignores=["id", "retry"], weight=0.2)
def reset(draft: Draft) -> None:
    """A parser that was reset in the middle of a stream starts clean; its last event ID may stay."""
    _left(draft)
    _next(draft)


@rule(way=Used("end"), needs=["again"], severity="info", ignores=["id", "retry"], weight=0.1)
def used_again(draft: Draft) -> None:
    """A parser that is fed again after its end starts clean; its last event ID may stay."""
    # The ID of a block that was never finished is no last event ID, so it may not stay.
    _left(draft, lambda: draft.id("left"))
    _next(draft)


# What becomes of a chunk ---------------------------------------------------------------------------------------------


@rule(way=Handed("bytearray"), needs=["script"], layer="bytes", plans=_few_and_whole, weight=0.1)
def chunks_are_not_changed(draft: Draft) -> None:
    """A chunk that is given as a bytearray is as it was afterwards."""
    _events(draft)


@rule(
    way=Handed("bytearray", spoils=True),
    needs=["script"],
    info_without="buffers",
    layer="bytes",
    plans=_few_and_whole,
    weight=0.1,
)
def no_bytearray_is_kept(draft: Draft) -> None:
    """A chunk that is given as a bytearray may be overwritten when the next one is asked for."""
    _events(draft)


@rule(
    way=Handed("memoryview", spoils=True),
    needs=["script"],
    info_without="buffers",
    layer="bytes",
    plans=_few_and_whole,
    weight=0.1,
)
def no_memoryview_is_kept(draft: Draft) -> None:
    """A chunk that is given as a memoryview may be overwritten when the next one is asked for."""
    _events(draft)
