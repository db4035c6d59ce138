"""A folder of entries: what is wrong with one file is no matter of the others, and no write is ever half done."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from chunkproof.corpus.entry import read_entry
from chunkproof.corpus.making import store
from chunkproof.corpus.store import FILE_BYTES_MAX, own_corpus, read_corpus, read_file, rewrite_entry, write_entry

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


@pytest.mark.skipif(not hasattr(os, "symlink") or os.name == "nt", reason="no links to folders here")
def test_a_folder_that_holds_itself_is_read_once(tmp_path):
    write(tmp_path, "one", DATA)
    (tmp_path / "again").symlink_to(tmp_path, target_is_directory=True)
    assert [entry.id for entry in read_corpus(tmp_path).entries] == ["one"]


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


WRITER = """
import json, sys
from pathlib import Path
from chunkproof.corpus.entry import read_entry
from chunkproof.corpus.making import store
data = json.loads(sys.argv[2])
for number in range(25):
    store(Path(sys.argv[1]), read_entry({**data, "title": f"{sys.argv[3]} {number}"}))
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
        for name in ("one", "two")
    ]
    assert [run.wait(timeout=60) for run in runs] == [0, 0]
    corpus = read_corpus(tmp_path)
    assert corpus.problems == []
    assert {entry.title for entry in corpus.entries} == {f"{who} {at}" for who in ("one", "two") for at in range(25)}
    assert not [path for path in tmp_path.rglob("*") if path.suffix == ".part"]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}


def test_what_comes_with_chunkproof_is_whole():
    corpus = own_corpus()
    assert corpus.problems == []
    assert corpus.entries
