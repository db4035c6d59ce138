"""What must catch each deviation of data lines."""

from __future__ import annotations

#: The rules that must be broken by each entry, by its name.
CATCHES = {
    "multiline-data-overwritten": ("fields/data-lines-are-joined",),
    "multiline-first-line-only": ("fields/data-lines-are-joined",),
    "multiline-last-line-lost": ("fields/data-lines-are-joined",),
    "multiline-joined-with-space": ("fields/data-lines-are-joined",),
    "multiline-joined-with-nothing": ("fields/data-lines-are-joined",),
    "multiline-joined-with-crlf": ("fields/data-lines-are-joined",),
    "multiline-joined-with-blank-line": ("fields/data-lines-are-joined",),
    "multiline-two-lines-at-most": ("fields/data-lines-are-joined",),
    "further-data-lines-keep-their-name": ("fields/data-lines-are-joined",),
    "further-data-lines-keep-their-space": ("fields/data-lines-are-joined",),
    "block-is-the-payload": (
        "dispatch/comment-only-blocks",
        "fields/unknown-fields-are-ignored",
        "fields/data-lines-are-joined",
    ),
    "last-line-feed-kept": (
        "fields/data-lines-are-joined",
        "dispatch/empty-data-is-an-event",
    ),
    "last-character-lost": ("fields/one-space-is-removed",),
    "each-data-line-is-an-event": ("fields/data-lines-are-joined",),
    "empty-data-line-lost": ("fields/a-leading-empty-data-line-counts",),
    "further-empty-data-lines-lost": (
        "fields/empty-data-lines-count",
        "fields/a-trailing-empty-data-line-counts",
    ),
    "empty-data-lines-ignored": (
        "dispatch/empty-data-is-an-event",
        "fields/empty-data-lines-count",
    ),
    "empty-data-line-ends-the-event": (
        "dispatch/empty-data-is-an-event",
        "fields/empty-data-lines-count",
    ),
    "trailing-newlines-lost": ("fields/a-trailing-empty-data-line-counts",),
    "data-trimmed": (
        "fields/trailing-blanks-are-kept",
        "fields/a-leading-empty-data-line-counts",
    ),
    "equal-data-lines-merged": ("fields/empty-data-lines-count",),
}
