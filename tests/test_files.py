"""A file is written whole or not at all, and what is no file stays what it is."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from chunkproof.files import write_whole


def test_a_file_has_all_of_the_new_text_or_all_of_the_old(tmp_path, monkeypatch):
    path = tmp_path / "report.json"
    write_whole(path, "one\n")

    def full(*names: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_whole(path, "two\n")
    monkeypatch.undo()
    assert path.read_bytes() == b"one\n"
    assert [one.name for one in tmp_path.iterdir()] == ["report.json"]
    write_whole(path, "two \ud800\n")
    assert path.read_bytes() == b"two \\ud800\n"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")
def test_a_pipe_is_written_to_and_stays_one(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_whole(path, "text\n")
        assert os.read(reader, 100) == b"text\n"
    finally:
        os.close(reader)
    assert stat.S_ISFIFO(path.stat().st_mode)


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_link_stays_one_and_its_file_has_the_text(tmp_path):
    target, link = tmp_path / "target.json", tmp_path / "link.json"
    target.write_text("old")
    link.symlink_to(target)
    write_whole(link, "new")
    assert link.is_symlink()
    assert Path(target).read_text() == "new"
