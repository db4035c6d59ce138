"""Every prefix of a stream is a stream."""

from __future__ import annotations

from collections.abc import Iterator

from chunkproof_strategies.chunkings import bytewise
from chunkproof_strategies.grammar import Draft, write_blocks

from .bytes import strict_by_design
from .rule import chapter

rule = chapter("prefix", clause="9.2.6 (end of the file)", layer="lines", cuts_characters=True)


def _prefixes(wire: bytes) -> Iterator[bytes]:
    for length in range(len(wire) + 1):
        yield wire[:length]


@rule(wires=_prefixes, plans=lambda wire, source: ((), bytewise(wire)), advice=strict_by_design, weight=4, broad=True)
def every_prefix_is_a_stream(draft: Draft) -> None:
    """A stream that ends after any byte gives what the standard says of what came."""
    write_blocks(draft)
