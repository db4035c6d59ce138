"""What must catch each deviation in what else ends a line."""

from __future__ import annotations

CATCHES = {
    "unicode-line-splitting": (
        "lines/other-separators-are-text",
        "lines/other-separators-in-a-type",
        "lines/other-separators-in-an-id",
    ),
    "line-separators-end-a-line": ("lines/other-separators-are-text",),
    "nel-ends-a-line": ("lines/other-separators-are-text",),
    "vertical-tab-ends-a-line": ("lines/other-separators-are-text",),
    "information-separators-end-a-line": ("lines/other-separators-are-text",),
    "nul-is-a-line-end": ("bytes/nul-is-text", "ids/an-id-with-nul-is-ignored"),
}
