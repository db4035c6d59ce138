"""gzip and deflate taken off piece by piece: members, padding, damage, ends that are missing, bounds."""

from __future__ import annotations

import gzip
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkproof.corpus import inflating
from chunkproof.corpus.headers import codings_of, joined
from chunkproof.corpus.inflating import Inflater
from chunkproof_strategies.chunkings import chunks_of

MOST = 1000
BARE = zlib.compressobj(wbits=-15)
PACKED = {
    "gzip": ("gzip", gzip.compress(b"abc")),
    "members": ("gzip", gzip.compress(b"ab") + gzip.compress(b"") + gzip.compress(b"c")),
    "padding between members": ("gzip", gzip.compress(b"ab") + b"\0\0\0\0" + gzip.compress(b"c")),
    "zlib": ("deflate", zlib.compress(b"abc")),
    "bare deflate": ("deflate", BARE.compress(b"abc") + BARE.flush()),
}


def state(inflater: Inflater) -> tuple[bool, str, bool, bool]:
    return inflater.is_whole, inflater.damage, inflater.has_padding, inflater.has_trailing


@pytest.mark.parametrize("what", PACKED)
@given(data=st.data())
def test_it_does_not_matter_where_the_bytes_are_cut(what: str, data: st.DataObject) -> None:
    coding, packed = PACKED[what]
    cuts = tuple(sorted(data.draw(st.lists(st.integers(0, len(packed))))))
    inflater = Inflater(coding)
    assert b"".join(inflater.inflate(piece, MOST) for piece in chunks_of(packed, cuts)) == b"abc"
    assert (inflater.size, state(inflater)) == (3, (True, "", what == "padding between members", False))


@pytest.mark.parametrize("what", PACKED)
def test_an_end_that_is_missing_shows_at_each_byte(what: str) -> None:
    coding, packed = PACKED[what]
    ends = {
        "members": (22, 42),
        "padding between members": (22, 23, 24, 25, 26),
    }.get(what, ())
    for stop in range(1, len(packed)):
        inflater = Inflater(coding)
        inflater.inflate(packed[:stop], MOST)
        assert inflater.is_whole == (stop in ends), stop
        assert (inflater.damage, inflater.has_trailing) == ("", False)


BEHIND = {
    "zeros behind gzip": ("gzip", gzip.compress(b"ab") + b"\0\0", (True, "", True, False)),
    "something behind gzip": ("gzip", gzip.compress(b"ab") + b"cd", (True, "", False, True)),
    "something behind the zeros": ("gzip", gzip.compress(b"ab") + b"\0cd", (True, "", True, True)),
    "nearly a member": ("gzip", gzip.compress(b"ab") + b"\x1f\x8bcd", (True, "", False, True)),
    "zeros behind zlib": ("deflate", zlib.compress(b"ab") + b"\0", (True, "", False, True)),
    "a second zlib": ("deflate", zlib.compress(b"ab") * 2, (True, "", False, True)),
}


@pytest.mark.parametrize("what", BEHIND)
@pytest.mark.parametrize("size", [1, 100])
def test_what_stands_behind_the_end_is_told(what: str, size: int) -> None:
    coding, packed, told = BEHIND[what]
    inflater = Inflater(coding)
    pieces = [packed[at : at + size] for at in range(0, len(packed), size)]
    assert b"".join(inflater.inflate(piece, MOST) for piece in pieces) == b"ab"
    assert state(inflater) == told


def test_damage_is_told_and_nothing_is_read_behind_it() -> None:
    packed = gzip.compress(b"ab")
    inflater = Inflater("gzip")
    inflater.inflate(packed[:-8], MOST)
    inflater.inflate(b"\0" * 8, MOST)
    assert state(inflater) == (False, "Error -3 while decompressing data: incorrect data check", False, False)
    assert inflater.inflate(packed, MOST) == b""


def test_the_second_of_two_members_may_be_damaged() -> None:
    inflater = Inflater("gzip")
    first, second = gzip.compress(b"ab"), bytearray(gzip.compress(b"cd"))
    second[-8] ^= 1
    assert inflater.inflate(first + second, MOST) == b"ab"
    assert (inflater.size, inflater.damage) == (2, "Error -3 while decompressing data: incorrect data check")


@pytest.mark.parametrize("coding", ["identity", "gzip", "deflate"])
def test_no_more_comes_than_is_asked_for(coding: str) -> None:
    packed = {"identity": bytes(99), "gzip": gzip.compress(bytes(99)), "deflate": zlib.compress(bytes(99))}[coding]
    for most in (1, 98, 99, 100):
        inflater = Inflater(coding)
        assert inflater.inflate(packed, most) == bytes(min(most, 99))
        assert inflater.size == min(most, 99)


def test_identity_and_no_bytes_at_all_are_whole() -> None:
    inflater = Inflater("identity")
    assert inflater.inflate(b"ab", MOST) + inflater.inflate(b"c", MOST) == b"abc"
    assert state(inflater) == (True, "", False, False)
    for coding in ("gzip", "deflate"):
        inflater = Inflater(coding)
        assert inflater.inflate(b"", MOST) == b""
        assert state(inflater) == (True, "", False, False)


def test_the_bounds() -> None:
    assert (inflating._SLICE, inflating._MEMBERS_MAX) == (4096, 100_000)


# headers --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "codings"),
    [
        ("", []),
        ("identity", []),
        ("gzip", ["gzip"]),
        ("X-GZIP", ["gzip"]),
        (" deflate ,, Identity,br\t", ["deflate", "br"]),
        ("x-other", ["x-other"]),
    ],
)
def test_codings_are_listed_as_they_were_applied(value: str, codings: list[str]) -> None:
    assert codings_of(value) == codings


def test_fields_of_one_name_are_one_list() -> None:
    fields = [(b"vary", b"a"), (b"content-encoding", b"gzip"), (b"vary", b"b\xe9")]
    assert joined(fields) == {"vary": "a, b\xe9", "content-encoding": "gzip"}
