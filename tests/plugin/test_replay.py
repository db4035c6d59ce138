"""`chunkproof replay` and `chunkproof rules`."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner

from chunkproof.cli import main
from chunkproof.counterexample import TOKEN_LENGTH_MAX, Case, decode_token, encode_token
from chunkproof.replay import replay_command, replay_settings, write_large_token
from chunkproof.rules import RULES
from chunkproof_reports.results import Counterexample, OutcomeRecord, RuleResult, StreamRecord

CR = Case("lines/cr", "bytes", ((b"data: a\n\r", ()),))


def broken(target: str, token: str = "", token_file: str = "") -> RuleResult:
    found = Counterexample(
        "lost", (StreamRecord.of(b"data: a\n\r", ()),), OutcomeRecord(()), OutcomeRecord(()), token, token_file
    )
    return RuleResult("lines/cr", target, "CR ends a line.", "9.2.5", "must", "broken", counterexample=found)


def test_command_of_a_failure_replays_it(folder, run, chunkproof):
    ran = run(folder, "--target=parser-c", "--effort=smoke", "chunkproof::lines/cr")
    command = next(line for line in ran.out.splitlines() if line.startswith("chunkproof replay "))
    again = chunkproof(folder, *shlex.split(command)[1:])
    assert again.code == 1
    text = ran.out[ran.out.index("lines/cr (must)") : ran.out.index(command) + len(command)]
    assert text in again.out


def test_target_that_agrees_is_exit_0(folder, chunkproof):
    ran = chunkproof(folder, "replay", encode_token(CR), "--target", "parsers:Good")
    assert ran.code == 0, ran.all
    assert ran.out == "lines/cr: parsers:Good agrees with the standard on this stream\n"


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("delivery/prompt", "keeps the rule on this stream"),
        ("resources/linear-in-comments", "keeps the rule, measured again"),
    ],
)
def test_good_sense_is_not_said_to_be_the_standard(folder, chunkproof, rule, said):
    token = encode_token(Case(rule, "bytes", ((b"data: a\n\n", (3,)),)))
    assert chunkproof(folder, "replay", token, "--target", "parsers:Good").out == f"{rule}: parsers:Good {said}\n"


@pytest.mark.skipif(os.name != "posix", reason="a shell is needed")
def test_closed_standard_streams_take_no_pipe_of_ours(folder):
    words = shlex.join([sys.executable, "-m", "chunkproof", "replay", encode_token(CR), "--target", "parsers:Good"])
    ran = subprocess.run(["sh", "-c", f"{words} <&- 2>&-"], cwd=folder, stdout=subprocess.PIPE, timeout=60, check=False)
    assert (ran.returncode, ran.stdout.decode()) == (
        0,
        "lines/cr: parsers:Good agrees with the standard on this stream\n",
    )


def test_earlier_streams_are_run_first(folder, chunkproof):
    case = Case("whole/a-second-run-sees-nothing-of-the-first", "bytes", ((b"id: 1\n\n", ()), (b"data: a\n\n", ())))
    ran = chunkproof(folder, "replay", encode_token(case), "--target", "parsers:Good")
    assert ran.code == (0 if any(rule.id == case.rule for rule in RULES) else 2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["cp1.AAA", "--target", "parsers:Good"], "is damaged"),
        (["nonsense", "--target", "parsers:Good"], "'nonsense' is no file, and no token"),
        (
            [encode_token(Case("lines/nosuch", "bytes", CR.streams)), "--target", "parsers:Good"],
            "is no rule of this release",
        ),
        ([encode_token(CR), "--target", "parsers:NoSuch"], "NoSuch"),
        ([encode_token(CR), "--target", "parsers:Good", "--declare", "a=b"], "a=b: not a declaration"),
        (
            [encode_token(CR), "--target", "parsers:Good", "--timeout", "0"],
            "--timeout=0: it is a number of seconds above 0",
        ),
        (
            [encode_token(Case("dispatch/the-default-type-is-message", "bytes", CR.streams)), "--target", "parser-c"],
            "cannot judge parser-c",
        ),
    ],
)
def test_what_cannot_be_replayed_is_one_paragraph_and_exit_2(folder, chunkproof, arguments, message):
    ran = chunkproof(folder, "replay", *arguments)
    assert ran.code == 2
    assert message in ran.err
    assert "Traceback" not in ran.err
    assert ran.err.count("\n") == 1
    assert ran.out == ""


def test_command_is_quoted_for_a_shell_and_repeats_the_declarations():
    command = replay_command(
        broken("./my parser.py:make", "cp1.AA"), replay_settings(["takes=lines"], limits={"timeout": 0.5})
    )
    assert command == "chunkproof replay cp1.AA --target './my parser.py:make' --declare takes=lines --timeout 0.5"


def test_large_token_is_written_to_a_file_that_replays(folder, chunkproof, monkeypatch):
    monkeypatch.chdir(folder)
    noise = os.urandom(3000).hex().encode()
    token = encode_token(Case("lines/cr", "bytes", ((b"data: " + noise + b"\n\r", ()),)))
    written = write_large_token(broken("parser-c", token), config_with(folder))
    assert written.counterexample is not None
    assert written.counterexample.token == token, "the whole token stays in the results"
    name = written.counterexample.token_file
    assert name == str(Path(name).name), "as short as it can be typed from here"
    assert name.startswith("lines-cr-")
    assert (folder / name).read_text() == token + "\n"
    assert replay_command(written) == f"chunkproof replay {name} --target parser-c"
    ran = chunkproof(folder, "replay", name, "--target", "parser-c")
    assert ran.code == 1
    assert "chunkproof replay" not in ran.out
    assert len(ran.out) < 3000


def config_with(cache_folder: Path) -> Any:
    return SimpleNamespace(cache=SimpleNamespace(mkdir=lambda name: cache_folder))


def test_file_of_a_large_token_elsewhere_is_named_whole(folder, tmp_path):
    written = write_large_token(broken("parser-c", "cp1." + "A" * 2000), config_with(tmp_path))
    assert written.counterexample is not None
    assert [written.counterexample.token_file] == [str(path) for path in tmp_path.iterdir()]
    assert Path(written.counterexample.token_file).is_absolute()


def test_token_that_fits_a_command_line_is_not_written(tmp_path):
    result = broken("parser-c", "cp1." + "A" * (TOKEN_LENGTH_MAX - 4))
    assert write_large_token(result, config_with(tmp_path)) is result
    assert list(tmp_path.iterdir()) == []


def test_report_of_a_run_holds_the_token_of_its_streams(folder, run):
    rule = "size/values-beyond-64-ki-characters"
    ran = run(
        folder, "--target=parsers:DropsLong", "--effort=smoke", f"chunkproof::{rule}", "--chunkproof-report=r.json"
    )
    assert ran.code == 1
    found = ran.report("r.json")["rules"][0]["counterexample"]
    case = decode_token(found["token"])
    assert case.rule == rule
    assert [wire.hex() for wire, _ in case.streams] == [stream["wire"] for stream in found["streams"]]
    assert found["token_file"] == "", "sixty thousand bytes that pack well fit a command line"


def test_rules_are_listed_with_severity_requirement_and_clause(folder, chunkproof):
    ran = chunkproof(folder, "rules")
    assert ran.code == 0
    assert [line.split()[0] for line in ran.out.splitlines() if line[:1].strip()] == [rule.id for rule in RULES]
    chapter = chunkproof(folder, "rules", "--chapter", "lines")
    assert "lines/crlf-cut (must)\n    " in chapter.out
    assert "retry/" not in chapter.out


def test_unknown_chapter_lists_the_known_ones(folder, chunkproof):
    ran = chunkproof(folder, "rules", "--chapter", "line")
    assert ran.code == 2
    assert "there is no such chapter; they are bytes, lines, fields" in ran.err


def test_fault_of_the_suite_is_exit_3(monkeypatch):
    monkeypatch.setattr("chunkproof.profile.load_target", lambda *arguments, **more: 1 // 0)
    done = CliRunner().invoke(main, ["replay", encode_token(CR), "--target", "reference"])
    assert done.exit_code == 3
    assert "ZeroDivisionError" in done.output


def test_version(folder, chunkproof):
    assert chunkproof(folder, "--version").out == "chunkproof 0.1.0\n"
