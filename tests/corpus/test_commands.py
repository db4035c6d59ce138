"""The commands that look at entries, judge by them and hand them on: what they say, what they write, how they end."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from chunkproof.cli import main
from chunkproof.corpus.entry import Entry, entry_text
from chunkproof.corpus.making import ANY_RULE
from chunkproof.corpus.store import read_corpus, write_entry
from chunkproof.corpus.tables import to_pytest, to_typescript
from chunkproof.oracle import interpret
from chunkproof.question import Question
from chunkproof_reports.results import Severity

FOLDER = Path("chunkproof-corpus")


def entry(name: str, wire: str, *cuts: int, rule: str, severity: Severity = "must", shows: str) -> Entry:
    question = Question(wire.encode(), cuts)
    return Entry.of(
        name,
        f"What {name} is about.",
        question,
        interpret(question.wire),
        rules=[rule],
        layer="bytes",
        severity=severity,
        deviations=[shows],
        origin={"kind": "report", "reference": "somebody/parser#1"},
        day="2026-11-30",
    )


CUT = entry("a-cut", "data: é\n\n", 7, rule="bytes/two-byte-character-cut", shows="utf8-split-lossy")
RESET = entry(
    "a-reset", "id: 1\ndata: a\n\nid\ndata: b\n\n", rule=ANY_RULE, severity="should", shows="id-empty-ignored"
)
TIME = entry(
    "a-time", "retry: 4294967297\n", rule="retry/values-beyond-31-bits", severity="info", shows="retry-clamped"
)
ENTRIES = [CUT, RESET, TIME]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the commands run: beside a corpus of three entries."""
    monkeypatch.chdir(tmp_path)
    for one in ENTRIES:
        write_entry(tmp_path / FOLDER, one)
    return tmp_path


def corpus(*words: str, code: int = 0) -> str:
    ran = CliRunner().invoke(main, ["corpus", *words])
    assert ran.exit_code == code, ran.output
    assert "Traceback" not in ran.output
    return ran.output


def of_folder(name: str) -> list[Entry]:
    found = read_corpus(Path(name))
    assert found.problems == []
    return found.entries


# show -----------------------------------------------------------------------------------------------------------------

SHOWN = """\
bytes/a-cut (must)
What a-cut is about.
a case of: bytes/two-byte-character-cut
shows: utf8-split-lossy
from: report, somebody/parser#1

wire: 10 bytes in 2 chunks
"""


@pytest.mark.parametrize("given", ["a-cut", "bytes/a-cut", "chunkproof-corpus/bytes/a-cut.json"])
def test_show_takes_an_id_and_a_file(given):
    told = corpus("show", given)
    assert told.startswith(SHOWN)
    assert '  message "é"\n' in told
    assert told.endswith('  at the end: last event ID ""\n')


def test_show_of_an_unknown_name_says_where_the_names_are():
    assert corpus("show", "no-such", code=2) == (
        "chunkproof: no-such: there is no such file, and no entry of this id; "
        "`chunkproof corpus list` shows those there are\n"
    )


@pytest.mark.parametrize(("size", "code"), [(524_288, 0), (524_289, 2)])
def test_show_of_a_wire_too_long_to_be_taken_apart_says_the_way_out(folder, size, code):
    wire = "data: é\n\n:" + "x" * (size - 11)
    write_entry(folder / FOLDER, entry("long", wire, 7, rule=ANY_RULE, shows="utf8-split-lossy"))
    told = corpus("show", "long", code=code)
    if code == 0:
        assert f"wire: {size:,} bytes in 2 chunks" in told
    else:
        assert told == (
            f"chunkproof: long: wire: it has {size:,} bytes, and 524,288 are the most that are taken apart; "
            "`chunkproof corpus shrink long --output DIR` makes a small one that shows the same\n"
        )
        assert corpus("shrink", "long", "--output", "small").endswith("to 9 bytes in 2 chunks\n")
        assert '  message "é"\n' in corpus("show", "small/whole/long.json")


# export and import ----------------------------------------------------------------------------------------------------

NAMES = ["a-cut", "a-reset", "a-time"]


def names_in(form: str, text: str) -> list[str]:
    """The ids of the entries in what was exported."""
    if form == "jsonl":
        return [json.loads(line)["id"] for line in text.splitlines()]
    if form == "vectors":
        return [one["id"] for one in json.loads(text)]
    if form == "typescript":
        ids = (line.strip() for line in text.splitlines() if line.startswith("    id: "))
        return [json.loads(line.removeprefix("id: ").removesuffix(",")) for line in ids]
    words = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.keyword))
    return [ast.literal_eval(word.value) for word in words if word.arg == "id"]


@pytest.mark.parametrize("form", ["jsonl", "vectors", "pytest", "typescript"])
def test_export_writes_all_entries_or_those_named(folder, form):
    is_table = form in ("pytest", "typescript")
    names = [name for name in NAMES if not (is_table and name == "a-time")]
    told = corpus("export", "--format", form)
    assert names_in(form, told) == names
    said = "2 entries, 1 of severity info left out" if is_table else "3 entries"
    assert corpus("export", "--format", form, "--output", "written") == f"written: {said}\n"
    assert (folder / "written").read_text("utf-8") == told
    assert names_in(form, corpus("export", "--format", form, "a-reset")) == ["a-reset"]
    assert corpus("export", "--format", form, "a-reset", "--output", "written") == "written: 1 entry\n"
    assert names_in(form, (folder / "written").read_text("utf-8")) == ["a-reset"]


def test_export_without_a_form_writes_json_lines():
    assert corpus("export") == corpus("export", "--format", "jsonl")


@pytest.mark.parametrize(("form", "write"), [("pytest", to_pytest), ("typescript", to_typescript)])
def test_exported_tables_are_those_of_the_entries(form, write):
    assert corpus("export", "--format", form) == write(ENTRIES)


@pytest.mark.parametrize("form", ["pytest", "typescript"])
def test_a_table_of_open_choices_alone_is_refused(folder, form):
    assert corpus("export", "--format", form, "a-time", "--output", "written", code=2) == (
        f"chunkproof: --format={form}: all entries are of severity info, and a parser that differs there fails no "
        "test; name the entries that are wanted\n"
    )
    assert not (folder / "written").exists()


def test_import_of_exported_json_lines_has_the_entries():
    corpus("export", "--output", "entries.jsonl")
    assert corpus("import", "entries.jsonl", "--into", "other") == "other: 3 entries taken from entries.jsonl\n"
    assert [one.data for one in of_folder("other")] == [one.data for one in ENTRIES]


def test_import_of_exported_vectors_has_their_streams_severities_and_rules():
    corpus("export", "--format", "vectors", "--output", "vectors.json")
    told = corpus("import", "vectors.json", "--into", "other", "--rule", "ids/an-id-is-shown", "--origin", "a/b#1")
    assert told == "other: 3 entries taken from vectors.json\n"
    found = of_folder("other")
    for one, stored in zip(found, ENTRIES, strict=True):
        assert (one.id, one.title, one.question) == (stored.id, stored.title, stored.question)
        assert (one.expected, one.severity, one.rules) == (stored.expected, stored.severity, stored.rules)
    assert [one.severity for one in found] == ["must", "should", "info"]
    assert [one.origin for one in found] == [{"kind": "file", "reference": "a/b#1"}] * 3


def test_import_takes_what_can_be_used_and_names_the_rest(folder):
    right, _, wrong = corpus("export").splitlines()
    wrong = wrong.replace("retry: 4294967297", "retry: 1")
    (folder / "some.jsonl").write_text(f"{right}\n{wrong}\n{{}}\n", "utf-8")
    told = corpus("import", "some.jsonl", "--into", "other", code=2)
    assert "not taken: line 2: expected.retries: ('4294967297',) stands where the standard says ('1',)\n" in told
    assert "not taken: line 3: version: None stands where 1 belongs" in told
    assert told.endswith("other: 1 entry taken from some.jsonl\n")
    assert [one.id for one in of_folder("other")] == ["a-cut"]


# copy -----------------------------------------------------------------------------------------------------------------


def test_copy_and_copy_again(folder):
    assert corpus("copy", "copied") == "copied: 3 entries in 7 files\n"
    files = {path.relative_to("copied").as_posix() for path in Path("copied").rglob("*.json")}
    names = {"bytes/a-cut.json", "retry/a-time.json", "whole/a-reset.json"}
    assert files == {*names, "entry.schema.json"}
    assert (folder / "copied" / "bytes" / "a-cut.json").read_bytes() == entry_text(CUT).encode()
    (folder / FOLDER / "bytes" / "a-cut.json").unlink()
    (folder / "copied" / "mine.txt").write_text("mine", "utf-8")
    assert corpus("copy", "copied") == "copied: 2 entries in 6 files\n"
    assert not (folder / "copied" / "bytes" / "a-cut.json").exists()
    assert (folder / "copied" / "mine.txt").read_text("utf-8") == "mine"
    assert [one.id for one in read_corpus(folder / "copied").entries] == ["a-reset", "a-time"]


def test_copy_over_something_else_is_refused(folder):
    (folder / "other").mkdir()
    (folder / "other" / "mine.txt").write_text("mine", "utf-8")
    told = corpus("copy", "other", code=2)
    assert "holds 'mine.txt' and is no former copy: choose an empty folder" in told
    assert [path.name for path in (folder / "other").iterdir()] == ["mine.txt"]


# list -----------------------------------------------------------------------------------------------------------------

LINES = {
    "a-cut": "bytes/a-cut (must): What a-cut is about.\n",
    "a-time": "retry/a-time (info): What a-time is about.\n",
    "a-reset": "whole/a-reset (should): What a-reset is about.\n",
}


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ([], NAMES),
        (["--chapter", "retry"], ["a-time"]),
        (["--deviation", "utf8-split-lossy"], ["a-cut"]),
        (["--deviation", "id-empty-ignored"], ["a-reset"]),
        (["--deviation", "default-type-is-empty"], ["a-cut", "a-reset"]),
        (["--deviation", "default-type-is-empty", "--chapter", "whole"], ["a-reset"]),
        (["--deviation", "utf8-split-lossy", "--chapter", "whole"], []),
    ],
)
def test_list_of_a_chapter_and_of_a_deviation(options, names):
    assert corpus("list", *options) == "".join(LINES[name] for name in names)


def test_list_of_what_is_not_there_says_what_is():
    told = corpus("list", "--chapter", "rety", code=2)
    assert told == "chunkproof: --chapter=rety: there is no entry in it; the chapters are bytes, retry, whole\n"
    assert "--deviation=no-such: " in corpus("list", "--deviation", "no-such", code=2)


# check ----------------------------------------------------------------------------------------------------------------


def test_check_of_a_folder_without_a_target():
    assert corpus("check") == "3 entries, 0 that cannot be used\n"


def test_check_names_a_broken_file_and_ends_with_2(folder):
    (folder / FOLDER / "bytes" / "broken.json").write_text('{"version": 9}', "utf-8")
    for target in ([], ["--target", "reference"], ["--target", "deviation:utf8-split-lossy"]):
        told = corpus("check", *target, code=2)
        assert "broken.json: version: 9 stands where 1 belongs" in told
        assert "3 entries, 1 that cannot be used\n" in told


def test_check_of_a_target_that_fails_ends_with_1():
    told = corpus("check", "--target", "deviation:utf8-split-lossy", code=1)
    assert "corpus/a-cut" in told
    assert "right on 2 of 3 entries\n" in told
    assert told.endswith("next: chunkproof corpus show a-cut\n")


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("reference", "reference: right on 3 of 3 entries\n"),
        # An open choice fails nothing.
        ("deviation:retry-clamped", "deviation:retry-clamped: right on 2 of 3 entries, 1 info differ\n"),
    ],
)
def test_check_of_a_target_that_is_right_ends_with_0(target, said):
    assert corpus("check", "--target", target).endswith(f"3 entries, 0 that cannot be used\n{said}")
