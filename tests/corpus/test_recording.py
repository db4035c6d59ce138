"""A live stream is recorded as it arrives: its bytes, the ends of the reads, and nothing that is secret.

Where a test needs reads that stay apart, the server sends on only when the recorder has told of the chunk before. What
cannot be made certain with a server comes from a connection whose reads are written down (`Written`).
"""

from __future__ import annotations

import gzip
import html
import json
import shutil
import socket
import ssl
import subprocess
import threading
import zlib
from collections.abc import Callable, Iterable
from contextlib import contextmanager, suppress
from itertools import accumulate, pairwise
from pathlib import Path
from time import monotonic
from urllib.parse import quote

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from chunkproof.corpus.inflating import Inflater
from chunkproof.corpus.recording import Recording, RecordingError, describe, exchange, read_headers, record
from chunkproof.corpus.recording import recording as module
from chunkproof_strategies.chunkings import chunks_of

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
#: No wait of these tests is to end by itself.
LONG = 60.0


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


def length(data: bytes, head: bytes = HEAD) -> bytes:
    return head + b"Content-Length: %d\r\n\r\n" % len(data) + data


class Talk:
    """One connection of the server, and the request that came over it."""

    def __init__(self, connection: socket.socket, told: threading.Semaphore) -> None:
        self.connection = connection
        self.told = told
        self.request = b""
        while b"\r\n\r\n" not in self.request:
            self._read()
        head, _, body = self.request.partition(b"\r\n\r\n")
        for line in head.split(b"\r\n"):
            if line.lower().startswith(b"content-length:"):
                while len(body) < int(line.split(b":")[1]):
                    body += self._read()

    def _read(self) -> bytes:
        data = self.connection.recv(65536)
        if not data:
            raise ConnectionResetError
        self.request += data
        return data

    def send(self, *pieces: bytes) -> None:
        """Send pieces, each when the recorder has told of a chunk from the one before."""
        for at, piece in enumerate(pieces):
            if at:
                assert self.told.acquire(timeout=LONG)
            self.connection.sendall(piece)


class Server:
    """A server on this machine: ``answer`` has each connection, and ``requests`` what was asked."""

    def __init__(self, answer: Callable[[Talk], object], family: int = socket.AF_INET, tls=None) -> None:
        self.requests: list[bytes] = []
        self.told = threading.Semaphore(0)
        self._answer = answer
        self._tls = tls
        self._listening = socket.socket(family, socket.SOCK_STREAM)
        self._listening.bind(("::1" if family == socket.AF_INET6 else "127.0.0.1", 0))
        self._listening.listen()
        self.port = self._listening.getsockname()[1]
        host = "[::1]" if family == socket.AF_INET6 else "127.0.0.1"
        self.url = f"http{'s' if tls else ''}://{host}:{self.port}"
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            with connection, suppress(OSError):
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                if self._tls:
                    connection = self._tls.wrap_socket(connection, server_side=True)
                with connection:
                    talk = Talk(connection, self.told)
                    self.requests.append(talk.request)
                    self._answer(talk)

    def record(self, path: str = "/", **options) -> Recording:
        options.setdefault("on_chunk", lambda size, seconds: self.told.release())
        options.setdefault("max_time", LONG)
        return record(self.url + path, **options)

    def refuses(self, path: str = "/", **options) -> str:
        with pytest.raises(RecordingError) as caught:
            self.record(path, **options)
        return one_line(caught.value)

    def close(self) -> None:
        # Closing alone leaves accept waiting.
        with suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        self._thread.join(LONG)


@contextmanager
def served(answer: Callable[[Talk], object], **options):
    server = Server(answer, **options)
    try:
        yield server
    finally:
        server.close()


@contextmanager
def answering(*pieces: bytes):
    """A server that sends these pieces, each in a read of its own, and ends the connection."""
    with served(lambda talk: talk.send(*pieces)) as server:
        yield server


class Written:
    """A connection whose reads are written down: bytes, or what they raise; then its end."""

    def __init__(self, reads: Iterable[bytes | BaseException]) -> None:
        self._reads = iter(reads)
        self.sent = b""

    def settimeout(self, seconds: float) -> None:
        assert seconds > 0

    def sendall(self, data: bytes) -> None:
        self.sent += data

    def recv(self, most: int) -> bytes:
        read = next(self._reads, b"")
        if isinstance(read, BaseException):
            raise read
        assert len(read) <= most
        return read

    def close(self) -> None:
        pass


def written(*reads: bytes | BaseException, url: str = "http://a.example/", **options) -> Recording:
    """What is recorded of these reads; a list of reads stands for a connection that follows a redirect."""
    connections = iter([Written(reads)])
    return over(connections, url, **options)


def over(connections: Iterable[Written], url: str = "http://a.example/", **options) -> Recording:
    left = iter(connections)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "connect", lambda request, deadline: next(left))
        return record(url, **options)


def one_line(error: BaseException) -> str:
    text = str(error)
    assert text.isprintable(), "a message is one line, and drives no terminal"
    return text


def refusal(*reads: bytes | BaseException, **options) -> str:
    with pytest.raises(RecordingError) as caught:
        written(*reads, **options)
    return one_line(caught.value)


def chunks(recording: Recording) -> list[bytes]:
    return chunks_of(recording.wire, recording.cuts)


# The bytes and the cuts ----------------------------------------------------------------------------------------------


def test_a_cut_inside_a_character_is_kept() -> None:
    # 中 is E4 B8 AD.
    pieces = [b"data: \xe4", b"\xb8", b"\xad\n", b"\n"]
    with answering(CHUNKED + chunk(pieces[0]), *map(chunk, pieces[1:]), b"0\r\n\r\n") as server:
        found = server.record()
    assert found.wire == "data: 中\n\n".encode()
    assert found.cuts == (7, 8, 10)
    assert found.notes == ()
    assert (found.status, found.content_type, found.url) == (200, "text/event-stream", f"{server.url}/")
    assert len(found.times) == 4
    assert list(found.times) == sorted(found.times)
    assert found.times[0] >= 0


def test_reads_are_the_chunks_and_not_the_chunks_of_http() -> None:
    # Two chunks of HTTP in one read, then one chunk in two reads.
    with answering(CHUNKED + chunk(b"ab") + chunk(b"cd"), b"4\r\nef", b"gh\r\n", b"0\r\n\r\n") as server:
        told = []

        def on_chunk(size: int, seconds: float) -> None:
            told.append((size, seconds))
            server.told.release()

        found = server.record(on_chunk=on_chunk)
    assert chunks(found) == [b"abcd", b"ef", b"gh"]
    assert told == list(zip([4, 2, 2], found.times, strict=True))


def test_a_body_with_a_length_ends_without_the_connection() -> None:
    def answer(talk: Talk) -> None:
        talk.send(HEAD + b"Content-Length: 10\r\n\r\ndata", b": x\n\n\n")
        # The recorder has to close first.
        assert talk.connection.recv(1) == b""

    with served(answer) as server:
        found = server.record()
    assert (chunks(found), found.notes) == ([b"data", b": x\n\n\n"], ())


def test_a_body_that_ends_with_the_connection_is_said_to() -> None:
    with answering(HEAD.replace(b"1.1", b"1.0") + b"\r\ndata", b": x\n\n") as server:
        found = server.record()
    assert chunks(found) == [b"data", b": x\n\n"]
    assert found.notes == (
        "the body ended with the connection: no length and no last chunk shows whether that was its end",
    )


def test_an_answer_before_the_answer_is_passed_over() -> None:
    assert written(b"HTTP/1.1 103 Early Hints\r\n\r\n" + length(b"a")).wire == b"a"


def test_an_empty_body_is_no_chunk() -> None:
    found = written(length(b""))
    assert (found.wire, found.cuts, found.times) == (b"", (), ())


def test_ipv6() -> None:
    try:
        server = Server(lambda talk: talk.send(length(b"a")), family=socket.AF_INET6)
    except OSError as error:
        pytest.skip(f"this machine has no IPv6: {error}")
    try:
        assert server.record().url == f"http://[::1]:{server.port}/"
        assert f"Host: [::1]:{server.port}\r\n".encode() in server.requests[0]
    finally:
        server.close()


@given(st.lists(st.binary(min_size=1, max_size=6), max_size=5), st.data())
def test_cuts_are_where_reads_ended_however_the_framing_is_cut(pieces: list[bytes], data: st.DataObject) -> None:
    raw, body = bytearray(CHUNKED), []
    for piece in pieces:
        start = len(raw) + len(b"%x\r\n" % len(piece))
        raw += chunk(piece)
        body += range(start, start + len(piece))
    raw += b"0\r\n\r\n"
    ends = sorted(data.draw(st.sets(st.integers(1, len(raw) - 1))))
    reads = [bytes(raw[start:stop]) for start, stop in pairwise((0, *ends, len(raw)))]
    found = written(*reads)
    wire = b"".join(pieces)
    # A read ends behind so many bytes of the body; what adds none makes no cut.
    behind = {sum(at < end for at in body) for end in ends}
    assert found.wire == wire
    assert found.cuts == tuple(sorted(behind - {0, len(wire)}))
    assert len(found.times) == (len(found.cuts) + 1 if wire else 0)
    assert found.notes == ()


# Content coding ------------------------------------------------------------------------------------------------------


def flushed(pieces: list[bytes], bits: int) -> list[bytes]:
    """The pieces compressed, so that each can be read as soon as it is there."""
    packer = zlib.compressobj(wbits=bits)
    packed = [packer.compress(piece) + packer.flush(zlib.Z_SYNC_FLUSH) for piece in pieces]
    return [*packed[:-1], packed[-1] + packer.flush()]


@pytest.mark.parametrize(
    ("coding", "bits", "note"),
    [("gzip", 31, "gzip"), ("X-GZIP", 31, "gzip"), ("deflate", 15, "deflate"), ("deflate", -15, "deflate")],
)
def test_a_content_coding_is_taken_off_and_the_cuts_are_kept(coding: str, bits: int, note: str) -> None:
    pieces = [b"data: \xe4", b"\xb8\xad\n", b"\n"]
    head = CHUNKED.replace(b"\r\n\r\n", f"\r\nContent-Encoding: {coding}\r\n\r\n".encode())
    first, *later = map(chunk, flushed(pieces, bits))
    with answering(head + first, *later, b"0\r\n\r\n") as server:
        found = server.record()
    assert chunks(found) == pieces
    assert found.notes == (f"{note} taken off",)


def gzipped(body: bytes) -> bytes:
    return HEAD + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(body) + body


@given(st.binary(max_size=40), st.sampled_from([gzip.compress, lambda data: zlib.compress(data, wbits=15)]))
def test_each_byte_of_a_coded_body_may_come_by_itself(wire: bytes, pack: Callable[[bytes], bytes]) -> None:
    body = pack(wire)
    coding = b"gzip" if body[:2] == b"\x1f\x8b" else b"deflate"
    head = HEAD + b"Content-Encoding: %b\r\nContent-Length: %d\r\n\r\n" % (coding, len(body))
    found = written(head, *(body[at : at + 1] for at in range(len(body))))
    assert (found.wire, found.notes) == (wire, (f"{coding.decode()} taken off",))


def test_gzip_may_have_members_and_zeros_behind_them() -> None:
    found = written(gzipped(gzip.compress(b"ab") + gzip.compress(b"cd") + b"\0\0"))
    assert (found.wire, found.notes) == (b"abcd", ("gzip taken off",))


def test_what_stands_behind_deflate_is_no_part_of_it() -> None:
    body = zlib.compress(b"ab") + b"cd"
    found = written(length(body, HEAD + b"Content-Encoding: deflate\r\n"))
    assert found.wire == b"ab"
    assert found.notes == ("deflate taken off", "something stands behind the end of the deflate data")


def test_what_stands_behind_gzip_is_no_part_of_it() -> None:
    found = written(gzipped(gzip.compress(b"ab") + b"cd"))
    assert found.wire == b"ab"
    assert found.notes == ("gzip taken off", "something stands behind the end of the gzip data")


def test_two_headers_of_the_coding_are_two_codings() -> None:
    head = HEAD + b"Content-Encoding: gzip\r\nContent-Encoding: gzip\r\n"
    assert "the content coding gzip, gzip, which cannot be taken off" in refusal(length(b"x", head))


def test_gzip_that_stops_early_is_noted() -> None:
    (packed,) = flushed([b"data: x\n\n"], 31)
    found = written(gzipped(packed[:-8]))
    assert (found.wire, found.notes) == (
        b"data: x\n\n",
        ("gzip taken off", "the gzip data stops before its end"),
    )


def test_gzip_that_breaks_keeps_what_came_before() -> None:
    first, second = flushed([b"ab", b"cd"], 31)
    found = written(gzipped(first + b"\xff" * len(second))[: -len(second)], b"\xff" * len(second))
    assert found.wire == b"ab"
    assert found.notes[1] == "the gzip data is broken: some of the read in which that shows may be missing"


def test_a_small_body_that_unpacks_to_a_large_one_takes_no_more_than_is_asked_for() -> None:
    packed = gzip.compress(bytes(30_000_000))
    assert Inflater("gzip").inflate(packed, 1001) == bytes(1001)
    found = written(gzipped(packed), max_bytes=1000)
    assert found.wire == bytes(1000)
    assert found.notes == ("gzip taken off", "ended by --max-bytes")


def test_a_coding_that_cannot_be_taken_off_is_refused_with_the_way_out() -> None:
    head = HEAD + b"Content-Encoding: br\r\n"
    assert refusal(length(b"x", head)) == (
        "http://a.example/: the body comes in the content coding br, which cannot be taken off;"
        " ask for it with Accept-Encoding: identity"
    )


# Ends ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("most", [1, 4, 5, 7])
def test_max_bytes_is_exact(most: int) -> None:
    found = written(CHUNKED + chunk(b"abcd"), chunk(b"efgh"), b"0\r\n\r\n", max_bytes=most)
    assert found.wire == b"abcdefgh"[:most]
    assert found.cuts == ((4,) if most > 4 else ())
    assert found.notes == ("ended by --max-bytes",)
    assert len(found.times) == len(found.cuts) + 1


def test_a_stream_as_long_as_max_bytes_is_whole() -> None:
    found = written(length(b"abcd"), max_bytes=4)
    assert (found.wire, found.notes) == (b"abcd", ())


def test_max_bytes_ends_a_stream_that_has_no_end() -> None:
    def answer(talk: Talk) -> None:
        talk.connection.sendall(CHUNKED)
        while True:
            talk.connection.sendall(chunk(b"data: x\n\n"))

    with served(answer) as server:
        found = server.record(max_bytes=1000)
    assert found.wire == (b"data: x\n\n" * 112)[:1000]
    assert found.notes == ("ended by --max-bytes",)


def leave_a_moment(patch: pytest.MonkeyPatch) -> None:
    """Let the clock jump to shortly before the end of `LONG`: from here on the recorder waits a moment at most."""
    patch.setattr(exchange, "monotonic", lambda: monotonic() + LONG - 0.1)


def test_max_time_keeps_what_has_arrived(monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(talk: Talk) -> None:
        talk.send(CHUNKED + chunk(b"data: x\n\n"))
        assert talk.connection.recv(1) == b""

    with served(answer) as server:
        found = server.record(on_chunk=lambda size, seconds: leave_a_moment(monkeypatch))
    assert (found.wire, found.notes) == (b"data: x\n\n", ("ended by --max-time",))


def test_max_time_ends_a_wait_for_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def connect(request, deadline):
        connection = exchange.connect(request, deadline)
        leave_a_moment(monkeypatch)
        return connection

    monkeypatch.setattr(module, "connect", connect)
    with served(lambda talk: talk.connection.recv(1)) as server:
        assert server.refuses() == f"{server.url}/: no answer within 60 s; give it more with --max-time"


def test_max_time_ends_a_stream_that_never_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    jumps = iter([False, True])

    def on_chunk(size: int, seconds: float) -> None:
        if next(jumps):
            monkeypatch.setattr(exchange, "monotonic", lambda: monotonic() + LONG)

    found = written(CHUNKED + chunk(b"ab"), *[chunk(b"cd")] * 9, max_time=LONG, on_chunk=on_chunk)
    assert (found.wire, found.notes) == (b"abcd", ("ended by --max-time",))


@pytest.mark.parametrize(
    ("sent", "note"),
    [
        (CHUNKED + b"9\r\ndata", "the server closed the connection in the middle of a chunk"),
        (CHUNKED + chunk(b"data"), "the server closed the connection without the last chunk, which ends a body"),
        (HEAD + b"Content-Length: 9\r\n\r\ndata", "the server closed the connection after 4 of 9 bytes"),
        (
            CHUNKED + chunk(b"data") + b"zz\r\n",
            "the framing of the body is broken: no chunk of HTTP stands where one belongs",
        ),
    ],
)
def test_a_body_that_breaks_off_keeps_what_has_arrived(sent: bytes, note: str) -> None:
    with answering(sent) as server:
        found = server.record()
    assert (found.wire, found.notes) == (b"data", (note,))


def test_a_connection_that_is_reset_keeps_what_has_arrived() -> None:
    found = written(CHUNKED + chunk(b"data"), ConnectionResetError(104, "Connection reset by peer"))
    assert (found.wire, found.notes) == (b"data", ("the connection broke: Connection reset by peer",))


def test_a_body_that_breaks_before_it_begins_is_empty() -> None:
    assert written(CHUNKED).notes == (
        "the server closed the connection without the last chunk, which ends a body",
        "nothing arrived",
    )


def test_ctrl_c_keeps_what_has_arrived_and_is_told() -> None:
    found = written(CHUNKED + chunk(b"ab"), chunk(b"cd"), KeyboardInterrupt())
    assert (chunks(found), found.notes) == ([b"ab", b"cd"], ("ended by Ctrl-C",))


def test_ctrl_c_while_a_chunk_is_told_keeps_that_chunk() -> None:
    def interrupt(size: int, seconds: float) -> None:
        raise KeyboardInterrupt

    assert written(length(b"ab"), on_chunk=interrupt).wire == b"ab"


def test_ctrl_c_before_there_is_a_stream_is_passed_on() -> None:
    with pytest.raises(KeyboardInterrupt):
        written(KeyboardInterrupt())


# The request ---------------------------------------------------------------------------------------------------------


def lines_of(request: bytes) -> list[str]:
    return request.decode().split("\r\n\r\n")[0].split("\r\n")


def test_what_is_sent_by_default() -> None:
    with answering(length(b"a")) as server:
        server.record("/v1/stream?key=a b".replace(" ", "%20") + "#part")
    first, *headers = lines_of(server.requests[0])
    assert first == "GET /v1/stream?key=a%20b HTTP/1.1"
    assert sorted(header.partition("/")[0] if "User-Agent" in header else header for header in headers) == [
        "Accept-Encoding: identity",
        "Accept: text/event-stream",
        "Connection: close",
        f"Host: 127.0.0.1:{server.port}",
        "User-Agent: chunkproof",
    ]


def test_a_header_of_the_user_wins() -> None:
    with answering(length(b"a")) as server:
        server.record(headers=[("accept", "*/*"), ("ACCEPT-ENCODING", "gzip"), ("X-A", "1"), ("X-A", "2")])
    lines = lines_of(server.requests[0])
    assert [line for line in lines if line.lower().startswith(("accept", "x-"))] == [
        *("accept: */*", "ACCEPT-ENCODING: gzip", "X-A: 1", "X-A: 2"),
    ]


def test_a_body_is_sent_with_its_length() -> None:
    with answering(length(b"a")) as server:
        server.record(method="POST", body=b'{"stream": true}', headers=[("Content-Type", "application/json")])
    assert lines_of(server.requests[0])[0] == "POST / HTTP/1.1"
    assert "Content-Length: 16" in lines_of(server.requests[0])
    assert server.requests[0].endswith(b'\r\n\r\n{"stream": true}')


def test_no_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with answering(length(b"a")) as server:
        assert server.record().wire == b"a"


@pytest.mark.parametrize(
    ("headers", "reason"),
    [
        ([("X-A", "1"), ("X Key", "hush")], "header 2: its name is empty or holds a character that no name can"),
        ([("X-Key", "hush\r\nX-B: 1")], "header 1: the value of X-Key holds a line end, a control character"),
        ([("X-Key", "hüsh")], "header 1: the value of X-Key holds a line end, a control character"),
        ([("transfer-encoding", "hush")], "header 1: transfer-encoding is set by chunkproof"),
        ([("Host", "hush"), ("Host", "hush")], "the headers are no HTTP together; is there one twice?"),
    ],
)
def test_headers_that_cannot_be_sent_are_refused_without_their_values(headers, reason: str) -> None:
    said = refusal(length(b"a"), headers=headers)
    assert said.startswith(f"http://a.example/: {reason}")
    assert "hush" not in said


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"method": "HEAD"}, "'HEAD' is no method that a stream comes of; take GET or POST"),
        ({"method": "G T"}, "'G T' is no method that a stream comes of; take GET or POST"),
        ({"max_time": 0}, "max_time=0 is no time to record for; take seconds above 0"),
        ({"max_time": float("nan")}, "max_time=nan is no time to record for; take seconds above 0"),
        ({"max_bytes": 0}, "max_bytes=0 leaves nothing to record; take 1 at least"),
    ],
)
def test_options_that_cannot_be_used_are_refused(options, reason: str) -> None:
    assert refusal(length(b"a"), **options) == f"http://a.example/: {reason}"


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://me:hush@a.example/p?key=hush", "http://a.example/p: user info stands in the URL"),
        ("http://hush@a.example", "http://a.example: user info stands in the URL"),
        ("http://me:hu?sh@a.example/p", "http://a.example/p: it is no URL"),
        ("http://me:hu/sh@a.example/p", "http://a.example/p: it is no URL"),
        ("me:hush@a.example/p?hush", "a.example/p: it begins with neither http:// nor https://"),
        ("ftp://a.example/?hush", "ftp://a.example/: it begins with neither http:// nor https://"),
        ("ftp://a.example/p?mail=a@b&key=hush", "ftp://a.example/p: it begins with neither http:// nor https://"),
        ("http://a.example/a b?mail=a@b&key=hush", "http://a.example/a␠b: a space or a control character stands"),
        ("http://me@b:hu?sh@a.example/p?hush", "http://a.example/p: it is no URL"),
        ("http://me:hush@a.example/p?mail=a@hush", "http://a.example/p: user info stands in the URL"),
        ("http://a.example/p:x#a@hush y", "http://a.example/p:x: a space or a control character stands in the URL"),
        ("http://a.example:x/p?mail=a@b&key=hush", "http://b: it is no URL"),
        ("a.example", "a.example: it begins with neither http:// nor https://"),
        ("http://a.example/a b?hush", "http://a.example/a␠b: a space or a control character stands in the URL"),
        ("http://a.example/\x1b[2J", "http://a.example/␛[2J: a space or a control character stands in the URL"),
        ("http://a.example:99999/?hush", "http://a.example:99999/: it is no URL"),
        ("http://[::1/?hush", "http://[::1/: it is no URL"),
        ("http://?hush", "http://: it names no host that there can be"),
        ("http://a..example/", "http://a..example/: it names no host that there can be"),
        ("http://a%20b/", "http://a%20b/: it names no host that there can be"),
    ],
)
def test_a_url_that_cannot_be_used_is_refused_without_what_is_secret(url: str, said: str) -> None:
    text = refusal(length(b"a"), url=url)
    assert text.startswith(said.replace("␠", " "))
    assert "hush" not in text
    assert "hu" not in text.replace("http", "")


def test_user_info_is_refused_with_the_way_out() -> None:
    assert "put it in a headers file" in refusal(length(b"a"), url="http://me:hush@a.example/")


def test_a_url_is_sent_and_shown_in_ascii() -> None:
    connection = Written([length(b"a")])
    found = over([connection], "http://Bücher.example/ü?q=ü")
    assert found.url == "http://xn--bcher-kva.example/%C3%BC"
    assert lines_of(connection.sent)[:2] == ["GET /%C3%BC?q=%C3%BC HTTP/1.1", "Host: xn--bcher-kva.example"]


# Answers that are no stream ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "way_out"),
    [
        (401, "give the credentials in a headers file"),
        (404, "check the path"),
        (204, "the stream has to come with status 200"),
        (500, "the stream has to come with status 200"),
        (304, "the stream has to come with status 200"),
    ],
)
def test_another_status_is_an_error_that_names_it(status: int, way_out: str) -> None:
    with answering(b"HTTP/1.1 %d X\r\n\r\n" % status) as server:
        assert server.refuses("/p?q=1") == f"{server.url}/p: the server answers with status {status}; {way_out}"


def test_what_a_server_says_of_an_error_is_shown_harmless_and_short() -> None:
    body = b"\x1b[31mno\r\nkey\x07\xff" + b"x" * 1000
    said = refusal(length(body, b"HTTP/1.1 401 Unauthorized\r\n"))
    shown = "␛[31mno␍␊key␇\ufffd" + "x" * (200 - 14)
    assert said == (
        f"http://a.example/: the server answers with status 401 and says '{shown}';"
        " give the credentials in a headers file"
    )


def test_the_body_of_an_error_is_read_without_its_content_coding() -> None:
    packed = gzip.compress(b"no such stream")
    said = refusal(length(packed, b"HTTP/1.1 404 Not Found\r\nContent-Encoding: gzip\r\n"))
    assert "says 'no such stream';" in said


def test_the_body_of_an_error_in_another_coding_is_left_out() -> None:
    said = refusal(length(b"x", b"HTTP/1.1 404 Not Found\r\nContent-Encoding: br\r\n"))
    assert said == "http://a.example/: the server answers with status 404; check the path"


def test_the_body_of_an_error_may_not_come() -> None:
    said = refusal(b"HTTP/1.1 404 Not Found\r\nContent-Length: 9\r\n\r\nno", TimeoutError())
    assert "status 404 and says 'no';" in said


@pytest.mark.parametrize(
    ("content_type", "note"),
    [
        ("text/html; charset=utf-8", "the content type is text/html, not text/event-stream"),
        ("", "there is no content type, where text/event-stream belongs"),
        (
            'text/event-stream; charset="ISO-8859-1"',
            "the charset is iso-8859-1; a parser has to decode the stream as UTF-8 all the same",
        ),
    ],
)
def test_another_content_type_is_a_note(content_type: str, note: str) -> None:
    head = b"HTTP/1.1 200 OK\r\n" + (f"Content-Type: {content_type}\r\n".encode() if content_type else b"")
    found = written(length(b"a", head))
    assert (found.wire, found.notes, found.content_type) == (b"a", (note,), content_type)


def test_the_usual_content_type_has_no_note() -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: Text/Event-Stream;charset=UTF-8\r\n"
    assert written(length(b"a", head)).notes == ()


def test_what_is_no_http_is_refused_with_its_beginning() -> None:
    with answering(b"SSH-2.0-\x1b[2J\r\nhush\r\n") as server:
        assert server.refuses() == (
            f"{server.url}/: what answers speaks no HTTP/1.1, it begins with 'SSH-2.0-␛[2J'; check the port"
        )


def test_what_never_becomes_http_is_refused_when_its_time_is_over() -> None:
    assert "begins with 'hello'" in refusal(b"hello", TimeoutError())


def test_broken_headers_of_an_answer_are_not_shown() -> None:
    said = refusal(b"HTTP/1.1 200 OK\r\nSet-Cookie: hush\x00\r\n\r\n")
    assert "begins with 'HTTP/1.1 200 OK'" in said
    assert "hush" not in said


def test_a_server_that_says_nothing() -> None:
    with answering() as server:
        assert server.refuses() == (
            f"{server.url}/: the server closed the connection without an answer; look into its log"
        )


def test_a_connection_that_breaks_before_the_answer() -> None:
    assert refusal(ConnectionResetError(104, "Connection reset by peer")) == (
        "http://a.example/: the connection broke before an answer came: Connection reset by peer; try again"
    )


def test_nobody_listens() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        with pytest.raises(RecordingError) as caught:
            record(f"http://127.0.0.1:{port}/p?q=1")
    assert one_line(caught.value) == (
        f"http://127.0.0.1:{port}/p: the connection was refused: nothing listens on port {port};"
        " start the server, or name its port"
    )


def test_no_such_host(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_, **__):
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with pytest.raises(
        RecordingError, match=r"^http://a\.example/: no such host; check its spelling and your network$"
    ):
        record("http://a.example/")


@pytest.mark.parametrize(
    ("raised", "reason"),
    [
        (TimeoutError(), "no connection within 60 s; check host and port"),
        (OSError(101, "Network is unreachable"), "no connection: Network is unreachable; check host, port and network"),
    ],
)
def test_no_connection(monkeypatch: pytest.MonkeyPatch, raised: OSError, reason: str) -> None:
    class Unreachable(socket.socket):
        def connect(self, address) -> None:
            raise raised

    monkeypatch.setattr(socket, "socket", Unreachable)
    with pytest.raises(RecordingError) as caught:
        record("http://127.0.0.1:1/", max_time=LONG)
    assert one_line(caught.value) == f"http://127.0.0.1:1/: {reason}"


def test_a_host_with_an_address_that_refuses_is_asked_at_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    with answering(length(b"a")) as server, socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        addresses = [unused.getsockname(), ("127.0.0.1", server.port)]
        found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", address) for address in addresses]
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)
        assert server.record().wire == b"a"


# Redirects -----------------------------------------------------------------------------------------------------------


def redirect(location: str, status: int = 302) -> bytes:
    return f"HTTP/1.1 {status} Found\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n".encode()


def test_a_redirect_in_its_own_place_is_followed_with_the_headers() -> None:
    def answer(talk: Talk) -> None:
        talk.send(redirect("/b?t=1#x") if talk.request.startswith(b"GET /a") else length(b"a"))

    with served(answer) as server:
        found = server.record("/a", headers=[("X-Api-Key", "key-of-mine")])
    assert lines_of(server.requests[1])[0] == "GET /b?t=1 HTTP/1.1"
    assert "X-Api-Key: key-of-mine" in lines_of(server.requests[1])
    assert (found.wire, found.url, found.notes) == (b"a", f"{server.url}/b", (f"redirected to {server.url}/b",))


def test_no_header_of_the_user_goes_to_another_place() -> None:
    headers = [("Authorization", "Bearer hush"), ("Cookie", "a=hush"), ("X-Api-Key", "hush"), ("Accept", "hush/hush")]
    with answering(length(b"a")) as other, served(lambda talk: talk.send(redirect(f"{other.url}/b"))) as server:
        found = server.record("/a?q=hush", headers=headers)
    assert b"hush" in server.requests[0]
    assert b"hush" not in other.requests[0]
    assert b"Accept: text/event-stream\r\n" in other.requests[0]
    assert found.notes == (
        f"redirected to {other.url}/b",
        "the headers given were not sent there: it is another origin",
    )


def test_headers_stay_away_on_the_way_back() -> None:
    connections = [
        Written([redirect("http://b.example/")]),
        Written([redirect("http://a.example/")]),
        Written([length(b"a")]),
    ]
    over(connections, headers=[("X-Api-Key", "hush")])
    assert ["hush" in connection.sent.decode() for connection in connections] == [True, False, False]


@pytest.mark.parametrize(
    "location", ["https://a.example:80/", "https://a.example/", "http://a.example:81/", "http://b.a.example/", "//b/"]
)
def test_scheme_host_and_port_make_a_place(location: str) -> None:
    second = Written([length(b"a")])
    over([Written([redirect(location)]), second], headers=[("Cookie", "a=hush")])
    assert b"hush" not in second.sent


@pytest.mark.parametrize(
    ("status", "first"),
    [(301, "GET"), (302, "GET"), (303, "GET"), (307, "POST"), (308, "POST")],
)
def test_a_body_goes_on_where_the_status_says_so(status: int, first: str) -> None:
    second = Written([length(b"a")])
    connections = [Written([redirect("/b", status)]), second]
    over(connections, method="POST", body=b"{}", headers=[("Content-Type", "application/json")])
    assert lines_of(second.sent)[0] == f"{first} /b HTTP/1.1"
    assert second.sent.endswith(b"{}") == (first == "POST")
    assert (b"application/json" in second.sent) == (first == "POST")


def test_a_body_goes_to_no_other_place() -> None:
    with pytest.raises(RecordingError, match="the body is not sent to another origin"):
        over([Written([redirect("http://b.example/", 307)])], method="POST", body=b"hush")


def test_five_redirects_are_followed_and_no_more() -> None:
    ways = [Written([redirect(f"/{number}")]) for number in range(5)]
    assert over([*ways, Written([length(b"a")])]).url == "http://a.example/4"
    ways = [Written([redirect(f"/{number}")]) for number in range(6)]
    with pytest.raises(RecordingError, match=r"^http://a\.example/5: more than 5 redirects"):
        over(ways)


@pytest.mark.parametrize(
    ("location", "reason"),
    [
        ("ftp://b.example/hush-hush?hush-hush", "ftp://b.example/[hidden]: it begins with neither"),
        ("http://me:hush-hush@b.example/", "http://b.example/: user info stands in the URL"),
        ("http://[hush-hush/", "it is no URL"),
    ],
)
def test_a_redirect_that_cannot_be_followed(location: str, reason: str) -> None:
    with pytest.raises(RecordingError) as caught:
        over([Written([redirect(location)])], headers=[("X-Api-Key", "hush-hush")])
    said = one_line(caught.value)
    assert said.startswith(f"http://a.example/: it redirects to what cannot be followed: {reason}")
    assert "hush-hush" not in said


def test_a_redirect_to_nowhere_is_an_answer_that_is_no_stream() -> None:
    assert "the server answers with status 302;" in refusal(b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n")


# TLS -----------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate that signs itself, with its key."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("there is no openssl on PATH to make a certificate with")
    path = tmp_path_factory.mktemp("tls") / "own.pem"
    command = [
        *(openssl, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"),
        *("-subj", "/CN=own", "-addext", "subjectAltName=IP:127.0.0.1"),
        *("-addext", "keyUsage=critical,digitalSignature,keyCertSign"),
        *("-keyout", f"{path}.key", "-out", str(path)),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return path


def tls_of(certificate: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, f"{certificate}.key")
    return context


def test_a_certificate_that_is_not_trusted_is_refused_with_the_way_out(certificate: Path) -> None:
    with served(lambda talk: talk.send(length(b"a")), tls=tls_of(certificate)) as server:
        said = server.refuses("/p?q=hush", headers=[("X-Api-Key", "hush")])
    assert said.startswith(f"{server.url}/p: its certificate is not trusted: self-signed certificate;")
    assert said.endswith("let the environment variable SSL_CERT_FILE name the certificate of its authority")
    assert server.requests == []


def test_a_stream_over_tls_with_the_way_out_taken(certificate: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    pieces = [b"data: \xe4", b"\xb8\xad\n", b"\n"]
    first, *later = map(chunk, pieces)
    with served(lambda talk: talk.send(CHUNKED + first, *later, b"0\r\n\r\n"), tls=tls_of(certificate)) as server:
        found = server.record()
    assert (chunks(found), found.notes) == (pieces, ())


def test_tls_is_asked_of_a_server_without_it() -> None:
    # The hello of TLS has no blank line that would end a request.
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()

        def answer() -> None:
            connection, _ = listening.accept()
            # How it is closed is the recorder's affair.
            with connection, suppress(OSError):
                connection.recv(1)
                connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
                connection.shutdown(socket.SHUT_WR)
                while connection.recv(65536):
                    pass

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        url = f"https://127.0.0.1:{listening.getsockname()[1]}/"
        with pytest.raises(RecordingError) as caught:
            record(url, max_time=LONG)
        thread.join(LONG)
    said = one_line(caught.value)
    assert said.startswith(f"{url}: no TLS: ")
    assert said.endswith("; is it http://?")


def test_a_server_that_is_silent_when_asked_for_tls(monkeypatch: pytest.MonkeyPatch) -> None:
    connected = exchange._connected

    def connect(*given):
        connection = connected(*given)
        leave_a_moment(monkeypatch)
        return connection

    monkeypatch.setattr(exchange, "_connected", connect)
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        url = f"https://127.0.0.1:{silent.getsockname()[1]}/"
        with pytest.raises(RecordingError) as caught:
            record(url, max_time=LONG)
    assert one_line(caught.value) == f"{url}: no TLS within 60 s; is it http://?"


def test_a_server_with_tls_is_asked_in_plain_text() -> None:
    alert = b"\x15\x03\x01\x00\x02\x02\x46"
    assert refusal(alert) == "http://a.example/: the server speaks TLS; write https://"


# Secrets -------------------------------------------------------------------------------------------------------------

#: Capitals, figures and signs: no word of ours is made of these alone.
SECRET_CHARACTERS = "ABCDEFGHKLMNPQRSTVWXYZ0123456789+/=|?#:@\\\"'<&%-_.~ "
secrets = st.text(SECRET_CHARACTERS, min_size=12, max_size=24).map(str.strip).filter(lambda text: len(text) >= 12)

PLACES: dict[str, Callable[[str], dict[str, object]]] = {
    "bearer": lambda secret: {"headers": [("Authorization", f"Bearer {secret}")]},
    "cookie": lambda secret: {"headers": [("Cookie", secret)]},
    "key": lambda secret: {"headers": [("X-Api-Key", secret)]},
    "query": lambda secret: {"url": f"http://a.example/p?a=1&key={quote(secret, safe='')}"},
    "whole query": lambda secret: {"url": f"http://a.example/p?{quote(secret, safe='')}"},
}
FORMS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "percent": lambda secret: quote(secret, safe=""),
    "json": lambda secret: json.dumps(secret)[1:-1],
    "html": html.escape,
    "small": str.lower,
}
#: What a server sends that repeats a secret in all that is shown.
ANSWERS: dict[str, Callable[[bytes], list[bytes]]] = {
    "error": lambda said: [length(b"key: " + said + b" is bad", b"HTTP/1.1 401 X\r\n")],
    "error, torn": lambda said: [length(b"k" * 190 + said + b"k" * 300, b"HTTP/1.1 401 X\r\n")],
    "error, cut off": lambda said: [b"HTTP/1.1 401 X\r\nContent-Length: 900\r\n\r\n" + said[:-2]],
    "no HTTP": lambda said: [b"GET /" + said + b" no\r\nAuthorization: " + said + b"\r\n"],
    "broken headers": lambda said: [HEAD + b"Set-Cookie: \0" + said + b"\r\n\r\n"],
    "coding": lambda said: [length(b"a", HEAD + b"Content-Encoding: " + said + b"\r\n")],
    "type": lambda said: [length(b"a", b"HTTP/1.1 200 OK\r\nContent-Type: " + said + b"\r\n")],
    "charset": lambda said: [length(b"a", b"HTTP/1.1 200 OK\r\nContent-Type: a/b;charset=" + said + b"\r\n")],
    "location": lambda said: [redirect(f"/{said.decode()}?{said.decode()}#{said.decode()}"), length(b"a")],
    "location, then an error": lambda said: [redirect(f"/{said.decode()}"), b"HTTP/1.1 404 X\r\n\r\n"],
    "location elsewhere": lambda said: [redirect(f"http://b.example/{said.decode()}"), length(b"a")],
    "location of no use": lambda said: [redirect(f"ftp://b.example/{said.decode()}")],
}


def shown_of(answers: list[bytes], **options) -> str:
    """All that is shown of a recording, or of why there is none, but for the stream itself."""
    try:
        found = over([Written([answer]) for answer in answers], **options)
    except RecordingError as error:
        return one_line(error)
    assert found.wire == b"a"
    return repr(found) + "\n".join(describe(found))


@pytest.mark.parametrize("answer", ANSWERS)
@example(secret='00000000=0"?', place="bearer", form="as it is")
@example(secret="000 00 00000", place="bearer", form="percent")
@given(secret=secrets, place=st.sampled_from(list(PLACES)), form=st.sampled_from(list(FORMS)))
def test_no_secret_is_shown_wherever_it_stands(answer: str, secret: str, place: str, form: str) -> None:
    said = FORMS[form](secret)
    shown = shown_of(ANSWERS[answer](said.encode()), **PLACES[place](secret))
    assert said not in shown
    assert secret not in shown
    # Nor what is left of one that was torn.
    assert said[:8] not in shown


@pytest.mark.parametrize("name", ["Authorization", "Cookie", "X-Api-Key"])
def test_a_secret_is_sent_and_not_kept(name: str) -> None:
    with answering(length(b"data: x\n\n", HEAD + b"Set-Cookie: session=hush-hush\r\n")) as server:
        found = server.record("/p?token=hush-hush#hush-hush", headers=[(name, "hush-hush")])
    assert server.requests[0].count(b"hush-hush") == 2
    assert "hush" not in repr(found)
    assert found.url == f"{server.url}/p"


def test_the_password_of_basic_authentication_is_hidden() -> None:
    # "me:hush-hush" in base64.
    headers = [("Authorization", "Basic bWU6aHVzaC1odXNo")]
    said = refusal(length(b"hush-hush is not me's password", b"HTTP/1.1 401 X\r\n"), headers=headers)
    assert "says '[hidden] is not me's password'" in said


def test_a_short_secret_is_hidden_where_what_is_shown_ends_in_it() -> None:
    body = b"x" * 197 + b"hush"
    said = refusal(length(body, b"HTTP/1.1 401 X\r\n"), headers=[("X-Api-Key", "hush")])
    assert f"says '{'x' * 197}[hidden]'" in said


def test_a_secret_is_hidden_as_often_as_it_stands_there() -> None:
    body = b"hush-hush, or hush-hush, or HUSH-HUSH"
    said = refusal(length(body, b"HTTP/1.1 401 X\r\n"), headers=[("X-Api-Key", "hush-hush")])
    assert "says '[hidden], or [hidden], or [hidden]'" in said


def test_a_cookie_that_the_server_sets_is_hidden() -> None:
    said = refusal(length(b"hush-hush", b"HTTP/1.1 403 X\r\nSet-Cookie: s=hush-hush; Path=/\r\n"))
    assert "says '[hidden]'" in said


def test_words_of_an_error_that_are_no_secret_stay() -> None:
    headers = [("Authorization", "Bearer hush-hush"), ("Accept", "text/event-stream"), ("X-Version", "1")]
    body = b'{"error": "Bearer token 1 for text/event-stream", "stream": true}'
    said = refusal(length(body, b"HTTP/1.1 401 X\r\n"), url="http://a.example/?stream=true", headers=headers)
    assert body.decode() in said


REPEATED = "the stream repeats a value of the request's headers or query: redact it before others see it"


@pytest.mark.parametrize(
    ("stream", "repeats"),
    [
        (b"data: key-0123456789\n\n", True),
        (b"data: KEY-0123456789\n\n", True),
        (b'data: {"query": "token=abcdefghijkl"}\n\n', True),
        (b"data: abcdefghijkl\n\n", True),
        (b"data: key-012345678\n\n", False),
        (b"data: text/event-stream\n\n", False),
        (b"", False),
    ],
)
def test_a_stream_that_repeats_a_header_or_the_query_is_kept_and_says_so(stream: bytes, repeats: bool) -> None:
    headers = [("X-Api-Key", "key-0123456789"), ("Accept", "text/event-stream")]
    found = written(length(stream), url="http://a.example/?token=abcdefghijkl", headers=headers)
    assert found.wire == stream
    assert found.repeats_secret is repeats
    assert found.notes == ((REPEATED,) if repeats else ())
    assert (f"note: {REPEATED}" in describe(found)) is repeats


def test_a_stream_that_repeats_a_cookie_of_the_server_says_so() -> None:
    head = HEAD + b"Set-Cookie: session=abcdefghijkl; Path=/\r\n"
    found = written(length(b"data: abcdefghijkl\n\n", head))
    assert (found.repeats_secret, found.notes) == (True, (REPEATED,))


# A headers file ------------------------------------------------------------------------------------------------------


def test_a_headers_file() -> None:
    text = "\ufeff# mine\r\nAuthorization:  Bearer a:b \r\n\r\n  \nX-Empty:\nCookie: a=1; b=2 # no comment\n"
    assert read_headers(text) == [
        ("Authorization", "Bearer a:b"),
        ("X-Empty", ""),
        ("Cookie", "a=1; b=2 # no comment"),
    ]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("hush", "there is no colon in it"),
        ("hush hush: x", "its name is empty or holds a character that no name can; write it as X-Api-Key"),
        (": hush", "its name is empty or holds a character that no name can; write it as X-Api-Key"),
        (" hush: x", "it begins with a space; a header stands on one line"),
        ("X-Key: hu\x0bsh", "the value of X-Key holds a line end"),
        ("X-Key: hu\u2028sh", "the value of X-Key holds a line end"),
        ("Content-Length: 4", "Content-Length is set by chunkproof"),
    ],
)
def test_a_line_of_a_headers_file_that_cannot_be_used_is_named_by_its_number(line: str, reason: str) -> None:
    with pytest.raises(RecordingError) as caught:
        read_headers(f"# mine\nX-A: 1\n{line}\n")
    said = one_line(caught.value)
    assert said.startswith(f"headers, line 3: {reason}")
    assert said.endswith('(a headers file holds "Name: value" on each line, blank lines, and comments behind #)')
    assert "hu" not in said.replace("chunkproof", "")


# Telling -------------------------------------------------------------------------------------------------------------


def test_a_recording_in_lines() -> None:
    found = Recording(
        wire=b"data: x\n\ndata: y\n\n",
        cuts=(1, 3),
        times=(0.1234, 0.5, 12.0),
        status=200,
        content_type="text/event-stream",
        url="http://a.example/p",
        notes=("gzip taken off", "ended by --max-time"),
    )
    assert describe(found) == [
        "http://a.example/p: status 200, text/event-stream",
        "18 bytes in 3 chunks",
        "chunks of 1 to 15 bytes, half of them 2 or less",
        "first after 0.123 s, last after 12.000 s",
        "note: gzip taken off",
        "note: ended by --max-time",
    ]


def test_an_empty_recording_in_lines() -> None:
    assert describe(Recording(b"", (), (), 200, "", "http://a.example/", ())) == [
        "http://a.example/: status 200, no content type",
        "0 bytes in 0 chunks",
    ]


def test_one_byte_in_one_chunk_is_counted_as_one() -> None:
    found = Recording(b"a", (), (0.0,), 200, "", "http://a.example/", ())
    assert describe(found)[1] == "1 byte in 1 chunk"


@given(st.lists(st.binary(min_size=1, max_size=5), min_size=1, max_size=8))
def test_there_is_one_time_for_each_chunk(pieces: list[bytes]) -> None:
    found = written(CHUNKED, *map(chunk, pieces), b"0\r\n\r\n")
    assert chunks(found) == pieces
    assert found.cuts == tuple(accumulate(map(len, pieces)))[:-1]
    assert len(found.times) == len(pieces)
