"""Bytes written as numbers with no offsets: plain hex (xxd -p, Wireshark's "raw"), and arrays of C."""

from __future__ import annotations

import re
from collections.abc import Sequence

from chunkproof_reports.visible import count_of

from .artefact import PIECES_MAX, ArtefactError, Pieces, shown

__all__ = ["is_arrays", "is_followed", "is_hex", "read_arrays", "read_followed", "read_hex"]

_NOT_HEX = re.compile(rb"[^0-9a-fA-F\s]")
_SPACE = b" \t\r\n\v\f"
_ARRAYS = re.compile(
    rb"\s*(?:/\*.{0,500}?\*/\s*)?(?:(?:static|const|unsigned|signed) )*(?:char|uint8_t) \w+\[", re.DOTALL
)
# What stands in the brackets is never given back: blanks with no bracket behind them would be tried in each division.
_ARRAY = re.compile(rb"(?:char|uint8_t)\s+(\w+)\s*\[\s*+\d*+\s*+\]\s*=\s*\{([^{}]*)\}")
_COMMENT = re.compile(rb"/[*/]")
_LINE_COMMENT = re.compile(rb"//")
_NUMBER = re.compile(rb"0[xX][0-9a-fA-F]{1,2}|[0-9]{1,3}")
_FOLLOWED = re.compile(rb"\s*={10,}\s+Follow: tcp,raw\s")


# plain hex -----------------------------------------------------------------------------------------------------------


def is_hex(content: bytes) -> bool:
    """Whether it holds nothing but pairs of hex digits and white space."""
    # A search for what is not a digit ends at once for nearly all other files.
    return not _NOT_HEX.search(content) and _digits(content) is not None


def _digits(content: bytes) -> bytes | None:
    digits = content.translate(None, _SPACE)
    return digits if digits and not len(digits) % 2 else None


def read_hex(content: bytes) -> Pieces:
    """The bytes of plain hex. Lines of odd lengths, as Wireshark writes a packet each, are the chunks."""
    wrong = _NOT_HEX.search(content)
    if wrong:
        line = content.count(b"\n", 0, wrong.start()) + 1
        raise ArtefactError(
            f"line {line}: {shown(wrong.group())} is no hex digit; a hex dump is what xxd, xxd -p, hexdump -C, "
            "od -A x -t x1 or Wireshark write, and nothing else"
        )
    if _digits(content) is None:
        raise ArtefactError("a hex dump with half a byte, or none: copy all of it")
    lines = [content.translate(None, _SPACE)]
    if content.count(b"\n") < PIECES_MAX:
        lines = [digits for line in content.split(b"\n") if (digits := line.translate(None, _SPACE))]
    lengths = {len(line) for line in lines[:-1]}
    is_wrapped = len(lengths) < 2 and len(lines[-1]) <= max(lengths, default=len(lines[-1]))
    if is_wrapped or any(len(line) % 2 for line in lines):
        lines = [b"".join(lines)]
    pieces = [bytes.fromhex(line.decode()) for line in lines]
    size = count_of(sum(map(len, pieces)), "byte")
    told = [f"plain hex, as xxd -p writes it, {size}"]
    if len(pieces) > 1:
        told = [f"plain hex, {size}", f"its lines differ in length: each of the {len(pieces)} is taken for a packet"]
    return Pieces(pieces, tuple(told))


# tshark --------------------------------------------------------------------------------------------------------------


def is_followed(content: bytes) -> bool:
    """Whether it is a stream that tshark followed, as raw hex."""
    return _FOLLOWED.match(content) is not None


def read_followed(content: bytes) -> Pieces:
    """The server's side of a followed stream, a packet a line."""
    sides: tuple[list[bytes], list[bytes]] = ([], [])
    for number, line in enumerate(content.split(b"\n"), 1):
        digits = line.strip()
        if not digits or re.match(rb"=|Follow: |Filter: |Node [01]: ", digits):
            continue
        try:
            sides[line.startswith((b"\t", b" "))].append(bytes.fromhex(digits.decode("ascii", "replace")))
        except ValueError:
            raise ArtefactError(f"line {number} of a followed stream is no hex: {shown(digits)}") from None
    return _of_sides(*sides, "a stream followed by tshark")


def _of_sides(first: Sequence[bytes], second: Sequence[bytes], what: str) -> Pieces:
    """The side of the server: the one that did not speak first, unless it is seen that it was the other."""
    server, client = second, first
    if not second or (first and first[0].startswith(b"HTTP/")):
        server, client = first, second
    told = [f"{what}, {count_of(len(server), 'packet')} with {count_of(sum(map(len, server)), 'byte')}"]
    if client:
        told.append(f"the client's side left out, {count_of(len(client), 'packet')}")
    return Pieces(list(server), tuple(told))


# arrays --------------------------------------------------------------------------------------------------------------


def is_arrays(content: bytes) -> bool:
    """Whether it starts as arrays of C do."""
    return _ARRAYS.match(content[:2048]) is not None


def read_arrays(content: bytes) -> Pieces:
    """The bytes of arrays of C, each a chunk; of Wireshark's (`peer0_0`, `peer1_0`), those of the server."""
    found = [(name.decode(), _numbers(name, text)) for name, text in _ARRAY.findall(_without_comments(content))]
    if not found:
        raise ArtefactError("arrays of C, none of which ends: copy all of it")
    peers = [re.fullmatch(r"peer([01])_[0-9]+", name) for name, _ in found]
    if all(peers):
        sides: tuple[list[bytes], list[bytes]] = ([], [])
        for peer, (_, numbers) in zip(peers, found, strict=True):
            sides[peer is not None and peer[1] == "1"].append(numbers)
        return _of_sides(*sides, "Wireshark's arrays of C")
    pieces = [numbers for _, numbers in found]
    size = count_of(sum(map(len, pieces)), "byte")
    return Pieces(pieces, (f"{count_of(len(pieces), 'array')} of C, {size}",))


def _without_comments(content: bytes) -> bytes:
    """The text of C less its comments; one that does not end is none."""
    kept: list[bytes] = []
    at, starts = 0, _COMMENT
    while found := starts.search(content, at):
        if found.group() == b"//":
            end = content.find(b"\n", found.end())
            end = len(content) if end < 0 else end
        else:
            end = content.find(b"*/", found.end()) + 2
            if end < 2:
                # No other behind it ends either: to look for the end of each would be quadratic.
                starts = _LINE_COMMENT
                continue
        kept.append(content[at : found.start()])
        at = end
    return b"".join([*kept, content[at:]])


def _numbers(name: bytes, text: bytes) -> bytes:
    numbers = [number.strip() for number in text.split(b",")]
    if numbers and not numbers[-1]:
        del numbers[-1]
    wrong = next((number for number in numbers if not _NUMBER.fullmatch(number) or _value(number) > 255), None)
    if wrong is not None:
        raise ArtefactError(f"the array {name.decode()}: {shown(wrong)} is no byte, which is 0x00 to 0xff or 0 to 255")
    return bytes(map(_value, numbers))


def _value(number: bytes) -> int:
    return int(number, 16) if number[:2] in (b"0x", b"0X") else int(number)
