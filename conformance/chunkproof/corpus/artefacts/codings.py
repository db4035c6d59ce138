"""Content codings taken off: gzip and deflate, with the cuts kept."""

from __future__ import annotations

from collections.abc import Sequence

from chunkproof_reports.visible import count_of

from ..inflating import GZIP, Inflater
from .artefact import WAY_OUT, WIRE_BYTES_MAX, ArtefactError, Pieces, is_stream_like

__all__ = ["decoded", "unpacked"]

_ZSTD = b"\x28\xb5\x2f\xfd"


class _NotPackedError(Exception):
    """The content is not packed in this way."""


def decoded(body: Pieces, codings: Sequence[str]) -> Pieces:
    """The body with its content codings taken off, the last one first; ArtefactError for those not read here."""
    for coding in reversed(codings):
        whole = body.whole
        if is_stream_like(whole):
            return body.then(body.pieces, f"{coding} is taken off already, as curl does with --compressed")
        if coding in ("gzip", "deflate"):
            try:
                body = unpacked(body, coding)
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
    inflater = Inflater(coding)
    # A piece of which nothing came (a gzip header) is no chunk of the stream.
    pieces = [inflated for piece in body.pieces if (inflated := _inflated(inflater, piece, body))]
    note = f" ({noted})" if (noted := _note(inflater)) else ""
    return body.then(pieces, f"{coding} taken off{note}: {count_of(inflater.size, 'byte')}")


def _inflated(inflater: Inflater, piece: bytes, body: Pieces) -> bytes:
    """What comes of a piece; ArtefactError where it is damaged or too much."""
    # One byte more than may be: so it is seen that there is more.
    inflated = inflater.inflate(piece, WIRE_BYTES_MAX + 1 - inflater.size)
    if inflater.damage:
        # What starts as gzip does is meant to be gzip, if nothing comes of it.
        if not inflater.size and not (inflater.coding == "gzip" and body.whole.startswith(GZIP)):
            raise _NotPackedError
        raise ArtefactError(
            f"{inflater.coding} that is damaged after {count_of(inflater.size, 'byte')} ({inflater.damage}): "
            f"fetch it with the header Accept-Encoding: identity; or {WAY_OUT}"
        )
    if inflater.size > WIRE_BYTES_MAX:
        raise ArtefactError(f"{inflater.coding} that unpacks to more than {WIRE_BYTES_MAX:,} bytes: keep a part of it")
    return inflated


def _note(inflater: Inflater) -> str:
    """What was odd at its end."""
    if not inflater.is_whole:
        return "it is cut short, and kept as far as it goes"
    return "what stands behind its end left out" if inflater.has_trailing or inflater.has_padding else ""
