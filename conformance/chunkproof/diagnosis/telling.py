"""The telling cases: for each two deviations of the catalogue, a stream on which they behave differently.

They are the questions that a target is asked before a cause is named. The table (``telling.txt``, one token a line) is
made by `tools/telling.py`; `tests/test_telling.py` holds that it tells all pairs apart.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from ..counterexample import decode_token
from .seen import Question

__all__ = ["question_of", "telling_cases"]


@cache
def telling_cases() -> tuple[Question, ...]:
    """All of them, the smallest first."""
    lines = files(__package__).joinpath("telling.txt").read_text("ascii").splitlines()
    return tuple(question_of(line) for line in lines if line and not line.startswith("#"))


def question_of(token: str) -> Question:
    """The streams of a token, as a question."""
    *before, (wire, cuts) = decode_token(token).streams
    return Question(wire, cuts, tuple(earlier for earlier, _ in before))
