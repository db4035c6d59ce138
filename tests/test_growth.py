"""The verdict on measured times: a pure function of numbers, with what a busy machine does to them."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from chunkproof.growth import Growth, Shape, Timed, growth_of, least

SIZES = [1000 * 2**step for step in range(4)]


def grown(target: Callable[[int], float], reference: Callable[[int], float] = float) -> Growth:
    """The verdict on times that are these functions of the size."""
    return growth_of([Timed(size, target(size), reference(size)) for size in SIZES])


def noisy(target: Callable[[int], float], random: Random, rounds: int, most: float) -> Shape:
    """The verdict on the least times of several rounds, each time up to so many times as long as it should be."""
    return growth_of(
        least(
            [
                [Timed(n, target(n) * random.uniform(1, most), n * random.uniform(1, most)) for n in SIZES]
                for _ in range(rounds)
            ]
        )
    ).shape


@pytest.mark.parametrize(
    ("time", "shape"),
    [
        (lambda n: n, "linear"),
        (lambda n: 50 * n, "linear"),
        (lambda n: n + 30_000, "linear"),
        (lambda n: n * (n.bit_length() + 1), "linear"),
        (lambda n: n**1.5, "unclear"),
        (lambda n: n**2, "quadratic"),
        (lambda n: n**2 / 10**9, "quadratic"),
        (lambda n: n**3, "quadratic"),
        (lambda n: 1000 * n + n**2, "quadratic"),
        (lambda n: 4000 * n + n**2, "unclear"),
        (lambda n: 100_000 * n + n**2, "linear"),
    ],
)
def test_shape_of_a_time_that_grows_so(time, shape):
    assert grown(time).shape == shape


def test_a_small_quadratic_part_is_linear_only_where_larger_streams_cannot_tell():
    found = grown(lambda n: 15_000 * n + n**2)
    assert (found.shape, found.nearly_linear) == ("unclear", True)
    assert not grown(lambda n: 4000 * n + n**2).nearly_linear


def test_a_reference_that_was_not_run_is_taken_for_linear():
    assert growth_of([Timed(size, size**2) for size in SIZES]).shape == "quadratic"
    assert growth_of([Timed(size, size) for size in SIZES]).shape == "linear"


def test_a_machine_that_slows_both_alike_accuses_nobody():
    assert grown(lambda n: n**2, lambda n: n**2).shape == "linear"


def test_a_reference_with_a_price_for_each_run_makes_nobody_look_worse():
    assert grown(lambda n: n, lambda n: n + 100_000).shape == "linear"


def test_one_jump_is_not_quadratic():
    assert grown(lambda n: n * (6 if n > 3000 else 1)).shape == "unclear"


def test_a_growth_that_ends_is_not_quadratic():
    assert grown(lambda n: min(n, 4000) ** 2 * (n / 4000 if n > 4000 else 1)).shape == "unclear"


def test_a_linear_time_is_not_taken_for_quadratic_whatever_the_noise():
    random = Random(1)
    assert {noisy(lambda n: n, random, 2, 2.0) for _ in range(3000)} <= {"linear", "unclear"}


def test_a_quadratic_time_is_not_taken_for_linear_whatever_the_noise():
    random = Random(1)
    assert {noisy(lambda n: n**2, random, 2, 1.5) for _ in range(3000)} <= {"quadratic", "unclear"}


def test_the_least_of_the_rounds_counts_for_each_size():
    rounds = [[Timed(1, 3.0, 9.0), Timed(2, 5.0, 1.0)], [Timed(1, 2.0, 8.0), Timed(2, 7.0, 4.0)]]
    assert least(rounds) == [Timed(1, 2.0, 8.0), Timed(2, 5.0, 1.0)]


def test_the_last_four_sizes_are_looked_at():
    times = [Timed(10, 1e9, 1), *(Timed(size, size, size) for size in SIZES)]
    found = growth_of(times)
    assert (found.shape, found.first, found.last) == ("linear", SIZES[0], SIZES[-1])


def test_words_give_sizes_and_ratios_and_no_seconds():
    assert grown(lambda n: n**2, lambda n: n).words == (
        "8 times the bytes (1,000 to 8,000) took 64 times the CPU time; the reference parser took 8.0 times"
    )
