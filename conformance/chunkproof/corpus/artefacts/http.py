"""HTTP/1.1 taken off: status and headers, and chunked framing; what it is packed in is then unpacked.

The framing is read by h11. What is known of reads stays known: each of them is given to h11 by itself.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import h11

from chunkproof_reports.visible import count_of

from ..headers import codings_of, joined
from ..inflating import GZIP
from .artefact import PIECES_MAX, WAY_OUT, ArtefactError, Pieces, behind, is_stream_like, shown
from .codings import decoded, unpacked

__all__ = ["is_wrapped", "unwrapped"]

_ANSWER = re.compile(rb"HTTP/(?:1\.[01]|[23](?:\.0)?) \d{3}[ \r\n]")
_LATER_VERSION = re.compile(rb"\AHTTP/[23](?:\.0)?(?= )")
_REQUEST = re.compile(rb"(?:GET|POST|PUT|PATCH|HEAD|OPTIONS|CONNECT|DELETE) [^ \r\n]+ HTTP/[123][^\r\n]{0,2}\r?\n")
_HEAD_END = re.compile(rb"\r?\n\r?\n")
_CHUNK_HEAD = re.compile(rb"0*[0-9a-fA-F]{1,8}(?:[ \t]*;[^\r\n]*)?[ \t]*\r\n")

_HEAD_BYTES_MAX = 1 << 20
_ANSWERS_MAX = 20


def unwrapped(content: Pieces) -> Pieces:
    """What is left when HTTP and its codings are taken off; the same where there is nothing to take off."""
    content = _without_request(content)
    if _ANSWER.match(content.whole):
        return _answer(content)
    if (body := _bare_chunks(content)) is not None:
        content = body
    if content.whole.startswith(GZIP):
        return unpacked(content, "gzip")
    return content


def is_wrapped(content: Pieces) -> bool:
    """Whether there is something to take off."""
    whole = content.whole
    starts = _REQUEST.match(whole) or _ANSWER.match(whole) or whole.startswith(GZIP)
    return bool(starts) or _bare_chunks(content) is not None


def _without_request(content: Pieces) -> Pieces:
    """Both sides of a connection, less the request in front."""
    whole = content.whole
    if not _REQUEST.match(whole):
        return content
    answer = _ANSWER.search(whole)
    if answer is None:
        raise ArtefactError(f"it is an HTTP request ({shown(whole[:40])}) with no answer: capture the server's side")
    return content.then(
        behind(content.pieces, answer.start()), f"the request in front left out, {answer.start()} bytes"
    )


# answers -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Head:
    """Status and headers of an answer; names in lower case."""

    version: str
    status: int
    headers: dict[str, str]
    length: int

    def codings(self, name: str) -> list[str]:
        """The codings that a header lists, in the order they were applied."""
        return codings_of(self.headers.get(name, ""))

    @property
    def is_stream(self) -> bool:
        return "text/event-stream" in self.headers.get("content-type", "").lower()


def _answer(content: Pieces) -> Pieces:
    """The body of the first answer that is an event stream, or else of the last one."""
    before: list[int] = []
    for _ in range(_ANSWERS_MAX):
        head = _head(content.whole)
        body, rest = _body(content.then(behind(content.pieces, head.length)), head)
        # Answers of a proxy and redirections come before the one that matters.
        following = next((pieces for pieces in (rest, body.pieces) if _starts_answer(pieces)), None)
        if following is None or (head.is_stream and following is rest):
            break
        before.append(head.status)
        content = content.then(following)
    else:
        raise ArtefactError(f"more than {_ANSWERS_MAX} HTTP answers stand in a row: keep the one that is the stream")
    told = len(content.understood)
    if before:
        statuses = ", ".join(map(str, before))
        content = content.then(
            content.pieces, f"{count_of(len(before), 'answer')} in front left out, status {statuses}"
        )
    version = f"an HTTP/{head.version} answer, status {head.status}: status and headers taken off"
    body = Pieces(body.pieces, (*content.understood, version, *body.understood[told:]))
    if rest:
        body = body.then(body.pieces, f"{count_of(sum(map(len, rest)), 'byte')} behind the answer left out")
    return decoded(body, head.codings("content-encoding"))


def _starts_answer(pieces: Sequence[bytes]) -> bool:
    return bool(pieces) and _ANSWER.match(b"".join(pieces[:64])) is not None


def _head(content: bytes) -> _Head:
    end = _HEAD_END.search(content, 0, _HEAD_BYTES_MAX)
    if end is None:
        raise ArtefactError(f"an HTTP answer whose headers have no end: there is no body; or {WAY_OUT}")
    later = _LATER_VERSION.match(content)
    text = _LATER_VERSION.sub(b"HTTP/1.1", content[: end.end()])
    try:
        answer = _client(text, _HEAD_BYTES_MAX).next_event()
    except h11.RemoteProtocolError as error:
        raise ArtefactError(f"an HTTP answer whose headers cannot be read: {error}; or {WAY_OUT}") from None
    # It has its blank line.
    assert isinstance(answer, h11.Response | h11.InformationalResponse)
    version = later.group()[5:6] if later else bytes(answer.http_version)
    return _Head(version.decode(), answer.status_code, joined(answer.headers), end.end())


def _body(content: Pieces, head: _Head) -> tuple[Pieces, list[bytes]]:
    """The body with its framing taken off, and what stands behind it."""
    whole = content.whole
    if head.status < 200:
        return content.then([]), list(content.pieces)
    if "chunked" in head.codings("transfer-encoding"):
        if not _CHUNK_HEAD.match(whole):
            if not whole:
                return content, []
            return content.then(content.pieces, "its chunks are joined already, as curl does without --raw"), []
        framed = _framed(content.pieces, b"Transfer-Encoding: chunked")
        if framed.fault:
            raise ArtefactError(f"chunked framing that breaks off after {framed.told}: {framed.fault}; or {WAY_OUT}")
        return content.then(framed.pieces, f"chunked framing taken off: {framed.told}"), framed.rest
    length = head.headers.get("content-length", "")
    # The length is that of the packed body: it says nothing where curl or a browser has unpacked it.
    if re.fullmatch(r"[0-9]{1,15}", length) and not (head.codings("content-encoding") and is_stream_like(whole)):
        framed = _framed(content.pieces, b"Content-Length: " + length.encode())
        if not framed.ended:
            return content.then(framed.pieces, f"the body is cut short: {len(whole)} of {length} bytes"), []
        return content.then(framed.pieces), framed.rest
    return content, []


# framing -------------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Framed:
    """A body as h11 reads it: pieces end where chunks or reads do."""

    pieces: list[bytes]
    chunks: int = 0
    in_chunk: bool = False
    ended: bool = False
    rest: list[bytes] = field(default_factory=list)
    fault: str = ""

    @property
    def told(self) -> str:
        """How many chunks there are, and whether the last of them is whole."""
        chunks = count_of(self.chunks, "chunk")
        if self.in_chunk:
            return f"{chunks} and a part of one that is cut short"
        return chunks if self.ended else f"{chunks}, without the one that ends the body"


def _client(content: bytes, head_bytes_max: int = 1 << 16) -> h11.Connection:
    """A connection that has asked, and received this."""
    connection = h11.Connection(h11.CLIENT, max_incomplete_event_size=head_bytes_max)
    connection.send(h11.Request(method="GET", target="/", headers=[("Host", "a")]))
    connection.send(h11.EndOfMessage())
    connection.receive_data(content)
    return connection


def _framed(pieces: Sequence[bytes], header: bytes) -> _Framed:
    """The body that stands behind this header."""
    connection = _client(b"HTTP/1.1 200 OK\r\n" + header + b"\r\n\r\n")
    connection.next_event()
    framed = _Framed([])
    for at, piece in enumerate(pieces):
        if not piece:
            # For h11 it means that the connection was closed.
            continue
        connection.receive_data(piece)
        try:
            _take(connection, framed)
        except h11.RemoteProtocolError as error:
            framed.fault = str(error)
            break
        if framed.ended:
            framed.rest = [one for one in (connection.trailing_data[0], *pieces[at + 1 :]) if one]
            break
    return framed


def _take(connection: h11.Connection, framed: _Framed) -> None:
    """All that can be had of what was received."""
    while True:
        event = connection.next_event()
        if isinstance(event, h11.Data):
            if len(framed.pieces) >= PIECES_MAX:
                raise ArtefactError(f"the body has more than {PIECES_MAX:,} chunks: keep the part around the failure")
            framed.pieces.append(bytes(event.data))
            framed.in_chunk = not event.chunk_end
            framed.chunks += event.chunk_end
        elif isinstance(event, h11.EndOfMessage):
            framed.ended = True
            return
        else:
            return


def _bare_chunks(content: Pieces) -> Pieces | None:
    """The body of chunked framing without headers, as ``curl --raw`` writes it; None where it is none.

    All of the content has to fit. Where it has no end (a stream is seldom captured to its end), at least one chunk has
    to be whole and what it holds has to start as an event stream does: lines such as ``1`` and ``a`` would fit too.
    """
    if not _CHUNK_HEAD.match(content.whole[:256]):
        return None
    framed = _framed(content.pieces, b"Transfer-Encoding: chunked")
    body = framed.pieces[0] if framed.pieces else b""
    if framed.fault or framed.rest or not framed.chunks:
        return None
    if not framed.ended and not is_stream_like(body) and not body.startswith(GZIP):
        return None
    return content.then(framed.pieces, f"chunked framing without headers taken off: {framed.told}")
