"""Reconnection times as targets show them: milliseconds as int or text, seconds, or a timedelta."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Literal

from .contract import normal_retry

__all__ = ["Unit", "digits_of", "unit_of"]

Unit = Literal["ms", "seconds"]

# Below the least limit that Python can have for the digits of an int (640): then `str` never raises.
_BLOCK_DIGITS = 600


def unit_of(value: object, milliseconds: int) -> Unit | None:
    """In which unit a value shows so many milliseconds; None where it does not show them."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, timedelta):
        return "ms" if value == timedelta(milliseconds=milliseconds) else None
    if isinstance(value, (str, bytes)):
        value = str.__str__(value) if isinstance(value, str) else value.decode("utf-8", "replace")
        if value == str(milliseconds):
            return "ms"
        return "seconds" if value == str(milliseconds / 1000) else None
    if not isinstance(value, (int, float, Decimal)):
        return None
    try:
        if value == milliseconds:
            return "ms"
        return "seconds" if abs(float(value) - milliseconds / 1000) < 1e-9 else None
    except Exception:  # a number beyond any float, a signalling NaN, a derived class that raises
        return None


def digits_of(value: object, unit: Unit) -> str | None:
    """A shown time as digits (milliseconds) without leading zeros; None for none.

    Never raises: what is no whole number of milliseconds comes back as the text that it is.
    """
    if value is None:
        return None
    if isinstance(value, timedelta):
        microseconds = (value.days * 86400 + value.seconds) * 1_000_000 + value.microseconds
        whole, rest = divmod(microseconds, 1000)
        return _int_digits(whole) if not rest else f"{value}"
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    if unit == "ms" and isinstance(value, int):
        return _int_digits(value)
    if unit == "ms" and isinstance(value, str):
        return normal_retry(value) if value.isascii() and value.isdigit() else str.__str__(value)
    return _scaled(value, 1000 if unit == "seconds" else 1)


def _scaled(value: object, factor: int) -> str:
    if isinstance(value, int):
        return _int_digits(value * factor)
    try:
        number = Decimal(repr(value) if isinstance(value, float) else str(value)) * factor
        if number.is_finite() and number.adjusted() > 400:
            return str(number)
        # Seconds as a float are the nearest float to a whole number of milliseconds.
        whole = int(number.to_integral_value())
    except (ArithmeticError, ValueError):
        return f"<{type(value).__name__} {value!r:.80}>"
    return _int_digits(whole) if abs(number - whole) < Decimal("1e-6") else str(number)


def _int_digits(value: int) -> str:
    """The digits of an int of any size; `str` alone raises beyond sys.get_int_max_str_digits()."""
    if value < 0:
        return "-" + _int_digits(-value)
    base = 10**_BLOCK_DIGITS
    if value < base:
        return str(value)
    blocks = []
    while value:
        value, block = divmod(value, base)
        blocks.append(str(block).zfill(_BLOCK_DIGITS))
    return normal_retry("".join(reversed(blocks)))
