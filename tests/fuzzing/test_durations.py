"""Times and ranges of seeds on the command line: the forms there are, and what is refused in words."""

from __future__ import annotations

import click
import pytest

from chunkproof.fuzzing.durations import Duration, SeedRange


@pytest.mark.parametrize(
    ("given", "seconds"),
    [
        ("30s", 30),
        ("10m", 600),
        ("1h", 3600),
        ("45", 45),
        ("0.5", 0.5),
        ("1.5h", 5400),
        ("0.25m", 15),
        ("007s", 7),
        ("8784h", 366 * 24 * 3600),
        (12.5, 12.5),
    ],
)
def test_a_time_is_so_many_seconds(given, seconds):
    assert Duration().convert(given, None, None) == seconds


# A time in digits that are not of ASCII is none, though Python would read it.
WRONG_TIMES = [
    "",
    "0",
    "0s",
    "-1s",
    "+5s",
    " 5s",
    "5 s",
    "5S",
    "5sec",
    "1h30m",
    "1:30",
    "1e3",
    ".5",
    "5.",
    "inf",
    "nan",
]
WRONG_TIMES += ["8785h", "9" * 400, "٣0s", "5s\n", "ten minutes"]


@pytest.mark.parametrize("given", WRONG_TIMES, ids=lambda given: repr(given)[:12])
def test_what_is_no_time_is_refused_with_the_way_out(given):
    with pytest.raises(click.BadParameter) as caught:
        Duration().convert(given, None, None)
    told = caught.value.message
    assert told.endswith("is no time of up to a year: write it as 30s, 10m or 1h")
    assert told.startswith(repr(given)[:20])
    assert len(told) < 200


@pytest.mark.parametrize(
    ("given", "seeds"),
    [
        ("0:1000", (0, 1000)),
        ("5:6", (5, 6)),
        (f"{7:018}:9", (7, 9)),
        ("999999999999999:1000000000000000", (10**15 - 1, 10**15)),
        ((1, 4), (1, 4)),
    ],
)
def test_a_range_is_from_one_seed_up_to_another(given, seeds):
    assert SeedRange().convert(given, None, None) == seeds


WRONG_RANGES = ["", ":", "5", "5:", ":5", "5:5", "6:5", "-1:5", "0:-1", "0-5", "0:5:2", "a:b", "0: 5", "0:1e3", "٣:٥"]
WRONG_RANGES += ["0:1000000000000001", f"0:{'9' * 5000}", "0:5\n"]


@pytest.mark.parametrize("given", WRONG_RANGES, ids=lambda given: repr(given)[:12])
def test_what_is_no_range_is_refused_with_the_way_out(given):
    with pytest.raises(click.BadParameter) as caught:
        SeedRange().convert(given, None, None)
    told = caught.value.message
    assert told.endswith("is no range of seeds: write it as 0:1000, the first below the second")
    assert len(told) < 200
