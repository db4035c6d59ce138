"""Sharp streams: the smallest ones on which parsers are known to fail, each with the cuts that do it.

A table of answers: they are tried before the shrinker, in this order, so that one fault has one counterexample,
whatever stream it was found on. What is not in it, the shrinker makes small by itself.
None is longer than 16 bytes.
"""

from __future__ import annotations

from collections.abc import Iterator

from chunkproof_strategies.chunkings import Cuts
from chunkproof_strategies.values import MARK

__all__ = ["SHARP"]

_EVENT = b"data: a\n\n"

#: Wires with the cuts to try on them, besides none at all.
_STREAMS: tuple[tuple[bytes, tuple[Cuts, ...]], ...] = (
    # Plain events, and where a chunk may end in them.
    (_EVENT, ((8,), (7,), (1,), (5,), (6,), (0,), (9,))),
    ("data: 你\n\n".encode(), ((7,),)),
    ("data: é\n\n".encode(), ((7,),)),
    ("data: 🙂\n\n".encode(), ((7,), (8,), (9,))),
    # Line ends.
    (b"data: a\r\r", ((8,), (1,))),
    (b"data: a\r\n\r\n", ((8,), (9,), (10,))),
    (b"data: a\n\r", ((1,),)),
    (b"data: a\r\n\n", ((8,),)),
    (b"data: a\n\r\n", ((9,),)),
    (b"data: a\r\r\n", ((9,),)),
    (b"data:\rdata:a\n\n", ()),
    # The end of input.
    (b"data: a", ()),
    (b"data: a\n", ()),
    (b"data: a\r", ()),
    # Lines and fields.
    (b"data:a\n\n", ()),
    (b"data: \n\n", ()),
    (b"data:\n\n", ()),
    (b"data\n\n", ()),
    (b"data:  a\n\n", ()),
    (b"data:\ta\n\n", ()),
    (b"data: a \n\n", ((1,),)),
    (b"data: a:a\n\n", ()),
    (b"data:a\ndata:b\n\n", ()),
    (b"data:\ndata:a\n\n", ()),
    (b"data:a\ndata:\n\n", ()),
    (b":\n\n", ()),
    (b": a\n\n", ()),
    (b":\ndata: a\n\n", ((1,),)),
    (b"data: a\n:\n\n", ()),
    (b"a\n\n", ()),
    (b"a\ndata: a\n\n", ()),
    (b"data: a\na\n\n", ()),
    (b"Data: a\n\n", ()),
    (b"\n\n", ()),
    (b"\ndata: a\n\n", ()),
    # Other fields.
    (b"event: a\n\n", ()),
    (b"id: a\n\n", ()),
    (b"retry: 1\n\n", ()),
    (b"event:a\ndata:a\n\n", ()),
    (b"id:a\ndata:a\n\n", ()),
    (b"retry:1\ndata:\n\n", ()),
    # Bytes.
    (MARK + _EVENT, ((1,), (2,), (3,))),
    (MARK + MARK + _EVENT, ((3,),)),
    ("data: \ufeff\n\n".encode(), ((6,), (1,))),
    (b"data: \xff\n\n", ((7,),)),
    (b"data: \xe4\n\n", ((7,),)),
    (b"data: \xe4a\n\n", ((7,),)),
    (b"data: \xe4\xa0\n\n", ((7,),)),
    (b"data: \xff", ()),
    (b"data: \xe4", ()),
    (b"\xe4", ()),
    (b"\xff\ndata: a\n\n", ()),
    (b"data: \0\n\n", ()),
    # Values that are taken for more.
    (b"data: [DONE]\n\n", ()),
    (b"data: a\x0ba\n\n", ((1,),)),
    ("data: a\u2028a\n\n".encode(), ()),
    ("data: a\x85a\n\n".encode(), ()),
)


def _flattened() -> Iterator[tuple[bytes, Cuts]]:
    # What fails uncut is shown uncut, so those come first.
    for wire, _ in _STREAMS:
        yield wire, ()
    for wire, plans in _STREAMS:
        for cuts in plans:
            yield wire, cuts


SHARP: tuple[tuple[bytes, Cuts], ...] = tuple(_flattened())
