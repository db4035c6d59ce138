"""Faults in what becomes of decoded characters, and the rules that must catch each."""

from __future__ import annotations

CATCHES = {
    "nfc-normalises": ("bytes/nothing-is-normalised",),
    "nfd-normalises": ("bytes/nothing-is-normalised",),
    "nfkc-normalises": ("bytes/nothing-is-normalised",),
    "nfkc-normalises-types": ("bytes/nothing-is-normalised",),
    "nfc-normalises-ids": ("bytes/nothing-is-normalised",),
    "nul-stripped": ("bytes/nul-is-text",),
    "nul-replaced": (
        "bytes/nul-is-text",
        "bytes/nul-in-a-type-is-text",
    ),
    "nul-ends-a-value": ("bytes/nul-is-text",),
    "nul-ends-a-type": ("bytes/nul-in-a-type-is-text",),
    "nul-ends-a-name": (
        "bytes/nul-in-a-comment-or-a-name",
        "fields/names-are-exact",
    ),
    "nul-ends-a-line": (
        "bytes/nul-is-text",
        "bytes/nul-in-a-type-is-text",
        "bytes/nul-in-a-comment-or-a-name",
    ),
    "nul-ends-a-chunk": (
        "bytes/nul-is-text",
        "bytes/nul-in-a-type-is-text",
        "bytes/nul-in-a-comment-or-a-name",
    ),
    "nul-data-ignored": ("bytes/nul-is-text",),
    "nul-types-ignored": ("bytes/nul-in-a-type-is-text",),
    "nul-raises": (
        "bytes/nul-is-text",
        "bytes/nul-in-a-type-is-text",
        "bytes/nul-in-a-comment-or-a-name",
    ),
    "noncharacters-refused": ("bytes/noncharacters-pass",),
    "private-use-dropped": ("bytes/noncharacters-pass",),
    "basic-plane-only": ("bytes/four-byte-character-cut",),
    "four-byte-characters-dropped": ("bytes/four-byte-character-cut",),
    "four-byte-characters-as-pairs": ("bytes/four-byte-character-cut",),
    "format-characters-dropped": ("bytes/zwj-sequence-cut",),
    "control-characters-stripped": (
        "bytes/nul-is-text",
        "lines/other-separators-are-text",
    ),
    "del-and-c1-stripped": (
        "lines/other-separators-are-text",
        "fields/a-value-that-looks-like-more",
    ),
    "wide-blanks-made-plain": ("lines/other-separators-are-text",),
    "replacement-character-refused": ("bytes/noncharacters-pass",),
    "replacement-characters-dropped": (
        "bytes/ill-formed-is-replaced",
        "bytes/truncated-character-before-text",
        "bytes/truncated-character-before-a-line-end",
        "bytes/noncharacters-pass",
    ),
    "ill-formed-data-ignored": (
        "bytes/ill-formed-is-replaced",
        "bytes/truncated-character-before-text",
        "bytes/truncated-character-before-a-line-end",
    ),
    "ill-formed-types-ignored": ("bytes/ill-formed-in-a-type-is-replaced",),
    "ill-formed-ids-ignored": ("bytes/ill-formed-in-an-id-is-replaced",),
    "ill-formed-events-dropped": (
        "bytes/ill-formed-is-replaced",
        "bytes/truncated-character-before-text",
        "bytes/truncated-character-before-a-line-end",
    ),
}
