"""The shrinker: what it returns fails, is small, and is the same from any start."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkproof.shrinker import BYTES_MAX, RUNS_MAX, Fails, shrink
from chunkproof_strategies.chunkings import (
    Cuts,
    bytewise,
    chunks_of,
    in_sizes,
    random_cuts,
    random_cuts_with_empty_chunks,
)
from chunkproof_strategies.generator import RandomSource, generate

# Faults, as what fails of a stream ------------------------------------------------------------------------------------


def inside_a_character(size: int) -> Fails:
    """A cut inside a character of so many bytes."""

    def fails(wire: bytes, cuts: Cuts) -> bool:
        at = 0
        while at < len(wire):
            length = next((n for n in (1, 2, 3, 4) if _is_character(wire[at : at + n], n)), 1)
            if length == size and any(at < cut < at + length for cut in cuts):
                return True
            at += length
        return False

    return fails


def _is_character(part: bytes, length: int) -> bool:
    try:
        return len(part) == length and len(part.decode()) == 1
    except UnicodeDecodeError:
        return False


def inside_any_character(wire: bytes, cuts: Cuts) -> bool:
    return any(inside_a_character(size)(wire, cuts) for size in (2, 3, 4))


def crlf_cut(wire: bytes, cuts: Cuts) -> bool:
    return any(wire[at - 1 : at + 1] == b"\r\n" for at in cuts if at)


def an_event(wire: bytes, cuts: Cuts) -> bool:
    lines = wire.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    return any(line.startswith(b"data") and not after for line, after in itertools.pairwise(lines[:-1]))


def an_empty_chunk(wire: bytes, cuts: Cuts) -> bool:
    return b"" in chunks_of(wire, cuts)


def a_cut_name(wire: bytes, cuts: Cuts) -> bool:
    return any(wire[at - 2 : at] == b"da" and wire[at : at + 2] == b"ta" for at in cuts)


def two_cuts(wire: bytes, cuts: Cuts) -> bool:
    """A chunk of one byte between two others, that is a colon."""
    return b":" in chunks_of(wire, cuts)[1:-1]


def nul(wire: bytes, cuts: Cuts) -> bool:
    return b"\0" in wire


def ill_formed(wire: bytes, cuts: Cuts) -> bool:
    return "\ufffd" in wire.decode(errors="replace") and "\ufffd".encode() not in wire


FAULTS: dict[str, tuple[Fails, bytes, Cuts]] = {
    "two bytes": (inside_a_character(2), "é".encode(), (1,)),
    "three bytes": (inside_a_character(3), "你".encode(), (1,)),
    "four bytes": (inside_a_character(4), "🙂".encode(), (1,)),
    "any size": (inside_any_character, "é".encode(), (1,)),
    "CRLF cut": (crlf_cut, b"\r\n", (1,)),
    "an event": (an_event, b"data\n\n", ()),
    "a cut name": (a_cut_name, b"data", (2,)),
    "two cuts": (two_cuts, b":", (0, 1)),
    "NUL": (nul, b"\0", ()),
    "ill-formed": (ill_formed, b"\xff", ()),
    "an empty chunk": (an_empty_chunk, b"", (0,)),
    "always": (lambda wire, cuts: True, b"", ()),
    "never without cuts": (lambda wire, cuts: bool(cuts), b"", (0,)),
}

PARTS = (b"data", b"data: ", b": ", b"\r\n", b"\n", b"\r", b"a", b"xyz", b"\0", b"\xff", b"\xe4", "é".encode(),
         "你".encode(), "流".encode(), "🙂".encode(), b"id: 1", b"\xef\xbb\xbf", b"data: b\r\n\r\n")  # fmt: skip


def starts(name: str, count: int) -> list[tuple[bytes, Cuts]]:
    """Streams that fail so, of very different kinds."""
    fails, rng, source = FAULTS[name][0], random.Random(name), RandomSource(name)
    found: list[tuple[bytes, Cuts]] = []
    while len(found) < count:
        wire = b"".join(rng.choices(PARTS, k=rng.randrange(2, 60)))
        for cuts in (
            bytewise(wire),
            random_cuts(source, len(wire)),
            random_cuts_with_empty_chunks(source, len(wire)),
            in_sizes(wire, rng.randrange(1, 8)),
        ):
            if fails(wire, cuts):
                found.append((wire, cuts))
    return found


@pytest.mark.parametrize("name", FAULTS)
def test_one_fault_has_one_minimum_from_any_start(name):
    fails, wire, cuts = FAULTS[name]
    assert {shrink(*start, fails) for start in starts(name, 25)} == {(wire, cuts)}


@pytest.mark.parametrize("name", FAULTS)
def test_what_is_small_stays_as_it_is(name):
    fails, *_ = FAULTS[name]
    for start in starts(name, 5):
        small = shrink(*start, fails)
        assert shrink(*small, fails) == small


# Any predicate at all ------------------------------------------------------------------------------------------------


def by_hash(number: int) -> Fails:
    """A fault without any sense: about one stream in five fails."""
    return lambda wire, cuts: random.Random(repr((number, wire, cuts))).random() < 0.2


class Asked:
    """Notes all that is asked, and that each question is a stream that can be run."""

    def __init__(self, fails: Fails) -> None:
        self.fails = fails
        self.asked: list[tuple[bytes, Cuts]] = []
        self.fed = 0

    def __call__(self, wire: bytes, cuts: Cuts) -> bool:
        assert type(cuts) is tuple
        assert list(cuts) == sorted(cuts)
        assert all(0 <= at <= len(wire) for at in cuts), (wire, cuts)
        self.asked.append((wire, cuts))
        self.fed += len(wire)
        return self.fails(wire, cuts)


@given(st.integers(0, 10**6))
def test_what_comes_out_fails_and_what_is_asked_can_be_run(number):
    source = RandomSource(number)
    wire = next(generate(number)).wire[:60]
    cuts = random_cuts_with_empty_chunks(source, len(wire))
    fails = Asked(by_hash(number))
    small = shrink(wire, cuts, fails)
    assert small == (wire, cuts) or fails.fails(*small)
    assert len(small[0]) <= len(wire)
    assert len(small[1]) <= len(cuts)
    assert len(fails.asked) == len(set(fails.asked)), "nothing is run twice"


def test_what_fails_only_as_it_is_stays_as_it_is():
    wire, cuts = "data: 你\r\n\r\n".encode(), (3, 7, 7, 10)
    assert shrink(wire, cuts, lambda *stream: stream == (wire, cuts)) == (wire, cuts)


@given(st.integers(0, 10**6))
def test_shrinking_is_the_same_each_time(number):
    wire = next(generate(number)).wire[:40]
    cuts = random_cuts_with_empty_chunks(RandomSource(number), len(wire))
    assert shrink(wire, cuts, by_hash(number)) == shrink(wire, cuts, by_hash(number))


def test_the_usual_stream_takes_few_runs():
    wire = "id: 7\nevent: ping\r\ndata: 流式输出 🙂\r\ndata: b\r\n\r\n: ping\n\ndata: [DONE]\n\n".encode()
    for name in ("three bytes", "CRLF cut", "an event"):
        fails = Asked(FAULTS[name][0])
        shrink(wire, bytewise(wire), fails)
        assert len(fails.asked) <= 150, name


# Budgets --------------------------------------------------------------------------------------------------------------


def late(wire: bytes, cuts: Cuts) -> bool:
    """Fails as long as the wire is longer than what a reader wants."""
    return len(wire) > 250_000


@pytest.mark.parametrize(
    ("fails", "cuts"),
    [
        (late, lambda wire: ()),
        (late, bytewise),
        (late, lambda wire: in_sizes(wire, 1000)),
        (lambda wire, cuts: len(cuts) > 290_000, bytewise),
        (lambda wire, cuts: len(cuts) > 40_000, lambda wire: tuple(range(3, 300_000, 7))),
        (lambda wire, cuts: len(wire) > 290_000 and len(cuts) > 100, lambda wire: tuple(range(3, 300_000, 1000))),
    ],
    ids=["whole", "bytewise", "sizes", "needs its cuts", "needs most of its cuts", "needs its length"],
)
def test_a_large_wire_keeps_to_the_budget(fails: Fails, cuts: Callable[[bytes], Cuts]):
    wire = (b"data: " + b"a" * 90 + b"\n\n") * 3062
    assert len(wire) > 300_000
    asked = Asked(fails)
    small = shrink(wire, cuts(wire), asked)
    assert fails(*small)
    assert len(asked.asked) <= RUNS_MAX
    assert asked.fed <= BYTES_MAX + len(wire)


def test_a_large_wire_that_can_be_small_becomes_small():
    wire = (b"data: " + b"a" * 90 + b"\n\n") * 3000 + "data: 你\r\n\r\n".encode()
    assert shrink(wire, bytewise(wire), inside_a_character(3)) == ("你".encode(), (1,))
    assert shrink(wire, (), an_event) == (b"data\n\n", ())


def test_a_long_value_is_cut_to_the_length_that_fails():
    wire = b"data: " + b"a" * 70_000 + b"\n\n"
    small, cuts = shrink(wire, (), lambda wire, cuts: len(wire) > 65_536)
    assert len(small) == 65_537
    assert cuts == ()
