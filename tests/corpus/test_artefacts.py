"""Files that people have: HTTP taken off, containers opened, and streams that only look like something else."""

from __future__ import annotations

import base64
import gzip
import json
import shutil
import struct
import sys
import zlib
from itertools import accumulate, pairwise

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from chunkproof.corpus import inflating
from chunkproof.corpus.artefacts import (
    FORMATS,
    ArtefactError,
    artefact,
    capture,
    codings,
    containers,
    http,
    read_artefact,
    reading,
)
from chunkproof_strategies.chunkings import chunks_of
from chunkproof_strategies.strategies import streams

WIRE = "id: 7\ndata: 你好\n\ndata: b\r\n\r\n".encode()
#: A server's three chunks: the first character is whole in the first of them.
CUTS = (15, 26)
CHUNKS = chunks_of(WIRE, CUTS)
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
ANSWER = "an HTTP/1.1 answer, status 200: status and headers taken off"


def framed(chunks: list[bytes], end: bytes = b"0\r\n\r\n") -> bytes:
    return b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks) + end


def packed(chunks, bits=31) -> list[bytes]:
    """Each chunk packed so that it can be unpacked when it is there, as servers do that flush."""
    packer = zlib.compressobj(9, zlib.DEFLATED, bits)
    return [*(packer.compress(chunk) + packer.flush(zlib.Z_SYNC_FLUSH) for chunk in chunks), packer.flush()]


#: `curl -siN --raw`, as it wrote it.
CURL_RAW = HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + framed(CHUNKS)
#: `curl -siN`: the headers still say what curl has taken off.
CURL_I = HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + WIRE
#: `curl -sNv 2>&1` (7.88).
CURL_V = (
    b"*   Trying 127.0.0.1:18765...\n* Connected to 127.0.0.1 (127.0.0.1) port 18765 (#0)\n> GET / HTTP/1.1\r\n"
    b"> Host: 127.0.0.1:18765\r\n> User-Agent: curl/7.88.1\r\n> Accept: */*\r\n> \r\n< HTTP/1.1 200 OK\r\n"
    b"< Content-Type: text/event-stream\r\n< Transfer-Encoding: chunked\r\n< \r\n{ [20 bytes data]\n"
    b"id: 7\ndata: \xe4\xbd\xa0\xe5\xa5\xbd\n\ndata: b\r\n\r\n* Connection #0 to host 127.0.0.1 left intact\n"
)


# HTTP -----------------------------------------------------------------------------------------------------------------

JOINED = "its chunks are joined already, as curl does without --raw"
ANSWERS = {
    "curl -N": (WIRE, (), ()),
    "curl -iN": (CURL_I, (), (ANSWER, JOINED)),
    "curl -iN --raw": (CURL_RAW, CUTS, (ANSWER, "chunked framing taken off: 3 chunks")),
    "curl -N --raw": (framed(CHUNKS), CUTS, ("chunked framing without headers taken off: 3 chunks",)),
    "curl -iN --raw, ended by force": (
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + framed(CHUNKS, b""),
        CUTS,
        (ANSWER, "chunked framing taken off: 3 chunks, without the one that ends the body"),
    ),
    "curl -N --raw, ended by force": (
        framed(CHUNKS, b""),
        CUTS,
        ("chunked framing without headers taken off: 3 chunks, without the one that ends the body",),
    ),
    "HTTP/2": (HEAD.replace(b"/1.1 200 OK", b"/2 200 ") + b"\r\n" + WIRE, (), (ANSWER.replace("1.1", "2"),)),
    "line ends of the headers lost": (HEAD.replace(b"\r", b"") + b"\n" + WIRE, (), (ANSWER,)),
    "a length": (HEAD + b"Content-Length: %d\r\n\r\n" % len(WIRE) + WIRE, (), (ANSWER,)),
    "a length, and more": (
        HEAD + b"Content-Length: %d\r\n\r\n" % len(WIRE) + WIRE + b"more",
        (),
        (ANSWER, "4 bytes behind the answer left out"),
    ),
    "a length, and less": (
        HEAD + b"Content-Length: 500\r\n\r\n" + WIRE,
        (),
        (ANSWER, "the body is cut short: 31 of 500 bytes"),
    ),
    "chunks with extensions": (
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + framed(CHUNKS).replace(b"f\r\n", b"f;a=b\r\n", 1),
        CUTS,
        (ANSWER, "chunked framing taken off: 3 chunks"),
    ),
    "a proxy in front": (
        b"HTTP/1.1 200 Connection established\r\n\r\n" + CURL_RAW,
        CUTS,
        ("1 answer in front left out, status 200", ANSWER, "chunked framing taken off: 3 chunks"),
    ),
    "a redirection in front": (
        b"HTTP/1.1 302 Found\r\nContent-Length: 2\r\n\r\nok" + CURL_RAW,
        CUTS,
        ("1 answer in front left out, status 302", ANSWER, "chunked framing taken off: 3 chunks"),
    ),
    "100 Continue in front": (
        b"HTTP/1.1 100 Continue\r\n\r\n" + CURL_RAW,
        CUTS,
        ("1 answer in front left out, status 100", ANSWER, "chunked framing taken off: 3 chunks"),
    ),
    "two answers in front": (
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 302 Found\r\nContent-Length: 2\r\n\r\nok" + CURL_RAW,
        CUTS,
        ("2 answers in front left out, status 100, 302", ANSWER, "chunked framing taken off: 3 chunks"),
    ),
    "another answer behind": (
        CURL_RAW + b"HTTP/1.1 204 No Content\r\n\r\n",
        CUTS,
        (ANSWER, "chunked framing taken off: 3 chunks", "27 bytes behind the answer left out"),
    ),
    "the request in front": (
        b"GET /a HTTP/1.1\r\nHost: a\r\n\r\n" + CURL_RAW,
        CUTS,
        ("the request in front left out, 28 bytes", ANSWER, "chunked framing taken off: 3 chunks"),
    ),
    "gzip": (gzip.compress(WIRE), (), ("gzip taken off: 31 bytes",)),
    "two members of gzip": (gzip.compress(WIRE[:9]) + gzip.compress(WIRE[9:]), (), ("gzip taken off: 31 bytes",)),
    "gzip, and more": (
        gzip.compress(WIRE) + b"\0\0",
        (),
        ("gzip taken off (what stands behind its end left out): 31 bytes",),
    ),
    "gzip in chunks": (
        HEAD + b"Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n" + framed(packed(CHUNKS)),
        CUTS,
        (ANSWER, "chunked framing taken off: 4 chunks", "gzip taken off: 31 bytes"),
    ),
    "gzip cut short": (
        HEAD + b"Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n" + framed(packed(CHUNKS)[:3]),
        CUTS,
        (
            ANSWER,
            "chunked framing taken off: 3 chunks",
            "gzip taken off (it is cut short, and kept as far as it goes): 31 bytes",
        ),
    ),
    "deflate": (
        HEAD + b"Content-Encoding: deflate\r\n\r\n" + zlib.compress(WIRE),
        (),
        (ANSWER, "deflate taken off: 31 bytes"),
    ),
    "deflate without its wrapper": (
        HEAD + b"Content-Encoding: deflate\r\n\r\n" + b"".join(packed([WIRE], -15)),
        (),
        (ANSWER, "deflate taken off: 31 bytes"),
    ),
    "gzip that the headers say and the body is not": (
        HEAD + b"Content-Encoding: gzip\r\n\r\n" + b"more\n" + WIRE,
        (),
        (ANSWER, "the headers say gzip, which the body is not: left as it is"),
    ),
    "deflate that the headers say and the body is not": (
        HEAD + b"Content-Encoding: deflate\r\n\r\n" + b"more\n" + WIRE,
        (),
        (ANSWER, "the headers say deflate, which the body is not: left as it is"),
    ),
    "HTTP/2, with headers that come twice": (
        b"HTTP/2 200\r\nvary: a\r\nvary: b\r\n\r\n" + WIRE,
        (),
        (ANSWER.replace("1.1", "2"),),
    ),
    # The length is that of the packed body.
    "curl --compressed": (
        HEAD + b"Content-Encoding: br\r\nContent-Length: 20\r\n\r\n" + WIRE,
        (),
        (ANSWER, "br is taken off already, as curl does with --compressed"),
    ),
}


@pytest.mark.parametrize("what", ANSWERS)
def test_http_is_taken_off(what):
    content, cuts, understood = ANSWERS[what]
    artefact = read_artefact(content)
    before = b"more\n" if "the body is not" in what else b""
    assert (artefact.wire, artefact.cuts) == (before + WIRE, cuts)
    assert artefact.understood == (f"a raw file, {len(content)} bytes", *understood)


def test_a_body_cut_short_in_a_chunk_is_kept_as_far_as_it_goes():
    artefact = read_artefact(CURL_RAW[: CURL_RAW.index("好".encode()) + 1])
    assert (artefact.wire, artefact.cuts) == (WIRE[:16], (15,))
    assert artefact.understood[-1] == "chunked framing taken off: 1 chunk and a part of one that is cut short"


def test_a_chunk_whose_last_line_end_is_missing_is_whole():
    artefact = read_artefact(framed(CHUNKS, b"")[:-2])
    assert (artefact.wire, artefact.cuts) == (WIRE, CUTS)


def test_curl_v_is_read_without_its_own_lines():
    artefact = read_artefact(CURL_V)
    assert (artefact.wire, artefact.cuts) == (WIRE, ())
    assert artefact.understood[1:] == (ANSWER, JOINED)


def test_curl_v_without_an_answer_is_taken_as_it_is():
    content = CURL_V[: CURL_V.index(b"/1.1 200 OK")]
    assert read_artefact(content).wire == content


def test_raw_is_byte_for_byte():
    for content in (CURL_RAW, gzip.compress(WIRE), b"00000000: 6461\n", b"b'data'", b"[]"):
        artefact = read_artefact(content, format="raw")
        assert (artefact.wire, artefact.cuts) == (content, ())
        assert artefact.understood == (f"taken byte for byte, {len(content)} bytes",)


@given(data=st.data(), wire=st.binary(min_size=1, max_size=60))
def test_the_ends_of_any_chunks_are_the_cuts(data, wire):
    ends = tuple(sorted(data.draw(st.sets(st.integers(1, len(wire) - 1))))) if len(wire) > 1 else ()
    content = HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + framed(chunks_of(wire, ends))
    assume(not wire.startswith(b"HTTP/"))
    artefact = read_artefact(content)
    assert (artefact.wire, artefact.cuts) == (wire, ends)


@given(stream=streams(), data=st.data(), bits=st.sampled_from([31, 15, -15]))
def test_cuts_go_through_content_codings(stream, data, bits):
    wire = stream.wire or b"\n"
    ends = tuple(sorted(data.draw(st.sets(st.integers(1, len(wire) - 1))))) if len(wire) > 1 else ()
    coding = b"gzip" if bits == 31 else b"deflate"
    head = HEAD + b"Content-Encoding: " + coding + b"\r\nTransfer-Encoding: chunked\r\n\r\n"
    artefact = read_artefact(head + framed(packed(chunks_of(wire, ends), bits)))
    assert (artefact.wire, artefact.cuts) == (wire, ends)


HTTP_ERRORS = {
    "no end of the headers": (HEAD, "headers have no end: there is no body; or give the format 'raw'"),
    "headers that are none": (HEAD + b"no header\r\n\r\n" + WIRE, "headers cannot be read: illegal header line"),
    "a coding of the transfer": (
        HEAD + b"Transfer-Encoding: gzip, chunked\r\n\r\n" + framed(packed(CHUNKS)),
        "headers cannot be read: Only Transfer-Encoding: chunked is supported; or give the format 'raw'",
    ),
    "no body": (HEAD + b"\r\n", "nothing is left to make a wire of .*HTTP/1.1 answer.*: was it all captured"),
    "br": (
        HEAD + b"Content-Encoding: br\r\n\r\n\x8b\x0e\x80",
        "Content-Encoding: br is not unpacked here: .*--compressed",
    ),
    "zstd": (HEAD + b"Content-Encoding: zstd\r\n\r\n\x28\xb5\x2f\xfd", "Accept-Encoding: identity"),
    "gzip that is damaged": (gzip.compress(WIRE)[:-6] + b"abcdef", "gzip that is damaged after .*format 'raw'"),
    "framing that breaks": (
        CURL_RAW.replace(b"\r\nb\r\n", b"\r\nzz\r\n"),
        "chunked framing that breaks off after 1 chunk, .*: illegal chunk header.*; or give the format 'raw'",
    ),
    "answers without an end": (b"HTTP/1.1 100 Continue\r\n\r\n" * 21 + CURL_RAW, "more than 20 HTTP answers"),
    "no body in chunks": (HEAD + b"Transfer-Encoding: chunked\r\n\r\n", "nothing is left to make a wire of"),
    "no body in gzip": (HEAD + b"Content-Encoding: gzip\r\n\r\n", "nothing is left to make a wire of"),
    "a request alone": (b"GET /a?key=secret HTTP/1.1\r\n\r\n", "no answer: capture the server's side"),
    "the progress meter of curl": (
        CURL_V.replace(b"{ [20", b"  % Total    % Received % Xferd\n{ [20"),
        "progress meter: run it with -sN",
    ),
    "curl -v without a body": (CURL_V[: CURL_V.index(b"{ [20")], "redirect both outputs"),
}


@pytest.mark.parametrize("what", HTTP_ERRORS)
def test_what_cannot_be_taken_off_is_said(what):
    content, said = HTTP_ERRORS[what]
    with pytest.raises(ArtefactError, match=said) as error:
        read_artefact(content)
    assert "\n" not in str(error.value)


# what is no dump, and no framing --------------------------------------------------------------------------------------

STREAMS = [
    *(
        b"1a\r\n\r\n",
        b"1\r\na\r\n",
        b"0\r\n\r\n",
        b"a\r\n0123456789\r\n",
        b"data\n\n",
        b"data: 61\n61 62\n\n",
        b"61 62\n\n",
    ),
    *(
        b"ed\n\n",
        b"a\n\n",
        b": 00000000  64 61\n\n",
        b"data: 00000000: 6461\n\n",
        b"00: 64\n\n",
        b"0000\n\n",
        b"[DONE]\n\n",
    ),
    *(
        b"[1\n\n",
        b"[x]\n\n",
        b"{}\n\n",
        b'{"log": 1\n\n'[:6],
        b"\n\r\r\n",
        b"\n\r\r\ndata: a\r\r",
        b"\xa1\xb2\xc3",
        b"b\n\n",
    ),
    *(
        b"b: 'x'\n\n",
        b"\x1f\x8b\n",
        b"HTTP/1\n\n",
        b"HTTP: 1\n\n",
        b"data: HTTP/1.1 200 OK\r\n\r\n",
        b"GET /\n\n",
        b"* a\n\n",
    ),
    *(b"== Info\n\n", b"char x\n\n", b"\xff\xfed\0", b"\xef\xbb\xbfdata: a\n\n", b"\0", b"\n", b" \n", b"\r\n\r\n"),
]


@pytest.mark.parametrize("wire", STREAMS, ids=repr)
def test_a_stream_that_looks_like_something_else_stays_what_it_is(wire):
    artefact = read_artefact(wire)
    assert (artefact.wire, artefact.cuts) == (wire, ())
    assert artefact.understood[0].startswith(f"a raw file, {len(wire)} byte")
    assert len(artefact.understood) == 1


def test_digits_that_may_be_a_dump_are_told():
    assert read_artefact(b"61 62\n\n").understood == (
        "a raw file, 7 bytes: if these digits are a dump, give the format 'hex'",
    )
    assert read_artefact(b"61 62\n\n", format="hex").wire == b"ab"


@given(stream=streams())
@example(stream=None)
def test_no_stream_of_the_grammar_is_taken_for_anything_else(stream):
    wire = (stream.wire if stream else b"") or b"data"
    assert read_artefact(wire).wire == wire


# Python ---------------------------------------------------------------------------------------------------------------

LITERALS = {
    r'b"data: \xe4\xbd\xa0\n\n"': ("data: 你\n\n".encode(), ()),
    "b'data: a' b'\\n\\n'": (b"data: a\n\n", ()),
    "(b'data: a'\n b'\\n\\n')": (b"data: a\n\n", ()),
    "b'data: a'\nb'\\n\\n'\n": (b"data: a\n\n", (7,)),
    "[b'data: a', b'', b'\\n\\n']": (b"data: a\n\n", (7, 7)),
    "(b'data: a', b'\\n\\n')": (b"data: a\n\n", (7,)),
    "[\n    b'data: a',\n    b'\\n\\n',  # two\n]\n": (b"data: a\n\n", (7,)),
    "wire = b'data: a\\n\\n'": (b"data: a\n\n", ()),
    "rb'data: \\d'": (b"data: \\d", ()),
    "b'data: \\d'": (b"data: \\d", ()),
}


@pytest.mark.parametrize("text", LITERALS)
@pytest.mark.parametrize("format", [None, "python"])
def test_bytes_literals(text, format):
    artefact = read_artefact(text.encode(), format=format)
    assert (artefact.wire, artefact.cuts) == LITERALS[text]


@given(chunks=st.lists(st.binary(max_size=12), min_size=1, max_size=6))
def test_any_list_of_bytes_comes_back(chunks):
    pieces = containers.read_python(repr(chunks).encode())
    assert list(pieces.pieces) == chunks


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("b'data: a", "no Python literal: .*near"),
        ("b'a' + open('x').read()", "only bytes literals and lists of them are read"),
        ("[b'a', 'b']", "item 1, .*, is no bytes literal: they are written b'...'"),
        ("[]", "a list without bytes literals"),
        ("b'é'", "bytes can only contain ASCII"),
        ("[" * 5000 + "b'a'", "no Python literal"),
        ("__import__('os')", "only bytes literals"),
    ],
)
def test_what_is_no_literal_is_refused(text, said):
    with pytest.raises(ArtefactError, match=said) as error:
        read_artefact(text.encode(), format="python")
    assert "\n" not in str(error.value)


def test_a_literal_that_is_no_utf_8_or_too_long_is_refused():
    with pytest.raises(ArtefactError, match=r"a Python literal that is no UTF-8: .* at byte 2"):
        read_artefact(b"b'\xff'")
    with pytest.raises(ArtefactError, match="a Python literal of more than 4,194,304 bytes: write the bytes to a file"):
        read_artefact(b"b'" + b"a" * 4_194_304)


# chunks as JSON -------------------------------------------------------------------------------------------------------


def test_chunks_in_each_form():
    data = ["data: ", "", {"base64": "5L0="}, {"hex": "a0"}, {"text": "好\n"}, [10]]
    artefact = read_artefact(json.dumps(data).encode())
    assert (artefact.wire, artefact.cuts) == ("data: 你好\n\n".encode(), (6, 6, 8, 9, 13))
    assert artefact.understood == ("a JSON list of 6 chunks, 14 bytes: their ends are the cuts",)


def test_a_list_of_numbers_is_one_chunk():
    artefact = read_artefact(json.dumps(list(WIRE)).encode())
    assert (artefact.wire, artefact.cuts) == (WIRE, ())


def test_empty_chunks_at_either_end_are_cuts():
    artefact = read_artefact(b'["", "data", ""]')
    assert (artefact.wire, artefact.cuts) == (b"data", (0, 4))


@given(chunks=st.lists(st.binary(max_size=8), min_size=1, max_size=6))
def test_any_chunks_come_back(chunks):
    data = [
        list(chunk)
        if at % 3 == 0
        else {"hex": chunk.hex()}
        if at % 3 == 1
        else {"base64": base64.b64encode(chunk).decode()}
        for at, chunk in enumerate(chunks)
    ]
    pieces = containers.read_chunks(json.dumps(data).encode())
    assert list(pieces.pieces) == chunks


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('["a", 7]', "chunk 1: '7' is none; a chunk is a text"),
        ("[[256]]", "chunk 0: '256' is no byte, which is a number from 0 to 255"),
        ("[[true]]", "'True' is no byte"),
        ('[{"hex": "6"}]', "chunk 0: '6' is no hex"),
        ('[{"base64": "*"}]', r"chunk 0: '\*' is no base64"),
        ('[{"hex": "61", "text": "a"}]', "chunk 0: .*is none"),
        ('["\\ud800"]', "half a surrogate pair .*give its bytes"),
        ("[]", "stands where a list of chunks belongs"),
        ("{}", "stands where a list of chunks belongs"),
        ("[", "chunks: no JSON"),
        ("[" * 100_000, "chunks: no JSON"),
        ('["", ""]', "nothing is left to make a wire of"),
    ],
)
def test_what_is_no_list_of_chunks_is_refused(text, said):
    with pytest.raises(ArtefactError, match=said) as error:
        read_artefact(text.encode(), format="chunks")
    assert "\n" not in str(error.value)


# HAR ------------------------------------------------------------------------------------------------------------------


def har_entry(
    url="https://user:pass@api.example/v1/chat?key=secret", mime="text/event-stream; charset=utf-8", **content
):
    return {"request": {"url": url}, "response": {"headers": [], "content": {"mimeType": mime, **content}}}


def har(*entries) -> bytes:
    return json.dumps({"log": {"version": "1.2", "entries": entries}}).encode()


def test_the_stream_of_a_har_file():
    content = har(har_entry(mime="text/html", text="<p>"), har_entry(text=WIRE.decode()))
    artefact = read_artefact(content)
    assert (artefact.wire, artefact.cuts) == (WIRE, ())
    assert artefact.understood == (
        "a HAR file: the response of api.example/v1/chat",
        "its body is kept as text: a mark at its start and bytes that were no UTF-8 are lost",
    )


def test_the_first_of_several_streams_that_has_a_body():
    body = base64.b64encode(b"data: \xe4\n\n").decode()
    content = har(har_entry(), har_entry(text=body, encoding="base64"), har_entry(text="data: c\n\n"))
    artefact = read_artefact(b"\xef\xbb\xbf" + content)
    assert artefact.wire == b"data: \xe4\n\n"
    assert artefact.understood == (
        "a HAR file: the response of api.example/v1/chat",
        "it holds 3 event streams, of which this is the first that has a body",
        "its body is kept as base64",
    )


def test_the_type_of_a_stream_may_stand_in_the_headers_alone():
    entry = har_entry(mime="x-unknown", text="data: a\n\n")
    entry["response"]["headers"] = [{"name": "Content-Type", "value": "text/event-stream"}]
    assert read_artefact(har(entry), name="A.HAR").wire == b"data: a\n\n"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (har(), "none of the 0 responses of the HAR file is text/event-stream"),
        (har(har_entry(mime="text/html", text="a"), 7, {"response": 7}), "none of the 3 responses"),
        (har(har_entry()), "no body for api.example/v1/chat, .*curl -iN --raw"),
        (
            har({**har_entry(), "_eventSourceMessages": []}),
            r"keeps the events .*\(_eventSourceMessages\) and not the bytes",
        ),
        (har({**har_entry(), "_webSocketMessages": []}), "keeps the messages"),
        (har(har_entry(text="*", encoding="base64")), "is no base64"),
        (har(har_entry(text="a", encoding="rot13")), "kept as 'rot13', which is not base64"),
        (har(har_entry(url="http://[", text="\ud800")), "half a surrogate pair"),
        (har(har_entry(url="http://[")), "no body for a request without a URL"),
        (b'{"log": {"entries": 7}}', "it has no list log.entries"),
        (b'{"log": ', "a HAR file: no JSON"),
    ],
)
def test_a_har_file_without_the_bytes_is_refused(content, said):
    with pytest.raises(ArtefactError, match=said) as error:
        read_artefact(content)
    assert "secret" not in str(error.value)
    assert "pass" not in str(error.value)


# captures -------------------------------------------------------------------------------------------------------------


def pcap(*streams) -> bytes:
    """A capture of TCP streams, each a list of what the client (True) and the server (False) sent."""
    frames: list[bytes] = []
    for port, segments in enumerate(streams, 2001):
        sent = {True: 101, False: 501}
        tcp_segments = [(True, 100, 0, 0x02, b""), (False, 500, 101, 0x12, b""), (True, 101, 501, 0x10, b"")]
        for client, data in segments:
            tcp_segments.append((client, sent[client], sent[not client], 0x18, data))
            sent[client] += len(data)
        frames += [frame(port, *segment) for segment in tcp_segments]
    header = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)
    return header + b"".join(struct.pack("<IIII", at, 0, len(one), len(one)) + one for at, one in enumerate(frames))


def frame(port: int, client: bool, sequence: int, acknowledged: int, flags: int, data: bytes) -> bytes:
    ports, hosts = [port, 80], [b"\x0a\0\0\x05", b"\x0a\0\0\x50"]
    if not client:
        ports, hosts = ports[::-1], hosts[::-1]
    tcp = struct.pack(">HHIIBBHHH", *ports, sequence, acknowledged, 0x50, flags, 65535, 0, 0) + data
    ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(tcp), 1, 0, 64, 6, 0, *hosts) + tcp
    return b"\2\0\0\0\0\1\2\0\0\0\0\2\x08\0" + ip


REQUEST = b"GET /s HTTP/1.1\r\nHost: a\r\n\r\n"
SENT = [HEAD + b"Transfer-Encoding: chunked\r\n\r\n", *(framed([chunk], b"") for chunk in CHUNKS), b"0\r\n\r\n"]
CAPTURE = pcap(
    [(True, REQUEST), (False, b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")],
    [(True, REQUEST), *((False, segment) for segment in SENT)],
)
UNDERSTOOD = (
    "a capture, 2 TCP streams, of which stream 1 is taken",
    "a stream followed by tshark, 5 packets with 131 bytes",
    "the client's side left out, 1 packet",
    "the ends of its packets are cuts",
    ANSWER,
    "chunked framing taken off: 3 chunks",
)


def follow(number: int, client: list[bytes], server: list[bytes]) -> str:
    """What tshark 4.0 prints for `-q -z follow,tcp,raw,N`."""
    bar = "=" * 67
    lines = [f"Follow: tcp,raw\nFilter: tcp.stream eq {number}\nNode 0: 10.0.0.5:2001\nNode 1: 10.0.0.80:80"]
    lines += [*(data.hex() for data in client), *("\t" + data.hex() for data in server)]
    return "\n" + "\n".join([bar, *lines, bar]) + "\n"


@pytest.fixture
def tshark(tmp_path, monkeypatch):
    """Put a program of that name on PATH, which prints this, and ends like this."""

    def put(streams: str, followed: str, *, said: str = "", code: int = 0) -> None:
        path = tmp_path / "tshark"
        path.write_text(
            f"#!{sys.executable}\nimport sys\n"
            "assert sys.argv[1:4] == ['-n', '-r', '-'], sys.argv\n"
            "content = sys.stdin.buffer.read()\nassert content, 'the capture is given as input'\n"
            f"sys.stdout.write({followed!r} if '-q' in sys.argv else {streams!r})\n"
            f"sys.stderr.write({said!r})\nsys.exit({code})\n"
        )
        path.chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path))

    return put


def test_the_event_stream_of_a_capture_is_taken_out(tshark):
    other = follow(0, [REQUEST], [b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"])
    # tshark prints the streams in the reverse of the order in which they were asked for.
    tshark("0\n0\n1\n1\n", follow(1, [REQUEST], SENT) + other)
    artefact = read_artefact(CAPTURE)
    assert (artefact.wire, artefact.cuts) == (WIRE, CUTS)
    assert artefact.understood == UNDERSTOOD


@pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not on PATH: the one that stands in was tested")
@pytest.mark.parametrize("lost", [0, 3], ids=["whole", "ended by force"])
def test_the_real_tshark_takes_the_event_stream_out(lost):
    artefact = read_artefact(CAPTURE[: len(CAPTURE) - lost])
    assert (artefact.wire, artefact.cuts) == (WIRE, CUTS)
    assert artefact.understood[0] == UNDERSTOOD[0]


def test_the_only_stream_of_a_capture_needs_no_headers(tshark):
    tshark("3\n", follow(3, [], [b"data: a", b"\n\n"]))
    artefact = read_artefact(CAPTURE, name="a.pcapng")
    assert (artefact.wire, artefact.cuts) == (b"data: a\n\n", (7,))


def test_a_capture_whose_last_packet_is_not_whole_is_read(tshark):
    said = "tshark: The standard input appears to have been cut short in the middle of a packet.\n"
    tshark("0\n", follow(0, [REQUEST], SENT), said=said, code=2)
    assert read_artefact(CAPTURE).wire == WIRE


TLS = b"\x16\x03\x03\x00\x7a\x02"
CAPTURE_ERRORS = {
    "no streams": ("", "", "holds no TCP stream with bytes in it"),
    "too many": ("\n".join(map(str, range(65))), "", "holds 65 TCP streams, more than 64"),
    "clients only": ("0\n", follow(0, [], []), "no TCP stream of the capture holds bytes of a server"),
    "TLS": ("0\n", follow(0, [TLS], [TLS]), "of TLS, and encrypted: take the stream with curl -iN --raw"),
    "no event stream": (
        "0\n1\n",
        follow(0, [], [b"a"]) + follow(1, [], [b"b"]),
        "none of the 2 TCP streams of the capture answers with text/event-stream; in Wireshark, choose Follow",
    ),
}


@pytest.mark.parametrize("what", CAPTURE_ERRORS)
def test_a_capture_without_the_stream_is_refused(tshark, what):
    streams_printed, followed, said = CAPTURE_ERRORS[what]
    tshark(streams_printed, followed)
    with pytest.raises(ArtefactError, match=said):
        read_artefact(CAPTURE)


def test_what_tshark_says_when_it_fails_is_told(tshark):
    tshark("", "", said="Running as user\ntshark: is no capture\n", code=2)
    with pytest.raises(ArtefactError, match="tshark ended with 2: 'tshark: is no capture'; or, in Wireshark"):
        read_artefact(CAPTURE)


def test_without_tshark_the_way_through_wireshark_is_told(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(
        ArtefactError, match=r"tshark, which is not on PATH: install it; or, .*Follow > TCP Stream.*Hex Dump"
    ):
        read_artefact(CAPTURE)


def test_a_tshark_that_hangs_is_ended(tshark, tmp_path, monkeypatch):
    tshark("", "")
    (tmp_path / "tshark").write_text(f"#!{sys.executable}\nimport time\ntime.sleep(60)\n")
    monkeypatch.setattr(capture, "_SECONDS_MAX", 0.2)
    with pytest.raises(ArtefactError, match=r"tshark took more than 0.2 s"):
        read_artefact(CAPTURE)


def test_a_tshark_that_cannot_be_run_is_named(tshark, tmp_path):
    tshark("", "")
    (tmp_path / "tshark").write_text("#!/nowhere/at-all\n")
    with pytest.raises(ArtefactError, match="tshark cannot be run"):
        read_artefact(CAPTURE)


def test_what_is_said_to_be_a_capture_has_to_be_one():
    with pytest.raises(ArtefactError, match="no pcap and no pcapng file: it starts with b'data: a"):
        read_artefact(b"data: a\n\n", name="x.pcap")


# bounds ---------------------------------------------------------------------------------------------------------------


def test_an_empty_file_is_refused():
    for format in (None, *FORMATS):
        with pytest.raises(ArtefactError, match="the file is empty: was the stream captured"):
            read_artefact(b"", format=format)


def test_an_unknown_format_is_refused():
    with pytest.raises(ArtefactError, match="'xml' is no format; the formats are raw, hex, python, chunks, har, pcap"):
        read_artefact(b"a", format="xml")


def test_long_files_and_long_wires_are_refused(monkeypatch):
    monkeypatch.setattr(reading, "_CONTENT_BYTES_MAX", 100)
    monkeypatch.setattr(artefact, "WIRE_BYTES_MAX", 50)
    with pytest.raises(ArtefactError, match="the file has 101 bytes and may have 100"):
        read_artefact(b"a" * 101)
    with pytest.raises(ArtefactError, match="the wire has 51 bytes and may have 50"):
        read_artefact(b"a" * 51)
    assert len(read_artefact(b"a" * 50).wire) == 50


def test_the_bounds_are_those_of_an_entry():
    assert (reading._CONTENT_BYTES_MAX, artefact.WIRE_BYTES_MAX) == (256 * 1024 * 1024, 64 * 1024 * 1024)


def test_what_is_packed_may_not_unpack_to_more_than_a_wire(monkeypatch):
    monkeypatch.setattr(codings, "WIRE_BYTES_MAX", 1000)
    assert len(read_artefact(gzip.compress(b"a" * 1000)).wire) == 1000
    with pytest.raises(ArtefactError, match="gzip that unpacks to more than 1,000 bytes"):
        read_artefact(gzip.compress(b"a" * 1001))
    with pytest.raises(ArtefactError, match="gzip that unpacks to more than 1,000 bytes"):
        read_artefact(gzip.compress(b"a" * 600) * 2)


def test_the_number_of_members_of_gzip_is_bounded(monkeypatch):
    monkeypatch.setattr(inflating, "_MEMBERS_MAX", 2)
    artefact = read_artefact(gzip.compress(b"data") * 3)
    assert artefact.wire == b"datadata"
    assert artefact.understood[1] == "gzip taken off (what stands behind its end left out): 8 bytes"


def test_what_is_packed_is_unpacked_in_slices(monkeypatch):
    monkeypatch.setattr(inflating, "_SLICE", 3)
    assert read_artefact(gzip.compress(WIRE) * 2).wire == WIRE * 2


def test_the_number_of_chunks_is_bounded(monkeypatch):
    for module in (http, containers):
        monkeypatch.setattr(module, "PIECES_MAX", 3)
    with pytest.raises(ArtefactError, match="the body has more than 3 chunks"):
        read_artefact(framed([b"a", b"b", b"c", b"d"]))
    with pytest.raises(ArtefactError, match="a list of more than 3 chunks"):
        read_artefact(b'["a", "b", "c", "d"]')


@pytest.mark.parametrize(("format", "most"), [("chunks", "_CHUNKS_BYTES_MAX"), ("har", "_HAR_BYTES_MAX")])
def test_long_json_is_refused(monkeypatch, format, most):
    monkeypatch.setattr(containers, most, 5)
    with pytest.raises(ArtefactError, match="as JSON of more than 5 bytes: keep the part"):
        read_artefact(b'["aaaa"]', format=format)


def test_long_captures_are_refused(monkeypatch):
    monkeypatch.setattr(capture, "_CAPTURE_BYTES_MAX", 5)
    with pytest.raises(ArtefactError, match="a capture of more than 5 bytes: save the one stream alone"):
        read_artefact(CAPTURE)


@given(chunks=st.lists(st.binary(max_size=5), min_size=1))
def test_cuts_are_the_inner_ends(chunks):
    whole = b"".join(chunks)
    if whole:
        made = artefact.Pieces(chunks).artefact()
        assert made.cuts == tuple(accumulate(map(len, chunks)))[:-1]
        assert all(before <= after for before, after in pairwise(made.cuts))
