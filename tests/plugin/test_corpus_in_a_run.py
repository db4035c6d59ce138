"""Entries in a run of pytest: each is one test, beside the rules; files that cannot be used do not pass unseen."""

from __future__ import annotations

import re

import pytest

from chunkproof.corpus.store import own_corpus
from chunkproof.counterexample import Case, encode_token
from chunkproof_reports.results import Results

from ..corpus.test_entry import DATA
from ..corpus.test_store import write

LOSSY = "--target=deviation:utf8-split-lossy"
SMOKE = "--effort=smoke"
ENTRY = "chunkproof::corpus/a-character-cut"


@pytest.fixture
def with_entry(folder):
    write(folder, "bugs/bytes/a-character-cut", DATA)
    return folder


def test_an_entry_of_the_user_is_one_test_with_a_readable_id(with_entry, run):
    ran = run(with_entry, LOSSY, SMOKE, "--chunkproof-corpus=bugs", "--chunkproof-report=report.json", "-rA")
    assert ran.code == 1
    assert f"FAILED {ENTRY} - changed: data: " in ran.out
    assert "149 rules and 1 entry of the corpus judged" in ran.out
    assert re.search(r"breaks \d+ rules: [^;]*; 1 entry of the corpus", ran.out)
    results = Results.from_json((with_entry / "report.json").read_text("utf-8"))
    (entry,) = [rule for rule in results.rules if rule.case_of]
    assert (entry.id, entry.case_of) == ("corpus/a-character-cut", "bytes/three-byte-character-cut")
    assert entry.requirement == DATA["title"]
    assert entry.checks == 1


def test_an_entry_alone_is_run_by_its_id_and_replayed_by_its_token(with_entry, run):
    ran = run(with_entry, LOSSY, "--chunkproof-corpus=bugs", ENTRY)
    assert ran.code == 1
    assert "1 entry of the corpus judged, 1 check of 1 stream" in ran.out
    (token,) = re.findall(r"chunkproof replay (cp1\.\S+) --target", ran.out)
    again = run(with_entry, LOSSY, SMOKE, "chunkproof::bytes/three-byte-character-cut")
    assert again.code == 1
    # The token stands for itself: nothing of the folder is needed to replay it.
    assert token in again.out


def test_who_is_right_holds_it(with_entry, run):
    ran = run(with_entry, "--target=reference", "--chunkproof-corpus=bugs", ENTRY)
    assert ran.code == 0


def test_an_entry_can_be_a_known_failure(with_entry, run):
    (with_entry / "known.json").write_text(BASELINE, "utf-8")
    options = (LOSSY, "--chunkproof-corpus=bugs", "--chunkproof-baseline=known.json", ENTRY)
    ran = run(with_entry, *options)
    assert ran.code == 0, ran.all
    assert "1 known" in ran.out


BASELINE = """{"version": 1, "chunkproof": "0.1.0", "target": "deviation:utf8-split-lossy", "declared": [],
"effort": "smoke", "seed": "1", "rules": [{"rule": "corpus/a-character-cut", "kind": "changed", "deviation": "",
"token": "cp1.AB5ieXRlcy90aHJlZS1ieXRlLWNoYXJhY3Rlci1jdXQAAQtkYXRhOiDkvaAKCgEH"}]}"""


def test_a_file_that_cannot_be_used_is_named_and_the_run_is_not_green(with_entry, run):
    write(with_entry, "bugs/broken", b"{")
    ran = run(with_entry, "--target=reference", SMOKE, "--chunkproof-corpus=bugs", "chunkproof::lines/crlf", ENTRY)
    assert ran.code == 4
    assert "not used: " in ran.out
    assert "bugs/broken.json: it is no JSON" in ran.out
    assert "1 rule and 1 entry of the corpus judged" in ran.out


def test_an_entry_that_disagrees_with_the_standard_judges_nobody(with_entry, run):
    write(with_entry, "bugs/wrong", {**DATA, "cuts": [], "deviations": [], "severity": "info", "expected": NOTHING})
    ran = run(with_entry, "--target=reference", "--chunkproof-corpus=bugs", ENTRY)
    assert ran.code == 4
    assert "bugs/wrong.json: expected.events: () stands where the standard says (Event(" in ran.out
    assert "1 entry of the corpus judged" in ran.out


NOTHING = {"events": [], "last_event_id": "", "retries": []}


def test_a_folder_that_is_not_there_is_an_error(folder, run):
    ran = run(folder, "--target=reference", "--chunkproof-corpus=none")
    assert ran.code == 4
    assert "none is no folder; `chunkproof corpus add` makes one" in ran.err


def test_a_corpus_without_a_target_is_an_error(with_entry, run):
    ran = run(with_entry, "--chunkproof-corpus=bugs")
    assert ran.code == 4
    assert "--chunkproof-corpus: there is no target to judge" in ran.err


def test_an_id_of_ours_is_no_name_for_an_entry_of_the_user(folder, run):
    taken = own_corpus().entries[0].id
    write(folder, f"bugs/{taken}", DATA)
    ran = run(folder, "--target=reference", "--chunkproof-corpus=bugs", f"chunkproof::corpus/{taken}")
    assert ran.code == 4
    assert f"is called {taken} as well" in ran.out


def test_a_folder_without_an_entry_does_not_pass_unseen(folder, run):
    (folder / "bugs").mkdir()
    ran = run(folder, "--target=reference", SMOKE, "--chunkproof-corpus=bugs", "chunkproof::lines/crlf")
    assert ran.code == 4
    assert "bugs: there is no entry in it" in ran.out


def test_entries_of_ours_are_in_every_default_run_and_not_at_smoke(folder, run):
    ours = len(own_corpus().entries)
    collected = run(folder, "--target=reference", "--collect-only", "-q").out
    assert collected.count("chunkproof::corpus/") == ours
    assert "chunkproof::corpus/" not in run(folder, "--target=reference", SMOKE, "--collect-only", "-q").out


def known_as(rule: str, token: str) -> str:
    return BASELINE.replace("corpus/a-character-cut", rule).replace(re.findall(r"cp1\.\w+", BASELINE)[0], token)


def test_a_known_failure_of_another_stream_hides_nothing(with_entry, run):
    mark = encode_token(Case("bytes/three-byte-character-cut", "bytes", (("data: 好\n\n".encode(), (7,)),)))
    (with_entry / "known.json").write_text(known_as("corpus/a-character-cut", mark), "utf-8")
    ran = run(with_entry, LOSSY, "--chunkproof-corpus=bugs", "--chunkproof-baseline=known.json", ENTRY)
    assert ran.code == 1
    assert "the entry holds another stream by now" in " ".join(ran.out.split())


def test_a_known_failure_of_an_entry_that_is_gone_is_an_error(with_entry, run):
    (with_entry / "known.json").write_text(BASELINE, "utf-8")
    ran = run(with_entry, LOSSY, SMOKE, "--chunkproof-baseline=known.json")
    assert ran.code == 4
    assert "known.json: corpus/a-character-cut is no entry of this run: name its folder with" in ran.err


def test_files_that_cannot_be_used_are_named_where_tests_are_only_collected(with_entry, run):
    write(with_entry, "bugs/broken", b"{")
    ran = run(with_entry, "--target=reference", SMOKE, "--chunkproof-corpus=bugs", "--collect-only", "-q")
    assert ran.code == 4
    assert "bugs/broken.json: it is no JSON" in ran.out


def test_a_title_drives_no_terminal(with_entry, run):
    write(with_entry, "bugs/bytes/a-character-cut", {**DATA, "title": "A \x1b[31m\x07\u202etitle."})
    ran = run(with_entry, LOSSY, "--chunkproof-corpus=bugs", ENTRY)
    assert ran.code == 1
    assert "A ␛[31m␇\\u202Etitle." in ran.out
    assert "\x1b[31m\x07" not in ran.out
