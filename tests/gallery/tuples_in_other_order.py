"""parse(chunks) yields (id, data, event): the order in which our database wants them."""

import codecs
import re

line_re = re.compile("([^\r\n]*)(\r\n?|\n)")


def decoded(chunks):
    decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
    for chunk in chunks:
        yield decoder.decode(chunk)


def parse(chunks):
    ident, name, data = "", "", []
    held, skip = [], False
    for text in decoded(chunks):
        if not text:
            continue
        position = 1 if skip and text[0] == "\n" else 0
        skip = False
        while match := line_re.match(text, position):
            position = match.end()
            skip = match[2] == "\r" and position == len(text)
            held.append(match[1])
            line = "".join(held)
            held = []
            if line:
                key, _, value = line.partition(":")
                value = value.removeprefix(" ")
                if key == "id":
                    ident = ident if "\0" in value else value
                elif key == "event":
                    name = value
                elif key == "data":
                    data += [value]
            else:
                if data:
                    yield ident, "\n".join(data), name or "message"
                name, data = "", []
        held.append(text[position:])
