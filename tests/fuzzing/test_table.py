"""Inputs of an engine as streams: the table of tokens and the raw form, there and back."""

from __future__ import annotations

import hashlib
from random import Random

import pytest

from chunkproof.corpus.store import own_corpus
from chunkproof.oracle import interpret
from chunkproof_strategies.chunkings import bytewise
from chunkproof_strategies.table import (
    CUT,
    EACH,
    RAW_CUT,
    RAW_EACH,
    TOKENS,
    VERSION,
    decode,
    decode_raw,
    encode,
    encode_raw,
)

#: Of each version of the table: what an engine has kept under it must mean the same for ever.
DIGESTS = {1: "be418996a75699278d556ea4a106b3093c3914b4f5370728c8ed26dedab741c5"}

BOTH = pytest.mark.parametrize(
    ("decoded", "encoded"), [(decode, encode), (decode_raw, encode_raw)], ids=["table", "raw"]
)


def number(token: bytes) -> bytes:
    """The byte of a token."""
    return bytes([TOKENS.index(token)])


def inputs(count: int, *often: int) -> list[bytes]:
    """Inputs as an engine may come to them: any bytes, some of them often."""
    random = Random(1)
    return [
        bytes([random.choice((*often, random.randrange(256))) for _ in range(random.randrange(32))])
        for _ in range(count)
    ]


def test_the_table_does_not_change_without_its_version():
    assert hashlib.sha256(repr(TOKENS).encode()).hexdigest() == DIGESTS[VERSION]


def test_each_byte_is_another_token():
    assert len(TOKENS) == len(set(TOKENS)) + 1 == 256
    assert [at for at, token in enumerate(TOKENS) if not token] == [CUT, EACH]


def test_tokens_are_joined_and_cuts_stand_between_them():
    cut = bytes([CUT])
    data, end = number(b"data: "), number(b"\n\n")
    assert decode(data + number(b"a") + end) == (b"data: a\n\n", ())
    assert decode(data + cut + number(b"a") + cut + end) == (b"data: a\n\n", (6, 7))
    assert decode(b"") == (b"", ())


def test_two_cuts_in_a_row_are_an_empty_chunk():
    assert decode(number(b"a") + bytes([CUT, CUT]) + number(b"b")) == (b"ab", (1, 1))
    assert decode(bytes([CUT]) + number(b"a") + bytes([CUT])) == (b"a", (0, 1))
    assert decode(bytes([CUT, CUT])) == (b"", (0, 0))


def test_behind_one_byte_each_byte_of_the_wire_is_a_chunk():
    each = bytes([EACH])
    assert decode(each + number("你".encode())) == ("你".encode(), (1, 2))
    assert decode(number(b"data: ") + each + number(b"\r\n")) == (b"data: \r\n", (6, 7))
    assert decode(number(b"a") + bytes([CUT]) + each + number(b"b")) == (b"ab", (1, 1))
    # Once is enough, and no chunk behind it is empty.
    assert decode(each + each + bytes([CUT, CUT]) + number(b"id")) == (b"id", (1,))


def test_raw_bytes_stand_for_themselves():
    assert decode_raw(b"\xff\xfedata:\0\r\n") == (b"\xff\xfedata:\0\r\n", ())
    assert decode_raw(b"a" + bytes([RAW_CUT, RAW_CUT]) + b"b") == (b"ab", (1, 1))
    assert decode_raw(b"ab" + bytes([RAW_EACH]) + b"cd") == (b"abcd", (2, 3))


def test_the_raw_form_takes_nothing_away():
    # Wherever they stand, its two bytes are read as those are that stay: one U+FFFD each.
    for taken in (RAW_CUT, RAW_EACH):
        for before in (b"", b"\xe4\xbd", b"\xf0\x9f", b"\xf4"):
            wires = [b"data: " + before + bytes([value]) + b"\x80\xbf\n\n" for value in (taken, 0xFA, 0xFF)]
            assert len({interpret(wire) for wire in wires}) == 1


@BOTH
def test_any_bytes_are_a_stream_and_each_stream_that_is_decoded_can_be_encoded(decoded, encoded):
    for data in inputs(2_000, CUT, EACH, RAW_CUT, RAW_EACH):
        wire, cuts = decoded(data)
        assert list(cuts) == sorted(cuts)
        assert all(0 <= at <= len(wire) for at in cuts)
        again = encoded(wire, cuts)
        assert again is not None, (wire, cuts)
        assert decoded(again) == (wire, cuts)


def test_a_stream_is_encoded_in_few_tokens():
    assert encode(b"data: a\n\n", ()) == number(b"data: a\n\n")
    tokens = (number(b"dat"), bytes([CUT]), number(b"a"), number(b": a\n"), number(b"\n"))
    assert encode(b"data: a\n\n", (3,)) == b"".join(tokens)
    assert encode(b"data: a\n\n", bytewise(b"data: a\n\n")) == bytes([EACH]) + number(b"data: a\n\n")


@pytest.mark.parametrize("wire", [b"\x0f", b"data: Q\n\n", b"data: \xe5\n\n"])
def test_a_byte_that_has_no_token_is_told(wire):
    assert encode(wire, ()) is None
    assert encode(wire, bytewise(wire)) is None
    assert encode_raw(wire, ()) == wire


def test_the_bytes_that_mean_a_cut_cannot_be_encoded_raw():
    assert encode_raw(b"data: \xf8\n\n", ()) is None
    assert encode_raw(b"data: \xf9\n\n", (1, 2)) is None


@BOTH
def test_stored_streams_come_back(decoded, encoded):
    entries = own_corpus().entries
    inputs_of = {entry.id: encoded(entry.wire, entry.cuts) for entry in entries}
    assert sum(found is not None for found in inputs_of.values()) > len(entries) * 0.8
    for entry in entries:
        if (found := inputs_of[entry.id]) is not None:
            assert decoded(found) == (entry.wire, entry.cuts)
