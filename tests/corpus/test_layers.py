"""The layers of a stream are what the standard makes of it, and drawing them drives no terminal."""

from __future__ import annotations

import itertools
import random
import re

import pytest

from chunkproof.corpus.entry import EntryError
from chunkproof.corpus.layers import BYTES_MAX, layers
from chunkproof.oracle import interpret
from chunkproof.question import Question
from chunkproof_reports.layers import draw_layers
from chunkproof_reports.visible import cells
from chunkproof_strategies.chunkings import chunks_of, random_cuts_with_empty_chunks
from chunkproof_strategies.generator import RandomSource, generate
from chunkproof_targets.contract import Event
from chunkproof_targets.reference import ReferenceParser

COLOUR = re.compile(r"\x1b\[[0-9;]+m")


def drawn(question: Question, *, title: tuple[str, ...] = (), width: int = 100, colour: bool = False) -> list[str]:
    return list(draw_layers(title, layers(question), width=width, colour=colour))


def section(lines: list[str], name: str) -> list[str]:
    """The rows below the headline that begins so."""
    start = next(at for at, line in enumerate(lines) if line.startswith(f"{name}:"))
    return [line.strip() for line in itertools.takewhile(str.strip, lines[start + 1 :])]


# What they say --------------------------------------------------------------------------------------------------------


def assert_as_the_oracle_says(wire: bytes, cuts: tuple[int, ...]) -> None:
    found, outcome = layers(Question(wire, cuts)), interpret(wire)
    assert [(one.type, one.data, one.last_event_id) for one in found.events] == list(map(tuple, outcome.events)), wire
    assert (found.last_event_id, found.retries) == (outcome.last_event_id, outcome.retries), wire
    assert b"".join(wire[one.start : one.stop] for one in found.chunks) == wire
    assert [wire[one.start : one.stop] for one in found.chunks] == chunks_of(wire, cuts)


def test_events_of_2000_streams_are_those_of_the_oracle_and_due_when_the_reference_parser_delivers():
    source = RandomSource("cuts of layers")
    events = 0
    for stream in itertools.islice(generate("layers"), 2000):
        cuts = random_cuts_with_empty_chunks(source, len(stream.wire))
        assert_as_the_oracle_says(stream.wire, cuts)
        parser = ReferenceParser()
        fed = enumerate(chunks_of(stream.wire, cuts), 1)
        delivered = [number for number, chunk in fed for _ in parser.feed(chunk)]
        assert [one.chunk for one in layers(Question(stream.wire, cuts)).events] == delivered, (stream.wire, cuts)
        events += len(delivered)
    assert events > 2000


@pytest.mark.parametrize("seed", range(4))
def test_any_bytes_have_layers_that_agree_with_the_oracle(seed):
    rng = random.Random(seed)
    for _ in range(500):
        octets = rng.choices(b"data:id \n\r\n\r\xef\xbb\xbf\xe4\xbd\xa0\xf0\x9f\xed\xff\x00", k=rng.randrange(60))
        assert_as_the_oracle_says(b"data:" + bytes(octets) + b"\n\n", ())
        assert_as_the_oracle_says(bytes(octets), (0, len(octets)))


def test_ill_formed_sequences_are_as_many_as_replacement_characters_of_the_codec():
    rng = random.Random(0)
    for _ in range(3000):
        wire = rng.randbytes(rng.randrange(12)) + bytes(rng.choices(range(0x80, 0xF8), k=rng.randrange(8)))
        found = layers(Question(wire))
        text = wire.decode("utf-8", errors="replace")
        expected = text.count("\ufffd") - wire.count(b"\xef\xbf\xbd")
        assert sum(one.kind == "ill-formed" for one in found.characters) == expected, wire
        assert found.whole + expected == len(text), wire


def test_characters_that_are_cut_marks_and_ill_formed_sequences():
    wire = "\ufeffdata: 你好\ufeff".encode() + b"\xed\xa0\xf0\x9f\n"
    found = layers(Question(wire, (1, 3, 10, 10, 12, 15, 23)))
    assert [(one.start, one.stop, one.kind, one.cuts) for one in found.characters] == [
        (0, 3, "mark", (1,)),
        (9, 12, "whole", (10, 10)),
        (18, 19, "ill-formed", ()),
        (19, 20, "ill-formed", ()),
        (20, 22, "ill-formed", ()),
    ]


def test_lines_have_their_offsets_and_ends():
    found = layers(Question(b"\xef\xbb\xbf: c\r\nid\rdata: a\n\r\n\nx", (7, 22)))
    assert [(one.number, one.start, one.stop, one.text, one.end, one.end_is_cut) for one in found.lines] == [
        (1, 3, 8, ": c", "CR LF", True),
        (2, 8, 11, "id", "CR", False),
        (3, 11, 19, "data: a", "LF", False),
        (4, 19, 21, "", "CR LF", False),
        (5, 21, 22, "", "LF", False),
        (6, 22, 23, "x", "", False),
    ]


def test_fields_say_what_they_are_and_why_they_are_ignored():
    wire = "data: a\n:c\nfoo: b\n data: c\nDATA\nid: 1\0\nretry: ٣\nretry:\nretry: 05\nevent\n\n\n".encode()
    found = layers(Question(wire))
    assert [(one.line, one.kind, one.name, one.value, one.note) for one in found.fields] == [
        (1, "field", "data", "a", ""),
        (2, "comment", "", "c", ""),
        (3, "unknown", "foo", "b", ""),
        (4, "unknown", " data", "c", "not data: names are compared exactly"),
        (5, "unknown", "DATA", "", "not data: names are compared exactly"),
        (6, "ignored", "id", "1\0", "it holds U+0000"),
        (7, "ignored", "retry", "٣", "not only ASCII digits"),
        (8, "ignored", "retry", "", "empty: the standard leaves it open"),
        (9, "field", "retry", "05", ""),
        (10, "field", "event", "", "no colon: all of the line is the name"),
        (11, "blank", "", "", "dispatches event 1"),
        (12, "blank", "", "", "no data, no event"),
    ]
    assert found.retries == ("5",)


def test_an_event_knows_its_lines_and_the_chunk_it_is_due_with():
    found = layers(Question(b"id: 7\n: c\ndata: a\r\n\r\ndata: b\n\ndata: c\nid: 8\n", (20, 29)))
    first, second = found.events
    assert (first.type, first.data, first.last_event_id) == ("message", "a", "7")
    # The CR of its blank line is the last byte of the first chunk: the LF behind it is not waited for.
    assert (first.lines, first.blank, first.at, first.chunk) == ((1, 3), 4, 19, 1)
    assert (second.lines, second.blank, second.at, second.chunk) == ((5,), 6, 29, 3)
    assert found.discarded == (7, 8)
    assert found.last_event_id == "7"


def test_a_wire_that_is_too_long_is_refused_with_its_size():
    assert layers(Question(b"\n" * 1000)).events == ()
    with pytest.raises(EntryError, match=r"wire: it has 524,289 bytes, and 524,288 are the most"):
        layers(Question(b"a" * BYTES_MAX, before=(b"b",)))


# How they are drawn ---------------------------------------------------------------------------------------------------


def test_all_sections_are_drawn():
    wire = "data: 你\r\nid: 1\nretry: 5\n\r\nid: 2\nda".encode()
    assert drawn(Question(wire, (7, 10), (b"data: old\n\n",)), title=("an-id: a title",)) == [
        "an-id: a title",
        "",
        "before it, 1 of 1: 11 bytes in 1 chunk",
        "    data: old␊",
        "    ␊",
        "",
        "wire: 36 bytes in 3 chunks",
        r"    data: \xE4|\xBD\xA0␍|␊   (你 cut)",
        "    id: 1␊",
        "    retry: 5␊",
        "    ␍␊",
        "    id: 2␊",
        "    da",
        "",
        "bytes: 36 bytes in 3 chunks",
        r"  00000000  64 61 74 61 3a 20 e4|bd   data: \xE4|\xBD",
        r"  00000008  a0 0d|0a 69 64 3a 20 31   \xA0␍|␊id: 1",
        "  00000010  0a 72 65 74 72 79 3a 20   ␊retry: ",
        "  00000018  35 0a 0d 0a 69 64 3a 20   5␊␍␊id: ",
        "  00000020  32 0a 64 61               2␊da",
        "",
        "characters: 34 characters, 0 ill-formed sequences, 1 cut",
        "         6  E4|BD A0       你, cut at 7",
        "",
        "lines: 5 lines and one that has no end",
        "      1  at 0       data: 你␍␊   its end is cut",
        "      2  at 11      id: 1␊",
        "      3  at 17      retry: 5␊",
        "      4  at 26      ␍␊",
        "      5  at 28      id: 2␊",
        "      -  at 34      da   no line end: unfinished, thrown away",
        "",
        "fields: 4 fields, 1 blank line",
        '      1  data = "你"',
        '      2  id = "1"',
        '      3  retry = "5"',
        "      4  blank line   dispatches event 1",
        '      5  id = "2"',
        "",
        "events: 1 event",
        '  message "你" id "1"',
        "      of lines 1-3, dispatched by blank line 4, due with byte 26 in chunk 3 of 3",
        "  discarded: line 5, with no blank line behind",
        '  at the end: last event ID "1"',
        "  reconnection times in ms, in order: 5",
    ]


def test_empty_chunks_are_bars_and_many_are_counted():
    rows = section(drawn(Question(b"data: a\n\n", (0, 4, 4, 9, 9, 9, 9))), "bytes")
    assert rows == ["00000000 |64 61 74 61||3a 20 61 0a  |data||: a␊", "00000008  0a|×4                     ␊|"]


def test_the_empty_wire_has_as_many_chunks_as_cuts():
    lines = drawn(Question(b"", (0, 0)))
    assert "bytes: 0 bytes in 2 chunks" in lines
    assert "events: 0 events" in lines


@pytest.mark.parametrize("width", [40, 100, 160])
def test_long_streams_are_elided_and_say_how_much(width):
    wire = b"".join(b"data: %d\n\n" % number for number in range(500)) + b"id: " + b"x" * 5000 + b"\n\n"
    lines = drawn(Question(wire), width=width)
    assert len(lines) < 220
    assert section(lines, "events")[24] == "… 476 events …"
    assert "… 978 lines …" in section(lines, "lines")
    size = 16 if width == 160 else 8
    assert f"… {-(-len(wire) // size) - 24:,} rows …" in section(lines, "bytes")
    if width > 40:
        assert f'at the end: last event ID "{"x" * (width // 2)}… {5000 - width // 2:,} more"' in lines[-1]


@pytest.mark.parametrize("colour", [False, True])
@pytest.mark.parametrize("width", [1, 60, 121])
def test_nothing_of_a_stream_drives_the_terminal_and_no_line_is_wider_than_asked(width, colour):
    rng = random.Random(width)
    bad = "\x1b[31m\x9b2J\u202e\u2066\u200f\x07\b\x7f\u2028\ufeff\0 | \\ 你👩‍👩‍👧é́"
    for _ in range(60):
        body = bad.encode() + bytes(rng.choices(b"\xff\xf0\x9f\x1b|\\: a\n\r", k=rng.randrange(40)))
        wire = b"event:" + body + b"\ndata:" + body + b"\nid:x" + body.replace(b"\0", b"") + b"\n\n" + body + b":x\n"
        cuts = tuple(sorted(rng.choices(range(len(wire) + 1), k=rng.randrange(20))))
        for line in drawn(Question(wire, cuts, (wire,)), title=(f"a {bad}", bad), width=width, colour=colour):
            plain = COLOUR.sub("", line) if colour else line
            assert plain.isprintable(), ascii(plain)
            # The note that a character is cut stands behind a row of the wire, as in a report of a failure.
            assert cells(plain.partition("   (")[0]) <= max(width, 40), plain


def test_colour_changes_nothing_but_colour():
    question = Question("data: 你\xff\nretry: x\n\n: c\ndata".encode(), (7, 9, 9))
    coloured = drawn(question, title=("t",), colour=True)
    assert [COLOUR.sub("", line) for line in coloured] == drawn(question, title=("t",))
    assert coloured[0] == "\x1b[1mt\x1b[0m"


def test_the_events_of_the_layers_are_plain_events():
    (event,) = layers(Question(b"event: x\ndata: a\ndata: b\nid: 1\n\n")).events
    assert Event(event.type, event.data, event.last_event_id) == Event("x", "a\nb", "1")
