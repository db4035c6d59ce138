"""Which form a file has, and the reader of each."""

from __future__ import annotations

from collections.abc import Callable

from chunkproof_reports.visible import count_of

from .artefact import Artefact, ArtefactError, Pieces, is_stream_like
from .capture import is_capture, read_capture
from .containers import is_chunks, is_har, is_python, read_chunks, read_har, read_python
from .curl import is_trace, is_verbose, read_trace, read_verbose
from .digits import is_arrays, is_followed, is_hex, read_arrays, read_followed, read_hex
from .dumps import is_dump, read_dump
from .http import is_wrapped, unwrapped

__all__ = ["FORMATS", "read_artefact"]

#: What a file can be said to be.
FORMATS: tuple[str, ...] = ("raw", "hex", "python", "chunks", "har", "pcap")

_CONTENT_BYTES_MAX = 256 * 1024 * 1024
_SUFFIXES = {".har": "har", ".pcap": "pcap", ".pcapng": "pcap", ".cap": "pcap"}


def read_artefact(content: bytes, *, format: str | None = None, name: str = "") -> Artefact:
    """The wire that a file holds, its cuts, and what was understood; ArtefactError where there is none.

    ``format`` is one of FORMATS; without it, the form is recognised by the content (and by the end of ``name``, for
    captures and HAR files). HTTP/1.1, chunked framing and gzip are taken off whatever the form, unless the format is
    said to be "raw": then the bytes are taken as they are.
    """
    if format is not None and format not in FORMATS:
        raise ArtefactError(f"{format!r} is no format; the formats are {', '.join(FORMATS)}")
    if not content:
        raise ArtefactError("the file is empty: was the stream captured, and with curl -N (no buffering)?")
    if len(content) > _CONTENT_BYTES_MAX:
        raise ArtefactError(
            f"the file has {len(content):,} bytes and may have {_CONTENT_BYTES_MAX:,}: keep the part around the failure"
        )
    if format == "raw":
        return Pieces([content], (f"taken byte for byte, {count_of(len(content), 'byte')}",)).artefact()
    return unwrapped(_reader(content, format or _of_name(name))(content)).artefact()


def _of_name(name: str) -> str | None:
    lowered = name.lower()
    return next((format for suffix, format in _SUFFIXES.items() if lowered.endswith(suffix)), None)


def _reader(content: bytes, format: str | None) -> Callable[[bytes], Pieces]:
    if format == "hex":
        return _hex_reader(content) or read_hex
    if format is not None:
        return {"python": read_python, "chunks": read_chunks, "har": read_har, "pcap": read_capture}[format]
    if is_capture(content):
        return read_capture
    if is_har(content):
        return read_har
    if is_python(content):
        return read_python
    if is_chunks(content):
        return read_chunks
    if is_trace(content):
        return read_trace
    if is_verbose(content):
        return read_verbose
    return _hex_reader(content) or _plain_reader(content)


def _hex_reader(content: bytes) -> Callable[[bytes], Pieces] | None:
    """The reader of a dump that says that it is one."""
    if is_followed(content):
        return read_followed
    if is_arrays(content):
        return read_arrays
    return read_dump if is_dump(content) else None


def _plain_reader(content: bytes) -> Callable[[bytes], Pieces]:
    """Hex without offsets only where a stream comes of it: lines of such digits alone are a stream as well."""
    if is_hex(content):
        pieces = read_hex(content)
        if is_stream_like(pieces.whole) or is_wrapped(pieces):
            return read_hex
        return _digits_as_they_are
    return _as_it_is


def _as_it_is(content: bytes) -> Pieces:
    return Pieces([content], (f"a raw file, {count_of(len(content), 'byte')}",))


def _digits_as_they_are(content: bytes) -> Pieces:
    size = count_of(len(content), "byte")
    return Pieces([content], (f"a raw file, {size}: if these digits are a dump, give the format 'hex'",))
