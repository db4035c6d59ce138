"""What must catch the deviations in the reconnection time."""

from __future__ import annotations

#: The rules that must catch each.
CATCHES: dict[str, tuple[str, ...]] = {
    "retry-lenient-int": ("retry/only-ascii-digits", "retry/a-wrong-value-leaves-the-earlier"),
    "retry-lenient-float": ("retry/only-ascii-digits", "retry/a-wrong-value-leaves-the-earlier"),
    "retry-parse-int": ("retry/only-ascii-digits", "retry/a-wrong-value-leaves-the-earlier"),
    "retry-trimmed": ("retry/only-ascii-digits", "retry/a-wrong-value-leaves-the-earlier"),
    "retry-signed": ("retry/only-ascii-digits", "retry/a-wrong-value-leaves-the-earlier"),
    "retry-any-text": ("retry/only-ascii-digits", "retry/a-wrong-value-leaves-the-earlier"),
    "retry-isdigit": ("retry/digits-of-other-scripts-do-not-raise",),
    "retry-isdecimal": ("retry/only-ascii-digits", "retry/a-wrong-value-leaves-the-earlier"),
    "retry-invalid-raises": ("retry/wrong-values-do-not-raise", "retry/digits-of-other-scripts-do-not-raise"),
    "retry-invalid-resets": ("retry/only-ascii-digits", "retry/a-wrong-value-leaves-the-earlier"),
    "retry-invalid-drops-the-block": ("retry/a-wrong-value-leaves-the-earlier",),
    "retry-empty-is-zero": ("retry/an-empty-value-is-ignored",),
    "retry-octal": ("retry/leading-zeros",),
    "retry-leading-zeros-ignored": ("retry/leading-zeros",),
    "retry-leading-zeros-kept": ("retry/leading-zeros",),
    "retry-in-seconds": ("retry/digits-set-the-time",),
    "retry-minimum=100": ("retry/digits-set-the-time",),
    "retry-minimum=1000": ("retry/digits-set-the-time",),
    "retry-zero-ignored": ("retry/digits-set-the-time",),
    "retry-huge-raises": ("retry/thousands-of-digits-do-not-raise",),
    "retry-overflow-raises": ("retry/thousands-of-digits-do-not-raise",),
    "retry-clamped": ("retry/values-beyond-31-bits",),
    "retry-wraps": ("retry/values-beyond-31-bits",),
    "retry-too-large-ignored": ("retry/values-beyond-31-bits",),
    "retry-not-stored": ("retry/digits-set-the-time",),
    "retry-first-of-all-wins": ("retry/digits-set-the-time",),
    "retry-only-with-data": ("dispatch/retry-only-blocks",),
    "retry-of-an-unfinished-block-lost": (
        "retry/an-unfinished-block-sets-the-time",
        "end/a-field-before-a-cr-at-the-end",
        "prefix/every-prefix-is-a-stream",
    ),
}
