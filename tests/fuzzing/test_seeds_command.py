"""`chunkproof fuzz seeds`: first inputs and a dictionary, for those who run the harness themselves."""

from __future__ import annotations

import re

import pytest
from click.testing import CliRunner

from chunkproof.cli import main
from chunkproof.fuzzing.seeding import DECODERS, dictionary
from chunkproof_strategies.table import encode

CHAT = """\
from chunkproof_targets.reference import ReferenceParser


def events(chunks):
    parser = ReferenceParser()
    for chunk in chunks:
        if chunk != b"a sign of life":
            yield from parser.feed(chunk)
    yield from parser.close()
"""


@pytest.fixture
def run(tmp_path, monkeypatch):
    (tmp_path / "chat_with_a_text.py").write_text(CHAT, "utf-8")
    monkeypatch.chdir(tmp_path)
    return lambda *options: CliRunner().invoke(main, ["fuzz", "seeds", *options])


@pytest.mark.parametrize("mode", ["table", "raw"])
def test_inputs_are_streams_and_the_dictionary_has_the_texts_of_the_target(run, tmp_path, mode):
    ran = run("--target=chat_with_a_text", "--out=made/here", f"--mode={mode}")
    assert ran.exit_code == 0, ran.output
    seeds = list((tmp_path / "made" / "here" / "seeds").iterdir())
    assert ran.output.startswith(f"made/here: {len(seeds)} inputs, and a dictionary with ")
    wires = [DECODERS[mode](path.read_bytes())[0] for path in seeds]
    assert len(wires) > 50
    assert sum(b"data" in wire for wire in wires) > len(wires) // 2
    text = b"a sign of life"
    word = "".join(f"\\x{value:02x}" for value in (text if mode == "raw" else encode(text, ()) or b""))
    assert f'"{word}"\n' in (tmp_path / "made" / "here" / "dictionary").read_text("utf-8")


@pytest.mark.parametrize("mode", ["table", "raw"])
def test_a_dictionary_is_never_empty(mode):
    """The engine ends at once where it is."""
    first, *words = dictionary(mode, []).splitlines()
    assert first == f"# inputs of the form {mode}"
    assert [word for word in words if not re.fullmatch(r'"(\\x[0-9a-f]{2})+"', word)] == []
    assert bool(words) is (mode == "raw")


def test_what_cannot_be_used_is_told(run, tmp_path):
    (tmp_path / "file").touch()
    ran = run("--target=chat_with_a_text", "--out=file")
    assert ran.exit_code == 2
    assert "chunkproof: --out=file: it is a file; name a folder" in ran.output
    ran = run("--target=no_such_parser", "--out=made")
    assert ran.exit_code == 2
    assert "no_such_parser" in ran.output
