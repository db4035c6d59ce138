"""The suite catches the reference parser with any small change of its source: a part of what `make mutants` does."""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "tools"))

from chunkproof.peace import collect_garbage  # noqa: E402
from chunkproof_targets.reference import ReferenceParser  # noqa: E402
from equivalent_mutants import EQUIVALENT, LEFT_OPEN  # noqa: E402
from mutate_reference import Score, Verdict, parser_of, reasons, reference_mutants, report, verdict  # noqa: E402
from mutation import mutants  # noqa: E402

#: Every eighth: changes of one kind stand together, so that each kind and each method is among them.
STRIDE = 8
SAMPLE = range(0, len(reference_mutants()), STRIDE)


def changes(source: str) -> set[str]:
    return {mutant.after for mutant in mutants(source)}


# The suite ------------------------------------------------------------------------------------------------------------


def test_every_eighth_mutant_is_caught_or_has_a_reason():
    known = reasons()
    names = {number: reference_mutants()[number].name for number in SAMPLE}
    missed = [name for number, name in names.items() if name not in known and verdict(number).status == "survived"]
    collect_garbage()
    assert missed == []


def test_what_is_fed_after_the_end_is_judged_too():
    (number,) = [
        number
        for number, mutant in enumerate(reference_mutants())
        if mutant.name == "start_over: self._at_start = True -> pass"
    ]
    found = verdict(number)
    assert (found.status, found.rule, found.severity) == ("caught", "delivery/used-again", "info")


# The table of reasons -------------------------------------------------------------------------------------------------


def test_each_mutant_has_a_name_of_its_own_and_each_reason_names_one():
    names = [mutant.name for mutant in reference_mutants()]
    assert len(names) == len(set(names)) > 400
    listed = [name for table in (EQUIVALENT, LEFT_OPEN) for group in table.values() for name in group]
    assert len(listed) == len(set(listed))
    assert set(listed) - set(names) == set(), "these are no mutants (any more)"


TOKENS = (b"\n", b"\r", b":", b" ", b"=", b"data", b"event", b"id", b"retry:5", b"\xef\xbb\xbf", b"\xe4")
WIRES = [b"".join(tokens) for count in range(4) for tokens in itertools.product(TOKENS, repeat=count)]


def all_that_is_seen(parser: ReferenceParser, wire: bytes) -> list[object]:
    """What comes out of the wire byte by byte, then in one chunk and with a blank line, then of another stream."""
    seen: list[object] = []
    for chunks in ([wire[at : at + 1] for at in range(len(wire))], [wire, b"\n\n"], [b"\xef\xbb\xbf\ndata:b\r\n\n"]):
        seen += [parser.feed(chunk) for chunk in chunks]
        seen += [parser.close(), parser.last_event_id, list(parser.retries)]
    return seen


def test_what_is_called_equivalent_is_so_on_every_short_stream():
    expected = {wire: all_that_is_seen(ReferenceParser(), wire) for wire in WIRES}
    equivalent = {name for names in EQUIVALENT.values() for name in names}
    for mutant in reference_mutants():
        if mutant.name in equivalent:
            make = parser_of(mutant)
            assert make is not None
            differs = [wire for wire in expected if all_that_is_seen(make(), wire) != expected[wire]]
            assert differs == [], mutant.name


def score(**changed: str) -> Score:
    """All caught but those with a reason, and but for what is changed."""
    known = reasons()
    statuses = {mutant.name: "survived" if mutant.name in known else "caught" for mutant in reference_mutants()}
    statuses |= changed
    return Score([Verdict(number, status, 0.1) for number, status in enumerate(statuses.values())])


def test_all_is_well_where_the_known_survive_and_no_other():
    assert list(score().problems()) == []
    assert 0.99 < score().share < 1


def test_a_survivor_without_a_reason_and_a_reason_without_a_survivor_are_problems():
    survivor = "emit: self._events.append(event) -> pass"
    stale = "read_line: elif line[0] == ':': -> elif False:"
    assert list(score(**{survivor: "survived", stale: "caught"}).problems()) == [
        f"survives, and no reason is known: {survivor}",
        f"has a reason, and does not survive: {stale}",
    ]
    assert "**no reason is known**" in report(score(**{survivor: "survived"}))


def test_fewer_than_98_percent_are_a_problem():
    many = {mutant.name: "survived" for mutant in reference_mutants()[:200]}
    *_, last = score(**many).problems()
    assert "not 98%" in last


# The changes ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "changed"),
    [
        ("x = a < b", {"pass", "x = a <= b"}),
        ("x = a and b", {"pass", "x = a or b", "x = a", "x = b"}),
        ("x = not a", {"pass", "x = a"}),
        ("x = a + b", {"pass", "x = a - b", "x = b + a", "x = a", "x = b"}),
        ("x = 'a|b'", {"pass", "x = 'a|bX'", "x = ''", "x = 'A|B'", "x = 'b'", "x = 'a'", "x = 'b|a'"}),
        ("x = 3", {"pass", "x = 2", "x = 4"}),
        ("x = True", {"pass", "x = False"}),
        ("x = []", {"pass", "x = ['']"}),
        ("x = a[b:c]", {"pass", "x = a[:c]", "x = a[b:]"}),
        ("f(a, b)", {"pass", "f(b)", "f(a)", "f(b, a)"}),
        ("a.partition(b)", {"pass", "a.partition()", "a.rpartition(b)"}),
        ("a.append(b)", {"pass", "a.append()", "a.extend(b)", "a.insert(0, b)"}),
        ("x = a if b else c", {"pass", *(f"x = a if {test} else c" for test in ("True", "False", "not b"))}),
        ("for x in a: f()", {"pass", *(f"for x in a[{part}]:" for part in ("1:", ":-1", "::-1"))}),
    ],
)
def test_a_line_is_changed_in_these_ways(line, changed):
    assert changes(line) == changed


def test_what_a_method_returns_is_changed_by_its_type():
    source = "def f(a) -> str:\n    return g(a)"
    assert changes(source) == {"pass", "return None", "return ''", "return g()"}


def test_state_is_taken_for_other_state_of_its_type():
    source = "class P:\n    def __init__(self):\n        self.a = ''\n        self.b = ''\n        self.c = []\n"
    assert "self.b = ''" in changes(source)
    assert "self.c = ''" not in changes(source)


def test_docstrings_annotations_decorators_and_all_stay():
    source = '"""A."""\nimport a\n__all__ = ["f"]\n\n@a.b(1)\ndef f(a: "x") -> "y":\n    """B."""\n'
    assert mutants(source) == []
