"""The telling cases: for each two deviations of the catalogue, a stream on which they behave differently.

They are the questions that a target is asked before a cause is named. The table (``telling.txt``) is made by
`tools/telling.py`: a token a line, and behind it the deviations that change what comes of it. `tests/test_telling.py`
holds that it tells all pairs apart.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from chunkproof_targets.deviations import Deviation, find_deviation

from ..counterexample import decode_token
from ..question import Question

__all__ = ["TABLE", "question_of", "telling_cases"]

TABLE = "telling.txt"


@cache
def telling_cases() -> dict[Question, frozenset[Deviation]]:
    """All of them, the smallest first, each with the deviations that show there."""
    lines = files(__package__).joinpath(TABLE).read_text("ascii").splitlines()
    rows = (line.split() for line in lines if not line.startswith("#"))
    return {question_of(token): frozenset(map(find_deviation, names)) for token, *names in rows}


def question_of(token: str) -> Question:
    """The streams of a token, as a question."""
    *before, (wire, cuts) = decode_token(token).streams
    return Question(wire, cuts, tuple(earlier for earlier, _ in before))
