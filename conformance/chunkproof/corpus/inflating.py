"""The content codings gzip and deflate, taken off piece by piece: it is known what came of each."""

from __future__ import annotations

import zlib

__all__ = ["GZIP", "Inflater"]

#: How gzip starts.
GZIP = b"\x1f\x8b\x08"

_GZIP_BITS, _ZLIB_BITS, _RAW_BITS = 16 + zlib.MAX_WBITS, zlib.MAX_WBITS, -zlib.MAX_WBITS

# What stands behind a member of gzip is copied when it ends: a slice of this, and not all of the piece.
_SLICE = 1 << 12
_MEMBERS_MAX = 100_000


class Inflater:
    """Takes ``coding`` off: gzip, deflate, or identity, which leaves the bytes as they are.

    gzip may have several members, with zeros between and behind them. deflate is the zlib format, or the bare one that
    some servers send.

    ``size`` is how many bytes have come of it. Two things end the reading: ``damage`` is what zlib says of bytes that
    are no such data, and ``has_trailing`` says that something else stands behind its end (or one member more than are
    read). ``has_padding`` says that zeros do.
    """

    def __init__(self, coding: str) -> None:
        self.coding = coding
        self.size = 0
        self.damage = ""
        self.has_padding = False
        self.has_trailing = False
        self._stream: zlib._Decompress | None = None
        self._members = 1
        # The start of a stream, too short to see of what kind it is.
        self._held = b""

    @property
    def is_whole(self) -> bool:
        """Whether no end is missing; where no byte has come, none is."""
        return not self._held and (self._stream is None or self._stream.eof)

    def inflate(self, data: bytes, most: int) -> bytes:
        """What comes of the next bytes, ``most`` bytes of it at most: what would be more is lost.

        Where damage shows, what would have come of the 4,096 bytes before it may be lost too.
        """
        if self.coding == "identity":
            out = bytearray(data[:most])
        else:
            out = bytearray()
            for at in range(0, len(data), _SLICE):
                self._inflate(data[at : at + _SLICE], out, most)
        self.size += len(out)
        return bytes(out)

    def _inflate(self, data: bytes, out: bytearray, most: int) -> None:
        """Add what comes of a slice."""
        data, self._held = self._held + data, b""
        while data and len(out) < most and not self.damage and not self.has_trailing:
            if self._stream is None:
                data = self._first(data)
            elif self._stream.eof:
                data = self._next(data)
            # Nothing is left where another stream has not begun.
            if data and self._stream is not None:
                try:
                    out += self._stream.decompress(data, most - len(out))
                except zlib.error as error:
                    self.damage = str(error)
                data = self._stream.unused_data if self._stream.eof else self._stream.unconsumed_tail

    def _first(self, data: bytes) -> bytes:
        """Begin, where it can be seen with what; what is to be read then."""
        bits = _GZIP_BITS
        if self.coding == "deflate":
            if len(data) < 2:
                self._held = data
                return b""
            # The header of zlib; bare deflate could start so with a bit set that every encoder leaves out.
            is_zlib = data[0] & 0x0F == 8 and int.from_bytes(data[:2]) % 31 == 0
            bits = _ZLIB_BITS if is_zlib else _RAW_BITS
        self._stream = zlib.decompressobj(bits)
        return data

    def _next(self, data: bytes) -> bytes:
        """Begin another member of gzip, where one stands behind the end; what is to be read then."""
        if self.coding == "gzip":
            padded, data = data, data.lstrip(b"\0")
            self.has_padding = self.has_padding or data != padded
            if len(data) < len(GZIP) and GZIP.startswith(data):
                self._held = data
                return b""
            if data.startswith(GZIP) and self._members < _MEMBERS_MAX:
                self._members += 1
                self._stream = zlib.decompressobj(_GZIP_BITS)
                return data
        self.has_trailing = True
        return b""
