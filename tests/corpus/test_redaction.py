"""What is left of a stream without its text: its structure, its failure, and none of its characters."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from chunkproof.corpus.characters import SERIES, STAND_INS, replacement
from chunkproof.corpus.redaction import RedactionError, redact, redact_case
from chunkproof.diagnosis.seen import predict
from chunkproof.diagnosis.telling import telling_cases
from chunkproof.oracle import interpret
from chunkproof.question import Question
from chunkproof_strategies.strategies import streams
from chunkproof_strategies.values import ILL_FORMED, PAYLOADS, SEPARATORS, TEXTS, TRAPS, ZWJ_SEQUENCES
from chunkproof_targets.deviations import CATALOGUE, Deviation
from chunkproof_targets.deviations.compose import DeviatingTarget
from chunkproof_targets.reference import ReferenceParser

TARGET = DeviatingTarget(ReferenceParser)

CHAT = (
    '\ufeffevent: delta\r\nid: msg_07\nretry: 0300\n: ping 5\nuser: Jane\n'
    'data: {"choices":[{"delta":{"content":"\\u4f60好 \\ud83d\\ude00\\n"},"n":-0.5e10}],"ok":true}\n\ndata: [DONE]\n\n'
).encode() + b"data: Gr\xc3\xbc\xc3\x9fe \xe4\xbd \xff\r\r"  # fmt: skip
CHAT_REDACTED = (
    '\ufeffevent: zzzzz\r\nid: zzz_11\nretry: 0999\n: zzzz 1\nzzzz: Zzzz\n'
    'data: {"zzzzzzz":[{"zzzzz":{"zzzzzzy":"\\u4e2d中 \\ud83d\\ude42\\n"},"z":-1.1e11}],"zz":true}\n\ndata: [DONE]\n\n'
).encode() + b"data: Zz\xc3\xa9\xc3\xa9z \xe4\xbd \xff\r\r"  # fmt: skip


# Characters -----------------------------------------------------------------------------------------------------------


@given(st.characters(exclude_categories=["Cs"]))
def test_a_character_becomes_one_of_as_many_bytes_that_becomes_itself(char):
    assert len(replacement(char).encode()) == len(char.encode())
    assert replacement(replacement(char)) == replacement(char)


@given(st.characters(categories=["L", "N", "M", "S", "P", "Co"], min_codepoint=0x80))
def test_what_is_no_ascii_becomes_one_of_few(char):
    assert replacement(char) in STAND_INS | {"\ufffd"}


@pytest.mark.parametrize(
    ("chars", "stands"),
    [
        ("abz", "z"), ("AQZ", "Z"), ("0189", "1"), ("éüß", "é"), ("你好中", "中"), ("こん", "あ"), ("カナ", "ア"),
        ("한국", "한"), ("🙂👨💻", "🙂"), ("\u0301\u0300", "\u0301"), ("ΩΣ", "Ω"), ("жд", "ж"), ("עב", "א"),
        ("🇨🇳", "🇿"), ("\U000e0041\U000e0062", "\U000e0061"), ("\ue000\uf000", "\ue000"),
    ],
)  # fmt: skip
def test_one_character_stands_for_a_class(chars, stands):
    assert {replacement(char) for char in chars} == {stands}


@pytest.mark.parametrize(
    "text", [*SEPARATORS, "\0", "\t", " ", ":", "{", "\\", "<", "\ufeff", "\ufffd", "\uffff", "\u200d"]
)
def test_what_parsers_trip_over_stays(text):
    assert replacement(text) == text


def test_a_series_is_of_one_class_and_holds_no_character_twice():
    for stands, series in SERIES.items():
        assert series[0] == stands
        assert {replacement(char) for char in series} == {stands}
        assert len(set(series)) == len(series)


# Streams --------------------------------------------------------------------------------------------------------------


def test_a_stream_of_a_language_model():
    redacted = redact(CHAT)
    assert redacted.wire.decode("utf-8", "replace") == CHAT_REDACTED.decode("utf-8", "replace")
    assert redacted.kept == (
        "field names: data, event, id, retry",
        "line ends: 8 LF, 1 CRLF, 2 CR",
        "the byte order mark",
        "JSON structure in 1 value",
        "2 ill-formed sequences",
        "punctuation",
        "the word [DONE] (1)",
    )


@pytest.mark.parametrize(
    ("value", "redacted"),
    [
        (rb'{"a":1,"b":2,"a":3}', rb'{"z":1,"y":1,"z":1}'),
        (rb'{"ab":{"cd":0},"cd":[]}', rb'{"zz":{"zy":1},"zy":[]}'),
        (rb'[-0.25e-07, 10, 0, 1E9, true, false, null]', rb'[-1.11e-11, 11, 1, 1E1, true, false, null]'),
        (rb'"\u0041\u00E9\u4F60\ud83d\ude00\ud83d\"\\\n"', rb'"\u005A\u00E9\u4E2D\uD83D\uDE42\uD83D\"\\\n"'),
        (rb'{"\u4f60":1,"\u597d":2}', rb'{"\u4e2d":1,"\u4e2d":1}'),
        ('{"你":1,"好":2}'.encode(), '{"中":1,"一":1}'.encode()),
        # No JSON: all of it is text.
        (rb'{"a":tru', rb'{"z":zzz'),
        (rb'{"a":01}', rb'{"z":11}'),
        (rb'[NaN]', rb'[ZzZ]'),
        (rb'a\nb', rb'z\zz'),
        (b"[" * 100_000, b"[" * 100_000),
        (b"9" * 5000, b"1" * 5000),
    ],
    ids=str,
)  # fmt: skip
def test_a_value_that_is_json_keeps_its_structure(value, redacted):
    assert redact(b"data:" + value + b"\n\n").wire == b"data:" + redacted + b"\n\n"


def test_json_over_several_data_lines_is_one_text():
    redacted = redact(b'data: {"key":\r\ndata: true, "two":\ndata:"a\\u0041"}\n\ndata: true,\n\n')
    assert redacted.wire == b'data: {"zzz":\r\ndata: true, "zzy":\ndata:"z\\u005a"}\n\ndata: zzzz,\n\n'
    assert "JSON structure in 1 value" in redacted.kept


def test_each_line_of_a_block_may_be_json_of_its_own():
    assert redact(b'data: {"a":true}\ndata: {"a":false}\n\n').wire == b'data: {"z":true}\ndata: {"z":false}\n\n'


@pytest.mark.parametrize(
    ("value", "redacted"),
    [("0", "0"), ("05", "09"), ("3000", "9999"), ("5 ", "1 "), ("+5", "+1"), ("1e3", "1z1"), ("٣", "٣"), ("", "")],
)
def test_a_time_keeps_its_digits_and_whether_it_is_one(value, redacted):
    wire = redact(f"retry: {value}\n".encode()).wire
    assert wire == f"retry: {redacted}\n".encode()
    assert len(interpret(wire).retries) == len(interpret(f"retry: {value}\n".encode()).retries)


def test_words_to_keep_stay_wherever_they_are():
    redacted = redact(b"data: error 500\nerror: x\n: an error\n\n", keep=["error", "50", "not there"])
    assert redacted.wire == b"data: error 501\nerror: z\n: zz error\n\n"
    assert redacted.kept[-2:] == ("the word error (3)", "the word 50 (1)")


def test_an_empty_word_to_keep_is_refused():
    with pytest.raises(RedactionError, match="'' is no word"):
        redact(b"data: a\n\n", keep=[""])


def test_no_name_becomes_one_of_a_field_by_words_that_are_kept():
    assert redact(b"dxtx: a\n\n", keep=["d", "t"]).wire == b"dztz: z\n\n"


# By property ----------------------------------------------------------------------------------------------------------

PIECES = st.sampled_from(
    [
        *(b"data: ", b"data:", b"data", b"event: ", b"id:", b"retry: ", b": ", b"datas: ", b"Data: ", b"x: ", b" "),
        *(b"\n", b"\r", b"\r\n", b"\n\n", b"\xef\xbb\xbf", b"\0", b"05", b"12", b"0"),
        *(text.encode() for text in (*TEXTS, *TRAPS, *PAYLOADS, *SEPARATORS, *ZWJ_SEQUENCES)),
        *(raw.wire for raw in ILL_FORMED),
        *(b'{"a":', b'"x\\u4f60"', b"}", b"-1.5e3", b'"\\ud83d\\ude00\\ud83d"', b"true", b"[", b"]", b","),
    ]
)  # fmt: skip
WIRES = st.one_of(
    streams().map(lambda stream: stream.wire),
    st.lists(PIECES, max_size=14).map(b"".join),
    st.binary(max_size=24),
)

LINE_ENDS = re.compile(rb"\r\n|\r|\n")
#: What is left by and by of the original where it is no class's: for a wire, what each character is.
KEPT = re.compile(r"\[DONE\]")


def characters(wire: bytes) -> str:
    return wire.decode("utf-8", "surrogateescape")


@given(WIRES)
@example(CHAT)
@settings(max_examples=300, deadline=None)
def test_the_structure_stays(wire):
    redacted = redact(wire).wire
    assert len(redacted) == len(wire)
    # Lines end where they did, so that cuts stay where they were among them.
    assert [found.span() for found in LINE_ENDS.finditer(redacted)] == [
        found.span() for found in LINE_ENDS.finditer(wire)
    ]
    before, after = characters(wire), characters(redacted)
    assert [len(char.encode("utf-8", "surrogateescape")) for char in after] == [
        len(char.encode("utf-8", "surrogateescape")) for char in before
    ]
    # Ill-formed bytes are the same, and in the same places.
    assert [(at, char) for at, char in enumerate(after) if "\udc80" <= char <= "\udcff"] == [
        (at, char) for at, char in enumerate(before) if "\udc80" <= char <= "\udcff"
    ]
    assert redact(redacted).wire == redacted


@given(WIRES)
@example(CHAT)
@settings(max_examples=300, deadline=None)
def test_the_same_events_come_of_it(wire):
    one, other = interpret(wire), interpret(redact(wire).wire)
    assert [len(event.data.encode()) for event in other.events] == [len(event.data.encode()) for event in one.events]
    assert [len(event.type.encode()) for event in other.events] == [len(event.type.encode()) for event in one.events]
    assert [len(event.last_event_id.encode()) for event in other.events] == [
        len(event.last_event_id.encode()) for event in one.events
    ]
    assert [len(digits) for digits in other.retries] == [len(digits) for digits in one.retries]


@given(WIRES)
@example(CHAT)
@settings(max_examples=300, deadline=None)
def test_every_character_of_content_is_the_one_of_its_class(wire):
    before, after = characters(wire), characters(redact(wire).wire)
    for start, line in lines_of(before):
        name, colon, value = line.partition(":")
        known = name in ("data", "event", "id", "retry")
        content = start + len(name + colon) if known else start
        if name == "data" and ("{" in value or '"' in value or "[" in value or literal(value)):
            continue  # JSON is another test's
        for at in range(content, start + len(line)):
            if not any(found.start() <= at < found.end() for found in KEPT.finditer(before)):
                allowed = {replacement(before[at])}
                if name == "retry" and before[at] in "0123456789":
                    allowed = {"0", "9", "1"}
                assert after[at] in allowed, (at, line)
        if known:
            assert after[start:content] == before[start:content]


def lines_of(text: str) -> list[tuple[int, str]]:
    start = 1 if text.startswith("\ufeff") else 0
    found = []
    for part in re.split("(\r\n|\r|\n)", text[start:]):
        if part not in ("\r\n", "\r", "\n"):
            found.append((start, part))
        start += len(part)
    return found


def literal(value: str) -> bool:
    return any(word in value for word in ("true", "false", "null", "e", "E"))


JSON_TEXT = st.text(st.sampled_from('aB7é你こ🙂 \n"\\\u2028\0<'), max_size=6)
JSON_VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-(10**9), 10**9), st.floats(allow_nan=False, allow_infinity=False))
    | JSON_TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(JSON_TEXT, inner, max_size=3),
    max_leaves=8,
)


@given(JSON_VALUES, st.booleans())
@settings(deadline=None)
def test_json_stays_json_of_the_same_shape(value, ascii_only):
    text = json.dumps(value, ensure_ascii=ascii_only)
    redacted = redact(f"data: {text}\n\n".encode()).wire.decode()
    assert shape(pairs_of(redacted[len("data: ") : -2])) == shape(pairs_of(text))


def pairs_of(text: str) -> object:
    return json.loads(text, object_pairs_hook=lambda pairs: ("object", pairs))


def shape(value: object) -> object:
    if isinstance(value, tuple):
        return [(shape(name), shape(inner)) for name, inner in value[1]]
    if isinstance(value, list):
        return ["list", *map(shape, value)]
    if isinstance(value, str):
        # A character of a string is of the same class as it was, whether it is escaped or not.
        return [replacement(char) for char in value]
    if isinstance(value, bool) or value is None:
        return value
    return type(value).__name__


@given(WIRES, st.randoms(use_true_random=False))
@settings(max_examples=200, deadline=None)
def test_streams_of_the_same_classes_become_the_same(wire, random):
    # Letters and digits outside of names, JSON and `[DONE]` are exchanged at random within their class.
    text = characters(wire)
    if any(mark in text for mark in '{}[]"\\') or any(literal(line) for _, line in lines_of(text)):
        text = re.sub(r'[{}\[\]"\\eE]|true|false|null', ".", text)
    chars = list(text)
    for start, line in lines_of(text):
        name, colon, _ = line.partition(":")
        if name not in ("data", "event", "id"):
            continue
        for at in range(start + len(name + colon), start + len(line)):
            if chars[at] in "abcdxyz":
                chars[at] = random.choice("abcdxyz")
            elif chars[at] in "12345":
                chars[at] = random.choice("12345")
            elif chars[at] in "你好流式输出":
                chars[at] = random.choice("你好流式输出")
    other = "".join(chars)
    assert redact(other.encode("utf-8", "surrogateescape")).wire == redact(text.encode("utf-8", "surrogateescape")).wire


# With the failure kept ------------------------------------------------------------------------------------------------


def shows(deviation: Deviation) -> Callable[[Question], bool]:
    return lambda question: not predict(TARGET, question, (deviation,)).agrees(predict(TARGET, question, ()))


def deviation_of(name: str) -> Deviation:
    return next(one for one in CATALOGUE if one.name == name)


def test_a_failure_that_needs_no_text_keeps_none():
    question = Question("event: greeting\ndata: Hi, 你好\n\ndata: x\n\n".encode(), (27, 30), (b"data: before\n\n",))
    redacted, kept = redact_case(question, shows(deviation_of("event-type-leaks")))
    assert redacted.wire == "event: zzzzzzzz\ndata: Zz, 中中\n\ndata: z\n\n".encode()
    assert redacted.before == (b"data: zzzzzz\n\n",)
    assert redacted.cuts == (27, 30)
    assert kept == ("field names: data, event", "line ends: 7 LF", "punctuation")


def test_no_more_is_kept_than_it_takes():
    def fails(question: Question) -> bool:
        return b"7" in question.wire and b"Bob" in question.wire

    question = Question(b"event: Alice\ndata: Bob and Carol have 17\n\nid: 42\ndata: Bobby\n\n")
    redacted, kept = redact_case(question, fails)
    assert redacted.wire == b"event: Zzzzz\ndata: Bob zzz Zzzzz zzzz 17\n\nid: 11\ndata: Zzzzz\n\n"
    assert kept[-1] == "words kept for the failure to stay: Bob, 7"


def test_ids_are_told_apart_before_any_is_kept():
    def fails(question: Question) -> bool:
        ids = [event.last_event_id for event in interpret(question.wire).events]
        return ids[0] != ids[1] and ids[0] == ids[2]

    question = Question(b"id: 73\ndata: a\n\nid: 95\ndata: b\n\nid: 73\ndata: c\n\n")
    redacted, kept = redact_case(question, fails)
    assert redacted.wire == b"id: 11\ndata: z\n\nid: 12\ndata: z\n\nid: 11\ndata: z\n\n"
    assert kept[-1] == "which event types and IDs are the same"


def test_types_are_kept_before_other_words():
    def fails(question: Question) -> bool:
        return b"ping" in question.wire

    question = Question(b": ping\n\nevent: ping\ndata: ping\n\n")
    redacted, kept = redact_case(question, fails)
    assert redacted.wire == b": zzzz\n\nevent: ping\ndata: zzzz\n\n"
    assert kept[-1] == "words kept for the failure to stay: ping"


def test_types_and_ids_may_have_to_be_kept_together():
    def fails(question: Question) -> bool:
        return b"done" in question.wire and b"q7" in question.wire

    redacted, kept = redact_case(Question(b"id: q7\nevent: done\ndata: done q7\n\nid: 8\n"), fails)
    assert redacted.wire == b"id: q7\nevent: done\ndata: zzzz z1\n\nid: 1\n"
    assert kept[-1] == "words kept for the failure to stay: q7, done"


def test_words_to_keep_are_kept_in_a_case():
    redacted, kept = redact_case(Question(b"data: Bob said no\n\n"), lambda question: True, keep=["said"])
    assert redacted.wire == b"data: Zzz said zz\n\n"
    assert kept[-1] == "the word said (1)"


def test_a_failure_that_takes_all_of_the_text_is_refused_with_the_way_out():
    question = Question(b"data: secret 9\n\n")
    with pytest.raises(RedactionError, match=r"goes away .* --keep WORD, or all of it by --no-redact") as refused:
        redact_case(question, lambda one: one == question)
    assert "\n" not in str(refused.value)


def test_a_field_name_that_is_almost_one_is_no_secret():
    redacted, kept = redact_case(Question(b"data \n\n"), shows(deviation_of("field-name-trimmed")))
    assert redacted.wire == b"data \n\n"
    assert kept[-1] == "words kept for the failure to stay: data"


def test_a_stream_that_does_not_fail_is_refused():
    with pytest.raises(RedactionError, match="does not fail as it is"):
        redact_case(Question(b"data: a\n\n"), lambda question: False)


def test_what_is_kept_drives_no_terminal():
    question = Question("data: ab\u0301c\n\n".encode())
    _, kept = redact_case(question, lambda one: "b\u0301".encode() in one.wire)
    assert kept[-1].isascii()
    assert kept[-1] == "words kept for the failure to stay: b"


def test_the_search_for_what_must_stay_has_an_end():
    tries = 0

    def fails(question: Question) -> bool:
        nonlocal tries
        tries += 1
        return question.wire.count(b"q") >= 200 and b"S" in question.wire

    question = Question(b"data: " + b"q w " * 300 + b"S\n\n")
    redacted, _ = redact_case(question, fails)
    assert fails(redacted)
    assert tries < 700


def cases() -> list[tuple[Deviation, Question]]:
    """For each deviation the smallest stream of the table on which it shows, with a text around it."""
    found: dict[Deviation, Question] = {}
    for question, shown in telling_cases().items():
        for deviation in shown:
            if question.size < 500:
                found.setdefault(deviation, question)
    return list(found.items())


def test_what_deviations_show_shows_still_or_is_refused():
    looked_at, refused = 0, []
    for deviation, question in cases():
        fails = shows(deviation)
        looked_at += 1
        try:
            redacted, _ = redact_case(question, fails)
        except RedactionError:
            refused.append(deviation.name)
            continue
        assert fails(redacted), deviation.name
        assert redacted.cuts == question.cuts
        assert list(map(len, (redacted.wire, *redacted.before))) == list(map(len, (question.wire, *question.before)))
    assert looked_at > 380
    # Streams of one word that is the point of them.
    assert len(refused) < looked_at // 20, refused


def test_with_a_text_around_it_no_failure_needs_all_of_it():
    # A block of text at the end, which most faults leave alone: it must go whatever else has to stay.
    text = b"data: Bob has 99 of " + "你好".encode() + b"\n\n"
    looked_at = 0
    for deviation, question in cases():
        wire = question.wire + b"\n\n" + text
        longer = Question(wire, question.cuts, question.before)
        if not shows(deviation)(longer):
            continue
        looked_at += 1
        redacted, _ = redact_case(longer, shows(deviation))
        assert shows(deviation)(redacted), deviation.name
        assert b"Bob" not in redacted.wire, deviation.name
        assert "你好".encode() not in redacted.wire, deviation.name
    assert looked_at > 300
