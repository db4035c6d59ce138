"""parse(chunks) -> list. Simple."""


def parse(chunks):
    body = b"".join(chunks)
    if body[:3] == b"\xef\xbb\xbf":
        body = body[3:]
    lines = body.replace(b"\r\n", b"\n").replace(b"\r", b"\n").decode("utf-8", "replace").split("\n")
    lines.pop()  # not a line: nothing ends it
    events = []
    event = {"type": "", "data": []}
    last_id = ""
    for line in lines:
        if not line:
            if event["data"]:
                data = "\n".join(event["data"])
                events.append({"type": event["type"] or "message", "data": data, "last_event_id": last_id})
            event = {"type": "", "data": []}
        elif ":" in line:
            field, value = line.split(":", 1)
            if value.startswith(" "):
                value = value[1:]
            last_id = set_field(event, field, value, last_id)
        else:
            last_id = set_field(event, line, "", last_id)
    return events


def set_field(event, field, value, last_id):
    if field == "data":
        event["data"].append(value)
    elif field == "event":
        event["type"] = value
    elif field == "id" and "\0" not in value:
        return value
    return last_id
