"""What must catch the deviations in the type of an event."""

from __future__ import annotations

#: The rules that must catch each.
CATCHES: dict[str, tuple[str, ...]] = {
    "event-type-leaks": ("dispatch/the-type-is-reset", "dispatch/the-type-is-reset-without-data"),
    "event-type-leaks-over-a-block-without-data": ("dispatch/the-type-is-reset-without-data",),
    "empty-type-ignored": ("dispatch/an-empty-type-resets-the-type", "fields/event-without-colon"),
    "types-appended": ("fields/the-last-type-counts", "dispatch/an-empty-type-resets-the-type"),
    "empty-type-shown": ("dispatch/the-default-type-is-message",),
    "default-type-is-empty": ("dispatch/the-default-type-is-message",),
    "type-lower-cased": ("dispatch/the-type-is-untouched",),
    "type-trimmed": ("dispatch/the-type-is-untouched",),
    "type-cut-at-a-colon": ("dispatch/the-type-is-untouched",),
    "type-cut-at-a-space": ("dispatch/the-type-is-untouched",),
    "type-of-other-than-words-ignored": ("dispatch/the-type-is-untouched",),
    "type-error-raises": ("dispatch/the-type-is-untouched",),
    "type-dropped=ping": ("dispatch/the-type-is-reset",),
    "type-dropped=heartbeat": ("dispatch/the-type-is-untouched",),
    "type-dropped=keep-alive": ("dispatch/the-type-is-untouched",),
    "type-dropped=error": ("dispatch/the-type-is-untouched",),
    "type-dropped=open": ("dispatch/the-type-is-untouched",),
    "type-message-only": ("dispatch/the-type-is-reset",),
    "type-required": ("dispatch/the-default-type-is-message",),
}
