"""What must catch each deviation of comments."""

from __future__ import annotations

#: The rules that must be broken by each entry, by its name.
CATCHES = {
    "comment-block-dispatched": ("dispatch/comment-only-blocks",),
    "comment-block-crash": ("dispatch/comment-only-blocks",),
    "comment-raises": (
        "fields/comments-are-ignored",
        "fields/a-comment-may-come-first",
    ),
    "comment-ends-a-block": ("fields/comments-between-data-lines",),
    "comment-in-data-lost": ("fields/comments-between-data-lines",),
    "comment-drops-the-type": ("fields/comments-behind-the-type",),
    "comment-drops-the-block": ("fields/comments-between-data-lines",),
    "comment-adds-a-line": ("fields/comments-between-data-lines",),
    "comment-is-a-field": (
        "fields/comments-are-ignored",
        "fields/a-comment-may-come-first",
    ),
    "comment-is-data": (
        "fields/comments-are-ignored",
        "fields/a-comment-may-come-first",
    ),
    "comment-is-an-event": (
        "fields/comments-are-ignored",
        "dispatch/comment-only-blocks",
    ),
    "comment-needs-a-space": ("fields/comments-are-ignored",),
    "a-comment-of-nothing-is-blank": ("fields/comments-between-data-lines",),
    "comment-first-crash": ("fields/a-comment-may-come-first",),
    "comment-ends-the-stream": (
        "fields/comments-are-ignored",
        "fields/a-comment-may-come-first",
    ),
    "comment-cut-forgotten": ("fields/comments-cut-anywhere",),
    "blank-line-behind-a-comment-skipped": ("fields/comments-are-ignored",),
    "line-behind-a-comment-skipped": (
        "fields/a-comment-may-come-first",
        "fields/comments-are-ignored",
    ),
    "comments-after-the-first-taken": ("fields/comments-between-data-lines",),
}
