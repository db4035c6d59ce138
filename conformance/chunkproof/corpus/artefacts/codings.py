"""Content codings taken off: gzip and deflate, with the cuts kept."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

from chunkproof_reports.visible import count_of

from .artefact import WAY_OUT, WIRE_BYTES_MAX, ArtefactError, Pieces, is_stream_like

__all__ = ["GZIP", "decoded", "unpacked"]

#: How gzip starts.
GZIP = b"\x1f\x8b\x08"
_ZSTD = b"\x28\xb5\x2f\xfd"

# What stands behind a member of gzip is copied when it ends: a slice of this, and not all of the file.
_SLICE = 1 << 16
_MEMBERS_MAX = 10_000


class _NotPackedError(Exception):
    """The content is not packed in this way."""


def decoded(body: Pieces, codings: Sequence[str]) -> Pieces:
    """The body with its content codings taken off, the last one first; ArtefactError for those not read here."""
    for coding in reversed(codings):
        whole = body.whole
        if is_stream_like(whole):
            return body.then(body.pieces, f"{coding} is taken off already, as curl does with --compressed")
        if coding in ("gzip", "x-gzip", "deflate"):
            try:
                body = unpacked(body, coding.removeprefix("x-"))
            except _NotPackedError:
                return body.then(body.pieces, f"the headers say {coding}, which the body is not: left as it is")
        elif coding != "zstd" or whole.startswith(_ZSTD):
            raise ArtefactError(
                f"Content-Encoding: {coding} is not unpacked here: fetch it with curl --compressed, "
                "or with the header Accept-Encoding: identity"
            )
    return body


def unpacked(body: Pieces, coding: str) -> Pieces:
    """What was packed, cut where what came of each piece ends; _NotPackedError where nothing can be unpacked."""
    if not body.whole:
        return body
    if coding == "gzip":
        return _inflated(body, "gzip", 16 + zlib.MAX_WBITS)
    try:
        return _inflated(body, "deflate", zlib.MAX_WBITS)
    except _NotPackedError:
        # Some servers leave the zlib wrapper out.
        return _inflated(body, "deflate", -zlib.MAX_WBITS)


def _inflated(body: Pieces, coding: str, bits: int) -> Pieces:
    inflater = _Inflater(coding, bits, body.whole.startswith(GZIP))
    # A piece of which nothing came (a gzip header) is no chunk of the stream.
    pieces = [unpacked for piece in body.pieces if (unpacked := inflater.feed(piece))]
    note = f" ({inflater.note})" if inflater.note else ""
    return body.then(pieces, f"{coding} taken off{note}: {count_of(inflater.size, 'byte')}")


class _Inflater:
    """Unpacks piece by piece, so that it is known what came of each; of gzip, one member behind the other."""

    def __init__(self, coding: str, bits: int, has_magic: bool) -> None:
        self._coding = coding
        self._bits = bits
        # What starts as gzip does is meant to be gzip, if nothing comes of it.
        self._is_packed = coding == "gzip" and has_magic
        self._packed = zlib.decompressobj(bits)
        self._members = 1
        self._has_more = False
        self.size = 0

    @property
    def note(self) -> str:
        """What was odd at its end."""
        if not self._packed.eof:
            return "it is cut short, and kept as far as it goes"
        return "what stands behind its end left out" if self._has_more else ""

    def feed(self, piece: bytes) -> bytes:
        """What comes of the next bytes."""
        return b"".join(self._unpacked(piece[at : at + _SLICE]) for at in range(0, len(piece), _SLICE))

    def _unpacked(self, piece: bytes) -> bytes:
        parts: list[bytes] = []
        while piece and not self._has_more:
            if self._packed.eof and not self._starts_member(piece):
                self._has_more = True
                break
            try:
                # One byte more than may be: so it is seen that there is more.
                parts.append(self._packed.decompress(piece, WIRE_BYTES_MAX + 1 - self.size))
            except zlib.error as error:
                if not self.size and not self._is_packed:
                    raise _NotPackedError from None
                raise ArtefactError(
                    f"{self._coding} that is damaged after {count_of(self.size, 'byte')} ({error}): fetch it with the "
                    f"header Accept-Encoding: identity; or {WAY_OUT}"
                ) from None
            self.size += len(parts[-1])
            if self.size > WIRE_BYTES_MAX:
                raise ArtefactError(
                    f"{self._coding} that unpacks to more than {WIRE_BYTES_MAX:,} bytes: keep a part of it"
                )
            piece = self._packed.unused_data if self._packed.eof else self._packed.unconsumed_tail
        return b"".join(parts)

    def _starts_member(self, piece: bytes) -> bool:
        """Whether another member of gzip starts here, which is then unpacked."""
        if self._coding != "gzip" or not piece.startswith(GZIP[: len(piece)]) or self._members == _MEMBERS_MAX:
            return False
        self._members += 1
        self._packed = zlib.decompressobj(self._bits)
        return True
