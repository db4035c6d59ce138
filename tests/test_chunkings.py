"""The ways to cut a wire: what each plan holds, and that no plan loses a byte."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from chunkproof import plans
from chunkproof_strategies.chunkings import (
    bytewise,
    chunks_of,
    every_pair,
    every_single_cut,
    in_sizes,
    outside_characters,
    random_cuts,
    random_cuts_with_empty_chunks,
    sore_cuts,
    sore_points,
    with_empty_chunks,
    without_empty_chunks,
)
from chunkproof_strategies.generator import RandomSource

WIRES = st.binary(max_size=40) | st.lists(
    st.sampled_from([b"data", b": ", b":", b"\r\n", b"\n", b"\r", "你".encode(), "🙂".encode(), b"\xef\xbb\xbf", b"a"]),
    max_size=12,
).map(b"".join)
SEEDS = st.integers(0, 10**6)


@st.composite
def cut_wires(draw):
    wire = draw(WIRES)
    return wire, tuple(sorted(draw(st.lists(st.integers(0, len(wire)), max_size=8))))


# From cuts to chunks --------------------------------------------------------------------------------------------------


@given(cut_wires())
@example((b"", ()))
@example((b"", (0, 0)))
@example((b"abc", (1, 1)))
@example((b"abc", (0, 1)))
@example((b"abc", (2, 3)))
def test_chunks_are_the_wire_with_one_chunk_more_than_cuts(cut):
    wire, cuts = cut
    chunks = chunks_of(wire, cuts)
    assert b"".join(chunks) == wire
    assert len(chunks) == len(cuts) + bool(wire)
    assert all(type(chunk) is bytes for chunk in chunks)
    if wire:
        assert list(itertools.accumulate(map(len, chunks)))[:-1] == list(cuts)


def test_no_chunk_for_an_empty_wire_and_an_empty_one_for_each_cut():
    assert chunks_of(b"", ()) == []
    assert chunks_of(b"", (0,)) == [b""]
    assert chunks_of(b"", (0, 0)) == [b"", b""]


def test_repeated_cuts_and_cuts_at_the_ends_are_empty_chunks():
    assert chunks_of(b"ab", (0, 1, 1, 2)) == [b"", b"a", b"", b"b", b""]
    # As many cuts as bytewise, and not bytewise.
    assert chunks_of(b"abc", (1, 1)) == [b"a", b"", b"bc"]
    assert chunks_of(b"abc", (0, 3)) == [b"", b"abc", b""]


@given(WIRES)
def test_bytewise_is_one_byte_a_chunk(wire):
    assert chunks_of(wire, bytewise(wire)) == [bytes([value]) for value in wire]


def test_bytewise_of_a_long_wire():
    wire = bytes(range(256)) * 5
    assert bytewise(wire) == tuple(range(1, 1280))
    assert chunks_of(wire, bytewise(wire)) == [bytes([value]) for value in wire]


@given(WIRES, st.integers(1, 9))
def test_sizes_are_all_alike_but_the_last(wire, size):
    chunks = chunks_of(wire, in_sizes(wire, size))
    assert b"".join(chunks) == wire
    assert {len(chunk) for chunk in chunks[:-1]} <= {size}
    assert not wire or 1 <= len(chunks[-1]) <= size


# Plans ----------------------------------------------------------------------------------------------------------------


WITHOUT_EMPTY_CHUNKS = (
    plans.common,
    plans.uncut,
    plans.single_cuts,
    plans.pairs,
    plans.wide,
    plans.thorough,
)


def assert_plan(wire: bytes, cuts: tuple[int, ...]) -> None:
    assert type(cuts) is tuple
    assert list(cuts) == sorted(cuts)
    assert all(0 <= at <= len(wire) for at in cuts)
    assert b"".join(chunks_of(wire, cuts)) == wire


@given(WIRES, SEEDS)
def test_every_plan_is_sorted_and_within_the_wire(wire, seed):
    source = RandomSource(seed)
    for make in (*WITHOUT_EMPTY_CHUNKS, plans.empty_chunks, plans.everything):
        for cuts in itertools.islice(make(wire, source), 1000):
            assert_plan(wire, cuts)
    assert_plan(wire, random_cuts(source, len(wire)))
    assert_plan(wire, random_cuts_with_empty_chunks(source, len(wire)))
    assert_plan(wire, sore_cuts(source, sore_points(wire)))


@given(WIRES, SEEDS)
@example(b"", 0)
@example(b"a", 0)
def test_no_plan_has_empty_chunks_where_they_are_not_the_point(wire, seed):
    source = RandomSource(seed)
    for make in WITHOUT_EMPTY_CHUNKS:
        for cuts in itertools.islice(make(wire, source), 1000):
            assert b"" not in chunks_of(wire, cuts), (make.__name__, cuts)


@given(WIRES, SEEDS)
@example(b"", 0)
def test_each_plan_of_empty_chunks_has_one_and_of_everything_the_last_may(wire, seed):
    assert all(b"" in chunks_of(wire, cuts) for cuts in list(plans.empty_chunks(wire, RandomSource(seed)))[:5])
    *common, by_two, by_three, with_empty = plans.everything(wire, RandomSource(seed))
    assert common == list(plans.common(wire, RandomSource(seed)))
    assert (by_two, by_three) == (in_sizes(wire, 2), in_sizes(wire, 3))
    assert_plan(wire, with_empty)


def test_everything_has_empty_chunks_in_most_of_its_last_plans():
    wire = "data: 你\r\n\r\n".encode()
    source = RandomSource(1)
    last = [chunks_of(wire, list(plans.everything(wire, source))[-1]) for _ in range(200)]
    assert sum(b"" in chunks for chunks in last) > 100


def test_single_cuts_are_at_every_place_inside_the_wire():
    assert list(every_single_cut(b"abc")) == [(1,), (2,)]
    assert list(every_single_cut(b"a")) == []
    assert list(every_single_cut(b"")) == []


def test_pairs_hold_each_two_points_once():
    assert list(every_pair([1, 4, 9])) == [(1, 4), (1, 9), (4, 9)]
    assert list(every_pair([1])) == []


def test_sore_points_of_a_stream():
    wire = "data: 你\r\nid:1\n".encode()
    # Behind the a of "data" nothing hurts; around the colon and its space, in the character, around CR and LF, in "id".
    assert sore_points(wire) == [4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
    assert wire[9:11] == b"\r\n"


@given(WIRES)
def test_sore_points_are_inside_the_wire_sorted_and_single(wire):
    points = sore_points(wire)
    assert points == sorted(set(points))
    assert all(0 < at < len(wire) for at in points)


@given(WIRES)
def test_sore_points_are_in_every_character_and_around_every_line_end(wire):
    points = set(sore_points(wire))
    for at in range(1, len(wire)):
        if 0x80 <= wire[at] <= 0xBF or {wire[at - 1], wire[at]} & {0x0A, 0x0D}:
            assert at in points


def test_sore_cuts_are_some_of_the_points_or_all():
    source, points = RandomSource(1), [2, 3, 5, 8, 13, 21]
    seen = [sore_cuts(source, points) for _ in range(300)]
    assert tuple(points) in seen
    assert {len(cuts) for cuts in seen} == {1, 2, 3, 4, 6}
    assert all(set(cuts) <= set(points) for cuts in seen)
    assert all(len(set(cuts)) == len(cuts) for cuts in seen), "no empty chunk"


def test_no_points_are_no_sore_cuts():
    assert sore_cuts(RandomSource(1), []) == ()


def test_random_cuts_are_few_and_many_at_every_place_and_make_no_empty_chunk():
    source = RandomSource(1)
    seen = [random_cuts(source, 30) for _ in range(500)]
    assert min(map(len, seen)) == 1
    assert max(map(len, seen)) > 15
    assert {at for cuts in seen for at in cuts} == set(range(1, 30))
    assert all(len(set(cuts)) == len(cuts) for cuts in seen)
    assert {random_cuts(source, length) for length in (0, 1) for _ in range(50)} == {()}
    assert {random_cuts(source, 2) for _ in range(50)} == {(1,)}


def test_random_cuts_with_empty_chunks_have_them_at_both_ends_and_in_between():
    source = RandomSource(1)
    seen = [random_cuts_with_empty_chunks(source, 30) for _ in range(500)]
    assert min(map(len, seen)) == 1
    assert max(map(len, seen)) == 32
    assert {at for cuts in seen for at in cuts} == set(range(31))
    assert any(cuts[:2] == (0, 0) for cuts in seen)
    assert any(cuts[-1] == 30 for cuts in seen)
    assert any(len(set(cuts) - {0, 30}) < len([at for at in cuts if 0 < at < 30]) for cuts in seen)
    assert {random_cuts_with_empty_chunks(source, 0) for _ in range(50)} == {(0,), (0, 0)}


def test_cuts_outside_characters_are_those_that_tear_none():
    wire = "é你🙂a".encode()
    assert len(wire) == 10
    assert outside_characters(wire, tuple(range(11))) == (0, 2, 5, 9, 10)
    assert outside_characters(wire, (2, 2, 3, 10, 10)) == (2, 2, 10, 10), "empty chunks stay"
    assert outside_characters(b"abc", (0, 1, 2, 3)) == (0, 1, 2, 3)
    assert outside_characters(b"", (0, 0)) == (0, 0)


@given(st.text(max_size=15), st.lists(st.integers(0, 60), max_size=8))
def test_cuts_outside_characters_leave_chunks_that_are_text_by_themselves(text, offsets):
    wire = text.encode()
    cuts = tuple(sorted(min(at, len(wire)) for at in offsets))
    kept = outside_characters(wire, cuts)
    assert "".join(chunk.decode() for chunk in chunks_of(wire, kept)) == text
    ends = set(itertools.accumulate((len(character.encode()) for character in text), initial=0))
    assert kept == tuple(at for at in cuts if at in ends)


@given(cut_wires())
def test_cuts_outside_characters_stay_as_they_are_the_second_time(cut):
    wire, cuts = cut
    kept = outside_characters(wire, cuts)
    assert_plan(wire, kept)
    assert outside_characters(wire, kept) == kept
    assert not any(0x80 <= wire[at] <= 0xBF for at in kept if at < len(wire))


@given(cut_wires())
def test_without_empty_chunks_leaves_the_others(cut):
    wire, cuts = cut
    full = [chunk for chunk in chunks_of(wire, cuts) if chunk]
    assert chunks_of(wire, without_empty_chunks(cuts, len(wire))) == full


@given(cut_wires())
def test_with_empty_chunks_has_them_first_last_and_in_between(cut):
    wire, cuts = cut
    chunks = chunks_of(wire, with_empty_chunks(cuts, len(wire)))
    assert b"".join(chunks) == wire
    assert chunks[0] == chunks[-1] == b""
    if wire:
        assert [chunk for chunk in chunks if chunk] == [chunk for chunk in chunks_of(wire, cuts) if chunk]
        assert all(not (one and other) for one, other in itertools.pairwise(chunks))


# What the rules run ---------------------------------------------------------------------------------------------------


def test_common_plans_begin_whole_and_bytewise():
    wire = b"data: a\r\n\r\n"
    first = list(plans.common(wire, RandomSource(1)))
    assert first[:2] == [(), bytewise(wire)]
    assert len(first) == 6


@pytest.mark.parametrize("wire", [b"data: a\r\r", "data: 你\r\n\r\n".encode()], ids=["short", "longer"])
def test_thorough_holds_every_single_cut_and_the_small_sizes(wire):
    # A longer one may have them by turns.
    source = RandomSource(1)
    found = {cuts for _ in range(30) for cuts in plans.thorough(wire, source)}
    assert set(every_single_cut(wire)) <= found
    assert {in_sizes(wire, size) for size in (2, 3, 4, 7)} <= found


def test_single_cuts_of_a_long_wire_are_at_the_sore_points():
    wire = b"data: " + b"a" * 200 + b"\n\n"
    assert list(plans.single_cuts(wire, RandomSource(1))) == [(at,) for at in sore_points(wire)]


@pytest.mark.parametrize("size", [10, 5_000, 300_000])
def test_wide_plans_do_not_cut_a_long_wire_too_small(size):
    wire = b"a" * size
    found = list(plans.wide(wire, RandomSource(1)))
    assert found[0] == ()
    assert max(map(len, found[1:-1]), default=0) <= 20_000
    if size > 16_384:
        assert in_sizes(wire, 16_384) in found
