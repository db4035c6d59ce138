"""The figures of the three articles, each with its exact value."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator

import pytest

from chunkproof.oracle import interpret
from chunkproof_targets.published import fetch_loop, parser_a, parser_b, parser_c, parser_d, strict_reader

Parser = Callable[[Iterable[bytes]], Iterator[str]]

START = '{"type":"message_start"}'
FIRST = '{"type":"content_block_delta","delta":{"text":"流式"}}'
SECOND = '{"type":"content_block_delta","delta":{"text":"输出"}}'
STOP = '{"type":"message_stop"}'
DONE = "[DONE]"
RIGHT = [START, FIRST, SECOND, STOP, DONE]

STREAM = (
    f"event: message_start\ndata: {START}\n\ndata: {FIRST}\n\n: ping\n\n"
    f"data: {SECOND}\n\ndata: {STOP}\n\ndata: {DONE}\n\n"
).encode()
MIXED_ENDS = 'data: {"n":1}\r\n\r\ndata: 中文\r\n\r\ndata: {"n":3}\n\n'.encode()
COMMENTS = ": keep-alive\n\n: 心跳\n\ndata: 一条真实事件\n\n: ping\n\ndata: [DONE]\n\n".encode()
TWO_DATA_LINES = "data: 第一行\ndata: 第二行\n\ndata: 单行\n\n".encode()
STRICT = ": keepalive\r\ndata: 你好🙂\r\ndata: 第二行\r\n\r\ndata: 完成\n\n".encode()
STRICT_RIGHT = ["你好🙂\n第二行", "完成"]

PARSERS = [parser_a, parser_b, parser_c, parser_d, strict_reader, fetch_loop]


def pieces(wire: bytes, size: int) -> list[bytes]:
    return [wire[i : i + size] for i in range(0, len(wire), size)]


def bytewise(wire: bytes) -> list[bytes]:
    return pieces(wire, 1)


def data_by_standard(wire: bytes) -> list[str]:
    return [str(event.data) for event in interpret(wire).events]


def valid_json(texts: Iterable[str]) -> int:
    count = 0
    for text in texts:
        try:
            json.loads(text)
        except ValueError:
            continue
        count += 1
    return count


# 1. Four parsers on one stream ---------------------------------------------------------------------


def test_stream_has_234_bytes_and_no_cr() -> None:
    assert len(STREAM) == 234
    assert b"\r" not in STREAM


def test_stream_has_five_events_by_the_standard_four_of_them_json() -> None:
    assert data_by_standard(STREAM) == RIGHT
    assert [event.type for event in interpret(STREAM).events] == ["message_start", *["message"] * 4]
    assert valid_json(RIGHT) == 4


@pytest.mark.parametrize(("size", "chunks"), [(1, 234), (3, 78), (7, 34)])
def test_number_of_chunks(size: int, chunks: int) -> None:
    assert len(pieces(STREAM, size)) == chunks


@pytest.mark.parametrize("size", [1, 3])
def test_a_gives_nothing_and_no_error(size: int) -> None:
    assert list(parser_a(pieces(STREAM, size))) == []


def test_a_in_sevens_gives_two_events_of_cut_json() -> None:
    events = list(parser_a(pieces(STREAM, 7)))
    assert len(events) == 2
    assert valid_json(events) == 0
    assert all(any(text.startswith(event) for text in RIGHT) for event in events)


def test_a_is_right_on_one_chunk() -> None:
    assert list(parser_a([STREAM])) == RIGHT


@pytest.mark.parametrize("size", [1, 3, 7])
@pytest.mark.parametrize("parser", [parser_b, parser_d])
def test_b_and_d_are_right_in_every_size(parser: Parser, size: int) -> None:
    assert list(parser(pieces(STREAM, size))) == RIGHT


C_TEXTS = {
    1: ("\ufffd" * 6, "\ufffd" * 6),
    # A chunk's end falls twice inside each text; four marks stand for its six bytes.
    3: ("\ufffd" * 4, "\ufffd" * 4),
    7: ("流式", "输" + "\ufffd" * 3),
}


@pytest.mark.parametrize("size", [1, 3, 7])
def test_c_gives_five_events_with_damaged_text(size: int) -> None:
    first, second = C_TEXTS[size]
    damaged = [START, FIRST.replace("流式", first), SECOND.replace("输出", second), STOP, DONE]
    assert list(parser_c(pieces(STREAM, size))) == damaged


@pytest.mark.parametrize(("size", "second", "third"), [(1, 6, 6), (3, 4, 4), (7, 0, 3)])
def test_c_number_of_replacement_characters(size: int, second: int, third: int) -> None:
    counts = [event.count("\ufffd") for event in parser_c(pieces(STREAM, size))]
    assert counts == [0, second, third, 0, 0]


@pytest.mark.parametrize("size", [1, 3, 7])
@pytest.mark.parametrize("parser", [parser_b, parser_c, parser_d])
def test_four_events_hold_valid_json_even_where_text_is_damaged(parser: Parser, size: int) -> None:
    assert valid_json(parser(pieces(STREAM, size))) == 4


@pytest.mark.parametrize("size", [1, 3, 7])
def test_a_gives_no_valid_json(size: int) -> None:
    assert valid_json(parser_a(pieces(STREAM, size))) == 0


def test_mixed_ends_bytewise() -> None:
    assert len(MIXED_ENDS) == 48
    right = ['{"n":1}', "中文", '{"n":3}']
    assert data_by_standard(MIXED_ENDS) == right
    assert list(parser_a(bytewise(MIXED_ENDS))) == []
    assert list(parser_b(bytewise(MIXED_ENDS))) == right
    assert list(parser_d(bytewise(MIXED_ENDS))) == right


def test_comments_bytewise() -> None:
    right = ["一条真实事件", DONE]
    assert data_by_standard(COMMENTS) == right
    assert list(parser_b(bytewise(COMMENTS))) == right
    assert list(parser_d(bytewise(COMMENTS))) == right


def test_two_data_lines_bytewise() -> None:
    assert data_by_standard(TWO_DATA_LINES) == ["第一行\n第二行", "单行"]
    assert list(parser_b(bytewise(TWO_DATA_LINES))) == ["第一行", "第二行", "单行"]
    assert list(parser_d(bytewise(TWO_DATA_LINES))) == ["第一行\n第二行", "单行"]


def test_d_keeps_to_what_its_author_put_in_scope() -> None:
    assert list(parser_d([b"event: x\nid: 7\nretry: 5\ndata: a\n\n"])) == ["a"]
    assert list(parser_d([b"data: unfinished\n"])) == []
    # A bare CR is no line end to it, and a character cut short at the end is dropped without a mark.
    assert list(parser_d([b"data: a\rdata: b\n\n"])) == ["a\rdata: b"]
    assert list(parser_d([b"data: a\n\ndata: \xe4"])) == ["a"]


# 2. The strict diagnostic reader -------------------------------------------------------------------


def test_strict_wire_by_the_standard() -> None:
    assert data_by_standard(STRICT) == STRICT_RIGHT


def test_strict_reader_at_every_two_piece_split() -> None:
    for cut in range(len(STRICT) + 1):
        assert list(strict_reader([STRICT[:cut], STRICT[cut:]])) == STRICT_RIGHT, f"cut at {cut}"


def test_strict_reader_bytewise() -> None:
    assert list(strict_reader(bytewise(STRICT))) == STRICT_RIGHT


def test_strict_reader_drops_an_unfinished_event() -> None:
    assert list(strict_reader([b"data: unfinished\n"])) == []


def test_strict_reader_removes_one_blank_only() -> None:
    assert list(strict_reader([b"data:  leading\n\n"])) == [" leading"]


def test_strict_reader_raises_on_a_truncated_character_at_the_end() -> None:
    with pytest.raises(UnicodeDecodeError, match="unexpected end of data"):
        list(strict_reader([b"data: \xe4"]))


def test_strict_reader_raises_on_an_ill_formed_sequence_after_the_events_before_it() -> None:
    reader = strict_reader([b"data: a\n\n", b"data: \xff\n\n"])
    assert next(reader) == "a"
    with pytest.raises(UnicodeDecodeError, match="invalid start byte"):
        next(reader)


def test_decoding_bytewise_with_replacement_does_not_give_the_text_back() -> None:
    text = STRICT.decode()
    assert "".join(chunk.decode(errors="replace") for chunk in bytewise(STRICT)) != text
    assert "".join(chunk.decode(errors="replace") for chunk in [STRICT]) == text


# 3. The fetch loop ---------------------------------------------------------------------------------


def test_fetch_loop_ends_at_done() -> None:
    assert list(fetch_loop(bytewise(b"data: 1\n\ndata:2\n\ndata: [DONE]\n\ndata: 3\n\n"))) == ["1", "2"]


def test_fetch_loop_keeps_its_decoder_and_the_last_piece_over_chunks() -> None:
    assert list(fetch_loop(bytewise('data: "流式🙂"\n\ndata: "rest"\n'.encode()))) == ['"流式🙂"']


def test_fetch_loop_on_the_first_stream_hands_other_fields_and_comments_to_the_json_parser() -> None:
    for size in (1, 3, 7, 234):
        assert list(fetch_loop(pieces(STREAM, size))) == [
            f"event: message_start\ndata: {START}",
            FIRST,
            ": ping",
            SECOND,
            STOP,
        ]


@pytest.mark.parametrize(
    ("wire", "payloads"),
    [
        (b"data: a\r\n\r\ndata: b\r\n\r\n", []),  # CRLF: no LF LF in it
        (b"data: a\r\rdata: b\r\r", []),  # CR
        (b": ping\n\n", [": ping"]),  # a comment
        (b"data: a\nid: 1\n\n", ["a\nid: 1"]),  # another field
        (b"data: a\ndata: b\n\n", ["a\ndata: b"]),  # several data lines
        (b"data:\n\n", [""]),  # `data:` with nothing, which JSON.parse refuses
    ],
)
def test_what_the_fetch_loop_gets_wrong(wire: bytes, payloads: list[str]) -> None:
    assert list(fetch_loop([wire])) == payloads


# All of them ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("parser", PARSERS)
def test_events_come_out_before_the_next_chunk_is_taken(parser: Parser) -> None:
    taken: list[bytes] = []

    def source() -> Iterator[bytes]:
        for chunk in (b"data: 1\n\n", b"data: 2\n\n"):
            taken.append(chunk)
            yield chunk

    reader = parser(source())
    assert taken == []
    assert next(reader) == "1"
    assert len(taken) == 1
    assert list(reader) == ["2"]


@pytest.mark.parametrize("parser", PARSERS)
def test_empty_chunks_and_no_chunks_change_nothing(parser: Parser) -> None:
    assert list(parser([])) == []
    assert list(parser([b"", b""])) == []
    assert list(parser([b"", b"data: 1\n\n", b""])) == ["1"]


@pytest.mark.parametrize("parser", [parser_b, parser_c, parser_d])
def test_one_mark_at_the_start_is_removed_as_a_text_decoder_does(parser: Parser) -> None:
    assert list(parser([b"\xef\xbb\xbfdata: 1\n\n"])) == ["1"]


def test_strict_reader_keeps_the_mark() -> None:
    assert list(strict_reader([b"\xef\xbb\xbfdata: 1\n\ndata: 2\n\n"])) == ["2"]
