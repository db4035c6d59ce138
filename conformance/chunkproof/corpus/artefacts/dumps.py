"""Hex dumps with offsets, as xxd, hexdump, od, Wireshark and tshark write them.

A dump is read strictly: each line has to be one of a dump, and each offset the number of bytes before it. So a stream
that only looks like one in places is none, and a dump that was damaged on its way is refused and not read wrongly.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from chunkproof_reports.visible import count_of

from .artefact import WAY_OUT, WIRE_BYTES_MAX, ArtefactError, Pieces, shown

__all__ = ["DUMP_BYTES_MAX", "DUMP_LINES_MAX", "is_dump", "read_dump"]

#: A longer dump is not read: a line of one takes ten times its length in memory.
DUMP_BYTES_MAX = 32 * 1024 * 1024
DUMP_LINES_MAX = 1 << 20

_Kind = Literal["xxd", "hexdump -C", "hexdump", "od", "Wireshark"]

_FIRST = re.compile(rb"(?:[ \t]*\r?\n)*[ \t]*0{4,16}(?::[ \t]|[ \t]+)[ \t]*[0-9a-fA-F]{2}")
_LINE = re.compile(r"(?P<indent>[ \t]*)(?P<offset>[0-9a-fA-F]{4,16})(?P<colon>:?)(?:[ \t]+(?P<rest>\S.*))?")
_PAIRS = re.compile(r"(?:[0-9a-fA-F]{2})+")
# What tshark writes around a followed stream.
_AROUND = re.compile(r"={10,}|Follow: tcp,hex|Filter: .*|Node [01]: .*")
_OCTAL = re.compile(r"[0-7]{7,}(?:\s+[0-7]{6}){1,8}\s*")
# The columns of sixteen bytes as Wireshark writes them, eight and eight; its characters stand behind them.
_WIRESHARK_COLUMNS = 48
_WIRESHARK_BYTES = 16

_BASES = {16: "hexadecimal", 8: "octal", 10: "decimal"}


class _WrongLineError(Exception):
    """A line is not as it would have to be; the message says how."""


@dataclass(frozen=True, slots=True)
class _Line:
    """One line: its number in the file, its offset, its bytes, and whether the other side spoke just before it.

    A line of an asterisk has no offset, and stands for as many lines like the one before as the next offset asks for.
    The line of an offset alone has no bytes.
    """

    number: int
    offset: str
    content: bytes
    is_turn: bool = False


def is_dump(content: bytes) -> bool:
    """Whether it starts as a dump with offsets does: with the offset 0."""
    head = content[:4096]
    return _FIRST.match(head) is not None or (head.lstrip().startswith(b"=====") and b"Follow: tcp,hex" in head)


def read_dump(content: bytes) -> Pieces:
    """The bytes of a dump with offsets. Of Wireshark's, which shows where packets end, these are the cuts."""
    if len(content) > DUMP_BYTES_MAX or content.count(b"\n") > DUMP_LINES_MAX:
        raise ArtefactError(
            f"a hex dump of more than {DUMP_BYTES_MAX:,} bytes or {DUMP_LINES_MAX:,} lines: give the file itself"
        )
    texts = [text.rstrip("\r") for text in content.decode("utf-8", "replace").split("\n")]
    if any(_OCTAL.fullmatch(text) for text in texts[:2]):
        raise ArtefactError("a dump of octal words, which is not read here: dump with xxd, or with od -A x -t x1")
    kind = _kind_of(texts)
    told = []
    try:
        client, server = _sides(texts, kind)
        if client and server:
            if client[0].content.startswith(b"HTTP/"):
                # The capture began within the connection, and what spoke first was the server.
                client, server = server, client
            told.append(f"{count_of(len(client), 'line')} of the client's side left out")
        pieces, notes = _assembled(server or client, kind)
    except _WrongLineError as error:
        raise ArtefactError(f"a hex dump as {kind} writes it, but for {error}; or {WAY_OUT}") from None
    told.insert(0, f"a hex dump as {kind} writes it, {count_of(sum(map(len, pieces)), 'byte')}")
    if len(pieces) > 1:
        told.append(f"short lines and turns are taken for ends of packets: {count_of(len(pieces), 'packet')}")
    return Pieces(pieces, (*told, *notes))


# lines ---------------------------------------------------------------------------------------------------------------


def _kind_of(texts: Sequence[str]) -> _Kind:
    """Who writes such lines, by the first that has bytes."""
    for text in texts:
        match = _LINE.fullmatch(text.rstrip())
        if match and match["rest"]:
            if match["colon"]:
                return "xxd"
            if re.fullmatch(r"(?:[0-9a-fA-F]{2} +)+\|.{,16}\|", match["rest"]) and not match["indent"]:
                return "hexdump -C"
            if len(match["offset"]) == 8:
                return "Wireshark"
            return "hexdump" if len(match["rest"].split()[0]) == 4 else "od"
    raise ArtefactError("a hex dump in which no line has bytes: copy all of it")


def _sides(texts: Sequence[str], kind: _Kind) -> tuple[list[_Line], list[_Line]]:
    """The lines that are not indented, and those that are; all of them in one where no two sides are told apart."""
    sides: tuple[list[_Line], list[_Line]] = ([], [])
    before = None
    for number, text in enumerate(texts, 1):
        stripped = text.strip()
        if not stripped or (kind == "Wireshark" and _AROUND.fullmatch(stripped)):
            continue
        if stripped == "*" and before is not None:
            sides[before].append(_Line(number, "", b""))
            continue
        match = _LINE.fullmatch(text.rstrip())
        if match is None or bool(match["colon"]) != (kind == "xxd"):
            raise _WrongLineError(f"line {number}, {shown(text)}: leave out what is not of the dump")
        side = bool(match["indent"]) if kind == "Wireshark" else False
        rest = match["rest"] or ""
        content = _bytes_of(rest, kind, number) if rest else b""
        sides[side].append(_Line(number, match["offset"], content, is_turn=before not in (None, side)))
        before = side
    return sides


def _bytes_of(rest: str, kind: _Kind, number: int) -> bytes:
    """The bytes that stand behind an offset, without the characters behind them."""
    if kind == "xxd":
        digits = rest.partition("  ")[0]
    elif kind == "hexdump -C":
        digits = rest.partition("|")[0]
    elif kind == "Wireshark":
        digits = rest[:_WIRESHARK_COLUMNS]
    else:
        digits = rest.partition(" >")[0]
    groups = digits.split() or [""]
    width = len(groups[0])
    fits = all(map(_PAIRS.fullmatch, groups)) and (
        kind == "xxd" or all(len(group) == (4 if kind == "hexdump" else 2) for group in groups)
    )
    if kind == "xxd" and all(len(group) == 8 and not group.strip("01") for group in groups):
        raise _WrongLineError(f"line {number}: it is of bits (xxd -b); dump without -b")
    if not fits:
        raise _WrongLineError(f"line {number}, {shown(rest)}: these are no bytes in groups of one length")
    content = bytes.fromhex("".join(groups))
    if kind == "hexdump":
        # Words of 16 bits, as a little-endian machine reads them.
        return b"".join(content[at : at + 2][::-1] for at in range(0, len(content), 2))
    if kind == "xxd" and width > 2 and _is_little_endian(content, width // 2, rest.partition("  ")[2]):
        raise _WrongLineError(f"line {number}: its groups are little-endian (xxd -e); dump without -e")
    return content


def _is_little_endian(content: bytes, width: int, characters: str) -> bool:
    """Whether the characters beside the bytes are those of the bytes turned around in each group."""
    turned = b"".join(content[at : at + width][::-1] for at in range(0, len(content), width))
    there = characters.strip()
    return turned != content and there == _characters(turned).strip() and there != _characters(content).strip()


def _characters(content: bytes) -> str:
    return "".join(chr(byte) if 0x20 <= byte < 0x7F else "." for byte in content)


# offsets -------------------------------------------------------------------------------------------------------------


def _assembled(lines: Sequence[_Line], kind: _Kind) -> tuple[list[bytes], list[str]]:
    """The bytes of the lines, and what there is to say of their offsets."""
    fitting: dict[int, list[bytes]] = {}
    first_error = None
    for base in _bases(lines, kind):
        try:
            fitting[base] = _joined(lines, kind, base)
        except _WrongLineError as error:
            first_error = first_error or error
    if not fitting:
        raise first_error or _WrongLineError("its lines")
    base, pieces = next(iter(fitting.items()))
    notes = []
    if base != 16:
        notes.append(f"its offsets are {_BASES[base]}")
    if any(sum(map(len, other)) != sum(map(len, pieces)) for other in fitting.values()):
        others = " and ".join(_BASES[other] for other in fitting if other != base)
        notes.append(f"its offsets, read as {_BASES[base]}, would fit as {others} too: dump with -v to be sure")
    if lines[0].offset.strip("0"):
        notes.append(f"it starts at the offset {lines[0].offset}")
    return pieces, notes


def _bases(lines: Sequence[_Line], kind: _Kind) -> tuple[int, ...]:
    """The bases that offsets may have, the likeliest first."""
    if kind == "xxd":
        return (16, 10)
    if kind == "hexdump":
        return (16, 8, 10)
    if kind == "od":
        # od writes seven digits, octal ones if it is not told otherwise, and six for -A x.
        return (16, 8, 10) if len(lines[0].offset) == 6 else (8, 10, 16)
    return (16,)


def _joined(lines: Sequence[_Line], kind: _Kind, base: int) -> list[bytes]:
    """The pieces of the lines, if their offsets are right in this base."""
    pieces: list[bytearray] = [bytearray()]
    size = 0
    first = _offset(lines[0], base)
    last: _Line | None = None
    repeats = False
    for line in lines:
        if not line.offset:
            repeats = True
            continue
        at = _offset(line, base) - first
        if repeats and last is not None:
            missing = at - size
            if missing < 0 or not last.content or missing % len(last.content) or at > WIRE_BYTES_MAX:
                raise _WrongLineError(f"line {line.number}: no repeats lead to the offset {line.offset}")
            pieces[-1] += last.content * (missing // len(last.content))
            size = at
            repeats = False
        if at == size - 1 and not line.content and kind == "hexdump":
            # A last word of which only one byte is there.
            del pieces[-1][-1:]
            size = at
        if at != size:
            raise _WrongLineError(
                f"line {line.number}: its offset is {line.offset} where {_digits(size + first, base)} belongs; "
                "lines are missing, or were changed"
            )
        if kind == "Wireshark" and last is not None and (line.is_turn or len(last.content) < _WIRESHARK_BYTES):
            pieces.append(bytearray())
        pieces[-1] += line.content
        size += len(line.content)
        last = line
    return [bytes(piece) for piece in pieces]


def _offset(line: _Line, base: int) -> int:
    try:
        return int(line.offset, base)
    except ValueError:
        raise _WrongLineError(f"line {line.number}: {line.offset!r} is no {_BASES[base]} offset") from None


def _digits(number: int, base: int) -> str:
    return format(number, {16: "08x", 8: "07o", 10: "07d"}[base])
