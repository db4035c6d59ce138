"""What must catch the deviations in the last event ID."""

from __future__ import annotations

#: The rules that must catch each.
CATCHES: dict[str, tuple[str, ...]] = {
    "id-nul-accepted": ("ids/an-id-with-nul-is-ignored",),
    "id-nul-resets": ("ids/an-id-with-nul-is-ignored",),
    "id-nul-raises": ("ids/an-id-with-nul-is-ignored",),
    "id-cut-at-nul": ("ids/an-id-with-nul-is-ignored",),
    "id-nul-removed": ("ids/an-id-with-nul-is-ignored",),
    "id-only-block-ignored": ("ids/a-block-without-data-sets-the-id",),
    "id-only-block-waits": ("ids/a-block-without-data-sets-the-id",),
    "id-per-event": ("ids/ids-persist",),
    "id-shown-per-event": ("ids/ids-persist",),
    "id-used-once": ("ids/ids-persist",),
    "id-one-event-late": ("ids/an-id-is-shown",),
    "unfinished-id-counts": ("ids/an-unfinished-block-sets-no-id",),
    "id-not-stored": ("ids/an-id-is-shown", "ids/ids-persist"),
    "id-first-of-all-wins": ("ids/an-id-is-shown", "ids/an-empty-id-resets"),
    "id-empty-ignored": ("ids/an-empty-id-resets", "fields/id-without-colon"),
    "id-zero-ignored": ("ids/an-id-is-shown",),
    "id-trimmed": ("ids/an-id-is-not-trimmed",),
    "id-lower-cased": ("ids/an-id-is-not-trimmed",),
    "id-as-a-number": ("ids/an-id-is-not-trimmed",),
    "id-of-other-than-digits-ignored": ("ids/an-id-is-not-trimmed", "ids/an-id-is-shown"),
    "id-of-other-than-digits-raises": ("ids/an-id-is-not-trimmed", "ids/an-id-is-shown"),
    "id-cut-at-a-colon": ("ids/an-id-is-not-trimmed",),
}
