"""Hex dumps, arrays and traces, as the tools themselves wrote them (the samples are their output, unchanged)."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from chunkproof.corpus.artefacts import ArtefactError, read_artefact
from chunkproof.corpus.artefacts.digits import read_arrays, read_hex
from chunkproof.corpus.artefacts.dumps import DUMP_BYTES_MAX, DUMP_LINES_MAX, read_dump

#: What was dumped: 20 bytes, a Chinese character among them.
WIRE = "data: 你\n\ndata: b\n\n".encode()
XXD = """\
00000000: 6461 7461 3a20 e4bd a00a 0a64 6174 613a  data: .....data:
00000010: 2062 0a0a                                 b..
"""
XXD_G1_UPPER = """\
00000000: 64 61 74 61 3A 20 E4 BD A0 0A 0A 64 61 74 61 3A  data: .....data:
00000010: 20 62 0A 0A                                       b..
"""
XXD_C8_G4 = """\
00000000: 64617461 3a20e4bd  data: ..
00000008: a00a0a64 6174613a  ...data:
00000010: 20620a0a            b..
"""
XXD_PLAIN = "646174613a20e4bda00a0a646174613a20620a0a\n"
HEXDUMP_C = """\
00000000  64 61 74 61 3a 20 e4 bd  a0 0a 0a 64 61 74 61 3a  |data: .....data:|
00000010  20 62 0a 0a                                       | b..|
00000014
"""
HEXDUMP = """\
0000000 6164 6174 203a bde4 0aa0 640a 7461 3a61
0000010 6220 0a0a                              
0000014
"""  # noqa: W291 - as hexdump writes it
OD_HEX = """\
000000 64 61 74 61 3a 20 e4 bd a0 0a 0a 64 61 74 61 3a  >data: .....data:<
000010 20 62 0a 0a                                      > b..<
000014
"""
OD = """\
0000000 64 61 74 61 3a 20 e4 bd a0 0a 0a 64 61 74 61 3a
0000020 20 62 0a 0a
0000024
"""
OD_DECIMAL = """\
0000000 64 61 74 61 3a 20 e4 bd a0 0a 0a 64 61 74 61 3a
0000016 20 62 0a 0a
0000020
"""
OD_NO_OFFSETS = """\
 64 61 74 61 3a 20 e4 bd a0 0a 0a 64 61 74 61 3a
 20 62 0a 0a
"""
XXD_C_ARRAY = """\
unsigned char a[] = {
  0x64, 0x61, 0x74, 0x61, 0x3a, 0x20, 0xe4, 0xbd, 0xa0, 0x0a, 0x0a, 0x64,
  0x61, 0x74, 0x61, 0x3a, 0x20, 0x62, 0x0a, 0x0a
};
unsigned int a_len = 20;
"""
SAMPLES = {
    "xxd": (XXD, "a hex dump as xxd writes it, 20 bytes"),
    "xxd -g1 -u": (XXD_G1_UPPER, "a hex dump as xxd writes it, 20 bytes"),
    "xxd -c8 -g4": (XXD_C8_G4, "a hex dump as xxd writes it, 20 bytes"),
    "xxd -p": (XXD_PLAIN, "plain hex, as xxd -p writes it, 20 bytes"),
    "xxd -i": (XXD_C_ARRAY, "1 array of C, 20 bytes"),
    "hexdump -C": (HEXDUMP_C, "a hex dump as hexdump -C writes it, 20 bytes"),
    "hexdump": (HEXDUMP, "a hex dump as hexdump writes it, 20 bytes"),
    "od -A x -t x1z": (OD_HEX, "a hex dump as od writes it, 20 bytes"),
    "od -t x1": (OD, "a hex dump as od writes it, 20 bytes"),
    "od -A d -t x1": (OD_DECIMAL, "a hex dump as od writes it, 20 bytes"),
    "od -A n -t x1": (OD_NO_OFFSETS, "plain hex, as xxd -p writes it, 20 bytes"),
}


@pytest.mark.parametrize("tool", SAMPLES)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize("format", [None, "hex"])
def test_what_the_tools_write_is_read(tool, line_end, format):
    text, told = SAMPLES[tool]
    artefact = read_artefact(text.replace("\n", line_end).encode(), format=format)
    assert (artefact.wire, artefact.cuts) == (WIRE, ())
    assert artefact.understood[0] == told


def test_the_base_of_offsets_is_found_and_told():
    assert read_artefact(OD.encode()).understood[1:] == ("its offsets are octal",)
    assert read_artefact(OD_DECIMAL.encode()).understood[1:] == ("its offsets are decimal",)
    assert read_artefact(OD_HEX.encode()).understood[1:] == ()


#: 100 bytes of zero.
REPEATS = {
    "hexdump -C": (
        "00000000  00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00  |................|\n*\n"
        "00000060  00 00 00 00                                       |....|\n00000064\n"
    ),
    "hexdump": (
        "0000000 0000 0000 0000 0000 0000 0000 0000 0000\n*\n0000060 0000 0000                              \n0000064\n"
    ),
    "od -A x -t x1z": (
        "000000 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00  >................<\n*\n"
        "000060 00 00 00 00                                      >....<\n000064\n"
    ),
    "od -t x1": "0000000 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00\n*\n0000140 00 00 00 00\n0000144\n",
    "xxd -a": (
        "00000000: 0000 0000 0000 0000 0000 0000 0000 0000  ................\n*\n"
        "00000060: 0000 0000                                ....\n"
    ),
}


@pytest.mark.parametrize("tool", REPEATS)
def test_repeated_lines_are_unrolled(tool):
    assert read_artefact(REPEATS[tool].encode()).wire == bytes(100)


def test_repeats_at_the_very_end_are_unrolled():
    text = "00000000  61 61 61 61 61 61 61 61  61 61 61 61 61 61 61 61  |aaaaaaaaaaaaaaaa|\n*\n00000040\n"
    assert read_artefact(text.encode()).wire == b"a" * 64


def test_offsets_that_fit_in_two_bases_are_told():
    assert "would fit as hexadecimal too: dump with -v" in read_artefact(REPEATS["od -t x1"].encode()).understood[-1]


def test_what_repeats_unroll_to_is_bounded():
    text = "00000000  61 61 61 61 61 61 61 61  61 61 61 61 61 61 61 61  |aaaaaaaaaaaaaaaa|\n*\n7ffffff0\n"
    with pytest.raises(ArtefactError, match="line 3: no repeats lead to the offset 7ffffff0"):
        read_artefact(text.encode())


def test_an_odd_byte_at_the_end_of_words():
    assert read_artefact(b"0000000 6261 0063                              \n0000003\n").wire == b"abc"


def test_a_dump_of_the_middle_of_a_file():
    text = "00000100: 6461\n00000102: 7461\n"
    assert read_dump(text.encode()).understood[-1] == "it starts at the offset 00000100"
    assert read_dump(text.encode()).whole == b"data"


# Wireshark and tshark -------------------------------------------------------------------------------------------------

FOLLOWED_HEX = """\

===================================================================
Follow: tcp,hex
Filter: tcp.stream eq 1
Node 0: 10.0.0.5:2222
Node 1: 10.0.0.80:80
00000000  47 45 54 20 2f 73 20 48  54 54 50 2f 31 2e 31 0d  GET /s H TTP/1.1.
00000010  0a 48 6f 73 74 3a 20 61  0d 0a 0d 0a              .Host: a ....
\t00000000  48 54 54 50 2f 31 2e 31  20 32 30 30 20 4f 4b 0d  HTTP/1.1  200 OK.
\t00000010  0a 43 6f 6e 74 65 6e 74  2d 54 79 70 65 3a 20 74  .Content -Type: t
\t00000020  65 78 74 2f 65 76 65 6e  74 2d 73 74 72 65 61 6d  ext/even t-stream
\t00000030  0d 0a 54 72 61 6e 73 66  65 72 2d 45 6e 63 6f 64  ..Transf er-Encod
\t00000040  69 6e 67 3a 20 63 68 75  6e 6b 65 64 0d 0a 0d 0a  ing: chu nked....
\t00000050  66 0d 0a 69 64 3a 20 37  0a 64 61 74 61 3a 20 e4  f..id: 7 .data: .
\t00000060  bd a0 0d 0a                                       ....
\t00000064  62 0d 0a e5 a5 bd 0a 0a  64 61 74 61 3a 20 0d 0a  b....... data: ..
\t00000074  35 0d 0a 62 0d 0a 0d 0a  0d 0a 30 0d 0a 0d 0a     5..b.... ..0....
===================================================================
"""
FOLLOWED_RAW = """\

===================================================================
Follow: tcp,raw
Filter: tcp.stream eq 1
Node 0: 10.0.0.5:2222
Node 1: 10.0.0.80:80
474554202f7320485454502f312e310d0a486f73743a20610d0a0d0a
\t485454502f312e3120323030204f4b0d0a436f6e74656e742d547970653a20746578742f6576656e742d73747265616d0d0a5472616e73666572\
2d456e636f64696e673a206368756e6b65640d0a0d0a
\t660d0a69643a20370a646174613a20e4bda00d0a
\t620d0ae5a5bd0a0a646174613a200d0a
\t350d0a620d0a0d0a0d0a300d0a0d0a
===================================================================
"""
#: What the server sent in it, and where its chunks ended.
SENT, SENT_CUTS = "id: 7\ndata: 你好\n\ndata: b\r\n\r\n".encode(), (15, 26)


@pytest.mark.parametrize("indent", ["\t", "    "], ids=["tshark", "Wireshark"])
def test_the_servers_side_of_a_followed_stream_is_taken(indent):
    artefact = read_artefact(FOLLOWED_HEX.replace("\t", indent).encode())
    assert (artefact.wire, artefact.cuts) == (SENT, SENT_CUTS)
    assert artefact.understood[:2] == (
        "a hex dump as Wireshark writes it, 131 bytes",
        "2 lines of the client's side left out",
    )


def test_the_ends_of_packets_are_cuts_of_a_followed_stream():
    text = "    00000000  64 61 74 61                                       data\n"
    text += "    00000004  3a 61 0a 0a                                       :a..\n"
    artefact = read_artefact(text.encode())
    assert (artefact.wire, artefact.cuts) == (b"data:a\n\n", (4,))
    assert artefact.understood[1] == "short lines and turns are taken for ends of packets: 2 packets"


def test_where_the_other_side_speaks_a_packet_ends():
    full = "64 61 74 61 3a 61 61 61  61 61 61 61 61 61 61 61  data:aaa aaaaaaaa\n"
    text = f"    00000000  {full}00000000  61{' ' * 47}  a\n    00000010  {full}"
    artefact = read_artefact(text.encode())
    assert (artefact.wire, artefact.cuts) == (b"data:aaaaaaaaaaa" * 2, (16,))


def test_a_server_that_spoke_first_is_still_the_server():
    server = b"HTTP/1.1 200 OK\r\n\r\ndata\n"
    lines = wireshark(server).replace("    0", "0") + "    00000000  61" + " " * 47 + "a\n"
    assert read_artefact(lines.encode()).wire == b"data\n"
    text = f"{'=' * 67}\nFollow: tcp,raw\n{server.hex()}\n\t61\n"
    assert read_artefact(text.encode()).wire == b"data\n"


def test_followed_as_raw_hex():
    artefact = read_artefact(FOLLOWED_RAW.encode())
    assert (artefact.wire, artefact.cuts) == (SENT, SENT_CUTS)
    assert artefact.understood[1] == "the client's side left out, 1 packet"


def test_raw_hex_of_wireshark_has_a_packet_a_line():
    artefact = read_artefact(b"64617461\n3a\n20610a0a\n")
    assert (artefact.wire, artefact.cuts) == (b"data: a\n\n", (4, 5))
    assert artefact.understood[1] == "its lines differ in length: each of the 3 is taken for a packet"


def test_arrays_of_wireshark():
    text = b"""char peer0_0[] = { /* Packet 4 */
0x47, 0x45, 0x54 };
char peer1_0[] = { /* Packet 6 */
0x64, 0x61, 0x74, 0x61, 0x3a, 0x20, 0xe4, 0xbd };
char peer1_1[] = { /* Packet 7 */
0xa0, 0x0a, 0x0a };
"""
    artefact = read_artefact(text)
    assert (artefact.wire, artefact.cuts) == ("data: 你\n\n".encode(), (8,))
    assert artefact.understood == (
        "Wireshark's arrays of C, 2 packets with 11 bytes",
        "the client's side left out, 1 packet",
    )


# traces of curl -------------------------------------------------------------------------------------------------------

#: `curl -sN --trace -` (7.88): the body stands in between, and the bytes of the framing are in the reads.
TRACE = b"""\
== Info:   Trying 127.0.0.1:18765...
== Info: Connected to 127.0.0.1 (127.0.0.1) port 18765 (#0)
=> Send header, 79 bytes (0x4f)
0000: 47 45 54 20 2f 20 48 54 54 50 2f 31 2e 31 0d 0a GET / HTTP/1.1..
0010: 48 6f 73 74 3a 20 31 32 37 2e 30 2e 30 2e 31 3a Host: 127.0.0.1:
0020: 31 38 37 36 35 0d 0a 55 73 65 72 2d 41 67 65 6e 18765..User-Agen
0030: 74 3a 20 63 75 72 6c 2f 37 2e 38 38 2e 31 0d 0a t: curl/7.88.1..
0040: 41 63 63 65 70 74 3a 20 2a 2f 2a 0d 0a 0d 0a    Accept: */*....
<= Recv header, 17 bytes (0x11)
0000: 48 54 54 50 2f 31 2e 31 20 32 30 30 20 4f 4b 0d HTTP/1.1 200 OK.
0010: 0a                                              .
<= Recv header, 33 bytes (0x21)
0000: 43 6f 6e 74 65 6e 74 2d 54 79 70 65 3a 20 74 65 Content-Type: te
0010: 78 74 2f 65 76 65 6e 74 2d 73 74 72 65 61 6d 0d xt/event-stream.
0020: 0a                                              .
<= Recv header, 28 bytes (0x1c)
0000: 54 72 61 6e 73 66 65 72 2d 45 6e 63 6f 64 69 6e Transfer-Encodin
0010: 67 3a 20 63 68 75 6e 6b 65 64 0d 0a             g: chunked..
<= Recv header, 2 bytes (0x2)
0000: 0d 0a                                           ..
<= Recv data, 20 bytes (0x14)
0000: 66 0d 0a 69 64 3a 20 37 0a 64 61 74 61 3a 20 e4 f..id: 7.data: .
0010: bd a0 0d 0a                                     ....
id: 7
data: \xe4\xbd\xa0<= Recv data, 16 bytes (0x10)
0000: 62 0d 0a e5 a5 bd 0a 0a 64 61 74 61 3a 20 0d 0a b.......data: ..
\xe5\xa5\xbd

data: <= Recv data, 15 bytes (0xf)
0000: 35 0d 0a 62 0d 0a 0d 0a 0d 0a 30 0d 0a 0d 0a    5..b......0....
b\r
\r
== Info: Connection #0 to host 127.0.0.1 left intact
"""


@pytest.mark.parametrize("time", [b"", b"23:03:39.732522 "], ids=["plain", "--trace-time"])
def test_a_trace_of_curl_holds_the_reads(time):
    artefact = read_artefact(re.sub(rb"(== Info|=> Send|<= Recv)", time + rb"\1", TRACE))
    assert (artefact.wire, artefact.cuts) == (SENT, SENT_CUTS)
    assert artefact.understood[0] == "a trace of curl: 3 reads of the body with 51 bytes, their ends are cuts"


def test_a_redirection_in_a_trace_is_left_out():
    moved, ok = b"HTTP/1.1 302 Found\r\nContent-Length: 2\r\n\r\n", b"HTTP/1.1 200 OK\r\n\r\n"
    blocks = [(b"header", moved), (b"data", b"ok"), (b"header", ok), (b"data", b"data: a"), (b"data", b"\n\n")]
    artefact = read_artefact(b"== Info: x\n" + b"".join(block(*one) for one in blocks))
    assert (artefact.wire, artefact.cuts) == (b"data: a\n\n", (7,))
    assert artefact.understood[1] == "1 answer in front left out, status 302"


def block(kind: bytes, data: bytes) -> bytes:
    """What `curl --trace` writes for something that it received."""
    lines = b"".join(b"%04x: %-48s%s\n" % (at, row.hex(" ").encode(), row.translate(DOTS)) for at, row in rows(data))
    return b"<= Recv %s, %d bytes (0x%x)\n%s" % (kind, len(data), len(data), lines)


DOTS = bytes(byte if 0x20 <= byte < 0x7F else 0x2E for byte in range(256))


def test_the_ends_of_reads_are_cuts_beside_those_of_chunks():
    # The first read ends two bytes into the character, the second holds its last byte and the end of the chunk.
    first = TRACE.partition(b"<= Recv data")[0]
    blocks = b"".join(block(b"data", read) for read in (b"9\r\ndata: \xe4\xbd", b"\xa0\r\n", b"2\r\n\n\n\r\n"))
    artefact = read_artefact(first + blocks)
    assert (artefact.wire, artefact.cuts) == ("data: 你\n\n".encode(), (8, 9))
    assert artefact.understood[-1] == "chunked framing taken off: 2 chunks, without the one that ends the body"


def test_a_trace_that_breaks_off_is_kept_as_far_as_it_goes():
    artefact = read_artefact(TRACE[: TRACE.index(b"0010: bd a0")])
    assert artefact.wire == b"id: 7\ndata: \xe4"
    assert artefact.understood[1] == "it breaks off within a read"


# errors ---------------------------------------------------------------------------------------------------------------

ERRORS = {
    "an offset that jumps": (
        XXD.replace("00000010", "00000020"),
        "line 2: its offset is 00000020 where 00000010 belongs; lines are missing, or were changed; or give the format",
    ),
    "text around": (XXD + "$ ls\n", r"line 3, '\$ ls': leave out what is not of the dump"),
    "no hex": (XXD.replace("6461 7461", "6461 74xx"), "line 1, .*these are no bytes"),
    "characters without their bytes": (HEXDUMP_C.replace("20 62 0a 0a", " " * 11), "line 2, .*these are no bytes"),
    "xxd -e": (
        "00000000: 61746164 bde4203a 640a0aa0 3a617461  data: .....data:\n"
        "00000010: 0a0a6220                              b..\n",
        "its groups are little-endian",
    ),
    "xxd -b": ("00000000: 01100100 01100001 01110100 01100001 00111010 00100000  data: \n", "it is of bits"),
    "od": ("0000000 060544 060564 020072 136744 005240 062012 072141 035141\n0000020\n", "od -A x -t x1"),
    "a packet in the middle": (FOLLOWED_HEX.replace("\t00000010", "\t00000011"), "its offset is 00000011"),
    "a request alone": (
        "00000000  47 45 54 20 2f 20 48 54  54 50 2f 31 2e 31 0d 0a  GET / HT TP/1.1..\n",
        "an HTTP request .* with no answer: capture the server's side",
    ),
    "an array with text": ("char a[] = { 0x64, foo };", "the array a: b'foo' is no byte"),
    "an array with large numbers": ("char a[] = { 256 };", "the array a: b'256' is no byte"),
    "an array without an end": ("char a[] = { 0x64,", "none of which ends"),
    "a followed stream with text": (FOLLOWED_RAW.replace("\t620d", "\tzz0d"), "line 10 of a followed stream is no hex"),
    "a trace in characters": (
        "== Info:   Trying\n<= Recv header, 17 bytes (0x11)\n0000: HTTP/1.1 200 OK\n",
        "are dots: use curl --trace",
    ),
    "a trace of nothing": ("== Info:   Trying 127.0.0.1:18765...\n", "there is no body in it"),
}


@pytest.mark.parametrize("what", ERRORS)
def test_a_damaged_dump_is_refused_with_the_place_and_a_way_out(what):
    text, said = ERRORS[what]
    with pytest.raises(ArtefactError, match=said) as error:
        read_artefact(text.encode())
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("data: a\n\n", r"line 1: b't' is no hex digit; a hex dump is what xxd"),
        ("616", "half a byte"),
        ("  \n", "half a byte, or none"),
    ],
)
def test_what_is_said_to_be_hex_has_to_be(text, said):
    with pytest.raises(ArtefactError, match=said):
        read_artefact(text.encode(), format="hex")


def test_a_dump_without_bytes_is_refused():
    with pytest.raises(ArtefactError, match="no line has bytes"):
        read_dump(b"00000000\n")


def test_long_dumps_are_refused():
    for content in (b"0" * (DUMP_BYTES_MAX + 1), b"\n" * (DUMP_LINES_MAX + 1)):
        with pytest.raises(ArtefactError, match="more than 33,554,432 bytes or 1,048,576 lines: give the file itself"):
            read_dump(content)


@given(data=st.data())
def test_whatever_is_cut_out_of_a_sample_is_read_or_refused(data):
    text = data.draw(st.sampled_from(SOURCES), label="sample")
    start, stop = sorted(data.draw(st.lists(st.integers(0, len(text)), min_size=2, max_size=2), label="cut out"))
    rest = text[:start] + data.draw(st.sampled_from([b"", b" ", b"0", b"*", b"\n", b"\xff"])) + text[stop:]
    try:
        artefact = read_artefact(rest)
    except ArtefactError:
        return
    assert artefact.wire
    assert artefact.understood


SOURCES = [
    *(text.encode() for text, _ in SAMPLES.values()),
    *(text.encode() for text in REPEATS.values()),
    *(FOLLOWED_HEX.encode(), FOLLOWED_RAW.encode(), TRACE),
]


# there and back -------------------------------------------------------------------------------------------------------


def characters(content: bytes) -> str:
    return "".join(chr(byte) if 0x20 <= byte < 0x7F else "." for byte in content)


def rows(content: bytes, width: int = 16):
    return [(at, content[at : at + width]) for at in range(0, len(content), width)]


def xxd(content: bytes, group: int = 2) -> str:
    size = 32 + 16 // group - 1
    return "".join(f"{at:08x}: {row.hex(' ', -group):<{size}}  {characters(row)}\n" for at, row in rows(content))


def hexdump_c(content: bytes) -> str:
    lines = [
        f"{at:08x}  {row[:8].hex(' '):<23}  {row[8:].hex(' '):<23}  |{characters(row)}|" for at, row in rows(content)
    ]
    return starred(lines, 10) + f"{len(content):08x}\n"


def hexdump(content: bytes) -> str:
    lines = []
    for at, row in rows(content):
        padded = row + bytes(len(row) % 2)
        words = " ".join(f"{padded[n + 1]:02x}{padded[n]:02x}" for n in range(0, len(padded), 2))
        lines.append(f"{at:07x} {words:<39}")
    return starred(lines, 8) + f"{len(content):07x}\n"


def od(content: bytes) -> str:
    lines = [f"{at:06x} {row.hex(' '):<47}  >{characters(row)}<" for at, row in rows(content)]
    return starred(lines, 7) + f"{len(content):06x}\n"


def starred(lines: list[str], offset_width: int) -> str:
    """Full lines like the one before are one asterisk, as the tools do."""
    out: list[str] = []
    for before, line in zip([None, *lines], lines, strict=False):
        is_last = line is lines[-1]
        if before is None or is_last or line[offset_width:] != before[offset_width:]:
            out.append(line)
        elif out[-1] != "*":
            out.append("*")
    return "".join(f"{line}\n" for line in out)


def wireshark(content: bytes) -> str:
    return "".join(
        f"    {at:08X}  {row[:8].hex(' '):<23}  {row[8:].hex(' '):<23}  {characters(row[:8])} {characters(row[8:])}\n"
        for at, row in rows(content)
    )


CONTENT = st.binary(min_size=1, max_size=100) | st.builds(
    lambda start, row, times: start + row * times,
    st.binary(max_size=20),
    st.binary(min_size=1, max_size=2),
    st.integers(1, 200),
)


def test_the_writers_of_this_file_write_as_the_tools_do():
    assert (xxd(WIRE), hexdump_c(WIRE), hexdump(WIRE), od(WIRE)) == (XXD, HEXDUMP_C, HEXDUMP, OD_HEX)
    assert hexdump_c(bytes(100)) == REPEATS["hexdump -C"]


@pytest.mark.parametrize("write", [xxd, hexdump_c, hexdump, od, wireshark], ids=lambda write: write.__name__)
@given(content=CONTENT)
def test_any_bytes_come_back_from_a_dump(write, content):
    assert read_dump(write(content).encode()).whole == content


@given(content=CONTENT, width=st.integers(1, 40))
def test_any_bytes_come_back_from_plain_hex(content, width):
    lines = "\n".join(row.hex() for _, row in rows(content, width))
    pieces = read_hex(lines.encode())
    assert (pieces.whole, len(pieces.pieces)) == (content, 1)


@given(chunks=st.lists(st.binary(min_size=1, max_size=9), min_size=1, max_size=9))
def test_any_chunks_come_back_from_arrays(chunks):
    text = "".join(
        f"char peer1_{n}[] = {{ /* Packet {n} */\n{', '.join(f'0x{byte:02x}' for byte in chunk)} }};\n"
        for n, chunk in enumerate(chunks)
    )
    artefact = read_artefact(text.encode())
    assert artefact.wire == b"".join(chunks)
    assert len(artefact.cuts) == len(chunks) - 1


LONG = {
    "comments that do not end": b"char a[1]={1};" + b"/*a" * 300_000,
    "comments that end": b"char a[1]={1};" + b"/*/" * 300_000,
    "a comment that does not end, and lines of them": b"char a[1]={1};/*" + b"//a\n" * 300_000,
}


@pytest.mark.parametrize("what", LONG)
def test_arrays_with_many_comments_are_read(what):
    artefact = read_artefact(LONG[what])
    assert (artefact.wire, artefact.cuts) == (b"\x01", ())


@pytest.mark.parametrize("size", [b" " * 500_000, b" " * 250_000 + b"1" + b" " * 250_000, b"1" * 500_000])
def test_an_array_whose_brackets_do_not_close_is_refused(size):
    with pytest.raises(ArtefactError, match="none of which ends"):
        read_artefact(b"char a[" + size)
    assert read_artefact(b"char a[" + size + b"] = {1};").wire == b"\x01"


C_PARTS = [b"/*", b"*/", b"//", b"/", b"*", b"\n", b" "]


@given(parts=st.lists(st.sampled_from([*C_PARTS, b"array"]), max_size=20))
@example(parts=[b"/*", b"//", b"array"])
@example(parts=[b"/*", b"/", b"array", b"*/"])
@example(parts=[b"/*", b"*/", b"/", b"array"])
def test_what_stands_in_comments_is_no_array(parts):
    text = b"".join(b"char a[ 1 ] = {%d};" % at if part == b"array" else part for at, part in enumerate(parts))
    left = re.sub(rb"/\*.*?\*/|//[^\n]*", b"", text, flags=re.DOTALL)
    expected = [int(number) for number in re.findall(rb"\{(\d+)\}", left)]
    try:
        found = read_arrays(text).whole
    except ArtefactError:
        found = b""
    assert list(found) == expected
