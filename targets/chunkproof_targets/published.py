"""The parsers of three published articles, ported with their faults.

Each takes an iterable of chunks of bytes and yields the data of its events, as text, while the chunks come: nothing is
read ahead. They show data only. None of them is a parser to use; they are here to be found out.

The originals read a browser's stream, so "decode" means what TextDecoder does: ill-formed bytes become U+FFFD, and one
byte order mark at the start of what is decoded is removed ("utf-8-sig" is Python's name for it). The strict reader is
the exception: it was published in Python.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator

__all__ = ["fetch_loop", "parser_a", "parser_b", "parser_c", "parser_d", "strict_reader"]

_stateful_decoder = codecs.getincrementaldecoder("utf-8-sig")
_strict_decoder = codecs.getincrementaldecoder("utf-8")


def parser_a(chunks: Iterable[bytes]) -> Iterator[str]:
    """Parser A: each chunk is decoded and split at LF by itself; each line that starts with ``data:`` is an event.

    Its fault: it takes the end of a chunk for the end of a line. A line that a chunk's end cuts gives a part of its
    data, or nothing at all, and never an error.
    """
    for chunk in chunks:
        for line in _decode_alone(chunk).split("\n"):
            if line.startswith("data:"):
                yield line.removeprefix("data:").removeprefix(" ")


def parser_b(chunks: Iterable[bytes]) -> Iterator[str]:
    """Parser B: decodes with state and buffers to a whole line; each ``data:`` line is an event at once.

    Its fault: it knows no blank line, so an event of two data lines comes as two events, and an unfinished event is
    sent.
    """
    for line in _lines(_decode_with_state(chunks)):
        if line.startswith("data:"):
            yield line.removeprefix("data:").removeprefix(" ")


def parser_c(chunks: Iterable[bytes]) -> Iterator[str]:
    """Parser C: lines and events as in parser D, but each chunk is decoded alone, with replacement.

    Its fault: a character that a chunk's end cuts becomes two to four U+FFFD, inside text that still parses as JSON.
    """
    yield from _data_events(_lines(map(_decode_alone, chunks)))


def parser_d(chunks: Iterable[bytes]) -> Iterator[str]:
    """Parser D: decodes with state, buffers to a whole line, joins data lines and dispatches on the blank line.

    Outside its scope, in its author's words: data fields only (no event, id or retry); LF with an optional CR before
    it (no bare CR); an unfinished event is not sent; no flush of the decoder at the end.
    """
    yield from _data_events(_lines(_decode_with_state(chunks)))


def strict_reader(chunks: Iterable[bytes]) -> Iterator[str]:
    """The strict diagnostic reader: D's steps, over a UTF-8 decoder that raises.

    Comments, ``data`` (at most one blank removed), LF or CRLF, dispatch on the blank line; an unfinished event is not
    sent. An ill-formed or truncated sequence raises UnicodeDecodeError, at the end of the input too.

    Outside its scope, in its author's words: lone CR, byte order mark, event, id, retry, reconnection.
    """
    yield from _data_events(_lines(_decode_strictly(chunks)))


def fetch_loop(chunks: Iterable[bytes]) -> Iterator[str]:
    """The fetch loop of a browser client: decodes with state, splits at LF LF, and keeps the last piece for later.

    Yields the payload of each piece: what is left when a leading ``data:`` and the blanks behind it are removed. The
    payload ``[DONE]`` ends the loop, whatever follows. The original hands each payload to JSON.parse and renders its
    ``delta``; those steps stand above the event stream and are left out, so what it cannot parse is visible here as
    text: comments, other fields, the second of two data lines, the empty payload.
    """
    buffer = ""
    for text in _decode_with_state(chunks):
        *pieces, buffer = (buffer + text).split("\n\n")
        for piece in pieces:
            payload = piece.removeprefix("data:").lstrip(" ")
            if payload == "[DONE]":
                return
            yield payload


def _decode_alone(chunk: bytes) -> str:
    """A new decoder for each chunk: what A and C get wrong."""
    return chunk.decode("utf-8-sig", errors="replace")


def _decode_with_state(chunks: Iterable[bytes]) -> Iterator[str]:
    """One decoder for the stream. It is not flushed at the end, so a character cut short there is dropped."""
    decoder = _stateful_decoder("replace")
    for chunk in chunks:
        yield decoder.decode(chunk)


def _decode_strictly(chunks: Iterable[bytes]) -> Iterator[str]:
    """One decoder for the stream, which raises; flushed at the end, so that a character cut short there raises too."""
    decoder = _strict_decoder("strict")
    for chunk in chunks:
        yield decoder.decode(chunk)
    yield decoder.decode(b"", True)


def _lines(texts: Iterable[str]) -> Iterator[str]:
    """Lines that end at LF, less one CR before it; the rest waits for its LF and is dropped at the end."""
    buffer = ""
    for text in texts:
        *lines, buffer = (buffer + text).split("\n")
        for line in lines:
            yield line.removesuffix("\r")


def _data_events(lines: Iterable[str]) -> Iterator[str]:
    """Data lines joined with LF, one event for each blank line that has any before it; other fields are ignored."""
    data: list[str] = []
    for line in lines:
        if line == "":
            if data:
                yield "\n".join(data)
                data = []
        elif not line.startswith(":"):
            name, _, value = line.partition(":")
            if name == "data":
                data.append(value.removeprefix(" "))
