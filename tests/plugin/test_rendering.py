"""Results as text: everything in a stream is visible, and nothing in it can drive a terminal."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkproof_reports import terminal
from chunkproof_reports.results import (
    Counterexample,
    EventRecord,
    OutcomeRecord,
    Results,
    RuleResult,
    Status,
    StreamRecord,
    TargetRecord,
)
from chunkproof_reports.visible import cells, folded, show, wire_rows

EMPTY = OutcomeRecord(())


def outcome(*data, failure="", last_event_id=None, retries=None):
    return OutcomeRecord(tuple(EventRecord("message", text, "") for text in data), last_event_id, retries, failure)


def broken(wire=b"data: a\n\n", cuts=(), expected=EMPTY, actual=EMPTY, kind="lost", before=(), **more):
    found = Counterexample(kind, (*before, StreamRecord.of(wire, cuts)), expected, actual, "cp1.AA")
    return RuleResult("lines/cr", "t", "CR ends a line.", "9.2.5", "must", "broken", counterexample=found, **more)


def rows(wire, cuts=()):
    return [row.text for row in wire_rows(wire, cuts)]


@pytest.mark.parametrize(
    ("wire", "cuts", "shown"),
    [
        (b"data: a\r\n\r\n", (8,), ["data: a␍|␊", "␍␊"]),
        (b"data: a\r\rb\n", (), ["data: a␍", "␍", "b␊"]),
        (b"a\0\tb\x7f\n", (), ["a␀␉b␡␊"]),
        (b"data\n\n", (0, 4, 4, 6), ["|data||␊", "␊|"]),
        (b"", (0, 0), ["||"]),
        ("data: 流\n".encode(), (7,), ["data: \\xE6|\\xB5\\x81␊"]),
        ("data: 流\n".encode(), (6, 9), ["data: |流|␊"]),
        (b"\xe4\xbd\nx", (1,), ["\\xE4|\\xBD␊", "x"]),
        (b"\xff\xfe\xc0\x80", (), ["\\xFF\\xFE\\xC0\\x80"]),
        ("\ufeffe\u0301\u200d\u2028\u00a0".encode(), (), ["\\uFEFFe\\u0301\\u200D\\u2028\\u00A0"]),
        (b"\\x0A|b", (3,), ["\\\\x0|A\\|b"]),
        (b"id: 1\n ", (), ["id: 1␊", "␠"]),
        (b"id: 1\r\n", (6, 7), ["id: 1␍|␊|"]),
    ],
)
def test_wire_with_its_cuts(wire, cuts, shown):
    assert rows(wire, cuts) == shown


def test_characters_that_are_cut_are_named_beside_their_bytes():
    text = terminal.failure(broken("data: 流式\n\n".encode(), (7,)))
    assert "    data: \\xE6|\\xB5\\x81式␊   (流 cut)\n" in text


@given(st.binary(max_size=40), st.lists(st.integers(0, 40), max_size=6))
def test_every_byte_and_every_cut_is_drawn_and_nothing_drives_a_terminal(wire, offsets):
    cuts = tuple(sorted(min(offset, len(wire)) for offset in offsets))
    drawn = wire_rows(wire, cuts)
    assert sum(size for row in drawn for _, size in row.pieces) == len(wire)
    assert sum(piece == "|" for row in drawn for piece, _ in row.pieces) == len(cuts)
    text = "".join(row.text for row in drawn)
    assert all(unicodedata.category(character)[0] not in "C" and character.isprintable() for character in text)


@given(st.text(alphabet=st.characters(), max_size=40), st.integers(10, 30))
def test_folding_loses_nothing_and_tears_no_escape(text, width):
    visible = show(text)
    parts = list(folded(visible, width))
    assert "".join(parts) == visible
    assert all(cells(part) <= width for part in parts)
    assert "\x1b" not in visible
    assert "\n" not in visible


def test_expected_stands_beside_actual_and_the_difference_is_marked():
    text = terminal.failure(broken(expected=outcome("a", "流", "c"), actual=outcome("a", "��", "c"), kind="changed"))
    assert '\n  expected    actual\n  data "a"    data "a"\n≠ data "流"   data "��"\n  data "c"    data "c"' in text


def test_lost_event_stands_beside_nothing():
    text = terminal.failure(broken(expected=outcome("a", "b", "c"), actual=outcome("a", "c")))
    assert '≠ data "b"   (no event)\n  data "c"   data "c"' in text


def test_long_rows_stand_one_above_the_other():
    text = terminal.failure(broken(expected=outcome("a" * 39), actual=outcome("b" * 39)), width=60)
    assert f'\nexpected\n≠ data "{"a" * 39}"\nactual\n≠ data "{"b" * 39}"' in text


def test_end_state_is_shown_only_where_it_differs():
    same = terminal.failure(broken(expected=outcome("a", last_event_id="1"), actual=outcome("b", last_event_id="1")))
    assert "last event ID" not in same
    other = terminal.failure(broken(expected=outcome("a", last_event_id="1"), actual=outcome("a", last_event_id="")))
    assert '≠ last event ID at the end "1"   last event ID at the end ""' in other
    retry = terminal.failure(broken(expected=outcome(retries=("1", "2")), actual=outcome(retries=())))
    assert "≠ retry 1, 2   no retry set" in retry


def test_exception_stands_below_the_events():
    text = terminal.failure(broken(actual=outcome(failure="ValueError: \x1b[31mred\nmore"), kind="raised"))
    assert "  no event   no event\n≠ raised ValueError: ␛[31mred␊more" in text


def test_missing_exception_is_the_difference():
    text = terminal.failure(
        broken(expected=OutcomeRecord((), failure="an exception"), actual=outcome(), kind="changed")
    )
    assert "≠ not raised: an exception" in text
    both = broken(expected=OutcomeRecord((), failure="an exception"), actual=outcome("a", failure="ValueError: no"))
    assert "\n  raised ValueError: no" in terminal.failure(both)


def test_long_values_are_shown_around_their_first_difference():
    text = terminal.failure(broken(expected=outcome("a" * 5000), actual=outcome("a" * 3000 + "b" + "a" * 1999)))
    assert "aaab" in text
    assert "(5,000 characters)" in text
    assert len(text) < 600


def test_large_wire_is_abridged():
    text = terminal.failure(broken(b"data: a\n\n" * 400 + b"data: " + b"x" * 65536 + b"\n\n", (5,)))
    assert "… 3,501 bytes in 778 lines …" in text
    assert "… 65,411 bytes …" in text
    assert text.count("\n") < 50
    assert text.startswith("lines/cr (must)\n")


def test_text_is_the_rule_the_wire_the_outcomes_the_advice_and_the_command():
    result = broken(wpt="eventsource/format-newlines", advice="Declare it.", cuts=(4,), expected=outcome("a"))
    assert terminal.failure(result, "chunkproof replay cp1.AA --target t").splitlines() == [
        "lines/cr (must)",
        "CR ends a line.",
        "9.2.5 · WPT eventsource/format-newlines",
        "",
        "wire: 9 bytes in 2 chunks",
        "    data|: a␊",
        "    ␊",
        "",
        "  expected   actual",
        '≠ data "a"   (no event)',
        "",
        "Declare it.",
        "",
        "chunkproof replay cp1.AA --target t",
    ]


def test_streams_that_run_before_are_shown():
    text = terminal.failure(broken(before=(StreamRecord.of(b"id: 1\n\n", ()),)))
    assert "wire 1 of 2, run before: 7 bytes in 1 chunk\n    id: 1␊\n    ␊\n" in text
    assert "wire 2 of 2: 9 bytes in 1 chunk" in text


def test_one_line_names_the_kind_and_the_wire():
    assert terminal.one_line(broken(b"data: a\r\n\r\n", (8,))) == "lost: data: a␍|␊␍␊"
    raised = broken(actual=outcome(failure="ValueError: no"), kind="raised")
    assert terminal.one_line(raised) == "raised ValueError: data: a␊␊"
    assert len(terminal.one_line(broken(b"x" * 70000, tuple(range(70000))))) < 160


def test_colour_is_only_where_it_is_asked_for():
    result = broken(cuts=(3,), expected=outcome("a"))
    plain, coloured = terminal.failure(result), terminal.failure(result, colour=True)
    assert "\x1b" not in plain
    assert "dat\x1b[1;31m|\x1b[0ma: a␊" in coloured


def test_fault_of_ours_shows_its_traceback_and_says_whose_it_is():
    result = RuleResult("lines/cr", "t", "r", "c", "must", "fault", reason="Traceback ...\nKeyError: 'x'\n")
    text = terminal.failure(result)
    assert "A fault of chunkproof itself, not of the target." in text
    assert "KeyError: 'x'" in text
    assert terminal.one_line(result) == "KeyError: 'x'"


# the last section of a run ---------------------------------------------------------------------------------------


def summary(*results, rules=None, effort="default", declared=(), **more):
    target = TargetRecord("t", "s", "data", "f", declared, "known.json")
    run = Results("0.1.0", effort, "0.1.0", [target], rules=list(results))
    return terminal.summary(run, terminal.Ran(rules=len(results) if rules is None else rules, **more))


def result(status: Status = "held", severity="must", **more):
    return RuleResult("lines/cr", "t", "r", "c", severity, status, **more)


@pytest.mark.parametrize(
    ("results", "more", "verdict"),
    [
        ([result()], {}, "conformant"),
        ([result(), result("not judged", reason="why")], {}, "conformant"),
        ([result(), broken()], {}, "not conformant"),
        ([result("not judged", reason="why")], {}, "no verdict: no rule was judged"),
        ([], {}, "no verdict: no rule was judged"),
        ([result(), result("fault")], {}, "no verdict: chunkproof itself failed"),
        ([result()], {"rules": 2}, "no must is broken in the 1 of 2 rules that ran"),
        ([result()], {"died": ["chunkproof::lines/cr"]}, "no verdict: the run is not whole"),
        ([result(), result("broken", "should")], {}, "conformant, but 1 should broken"),
        ([result(), result("broken", "info", counterexample=broken().counterexample)], {}, "conformant"),
        (
            [result()],
            {"declared": ("bom-not-stripped", "size_limit=64")},
            "conformant with 2 declared deviations: bom-not-stripped, size_limit=64",
        ),
        (
            [result()],
            {"declared": ("size_limit=64",), "rules": 2},
            "no must is broken in the 1 of 2 rules that ran, with 1 declared deviation: size_limit=64",
        ),
        (
            [result(), result("known"), result("known", "should")],
            {},
            "not conformant: 2 known failures (baseline known.json), no new ones",
        ),
        ([result("known")], {"rules": 2}, "not conformant: 1 known failure (baseline known.json), no new ones"),
        ([result("known"), broken()], {}, "not conformant: 1 known failure (baseline known.json), 1 new"),
        (
            [result("known", "should")],
            {"declared": ("a",)},
            "conformant with 1 declared deviation: a, but 1 should broken: 1 known failure (baseline known.json), "
            "no new ones",
        ),
        ([result("stale"), result("known")], {}, "1 known failure no more: remove from known.json"),
    ],
)
def test_verdict(results, more, verdict):
    assert f"  {verdict}" in summary(*results, **more)


def test_summary_groups_the_reasons_and_names_info():
    info = result("broken", "info", counterexample=broken().counterexample)
    lines = summary(result("not judged", reason="why"), result("not judged", reason="why"), info)
    assert "  not judged, 2 rules: why" in lines
    assert "  info lines/cr: lost: data: a␊␊" in lines
    assert "  0 held, 1 info differ, 2 not judged" in lines


@pytest.mark.parametrize(
    ("results", "more", "command"),
    [
        ([broken()], {}, "pytest --target=t chunkproof::lines/cr"),
        ([result()], {"rules": 9}, "pytest --target=t"),
        ([result()], {"effort": "smoke"}, "pytest --target=t"),
        ([result()], {"effort": "default"}, "pytest --target=t --effort=deep"),
        ([broken()], {"option": "--chunkproof-target"}, "pytest --chunkproof-target=t chunkproof::lines/cr"),
        (
            [broken()],
            {"settings": ["--chunkproof-seed=1"]},
            "pytest --target=t --chunkproof-seed=1 chunkproof::lines/cr",
        ),
    ],
)
def test_next_command(results, more, command):
    assert summary(*results, **more)[-1] == f"  next: {command}"


def test_what_a_target_printed_is_kept_to_its_end():
    text = terminal.last_lines("a\n" * 5000 + "\x1b[2J last \\ |\n")
    assert text.endswith("␛[2J last \\ |\n")
    assert len(text) < 2200
