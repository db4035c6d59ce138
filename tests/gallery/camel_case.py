"""A port of a browser's class, names and all."""

import codecs
from types import SimpleNamespace


class EventStreamParser:
    def __init__(self):
        self.lastEventId = ""
        self.reconnectionTime = 3000
        self.__utf8 = codecs.getincrementaldecoder("utf-8")("replace")
        self.__buffer = []
        self.__discardNextLF = False
        self.__bomHandled = False
        self.__dataBuffer = []
        self.__eventTypeBuffer = ""
        self.__lastEventIdBuffer = ""

    def feed(self, chunk):
        messages = []
        for character in self.__utf8.decode(chunk):
            if not self.__bomHandled:
                self.__bomHandled = True
                if character == "\ufeff":
                    continue
            if self.__discardNextLF:
                self.__discardNextLF = False
                if character == "\n":
                    continue
            if character == "\r":
                self.__discardNextLF = True
            if character == "\r" or character == "\n":
                line = "".join(self.__buffer)
                self.__buffer = []
                self.__processLine(line, messages)
            else:
                self.__buffer.append(character)
        return messages

    def __processLine(self, line, messages):
        if line == "":
            self.__dispatchEvent(messages)
            return
        colonPosition = line.find(":")
        if colonPosition == 0:
            return
        if colonPosition == -1:
            self.__processField(line, "")
            return
        fieldName, fieldValue = line[:colonPosition], line[colonPosition + 1 :]
        self.__processField(fieldName, fieldValue[1:] if fieldValue.startswith(" ") else fieldValue)

    def __processField(self, fieldName, fieldValue):
        if fieldName == "event":
            self.__eventTypeBuffer = fieldValue
        elif fieldName == "data":
            self.__dataBuffer.append(fieldValue)
            self.__dataBuffer.append("\n")
        elif fieldName == "id":
            if "\0" not in fieldValue:
                self.__lastEventIdBuffer = fieldValue
        elif fieldName == "retry" and fieldValue != "" and fieldValue.strip("0123456789") == "":
            # Saturates, as browsers do.
            significant = fieldValue.lstrip("0") or "0"
            self.reconnectionTime = int(significant) if len(significant) < 19 else 2**63 - 1

    def __dispatchEvent(self, messages):
        self.lastEventId = self.__lastEventIdBuffer
        if self.__dataBuffer:
            data = "".join(self.__dataBuffer[:-1])
            eventType = self.__eventTypeBuffer or "message"
            message = SimpleNamespace(type=eventType, data=data, lastEventId=self.lastEventId)
            messages.append(message)
        self.__dataBuffer = []
        self.__eventTypeBuffer = ""
