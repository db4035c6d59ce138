"""`for text in stream_data(response): print(text)`. Nothing but the data is of interest to us."""

import codecs


def stream_data(chunks):
    """Yield the data of each event as a str."""
    splitter = _splitter()
    next(splitter)
    collected = None
    for text in codecs.iterdecode(chunks, "utf-8-sig", errors="replace"):
        for line in splitter.send(text):
            if line == "":
                if collected is not None:
                    yield "\n".join(collected)
                collected = None
            elif line == "data" or line.startswith("data:"):
                collected = collected or []
                value = line[5:]
                collected.append(value[1:] if value.startswith(" ") else value)


def _splitter():
    """A coroutine: send it text, get the lines which that text completed."""
    lines, word, cr = [], [], False
    while True:
        text = yield lines
        lines = []
        if cr and text:
            cr = False
            text = text.removeprefix("\n")
        if not text:
            continue
        cr = text[-1] == "\r"
        for count, part in enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n")):
            if count:
                lines.append("".join(word))
                word = []
            word.append(part)
