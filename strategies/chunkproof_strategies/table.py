"""Streams as an engine that knows nothing but bytes changes them: one byte of its input is one token of a stream.

So each change that the engine makes is a change of a token: a line end, a field's name, a character, a cut. In the raw
form a byte stands for itself, but for two: that of a cut, and that behind which each byte is a chunk.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate, pairwise

from .chunkings import Cuts, bytewise
from .values import MARK

__all__ = ["CUT", "EACH", "RAW_CUT", "RAW_EACH", "TOKENS", "VERSION", "decode", "decode_raw", "encode", "encode_raw"]

#: Of the table. Inputs that an engine has kept mean something else under another one.
VERSION = 1
#: The byte that is a cut; two of them in a row are an empty chunk.
CUT = 0
#: The byte behind which each byte of the wire is a chunk.
EACH = 1
#: The same two in the raw form. As text they are ill-formed wherever they stand, as 0xFA to 0xFF are, which stay.
RAW_CUT, RAW_EACH = 0xF8, 0xF9

# LF is at its own number: the engine starts with that byte where it has nothing else.
_ENDS = (b"\n\n", b"\r", b"\r\n", b"\n\r", b"\r\r", b"\r\n\r\n", b"\n\r\n", b"\r\r\n", b"\n", b"\n\n\n")
_FIELDS = tuple(name + colon for name in (b"data", b"event", b"id", b"retry") for colon in (b"", b":", b": ", b":  "))
_LINES = (
    b"data: a\n", b"data:b\n", b"data\n", b"data:\n", b"data: \n", b"data: a\n\n", b"data: a\r\n", b"data: a\r\n\r\n",
    b"data: a\r", b"data: a\r\r", b"event: a\n", b"event:\n", b"event\n", b"id: 1\n", b"id: 2\n", b"id:\n", b"id\n",
    b"id: \0\n", b"id: a\0b\n", b"retry: 1\n", b"retry: 1000\n", b"retry: 007\n", b"retry:\n", b"retry\n",
    b"retry: x\n", b"retry: -1\n", b"retry: 1.5\n", b"retry:  5\n", b":\n", b": a\n", b":data: a\n", b"x\n", b"x: 1\n",
    b"data: [DONE]\n\n", b"event: ping\n", b"event: error\n", b"event: message\n", b"data: {}\n\n",
    b"event: a\n\n", b": ping\n\n", b"id: 3\n", MARK + b"data: a\n\n", MARK + b"data: a\r\n", MARK + b":\n",
    "retry: ²\n".encode(), "retry: ٣\n".encode(), b"retry: 5 \n", b"data: a\ndata: b\n", b"data\n\n", b": a\r\n",
    b"data :a\n", b"data:\ta\n", b"id: \n",
)  # fmt: skip
_NEAR = (
    b"Data",
    b"DATA",
    b"dat",
    b"datas",
    b"data-",
    b"Event",
    b"ID",
    b"Id",
    b"Retry",
    b"retry-after",
    b"name",
    b"message",
)
_CHARACTERS = tuple(
    text.encode()
    for text in (
        "é", "ß", "Ω", "你", "好", "€", "🙂", "𝄞", "\u0301", "\u200d", "\ufffd", "\uffff", "\u2028", "\u2029", "\x85",
        "\xa0", "\u3000", "\u200b", "²", "٣", "５", "\U0010ffff", "\u07ff", "\u0800", "\ufeff\ufeff",
    )
)  # fmt: skip
_PARTS = (
    MARK, b"\xef", b"\xef\xbb", b"\xbb\xbf", b"\xbf", b"\xe4", b"\xe4\xbd", b"\xbd", b"\xbd\xa0", b"\xa0", b"\xf0",
    b"\xf0\x9f", b"\xf0\x9f\x99", b"\x9f", b"\x99", b"\x82", b"\xc3", b"\xa9", b"\x80", b"\xc0", b"\xc2", b"\xe0",
    b"\xe0\x80", b"\xed", b"\xed\xa0\x80", b"\xf4", b"\xf4\x90", b"\xf5", b"\xfe", b"\xff", b"\xff\xfe", b"\xfe\xff",
)  # fmt: skip
_VALUES = (
    b"[DONE]", b"{", b"}", b"{}", b'"', b"[", b"]", b"null", b"0", b"00", b"1", b"10", b"1000", b"-1", b"+5", b"1e3",
    b"0x10", b"1_0", b"9999999999999999999", b"data", b"data: ", b" data: ", b"\\n", b"\\r\\n", b"undefined",
)  # fmt: skip
_PLAIN = tuple(
    bytes([value])
    for value in (0, 1, 9, 11, 12, *range(28, 128))
    # Not all the capitals: a byte has 256 values.
    if value not in b"GHJKLMPQSUVWXYZ"
)


def _table() -> tuple[bytes, ...]:
    """The token of each byte; the two that are none are empty."""
    return (b"", b"", *dict.fromkeys((*_ENDS, *_FIELDS, *_LINES, *_NEAR, *_CHARACTERS, *_PARTS, *_VALUES, *_PLAIN)))


TOKENS = _table()
_SIZES = range(max(map(len, TOKENS)), 0, -1)
_BY_TOKEN = {token: number for number, token in enumerate(TOKENS) if token}
_CUT, _RAW_CUT = bytes([CUT]), bytes([RAW_CUT])
_EACH, _RAW_EACH = bytes([EACH]), bytes([RAW_EACH])


def decode(data: bytes) -> tuple[bytes, Cuts]:
    """The wire and its cuts that an input of the table stands for; any bytes are one."""
    if EACH in data:
        return _with_each(decode, *_parted(data, _EACH, _CUT))
    tokens = TOKENS
    if CUT not in data:
        return b"".join([tokens[value] for value in data]), ()
    return _joined([b"".join([tokens[value] for value in piece]) for piece in data.split(_CUT)])


def decode_raw(data: bytes) -> tuple[bytes, Cuts]:
    """The wire and its cuts that an input of the raw form stands for; any bytes are one."""
    if RAW_EACH in data:
        return _with_each(decode_raw, *_parted(data, _RAW_EACH, _RAW_CUT))
    return (data, ()) if RAW_CUT not in data else _joined(data.split(_RAW_CUT))


def _parted(data: bytes, each: bytes, cut: bytes) -> tuple[bytes, bytes]:
    """What stands before each byte is a chunk, and behind: a second such byte says nothing, and no chunk is empty."""
    before, _, behind = data.partition(each)
    return before, behind.replace(each, b"").replace(cut, b"")


def _with_each(decoded: Callable[[bytes], tuple[bytes, Cuts]], before: bytes, behind: bytes) -> tuple[bytes, Cuts]:
    (first, cuts), (second, _) = decoded(before), decoded(behind)
    wire = first + second
    return wire, (*cuts, *range(max(len(first), 1), len(wire)))


def _joined(chunks: list[bytes]) -> tuple[bytes, Cuts]:
    return b"".join(chunks), tuple(accumulate([len(chunk) for chunk in chunks[:-1]]))


def encode(wire: bytes, cuts: Cuts) -> bytes | None:
    """An input of the table that stands for this stream, of as few tokens as can be; None where there is none."""
    at, cuts_before = _bytewise_from(cuts, len(wire))
    plain = _tokens(wire, cuts) if len(cuts) - len(cuts_before) < 2 else None
    if plain is not None or at is None:
        return plain
    # Inside a character, of whose bytes not all are tokens, this is the one way to cut.
    before, behind = _tokens(wire[:at], cuts_before), _numbers(wire[at:])
    return None if before is None or behind is None else before + _EACH + behind


def _bytewise_from(cuts: Cuts, length: int) -> tuple[int | None, Cuts]:
    """From which byte on each is a chunk, None where the last two are not; and the cuts before those."""
    at, left = length, len(cuts)
    while left and at > 1 and cuts[left - 1] == at - 1:
        at, left = at - 1, left - 1
    if left == len(cuts):
        return None, cuts
    # The first byte is a chunk too, unless there is a cut where that ends.
    return (0 if at == 1 and not (left and cuts[left - 1]) else at), cuts[:left]


def _tokens(wire: bytes, cuts: Cuts) -> bytes | None:
    pieces = [_numbers(chunk) for chunk in _chunks(wire, cuts)]
    return None if None in pieces else _CUT.join(piece for piece in pieces if piece is not None)


def _numbers(chunk: bytes) -> bytes | None:
    """The fewest tokens that make up a chunk. The longest first would not do: it may leave a byte that has none."""
    # From the end: how many tokens what stands behind each place takes, and the first of them.
    best: list[tuple[int, bytes] | None] = [(0, b"")] * (len(chunk) + 1)
    for at in range(len(chunk) - 1, -1, -1):
        pieces = (chunk[at : at + size] for size in _SIZES if at + size <= len(chunk))
        fitting = [(rest[0] + 1, one) for one in pieces if one in _BY_TOKEN and (rest := best[at + len(one)])]
        best[at] = min(fitting, key=lambda pair: pair[0], default=None)
    numbers, at = bytearray(), 0
    while at < len(chunk):
        found = best[at]
        if found is None:
            return None
        numbers.append(_BY_TOKEN[found[1]])
        at += len(found[1])
    return bytes(numbers)


def encode_raw(wire: bytes, cuts: Cuts) -> bytes | None:
    """An input of the raw form that stands for this stream; None where a byte stands in it that says how it is cut."""
    if RAW_CUT in wire or RAW_EACH in wire:
        return None
    if len(cuts) > 1 and cuts == bytewise(wire):
        return _RAW_EACH + wire
    return _RAW_CUT.join(_chunks(wire, cuts))


def _chunks(wire: bytes, cuts: Cuts) -> list[bytes]:
    return [wire[start:stop] for start, stop in pairwise((0, *cuts, len(wire)))]
