"""What must catch each deviation of values."""

from __future__ import annotations

#: The rules that must be broken by each entry, by its name.
CATCHES = {
    "escapes-read": ("fields/a-value-that-looks-like-more",),
    "unicode-escapes-read": ("fields/a-value-that-looks-like-more",),
    "percent-decoded": ("fields/a-value-that-looks-like-more",),
    "entities-decoded": ("fields/a-value-that-looks-like-more",),
    "tags-removed": ("fields/a-value-that-looks-like-more",),
    "thinking-removed": ("fields/a-value-that-looks-like-more",),
    "terminal-sequences-removed": ("fields/a-value-that-looks-like-more",),
    "null-is-empty": ("fields/a-value-that-looks-like-more",),
    "zero-is-no-data": ("fields/one-space-is-removed",),
    "numbers-rewritten": ("fields/a-value-that-looks-like-more",),
    "json-rewritten": ("fields/colons-in-the-value",),
    "json-shown-as-python": ("fields/a-value-that-looks-like-more",),
    "not-json-dropped": ("fields/one-space-is-removed",),
    "not-json-raises": ("fields/one-space-is-removed",),
    "empty-object-dropped": ("fields/a-value-that-looks-like-more",),
    "nested-field-removed": ("fields/a-value-that-looks-like-more",),
    "field-name-removed-everywhere": ("fields/a-value-that-looks-like-more",),
    "quotes-removed": (
        "fields/a-value-that-looks-like-more",
        "whole/any-stream-in-any-chunking",
    ),
}
