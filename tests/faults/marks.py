"""Faults of the byte order mark, and the rules that must catch each."""

from __future__ import annotations

CATCHES = {
    "bom-not-stripped": (
        "bytes/mark-removed",
        "bytes/mark-before-other-fields",
        "bytes/mark-behind-an-empty-chunk",
    ),
    "bom-split-chunks": ("bytes/mark-cut",),
    "bom-missed-behind-an-empty-chunk": ("bytes/mark-behind-an-empty-chunk",),
    "bom-missed-behind-no-text": (
        "bytes/mark-cut",
        "bytes/mark-behind-an-empty-chunk",
    ),
    "bom-overstripped": ("bytes/only-one-mark",),
    "bom-stripped-twice": ("bytes/only-one-mark",),
    "bom-stripped-everywhere": (
        "bytes/only-one-mark",
        "bytes/a-mark-in-a-value-is-text",
        "bytes/a-mark-at-a-later-line-is-text",
    ),
    "bom-stripped-in-each-chunk": (
        "bytes/only-one-mark",
        "bytes/a-mark-in-a-value-is-text",
    ),
    "bom-stripped-at-each-line": (
        "bytes/only-one-mark",
        "bytes/a-mark-at-a-later-line-is-text",
    ),
    "bom-stripped-at-each-event": (
        "bytes/a-mark-at-a-later-line-is-text",
        "whole/two-streams-joined",
    ),
    "bom-stripped-from-values": ("bytes/a-mark-in-a-value-is-text",),
    "bom-stripped-from-names": (
        "bytes/only-one-mark",
        "bytes/a-mark-at-a-later-line-is-text",
    ),
    "bom-stripped-from-types": ("dispatch/the-type-is-untouched",),
    "bom-stripped-from-ids": ("ids/an-id-is-not-trimmed",),
    "bom-only-before-data": ("bytes/mark-before-other-fields",),
    "bom-then-blank-line-lost": ("bytes/mark-then-blank-line",),
    "bom-raises": (
        "bytes/mark-removed",
        "bytes/mark-alone",
    ),
    "bom-alone-raises": ("bytes/mark-alone",),
    "truncated-bom-stripped": ("bytes/truncated-mark",),
}
