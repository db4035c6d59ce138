"""Classes of characters, and the one that stands for all of its class, with as many bytes in UTF-8.

A class is what a parser could tell apart: letters of one script and case, digits, ideographs, emoji. What a parser
trips over in itself stays as it is: ASCII punctuation, blanks, controls, separators, joiners, marks of byte order,
U+FFFD, noncharacters.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from types import MappingProxyType

__all__ = ["SERIES", "STAND_INS", "replacement"]

# `z` is in no field's name, in no literal of JSON and no hexadecimal digit: what is made of it never means anything.
_ASCII = {"Ll": "z", "Lu": "Z", "Nd": "1"}

#: Ranges of code points of one class, whatever their category is.
_RANGES: tuple[tuple[int, int, str], ...] = (
    (0x1100, 0x115F, "ᄀ"),
    (0x1160, 0x11A7, "ᅡ"),
    (0x11A8, 0x11FF, "ᆨ"),
    (0x212A, 0x212B, "\u212b"),
    (0x2600, 0x27BF, "☀"),
    (0x3001, 0x3003, "、"),
    (0x3008, 0x3020, "、"),
    (0x3041, 0x3096, "あ"),
    (0x30A1, 0x30FA, "ア"),
    (0x3105, 0x312F, "ㄅ"),
    (0x3131, 0x318E, "ㄱ"),
    (0x3400, 0x4DBF, "中"),
    (0x4E00, 0x9FFF, "中"),
    (0xAC00, 0xD7A3, "한"),
    (0xE000, 0xF8FF, "\ue000"),
    (0xF900, 0xFAFF, "\uf900"),
    (0xFB00, 0xFB06, "\ufb01"),
    (0xFE00, 0xFE0F, "\ufe0f"),
    (0xFF10, 0xFF19, "１"),
    (0xFF21, 0xFF3A, "Ｚ"),
    (0xFF41, 0xFF5A, "ｚ"),
    (0xFF66, 0xFF9F, "ｱ"),
    (0x1D400, 0x1D7CB, "𝐳"),
    (0x1D7CE, 0x1D7FF, "𝟏"),
    (0x1F1E6, 0x1F1FF, "🇿"),
    (0x1F3FB, 0x1F3FF, "🏽"),
    (0x1F000, 0x1FAFF, "🙂"),
    (0x2F800, 0x2FA1F, "\U0002f800"),
    (0x20000, 0x3FFFD, "𠀀"),
    # Text can be hidden in what is not seen at all.
    (0xE0020, 0xE007F, "\U000e0061"),
    (0xE0100, 0xE01EF, "\U000e0100"),
    (0xF0000, 0x10FFFD, "\U000f0000"),
)

#: Letters of a script: those of lower case, or of none, and those of upper case.
_SCRIPTS: tuple[tuple[int, int, str, str], ...] = (
    (0x00AA, 0x024F, "é", "É"),
    (0x0370, 0x03FF, "ω", "Ω"),
    (0x0400, 0x052F, "ж", "Ж"),
    (0x0531, 0x0587, "ա", "Ա"),
    (0x0590, 0x05FF, "א", "א"),
    (0x0600, 0x077F, "ع", "ع"),
    (0x1E00, 0x1EFF, "ạ", "Ạ"),
    (0x1F00, 0x1FFF, "ἀ", "Ἀ"),
    (0xFB50, 0xFDFF, "ﷺ", "ﷺ"),
)

#: What is left, by the first letter of its category and its bytes.
_OTHERS: dict[tuple[str, int], str] = {
    ("L", 2): "ʔ", ("L", 3): "अ", ("L", 4): "𐎀",
    ("M", 2): "\u0301", ("M", 3): "\u20d0", ("M", 4): "\U0001e8d0",
    ("N", 2): "²", ("N", 3): "①", ("N", 4): "𐄇",
    ("Nd", 2): "٣", ("Nd", 3): "१", ("Nd", 4): "𐒠",
    ("P", 2): "§", ("P", 3): "†", ("P", 4): "𐄀",
    ("S", 2): "©", ("S", 3): "€", ("S", 4): "𝄞",
}  # fmt: skip

#: Every character that stands for a class.
STAND_INS = frozenset(
    (
        *_ASCII.values(),
        *(stands for _, _, stands in _RANGES),
        *(stands for _, _, *both in _SCRIPTS for stands in both),
        *_OTHERS.values(),
    )
)


def _series(first: str, others: range) -> str:
    return first + "".join(chr(code) for code in others if chr(code) != first)


#: Of some classes more than one character: names that must be told apart are made of these.
SERIES: Mapping[str, str] = MappingProxyType(
    {
        "z": "zyxwvutsrqponmlkjihgfedcba",
        "Z": "ZYXWVUTSRQPONMLKJIHGFEDCBA",
        "1": "1234567890",
        "中": _series("中", range(0x4E00, 0x4E40)),
        "あ": _series("あ", range(0x3042, 0x3062)),
        "ア": _series("ア", range(0x30A2, 0x30C2)),
        "한": _series("한", range(0xAC00, 0xAC40)),
    }
)


def replacement(char: str) -> str:
    """What stands for the class of this character; the character itself where it is no content."""
    code, category = ord(char), unicodedata.category(char)
    if code < 0x80:
        return _ASCII.get(category, char)
    if code == 0xFFFD or code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF:
        return char
    for first, last, stands in _RANGES:
        if first <= code <= last:
            return stands
    if category == "Cn":
        # Not assigned in the Unicode of this Python; it may be a letter of a later one.
        category = "Lo"
    if category[0] in "CZ":
        return char
    if category[0] == "L":
        for first, last, lower, upper in _SCRIPTS:
            if first <= code <= last:
                return upper if category == "Lu" else lower
    length = len(char.encode())
    return _OTHERS[category if category == "Nd" else category[0], length]
