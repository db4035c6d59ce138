"""Dicts that hold only what there is: no `event` key for the default type, no `id` key for the empty id."""

import re


def sse(chunks):
    pending = []
    block = {}
    ident = {}
    for line in lines(chunks, pending):
        if line:
            apply(line, block, ident)
            continue
        if "data" in block:
            event = {**block, **ident}
            event["data"] = "\n".join(event["data"])
            yield event
        block.clear()


def apply(line, block, ident):
    name, value = [*re.split(": ?", line, maxsplit=1), ""][:2]
    if name == "data":
        block.setdefault(name, []).append(value)
    elif name == "event":
        block.pop(name, None)
        block.update({name: value} if value else {})
    elif name == "id" and "\0" not in value:
        ident.clear()
        ident.update({name: value} if value else {})


def lines(chunks, pending):
    bom, cr = b"\xef\xbb\xbf", False
    for chunk in chunks:
        begin = 0
        for hit in re.finditer(rb"[\r\n]", chunk):
            end, crlf = hit.start(), hit[0] == b"\n" and cr and hit.start() == begin
            if crlf:
                begin, cr = end + 1, False
                continue
            pending.append(chunk[begin:end])
            line = b"".join(pending)
            pending.clear()
            begin, cr = end + 1, hit[0] == b"\r"
            yield line.removeprefix(bom).decode("utf-8", "replace")
            bom = b""
        if begin < len(chunk):
            pending.append(chunk[begin:])
            cr = False
