"""Deviations in what becomes of decoded characters."""

from __future__ import annotations

import re
import unicodedata

from ..contract import Event
from ..reference import ReferenceParser
from .deviation import Catalogue

deviation = Catalogue("characters", "9.2.5 (ABNF, any-char): every character but LF and CR is text")

_AS_SENT = "Hand text on as it was sent; leave it to the application to change it for its own use."
_NUL = (
    "Treat U+0000 as any other character of data, types and names; it rules out the value of an id, and nothing else."
)
_DAMAGE = "Treat U+FFFD as any other character."
_WIDE = "Use strings that hold every character of Unicode, beyond the first 65,536 too."


# composed and decomposed ---------------------------------------------------------------------------------------------


@deviation(symptom="Text that is compared with, or hashed as, what was sent does not match.", mend=_AS_SENT)
class NfcNormalises(ReferenceParser):
    """Composes the characters of data (NFC)."""

    def field_data(self, value: str) -> None:
        super().field_data(unicodedata.normalize("NFC", value))


@deviation(
    symptom="Text that is compared with what was sent does not match, and a letter counts as two.", mend=_AS_SENT
)
class NfdNormalises(ReferenceParser):
    """Decomposes the characters of data (NFD)."""

    def field_data(self, value: str) -> None:
        super().field_data(unicodedata.normalize("NFD", value))


@deviation(
    symptom="Ligatures, full-width letters and superscripts come out as plain letters and digits.", mend=_AS_SENT
)
class NfkcNormalises(ReferenceParser):
    """Replaces compatibility forms in data by the plain ones (NFKC)."""

    def field_data(self, value: str) -> None:
        super().field_data(unicodedata.normalize("NFKC", value))


@deviation(symptom="An event reaches the listener of another type, whose name looks much like its own.", mend=_AS_SENT)
class NfkcNormalisesTypes(ReferenceParser):
    """Replaces compatibility forms in a type by the plain ones (NFKC)."""

    def field_event(self, value: str) -> None:
        super().field_event(unicodedata.normalize("NFKC", value))


@deviation(symptom="After a reconnection the server does not know the id that it is asked for.", mend=_AS_SENT)
class NfcNormalisesIds(ReferenceParser):
    """Composes the characters of an id (NFC)."""

    def field_id(self, value: str) -> None:
        super().field_id(unicodedata.normalize("NFC", value))


# U+0000 --------------------------------------------------------------------------------------------------------------


@deviation(symptom="Zero characters are missing from the text.", mend=_NUL)
class NulStripped(ReferenceParser):
    """Removes U+0000 from the text."""

    def read_text(self, text: str) -> None:
        super().read_text(text.replace("\0", ""))


@deviation(symptom="A zero character shows as a black diamond.", mend=_NUL)
class NulReplaced(ReferenceParser):
    """Replaces U+0000 by U+FFFD."""

    def read_text(self, text: str) -> None:
        super().read_text(text.replace("\0", "\ufffd"))


@deviation(symptom="A line of text is cut off at a zero character.", mend=_NUL)
class NulEndsAValue(ReferenceParser):
    """Cuts data at U+0000, as a C string ends."""

    def field_data(self, value: str) -> None:
        super().field_data(value.partition("\0")[0])


@deviation(symptom="An event with a zero character in its type reaches the listener of another type.", mend=_NUL)
class NulEndsAType(ReferenceParser):
    """Cuts a type at U+0000, as a C string ends."""

    def field_event(self, value: str) -> None:
        super().field_event(value.partition("\0")[0])


@deviation(symptom="A line that means nothing shows up as text.", mend=_NUL)
class NulEndsAName(ReferenceParser):
    """Cuts a field's name at U+0000, as a C string ends."""

    def field(self, name: str, value: str) -> None:
        super().field(name.partition("\0")[0], value)


@deviation(symptom="A line is cut off at a zero character, or breaks an event in two.", mend=_NUL)
class NulEndsALine(ReferenceParser):
    """Cuts a line at U+0000, as a C string ends."""

    def read_line(self, line: str) -> None:
        super().read_line(line.partition("\0")[0])


@deviation(symptom="Behind a zero character a piece of the answer is missing, now more of it, now less.", mend=_NUL)
class NulEndsAChunk(ReferenceParser):
    """Cuts a chunk at U+0000, as a C string ends."""

    def read_text(self, text: str) -> None:
        super().read_text(text.partition("\0")[0])


@deviation(symptom="A line of text with a zero character in it is missing.", mend=_NUL)
class NulDataIgnored(ReferenceParser):
    """Ignores data with U+0000 in it, as the standard has it for an id."""

    def field_data(self, value: str) -> None:
        if "\0" not in value:
            super().field_data(value)


@deviation(symptom="An event with a zero character in its type comes out under the default type.", mend=_NUL)
class NulTypesIgnored(ReferenceParser):
    """Ignores a type with U+0000 in it, as the standard has it for an id."""

    def field_event(self, value: str) -> None:
        if "\0" not in value:
            super().field_event(value)


@deviation(symptom="A zero character ends the whole answer with an error.", mend=_NUL)
class NulRaises(ReferenceParser):
    """Raises on a line with U+0000 in it, a comment too."""

    def read_line(self, line: str) -> None:
        if "\0" in line:
            raise ValueError("NUL in the stream")
        super().read_line(line)


# characters that somebody thinks are none ----------------------------------------------------------------------------


@deviation(symptom="A rare character that was sent shows as a black diamond.", mend=_AS_SENT)
class NoncharactersRefused(ReferenceParser):
    """Replaces noncharacters by U+FFFD."""

    def read_text(self, text: str) -> None:
        super().read_text(re.sub("[\ufdd0-\ufdef\ufffe\uffff\U0001fffe\U0001ffff\U0010fffe\U0010ffff]", "\ufffd", text))


@deviation(symptom="Icons of a font of one's own are missing from the text.", mend=_AS_SENT)
class PrivateUseDropped(ReferenceParser):
    """Drops characters of private use from data."""

    def field_data(self, value: str) -> None:
        super().field_data("".join(character for character in value if unicodedata.category(character) != "Co"))


@deviation(symptom="Emoji and rare Chinese characters show as black diamonds.", mend=_WIDE)
class BasicPlaneOnly(ReferenceParser):
    """Replaces characters of four bytes by U+FFFD."""

    def read_text(self, text: str) -> None:
        super().read_text(re.sub("[\U00010000-\U0010ffff]", "\ufffd", text))


@deviation(symptom="Emoji and rare Chinese characters are missing from the text.", mend=_WIDE)
class FourByteCharactersDropped(ReferenceParser):
    """Drops characters of four bytes."""

    def read_text(self, text: str) -> None:
        super().read_text(re.sub("[\U00010000-\U0010ffff]", "", text))


@deviation(
    symptom="Emoji look right at first, count as two characters, and raise an error where they are sent on.",
    mend="Join the two halves of a UTF-16 pair to the one character that they stand for.",
)
class FourByteCharactersAsPairs(ReferenceParser):
    """Hands on a character of four bytes as the two surrogates of UTF-16."""

    def read_text(self, text: str) -> None:
        super().read_text(re.sub("[\U00010000-\U0010ffff]", _as_pair, text))


def _as_pair(found: re.Match[str]) -> str:
    high, low = divmod(ord(found[0]) - 0x10000, 0x400)
    return chr(0xD800 + high) + chr(0xDC00 + low)


@deviation(symptom="One emoji of a family or a flag shows as several.", mend=_AS_SENT)
class FormatCharactersDropped(ReferenceParser):
    """Drops zero-width joiners and the like."""

    def read_text(self, text: str) -> None:
        super().read_text(re.sub("[\u200b-\u200f\ufe0f]", "", text))


@deviation(symptom="Control characters, as those that colour a terminal, are missing from the text.", mend=_AS_SENT)
class ControlCharactersStripped(ReferenceParser):
    """Removes characters below the blank, but for the line ends and the tab."""

    def read_text(self, text: str) -> None:
        super().read_text(re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f]", "", text))


@deviation(symptom="Rare control characters are missing from the text.", mend=_AS_SENT)
class DelAndC1Stripped(ReferenceParser):
    """Removes U+007F to U+009F."""

    def read_text(self, text: str) -> None:
        super().read_text(re.sub("[\x7f-\x9f]", "", text))


@deviation(
    symptom="Blanks that are no plain space, as between Chinese words or French marks, become one.", mend=_AS_SENT
)
class WideBlanksMadePlain(ReferenceParser):
    """Replaces blanks of other widths in data by the plain one."""

    def field_data(self, value: str) -> None:
        super().field_data(re.sub("[\xa0\u2000-\u200a\u202f\u205f\u3000]", " ", value))


# U+FFFD --------------------------------------------------------------------------------------------------------------


@deviation(symptom="Text that quotes a black diamond ends the whole answer with an error.", mend=_DAMAGE)
class ReplacementCharacterRefused(ReferenceParser):
    """Raises on a U+FFFD that was sent as such, as if the decoder had made it."""

    def decode(self, chunk: bytes) -> str:
        if b"\xef\xbf\xbd" in chunk:
            raise ValueError("cannot decode")
        return super().decode(chunk)


@deviation(symptom="Damaged text loses characters with no sign that something was there.", mend=_DAMAGE)
class ReplacementCharactersDropped(ReferenceParser):
    """Drops U+FFFD, whether the decoder made it or it was sent."""

    def read_text(self, text: str) -> None:
        super().read_text(text.replace("\ufffd", ""))


@deviation(symptom="One damaged character loses its whole line of text.", mend=_DAMAGE)
class IllFormedDataIgnored(ReferenceParser):
    """Ignores data with U+FFFD in it."""

    def field_data(self, value: str) -> None:
        if "\ufffd" not in value:
            super().field_data(value)


@deviation(symptom="An event with a damaged type comes out under the default type.", mend=_DAMAGE)
class IllFormedTypesIgnored(ReferenceParser):
    """Ignores a type with U+FFFD in it."""

    def field_event(self, value: str) -> None:
        if "\ufffd" not in value:
            super().field_event(value)


@deviation(symptom="After a damaged id a reconnection asks for too early an event, and some come twice.", mend=_DAMAGE)
class IllFormedIdsIgnored(ReferenceParser):
    """Ignores an id with U+FFFD in it."""

    def field_id(self, value: str) -> None:
        if "\ufffd" not in value:
            super().field_id(value)


@deviation(symptom="One damaged character loses its whole event.", mend=_DAMAGE)
class IllFormedEventsDropped(ReferenceParser):
    """Drops an event with U+FFFD in its data."""

    def emit(self, event: Event) -> None:
        if "\ufffd" not in (event.data or ""):
            super().emit(event)
