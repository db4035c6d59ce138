"""Deviations in what becomes of bytes that are not UTF-8."""

from __future__ import annotations

import codecs
import re
import weakref
from typing import Any

from ..reference import ReferenceParser
from .deviation import Catalogue

deviation = Catalogue("bytes", "Encoding, UTF-8 decoder: each maximal subpart of what is ill-formed becomes one U+FFFD")

_REPLACE = "Decode with replacement: one U+FFFD for each maximal subpart (Python's errors='replace' does it)."
_ONE_DECODER = (
    "Leave ill-formed bytes to the decoder of UTF-8, which replaces them, and look for no other meaning in them."
)

_OVERLONG = re.compile(rb"[\xc0\xc1][\x80-\xbf]|\xe0[\x80-\x9f][\x80-\xbf]|\xf0[\x80-\x8f][\x80-\xbf]{2}")
_SURROGATE = re.compile(rb"\xed[\xa0-\xbf][\x80-\xbf]")
_SURROGATE_PAIR = re.compile(rb"\xed[\xa0-\xaf][\x80-\xbf]\xed[\xb0-\xbf][\x80-\xbf]")
_ESCAPED = re.compile("[\udc80-\udcff]")
_LOOKS_WHOLE = re.compile(
    rb"[\xc0-\xdf][\x80-\xbf]?|[\xe0-\xef][\x80-\xbf]{0,2}|[\xf0-\xf7][\x80-\xbf]{0,3}"
    rb"|[\xf8-\xfb][\x80-\xbf]{0,4}|[\xfc\xfd][\x80-\xbf]{0,5}|[\x80-\xff]"
)


class _IllFormed(ReferenceParser):
    """Asks the step `ill_formed` what becomes of bytes that are not UTF-8."""

    def __init__(self) -> None:
        super().__init__()
        self._decoder = _AskingDecoder(weakref.proxy(self))

    def ill_formed(self, error: UnicodeDecodeError) -> tuple[str, int]:
        """The text for the bytes at fault, and where decoding goes on, as an error handler of codecs says it."""
        return "\ufffd", error.end


class _AskingDecoder(codecs.BufferedIncrementalDecoder):
    """UTF-8 in pieces. It knows its parser by a proxy, so that neither keeps the other alive."""

    def __init__(self, parser: _IllFormed) -> None:
        super().__init__()
        self.parser = parser

    def _buffer_decode(self, input: Any, errors: str, final: bool) -> tuple[str, int]:
        text, done = "", 0
        while True:
            try:
                more, taken = codecs.utf_8_decode(input[done:], "strict", final)
                return text + more, done + taken
            except UnicodeDecodeError as caught:
                error = caught
            instead, behind = self.parser.ill_formed(error)
            text += error.object[: error.start].decode() + instead
            done += behind


@deviation(
    symptom="One stray byte ends the whole answer with a decoding error.",
    mend=_REPLACE,
)
class Utf8Strict(_IllFormed):
    """Raises on ill-formed UTF-8."""

    def ill_formed(self, error: UnicodeDecodeError) -> tuple[str, int]:
        raise error


@deviation(
    symptom="One stray byte ends the answer with a decoding error, once the line that it stands in is complete.",
    mend=_REPLACE,
)
class LineDecodedStrictly(_IllFormed):
    """Decodes each line by itself, and raises where it is not UTF-8."""

    def ill_formed(self, error: UnicodeDecodeError) -> tuple[str, int]:
        return error.object[error.start : error.end].decode("utf-8", "surrogateescape"), error.end

    def read_line(self, line: str) -> None:
        super().read_line(line.encode("utf-8", "surrogateescape").decode())


@deviation(
    symptom="One stray byte ends the answer with a decoding error, also in what a lost connection has left.",
    mend=_REPLACE,
)
class LinesAndRestDecodedStrictly(LineDecodedStrictly):
    """Decodes each line by itself, an unfinished one at the end too, and raises where it is not UTF-8."""

    def at_end(self) -> None:
        self._line.encode("utf-8", "surrogateescape").decode()
        super().at_end()


@deviation(symptom="One stray byte loses its whole line of text.", mend=_REPLACE)
class LineNotUtf8Skipped(_IllFormed):
    """Decodes each line by itself, and skips one that is not UTF-8."""

    def ill_formed(self, error: UnicodeDecodeError) -> tuple[str, int]:
        return error.object[error.start : error.end].decode("utf-8", "surrogateescape"), error.end

    def read_line(self, line: str) -> None:
        if not _ESCAPED.search(line):
            super().read_line(line)


@deviation(symptom="Damaged text loses characters with no sign that something was there.", mend=_REPLACE)
class IllFormedIgnored(_IllFormed):
    """Drops ill-formed bytes."""

    def ill_formed(self, error: UnicodeDecodeError) -> tuple[str, int]:
        return "", error.end


@deviation(symptom="Damaged text shows more black diamonds than in a browser.", mend=_REPLACE)
class IllFormedOnceEachByte(_IllFormed):
    """Gives a replacement character for each ill-formed byte, not for each maximal subpart."""

    def ill_formed(self, error: UnicodeDecodeError) -> tuple[str, int]:
        return "\ufffd" * (error.end - error.start), error.end


@deviation(symptom="Damaged text shows fewer black diamonds than in a browser.", mend=_REPLACE)
class IllFormedOnceEachSequence(_IllFormed):
    """Gives one replacement character for an ill-formed sequence as long as its first byte promises."""

    def ill_formed(self, error: UnicodeDecodeError) -> tuple[str, int]:
        found = _LOOKS_WHOLE.match(error.object, error.start)
        return "\ufffd", found.end() if found else error.end


@deviation(
    symptom="Damaged text shows one black diamond however much is damaged, and diamonds that were sent become one.",
    mend=_REPLACE,
)
class IllFormedOnceEachRun(ReferenceParser):
    """Gives one replacement character for a whole run of ill-formed bytes."""

    def decode(self, chunk: bytes) -> str:
        return re.sub("\ufffd+", "\ufffd", super().decode(chunk))


@deviation(
    symptom="Behind a damaged character one more is missing, or two lines run into one.",
    mend="Go on behind the ill-formed bytes themselves: the byte that shows the damage begins the next character.",
)
class IllFormedSwallowsTheNextByte(_IllFormed):
    """Takes the byte behind an ill-formed sequence with it, a line end too."""

    def ill_formed(self, error: UnicodeDecodeError) -> tuple[str, int]:
        text, behind = super().ill_formed(error)
        return text, min(behind + 1, len(error.object))


@deviation(
    symptom="Behind a damaged character up to three more are missing, or an event runs into the next.",
    mend="Go on behind the ill-formed bytes themselves: the byte that shows the damage begins the next character.",
)
class IllFormedTakesItsFullLength(_IllFormed):
    """Takes as many bytes as the first byte of a character promises, whatever they are."""

    def ill_formed(self, error: UnicodeDecodeError) -> tuple[str, int]:
        first = error.object[error.start]
        length = 1 + (first >= 0xC0) + (first >= 0xE0) + (first >= 0xF0)
        return "\ufffd", min(error.start + length, len(error.object))


@deviation(symptom="Damaged text shows accented letters and signs that nobody wrote.", mend=_ONE_DECODER)
class IllFormedAsLatin1(_IllFormed):
    """Reads what is not UTF-8 as Latin-1."""

    def ill_formed(self, error: UnicodeDecodeError) -> tuple[str, int]:
        return error.object[error.start : error.end].decode("latin-1"), error.end


@deviation(symptom="Damaged text shows letters, quotation marks and signs that nobody wrote.", mend=_ONE_DECODER)
class IllFormedAsWindows1252(_IllFormed):
    """Reads what is not UTF-8 as windows-1252."""

    def ill_formed(self, error: UnicodeDecodeError) -> tuple[str, int]:
        return error.object[error.start : error.end].decode("windows-1252", "replace"), error.end


@deviation(symptom="Damaged text shows question marks, which look as if somebody had typed them.", mend=_REPLACE)
class IllFormedAsQuestionMarks(_IllFormed):
    """Gives a question mark for ill-formed bytes."""

    def ill_formed(self, error: UnicodeDecodeError) -> tuple[str, int]:
        return "?", error.end


@deviation(symptom="Damaged text shows backslashes and numbers.", mend=_REPLACE)
class IllFormedAsEscapes(_IllFormed):
    r"""Writes ill-formed bytes as \x80 and the like."""

    def ill_formed(self, error: UnicodeDecodeError) -> tuple[str, int]:
        return "".join(f"\\x{byte:02x}" for byte in error.object[error.start : error.end]), error.end


@deviation(
    symptom="Damaged text looks right at first, and raises an error where it is printed, stored or sent on.",
    mend=_REPLACE,
)
class IllFormedAsSurrogates(_IllFormed):
    """Keeps ill-formed bytes as lone surrogates, as Python keeps file names."""

    def ill_formed(self, error: UnicodeDecodeError) -> tuple[str, int]:
        return error.object[error.start : error.end].decode("utf-8", "surrogateescape"), error.end


@deviation(
    symptom="Half an emoji from a careless writer raises an error where the text is printed, stored or sent on.",
    mend=_ONE_DECODER,
)
class SurrogatesPass(_IllFormed):
    """Decodes ED A0 80 and the like to lone surrogates."""

    def ill_formed(self, error: UnicodeDecodeError) -> tuple[str, int]:
        found = _SURROGATE.match(error.object, error.start)
        return (found[0].decode("utf-8", "surrogatepass"), found.end()) if found else super().ill_formed(error)


@deviation(
    symptom="Emoji from a writer that is not UTF-8 come out here and nowhere else.",
    mend=_ONE_DECODER,
)
class SurrogatePairsJoined(_IllFormed):
    """Decodes the two encoded halves of a character as that character, as in CESU-8."""

    def ill_formed(self, error: UnicodeDecodeError) -> tuple[str, int]:
        found = _SURROGATE_PAIR.match(error.object, error.start)
        if not found:
            return super().ill_formed(error)
        halves = found[0].decode("utf-8", "surrogatepass")
        return halves.encode("utf-16", "surrogatepass").decode("utf-16"), found.end()


@deviation(symptom="Text gets a zero character where a browser shows damage.", mend=_ONE_DECODER)
class OverlongNulAccepted(ReferenceParser):
    """Decodes C0 80 as U+0000, as Java's own form of UTF-8 has it."""

    def decode(self, chunk: bytes) -> str:
        return super().decode(chunk.replace(b"\xc0\x80", b"\0"))


@deviation(
    symptom="Slashes, quotes and line ends get past a filter that looked at the bytes.",
    mend=_ONE_DECODER,
)
class OverlongAccepted(_IllFormed):
    """Decodes a character that is written in more bytes than it needs."""

    def ill_formed(self, error: UnicodeDecodeError) -> tuple[str, int]:
        found = _OVERLONG.match(error.object, error.start)
        if not found:
            return super().ill_formed(error)
        code = found[0][0] & 1  # C1 is the one first byte of them that carries a bit
        for byte in found[0][1:]:
            code = code << 6 | byte & 0x3F
        return chr(code), found.end()


@deviation(symptom="After one stray byte no more of the answer comes, and no error is shown.", mend=_REPLACE)
class IllFormedEndsTheStream(ReferenceParser):
    """Reads no chunk behind the one with ill-formed UTF-8 in it."""

    __over = False

    def decode(self, chunk: bytes) -> str:
        text = "" if self.__over else super().decode(chunk)
        self.__over = self.__over or "\ufffd" in text
        return text


@deviation(
    symptom="After one stray byte no more of the answer comes, and memory grows; else some events come late.",
    mend="Hold the bytes of the unfinished character alone, decode the rest at once, and with replacement.",
)
class IllFormedHoldsTheStream(ReferenceParser):
    """Waits until all that it holds is UTF-8."""

    __held = b""

    def decode(self, chunk: bytes) -> str:
        self.__held += chunk
        try:
            self.__held.decode()
        except UnicodeDecodeError:
            return ""
        chunk, self.__held = self.__held, b""
        return super().decode(chunk)
