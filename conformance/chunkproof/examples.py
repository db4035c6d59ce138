"""Hypothesis as a second driver of the rules: its choices find what a seeded grammar does not think of.

It only generates: no shrinking (the suite has one shrinker), no database, no deadline, and none of the settings or
profiles that the user's own tests may have loaded. It leaves no folder behind.
"""

from __future__ import annotations

import atexit
import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, TypeVar

import hypothesis
from hypothesis import HealthCheck, Phase, Verbosity, settings
from hypothesis import strategies as st
from hypothesis.configuration import set_hypothesis_home_dir, storage_directory

from chunkproof_strategies.grammar import Draft, Stream
from chunkproof_strategies.strategies import DrawSource

__all__ = ["hypothesis_examples", "prepare"]

T = TypeVar("T")


class _Found(Exception):
    """Ends the search: what was found is kept beside it."""


def hypothesis_examples(
    write: Callable[[Draft], None],
    try_stream: Callable[[Stream], T | None],
    *,
    examples: int,
    seed: str,
    json_only: bool = False,
) -> T | None:
    """What ``try_stream`` found first among so many streams that ``write`` makes of Hypothesis's choices, or None."""
    found: list[T] = []

    @st.composite
    def drafts(draw: Any) -> Stream:
        draft = Draft(DrawSource(draw), json_only=json_only)
        write(draft)
        return draft.finish()

    @hypothesis.seed(Random(seed).getrandbits(64))
    @settings(
        max_examples=examples,
        backend="hypothesis",
        database=None,
        deadline=None,
        derandomize=False,
        phases=(Phase.generate,),
        print_blob=False,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
        verbosity=Verbosity.quiet,
    )
    @hypothesis.given(drafts())
    def search(stream: Stream) -> None:
        if found:
            raise _Found
        if (result := try_stream(stream)) is not None:
            found.append(result)
            raise _Found

    with _no_traces():
        try:
            search()
        except _Found:
            return found[0]
    return None


@cache
def prepare() -> None:
    """Do once in this process what its forked children would each do anew, and make the folder that it removes."""
    hypothesis_examples(lambda draft: draft.plain_event(), lambda stream: None, examples=1, seed="")


@cache
def _folder() -> Path:
    # A new one for each process: a known name in the temporary directory may belong to somebody else.
    folder = tempfile.mkdtemp(prefix="chunkproof-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


@contextmanager
def _no_traces() -> Iterator[None]:
    """Hypothesis keeps tables of characters on disk, by default in the user's folder: here in the temporary one."""
    directory: Any = storage_directory()
    before = Path(getattr(directory, "path", directory))  # older releases give the path itself
    set_hypothesis_home_dir(_folder())
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        set_hypothesis_home_dir(before)
