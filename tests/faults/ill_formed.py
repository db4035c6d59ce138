"""Faults in what becomes of bytes that are not UTF-8, and the rules that must catch each."""

from __future__ import annotations

CATCHES = {
    "utf8-strict": (
        "bytes/ill-formed-is-replaced",
        "bytes/truncated-character-before-text",
        "bytes/truncated-character-before-a-line-end",
        "bytes/cut-short-at-the-end",
        "bytes/truncated-mark",
        "bytes/utf16-mark-is-no-mark",
        "whole/any-bytes-never-stop-a-parser",
        "prefix/every-prefix-is-a-stream",
    ),
    "lines-and-rest-decoded-strictly": ("bytes/ill-formed-is-replaced", "bytes/cut-short-at-the-end"),
    "line-decoded-strictly": (
        "bytes/ill-formed-is-replaced",
        "bytes/truncated-character-before-text",
        "bytes/truncated-character-before-a-line-end",
    ),
    "line-not-utf8-skipped": (
        "bytes/ill-formed-is-replaced",
        "bytes/truncated-character-before-text",
        "bytes/truncated-character-before-a-line-end",
    ),
    "ill-formed-ignored": (
        "bytes/ill-formed-is-replaced",
        "bytes/truncated-character-before-text",
        "bytes/truncated-character-before-a-line-end",
        "bytes/truncated-mark",
    ),
    "ill-formed-once-each-byte": (
        "bytes/ill-formed-is-replaced",
        "bytes/truncated-character-before-text",
        "bytes/truncated-character-before-a-line-end",
    ),
    "ill-formed-once-each-sequence": ("bytes/ill-formed-is-replaced",),
    "ill-formed-once-each-run": ("bytes/ill-formed-is-replaced",),
    "ill-formed-swallows-the-next-byte": (
        "bytes/ill-formed-is-replaced",
        "bytes/truncated-character-before-text",
        "bytes/truncated-character-before-a-line-end",
    ),
    "ill-formed-takes-its-full-length": (
        "bytes/ill-formed-is-replaced",
        "bytes/truncated-character-before-text",
        "bytes/truncated-character-before-a-line-end",
    ),
    "ill-formed-as-latin1": (
        "bytes/ill-formed-is-replaced",
        "bytes/truncated-character-before-text",
        "bytes/truncated-character-before-a-line-end",
    ),
    "ill-formed-as-windows1252": (
        "bytes/ill-formed-is-replaced",
        "bytes/truncated-character-before-text",
        "bytes/truncated-character-before-a-line-end",
    ),
    "ill-formed-as-question-marks": (
        "bytes/ill-formed-is-replaced",
        "bytes/truncated-character-before-text",
        "bytes/truncated-character-before-a-line-end",
    ),
    "ill-formed-as-escapes": (
        "bytes/ill-formed-is-replaced",
        "bytes/truncated-character-before-text",
        "bytes/truncated-character-before-a-line-end",
    ),
    "ill-formed-as-surrogates": (
        "bytes/ill-formed-is-replaced",
        "bytes/truncated-character-before-text",
        "bytes/truncated-character-before-a-line-end",
    ),
    "surrogates-pass": ("bytes/ill-formed-is-replaced",),
    "surrogate-pairs-joined": ("bytes/ill-formed-is-replaced",),
    "overlong-nul-accepted": ("bytes/ill-formed-is-replaced",),
    "overlong-accepted": ("bytes/ill-formed-is-replaced",),
    "ill-formed-ends-the-stream": (
        "bytes/ill-formed-is-replaced",
        "bytes/truncated-character-before-text",
        "bytes/truncated-character-before-a-line-end",
        "bytes/utf16-mark-is-no-mark",
    ),
    "ill-formed-holds-the-stream": (
        "bytes/ill-formed-is-replaced",
        "bytes/truncated-character-before-text",
        "bytes/truncated-character-before-a-line-end",
        "bytes/cut-short-at-the-end",
    ),
}
