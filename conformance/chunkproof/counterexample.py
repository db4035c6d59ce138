"""Counterexamples as one token: what `chunkproof replay` takes.

``cp1.`` and the base64url of: the rule's id, how the target was fed, and each wire with its cuts. A wire that packs is
packed with zlib. Tokens are data from anywhere (a bug report, a chat), so reading one checks every length, and a token
that does not fit is refused with the reason.
"""

from __future__ import annotations

import base64
import binascii
import zlib
from dataclasses import dataclass
from typing import get_args

from chunkproof_strategies.chunkings import Cuts
from chunkproof_targets.contract import Takes

__all__ = ["PREFIX", "TOKEN_LENGTH_MAX", "Case", "TokenError", "decode_token", "encode_token"]

PREFIX = "cp1."
#: A longer token does not fit a command line that people paste: it is written to a file.
TOKEN_LENGTH_MAX = 1500
#: A token may not unpack to more than this: what is read from a stranger stays small.
WIRE_BYTES_MAX = 64 * 1024 * 1024

_TAKES: tuple[Takes, ...] = get_args(Takes)
_PLAIN, _PACKED = 0, 1


class TokenError(ValueError):
    """What was given is no token of this form; the message says why."""


@dataclass(frozen=True, slots=True)
class Case:
    """One counterexample: the rule, how the target is fed, and the streams, of which the last is judged."""

    rule: str
    takes: Takes
    streams: tuple[tuple[bytes, Cuts], ...]


def encode_token(case: Case) -> str:
    """The token of a case; the same case always has the same one."""
    body = bytearray()
    _put(body, case.rule.encode())
    body.append(_TAKES.index(case.takes))
    _put_number(body, len(case.streams))
    for wire, cuts in case.streams:
        _put(body, wire)
        _put_number(body, len(cuts))
        before = 0
        for at in cuts:
            _put_number(body, at - before)
            before = at
    packed = zlib.compress(bytes(body), 9)
    content = bytes([_PACKED]) + packed if len(packed) < len(body) else bytes([_PLAIN]) + bytes(body)
    return PREFIX + base64.urlsafe_b64encode(content).decode().rstrip("=")


def decode_token(token: str) -> Case:
    """The case of a token; TokenError where it is none."""
    token = "".join(token.split())
    if not token.startswith(PREFIX):
        raise TokenError(
            f"{_short(token)} is no token: one starts with {PREFIX!r}; copy the whole last line of the failure"
        )
    text = token[len(PREFIX) :]
    try:
        content = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        raise TokenError(f"{_short(token)} is damaged: it is not base64url; copy it again, whole") from None
    try:
        return _Reader(_unpacked(content)).case()
    except (IndexError, UnicodeDecodeError, zlib.error) as error:
        raise TokenError(
            f"{_short(token)} is damaged: it ends too early or is not what was written ({error}); copy it again, whole"
        ) from None


def _unpacked(content: bytes) -> bytes:
    if content[0] == _PLAIN:
        return content[1:]
    if content[0] != _PACKED:
        raise TokenError(f"token of an unknown packing ({content[0]}): it may come from a later release")
    unpacker = zlib.decompressobj()
    body = unpacker.decompress(content[1:], WIRE_BYTES_MAX)
    if not unpacker.eof:
        raise TokenError(f"the token unpacks to more than {WIRE_BYTES_MAX:,} bytes, or is cut short")
    return body


def _short(token: str) -> str:
    return repr(token if len(token) <= 40 else token[:37] + "...")


def _put(body: bytearray, content: bytes) -> None:
    _put_number(body, len(content))
    body += content


def _put_number(body: bytearray, number: int) -> None:
    while number >= 0x80:
        body.append(number & 0x7F | 0x80)
        number >>= 7
    body.append(number)


class _Reader:
    def __init__(self, body: bytes) -> None:
        self._body = body
        self._at = 0

    def case(self) -> Case:
        rule = self._bytes().decode()
        takes = _TAKES[self._byte()]
        streams = tuple(self._stream() for _ in range(self._number(most=16)))
        if self._at != len(self._body):
            raise IndexError("bytes behind its end")
        if not streams:
            raise IndexError("no stream in it")
        return Case(rule, takes, streams)

    def _stream(self) -> tuple[bytes, Cuts]:
        wire = self._bytes()
        cuts = []
        at = 0
        for _ in range(self._number(most=len(self._body))):
            at += self._number(most=len(wire))
            if at > len(wire):
                raise IndexError("a cut outside the wire")
            cuts.append(at)
        return wire, tuple(cuts)

    def _byte(self) -> int:
        self._at += 1
        return self._body[self._at - 1]

    def _number(self, *, most: int = WIRE_BYTES_MAX) -> int:
        number = shift = 0
        while True:
            byte = self._byte()
            number |= (byte & 0x7F) << shift
            shift += 7
            if number > most or shift > 63:
                raise IndexError(f"a count over {most}")
            if byte < 0x80:
                return number

    def _bytes(self) -> bytes:
        length = self._number()
        self._at += length
        if self._at > len(self._body):
            raise IndexError("a length over its own")
        return self._body[self._at - length : self._at]
