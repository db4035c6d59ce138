"""What must catch the deviations in where a stream ends."""

from __future__ import annotations

#: The rules that must catch each.
CATCHES: dict[str, tuple[str, ...]] = {
    "done-ends-stream": ("fields/a-value-that-looks-like-more",),
    "done-shown-ends-stream": ("fields/a-value-that-looks-like-more",),
    "done-prefix-match": ("fields/a-value-that-looks-like-more",),
    "done-substring-match": ("fields/a-value-that-looks-like-more",),
    "done-trimmed-match": ("fields/a-value-that-looks-like-more",),
    "done-line-ends-stream": ("fields/a-value-that-looks-like-more",),
    "done-dropped": ("fields/a-value-that-looks-like-more",),
    "done-exits": ("fields/a-value-that-looks-like-more",),
    "type-ends-stream=done": ("dispatch/the-type-is-untouched",),
    "type-ends-stream=end": ("dispatch/the-type-is-untouched",),
    "type-ends-stream=close": ("dispatch/the-type-is-untouched",),
    "type-ends-stream=error": ("dispatch/the-type-is-untouched",),
    "end-raises": ("end/nothing-is-invented", "end/no-chunks"),
}
