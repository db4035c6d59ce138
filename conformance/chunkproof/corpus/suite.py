"""What a run judges by: the rules, the entries that come with chunkproof, and those of the user's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ..rules import RULES, Rule
from .entry import EntryError
from .judging import assert_agrees, rule_of, rules_of
from .store import Problem, own_corpus, own_folder, read_corpus

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
    taken = {rule.id: str(own_folder()) for rule in own}
    for folder in folders:
        if not folder.is_dir():
            raise NotADirectoryError(str(folder))
        corpus = read_corpus(folder)
        problems += corpus.problems
        for entry in corpus.entries:
            rule = rule_of(entry)
            path = corpus.paths[entry.id]
            if rule.id in taken:
                problems.append(Problem(path, f"id: an entry of {taken[rule.id]} is called {entry.id} as well"))
                continue
            try:
                assert_agrees(entry)
            except EntryError as error:
                problems.append(Problem(path, str(error)))
                continue
            taken[rule.id] = str(folder)
            rules.append(rule)
    return Suite(tuple(rules), tuple(problems))


@cache
def own_rules() -> tuple[Rule, ...]:
    """The entries that come with chunkproof, as rules."""
    return tuple(rules_of(own_corpus().entries))
