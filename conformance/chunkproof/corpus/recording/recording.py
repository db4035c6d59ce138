"""Records a live stream as it arrives: the bytes, where each read of the socket ended, and when."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from itertools import accumulate
from statistics import median_low

import h11

from chunkproof_reports.visible import count_of
from chunkproof_strategies.chunkings import Cuts, chunks_of

from ..headers import codings_of, joined
from ..inflating import Inflater
from .exchange import SHOWN_BYTES, Deadline, Exchange, connect
from .request import Headers, RecordingError, Request, read_headers
from .secrets import Secrets

__all__ = ["Recording", "RecordingError", "describe", "read_headers", "record"]

_REDIRECTS = (301, 302, 303, 307, 308)
_REDIRECTS_MAX = 5
_TYPE = "text/event-stream"
# So long is waited for the body of an error, which may be a stream that never ends.
_ERROR_BODY_SECONDS = 2.0
_WAYS_OUT = {
    401: "give the credentials in a headers file",
    403: "give the credentials in a headers file",
    404: "check the path",
    405: "take another method",
    429: "wait, then try again",
}

Chunk = tuple[bytes, float]


@dataclass(frozen=True, slots=True)
class Recording:
    """A live stream as it arrived.

    ``wire`` is the body, with content coding and HTTP framing taken off. ``cuts`` are where each read of the socket
    ended, as offsets inside the wire; reads that add nothing to it make none. ``times`` are seconds since the request
    was sent, one for each chunk. ``url`` has no user info, query and fragment. ``notes`` are what was done and seen.
    Nothing of the request's headers and query is in it, nor of cookies, unless the server has put it into the stream:
    ``repeats_secret`` says so then, and a note.
    """

    wire: bytes
    cuts: Cuts
    times: tuple[float, ...]
    status: int
    content_type: str
    url: str
    notes: tuple[str, ...]
    repeats_secret: bool = False


def record(
    url: str,
    *,
    headers: Headers = (),
    method: str = "GET",
    body: bytes = b"",
    max_time: float = 30.0,
    max_bytes: int = 1 << 20,
    on_chunk: Callable[[int, float], object] = lambda size, seconds: None,
) -> Recording:
    """The stream at an http or https URL, until the server ends it, ``max_time`` seconds, or ``max_bytes`` of wire.

    ``on_chunk`` is given the bytes of each chunk as it comes, and its time. Ctrl-C ends the recording and keeps what
    has arrived; before that, it is passed on.

    A chunk is what one read of the socket brings. Under TLS that is one record, and what arrives in between two reads
    comes as one. Redirects are followed, 5 at most; none of ``headers`` and no body goes to another host, scheme or
    port. No proxy is used, whatever the environment says: it would cut the stream anew. The look-up of the host's name
    is the one step that the system may draw out over ``max_time``.

    RecordingError where nothing can be recorded: it names the URL, and nothing that is secret.
    """
    request = Request.of(url, headers, method, body)
    if not (0 < max_time < math.inf):
        raise RecordingError(f"{request.place.shown}: {max_time=} is no time to record for; take seconds above 0")
    if max_bytes < 1:
        raise RecordingError(f"{request.place.shown}: {max_bytes=} leaves nothing to record; take 1 at least")
    secrets = Secrets()
    limits = _Limits(Deadline(max_time), max_bytes, on_chunk)
    notes: list[str] = []
    for _ in range(_REDIRECTS_MAX + 1):
        secrets.add_headers(request.headers)
        secrets.add_query(request.place.query)
        with closing(connect(request, limits.deadline)) as connection:
            exchange = Exchange(connection, request, limits.deadline, secrets)
            response = exchange.response()
            # Cookies are the one list whose items hold commas.
            cookies = [value.decode("latin-1") for name, value in response.headers if name == b"set-cookie"]
            secrets.add_headers(("set-cookie", cookie) for cookie in cookies)
            location = joined(response.headers).get("location", "")
            if response.status_code not in _REDIRECTS or not location:
                return _recorded(exchange, response, limits, secrets, notes)
        following = request.redirected(response.status_code, location, secrets)
        notes.append(f"redirected to {following.shown}")
        if request.headers and not following.headers:
            notes.append("the headers given were not sent there: it is another origin")
        request = following
    raise RecordingError(
        f"{request.shown}: more than {_REDIRECTS_MAX} redirects; record the URL that they should lead to"
    )


@dataclass(frozen=True, slots=True)
class _Limits:
    """What ends a recording, and who is told of its chunks."""

    deadline: Deadline
    max_bytes: int
    on_chunk: Callable[[int, float], object]


# the body ------------------------------------------------------------------------------------------------------------


def _recorded(
    exchange: Exchange, response: h11.Response, limits: _Limits, secrets: Secrets, notes: list[str]
) -> Recording:
    place, fields = exchange.request.shown, joined(response.headers)
    encoding = fields.get("content-encoding", "")
    if response.status_code != 200:
        raise RecordingError(f"{place}: {_refusal(exchange, response.status_code, encoding, secrets)}")
    coding = _inflater(encoding)
    if coding is None:
        shown = secrets.shown(encoding.encode(), 40)
        reason = f"the body comes in the content coding {shown}, which cannot be taken off"
        raise RecordingError(f"{place}: {reason}; ask for it with Accept-Encoding: identity")
    content_type = secrets.shown(fields.get("content-type", "").encode(), SHOWN_BYTES)
    notes += _of_the_type(content_type)
    if coding.coding != "identity":
        notes.append(f"{coding.coding} taken off")
    chunks = _taken(exchange, coding, limits, notes)
    wire = b"".join(data for data, _ in chunks)
    if not wire and exchange.broken:
        notes.append("nothing arrived")
    repeats_secret = secrets.repeated_in(wire)
    if repeats_secret:
        notes.append("the stream repeats a value of the request's headers or query: redact it before others see it")
    ends = tuple(accumulate(len(data) for data, _ in chunks))
    times = tuple(seconds for _, seconds in chunks)
    status = response.status_code
    return Recording(wire, ends[:-1], times, status, content_type, place, tuple(notes), repeats_secret)


def _taken(exchange: Exchange, coding: Inflater, limits: _Limits, notes: list[str]) -> list[Chunk]:
    """The chunks of the wire; how they ended is noted."""
    chunks: list[Chunk] = []
    room = limits.max_bytes
    try:
        for data, seconds in exchange.reads():
            # One byte more than there is room for shows that the stream goes on.
            data = coding.inflate(data, room + 1)
            full = len(data) > room or (len(data) == room and not exchange.ended)
            data = data[:room]
            room -= len(data)
            if data:
                chunks.append((data, seconds))
                limits.on_chunk(len(data), seconds)
            fault = _fault(coding)
            if full or fault:
                return _noted(chunks, notes, fault or "ended by --max-bytes")
    except KeyboardInterrupt:
        return _noted(chunks, notes, "ended by Ctrl-C")
    if exchange.broken:
        notes.append(exchange.broken)
    elif not coding.is_whole:
        notes.append(f"the {coding.coding} data stops before its end")
    elif not exchange.delimited:
        notes.append("the body ended with the connection: no length and no last chunk shows whether that was its end")
    return chunks


def _inflater(content_encoding: str) -> Inflater | None:
    """What takes off the coding of this header; None where it cannot be taken off."""
    codings = codings_of(content_encoding)
    if len(codings) > 1 or (codings and codings[0] not in ("gzip", "deflate")):
        return None
    return Inflater(codings[0] if codings else "identity")


def _fault(coding: Inflater) -> str:
    """Why the bytes cannot be read on; empty where they can."""
    if coding.damage:
        return f"the {coding.coding} data is broken: some of the read in which that shows may be missing"
    return f"something stands behind the end of the {coding.coding} data" if coding.has_trailing else ""


def _noted(chunks: list[Chunk], notes: list[str], note: str) -> list[Chunk]:
    notes.append(note)
    return chunks


def _of_the_type(content_type: str) -> list[str]:
    kind, *parameters = (part.strip().lower() for part in content_type.split(";"))
    if not kind:
        return [f"there is no content type, where {_TYPE} belongs"]
    if kind != _TYPE:
        return [f"the content type is {kind}, not {_TYPE}"]
    charsets = [
        value.strip('"') for name, _, value in (part.partition("=") for part in parameters) if name == "charset"
    ]
    if charsets and charsets[0] not in ("utf-8", "utf8"):
        return [f"the charset is {charsets[0]}; a parser has to decode the stream as UTF-8 all the same"]
    return []


def _refusal(exchange: Exchange, status: int, encoding: str, secrets: Secrets) -> str:
    """What a server says that sends no stream, and the way out."""
    way_out = _WAYS_OUT.get(status, "the stream has to come with status 200")
    # Enough to see a secret as a whole that begins in what is shown.
    body = _beginning(exchange, encoding, SHOWN_BYTES + secrets.longest())
    said = f" and says '{secrets.shown(body, SHOWN_BYTES)}'" if body else ""
    return f"the server answers with status {status}{said}; {way_out}"


def _beginning(exchange: Exchange, encoding: str, enough: int) -> bytes:
    """What has come of the body of an error; nothing where its coding cannot be taken off: the status says enough."""
    coding = _inflater(encoding)
    body = b""
    if coding is not None:
        with suppress(TimeoutError):
            exchange.deadline = Deadline(min(exchange.deadline.left(), _ERROR_BODY_SECONDS))
            for data, _ in exchange.reads():
                body += coding.inflate(data, enough - len(body))
                if len(body) >= enough:
                    break
    return body


# telling -------------------------------------------------------------------------------------------------------------


def describe(recording: Recording) -> list[str]:
    """The recording in lines for a terminal: what came, in what chunks, when, and the notes."""
    sizes = [len(chunk) for chunk in chunks_of(recording.wire, recording.cuts)]
    lines = [
        f"{recording.url}: status {recording.status}, {recording.content_type or 'no content type'}",
        f"{count_of(len(recording.wire), 'byte')} in {count_of(len(sizes), 'chunk')}",
    ]
    if sizes:
        smallest, middle, largest = min(sizes), median_low(sizes), max(sizes)
        lines.append(f"chunks of {smallest:,} to {largest:,} bytes, half of them {middle:,} or less")
        lines.append(f"first after {recording.times[0]:.3f} s, last after {recording.times[-1]:.3f} s")
    return lines + [f"note: {note}" for note in recording.notes]
