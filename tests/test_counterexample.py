"""Tokens: each counterexample goes in and comes out, stays short, and nothing damaged or hostile gets through."""

from __future__ import annotations

import base64
import random
import re
import tracemalloc
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkproof.counterexample import (
    PREFIX,
    TOKEN_LENGTH_MAX,
    WIRE_BYTES_MAX,
    Case,
    TokenError,
    decode_token,
    encode_token,
)
from chunkproof.rules import RULES
from chunkproof_strategies.chunkings import bytewise

WIRES = st.binary(max_size=60) | st.binary(max_size=3).map(lambda part: part * 200)


@st.composite
def cut_wires(draw):
    wire = draw(WIRES)
    return wire, tuple(sorted(draw(st.lists(st.integers(0, len(wire)), max_size=10))))


CASES = st.builds(
    Case,
    rule=st.sampled_from([rule.id for rule in RULES]) | st.text(max_size=30, alphabet=st.characters(codec="utf-8")),
    takes=st.sampled_from(["bytes", "text", "lines"]),
    streams=st.lists(cut_wires(), min_size=1, max_size=16).map(tuple),
)


@given(CASES)
def test_a_case_goes_in_and_comes_out(case):
    assert decode_token(encode_token(case)) == case


@given(CASES)
def test_tokens_are_safe_in_a_shell_and_in_a_url(case):
    assert re.fullmatch(r"cp1\.[A-Za-z0-9_-]+", encode_token(case))


@given(CASES)
def test_the_same_case_has_the_same_token(case):
    assert encode_token(case) == encode_token(Case(case.rule, case.takes, tuple(case.streams)))


def test_a_token_of_this_release_stays_readable():
    # Written by release 0.1. If this fails, old bug reports can no longer be replayed: a new form needs a new prefix.
    token = "cp1.AB5ieXRlcy90aHJlZS1ieXRlLWNoYXJhY3Rlci1jdXQAAQtkYXRhOiDkvaAKCgEH"
    assert decode_token(token) == GOOD


def case_of(rule: str, wire: bytes, *cuts: int, before: tuple[bytes, ...] = ()) -> Case:
    return Case(rule, "bytes", (*((earlier, ()) for earlier in before), (wire, cuts)))


TYPICAL = {
    "a character cut": case_of("bytes/three-byte-character-cut", "data: 你\n\n".encode(), 7),
    "CRLF cut": case_of("lines/crlf-cut", b"data: a\r\n\r\n", 8),
    "no colon": case_of("fields/data-without-colon", b"data\n\n"),
    "a run before": case_of("whole/a-second-run-sees-nothing-of-the-first", b"data: a\n\n", before=(b"data: left\n",)),
}


GOOD = TYPICAL["a character cut"]


@pytest.mark.parametrize(
    ("name", "length"), [("a character cut", 68), ("CRLF cut", 47), ("no colon", 54), ("a run before", 100)]
)
def test_small_counterexamples_have_short_tokens(name, length):
    # Most of it is the id of the rule: in base64url, 4 characters for 3 of its own.
    assert len(encode_token(TYPICAL[name])) == length


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_the_token_of_any_rule_fits_a_line(rule):
    assert len(encode_token(case_of(rule.id, b"data: 0123456\n\n", 7))) <= 100


def test_a_long_wire_that_repeats_fits_a_command_line():
    wire = b"data: a\n\n" * 7000
    assert len(encode_token(case_of("size/chunks-beyond-64-kib", wire))) < TOKEN_LENGTH_MAX
    assert decode_token(encode_token(case_of("x", wire, *bytewise(wire)))).streams[0][1] == bytewise(wire)


# What is pasted -------------------------------------------------------------------------------------------------------


def test_line_breaks_and_blanks_in_a_pasted_token_are_fine():
    token = encode_token(GOOD)
    broken = "\n".join(token[at : at + 20] for at in range(0, len(token), 20))
    for pasted in (broken, broken.replace("\n", "\r\n  "), f"  {token}\n", "\t".join(token), token.replace(".", ". ")):
        assert decode_token(pasted) == GOOD


def test_padding_is_fine():
    token = encode_token(GOOD)
    assert decode_token(token + "=" * (-len(token[4:]) % 4)) == GOOD


def refused(token: str) -> str:
    with pytest.raises(TokenError) as caught:
        decode_token(token)
    text = str(caught.value)
    assert len(text) < 300
    return text


@pytest.mark.parametrize("token", ["", "x", "cp", "cp2.AAAA", "CP1.AAAA", "AAAA", "cp1", "chunkproof replay cp1.AAAA"])
def test_what_does_not_start_as_a_token_is_refused(token):
    assert "is no token: one starts with 'cp1.'; copy the whole last line" in refused(token)


@pytest.mark.parametrize("token", ["cp1.A", "cp1.AA!A", "cp1.AAA*", "cp1.AA.A", "cp1.你好", "cp1.AA=A", "cp1.\0\0\0\0"])
def test_what_is_not_base64url_is_refused(token):
    assert "is damaged" in refused(token)


def test_every_token_cut_short_is_refused():
    for case in (*TYPICAL.values(), case_of("x", b"data: a\n\n" * 100, 5)):
        token = encode_token(case)
        for length in range(len(token)):
            assert refused(token[:length])


@pytest.mark.parametrize("name", TYPICAL)
def test_damage_gives_another_case_or_a_token_error_and_nothing_else(name):
    rng, token = random.Random(name), encode_token(TYPICAL[name])
    for _ in range(2000):
        changed = list(token)
        for _ in range(rng.randrange(1, 4)):
            changed[rng.randrange(len(changed))] = rng.choice("AQZaz09-_=+/. \n")
        _decoded_or_refused("".join(changed))


def _decoded_or_refused(token: str) -> None:
    try:
        case = decode_token(token)
    except TokenError:
        return
    for wire, cuts in case.streams:
        assert list(cuts) == sorted(cuts)
        assert all(0 <= at <= len(wire) for at in cuts)


def token_of(body: bytes, packing: int = 0) -> str:
    return PREFIX + base64.urlsafe_b64encode(bytes([packing]) + body).decode().rstrip("=")


@given(st.binary(max_size=60), st.sampled_from([0, 1]))
def test_any_bytes_at_all_give_a_case_or_a_token_error(body, packing):
    _decoded_or_refused(token_of(zlib.compress(body) if packing else body, packing))


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "out of range"),
        (b"\xff\xff\xff\xff\x0fabc", "a count over"),
        (b"\x05ab", "a length over its own"),
        (b"\x80" * 40, "a count over"),
        (b"\x01\xff\x00\x01\x00\x00", "codec can't decode"),
        (b"\x01a\x07\x01\x00\x00", "out of range"),
        (b"\x01a\x00\x00", "no stream in it"),
        (b"\x01a\x00\x11" + b"\x00\x00" * 17, "a count over 16"),
        (b"\x01a\x00\x01\x02ab\x01\x03", "a count over 2"),
        (b"\x01a\x00\x01\x02ab\x02\x02\x01", "a cut outside the wire"),
        (b"\x01a\x00\x01\x02ab\x7f\x00", "a count over"),
        (b"\x01a\x00\x01\x02ab\x00more", "bytes behind its end"),
    ],
)
def test_what_claims_more_than_it_has_is_refused(body, reason):
    assert re.search(f"is damaged: it ends too early or is not what was written .*({reason})", refused(token_of(body)))


def test_an_unknown_packing_is_refused():
    assert "unknown packing (2): it may come from a later release" in refused(token_of(b"abc", 2))


def test_a_bomb_is_refused_before_it_unpacks():
    pack = zlib.compressobj(9)
    bomb = b"".join(pack.compress(bytes(2**20)) for _ in range(2 * WIRE_BYTES_MAX // 2**20)) + pack.flush()
    assert len(bomb) < 200_000
    tracemalloc.start()
    text = refused(token_of(bomb, 1))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert f"unpacks to more than {WIRE_BYTES_MAX:,} bytes" in text
    assert peak < 3 * WIRE_BYTES_MAX


def test_a_packed_token_that_is_cut_short_or_changed_is_refused():
    token = encode_token(case_of("x", b"data: abcdef\n\n" * 50))
    content = bytearray(base64.urlsafe_b64decode(token[4:] + "=" * (-len(token[4:]) % 4)))
    assert content[0] == 1
    assert "cut short" in refused(token_of(bytes(content[1:-3]), 1))
    content[-1] ^= 1
    assert "is damaged" in refused(token_of(bytes(content[1:]), 1))
