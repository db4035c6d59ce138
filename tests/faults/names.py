"""What must catch each deviation in the names of fields."""

from __future__ import annotations

#: The rules that must be broken by each entry, by its name.
CATCHES = {
    "field-name-trimmed": ("fields/names-are-exact",),
    "field-name-trimmed-at-the-start": ("fields/names-are-exact",),
    "field-name-trimmed-at-the-end": (
        "fields/names-are-exact",
        "dispatch/unknown-only-blocks",
    ),
    "field-name-ends-at-a-space": (
        "fields/names-are-exact",
        "dispatch/unknown-only-blocks",
    ),
    "field-name-case-folded": ("fields/names-are-exact",),
    "field-name-prefix": ("fields/names-are-exact",),
    "field-name-contains": ("fields/names-are-exact",),
    "first-letter-decides": ("fields/names-are-exact",),
    "data-found-anywhere": (
        "fields/comments-cut-anywhere",
        "fields/comments-are-ignored",
    ),
    "field-name-normalised": ("fields/names-are-exact",),
    "type-field-taken": ("fields/names-are-exact",),
    "message-field-taken": ("fields/names-are-exact",),
    "last-event-id-field-taken": ("fields/names-are-exact",),
    "unknown-field-raises": ("fields/unknown-fields-are-ignored",),
    "unknown-field-is-data": (
        "fields/unknown-fields-are-ignored",
        "dispatch/unknown-only-blocks",
        "whole/ignored-lines-change-nothing",
    ),
    "unknown-field-continues-data": ("fields/unknown-fields-are-ignored",),
    "bare-json-lines": ("fields/unknown-fields-are-ignored",),
    "unknown-field-ends-a-block": ("fields/unknown-fields-are-ignored",),
    "unknown-field-is-a-blank-line": (
        "lines/a-line-of-blanks-is-not-blank",
        "whole/ignored-lines-change-nothing",
    ),
    "unknown-field-is-a-type": ("fields/unknown-fields-are-ignored",),
}
