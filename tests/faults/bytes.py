"""Faults between bytes and text."""

from __future__ import annotations

import codecs
import re
import unicodedata

from chunkproof_targets.reference import ReferenceParser

from .fault import fault

_new_decoder = codecs.getincrementaldecoder("utf-8")


def _handler(replace):
    """An error handler for the decoder: a function from the error to the text, and where decoding goes on."""
    name = f"chunkproof-tests-{replace.__name__.strip('_')}"
    codecs.register_error(name, replace)
    return name


def _each_byte(error):
    return "\ufffd" * (error.end - error.start), error.end


def _next_byte_too(error):
    return "\ufffd", min(error.end + 1, len(error.object))


def _surrogates_pass(error):
    try:
        return codecs.lookup_error("surrogatepass")(error)
    except UnicodeDecodeError:
        return "\ufffd", error.end


def _as_latin1(error):
    return error.object[error.start : error.end].decode("latin-1"), error.end


@fault(
    "bytes/two-byte-character-cut",
    "bytes/three-byte-character-cut",
    "bytes/four-byte-character-cut",
    "bytes/zwj-sequence-cut",
    "bytes/character-cut-in-a-type",
    "chunking/text-behind-a-line-end-at-a-chunks-end",
    "chunking/the-whole-grammar-cut",
    "whole/any-stream-in-any-chunking",
)
class Utf8SplitLossy(ReferenceParser):
    """Decodes each chunk alone, with replacement."""

    def decode(self, chunk):
        return chunk.decode("utf-8", "replace")


@fault(
    "bytes/two-byte-character-cut",
    "bytes/three-byte-character-cut",
    "bytes/four-byte-character-cut",
    "bytes/character-cut-in-a-comment",
    "chunking/one-byte-a-chunk",
    "chunking/small-sizes",
    "chunking/random-plans",
    "whole/any-bytes-never-stop-a-parser",
)
class Utf8SplitCrash(ReferenceParser):
    """Decodes each chunk alone, strictly."""

    def decode(self, chunk):
        return chunk.decode()


@fault("bytes/two-byte-character-cut", "bytes/three-byte-character-cut", "bytes/four-byte-character-cut")
class Utf8SplitDropped(ReferenceParser):
    """Decodes each chunk alone, and drops what is cut."""

    def decode(self, chunk):
        return chunk.decode("utf-8", "ignore")


@fault("bytes/four-byte-character-cut")
class Utf8ThreeBytesHeldLost(ReferenceParser):
    """Holds two bytes of a character, and no third."""

    def decode(self, chunk):
        text = super().decode(chunk)
        if len(self._decoder.getstate()[0]) > 2:
            self._decoder.reset()
        return text


@fault("chunking/text-behind-a-line-end-at-a-chunks-end")
class Utf8FlushedAtLineEnds(ReferenceParser):
    """Flushes the decoder with each chunk that holds a line end."""

    def decode(self, chunk):
        return self._decoder.decode(chunk, b"\n" in chunk)


@fault("chunking/empty-chunks-anywhere")
class Utf8LostInEmptyChunks(ReferenceParser):
    """Takes an empty chunk as the end of the decoder's input."""

    def decode(self, chunk):
        return self._decoder.decode(chunk, not chunk)


@fault(
    "bytes/ill-formed-is-replaced",
    "bytes/truncated-character-before-text",
    "bytes/truncated-character-before-a-line-end",
    "bytes/cut-short-at-the-end",
    "bytes/truncated-mark",
    "bytes/utf16-mark-is-no-mark",
    "whole/any-bytes-never-stop-a-parser",
    "prefix/every-prefix-is-a-stream",
)
class Utf8Strict(ReferenceParser):
    """Raises on ill-formed UTF-8."""

    def __init__(self):
        super().__init__()
        self._decoder = _new_decoder("strict")


@fault(
    "bytes/ill-formed-is-replaced",
    "bytes/truncated-character-before-text",
    "bytes/truncated-character-before-a-line-end",
    "bytes/truncated-mark",
)
class IllFormedIgnored(ReferenceParser):
    """Drops ill-formed bytes."""

    def __init__(self):
        super().__init__()
        self._decoder = _new_decoder("ignore")


@fault(
    "bytes/ill-formed-is-replaced",
    "bytes/truncated-character-before-text",
    "bytes/truncated-character-before-a-line-end",
)
class IllFormedOnceEachByte(ReferenceParser):
    """U+FFFD for each byte, not for each maximal subpart."""

    def __init__(self):
        super().__init__()
        self._decoder = _new_decoder(_handler(_each_byte))


@fault("bytes/ill-formed-is-replaced")
class IllFormedOnceEachRun(ReferenceParser):
    """One U+FFFD for a whole run of ill-formed bytes."""

    def decode(self, chunk):
        return re.sub("\ufffd+", "\ufffd", super().decode(chunk))


@fault(
    "bytes/ill-formed-is-replaced",
    "bytes/truncated-character-before-text",
    "bytes/truncated-character-before-a-line-end",
)
class IllFormedSwallowsTheNextByte(ReferenceParser):
    """The byte behind an ill-formed sequence goes with it, a line end too."""

    def __init__(self):
        super().__init__()
        self._decoder = _new_decoder(_handler(_next_byte_too))


@fault(
    "bytes/ill-formed-is-replaced",
    "bytes/truncated-character-before-text",
    "bytes/truncated-character-before-a-line-end",
)
class IllFormedAsLatin1(ReferenceParser):
    """Falls back to Latin-1 for what is not UTF-8."""

    def __init__(self):
        super().__init__()
        self._decoder = _new_decoder(_handler(_as_latin1))


@fault(
    "bytes/ill-formed-is-replaced",
    "bytes/truncated-character-before-text",
    "bytes/truncated-character-before-a-line-end",
)
class IllFormedAsSurrogates(ReferenceParser):
    """Keeps ill-formed bytes as lone surrogates, as file names are kept."""

    def __init__(self):
        super().__init__()
        self._decoder = _new_decoder("surrogateescape")


@fault("bytes/ill-formed-is-replaced")
class SurrogatesPass(ReferenceParser):
    """ED A0 80 becomes a lone surrogate."""

    def __init__(self):
        super().__init__()
        self._decoder = _new_decoder(_handler(_surrogates_pass))


@fault("bytes/ill-formed-is-replaced")
class OverlongNulAccepted(ReferenceParser):
    """C0 80 is NUL, as in Java's UTF-8."""

    def decode(self, chunk):
        return super().decode(chunk.replace(b"\xc0\x80", b"\0"))


@fault(
    "bytes/ill-formed-is-replaced",
    "bytes/truncated-character-before-text",
    "bytes/truncated-character-before-a-line-end",
    "bytes/utf16-mark-is-no-mark",
)
class IllFormedEndsTheStream(ReferenceParser):
    """Reads nothing behind ill-formed UTF-8."""

    over = False

    def decode(self, chunk):
        text = "" if self.over else super().decode(chunk)
        self.over = self.over or "\ufffd" in text
        return text


@fault("bytes/cut-short-at-the-end")
class EofPartialUtf8Crash(ReferenceParser):
    """Decodes what is left at the end strictly."""

    def decode_end(self):
        return self._decoder.getstate()[0].decode()


@fault("bytes/two-byte-character-cut", "bytes/three-byte-character-cut", "bytes/four-byte-character-cut")
class Latin1DefaultCharset(ReferenceParser):
    """Decodes as Latin-1, since no charset was declared."""

    def decode(self, chunk):
        return chunk.decode("latin-1")


@fault("bytes/two-byte-character-cut", "bytes/three-byte-character-cut", "bytes/four-byte-character-cut")
class AsciiOnly(ReferenceParser):
    """Decodes as ASCII."""

    def decode(self, chunk):
        return chunk.decode("ascii")


@fault("bytes/utf16-mark-is-no-mark")
class Utf16Guessed(ReferenceParser):
    """FF FE or FE FF at the start is taken for a mark of UTF-16 and removed."""

    first = True

    def decode(self, chunk):
        if self.first and chunk:
            self.first = False
            chunk = chunk.removeprefix(b"\xff\xfe").removeprefix(b"\xfe\xff")
        return super().decode(chunk)


@fault("bytes/nothing-is-normalised")
class NfcNormalises(ReferenceParser):
    """Composes characters."""

    def field_data(self, value):
        super().field_data(unicodedata.normalize("NFC", value))


@fault("bytes/nothing-is-normalised")
class NfkcNormalisesTypes(ReferenceParser):
    """Compatibility forms of a type are taken for the plain ones."""

    def field_event(self, value):
        super().field_event(unicodedata.normalize("NFKC", value))


@fault("bytes/nul-is-text")
class NulStripped(ReferenceParser):
    """Removes U+0000 from the text."""

    def read_text(self, text):
        super().read_text(text.replace("\0", ""))


@fault("bytes/nul-is-text")
class NulEndsAValue(ReferenceParser):
    """A value ends at U+0000, as a C string does."""

    def field_data(self, value):
        super().field_data(value.partition("\0")[0])


@fault("bytes/nul-in-a-type-is-text")
class NulEndsAType(ReferenceParser):
    """A type ends at U+0000."""

    def field_event(self, value):
        super().field_event(value.partition("\0")[0])


@fault("bytes/nul-in-a-comment-or-a-name", "fields/names-are-exact")
class NulEndsAName(ReferenceParser):
    """A name ends at U+0000."""

    def field(self, name, value):
        super().field(name.partition("\0")[0], value)


@fault("bytes/nul-is-text", "bytes/nul-in-a-type-is-text", "bytes/nul-in-a-comment-or-a-name")
class NulRaises(ReferenceParser):
    """Refuses U+0000, in a comment too."""

    def read_line(self, line):
        if "\0" in line:
            raise ValueError("NUL in the stream")
        super().read_line(line)


@fault("bytes/noncharacters-pass")
class NoncharactersRefused(ReferenceParser):
    """Noncharacters become U+FFFD."""

    def read_text(self, text):
        super().read_text(re.sub("[\ufdd0-\ufdef\ufffe\uffff\U0001fffe\U0001ffff\U0010fffe\U0010ffff]", "\ufffd", text))


@fault("bytes/noncharacters-pass")
class PrivateUseDropped(ReferenceParser):
    """Characters of private use are dropped."""

    def field_data(self, value):
        super().field_data("".join(character for character in value if unicodedata.category(character) != "Co"))


@fault("bytes/noncharacters-pass")
class ReplacementCharacterRefused(ReferenceParser):
    """A U+FFFD that was sent as such raises, as if the decoder had made it."""

    def decode(self, chunk):
        if b"\xef\xbf\xbd" in chunk:
            raise ValueError("cannot decode")
        return super().decode(chunk)


@fault("bytes/four-byte-character-cut")
class BasicPlaneOnly(ReferenceParser):
    """Characters of four bytes become U+FFFD."""

    def read_text(self, text):
        super().read_text(re.sub("[\U00010000-\U0010ffff]", "\ufffd", text))


@fault("bytes/zwj-sequence-cut")
class FormatCharactersDropped(ReferenceParser):
    """Zero-width joiners and the like are dropped."""

    def read_text(self, text):
        super().read_text(re.sub("[\u200b-\u200f\ufe0f]", "", text))


@fault("bytes/nul-is-text", "lines/other-separators-are-text")
class ControlCharactersStripped(ReferenceParser):
    """Characters below the blank, but for the line ends and the tab, are removed."""

    def read_text(self, text):
        super().read_text(re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f]", "", text))


@fault("bytes/ill-formed-in-a-type-is-replaced")
class IllFormedTypesIgnored(ReferenceParser):
    """A type with U+FFFD in it is no type."""

    def field_event(self, value):
        if "\ufffd" not in value:
            super().field_event(value)


@fault("bytes/ill-formed-in-an-id-is-replaced")
class IllFormedIdsIgnored(ReferenceParser):
    """An ID with U+FFFD in it is no ID."""

    def field_id(self, value):
        if "\ufffd" not in value:
            super().field_id(value)
