"""pcap and pcapng: the server's side of a TCP stream, which tshark takes out."""

from __future__ import annotations

import re
import shutil
import subprocess

from chunkproof_reports.visible import count_of

from .artefact import ArtefactError, Pieces, shown
from .digits import read_followed

__all__ = ["is_capture", "read_capture"]

_PCAP = (b"\xa1\xb2\xc3\xd4", b"\xd4\xc3\xb2\xa1", b"\xa1\xb2\x3c\x4d", b"\x4d\x3c\xb2\xa1")
# The first word alone would be line ends of a stream: the byte order comes behind it.
_PCAPNG = re.compile(rb"\n\r\r\n.{4}(?:\x1a\x2b\x3c\x4d|\x4d\x3c\x2b\x1a)", re.DOTALL)
_TLS = re.compile(rb"\x16\x03[\x00-\x04]")
_STREAM_TYPE = re.compile(rb"\r\nContent-Type:[ \t]*text/event-stream", re.IGNORECASE)

_CAPTURE_BYTES_MAX = 64 * 1024 * 1024
_STREAMS_MAX = 64
_SECONDS_MAX = 60
_FOLLOW = (
    "in Wireshark, choose Follow > TCP Stream, show the data as Hex Dump, and save it: that is read without tshark"
)


def is_capture(content: bytes) -> bool:
    """Whether it starts as a pcap or pcapng file does."""
    return content[:4] in _PCAP or _PCAPNG.match(content) is not None


def read_capture(content: bytes) -> Pieces:
    """What a server sent in the stream that is an event stream, or in the only stream there is."""
    if not is_capture(content):
        raise ArtefactError(f"no pcap and no pcapng file: it starts with {shown(content[:8])}")
    if len(content) > _CAPTURE_BYTES_MAX:
        raise ArtefactError(f"a capture of more than {_CAPTURE_BYTES_MAX:,} bytes: save the one stream alone")
    numbers = _stream_numbers(content)
    followed = [(number, read_followed(text)) for number, text in _followed(content, numbers) if text]
    servers = [(number, one) for number, one in followed if one.whole]
    number, server = _chosen(servers)
    told = f"a capture, {count_of(len(numbers), 'TCP stream')}, of which stream {number} is taken"
    return Pieces(server.pieces, (told, *server.understood, "the ends of its packets are cuts"))


def _chosen(servers: list[tuple[int, Pieces]]) -> tuple[int, Pieces]:
    """The first stream whose answer says that it is an event stream, or else the only one."""
    for number, server in servers:
        if _STREAM_TYPE.search(server.whole):
            return number, server
    if not servers:
        raise ArtefactError(f"no TCP stream of the capture holds bytes of a server; else {_FOLLOW}")
    if all(_TLS.match(server.whole) for _, server in servers):
        raise ArtefactError(
            "the capture is of TLS, and encrypted: take the stream with curl -iN --raw, or as a HAR file"
        )
    if len(servers) > 1:
        raise ArtefactError(
            f"none of the {len(servers)} TCP streams of the capture answers with text/event-stream; {_FOLLOW}"
        )
    return servers[0]


def _stream_numbers(content: bytes) -> list[int]:
    """The TCP streams that carry bytes, in their order."""
    printed = _tshark(content, "-Y", "tcp.len>0", "-T", "fields", "-e", "tcp.stream")
    numbers = sorted({int(number) for number in printed.split() if number.isdigit()})
    if not numbers:
        raise ArtefactError("the capture holds no TCP stream with bytes in it")
    if len(numbers) > _STREAMS_MAX:
        raise ArtefactError(f"the capture holds {len(numbers)} TCP streams, more than {_STREAMS_MAX}: save one alone")
    return numbers


def _followed(content: bytes, numbers: list[int]) -> list[tuple[int, bytes]]:
    """What tshark prints of each stream."""
    options = [option for number in numbers for option in ("-z", f"follow,tcp,raw,{number}")]
    printed = _tshark(content, "-q", *options)
    parts = re.split(rb"(?m)^(?=Follow: tcp,raw)", printed)
    followed = []
    for part in parts:
        if found := re.search(rb"(?m)^Filter: tcp\.stream eq (\d+)", part):
            followed.append((int(found[1]), part))
    return sorted(followed)


def _tshark(content: bytes, *options: str) -> bytes:
    """What tshark prints of a capture, with no names looked up."""
    path = shutil.which("tshark")
    if path is None:
        raise ArtefactError(f"a capture is taken apart by tshark, which is not on PATH: install it; or, {_FOLLOW}")
    try:
        done = subprocess.run(
            [path, "-n", "-r", "-", *options], input=content, capture_output=True, timeout=_SECONDS_MAX, check=False
        )
    except subprocess.TimeoutExpired:
        raise ArtefactError(
            f"tshark took more than {_SECONDS_MAX} s: save the one stream alone; or, {_FOLLOW}"
        ) from None
    except OSError as error:
        raise ArtefactError(f"tshark cannot be run ({error.strerror}); {_FOLLOW}") from None
    # Whoever ends tcpdump by force has a file whose last packet is not whole: what stands before it is used.
    if done.returncode and not (done.stdout.strip() and b"cut short in the middle of a packet" in done.stderr):
        last = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
        raise ArtefactError(f"tshark ended with {done.returncode}: {shown(last, 200)}; or, {_FOLLOW}")
    return done.stdout
