"""Faults between bytes and text, and the rules that must catch each."""

from __future__ import annotations

CATCHES = {
    "utf8-split-lossy": (
        "bytes/two-byte-character-cut",
        "bytes/three-byte-character-cut",
        "bytes/four-byte-character-cut",
        "bytes/zwj-sequence-cut",
        "bytes/character-cut-in-a-type",
        "chunking/text-behind-a-line-end-at-a-chunks-end",
        "chunking/the-whole-grammar-cut",
        "whole/any-stream-in-any-chunking",
    ),
    "utf8-split-crash": (
        "bytes/two-byte-character-cut",
        "bytes/three-byte-character-cut",
        "bytes/four-byte-character-cut",
        "bytes/character-cut-in-a-comment",
        "chunking/one-byte-a-chunk",
        "chunking/small-sizes",
        "chunking/random-plans",
        "whole/any-bytes-never-stop-a-parser",
    ),
    "utf8-split-dropped": (
        "bytes/two-byte-character-cut",
        "bytes/three-byte-character-cut",
        "bytes/four-byte-character-cut",
    ),
    "utf8-split-as-latin1": (
        "bytes/two-byte-character-cut",
        "bytes/three-byte-character-cut",
        "bytes/four-byte-character-cut",
    ),
    "utf8-split-chunk-skipped": (
        "bytes/two-byte-character-cut",
        "bytes/three-byte-character-cut",
        "bytes/four-byte-character-cut",
    ),
    "utf8-split-shown-too": (
        "bytes/two-byte-character-cut",
        "bytes/three-byte-character-cut",
        "bytes/four-byte-character-cut",
    ),
    "utf8-three-bytes-held-lost": ("bytes/four-byte-character-cut",),
    "utf8-two-bytes-held-lost": (
        "bytes/three-byte-character-cut",
        "bytes/four-byte-character-cut",
    ),
    "utf8-flushed-at-line-ends": ("chunking/text-behind-a-line-end-at-a-chunks-end",),
    "utf8-lost-in-empty-chunks": ("chunking/empty-chunks-anywhere",),
    "utf8-flushed-each=1024": (
        "size/chunks-beyond-4-kib",
        "size/chunks-beyond-64-kib",
    ),
    "utf8-flushed-each=8192": ("size/chunks-beyond-64-kib",),
    "eof-partial-utf8-crash": ("bytes/cut-short-at-the-end",),
    "latin1-default-charset": (
        "bytes/two-byte-character-cut",
        "bytes/three-byte-character-cut",
        "bytes/four-byte-character-cut",
    ),
    "default-charset=windows-1252": (
        "bytes/two-byte-character-cut",
        "bytes/three-byte-character-cut",
        "bytes/four-byte-character-cut",
    ),
    "default-charset=gb18030": (
        "bytes/two-byte-character-cut",
        "bytes/three-byte-character-cut",
        "bytes/four-byte-character-cut",
    ),
    "charset-guessed-latin1": (
        "bytes/two-byte-character-cut",
        "bytes/three-byte-character-cut",
        "bytes/four-byte-character-cut",
    ),
    "charset-guessed-ascii": (
        "bytes/two-byte-character-cut",
        "bytes/three-byte-character-cut",
        "bytes/four-byte-character-cut",
    ),
    "ascii-only": (
        "bytes/two-byte-character-cut",
        "bytes/three-byte-character-cut",
        "bytes/four-byte-character-cut",
    ),
    "non-ascii-dropped": (
        "bytes/two-byte-character-cut",
        "bytes/three-byte-character-cut",
        "bytes/four-byte-character-cut",
    ),
    "non-ascii-replaced": (
        "bytes/two-byte-character-cut",
        "bytes/three-byte-character-cut",
        "bytes/four-byte-character-cut",
    ),
    "utf16-guessed": ("bytes/utf16-mark-is-no-mark",),
    "utf16-by-mark": ("bytes/utf16-mark-is-no-mark",),
}
