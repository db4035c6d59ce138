#!/usr/bin/env python3
"""The harness for atheris: one input of the engine is one stream in one chunking, judged by the oracle.

A plain file: copy it, and run it with the engine's own flags behind ours, which are written with two hyphens and "=".

    ./harness.py --target=mypkg.parser -runs=100000 inputs/

A finding is written to the folder of the campaign (``--state``), and the run goes on. Only the target is instrumented.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import gc
import os
import sys
import threading
import time
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

# By its full name: this file is run as a script too, from wherever it was copied to.
from chunkproof import fuzzing
from chunkproof.command import profile_of
from chunkproof.counterexample import encode_token
from chunkproof.fuzzing.collecting import named
from chunkproof.fuzzing.folder import state_of
from chunkproof.fuzzing.found import Found
from chunkproof.fuzzing.hand import Hand
from chunkproof.fuzzing.hunt import Hunt
from chunkproof.fuzzing.instrument import Instrumented, atheris_missing
from chunkproof.fuzzing.seeding import DECODERS
from chunkproof.fuzzing.state import WAITING_MAX, State, write_json
from chunkproof.isolation.printed import count_printed
from chunkproof.isolation.process import die_with_parent
from chunkproof.peace import at_peace
from chunkproof.rule_run import Finding
from chunkproof.rules import Rule
from chunkproof.watch import Watch
from chunkproof_targets.contract import Target, TargetError

__all__ = ["Departure", "main"]

# Seconds between two signs of life.
_SAY = 0.5
_ADDR_NO_RANDOMIZE = 0x0040000
_STARTED_AGAIN = "CHUNKPROOF_STARTED_AGAIN"
_USAGE, _FAULT = 2, 3
# Objects between two looks for cycles among them.
_ALLOCATIONS = 20_000
# Characters of a note.
_NOTE_MAX = 200


def main(argv: Sequence[str] | None = None) -> None:
    """Run the engine; it ends the process."""
    argv = list(sys.argv if argv is None else argv)
    options = _options(argv)
    if options.parent is not None:
        # Once more behind the new start: this lasts, but the parent may be gone by then.
        die_with_parent()
        if os.getppid() != options.parent:
            raise SystemExit(_FAULT)
    if missing := atheris_missing():
        _refuse(missing)
    _start_again_in_order(argv)
    # Of a script the folder is searched too: a target that imports `progress` means another one than ours.
    sys.path[:] = [place for place in sys.path if place not in fuzzing.__path__]
    profile, spec = profile_of(options.target, options.declare, options.deviations)
    state = state_of(profile, spec, options.state)
    with at_peace():
        try:
            target = profile.load(spec)
        except TargetError as error:
            _refuse(str(error))
        _fuzz(target, state, options, argv)


def _options(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser("harness.py", description=__doc__, allow_abbrev=False)
    parser.add_argument("--target")
    parser.add_argument("--declare", action="append", default=[])
    parser.add_argument("--deviations", action="append", default=[])
    parser.add_argument("--state", default="chunkproof-fuzz")
    parser.add_argument("--name", default="atheris")
    parser.add_argument("--mode", choices=sorted(DECODERS), default="table")
    parser.add_argument("--seed", default="", help="as it is told with a finding")
    parser.add_argument("--known", default="", help="deviations that are no news, with commas between them")
    parser.add_argument("--parent", type=int, help="the process without which this one ends")
    parser.add_argument("--output", type=int, default=8, help="MiB that one run may print")
    parser.add_argument("--until-found", action="store_true", help="a finding ends the run, as a crash does")
    # What starts with one hyphen is the engine's, and so is what does not start with any.
    ours = [word for word in argv[1:] if word.startswith("--") or word == "-h"]
    return parser.parse_args(ours)


def _start_again_in_order(argv: Sequence[str]) -> None:
    """Once more without what differs from one process to the next, so that a seed does the same each time.

    The engine numbers its counters by addresses, and Python its sets by a hash that is drawn at the start. Processes
    that the engine starts itself (-fork, -merge) run the first word of the command, by the interpreter of this one.
    """
    if os.environ.get(_STARTED_AGAIN):
        return
    environment = os.environ | {"PYTHONHASHSEED": "0", _STARTED_AGAIN: "1"}
    environment["PATH"] = os.pathsep.join((str(Path(sys.executable).parent), environment.get("PATH", os.defpath)))
    # Where the system has no such thing, a seed may do something else the next time.
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).personality(_ADDR_NO_RANDOMIZE)
    # What PyInstaller has packed is an interpreter and its script in one.
    script = [] if getattr(sys, "frozen", False) else [str(Path(argv[0]).absolute())]
    words = [sys.executable, *script, *argv[1:]]
    os.execve(sys.executable, words, environment)


def _fuzz(target: Target, state: State, options: argparse.Namespace, argv: Sequence[str]) -> None:
    import atheris

    engine: Any = atheris
    instrumented = Instrumented(target.functions)
    if not instrumented.count:
        print("chunkproof: no Python code of the target was found: the engine has no coverage to go by", flush=True)
    judge = _Judge(target, state, options, instrumented)
    threading.excepthook = judge.in_thread
    # As for any run: each makes and drops some dozen objects, and there are few cycles among them.
    gc.freeze()
    gc.set_threshold(_ALLOCATIONS)
    engine.Setup([str(Path(argv[0]).absolute()), *argv[1:]], judge.one)
    engine.Fuzz()


class Departure(Exception):
    """The target departs from the standard: for those who know no other finding than a crash."""


class _Hunt(Hunt):
    """A hunt whose own runs, to make a stream small, are no news to the engine: they are not of its input."""

    instrumented: Instrumented

    def news(self, rule: Rule, finding: Finding, seed: str) -> Found | None:
        """See `Hunt.news`."""
        with self.instrumented.silent():
            return super().news(rule, finding, seed)


class _Judge:
    """What the engine calls for each input."""

    def __init__(self, target: Target, state: State, options: argparse.Namespace, instrumented: Instrumented) -> None:
        self.state = state
        self.until_found = options.until_found
        self.seed = options.seed
        self.decode = DECODERS[options.mode]
        self.expected = named(options.known.split(","))
        watch = Watch()
        count_printed(lambda: watch.number, options.output)
        self.hunt = _Hunt(target, watch, f"atheris {options.mode}", self.expected)
        self.parent = options.parent
        self.hunt.instrumented = instrumented
        self.note = ""
        self.path = state.logs / f"{options.name}.progress.json"
        self.fault = state.logs / f"{options.name}.fault"
        # The engine may be told to close what the target prints to.
        self.told = os.dup(2)
        self.hand = Hand(state.logs / f"{options.name}.hand")
        self._say_at = 0.0
        self._known_at = 0

    def one(self, data: bytes) -> None:
        """One input. A fault of ours ends the process: the engine would take it for a finding."""
        try:
            self.hand.begin(data)
            wire, cuts = self.decode(data)
            found = self.hunt.judge(wire, cuts, self.seed)
            if found is not None:
                self.state.put(found)
            if time.monotonic() > self._say_at:
                self._say()
        except BaseException as error:
            self._fail(error)
        if found is not None and self.until_found:
            raise Departure(f"{found.rule}, {found.kind}: chunkproof replay {encode_token(found.case)}")

    def _say(self) -> None:
        """A sign of life, and a look at what is known by now."""
        self._say_at = time.monotonic() + _SAY
        if self.parent is not None and os.getppid() != self.parent:
            os._exit(_FAULT)  # where the system does not see to it
        hunt = self.hunt
        said = {"executions": self.hand.count, "repeats": hunt.repeats, "passed_over": hunt.passed_over}
        write_json(self.path, {**said, "note": self.note}, sync=False)
        changed = _changed_at(self.state.known_path)
        if changed != self._known_at:
            self._known_at = changed
            hunt.known = (*self.expected, *named(self.state.known()))
        hunt.holds_back = len(self.state.waiting()) >= WAITING_MAX

    def in_thread(self, ended: threading.ExceptHookArgs) -> None:
        """An exception that ended a thread of the target: the run in hand knows nothing of it, but it is told."""
        if not self.note:
            self.note = f"a thread of the target ended with {ended.exc_type.__name__}: {ended.exc_value}"[:_NOTE_MAX]
            self._tell(f"chunkproof: {self.note}\n")

    def _fail(self, error: BaseException) -> NoReturn:
        """A fault of ours, told whole and kept: nobody may take it for one of the target's, which may exit as well."""
        text = "".join(traceback.format_exception(error))
        with contextlib.suppress(OSError):
            self.fault.write_text(text, "utf-8", "backslashreplace")
        self._tell(text)
        os._exit(_FAULT)

    def _tell(self, text: str) -> None:
        with contextlib.suppress(OSError):
            os.write(self.told, text.encode("utf-8", "backslashreplace"))


def _changed_at(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


def _refuse(message: str) -> None:
    print(f"chunkproof: {message}", file=sys.stderr)
    raise SystemExit(_USAGE)


if __name__ == "__main__":
    main()
