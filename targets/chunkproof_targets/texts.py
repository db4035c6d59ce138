"""The one text that a value of a target is compared and shown by; the judge writes what it expects in the same way."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

__all__ = ["as_text", "canonical_json", "canonical_json_of_text", "plain", "same", "short"]

BYTES = (bytes, bytearray, memoryview)

# Text that is not JSON, and JSON that nests too deeply for Python.
_NO_JSON = (ValueError, RecursionError)


def as_text(value: object) -> str | None:
    """A value as exact `str`: bytes decoded, None kept, anything else marked as what it is. Never raises."""
    if value is None:
        return None
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, BYTES):
        return str(plain(value))
    return f"<{type(value).__name__}: {short(value)}>"


def canonical_json(value: object) -> str:
    """The one text by which decoded JSON is compared: keys sorted, no escapes. Never raises."""
    try:
        return json.dumps(value, sort_keys=True, ensure_ascii=False, default=_number)
    except (TypeError, *_NO_JSON) as error:
        return f"<{type(value).__name__} that is not JSON: {error}>"


def _number(value: object) -> float:
    """What ``parse_float=Decimal`` made of a number, as the number that it is without it."""
    if isinstance(value, Decimal):
        return float(value)
    raise TypeError(f"{type(value).__name__} is none of JSON's types")


def canonical_json_of_text(text: str | None) -> str:
    """`canonical_json` of what the text holds; text that is not JSON is the string that it is. None reads as ""."""
    try:
        value = json.loads(text or "")
    except _NO_JSON:
        value = text
    return canonical_json(value)


def plain(value: Any) -> Any:
    """The value, as text if it is bytes; text is exact `str`, without the methods of a class derived from it."""
    if isinstance(value, str):
        return str.__str__(value)
    return bytes(value).decode("utf-8", "replace") if isinstance(value, BYTES) else value


def same(one: object, other: object) -> bool:
    """Whether two values are equal, of one kind; a comparison that raises says no. Never raises."""
    one, other = plain(one), plain(other)
    if isinstance(one, str) or isinstance(other, str):
        return type(one) is type(other) and one == other
    try:
        return bool(one == other)
    except Exception:  # a value's own __eq__ may do anything
        return False


def short(value: object) -> str:
    """The repr of a value, at most 80 characters of it; a repr that raises is told."""
    try:
        text = repr(value)
    except Exception as error:
        text = f"<{type(value).__name__} whose repr raises {type(error).__name__}>"
    return text if len(text) <= 80 else text[:77] + "..."
