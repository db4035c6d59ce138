"""The content codings gzip and deflate, taken off as the bytes arrive."""

from __future__ import annotations

import zlib

__all__ = ["CodingError", "Inflater", "inflater"]

_GZIP, _ZLIB, _RAW = 31, 15, -15


class CodingError(ValueError):
    """The content coding is one that cannot be taken off."""


class Inflater:
    """Takes ``coding`` off, one piece of the body after the other; ``identity`` leaves the bytes as they are.

    gzip may have several members. deflate is the zlib format, or the bare one that some servers send. ``broken`` says
    what is wrong with the bytes, once they cannot be read on.
    """

    def __init__(self, coding: str) -> None:
        self.coding = coding
        self.broken = ""
        self._held = b""
        self._stream = zlib.decompressobj(_GZIP) if coding == "gzip" else None
        self._begun = False

    @property
    def complete(self) -> bool:
        """Whether no end is missing."""
        return not self._begun or self.coding == "identity" or (self._stream is not None and self._stream.eof)

    def inflate(self, data: bytes, most: int) -> bytes:
        """What comes of these bytes, ``most`` bytes of it at most; what would be more is lost.

        Where the bytes are broken, what would have come of them before that may be lost too.
        """
        if self.coding == "identity":
            return data[:most]
        self._begun = self._begun or bool(data)
        data = self._held + data
        self._held = b""
        if self._stream is None:
            if len(data) < 2:
                self._held = data
                return b""
            is_zlib = data[0] & 0x0F == 8 and int.from_bytes(data[:2]) % 31 == 0
            self._stream = zlib.decompressobj(_ZLIB if is_zlib else _RAW)
        return self._inflated(self._stream, data, most)

    def _inflated(self, stream: zlib._Decompress, data: bytes, most: int) -> bytes:
        out = bytearray()
        while data and len(out) < most and not self.broken:
            if stream.eof:
                # Zeros behind the end of gzip are padding; anything else is the next member.
                data = data.lstrip(b"\0") if self.coding == "gzip" else data
                if not data:
                    break
                if self.coding != "gzip":
                    self.broken = f"something stands behind the end of the {self.coding} data"
                    break
                stream = self._stream = zlib.decompressobj(_GZIP)
            try:
                out += stream.decompress(data, most - len(out))
            except zlib.error:
                self.broken = f"the {self.coding} data is broken: some of the read in which that shows may be missing"
                break
            data = stream.unused_data if stream.eof else stream.unconsumed_tail
        return bytes(out)


def inflater(content_encoding: str) -> Inflater:
    """What takes off the codings of this header; CodingError where it cannot."""
    codings = [coding.strip().lower().removeprefix("x-") for coding in content_encoding.split(",")]
    codings = [coding for coding in codings if coding not in ("", "identity")]
    if not codings:
        return Inflater("identity")
    if len(codings) > 1 or codings[0] not in ("gzip", "deflate"):
        raise CodingError("the content coding is not gzip or deflate")
    return Inflater(codings[0])
