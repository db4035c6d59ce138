"""What must catch the deviations in what a parser takes of a machine."""

from __future__ import annotations

#: The rules that must catch each.
CATCHES: dict[str, tuple[str, ...]] = {
    "whole-buffer-searched-for-a-line-end": ("resources/linear-in-a-long-line",),
    "quadratic-buffering": ("resources/linear-in-a-long-line",),
    "whole-buffer-searched-for-a-blank-line": ("resources/linear-in-data-lines", "resources/linear-in-comments"),
    "quadratic-line-decoding": ("resources/linear-in-events",),
    "data-joined-for-each-line": ("resources/linear-in-data-lines",),
    "events-copied-for-each-event": ("resources/linear-in-events",),
    "comments-copied-for-each-comment": ("resources/linear-in-comments",),
    "blank-lines-counted-anew": ("resources/linear-in-blank-lines",),
    "events-kept": ("resources/delivered-data-is-let-go",),
    "chunks-kept": ("resources/delivered-data-is-let-go",),
    "lines-kept": ("resources/delivered-data-is-let-go",),
    "events-kept-in-a-closure": ("resources/delivered-data-is-let-go",),
    "lines-beyond-a-million-dropped": ("size/a-line-of-1-mib", "size/a-line-of-10-mib"),
    "lines-beyond-eight-million-raise": ("size/a-line-of-10-mib",),
}
