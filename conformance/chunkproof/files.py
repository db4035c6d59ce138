"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

__all__ = ["write_whole"]


def write_whole(path: Path, text: str, *, name: Callable[[str, Path], None] = os.replace, sync: bool = True) -> None:
    """Write a text file; nobody ever sees half of it, and nothing is left behind where it cannot be written.

    ``name`` gives the finished file its name. Without ``sync`` it may be lost with the machine, not with the process.
    A lone surrogate is written as its JSON escape. What is no regular file
    (a terminal, a pipe) is written to, and never replaced; a link stays one.
    """
    if path.exists() and not path.is_file():
        path.write_text(text, "utf-8", "backslashreplace", "\n")
        return
    path = path.resolve()
    number, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    try:
        with open(number, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            file.write(text)
            if sync:
                file.flush()
                os.fsync(file.fileno())
        Path(temporary).chmod(0o666 & ~_umask())
        name(temporary, path)
    finally:
        Path(temporary).unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
