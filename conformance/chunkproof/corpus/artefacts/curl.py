"""What curl tells of a transfer: ``--trace``, and ``-v`` with the body in between."""

from __future__ import annotations

import re

from chunkproof_reports.visible import count_of

from .artefact import ArtefactError, Pieces

__all__ = ["is_trace", "is_verbose", "read_trace", "read_verbose"]

_TIME = rb"(?:\d\d:\d\d:\d\d\.\d+ )?(?:\[[^\]\n]{1,20}\] )?"
_TRACE = re.compile(_TIME + rb"(?:== Info:|=> Send |<= Recv )")
# With --trace -, it may stand behind a line of the body that was not ended.
_BLOCK = re.compile(rb"(<= Recv|=> Send) (SSL data|header|data), (\d{1,9}) bytes? \(0x[0-9a-f]+\)\r?\n")
_ROW = re.compile(rb"[0-9a-f]{4,}: ((?:[0-9a-f]{2} ){1,16}).*\n?")

_VERBOSE = re.compile(rb"(?:[*>{}][^\n]*\n){1,1000}?< HTTP/[^\n]*\n")
_PROGRESS = b"% Total    % Received"
_HEADER = re.compile(rb"^< ([^\n]*\n)", re.MULTILINE)
# A word of curl on its own line, or behind a line of the body that was not ended.
_WORD = re.compile(
    rb"^[*>][^\n]*\n|[{}] \[\d+ bytes data\]\r?\n"
    rb"|\* (?:Connection #|Closing connection|transfer closed|Excess found|Connection died|Curl_)[^\n]*\n",
    re.MULTILINE,
)


def is_trace(content: bytes) -> bool:
    """Whether it starts as what ``curl --trace`` writes does."""
    return _TRACE.match(content) is not None


def read_trace(content: bytes) -> Pieces:
    """The headers and the reads of the body that a trace holds."""
    head: list[bytes] = []
    reads: list[bytes] = []
    is_short = False
    for block in _BLOCK.finditer(content):
        direction, kind, count = block.groups()
        if direction != b"<= Recv" or kind == b"SSL data":
            continue
        data = _rows(content, block.end(), int(count))
        is_short = is_short or len(data) < int(count)
        if kind == b"header":
            if reads and data.startswith(b"HTTP/"):
                # Another answer: what came before was a redirection, say.
                head.extend(reads)
                reads = []
            head.append(data)
        else:
            reads.append(data)
    if not reads:
        raise ArtefactError("a trace of curl that received no data: there is no body in it")
    size = count_of(sum(map(len, reads)), "byte")
    told = [f"a trace of curl: {count_of(len(reads), 'read')} of the body with {size}, their ends are cuts"]
    if is_short:
        told.append("it breaks off within a read")
    # The head belongs to the first read: it ends where the body starts.
    return Pieces([b"".join(head) + reads[0], *reads[1:]], tuple(told))


def _rows(content: bytes, at: int, count: int) -> bytes:
    """The bytes of a block, as many as its first line declares, or as there are."""
    data = bytearray()
    while len(data) < count:
        row = _ROW.match(content, at)
        if row is None:
            if re.match(rb"[0-9a-f]{4,}: ", content[at : at + 20]):
                raise ArtefactError(
                    "a trace in characters, in which line ends and whatever is not ASCII are dots: use curl --trace"
                )
            break
        data += bytes.fromhex(row[1].decode())[: count - len(data)]
        at = row.end()
    return bytes(data)


def is_verbose(content: bytes) -> bool:
    """Whether it starts as what ``curl -v`` says, with the answer in it."""
    return content[:1] in (b"*", b">") and _VERBOSE.match(content[: 1 << 16]) is not None


def read_verbose(content: bytes) -> Pieces:
    """Headers and body without what curl says in between."""
    if _PROGRESS in content[: 1 << 16]:
        raise ArtefactError("what curl -v says is mixed with its progress meter: run it with -sN, or save with -o FILE")
    head = b"".join(_HEADER.findall(content))
    last = max(match.end() for match in _HEADER.finditer(content))
    body = _WORD.sub(b"", content[last:])
    if not body:
        raise ArtefactError("what curl -v says, without a body: redirect both outputs (2>&1), or save with curl -iN")
    return Pieces(
        [head + body],
        ("what curl -v says left out, around headers and body (curl -iN --raw is surer, and has cuts)",),
    )
