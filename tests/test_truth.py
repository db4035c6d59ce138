"""Truth three times: the oracle, what the grammar meant, and the reference parser say the same of every stream.

The oracle is also held to expectations written by hand, one for each clause, and the tables of ill-formed UTF-8 to a
small decoder of this file that follows Unicode's table 3-7 and shares nothing with CPython's.
"""

from __future__ import annotations

import itertools
import random

import pytest

from chunkproof.oracle import interpret
from chunkproof.rules import RULES, Rule
from chunkproof_strategies import values
from chunkproof_strategies.chunkings import (
    Cuts,
    bytewise,
    chunks_of,
    random_cuts,
    random_cuts_with_empty_chunks,
    sore_cuts,
    sore_points,
)
from chunkproof_strategies.generator import RandomSource, generate
from chunkproof_strategies.grammar import FEATURES, Draft, Stream
from chunkproof_targets.contract import Event, Outcome
from chunkproof_targets.reference import ReferenceParser

# A run of the reference parser, by hand -------------------------------------------------------------------------------

Seen = tuple[tuple[Event, ...], str, tuple[str, ...]]


def reference(wire: bytes, cuts: Cuts) -> Seen:
    parser = ReferenceParser()
    events = [event for chunk in chunks_of(wire, cuts) for event in parser.feed(chunk)]
    events += parser.close()
    return tuple(events), parser.last_event_id, tuple(parser.retries)


def seen_of(outcome: Outcome) -> Seen:
    return outcome.events, outcome.last_event_id, outcome.retries


def assert_truth(stream: Stream, source: RandomSource) -> None:
    """Oracle, grammar and reference, the latter whole, bytewise, and on three plans, one with empty chunks."""
    wire = stream.wire
    outcome = interpret(wire)
    assert outcome == stream.outcome, wire
    assert_reference(wire, outcome, source)


def assert_reference(wire: bytes, outcome: Outcome, source: RandomSource) -> None:
    expected = seen_of(outcome)
    length = len(wire)
    for cuts in (
        (),
        bytewise(wire),
        random_cuts(source, length),
        random_cuts_with_empty_chunks(source, length),
        sore_cuts(source, sore_points(wire)),
    ):
        assert reference(wire, cuts) == expected, (wire, cuts)


# Generated streams ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(25))
def test_grammar_oracle_and_reference_agree_on_100_000_streams(seed):
    source = RandomSource(f"cuts {seed}")
    for stream in itertools.islice(generate(f"truth {seed}"), 4000):
        assert_truth(stream, source)


@pytest.mark.parametrize("feature", sorted(FEATURES))
def test_each_feature_by_itself_has_one_truth(feature):
    source = RandomSource(f"cuts {feature}")
    for stream in itertools.islice(generate(f"truth {feature}", features=frozenset({feature})), 400):
        assert_truth(stream, source)


def written(rule: Rule, source: RandomSource, *, json_only: bool = False) -> tuple[Stream, bool]:
    """A stream of the rule, and whether the draft knows what it means."""
    draft = _Watched(source, json_only=json_only)
    rule.write(draft)
    return draft.finish(), not draft.used_raw


class _Watched(Draft):
    used_raw = False

    def raw(self, wire: bytes) -> None:
        self.used_raw = True
        super().raw(wire)


#: Rules that say nothing of what some of their streams mean: the oracle's word alone counts there.
UNKNOWN_TO_THE_DRAFT = {"bytes/truncated-mark", "bytes/utf16-mark-is-no-mark", "whole/any-bytes-never-stop-a-parser"}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_each_rule_writes_what_it_means(rule):
    source = RandomSource(f"truth of {rule.id}")
    bytes_left, known = 120_000, 0
    for _ in range(2000):
        stream, meant = written(rule, source)
        outcome = interpret(stream.wire)
        if meant:
            known += 1
            assert outcome == stream.outcome, stream.wire
        if len(stream.wire) < 2000:
            assert_reference(stream.wire, outcome, source)
        else:
            assert reference(stream.wire, ()) == seen_of(outcome)
        bytes_left -= len(stream.wire)
        if bytes_left < 0:
            break
    assert bool(known) == (rule.id not in UNKNOWN_TO_THE_DRAFT)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_each_rule_writes_what_it_means_in_json_too(rule):
    source = RandomSource(f"truth of {rule.id} in JSON")
    bytes_left = 40_000
    for _ in range(400):
        stream, meant = written(rule, source, json_only=True)
        assert not meant or interpret(stream.wire) == stream.outcome, stream.wire
        bytes_left -= len(stream.wire)
        if bytes_left < 0:
            break


@pytest.mark.parametrize(
    "rule",
    [rule for rule in RULES if "retry" not in rule.ignores and rule.severity != "info"],
    ids=lambda rule: rule.id,
)
def test_no_rule_asks_about_the_empty_retry_that_the_standard_leaves_open(rule):
    source = RandomSource(f"retry in {rule.id}")
    bytes_left = 60_000
    for _ in range(500):
        stream, _ = written(rule, source)
        for wire in rule.wires(stream.wire):
            lines = wire.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")[:-1]
            assert not {b"retry", b"retry:", b"retry: "} & set(lines), wire
            bytes_left -= len(wire)
        if bytes_left < 0:
            break


# Every short string ---------------------------------------------------------------------------------------------------

#: What lines, fields and characters are made of, whole and in parts.
SHARP = (
    b"data", b"event", b"id", b"retry", b":", b" ", b"\n", b"\r", b"\r\n", b"a", b"0", b"5", b"\0", b"\t",
    b"\xef\xbb\xbf", b"\xef", b"\xbb", b"\xbf", "你".encode(), b"\xe4", b"\xf0\x9f", b"\x99", b"\xff",
    "\u2028".encode(),
)  # fmt: skip


def test_the_sharp_alphabet_has_no_token_twice():
    assert len(set(SHARP)) == len(SHARP) == 24


@pytest.mark.parametrize("first", SHARP, ids=lambda token: token.hex())
def test_every_string_of_up_to_four_sharp_tokens(first):
    for length in range(4):
        for others in itertools.product(SHARP, repeat=length):
            wire = first + b"".join(others)
            expected = seen_of(interpret(wire))
            assert reference(wire, ()) == expected, wire
            assert reference(wire, bytewise(wire)) == expected, wire


def test_every_string_of_three_sharp_tokens_within_a_stream():
    for tokens in itertools.product(SHARP, repeat=3):
        wire = b"id: 1\ndata: x" + b"".join(tokens) + b"\n\ndata\n\n"
        expected = seen_of(interpret(wire))
        assert reference(wire, ()) == expected, wire
        assert reference(wire, bytewise(wire)) == expected, wire


def test_the_empty_wire():
    assert interpret(b"") == Outcome(())
    assert reference(b"", ()) == reference(b"", (0,)) == seen_of(Outcome(()))


# Anything at all ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_random_bytes_have_an_outcome_and_the_reference_agrees(seed):
    rng, source = random.Random(seed), RandomSource(seed)
    for _ in range(4000):
        wire = rng.randbytes(rng.randrange(40))
        assert_reference(wire, interpret(wire), source)
        # The same among fields, where it can do more than be an unknown name.
        wire = b"data:" + wire + b"\n\nid:" + wire[:8] + b"\rretry: " + wire[:1] + b"\r\n\n"
        assert_reference(wire, interpret(wire), source)


@pytest.mark.parametrize("count", [1, 20, 4300, 4301, 10_000, 100_000])
def test_no_number_is_too_long(count):
    zeros = b"0" * 500
    wire = b"retry: " + zeros + b"9" * count + b"\ndata: a\n\n"
    assert interpret(wire).retries == ("9" * count,)
    assert reference(wire, ()) == seen_of(interpret(wire))


# Clause by clause, by hand --------------------------------------------------------------------------------------------

M = "message"

CLAUSES: dict[str, tuple[bytes, list[tuple[str, str, str]], str, tuple[str, ...]]] = {
    # name: wire, events as (type, data, last event ID), last event ID at the end, reconnection times
    # 9.2.5: from bytes to lines
    "one mark at the start is removed": (b"\xef\xbb\xbfdata: a\n\n", [(M, "a", "")], "", ()),
    "a second mark is text": (b"\xef\xbb\xbf\xef\xbb\xbfdata: a\n\ndata: b\n\n", [(M, "b", "")], "", ()),
    "a mark at a later line is text": (b"data: a\n\n\xef\xbb\xbfdata: b\n\n", [(M, "a", "")], "", ()),
    "a mark in a value is text": (b"data: \xef\xbb\xbfa\n\n", [(M, "\ufeffa", "")], "", ()),
    "EF alone is no mark": (b"\xefdata: a\n\ndata: b\n\n", [(M, "b", "")], "", ()),
    "EF BB alone is no mark": (b"\xef\xbbdata: a\n\ndata: b\n\n", [(M, "b", "")], "", ()),
    "only a mark": (b"\xef\xbb\xbf", [], "", ()),
    "FF FE is no mark": (b"\xff\xfedata: a\n\ndata: b\n\n", [(M, "b", "")], "", ()),
    "nothing is normalised": ("data: e\u0301\u00e9\ufb01\n\n".encode(), [(M, "e\u0301\u00e9\ufb01", "")], "", ()),
    "noncharacters pass": ("data: \uffff\ufdd0\U0010ffff\n\n".encode(), [(M, "\uffff\ufdd0\U0010ffff", "")], "", ()),
    "F0 9F before LF gives one": (b"data: \xf0\x9f\n\n", [(M, "\ufffd", "")], "", ()),
    "ED A0 80 gives three": (b"data: \xed\xa0\x80\n\n", [(M, "\ufffd" * 3, "")], "", ()),
    "C0 80 gives two": (b"data: \xc0\x80\n\n", [(M, "\ufffd" * 2, "")], "", ()),
    "cut short at the end": (b"data: a\n\ndata: \xe4\xbd", [(M, "a", "")], "", ()),
    "LF": (b"data: a\n\n", [(M, "a", "")], "", ()),
    "CR": (b"data: a\r\r", [(M, "a", "")], "", ()),
    "CRLF": (b"data: a\r\n\r\n", [(M, "a", "")], "", ()),
    "a CRLF is one end": (b"data: a\r\ndata: b\r\n\r\n", [(M, "a\nb", "")], "", ()),
    "CR LF and then LF is a blank line": (b"data: a\r\n\n", [(M, "a", "")], "", ()),
    "LF CR is a blank line": (b"data: a\n\r", [(M, "a", "")], "", ()),
    "LF CRLF is one blank line": (b"data: a\n\r\ndata: b\n\n", [(M, "a", ""), (M, "b", "")], "", ()),
    "CR CR LF is one blank line": (b"data: a\r\r\ndata: b\n\n", [(M, "a", ""), (M, "b", "")], "", ()),
    "an LF later than a CR ends a line": (b"data: a\r:\n\ndata: b\n\n", [(M, "a", ""), (M, "b", "")], "", ()),
    "other separators are text": (
        "data: a\x0bb\x0cc\x1cd\x1de\x1ef\x85g\u2028h\u2029i\n\n".encode(),
        [(M, "a\x0bb\x0cc\x1cd\x1de\x1ef\x85g\u2028h\u2029i", "")],
        "",
        (),
    ),
    "an unfinished line is no line": (b"data: a\ndata: b\n\ndata: c", [(M, "a\nb", "")], "", ()),
    "no line end at all": (b"data: a", [], "", ()),
    # 9.2.6: lines to fields
    "a comment": (b":x\n: data: y\n:\ndata: a\n:data: z\ndata: b\n\n", [(M, "a\nb", "")], "", ()),
    "one space is removed": (b"data: a\ndata:b\ndata:  c\n\n", [(M, "a\nb\n c", "")], "", ()),
    "a tab is kept": (b"data:\ta\ndata: \tb\n\n", [(M, "\ta\n\tb", "")], "", ()),
    "trailing blanks are kept": (b"data: a \n\n", [(M, "a ", "")], "", ()),
    "the first colon ends the name": (b"data:a:b\ndata::c\ndata: :d\n\n", [(M, "a:b\n:c\n:d", "")], "", ()),
    "no colon": (b"data\nevent\nid\n\n", [(M, "", "")], "", ()),
    "names are exact": (b"Data: a\n data: b\ndata : c\ndatas: d\nDATA: e\n\n", [], "", ()),
    "a line of a blank is not blank": (b"data: a\n \ndata: b\n\n", [(M, "a\nb", "")], "", ()),
    "unknown fields": (b"foo: a\nbar\ndata: a\n\n", [(M, "a", "")], "", ()),
    # 9.2.6: the fields
    "a type": (b"event: ping\ndata: a\n\ndata: b\n\n", [("ping", "a", ""), (M, "b", "")], "", ()),
    "an empty type": (b"event: ping\nevent:\ndata: a\n\n", [(M, "a", "")], "", ()),
    "the last type": (b"event: x\ndata: a\nevent: y\n\n", [("y", "a", "")], "", ()),
    "empty data lines": (b"data\ndata: a\ndata:\ndata: \n\n", [(M, "\na\n\n", "")], "", ()),
    "two empty data lines": (b"data\ndata\n\n", [(M, "\n", "")], "", ()),
    "an id stays": (b"id: 1\ndata: a\n\ndata: b\n\n", [(M, "a", "1"), (M, "b", "1")], "1", ()),
    "an id behind data": (b"data: a\nid: 1\n\n", [(M, "a", "1")], "1", ()),
    "an id is reset": (b"id: 1\ndata: a\n\nid:\ndata: b\n\n", [(M, "a", "1"), (M, "b", "")], "", ()),
    "an id without a colon": (b"id: 1\ndata: a\n\nid\ndata: b\n\n", [(M, "a", "1"), (M, "b", "")], "", ()),
    "an id with NUL": (b"id: 1\ndata: a\n\nid: 2\0\ndata: b\n\n", [(M, "a", "1"), (M, "b", "1")], "1", ()),
    "an id with NUL behind another": (b"id: 1\nid: \0\ndata: a\n\n", [(M, "a", "1")], "1", ()),
    "an id is not trimmed": (b"id:  1 \ndata: a\n\n", [(M, "a", " 1 ")], " 1 ", ()),
    "NUL is text elsewhere": (b"event: \0\ndata: \0\nda\0ta: b\n\n", [("\0", "\0", "")], "", ()),
    "retry": (b"retry: 10\n\nretry:5\ndata: a\n\n", [(M, "a", "")], "", ("10", "5")),
    "retry with leading zeros": (b"retry: 05\nretry: 00\nretry: 0\n", [], "", ("5", "0", "0")),
    "retry that is none": (
        "retry: 5 \nretry: +5\nretry: -5\nretry: 1_\nretry: 5.\nretry: 1e3\nretry: ٣\nretry: ５\nretry: ²\n\n".encode(),
        [],
        "",
        (),
    ),
    "retry with two spaces": (b"retry:  5\n\n", [], "", ()),
    "retry with NUL": (b"retry: 5\0\n\n", [], "", ()),
    "a wrong retry leaves the earlier": (b"retry: 5\nretry: x\n\n", [], "", ("5",)),
    "retry of an unfinished block": (b"data: a\nretry: 7\n", [], "", ("7",)),
    "retry in an unfinished line": (b"data: a\n\nretry: 7", [(M, "a", "")], "", ()),
    # 9.2.6: dispatch
    "no data, no event": (b"event: x\n\ndata: a\n\n", [(M, "a", "")], "", ()),
    "an id without data counts": (b"id: 1\n\ndata: a\n\n", [(M, "a", "1")], "1", ()),
    "an id alone counts": (b"id: 1\n\n", [], "1", ()),
    "empty data is an event": (b"data:\n\n", [(M, "", "")], "", ()),
    "blank lines in a row": (b"\n\n\ndata: a\n\n\n\ndata: b\n\n", [(M, "a", ""), (M, "b", "")], "", ()),
    "only one LF is removed": (b"data: a\ndata:\n\n", [(M, "a\n", "")], "", ()),
    "the data is reset": (b"data: a\n\ndata: b\n\n", [(M, "a", ""), (M, "b", "")], "", ()),
    # 9.2.6: the end
    "an unfinished block is discarded": (b"data: a\n\nid: 1\nevent: x\ndata: b\n", [(M, "a", "")], "", ()),
    "an unfinished id does not count": (b"id: 1\n\nid: 2\n", [], "1", ()),
    "[DONE] is text": (b"data: [DONE]\n\ndata: a\n\n", [(M, "[DONE]", ""), (M, "a", "")], "", ()),
}  # fmt: skip


@pytest.mark.parametrize("clause", CLAUSES)
def test_oracle_by_hand(clause):
    wire, events, last_event_id, retries = CLAUSES[clause]
    outcome = interpret(wire)
    assert [tuple(event) for event in outcome.events] == events
    assert (outcome.last_event_id, outcome.retries) == (last_event_id, retries)


def test_event_retries_are_those_of_the_block_and_those_in_force():
    wire = b"data: a\n\nretry: 5\n\ndata: b\n\nretry: x\nretry: 7\nretry: 08\ndata: c\n\nretry\ndata: d\n\nretry: 9\n"
    assert interpret(wire).event_retries == ((None, None), (None, "5"), ("8", "8"), (None, "8"))


# Ill-formed UTF-8, by Unicode's table ---------------------------------------------------------------------------------

#: Table 3-7 of the Unicode Standard: first byte, then the ranges of those that follow.
TABLE_3_7 = (
    ((0x00, 0x7F),),
    ((0xC2, 0xDF), (0x80, 0xBF)),
    ((0xE0, 0xE0), (0xA0, 0xBF), (0x80, 0xBF)),
    ((0xE1, 0xEC), (0x80, 0xBF), (0x80, 0xBF)),
    ((0xED, 0xED), (0x80, 0x9F), (0x80, 0xBF)),
    ((0xEE, 0xEF), (0x80, 0xBF), (0x80, 0xBF)),
    ((0xF0, 0xF0), (0x90, 0xBF), (0x80, 0xBF), (0x80, 0xBF)),
    ((0xF1, 0xF3), (0x80, 0xBF), (0x80, 0xBF), (0x80, 0xBF)),
    ((0xF4, 0xF4), (0x80, 0x8F), (0x80, 0xBF), (0x80, 0xBF)),
)


def fitting(wire: bytes, at: int) -> tuple[int, bool]:
    """How many bytes from here are the start of a row of the table, and whether they are all of it."""
    for row in TABLE_3_7:
        if at < len(wire) and row[0][0] <= wire[at] <= row[0][1]:
            size = 0
            for low, high in row:
                if at + size >= len(wire) or not low <= wire[at + size] <= high:
                    return size, False
                size += 1
            return size, True
    return 0, False


def by_the_table(wire: bytes) -> str:
    """Each maximal subpart of an ill-formed sequence becomes one U+FFFD (Unicode 3.9, D93b)."""
    text: list[str] = []
    at = 0
    while at < len(wire):
        size, whole = fitting(wire, at)
        if whole:
            lead = wire[at] if size == 1 else wire[at] & (0x7F >> size)
            for byte in wire[at + 1 : at + size]:
                lead = lead << 6 | byte & 0x3F
            text.append(chr(lead))
        else:
            text.append("\ufffd")
        at += max(size, 1)
    return "".join(text)


def test_the_table_decodes_every_character():
    for number in (*range(0x1000), *range(0x1000, 0xD800, 7), 0xD7FF, 0xE000, *range(0xE000, 0x110000, 61), 0x10FFFF):
        assert by_the_table(chr(number).encode()) == chr(number)


@pytest.mark.parametrize("raw", values.ILL_FORMED, ids=lambda raw: raw.wire.hex())
def test_ill_formed_values_are_what_the_table_says(raw):
    assert by_the_table(raw.wire) == raw.text
    assert "\ufffd" in raw.text
    # What may stand beside it in the grammar does not change it.
    for before, behind in itertools.product(("", "a", "你"), ("", "b", "你")):
        assert by_the_table(before.encode() + raw.wire + behind.encode()) == before + raw.text + behind


@pytest.mark.parametrize("raw", values.TRUNCATED, ids=lambda raw: raw.wire.hex())
def test_truncated_values_are_the_start_of_a_character(raw):
    size, whole = fitting(raw.wire, 0)
    assert size == len(raw.wire)
    assert not whole
    assert raw.text == "\ufffd"


def test_truncated_holds_every_such_value_of_the_ill_formed():
    starts = [raw for raw in values.ILL_FORMED if fitting(raw.wire, 0) == (len(raw.wire), False)]
    assert starts == list(values.TRUNCATED)


def test_oracle_decodes_as_the_table_does():
    rng = random.Random("table")
    sharp = bytes((0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE4, 0xEC, 0xED, 0xEE,
                   0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xF8, 0xFE, 0xFF))  # fmt: skip
    for _ in range(40_000):
        wire = bytes(rng.choices(sharp, k=rng.randrange(1, 8)))
        (event,) = interpret(b"data: " + wire + b"\n\n").events
        assert event.data == by_the_table(wire), wire


def test_oracle_decodes_every_pair_of_bytes_as_the_table_does():
    for pair in itertools.product(range(256), repeat=2):
        wire = bytes(pair)
        if b"\n" not in wire and b"\r" not in wire:
            (event,) = interpret(b"data: " + wire + b"\n\n").events
            assert event.data == by_the_table(wire), wire


# The other tables of values -------------------------------------------------------------------------------------------


def test_wrong_retries_are_wrong_and_right_ones_right():
    for value in values.WRONG_RETRIES:
        assert value, "the empty value is left open"
        assert not (value.isascii() and value.isdigit()), value
        assert interpret(f"retry: {value}\n".encode()).retries == ()
    for value in (*values.RETRIES, *values.LONG_RETRIES):
        assert interpret(f"retry: {value}\n".encode()).retries == (value.lstrip("0") or "0",)


def test_near_names_are_no_names():
    for name in values.NEAR_NAMES:
        for wire in (f"data: a\n{name}: x\n\n", f"data: a\n{name}\n\n"):
            assert interpret(wire.encode()) == interpret(b"data: a\n\n"), name


def test_no_table_of_text_holds_a_line_end_or_what_utf_8_cannot_hold():
    tables = (values.WORDS, values.TEXTS, values.ZWJ_SEQUENCES, values.SEPARATORS, values.UNNORMALISED, values.TRAPS,
              values.NONCHARACTERS, values.PAYLOADS, values.NEAR_NAMES, values.WRONG_RETRIES,
              values.ALPHABET)  # fmt: skip
    for table in tables:
        # The payloads hold the end mark twice, as often as servers send it.
        assert len(set(table)) == len(table) or table is values.PAYLOADS
        for text in table:
            assert text
            assert not {"\r", "\n"} & set(text), text
            assert text.encode().decode() == text
