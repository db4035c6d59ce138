"""Data that is JSON comes decoded; data that is not, as the text that it is."""

import json


class Client:
    """feed() bytes, iterate over what it returns."""

    def __init__(self):
        self.__line, self.__skip, self.__start = [], False, True
        self.__data, self.__event, self.__id = [], "", ""

    def feed(self, data):
        view, size, begin = data, len(data), 0
        events = []
        for index in range(size):
            code = view[index]
            if code == 0x0A and self.__skip:
                begin = index + 1
            elif code in (0x0A, 0x0D):
                self.__line.append(view[begin:index])
                begin = index + 1
                line, self.__line = b"".join(self.__line), []
                self.__handle(line, events)
            self.__skip = code == 0x0D
        if begin < size:
            self.__line.append(view[begin:])
        return events

    def __handle(self, raw, events):
        if self.__start and raw.startswith(b"\xef\xbb\xbf"):
            raw = raw[3:]
        self.__start = False
        line = raw.decode("utf8", "replace")
        if line == "":
            if self.__data:
                payload = self.__decode("\n".join(self.__data))
                events.append({"event": self.__event or "message", "data": payload, "id": self.__id})
            self.__data, self.__event = [], ""
        elif line.startswith("data:"):
            self.__data.append(line[6:] if line[5:6] == " " else line[5:])
        elif line == "data":
            self.__data.append("")
        elif line.startswith("event:"):
            self.__event = line[7:] if line[6:7] == " " else line[6:]
        elif line == "event":
            self.__event = ""
        elif line.startswith("id:"):
            value = line[4:] if line[3:4] == " " else line[3:]
            self.__id = self.__id if chr(0) in value else value
        elif line == "id":
            self.__id = ""

    @staticmethod
    def __decode(text):
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return text
