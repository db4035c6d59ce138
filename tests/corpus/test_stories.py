"""Five bug reports, each from what somebody has to an entry that is kept: redacted, small, and a test from then on."""

from __future__ import annotations

import base64
import json
import socket
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from chunkproof.cli import main
from chunkproof.corpus import making_commands
from chunkproof.corpus.entry import Entry
from chunkproof.corpus.recording import Recording, record
from chunkproof.corpus.store import read_corpus

#: What somebody would not want to be read by others.
SECRET = "秘密给王小明 Anna 4711"
LETTERS = set("秘密给王小明") | set("Anna") | set("47")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def chunkproof(*words: str, code: int = 0, given: bytes = b"") -> str:
    ran = CliRunner().invoke(main, words, input=given)
    assert ran.exit_code == code, ran.output
    return ran.output


def kept(*options: str, file: str = "artefact", target: str, given: bytes = b"") -> tuple[Entry, str]:
    """The entry that is made of an artefact by somebody whose parser fails on it."""
    told = chunkproof("corpus", "add", file, "--target", target, *options, given=given)
    return entry_that_stays(target), told


def entry_that_stays(target: str) -> Entry:
    """The one entry there is: broken by the target, held by the reference, and no secret in it."""
    assert "1 entry, 0 that cannot be used" in chunkproof("corpus", "check", "--target", target, code=1)
    assert "reference: right on 1 of 1 entry" in chunkproof("corpus", "check", "--target", "reference")
    corpus = read_corpus(Path("chunkproof-corpus"))
    assert corpus.problems == []
    (entry,) = corpus.entries
    text = entry.wire.decode("utf-8", "replace") + repr(entry.expected)
    assert not (set(text) & LETTERS - set("data event id retry message None DONE Event Outcome".replace(" ", "")))
    return entry


def test_a_hex_dump_out_of_an_issue(folder):
    wire = f"event: delta\r\ndata: {SECRET}\r\n\r\ndata: [DONE]\r\n\r\n".encode()
    dump = subprocess.run(["hexdump", "-C"], input=wire, capture_output=True, check=False).stdout
    if not dump:  # the same text where the tool is missing
        dump = hexdump(wire)
    (folder / "artefact").write_bytes(dump)
    entry, told = kept("--shrink", target="deviation:lf-only-with-cr-left")
    assert "a hex dump as hexdump -C writes it" in told
    assert [one.name for one in entry.deviations] == ["lf-only-with-cr-left", "blocks-of-lf-alone"]
    assert entry.wire == b"data\n\r"


def hexdump(wire: bytes) -> bytes:
    lines = [
        f"{at:08x}  {wire[at : at + 16].hex(' ')}".ljust(60) + "|" + "." * len(wire[at : at + 16]) + "|"
        for at in range(0, len(wire), 16)
    ]
    return ("\n".join([*lines, f"{len(wire):08x}"]) + "\n").encode()


def test_a_har_file_of_a_browser(folder):
    wire = f"id: 4\ndata: {SECRET}\n\nid:\ndata: {SECRET}\n\nid: 6\ndata: {SECRET}\n\n".encode()
    content = {"mimeType": "text/event-stream", "encoding": "base64", "text": base64.b64encode(wire).decode()}
    request = {"method": "GET", "url": "https://chat.example/v1/stream?key=4711", "headers": [{"name": "Cookie"}]}
    har = {
        "log": {"version": "1.2", "entries": [{"request": request, "response": {"status": 200, "content": content}}]}
    }
    (folder / "session.har").write_text(json.dumps(har), "utf-8")
    entry, told = kept("--shrink", file="session.har", target="deviation:id-empty-ignored")
    assert "chat.example/v1/stream" in told
    assert "4711" not in told
    assert "id-empty-ignored" in [one.name for one in entry.deviations]


def test_what_curl_wrote_with_the_framing_left_in(folder):
    wire = f"data: {SECRET}\r\ndata: {SECRET}\r\n\r\n".encode()
    cut = wire.index(b"\r\n") + 1
    chunks = (wire[:cut], wire[cut:])
    body = b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks) + b"0\r\n\r\n"
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
    (folder / "artefact").write_bytes(head + body)
    entry, told = kept("--shrink", target="deviation:crlf-split-chunks")
    assert "chunked framing taken off: 2 chunks" in told
    assert "74 bytes in 2 chunks" in told
    assert "redacted; kept: field names: data; line ends: 1 CRLF\n" in told
    # The cut inside CRLF is what the report is about: it stays.
    assert (entry.wire, entry.cuts) == (b"data\r\n", (5,))
    names = ["crlf-not-supported", "crlf-split-chunks", "each-data-line-is-an-event"]
    assert [one.name for one in entry.deviations] == names


def test_a_recording_of_a_server_that_cuts_inside_a_character(monkeypatch):
    taken = threading.Event()

    def noting(url: str, **options: Any) -> Recording:
        return record(url, **{**options, "on_chunk": lambda size, seconds: taken.set()})

    monkeypatch.setattr(making_commands, "record", noting)
    wire = f"data: {SECRET}\n\n".encode()
    cut = wire.index("王".encode()) + 1
    with served((wire[:cut], wire[cut:]), taken) as url:
        told = chunkproof("corpus", "record", url, "--target", "deviation:utf8-split-lossy")
    entry = entry_that_stays("deviation:utf8-split-lossy")
    assert "200" in told
    assert entry.origin["kind"] == "recording"
    assert entry.cuts == (cut,)
    assert len(entry.times) == 2
    assert len(entry.wire) == len(wire)
    shrunk = chunkproof("corpus", "shrink", entry.id, "--target", "deviation:utf8-split-lossy")
    assert shrunk.endswith("to 9 bytes in 2 chunks\n")
    assert entry_that_stays("deviation:utf8-split-lossy").wire == "data:é\n\n".encode()


@contextmanager
def served(chunks: Sequence[bytes], taken: threading.Event) -> Iterator[str]:
    """A server that sends each chunk when the one before was taken."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=serve, args=(server, chunks, taken))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.getsockname()[1]}/stream?key=4711"
        finally:
            thread.join()


def serve(server: socket.socket, chunks: Sequence[bytes], taken: threading.Event) -> None:
    connection, _ = server.accept()
    with connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while not connection.recv(65536).endswith(b"\r\n\r\n"):
            pass
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
        for chunk in chunks:
            connection.sendall(chunk)
            assert taken.wait(60)
            taken.clear()


def test_a_bytes_literal_pasted_from_a_log():
    literal = repr([b"data: ", f"{SECRET}".encode(), b"\n\n: ping\n\n"]).encode()
    entry, told = kept("--shrink", "--title", "A comment makes no event.", file="-", given=literal, target=COMMENTS)
    assert "Python" in told
    assert entry.title == "A comment makes no event."
    assert entry.wire == b":\n\n"


COMMENTS = "deviation:comment-block-dispatched"
