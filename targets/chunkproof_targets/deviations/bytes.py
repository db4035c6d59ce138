"""Deviations between bytes and text: characters that are cut, and charsets."""

from __future__ import annotations

import codecs

from ..reference import ReferenceParser
from .deviation import Catalogue

deviation = Catalogue("bytes", "9.2.5: the stream is decoded as UTF-8 (Encoding, UTF-8 decode)")

_KEEP = "Keep one decoder for the whole stream, and let it hold the bytes of a cut character until the rest has come."
_CHARSET = "Decode the stream as UTF-8, whatever charset the response or the machine names."


@deviation(
    symptom="Now and then a letter, a Chinese character or an emoji shows as black diamonds.",
    mend=_KEEP,
    reports=(
        "btubbs/sseclient#38",
        "api7/aisix#111",
        "majiayu000/litellm-rs#1180",
        "musistudio/claude-code-router#1672",
        "mrpulor-gh/nuphus#41",
        "agentclientprotocol/python-sdk#135",
        "braintrustdata/braintrust-sdk-javascript#2091",
        "sparticleinc/chatgpt-google-summary-extension#242",
        "buildsense-ai/XiaoBa-CLI#256",
    ),
    aliases=("utf8-split",),
)
class Utf8SplitLossy(ReferenceParser):
    """Decodes each chunk by itself, so a cut character becomes replacement characters."""

    def decode(self, chunk: bytes) -> str:
        return super().decode(chunk) + self.decode_end()


@deviation(
    symptom="Now and then an answer breaks off with a decoding error, in texts that are not plain English.",
    mend=_KEEP,
    reports=("jawah/urllib3.future#349", "Open-Less/openless#413"),
)
class Utf8SplitCrash(ReferenceParser):
    """Decodes each chunk by itself, and raises on a cut character."""

    def decode(self, chunk: bytes) -> str:
        return chunk.decode()


@deviation(symptom="Now and then a character is missing, with no sign that it was there.", mend=_KEEP)
class Utf8SplitDropped(ReferenceParser):
    """Decodes each chunk by itself, and drops what is cut of a character."""

    def decode(self, chunk: bytes) -> str:
        return chunk.decode("utf-8", "ignore")


@deviation(symptom="Now and then a stretch of text comes out as accented letters and signs.", mend=_KEEP)
class Utf8SplitAsLatin1(ReferenceParser):
    """Reads a chunk that is not UTF-8 by itself as Latin-1."""

    def decode(self, chunk: bytes) -> str:
        try:
            return chunk.decode()
        except UnicodeDecodeError:
            return chunk.decode("latin-1")


@deviation(symptom="Now and then a piece of the answer, a few words or a whole event, is missing.", mend=_KEEP)
class Utf8SplitChunkSkipped(ReferenceParser):
    """Skips a chunk that is not UTF-8 by itself."""

    def decode(self, chunk: bytes) -> str:
        try:
            return chunk.decode()
        except UnicodeDecodeError:
            return ""


@deviation(symptom="Now and then a black diamond stands before a character that is right.", mend=_KEEP)
class Utf8SplitShownToo(ReferenceParser):
    """Gives a replacement character for a cut character, and the character too when the rest has come."""

    def decode(self, chunk: bytes) -> str:
        text = super().decode(chunk)
        return text + "\ufffd" if self._decoder.getstate()[0] else text


@deviation(
    symptom="Now and then an emoji is lost, while Chinese comes out right.",
    mend="Hold up to three bytes of a character that is cut.",
)
class Utf8ThreeBytesHeldLost(ReferenceParser):
    """Holds two bytes of a cut character, and loses three."""

    def decode(self, chunk: bytes) -> str:
        text = super().decode(chunk)
        if len(self._decoder.getstate()[0]) > 2:
            self._decoder.reset()
        return text


@deviation(
    symptom="Now and then a Chinese character or an emoji is lost, while accented letters come out right.",
    mend="Hold up to three bytes of a character that is cut.",
)
class Utf8TwoBytesHeldLost(ReferenceParser):
    """Holds one byte of a cut character, and loses two or three."""

    def decode(self, chunk: bytes) -> str:
        text = super().decode(chunk)
        if len(self._decoder.getstate()[0]) > 1:
            self._decoder.reset()
        return text


@deviation(
    symptom="Now and then a character shows as black diamonds, where a read holds a line end and half a character.",
    mend="Tell the decoder that its input is at its end at the end of the stream alone.",
)
class Utf8FlushedAtLineEnds(ReferenceParser):
    """Flushes the decoder at the end of each chunk that holds a line end."""

    def decode(self, chunk: bytes) -> str:
        text = super().decode(chunk)
        return text + self.decode_end() if b"\n" in chunk else text


@deviation(
    symptom="A character shows as black diamonds where the reader handed over nothing in the middle of it.",
    mend="Feed an empty chunk to the decoder as any other, and flush it at the end of the stream alone.",
)
class Utf8LostInEmptyChunks(ReferenceParser):
    """Takes an empty chunk as the end of the decoder's input."""

    def decode(self, chunk: bytes) -> str:
        text = super().decode(chunk)
        return text if chunk else text + self.decode_end()


def _flushed_each(block: int, symptom: str) -> None:
    @deviation(symptom=symptom, mend=_KEEP, value=block)
    class Utf8FlushedEach(ReferenceParser):
        """Flushes the decoder at each block of {} bytes, however the stream is cut."""

        __room = block

        def decode(self, chunk: bytes) -> str:
            text = ""
            while len(chunk) >= self.__room:
                text += super().decode(chunk[: self.__room]) + self.decode_end()
                chunk, self.__room = chunk[self.__room :], block
            self.__room -= len(chunk)
            return text + super().decode(chunk)


_flushed_each(1024, "A long answer shows a black diamond now and then, always at the same places.")
_flushed_each(8192, "A very long answer shows a black diamond now and then, always at the same places.")


@deviation(
    symptom="When the connection drops in the middle of a character, a decoding error hides what really happened.",
    mend="At the end of the stream throw away the bytes of an unfinished character, with the unfinished line.",
    reports=("headroomlabs-ai/headroom#3405",),
)
class EofPartialUtf8Crash(ReferenceParser):
    """Decodes strictly what is left of a character at the end of the stream."""

    def decode_end(self) -> str:
        return self._decoder.getstate()[0].decode()


@deviation(
    symptom="Every character beyond plain English shows as two to four accented letters and signs.",
    mend=_CHARSET,
    reports=("open-metadata/OpenMetadata#29531",),
    layer="characters",
)
class Latin1DefaultCharset(ReferenceParser):
    """Decodes the stream as Latin-1."""

    def decode(self, chunk: bytes) -> str:
        return chunk.decode("latin-1")


def _default_charset(charset: str, symptom: str) -> None:
    @deviation(symptom=symptom, mend=_CHARSET, layer="characters", value=charset)
    class DefaultCharset(ReferenceParser):
        """Decodes the stream as {}."""

        def __init__(self) -> None:
            super().__init__()
            self.__decoder = codecs.getincrementaldecoder(charset)("replace")

        def decode(self, chunk: bytes) -> str:
            return self.__decoder.decode(chunk)


_default_charset(
    "windows-1252", "Every character beyond plain English shows as two to four letters and quotation marks."
)
_default_charset(
    "gb18030", "Every character beyond plain English shows as rare Chinese ones, and text behind it is eaten."
)


@deviation(
    symptom="Now and then all characters beyond plain English show as accented letters and signs, to the end.",
    mend=_CHARSET,
    layer="characters",
)
class CharsetGuessedLatin1(ReferenceParser):
    """Decodes the stream as Latin-1 where its first chunk is not UTF-8 by itself."""

    __guess = ""

    def decode(self, chunk: bytes) -> str:
        if not self.__guess and chunk:
            self.__guess = "utf-8" if _is_whole(chunk) else "latin-1"
        return chunk.decode("latin-1") if self.__guess == "latin-1" else super().decode(chunk)


def _is_whole(chunk: bytes) -> bool:
    try:
        chunk.decode()
    except UnicodeDecodeError:
        return False
    return True


@deviation(
    symptom="Where an answer begins in plain English, all other characters in it show as black diamonds.",
    mend=_CHARSET,
    layer="characters",
)
class CharsetGuessedAscii(ReferenceParser):
    """Decodes the stream as ASCII where its first chunk is ASCII."""

    __guess = ""

    def decode(self, chunk: bytes) -> str:
        if not self.__guess and chunk:
            self.__guess = "ascii" if chunk.isascii() else "utf-8"
        return chunk.decode("ascii", "replace") if self.__guess == "ascii" else super().decode(chunk)


@deviation(symptom="The first character that is not plain English ends the stream with an error.", mend=_CHARSET)
class AsciiOnly(ReferenceParser):
    """Decodes the stream as ASCII, and raises on anything else."""

    def decode(self, chunk: bytes) -> str:
        return chunk.decode("ascii")


@deviation(symptom="Accented letters, Chinese and emoji are missing from the text.", mend=_CHARSET)
class NonAsciiDropped(ReferenceParser):
    """Decodes the stream as ASCII, and drops anything else."""

    def decode(self, chunk: bytes) -> str:
        return chunk.decode("ascii", "ignore")


@deviation(symptom="Every character beyond plain English shows as two to four black diamonds.", mend=_CHARSET)
class NonAsciiReplaced(ReferenceParser):
    """Decodes the stream as ASCII, and gives a replacement character for each other byte."""

    def decode(self, chunk: bytes) -> str:
        return chunk.decode("ascii", "replace")


@deviation(
    symptom="A stream that starts with two stray bytes is read as if they were not there.",
    mend="Look for no mark but that of UTF-8: FF FE and FE FF are ill-formed bytes.",
)
class Utf16Guessed(ReferenceParser):
    """Removes the mark of UTF-16 at the start of the stream."""

    __first = True

    def decode(self, chunk: bytes) -> str:
        if self.__first and chunk:
            self.__first = False
            chunk = chunk.removeprefix(b"\xff\xfe").removeprefix(b"\xfe\xff")
        return super().decode(chunk)


@deviation(
    symptom="A stream that starts with two stray bytes gives nothing, or Chinese characters that nobody wrote.",
    mend="Look for no mark but that of UTF-8: FF FE and FE FF are ill-formed bytes.",
)
class Utf16ByMark(ReferenceParser):
    """Decodes the stream as UTF-16 where it starts with the mark of UTF-16."""

    __first = True
    __decoder: codecs.IncrementalDecoder | None = None

    def decode(self, chunk: bytes) -> str:
        if self.__first and chunk:
            self.__first = False
            if chunk.startswith((b"\xff\xfe", b"\xfe\xff")):
                self.__decoder = codecs.getincrementaldecoder("utf-16")("replace")
        return self.__decoder.decode(chunk) if self.__decoder else super().decode(chunk)
