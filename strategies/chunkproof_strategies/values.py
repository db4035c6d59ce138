"""The values that streams are made of: traps, text, payloads, ill-formed UTF-8.

Each of them is here for a fault that was seen in a parser, or for a table of a standard.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = [
    "ALPHABET",
    "ILL_FORMED",
    "LONG_RETRIES",
    "MARK",
    "NEAR_NAMES",
    "NONCHARACTERS",
    "PAYLOADS",
    "RETRIES",
    "SEPARATORS",
    "TEXTS",
    "TRAPS",
    "TRUNCATED",
    "UNNORMALISED",
    "WORDS",
    "WRONG_RETRIES",
    "ZWJ_SEQUENCES",
    "Raw",
]

#: U+FEFF, the byte order mark.
MARK = b"\xef\xbb\xbf"


class Raw(NamedTuple):
    """Bytes that stand for a text which is not their plain UTF-8 encoding."""

    wire: bytes
    text: str


WORDS = ("a", "b", "x", "ok", "hello", "delta", "0", "1")

#: Characters of two, three and four bytes, combining marks, right-to-left text; no separators.
TEXTS = (
    "é",
    "ñandú",
    "Ω",
    "你好",
    "流式输出",
    "こんにちは",
    "한국어",
    "עברית",
    "🙂",
    "𝄞",
    "e\u0301",
    "हिन्दी",
    "ﷺ",
    "€uro",
)

#: Sequences that people see as one character.
ZWJ_SEQUENCES = ("👨\u200d👩\u200d👧\u200d👦", "🏳\ufe0f\u200d🌈", "👩🏽\u200d💻", "🇨🇳", "1\ufe0f\u20e3")

#: Characters that some function takes for a line end or a blank, and the standard does not.
SEPARATORS = (
    "\u2028",
    "\u2029",
    "\x85",
    "\x0b",
    "\x0c",
    "\x1c",
    "\x1d",
    "\x1e",
    "\x1f",
    "\xa0",
    "\u3000",
    "\u200b",
    "\t",
)

#: What a normalisation would change: NFD, NFC, compatibility forms, singletons, Hangul jamo.
UNNORMALISED = ("e\u0301", "\u00e9", "\ufb01", "\u212b", "\u1100\u1161", "\u0344", "ｆｕｌｌ")

NONCHARACTERS = ("\ufffe", "\uffff", "\ufdd0", "\U0001fffe", "\U0010ffff")

#: Values that a parser may take for more than text.
TRAPS = (
    "<b>",
    "<think>x</think>",
    "a<b>c",
    "&amp;",
    "[DONE]", "[done]", "DONE", "data: x", "data:", "id: 9", "event", ":", ": x", "::", "a:b", "http://x/y?z=1",
    "null", "true", "{}", "[]", "-1", "\\n", "\\r\\n", "\\u2028", "%0A", "&#10;", "\ufeff", "\ufeffx", "\ufffd",
    "\x7f", "\x1b[0m", '"x"', "'x'", '"', " x", "x ", "\tx", "x\t", " ", "\t", "message", "error", "open", "²", "٣",
)  # fmt: skip

#: As servers of language models send them; the end mark stands here twice, as it ends every other stream of theirs.
PAYLOADS = (
    '{"object":"chat.completion.chunk","choices":[{"delta":{"content":"你好"}}]}',
    '{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}',
    '{"type":"content_block_delta","delta":{"text":"输出 🙂"}}',
    '{"type":"ping"}',
    '{"type":"message_stop"}',
    '{"t":"[DONE]"}',
    '{"delta":"a\\nb"}',
    '{"delta":"a\u2028b"}',
    "[DONE]",
    "[DONE]",
)

#: Names that are almost a field's: other case, blanks, a mark, a prefix, a plural.
NEAR_NAMES = (
    "type", "name", "last-event-id", "last_event_id", "event_id", "msg", "reconnect", "content", "text", "body",
    "Data", "DATA", "datas", "dat", "data ", " data", "\tdata", "\ufeffdata", "da ta", "d", "Event", "EVENT",
    "events", "event ", " event", "Id", "ID", "ids", "id ", " id", "i", "Retry", "RETRY", "retry ", " retry",
    "lastEventId", "message", "data\0", "\0data", "ԁata", "ｄata",
)  # fmt: skip

RETRIES = ("0", "1", "5", "05", "007", "10", "1234", "3000", "15000", "2147483647")

#: None of these is ASCII digits alone. The empty value is not here: the standard leaves it open.
WRONG_RETRIES = (
    "5 ", " 5", "\t5", "+5", "-5", "-0", "1_000", "1,000", "5.0", ".5", "1e3", "0x10", "0b1", "5ms", "5s", "five",
    "٣", "²", "５", "१", "5\0", "\0", "5;", "None", "NaN", "\u00a05", "5\u200b", "5\x0b",
)  # fmt: skip

#: Beyond what machine words, floats and CPython's own limit of 4,300 digits hold.
LONG_RETRIES = ("9" * 20, "1" + "0" * 30, "9" * 400, "1" * 4301, "7" * 9000)

#: Ill-formed sequences with their U+FFFD, one for each maximal subpart (Unicode 3.9, tables 3-7 to 3-11). What follows
#: one of them must not be a continuation byte.
ILL_FORMED = tuple(
    Raw(bytes.fromhex(sequence), text)
    for sequence, text in (
        ("80", "\ufffd"),
        ("bf", "\ufffd"),
        ("8080", "\ufffd" * 2),
        ("c080", "\ufffd" * 2),
        ("c0af", "\ufffd" * 2),
        ("c1bf", "\ufffd" * 2),
        ("c2", "\ufffd"),
        ("e08080", "\ufffd" * 3),
        ("e09fbf", "\ufffd" * 3),
        ("e0a0", "\ufffd"),
        ("e4", "\ufffd"),
        ("e4bd", "\ufffd"),
        ("eda080", "\ufffd" * 3),
        ("edbfbf", "\ufffd" * 3),
        ("eda0bdedb880", "\ufffd" * 6),
        ("ed9f", "\ufffd"),
        ("f0808080", "\ufffd" * 4),
        ("f08fbfbf", "\ufffd" * 4),
        ("f0", "\ufffd"),
        ("f090", "\ufffd"),
        ("f09f", "\ufffd"),
        ("f09f99", "\ufffd"),
        ("f48fbf", "\ufffd"),
        ("f4908080", "\ufffd" * 4),
        ("f5808080", "\ufffd" * 4),
        ("f888808080", "\ufffd" * 5),
        ("fe", "\ufffd"),
        ("ff", "\ufffd"),
        ("fffe", "\ufffd" * 2),
        ("c0afe080bff0818241", "\ufffd" * 8 + "A"),
        ("eda080edbfbfedaf41", "\ufffd" * 8 + "A"),
        ("f4919293ff4180bf42", "\ufffd" * 5 + "A\ufffd\ufffdB"),
        ("e180e2f09192f1bf41", "\ufffd" * 4 + "A"),
        ("61f18080e180c26280638080bf64", "a\ufffd\ufffd\ufffdb\ufffdc\ufffd\ufffd\ufffdd"),
    )
)

#: Those that the next bytes could still complete: a decoder must hold them, and give one U+FFFD when nothing comes.
TRUNCATED = tuple(
    raw
    for raw in ILL_FORMED
    if raw.wire.hex() in ("c2", "e0a0", "e4", "e4bd", "ed9f", "f0", "f090", "f09f", "f09f99", "f48fbf")
)

#: What the seeded driver mixes into any text.
ALPHABET = (
    "a", "b", "0", "9", ":", " ", "{", "[", "\\", "\t", "\x7f", "é", "你", "🙂", "\u0301", "\ufeff", "\u2028", "\x85",
    "\x0b", "\x1e", "\u200d", "\ufffd", "\x01", "²",
)  # fmt: skip
