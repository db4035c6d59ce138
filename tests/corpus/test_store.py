"""A folder of entries: what is wrong with one file is no matter of the others, and no write is ever half done."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from chunkproof.corpus import store as stored
from chunkproof.corpus.entry import EntryError, entry_text, read_entry
from chunkproof.corpus.making import store
from chunkproof.corpus.store import FILE_BYTES_MAX, own_corpus, read_corpus, read_file, rewrite_entry, write_entry
from chunkproof.corpus.suite import suite

from .test_entry import DATA


def write(folder: Path, name: str, content: bytes | str | dict[str, Any]) -> Path:
    path = folder / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, dict):
        content = json.dumps({**content, "id": path.stem})
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_entries_are_found_in_all_folders_and_come_by_their_ids(tmp_path):
    for name in ("b/two", "a/deep/three", "one"):
        write(tmp_path, name, DATA)
    write(tmp_path, ".hidden/four", DATA)
    (tmp_path / "README.md").write_text("no entry")
    (tmp_path / "entry.schema.json").write_text("{}")
    (tmp_path / "b/.five.1234.part").write_text("half")
    corpus = read_corpus(tmp_path)
    assert [entry.id for entry in corpus.entries] == ["one", "three", "two"]
    assert corpus.problems == []


DEEP = "[" * 100_000 + "]" * 100_000


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "it is no JSON"),
        (b"{", "it is no JSON"),
        (b"\xff\xfe", "it is no UTF-8: invalid start byte at byte 0"),
        (DEEP, "it is no JSON"),
        ('{"version": 1' + "0" * 5000 + "}", "it is no JSON"),
        (b"[]", "version: None"),
        (b'{"version": 99}', "version: 99 stands where 1 belongs: it is no entry, or of a later release"),
        (b" " * (FILE_BYTES_MAX + 1), "it has more than 4,194,304 bytes"),
        ({**DATA, "wire": {"recipe": [{"repeat": [{"text": "a"}], "times": 1 << 30}]}}, "wire.recipe: it unrolls to"),
        ({**DATA, "id": "x", "title": 5}, "title: 5 stands where a text belongs"),
    ],
    ids=["empty", "cut", "utf16", "deep", "digits", "list", "version", "large", "recipe", "type"],
)
def test_a_file_that_cannot_be_used_is_named_and_harms_no_other(tmp_path, content, said):
    write(tmp_path, "good", DATA)
    path = write(tmp_path, "bad", content)
    corpus = read_corpus(tmp_path)
    assert [entry.id for entry in corpus.entries] == ["good"]
    (problem,) = corpus.problems
    assert problem.path == path
    assert problem.reason.startswith(said)


def test_an_id_has_one_file_and_a_file_its_own_id(tmp_path):
    write(tmp_path, "a/one", DATA)
    write(tmp_path, "b/one", DATA)
    write(tmp_path, "two", json.dumps({**DATA, "id": "three"}))
    corpus = read_corpus(tmp_path)
    assert [entry.id for entry in corpus.entries] == ["one"]
    assert [problem.reason for problem in corpus.problems] == [
        "id: three stands in a file of another name",
        f"id: one stands in {tmp_path / 'a/one.json'} as well",
    ]


links = pytest.mark.skipif(not hasattr(os, "symlink") or os.name == "nt", reason="no links to folders here")


@links
def test_a_folder_that_holds_itself_is_read_once(tmp_path):
    write(tmp_path, "one", DATA)
    (tmp_path / "again").symlink_to(tmp_path, target_is_directory=True)
    assert [entry.id for entry in read_corpus(tmp_path).entries] == ["one"]


@links
def test_a_link_to_another_folder_is_named_and_one_into_this_folder_is_not(tmp_path):
    mine, other = tmp_path / "mine", tmp_path / "other"
    write(mine, "a/one", DATA)
    write(mine, ".hidden/two", DATA)
    write(other, "three", DATA)
    (mine / "again").symlink_to(mine / "a", target_is_directory=True)
    (mine / "to-the-hidden").symlink_to(mine / ".hidden", target_is_directory=True)
    (mine / "to-another").symlink_to(other, target_is_directory=True)
    (mine / ".passed-over").symlink_to(other, target_is_directory=True)
    corpus = read_corpus(mine)
    assert [entry.id for entry in corpus.entries] == ["one"]
    reason = "it is a link to another folder, which is not read: name that folder itself"
    assert [(one.path.name, one.reason) for one in corpus.problems] == [
        ("to-another", reason),
        ("to-the-hidden", reason),
    ]


def test_a_folder_that_cannot_be_read_is_named(tmp_path, monkeypatch):
    write(tmp_path, "a/one", DATA)
    write(tmp_path, "b/two", DATA)
    scandir = os.scandir

    def refused(path: Any = ".") -> Any:
        if Path(path) == tmp_path / "a":
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refused)
    corpus = read_corpus(tmp_path)
    assert [entry.id for entry in corpus.entries] == ["two"]
    assert [str(one) for one in corpus.problems] == [f"{tmp_path / 'a'}: the folder cannot be read: Permission denied"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_what_is_no_regular_file_is_not_waited_for(tmp_path):
    write(tmp_path, "good", DATA)
    os.mkfifo(tmp_path / "pipe.json")
    (tmp_path / "zero.json").symlink_to("/dev/zero")
    found: list[stored.Corpus] = []
    # Not waited for here either, should it wait.
    reader = Thread(target=lambda: found.append(read_corpus(tmp_path)), daemon=True)
    reader.start()
    reader.join(timeout=20)
    (corpus,) = found
    assert [entry.id for entry in corpus.entries] == ["good"]
    assert [(one.path.name, one.reason) for one in corpus.problems] == [
        ("pipe.json", "it is no regular file"),
        ("zero.json", "it is no regular file"),
    ]


def test_the_entries_of_a_folder_have_one_bound(tmp_path, monkeypatch):
    assert stored.FOLDER_BYTES_MAX == 256 * 1024 * 1024
    large = {"recipe": [{"repeat": [{"text": "a" * 100}], "times": 1000}]}
    for name in ("one", "three", "two"):
        write(tmp_path, name, {**DATA, "wire": large})
    write(tmp_path, "unread", b"{")
    monkeypatch.setattr(stored, "FOLDER_BYTES_MAX", 150_000)
    corpus = read_corpus(tmp_path)
    assert [entry.id for entry in corpus.entries] == ["one"]
    assert [one.path.stem for one in corpus.problems] == ["three", "two", "unread"]
    for problem in corpus.problems:
        assert problem.reason.startswith("it is not used: the entries of one folder hold 268,435,456 bytes at most")


def test_a_name_that_is_taken_is_not_written_over(tmp_path):
    entry = read_entry(DATA)
    path = write_entry(tmp_path, entry)
    assert path == tmp_path / "bytes" / "a-character-cut-in-two.json"
    before = path.read_bytes()
    with pytest.raises(FileExistsError):
        write_entry(tmp_path, read_entry({**DATA, "title": "Another."}))
    assert path.read_bytes() == before
    second, named = store(tmp_path, read_entry({**DATA, "title": "Another."}))
    assert (second.stem, named.id) == ("a-character-cut-in-two-2", "a-character-cut-in-two-2")
    rewrite_entry(path, read_entry({**DATA, "title": "Another."}))
    assert read_corpus(tmp_path).entries[0].title == "Another."
    assert {one.name for one in path.parent.iterdir()} == {path.name, second.name}


def test_an_id_is_given_once_in_all_chapters_of_a_folder(tmp_path):
    one, other = read_entry(DATA), read_entry({**DATA, "rules": ["lines/lf"]})
    assert [store(tmp_path, entry)[1].id for entry in (one, other, one)] == [
        "a-character-cut-in-two",
        "a-character-cut-in-two-2",
        "a-character-cut-in-two-3",
    ]
    corpus = read_corpus(tmp_path)
    assert (len(corpus.entries), corpus.problems) == (3, [])
    assert {entry.chapter for entry in corpus.entries} == {"bytes", "lines"}
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == []


def test_an_id_of_ours_is_given_to_no_other(tmp_path):
    ours = own_corpus().entries[0].id
    assert store(tmp_path, read_entry({**DATA, "id": ours}))[1].id == f"{ours}-2"


def test_an_id_that_another_process_is_about_to_take_is_left_to_it(tmp_path, monkeypatch):
    claim = tmp_path / ".a-character-cut-in-two.claim"
    claim.touch()
    assert store(tmp_path, read_entry(DATA))[1].id == "a-character-cut-in-two-2"
    claim.unlink()
    # What is there is looked for while the id is kept from the others.
    kept = []

    def looked_for(folder: Path) -> dict[str, Path]:
        kept.append(claim.exists())
        return stored.paths_of(folder)

    monkeypatch.setattr("chunkproof.corpus.making.paths_of", looked_for)
    assert store(tmp_path, read_entry(DATA))[1].id == "a-character-cut-in-two"
    assert kept == [True]
    assert not claim.exists()


def test_an_entry_that_could_not_be_read_again_is_not_written(tmp_path):
    wire = {"text": "data: 你\n\n:" + "a" * FILE_BYTES_MAX}
    large = read_entry({**DATA, "wire": wire})
    said = f"its file would have {len(entry_text(large).encode()):,} bytes, and no larger one than of 4,194,304 is read"
    with pytest.raises(EntryError, match=said):
        store(tmp_path, large)
    path = write_entry(tmp_path, read_entry(DATA))
    before = path.read_bytes()
    with pytest.raises(EntryError, match=said):
        rewrite_entry(path, large)
    assert path.read_bytes() == before
    assert [one for one in tmp_path.rglob("*") if one.is_file()] == [path]


WRITER = """
import json, sys
from pathlib import Path
from chunkproof.corpus.entry import read_entry
from chunkproof.corpus.making import store
data = json.loads(sys.argv[2])
for number in range(25):
    rule = ("lines/lf", "bytes/three-byte-character-cut")[(number + len(sys.argv[3])) % 2]
    store(Path(sys.argv[1]), read_entry({**data, "rules": [rule], "title": f"{sys.argv[3]} {number}"}))
"""


def test_a_file_system_without_links_will_do(tmp_path, monkeypatch):
    def refused(*paths: object) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(os, "link", refused)
    entry = read_entry(DATA)
    assert read_file(write_entry(tmp_path, entry)) == entry
    with pytest.raises(FileExistsError):
        write_entry(tmp_path, entry)
    assert len(list(tmp_path.rglob("*.*"))) == 1


def test_two_processes_that_add_at_once_lose_nothing(tmp_path):
    runs = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), json.dumps(DATA), name], env=environment())
        for name in ("one", "other")
    ]
    assert [run.wait(timeout=60) for run in runs] == [0, 0]
    corpus = read_corpus(tmp_path)
    assert corpus.problems == []
    assert {entry.title for entry in corpus.entries} == {f"{who} {at}" for who in ("one", "other") for at in range(25)}
    assert not [path for path in tmp_path.rglob("*") if path.suffix in (".part", ".claim")]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}


def test_what_comes_with_chunkproof_is_whole():
    corpus = own_corpus()
    assert corpus.problems == []
    assert corpus.entries


# What a run judges by ------------------------------------------------------------------------------------------------


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A folder with a copy of one of ours."""
    ours = own_corpus().paths["crlf-cut-after-its-cr"]
    return write(tmp_path / "copy", ours.stem, ours.read_bytes())


def taken(effort: str, *folders: Path) -> tuple[int, list[str]]:
    """How often the entry of that id is a rule of a run, and what is wrong."""
    found = suite(effort, folders)
    ids = [rule.id for rule in found.rules]
    return ids.count("corpus/crlf-cut-after-its-cr"), [problem.reason for problem in found.problems]


@pytest.mark.parametrize("effort", ["smoke", "default"])
def test_a_copy_of_one_of_ours_is_judged_once(copied, effort):
    assert taken(effort, copied.parent) == (1, [])


@pytest.mark.parametrize(("effort", "times"), [("smoke", 0), ("default", 1)])
def test_another_entry_with_an_id_of_ours_is_told_at_every_effort(copied, effort, times):
    copied.write_text(json.dumps({**json.loads(copied.read_text("utf-8")), "title": "Another."}), "utf-8")
    said = f"id: an entry of {stored.own_folder()} is called crlf-cut-after-its-cr as well"
    assert taken(effort, copied.parent) == (times, [said])


def test_an_id_stands_in_one_folder_of_a_run(tmp_path):
    for name in ("a", "b"):
        write(tmp_path / name, "one", DATA)
    found = suite("smoke", [tmp_path / "a", tmp_path / "b"])
    assert [rule.id for rule in found.rules].count("corpus/one") == 1
    assert [str(one) for one in found.problems] == [
        f"{tmp_path / 'b' / 'one.json'}: id: an entry of {tmp_path / 'a'} is called one as well"
    ]


def test_a_folder_without_an_entry_is_told(tmp_path):
    (tmp_path / "bytes").mkdir()
    (problem,) = suite("smoke", [tmp_path]).problems
    assert (problem.path, problem.reason) == (tmp_path, "there is no entry in it")
    write(tmp_path, "bytes/one", DATA)
    assert suite("smoke", [tmp_path]).problems == ()
