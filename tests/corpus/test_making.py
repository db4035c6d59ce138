"""The commands that make entries refuse what would lose an entry, or keep nothing of its point."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from chunkproof.corpus.store import own_corpus, own_folder, read_corpus

from .test_entry import DATA
from .test_stories import chunkproof


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def stored(folder: Path, **data: object) -> Path:
    path = folder / "chunkproof-corpus" / "bytes" / f"{DATA['id']}.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({**DATA, **data}), "utf-8")
    return path


@pytest.mark.parametrize("command", ["shrink", "redact"])
def test_what_comes_with_chunkproof_stays(command):
    name = "answer-of-a-model-in-chunks-of-7-bytes"
    before = (own_folder() / "chunking" / f"{name}.json").read_bytes()
    told = chunkproof("corpus", command, name, code=2)
    assert f"{name} comes with chunkproof and stays as it is: --output DIR writes what becomes of it" in told
    assert (own_folder() / "chunking" / f"{name}.json").read_bytes() == before
    told = chunkproof("corpus", command, name, "--output", "mine")
    assert told.endswith(" in 34 chunks\n") if command == "redact" else "from 234 bytes in 34 chunks to " in told
    assert [entry.id for entry in read_corpus(Path("mine")).entries] == [name]
    assert len(own_corpus().entries) > 200


def test_nothing_is_made_small_without_something_that_has_to_stay(folder):
    path = stored(folder, deviations=[], severity="info", rules=["retry/an-empty-value-is-ignored"])
    before = path.read_bytes()
    told = chunkproof("corpus", "shrink", DATA["id"], code=2)
    assert "nothing says what has to stay: name a --target that fails on it" in told
    assert path.read_bytes() == before


def test_a_target_that_is_right_has_nothing_to_be_made_small(folder):
    stored(folder)
    told = chunkproof("corpus", "shrink", DATA["id"], "--target", "reference", code=2)
    assert "reference does with this stream what is expected, so there is no failure to keep" in told


def test_a_parser_whose_fault_has_no_name_is_told_so(folder):
    (folder / "odd.py").write_text(ODD, "utf-8")
    told = chunkproof("corpus", "add", "-", "--target", "odd", given=b"data: seven\n\ndata: 7 8\n\n")
    assert "odd fails on it (changed)" in told
    assert "no deviation of the catalogue explains that: the entry names others that show on it" in told


ODD = """
from chunkproof_targets.reference import ReferenceParser

class Parser(ReferenceParser):
    def field_data(self, value):
        super().field_data(value.replace("7", "<seven>"))
"""


def test_an_entry_weighs_as_much_as_its_rule(folder):
    chunks = rb'["data: a\n\n", "data: b\n\n"]'
    told = chunkproof("corpus", "add", "-", "--rule", "delivery/prompt", "--no-redact", given=chunks)
    assert "shows: all-events-at-the-end, bytes-gathered=16, " in told
    (entry,) = read_corpus(folder / "chunkproof-corpus").entries
    assert entry.severity == "should"


def test_a_choice_that_is_left_open_is_no_must(folder):
    told = chunkproof("corpus", "add", "-", given=b"retry:\ndata:x\n\n", code=2)
    assert "retry-empty-is-zero shows on this stream, and is a choice: give --severity info" in told
    assert not (folder / "chunkproof-corpus").exists()
    chunkproof("corpus", "add", "-", "--severity", "info", given=b"retry:\ndata:x\n\n")
    assert [entry.severity for entry in read_corpus(folder / "chunkproof-corpus").entries] == ["info"]


def test_a_large_stream_names_one_deviation(folder):
    wire = b"data: some words\n\n" * 5000
    chunkproof("corpus", "add", "-", "--no-redact", given=wire)
    (entry,) = read_corpus(folder / "chunkproof-corpus").entries
    assert (len(entry.wire), len(entry.deviations)) == (90_000, 1)


def test_no_verdict_where_no_entry_can_be_judged(folder):
    stored(folder, rules=["delivery/failing-source"], deviations=[], severity="info")
    told = chunkproof("corpus", "check", "--target", "reference", code=2)
    assert "reference: right on 0 of 0 entries, 1 not judged" in told


def test_an_entry_is_found_wherever_it_stands(folder):
    path = stored(folder)
    path.rename(folder / "chunkproof-corpus" / path.name)
    assert DATA["title"] in chunkproof("corpus", "show", DATA["id"])
    assert "there is no such file, and no entry of this id" in chunkproof("corpus", "show", "*", code=2)
