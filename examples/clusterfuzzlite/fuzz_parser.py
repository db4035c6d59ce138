#!/usr/bin/env python3
"""The fuzz target for ClusterFuzzLite and OSS-Fuzz: the harness of chunkproof, and the parser that it runs."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import mypkg.parser  # noqa: F401  # PyInstaller packs what is imported; the harness finds it by its name

from chunkproof.fuzzing.harness import main

# As for `pytest --target`. build.sh reads it here.
TARGET = "mypkg.parser"

if __name__ == "__main__":
    state = Path(tempfile.gettempdir(), f"chunkproof-{Path(__file__).stem}")
    # ClusterFuzz knows no finding but a crash.
    main([sys.argv[0], f"--target={TARGET}", f"--state={state}", "--until-found", *sys.argv[1:]])
