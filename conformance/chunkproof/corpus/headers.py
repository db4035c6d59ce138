"""Header fields of an answer over HTTP, be it a live one or one in a file."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["codings_of", "joined"]


def joined(fields: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    """The fields by their names in lower case, as h11 gives them; those of one name as one list (RFC 9110, 5.3)."""
    values: dict[str, list[str]] = {}
    for name, value in fields:
        values.setdefault(name.decode("latin-1"), []).append(value.decode("latin-1"))
    return {name: ", ".join(listed) for name, listed in values.items()}


def codings_of(value: str) -> list[str]:
    """The codings that a field lists, in the order they were applied; x-gzip is gzip (RFC 9110, 8.4.1.3)."""
    listed = [coding.strip().lower() for coding in value.split(",")]
    return ["gzip" if coding == "x-gzip" else coding for coding in listed if coding not in ("", "identity")]
