"""The oracle: what a whole stream means, by WHATWG HTML 9.2.5 and 9.2.6.

It has the whole buffer, so it needs no state across chunks and shares no line of code with the reference parser. Each
step stands under its clause. Whatever the bytes are, it does not raise.
"""

from __future__ import annotations

import re

from chunkproof_targets.contract import DEFAULT_TYPE, Event, Outcome, normal_retry

__all__ = ["interpret"]

# 9.2.6, retry: "consists of only ASCII digits". The empty value is left open by the letter of it; we ignore it.
_ASCII_DIGITS = re.compile("[0-9]+")


def interpret(wire: bytes) -> Outcome:
    """The outcome of a stream, from its bytes alone, however they are cut.

    >>> interpret(b"id: 7\\ndata: a\\ndata: b\\n\\n").events
    (Event(type='message', data='a\\nb', last_event_id='7'),)
    """
    # 9.2.5: "Streams must be decoded using the UTF-8 decode algorithm": ill-formed sequences become U+FFFD, once for
    # each maximal subpart, and one byte order mark at the start is stripped.
    text = wire.decode("utf-8", errors="replace")
    if wire.startswith(b"\xef\xbb\xbf"):
        text = text[1:]

    # 9.2.5: end-of-line = ( cr lf / cr / lf ), no other character; what follows the last one is no line.
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")[:-1]

    events: list[Event] = []
    retries: list[str] = []
    event_retries: list[tuple[str | None, str | None]] = []
    data_buffer = ""
    type_buffer = ""
    id_buffer = ""
    last_event_id = ""
    block_retry: str | None = None

    for line in lines:
        # 9.2.6: "If the line is empty (a blank line): Dispatch the event".
        if line == "":
            last_event_id = id_buffer
            if data_buffer != "":
                events.append(Event(type_buffer or DEFAULT_TYPE, data_buffer[:-1], last_event_id))
                event_retries.append((block_retry, retries[-1] if retries else None))
            data_buffer = ""
            type_buffer = ""
            block_retry = None
            continue

        # 9.2.6: "If the line starts with a U+003A COLON character (:): Ignore the line."
        if line.startswith(":"):
            continue

        # 9.2.6: the field name before the first colon, the value behind it, less one leading space; a line without a
        # colon is all name, with an empty value.
        name, _, value = line.partition(":")
        if value.startswith(" "):
            value = value[1:]

        # 9.2.6: "Process the field", names compared exactly.
        if name == "event":
            type_buffer = value
        elif name == "data":
            data_buffer += value + "\n"
        elif name == "id":
            if "\0" not in value:
                id_buffer = value
        elif name == "retry" and _ASCII_DIGITS.fullmatch(value):
            block_retry = normal_retry(value)
            retries.append(block_retry)

    # 9.2.6: "Once the end of the file is reached, any pending data must be discarded."
    return Outcome(tuple(events), last_event_id, tuple(retries), tuple(event_retries))
