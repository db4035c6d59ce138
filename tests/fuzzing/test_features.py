"""What a stream tries: tokens without a gap, features that tell streams apart, and the set cover over them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkproof.fuzzing.merging.features import cover, features, tokens_of
from chunkproof_strategies.strategies import streams

EVERY = st.binary(max_size=60) | streams().map(lambda stream: stream.wire)


@given(EVERY)
def test_tokens_are_the_whole_wire_without_a_gap(wire):
    tokens = tokens_of(wire)
    assert b"".join(wire[token.start : token.stop] for token in tokens) == wire
    assert all(token.start < token.stop for token in tokens)


def test_tokens_are_named_for_what_they_are():
    wire = b"\xef\xbb\xbfdata: [D\r\nid:\xff\r:9\ndata\xc2\xa0:\xc2\xb2\n\nretry"
    assert [token.kind for token in tokens_of(wire)] == [
        *("mark", "data", "colon", "space", "data [", "data capital", "CRLF"),
        *("id", "colon", "id ill-formed", "CR", "comment", "comment digit", "LF"),
        *("data? letter blank a0", "colon", "unknown other digit", "LF", "LF", "retry"),
    ]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ((b"data:a\n\n", ()), (b"data: a\n\n", ())),
        ((b"data:a\n\n", ()), (b"data:a\r\n\r\n", ())),
        ((b"data:a\n\n", ()), (b"data:a\n", ())),
        ((b"retry:5\n", ()), (b"retry:\xd9\xa3\n", ())),
        ((b"data:[DONE]\n\n", ()), (b"data:DONE\n\n", ())),
        ((b"data:a\n\n", ()), (b"data:" + b"a" * 200 + b"\n\n", ())),
        ((b"data:a\ndata:b\n\n", ()), (b"data:a\n\ndata:b\n\n", ())),
        ((b"data:\xe4\xbd\xa0\n\n", ()), (b"data:\xe4\xbd\n\n", ())),
        ((b"data:a\r\n", (6,)), (b"data:a\r\n", (7,))),
        ((b"data:\xe4\xbd\xa0\n", (6,)), (b"data:\xe4\xbd\xa0\n", (5,))),
        ((b"data:a\n", (5,)), (b"data:a\n", (5, 5))),
        ((b"data:a\n", ()), (b"data:a\n", (0,))),
        ((b"data:a\n", ()), (b"data:a\n", (7,))),
        ((b"", ()), (b"", (0,))),
    ],
)
def test_streams_that_try_different_things_have_different_features(one, other):
    assert features(*one) - features(*other) or features(*other) - features(*one)


def test_other_letters_of_one_class_are_nothing_new():
    assert features(b"data: abc\nid: 17\n\n", (4,)) == features(b"data: xyz\nid: 90\n\n", (4,))


ITEMS = st.lists(st.tuples(st.binary(max_size=4), st.frozensets(st.integers(0, 12), max_size=5)), max_size=12)


@given(ITEMS, st.randoms())
def test_a_cover_has_all_features_and_none_of_it_can_be_left_out_in_its_order(items, random):
    of = dict(items)
    kept = cover(of.items())
    assert cover(random.sample(sorted(of.items()), len(of))) == kept
    assert frozenset().union(*(of[data] for data in kept)) == frozenset().union(*of.values())
    assert kept == sorted(kept, key=lambda data: (len(data), data))
    for at, data in enumerate(kept):
        assert of[data] - frozenset().union(*(of[one] for one in kept[:at]))
    assert cover((data, of[data]) for data in kept) == kept
