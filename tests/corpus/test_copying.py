"""A copy holds all entries, byte for byte, and overwrites nothing of somebody else's."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from chunkproof.corpus import copying
from chunkproof.corpus.copying import SCHEMA, copy_to
from chunkproof.corpus.entry import Entry, entry_text
from chunkproof.corpus.making import ANY_RULE
from chunkproof.corpus.store import own_corpus, own_folder, read_corpus
from chunkproof.oracle import interpret
from chunkproof.question import Question

BESIDE = {".gitattributes", ".chunkproof-copy", "README.md", "entry.schema.json"}


def entry(name: str, wire: bytes = b"data: a\r\n\r\n") -> Entry:
    return Entry.of(
        name,
        "A title.",
        Question(wire),
        interpret(wire),
        rules=[ANY_RULE],
        layer="events",
        severity="should",
        origin={"kind": "file"},
    )


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and ".git" not in path.relative_to(folder).parts
    }


def test_the_whole_corpus_is_copied_as_it_is(tmp_path):
    own = own_corpus().entries
    written = copy_to(tmp_path / "new" / "copy", own)
    copied = read_corpus(tmp_path / "new" / "copy")
    assert copied.problems == []
    assert [one.data for one in copied.entries] == [one.data for one in own]
    found = files(tmp_path / "new" / "copy")
    assert {path.relative_to(tmp_path / "new" / "copy").as_posix() for path in written} == set(found)
    assert found.keys() - BESIDE == {f"{one.chapter}/{one.id}.json" for one in own}
    for one in own:
        name = f"{one.chapter}/{one.id}.json"
        assert found[name] == (own_folder() / name).read_bytes()
    assert found["entry.schema.json"] == SCHEMA.read_bytes()
    assert b"* -text" in found[".gitattributes"].splitlines()
    assert b"`cuts`" in found["README.md"]


def test_a_later_copy_replaces_what_is_its_own_and_leaves_the_rest(tmp_path):
    copy_to(tmp_path, [entry("a"), entry("b")])
    (tmp_path / "whole" / "mine.json").write_text("mine")
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "whole" / "a.json").write_text("changed by hand")
    copy_to(tmp_path, [entry("a"), entry("d")])
    found = files(tmp_path)
    assert found.keys() == BESIDE | {"whole/a.json", "whole/d.json", "whole/mine.json", "notes.txt"}
    assert found["whole/a.json"] == entry_text(entry("a")).encode()
    assert found["whole/mine.json"] == b"mine"
    assert copy_to(tmp_path, [entry("a"), entry("d")])
    assert files(tmp_path) == found


@pytest.mark.parametrize("name", ["whole/new.json", "whole/new.json/x"])
def test_a_later_copy_overwrites_no_file_that_is_not_its_own(tmp_path, name):
    copy_to(tmp_path, [entry("a")])
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("mine")
    before = files(tmp_path)
    with pytest.raises(FileExistsError, match=r"whole/new\.json is no part of the former copy: move it, or choose"):
        copy_to(tmp_path, [entry("new")])
    assert files(tmp_path) == before


def test_a_folder_with_something_else_in_it_is_refused(tmp_path):
    (tmp_path / "README.md").write_text("mine")
    with pytest.raises(FileExistsError, match=r"holds 'README\.md' and is no former copy: choose an empty folder"):
        copy_to(tmp_path, [entry("a")])
    assert files(tmp_path) == {"README.md": b"mine"}
    with pytest.raises(FileExistsError, match="is a file, and a copy is a folder"):
        copy_to(tmp_path / "README.md", [entry("a")])


def test_a_list_that_names_other_files_removes_none_of_them(tmp_path):
    copy = tmp_path / "copy"
    copy_to(copy, [entry("a")])
    outside = tmp_path / "x.json"
    outside.write_text("mine")
    (copy / "src").mkdir()
    (copy / "src" / "main.py").write_text("mine")
    listed = copy / ".chunkproof-copy"
    listed.write_text(
        f"{listed.read_text()}../x.json\n{outside}\nsrc/main.py\nsrc/../../x.json\n\n.\nwhole/../x.json\n"
    )
    copy_to(copy, [entry("b")])
    assert not (copy / "whole" / "a.json").exists()
    assert outside.read_text() == "mine"
    assert (copy / "src" / "main.py").read_text() == "mine"


def test_a_copy_that_was_interrupted_can_be_made_again(tmp_path, monkeypatch):
    entries = [entry("a"), entry("b"), entry("c")]
    write = copying._put

    def full(path: Path, text: str) -> None:
        if path.name == "b.json":
            raise OSError("no space left")
        write(path, text)

    monkeypatch.setattr(copying, "_put", full)
    with pytest.raises(OSError, match="no space left"):
        copy_to(tmp_path, entries)
    monkeypatch.undo()
    assert not list(tmp_path.rglob("*.part"))
    copy_to(tmp_path, entries[1:])
    assert files(tmp_path).keys() == BESIDE | {"whole/b.json", "whole/c.json"}


@pytest.mark.skipif(shutil.which("git") is None, reason="commits a copy with git, which is not on this machine")
def test_line_ends_survive_git_that_changes_them_elsewhere(tmp_path):
    def git(*args: str) -> None:
        named = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "core.autocrlf=true", "-c", "core.safecrlf=false"]
        subprocess.run(["git", *named, *args], cwd=tmp_path, check=True, capture_output=True, timeout=60)

    git("init", "-q")
    # A new repository is a good place for a copy.
    copy_to(tmp_path, [entry("a"), entry("b", b"data: a\r\r")])
    before = files(tmp_path)
    git("add", "-A")
    git("commit", "-q", "-m", "a copy")
    for path in tmp_path.iterdir():
        if path.name != ".git":
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    git("checkout", "--", ".")
    assert files(tmp_path) == before
