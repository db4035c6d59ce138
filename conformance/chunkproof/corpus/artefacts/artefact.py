"""What is made of a file, and what stands between the file and that: pieces."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from chunkproof_strategies.chunkings import Cuts

from ..entry import WIRE_BYTES_MAX

__all__ = [
    "PIECES_MAX",
    "WAY_OUT",
    "WIRE_BYTES_MAX",
    "Artefact",
    "ArtefactError",
    "Pieces",
    "behind",
    "is_stream_like",
    "shown",
]

#: A file of more chunks than this is not taken apart.
PIECES_MAX = 1 << 20
#: What can always be done with a file that is taken for something that it is not.
WAY_OUT = "give the format 'raw' to take it byte for byte"

# How an event stream starts, if it starts as most do.
_STREAM = re.compile(rb"(?:\xef\xbb\xbf)?[\r\n]*(?:(?:data|event|id|retry)(?:[:\r\n]|\Z)|:[\t\r\n -~\x80-\xff])")


class ArtefactError(ValueError):
    """No wire can be made of a file: the message says what is wrong and what would help, in one line."""


@dataclass(frozen=True, slots=True)
class Artefact:
    """What was understood of a file: a wire, its cuts, and how it was read, one short sentence a step."""

    wire: bytes
    cuts: Cuts
    understood: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pieces:
    """Bytes in the chunks that they are known to have come in (one, if nothing is known), and how they were read."""

    pieces: Sequence[bytes]
    understood: tuple[str, ...] = field(default=())

    @property
    def whole(self) -> bytes:
        """All bytes."""
        return self.pieces[0] if len(self.pieces) == 1 else b"".join(self.pieces)

    def then(self, pieces: Sequence[bytes], *understood: str) -> Pieces:
        """What was made of them, and how."""
        return Pieces(pieces, (*self.understood, *understood))

    def artefact(self) -> Artefact:
        """The wire, cut where the pieces end; ArtefactError where there is none, or it is too long."""
        wire = self.whole
        if not wire:
            raise ArtefactError(
                f"nothing is left to make a wire of ({'; '.join(self.understood)}): was it all captured?"
            )
        if len(wire) > WIRE_BYTES_MAX:
            raise ArtefactError(
                f"the wire has {len(wire):,} bytes and may have {WIRE_BYTES_MAX:,}: keep the part around the failure"
            )
        return Artefact(wire, tuple(accumulate(len(piece) for piece in self.pieces[:-1])), self.understood)


def behind(pieces: Sequence[bytes], count: int) -> list[bytes]:
    """The pieces without their first ``count`` bytes."""
    left: list[bytes] = []
    for piece in pieces:
        if count < len(piece):
            left.append(piece[count:] if count else piece)
        count = max(0, count - len(piece))
    return left


def is_stream_like(content: bytes) -> bool:
    """Whether it starts as most event streams do: with a field of the standard, or a comment."""
    return _STREAM.match(content) is not None


def shown(content: bytes | str, most: int = 60) -> str:
    """A value for a message: printable, and not long."""
    text = ascii(content[: most + 1])
    return text if len(content) <= most and len(text) <= 2 * most else text[: most - 3] + "..."
