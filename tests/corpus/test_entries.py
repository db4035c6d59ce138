"""The entries that come with chunkproof: each is right, and each shows the deviations that it names.

What they expect is the oracle's word; a dozen of them are spelled out by hand here, so that it is not the only one.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from chunkproof.corpus.entry import Entry
from chunkproof.corpus.judging import assert_agrees, rule_of
from chunkproof.corpus.store import own_corpus, own_folder, read_file
from chunkproof.rule_run import RuleRun, search_cases
from chunkproof.watch import Watch
from chunkproof_strategies.chunkings import chunks_of, sore_points
from chunkproof_targets.contract import Event, Outcome
from chunkproof_targets.deviations import CATALOGUE, find_deviation
from chunkproof_targets.deviations.compose import DeviatingTarget
from chunkproof_targets.reference import ReferenceParser

ENTRIES = own_corpus().entries
BY_ID = {entry.id: entry for entry in ENTRIES}
#: Longer wires are not run in all single cuts, but in those that hurt.
ALL_CUTS_MAX = 300
SORE_CUTS_MAX = 24
#: Their measure is time or memory, or a line of a million characters and more: no stored stream shows them.
MEASURED = re.compile(r"resources/.*|size/a-line-of-\d+-mib")

each_entry = pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.id)


def files() -> list[Path]:
    return sorted(own_folder().glob("*/*.json"))


# What they are ----------------------------------------------------------------------------------------------------


def test_every_file_is_an_entry_in_the_folder_of_its_chapter() -> None:
    assert own_corpus().problems == []
    entries = [(path, read_file(path)) for path in files()]
    assert [(path.parent.name, path.stem) for path, _ in entries] == [(one.chapter, one.id) for _, one in entries]


def test_ids_are_unique_and_there_are_two_hundred_at_least() -> None:
    assert len({path.stem for path in files()}) == len(files()) == len(ENTRIES) >= 200


def test_no_two_entries_are_the_same_stream_judged_in_the_same_way() -> None:
    seen: dict[object, str] = {}
    for entry in ENTRIES:
        assert seen.setdefault((entry.question, entry.rules[0].way), entry.id) == entry.id


def test_a_title_is_one_sentence_that_fits_on_a_line() -> None:
    for entry in ENTRIES:
        assert re.fullmatch(r"[A-Z0-9`].{0,98}\.", entry.title), entry.id


def test_a_report_is_named_as_in_the_catalogue() -> None:
    reports = [entry for entry in ENTRIES if entry.origin["kind"] == "report"]
    assert len(reports) >= 50
    for entry in reports:
        for reference in (entry.origin["reference"], *entry.data["origin"].get("also", ())):
            assert re.fullmatch(r"[\w.-]+/[\w.-]+#\d+", reference), f"{entry.id}: {reference}"


def test_each_severity_is_that_of_the_first_rule_or_less() -> None:
    order = ("must", "should", "info")
    for entry in ENTRIES:
        assert order.index(entry.severity) >= order.index(entry.rules[0].severity), entry.id


@each_entry
def test_it_is_within_the_point_of_its_first_rule(entry: Entry) -> None:
    assert entry.rules[0].point(entry.wire, entry.cuts)


# What they expect -------------------------------------------------------------------------------------------------


@each_entry
def test_it_agrees_with_the_oracle_and_shows_its_deviations(entry: Entry) -> None:
    assert_agrees(entry)


@each_entry
def test_the_reference_parser_agrees_however_it_is_cut(entry: Entry) -> None:
    plans = {(), entry.cuts}
    plans |= {(at,) for at in single_cuts(entry.wire)}
    for cuts in plans:
        assert read(chunks_of(entry.wire, cuts)) == said(entry), f"cut at {cuts[:9]}"


def single_cuts(wire: bytes) -> list[int]:
    """Each offset of a short wire; of a long one the first sore points, and others from all over it."""
    if len(wire) <= ALL_CUTS_MAX:
        return list(range(len(wire) + 1))
    points = sore_points(wire)
    few = SORE_CUTS_MAX // 2
    return points[:few] + points[few :: max(1, len(points) // few)]


def test_long_wires_are_cut_where_it_hurts() -> None:
    longer = [entry.wire for entry in ENTRIES if len(entry.wire) > ALL_CUTS_MAX]
    assert longer
    assert [wire[:20] for wire in longer if not 2 <= len(single_cuts(wire)) <= 2 * SORE_CUTS_MAX] == []
    assert single_cuts(b"data: " + b"a" * 300 + b"\r\n\n") == [4, 6, 306, 307, 308]


def read(chunks: list[bytes]) -> tuple[list[Event], str, list[str]]:
    parser = ReferenceParser()
    events = [event for chunk in chunks for event in parser.feed(chunk)] + parser.close()
    return events, parser.last_event_id, list(parser.retries)


def said(entry: Entry) -> tuple[list[Event], str, list[str]]:
    expected = entry.expected
    return list(expected.events), expected.last_event_id, list(expected.retries)


# What they catch --------------------------------------------------------------------------------------------------


def test_each_deviation_that_is_named_breaks_the_rule_that_the_entry_is() -> None:
    missed = []
    with Watch() as watch:
        for entry in ENTRIES:
            for deviation in entry.deviations:
                rule_run = RuleRun(rule_of(entry), DeviatingTarget(deviation.part), watch)
                if search_cases(rule_run, [entry.question]) is None:
                    missed.append((entry.id, deviation.name))
    assert missed == []


@pytest.mark.parametrize(
    ("name", "deviation"),
    [("half-a-line-beside-another-parser", "line-of-the-class"), ("chunk-is-not-emptied", "empties-a-bytearray")],
)
def test_who_declares_what_an_entry_shows_is_not_judged_by_it(name: str, deviation: str) -> None:
    target = DeviatingTarget(find_deviation(deviation).part)
    assert rule_of(BY_ID[name]).not_judged(target) == ""
    target.deviations = (deviation,)
    assert rule_of(BY_ID[name]).not_judged(target) == f"the target declares {deviation}"


def test_an_entry_that_names_no_deviation_says_why_it_is_there() -> None:
    assert [entry.id for entry in ENTRIES if not entry.deviations] == [
        "leaving-after-the-first-event-closes-the-source"
    ]
    assert BY_ID["leaving-after-the-first-event-closes-the-source"].severity == "info"


def test_every_deviation_that_a_stream_can_show_is_named_by_an_entry() -> None:
    named = {deviation.name for entry in ENTRIES for deviation in entry.deviations}
    unnamed = {one.name for one in CATALOGUE if one.name not in named}
    assert unnamed == {one.name for one in CATALOGUE if MEASURED.fullmatch(one.shows_in)}


def test_a_few_deviations_are_enough_to_tell_an_entry() -> None:
    assert [entry.id for entry in ENTRIES if len(entry.deviations) > 4] == []


# Some of them, by hand --------------------------------------------------------------------------------------------


def message(data: str, last_event_id: str = "", *, type: str = "message") -> Event:
    return Event(type, data, last_event_id)


#: The wire, the cuts, and what comes of it: counted and read by hand.
BY_HAND: dict[str, tuple[bytes, tuple[int, ...], tuple[Event, ...], str, tuple[str, ...]]] = {
    "chinese-character-cut-after-its-first-byte": (b"data: \xe4\xbd\xa0\n\n", (7,), (message("你"),), "", ()),
    "crlf-cut-after-its-cr": (b"data: a\r\ndata: b\r\n\r\n", (8,), (message("a\nb"),), "", ()),
    "mark-cut-after-its-first-byte": (
        b"\xef\xbb\xbfdata: 1\n\ndata: 2\n\n",
        (1,),
        (message("1"), message("2")),
        "",
        (),
    ),
    "id-with-a-nul-is-ignored": (b"id: a\x00b\ndata: x\n\n", (), (message("x"),), "", ()),
    "surrogate-is-three-marks": (b"data: \xed\xa0\x80\n\n", (), (message("\ufffd\ufffd\ufffd"),), "", ()),
    "sequence-cut-short-by-a-line-feed": (b"data: \xf0\x9f\n\n", (), (message("\ufffd"),), "", ()),
    "wrong-retry-raises-nothing": (
        b"retry: 500\n\ndata: first\n\nretry: 50x\n\ndata: second\n\n",
        (),
        (message("first"), message("second")),
        "",
        ("500",),
    ),
    "error-event-within-an-unfinished-block": (
        b'data: {"a":\nevent: error\ndata: {"e":1}\n\n',
        (),
        (message('{"a":\n{"e":1}', type="error"),),
        "",
        (),
    ),
    "id-of-the-last-block-without-data": (b"data: a\n\nid: 2\n\n", (), (message("a"),), "2", ()),
    "retry-counts-as-its-line-is-read": (b"retry: 4000\n", (), (), "", ("4000",)),
    "names-with-anything-in-them-are-unknown": (
        b"data:\x00\ndata:  2\rData:1\ndata\x00:2\ndata:1\r\x00data:4\nda-ta:3\rdata_5\n"
        b"data:3\rdata:\r\n data:32\ndata:4\n\n",
        (),
        (message("\x00\n 2\n1\n3\n\n4"),),
        "",
        (),
    ),
    "crlf-and-lf-blocks-in-chunks-of-1-byte": (
        b'data: {"n":1}\r\n\r\ndata: \xe4\xb8\xad\xe6\x96\x87\r\n\r\ndata: {"n":3}\n\n',
        tuple(range(1, 48)),
        (message('{"n":1}'), message("中文"), message('{"n":3}')),
        "",
        (),
    ),
}


@pytest.mark.parametrize("name", BY_HAND)
def test_what_it_expects_by_hand(name: str) -> None:
    wire, cuts, events, last_event_id, retries = BY_HAND[name]
    entry = BY_ID[name]
    assert (entry.wire, entry.cuts, entry.question.before) == (wire, cuts, ())
    assert said(entry) == (list(events), last_event_id, list(retries))
    assert entry.expected == Outcome(events, last_event_id, retries)


def test_the_answer_of_a_model_by_hand() -> None:
    expected = (
        message('{"type":"message_start"}', type="message_start"),
        message('{"type":"content_block_delta","delta":{"text":"流式"}}'),
        message('{"type":"content_block_delta","delta":{"text":"输出"}}'),
        message('{"type":"message_stop"}'),
        message("[DONE]"),
    )
    for size, chunks in (("1-byte", 234), ("3-bytes", 78), ("7-bytes", 34)):
        entry = BY_ID[f"answer-of-a-model-in-chunks-of-{size}"]
        assert (len(entry.wire), len(entry.question.chunks)) == (234, chunks)
        assert entry.expected.events == expected


def test_large_wires_are_recipes_that_unroll_as_they_say() -> None:
    entry = BY_ID["line-of-22000-chinese-characters"]
    assert "recipe" in entry.data["wire"]
    assert (len(entry.wire), entry.wire[:9], entry.wire[-2:]) == (66_008, "data: 流".encode(), b"\n\n")
    assert entry.expected.events == (message("流" * 22_000),)
    assert max(len(entry.wire) for entry in ENTRIES) < 200_000


def test_an_id_that_was_given_out_stays() -> None:
    """A baseline, a report and a pasted id name entries: one that goes, or is called otherwise, breaks them.

    A new one is added to the list; what stands in it is taken out only where an entry was wrong.
    """
    listed = Path(__file__).with_name("ids.txt").read_text("utf-8").split()
    assert listed == sorted(BY_ID)
