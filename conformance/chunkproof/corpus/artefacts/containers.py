"""Bytes that somebody wrote down: Python literals, chunks as JSON, and the HAR file of a browser."""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from chunkproof_reports.visible import count_of

from .artefact import PIECES_MAX, WAY_OUT, ArtefactError, Pieces, shown
from .forms import chunk_bytes, decoded, utf8

__all__ = ["is_chunks", "is_har", "is_python", "read_chunks", "read_har", "read_python"]

# What a literal or a list of this many bytes of text takes in memory is a hundred times as much, if it is hostile.
_PYTHON_BYTES_MAX = 4 * 1024 * 1024
_CHUNKS_BYTES_MAX = 16 * 1024 * 1024
_HAR_BYTES_MAX = 64 * 1024 * 1024

_PYTHON = re.compile(rb"\s*(?:\w{1,40}\s{0,4}=\s*)?[\[(]*\s*(?:[bB][rR]?|[rR][bB])['\"]")
_ASSIGNED = re.compile(r"\A\s*\w{1,40}\s{0,4}=\s*")
_HAR = re.compile(rb"(?:\xef\xbb\xbf)?\s*\{\s*\"log\"\s*:")
_CHUNKS = re.compile(rb"(?:\xef\xbb\xbf)?\s*\[")


# Python --------------------------------------------------------------------------------------------------------------


def is_python(content: bytes) -> bool:
    """Whether it starts as a bytes literal does, or a list of them."""
    return _PYTHON.match(content[:2048]) is not None


def read_python(content: bytes) -> Pieces:
    """The bytes of a literal; of a list of them, or of one a line, each is a chunk."""
    if len(content) > _PYTHON_BYTES_MAX:
        raise ArtefactError(
            f"a Python literal of more than {_PYTHON_BYTES_MAX:,} bytes: write the bytes to a file and give that"
        )
    text = _ASSIGNED.sub("", _text(content, "a Python literal"), count=1).strip()
    chunks = _literals(text)
    size = count_of(sum(map(len, chunks)), "byte")
    if len(chunks) == 1:
        return Pieces(chunks, (f"a Python bytes literal, {size}",))
    return Pieces(chunks, (f"Python bytes literals, {size}: {len(chunks)} chunks, their ends are the cuts",))


def _literals(text: str) -> list[bytes]:
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) > 1:
        # A line each, as a loop prints them.
        try:
            values = [_literal(line.strip()) for line in lines]
        except ArtefactError:
            pass
        else:
            if all(isinstance(value, bytes) for value in values):
                return values
    value = _literal(f"({text}\n)")
    chunks = list(value) if isinstance(value, list | tuple) else [value]
    if not chunks:
        raise ArtefactError("a list without bytes literals: give at least one, as b'data: a\\n\\n'")
    for at, chunk in enumerate(chunks):
        if not isinstance(chunk, bytes):
            raise ArtefactError(f"item {at}, {shown(repr(chunk))}, is no bytes literal: they are written b'...'")
    return chunks


def _literal(text: str) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.literal_eval(text)
    except SyntaxError as error:
        raise ArtefactError(
            f"no Python literal: {error.msg}, near {shown((error.text or '').strip())}; or {WAY_OUT}"
        ) from None
    except (ValueError, TypeError, MemoryError, RecursionError) as error:
        reason = str(error).partition(":")[0] or type(error).__name__
        raise ArtefactError(
            f"no Python literal: {shown(reason)}; only bytes literals and lists of them are read"
        ) from None


# chunks as JSON ------------------------------------------------------------------------------------------------------


def is_chunks(content: bytes) -> bool:
    """Whether it is a JSON list."""
    if not _CHUNKS.match(content[:2048]) or not content[-64:].rstrip().endswith(b"]"):
        return False
    try:
        return isinstance(_json(content, "chunks", _CHUNKS_BYTES_MAX), list)
    except ArtefactError:
        # A line of a stream may well start with a bracket.
        return False


def read_chunks(content: bytes) -> Pieces:
    """The chunks of a list; empty ones are chunks too."""
    data = _json(content, "chunks", _CHUNKS_BYTES_MAX)
    if not isinstance(data, list) or not data:
        raise ArtefactError(
            f'{shown(repr(data))} stands where a list of chunks belongs, as ["data: a", {{"hex": "0a0a"}}]'
        )
    if all(type(item) is int for item in data):
        data = [data]
    if len(data) > PIECES_MAX:
        raise ArtefactError(f"a list of more than {PIECES_MAX:,} chunks: keep the part around the failure")
    chunks = [chunk_bytes(item, f"chunk {at}") for at, item in enumerate(data)]
    size = count_of(sum(map(len, chunks)), "byte")
    return Pieces(chunks, (f"a JSON list of {count_of(len(chunks), 'chunk')}, {size}: their ends are the cuts",))


# HAR -----------------------------------------------------------------------------------------------------------------


def is_har(content: bytes) -> bool:
    """Whether it starts as a HAR file does."""
    return _HAR.match(content[:2048]) is not None


def read_har(content: bytes) -> Pieces:
    """The body of the first response that is an event stream and was kept."""
    data = _json(content, "a HAR file", _HAR_BYTES_MAX)
    log = data.get("log") if isinstance(data, dict) else None
    entries = log.get("entries") if isinstance(log, dict) else None
    if not isinstance(entries, list):
        raise ArtefactError("no HAR file: it has no list log.entries")
    streams = [entry for entry in entries if _is_stream(entry)]
    if not streams:
        raise ArtefactError(
            f"none of the {count_of(len(entries), 'response')} of the HAR file is text/event-stream: "
            "record again, with the stream in it"
        )
    for entry in streams:
        body = entry["response"].get("content")
        if isinstance(body, dict) and isinstance(body.get("text"), str) and body["text"]:
            return _har_body(entry, body, len(streams))
    raise ArtefactError(_without_body(streams))


def _is_stream(entry: Any) -> bool:
    response = entry.get("response") if isinstance(entry, dict) else None
    return isinstance(response, dict) and any("text/event-stream" in kind.lower() for kind in _types(response))


def _types(response: dict[str, Any]) -> Iterator[str]:
    """What a response says of its type, in its body and in its headers."""
    body, headers = response.get("content"), response.get("headers")
    if isinstance(body, dict) and isinstance(body.get("mimeType"), str):
        yield body["mimeType"]
    for header in headers if isinstance(headers, list) else ():
        if isinstance(header, dict) and str(header.get("name")).lower() == "content-type":
            yield str(header.get("value"))


def _har_body(entry: dict[str, Any], body: dict[str, Any], count: int) -> Pieces:
    text = body["text"]
    encoding = body.get("encoding")
    told = [f"a HAR file: the response of {_place(entry)}"]
    if count > 1:
        told.append(f"it holds {count} event streams, of which this is the first that has a body")
    if encoding == "base64":
        return Pieces([decoded(text, "base64", "the response")], (*told, "its body is kept as base64"))
    if encoding:
        raise ArtefactError(f"the response of {_place(entry)} is kept as {shown(str(encoding))}, which is not base64")
    told.append("its body is kept as text: a mark at its start and bytes that were no UTF-8 are lost")
    body_bytes = utf8(text, "the response", way_out=": a HAR file can hold it as base64")
    return Pieces([body_bytes], tuple(told))


def _place(entry: dict[str, Any]) -> str:
    """Host and path of a request; its query, and a user in it, may be secrets."""
    request = entry.get("request")
    url = request.get("url") if isinstance(request, dict) else None
    try:
        parts = urlsplit(url if isinstance(url, str) else "")
        place = f"{parts.netloc.rpartition('@')[2]}{parts.path}"
    except ValueError:
        place = ""
    return shown(place, 200).strip("'\"") if place else "a request without a URL"


def _without_body(streams: list[dict[str, Any]]) -> str:
    way_out = "take it with curl -iN --raw instead"
    for key, what in (("_eventSourceMessages", "events"), ("_webSocketMessages", "messages")):
        if any(key in entry for entry in streams):
            return (
                f"the HAR file keeps the {what} that the browser read ({key}) and not the bytes they came in: {way_out}"
            )
    return f"the HAR file has no body for {_place(streams[0])}, as browsers do for streams that did not end: {way_out}"


# both ----------------------------------------------------------------------------------------------------------------


def _text(content: bytes, what: str) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ArtefactError(f"{what} that is no UTF-8: {error.reason} at byte {error.start}") from None


def _json(content: bytes, what: str, most: int) -> Any:
    if len(content) > most:
        raise ArtefactError(f"{what} as JSON of more than {most:,} bytes: keep the part around the failure")
    text = _text(content, what)
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ArtefactError(f"{what}: no JSON, {error}") from None
