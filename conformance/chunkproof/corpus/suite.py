"""What a run judges by: the rules, the entries that come with chunkproof, and those of the user's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ..rules import RULES, Rule
from .entry import EntryError
from .judging import assert_agrees, rule_of, rules_of
from .store import Problem, own_corpus, own_folder, own_paths, read_corpus, read_file

__all__ = ["Suite", "suite"]

#: Efforts at which the entries that come with chunkproof are left out: the telling cases stand for them.
WITHOUT_ENTRIES = ("smoke",)


@dataclass(frozen=True, slots=True)
class Suite:
    """The rules, entries among them, and the files of entries that cannot be used."""

    rules: tuple[Rule, ...] = RULES
    problems: tuple[Problem, ...] = ()


def suite(effort: str, folders: Sequence[Path] = ()) -> Suite:
    """What a run of this effort judges by, with the entries of these folders; NotADirectoryError where one is none."""
    own = () if effort in WITHOUT_ENTRIES else own_rules()
    rules: list[Rule] = [*RULES, *own]
    problems: list[Problem] = []
    paths = own_paths()
    ours = str(own_folder())
    taken = dict.fromkeys(paths, ours)
    for folder in folders:
        if not folder.is_dir():
            raise NotADirectoryError(str(folder))
        corpus = read_corpus(folder)
        problems += corpus.problems
        if not corpus.entries and not corpus.problems:
            problems.append(Problem(folder, "there is no entry in it"))
        for entry in corpus.entries:
            try:
                if taken.get(entry.id) == ours and entry.data == read_file(paths[entry.id]).data:
                    # A copy of one of ours is judged once.
                    if own:
                        continue
                elif entry.id in taken:
                    raise EntryError(f"id: an entry of {taken[entry.id]} is called {entry.id} as well")
                assert_agrees(entry)
            except EntryError as error:
                problems.append(Problem(corpus.paths[entry.id], str(error)))
                continue
            taken[entry.id] = str(folder)
            rules.append(rule_of(entry))
    return Suite(tuple(rules), tuple(problems))


@cache
def own_rules() -> tuple[Rule, ...]:
    """The entries that come with chunkproof, as rules."""
    return tuple(rules_of(own_corpus().entries))
