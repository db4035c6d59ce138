"""Hypothesis strategies for event streams: the grammar as users' own tests draw from it.

>>> from hypothesis import given
>>> from chunkproof_strategies.strategies import streams
>>> @given(streams(features={"comments", "crlf"}))
... def test_my_parser(stream):
...     assert parse(stream.wire) == stream.outcome.events
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Protocol, TypeVar

from hypothesis import strategies as st

from .chunkings import (
    Cuts,
    bytewise,
    chunks_of,
    in_sizes,
    random_cuts,
    random_cuts_with_empty_chunks,
    sore_cuts,
    sore_points,
)
from .grammar import Stream, check_features, write_stream
from .source import Source

__all__ = ["DrawSource", "chunkings", "event_texts", "streams"]

T = TypeVar("T")

# Hoisted: building a strategy costs more than drawing from it.
# Surrogates by category: naming the codec would make Hypothesis try all code points once a machine, for a second.
_ANY_CHARACTER = st.characters(exclude_categories=["Cs"], exclude_characters="\r\n")
_ANY_TEXT = st.text(_ANY_CHARACTER, max_size=8)
_BELOW = [st.just(0), *(st.integers(0, bound - 1) for bound in range(1, 65))]


class _Draw(Protocol):
    def __call__(self, strategy: st.SearchStrategy[T], label: Any = ...) -> T: ...


class DrawSource(Source):
    """Choices drawn by Hypothesis, so that it can replay and vary them."""

    def __init__(self, draw: _Draw) -> None:
        self._draw = draw

    def below(self, bound: int) -> int:
        """A whole number below ``bound``."""
        return self._draw(_BELOW[bound] if bound < len(_BELOW) else st.integers(0, bound - 1))

    def any_text(self) -> str:
        """Up to eight characters, as `hypothesis.strategies.text` finds them."""
        return self._draw(_ANY_TEXT)


def event_texts(*, min_size: int = 0, max_size: int | None = None) -> st.SearchStrategy[str]:
    """Texts that one line of an event stream can hold: any characters but CR, LF and lone surrogates."""
    return st.text(_ANY_CHARACTER, min_size=min_size, max_size=max_size)


def streams(*, features: Collection[str] | None = None) -> st.SearchStrategy[Stream]:
    """Spec-valid streams: the wire, with the outcome that the grammar meant by it (`Stream.wire`, `Stream.outcome`).

    ``features`` keeps to some features of the grammar (names in `chunkproof_strategies.grammar.FEATURES`); all of them
    by default, none of them for ``features=()``: plain events with LF ends.
    """
    if isinstance(features, str):
        raise TypeError(f"{features=} is one string: give a collection of names, as in features={{{features!r}}}")
    chosen = check_features(features)
    return _streams(features=None if chosen is None else tuple(sorted(chosen)))


def _draw_stream(draw: _Draw, *, features: tuple[str, ...] | None) -> Stream:
    return write_stream(DrawSource(draw), features=None if features is None else frozenset(features))


# Hypothesis shows a strategy by the name of the function that it was made of.
_draw_stream.__name__ = "streams"
_streams = st.composite(_draw_stream)


def chunkings(wire: bytes, *, max_cuts: int | None = None) -> st.SearchStrategy[list[bytes]]:
    """The chunks of a wire, cut in the ways that hurt: not at all, byte by byte, at sore points, anywhere, some empty.

    ``max_cuts`` bounds the number of cuts; there is one chunk more.

    >>> chunkings(b"data: x", max_cuts=1).example()  # doctest: +SKIP
    [b'dat', b'a: x']
    """
    if max_cuts is not None and max_cuts < 0:
        raise ValueError(f"{max_cuts=} must be 0 or more: the number of places at which the wire may be cut")
    return _chunkings(wire=wire, max_cuts=max_cuts)


def _draw_chunks(draw: _Draw, *, wire: bytes, max_cuts: int | None) -> list[bytes]:
    source = DrawSource(draw)
    length = len(wire)
    plan = source.pick(("whole", "bytewise", "size", "sore", "random", "with empty chunks"))
    cuts: Cuts = ()
    if plan == "bytewise":
        cuts = bytewise(wire)
    elif plan == "size":
        cuts = in_sizes(wire, source.between(2, 7))
    elif plan == "sore":
        cuts = sore_cuts(source, sore_points(wire))
    elif plan == "random":
        cuts = random_cuts(source, length)
    elif plan == "with empty chunks":
        cuts = random_cuts_with_empty_chunks(source, length)
    if max_cuts is not None and len(cuts) > max_cuts:
        cuts = tuple(sorted(source.pick(cuts) for _ in range(max_cuts)))
    return chunks_of(wire, cuts)


_draw_chunks.__name__ = "chunkings"
_chunkings = st.composite(_draw_chunks)
