"""What atheris starts from: the stored streams as inputs, and a dictionary of what is worth putting in."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from chunkproof_strategies.chunkings import Cuts
from chunkproof_strategies.table import decode, decode_raw, encode, encode_raw
from chunkproof_strategies.values import MARK

from ..corpus.store import own_corpus
from ..files import write_whole

__all__ = ["DECODERS", "ENCODERS", "INPUT_BYTES_MAX", "dictionary", "write_dictionary", "write_seeds"]

#: How an input becomes a stream, and a stream an input, by mode.
DECODERS: dict[str, Callable[[bytes], tuple[bytes, Cuts]]] = {"table": decode, "raw": decode_raw}
ENCODERS: dict[str, Callable[[bytes, Cuts], bytes | None]] = {"table": encode, "raw": encode_raw}
#: Longer inputs take the engine's time, and find no more.
INPUT_BYTES_MAX = 128
# Of the grammar, for the raw form: the table has them as tokens.
_WORDS = (b"data: ", b"event: ", b"id: ", b"retry: ", b"\r\n", b"\n\n", b"\r\r", b"\r\n\r\n", MARK, b"[DONE]", b": ")


def write_seeds(folder: Path, mode: str) -> int:
    """Write the stored streams that are short enough as inputs of the engine; how many there are of them.

    The name of an input is the digest of its content, as the engine's own inputs have it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    seeds = set(_seeds(mode))
    for content in sorted(seeds):
        path = folder / hashlib.sha1(content, usedforsecurity=False).hexdigest()
        if not path.exists():
            path.write_bytes(content)
    return len(seeds)


def _seeds(mode: str) -> Iterator[bytes]:
    for entry in own_corpus().entries:
        content = ENCODERS[mode](entry.wire, entry.cuts) if len(entry.wire) <= 4 * INPUT_BYTES_MAX else None
        if content is not None and len(content) <= INPUT_BYTES_MAX:
            yield content


def dictionary(mode: str, constants: Iterable[str]) -> str:
    """A dictionary as libFuzzer reads it: one quoted word a line, of the grammar and of the target's own texts.

    It begins with a comment: the engine does not start with a dictionary that is empty.
    """
    words = [*(_WORDS if mode == "raw" else ()), *(text.encode() for text in constants)]
    encoded = [found for word in words if (found := ENCODERS[mode](word, ())) and len(found) <= INPUT_BYTES_MAX]
    lines = [f"# inputs of the form {mode}", *(f'"{_escaped(word)}"' for word in dict.fromkeys(encoded))]
    return "".join(f"{line}\n" for line in lines)


def _escaped(word: bytes) -> str:
    return "".join(f"\\x{value:02x}" for value in word)


def write_dictionary(path: Path, mode: str, constants: Iterable[str]) -> None:
    """Write the dictionary to a file."""
    write_whole(path, dictionary(mode, constants))
