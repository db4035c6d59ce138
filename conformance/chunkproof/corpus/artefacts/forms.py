"""The forms in which a chunk stands in JSON: a text, a list of numbers, an object of text, base64 or hex."""

from __future__ import annotations

import base64
import binascii
from typing import Any

from .artefact import ArtefactError, shown

__all__ = ["chunk_bytes", "decoded", "utf8"]


def chunk_bytes(item: Any, where: str) -> bytes:
    """The bytes of a chunk; ArtefactError, which begins with ``where``, where it is in none of the forms."""
    if isinstance(item, str):
        return _of_text(item, where)
    if isinstance(item, list):
        wrong = [number for number in item if type(number) is not int or not 0 <= number <= 255]
        if wrong:
            raise ArtefactError(f"{where}: {shown(repr(wrong[0]))} is no byte, which is a number from 0 to 255")
        return bytes(item)
    if isinstance(item, dict) and len(item) == 1:
        (form, value), *_ = item.items()
        if isinstance(value, str) and form in ("text", "base64", "hex"):
            return _of_text(value, where) if form == "text" else decoded(value, form, where)
    raise ArtefactError(
        f"{where}: {shown(repr(item))} is none; a chunk is a text, a list of numbers, "
        'or {"text": ...}, {"base64": ...} or {"hex": ...}'
    )


def _of_text(text: str, where: str) -> bytes:
    return utf8(text, where, way_out=': give its bytes, as {"hex": "eda080"}')


def utf8(text: str, where: str, *, way_out: str = "") -> bytes:
    """A text as UTF-8; ArtefactError, which ends with the way out, where it holds half a surrogate pair."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        half = shown(text[error.start])
        raise ArtefactError(
            f"{where}: it holds half a surrogate pair ({half}), which is no character{way_out}"
        ) from None


def decoded(value: str, form: str, where: str) -> bytes:
    """The bytes of a text in hex or base64; ArtefactError where it is none."""
    try:
        return bytes.fromhex(value) if form == "hex" else base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError) as error:
        raise ArtefactError(f"{where}: {shown(value)} is no {form} ({error})") from None
