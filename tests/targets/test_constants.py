"""The texts in a parser's own code are found without running it, and deep effort sends them."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from chunkproof.check import EFFORTS
from chunkproof.rule_check import look
from chunkproof.rule_run import RuleRun
from chunkproof.rules import find_rule
from chunkproof.watch import Watch
from chunkproof_strategies.generator import RandomSource
from chunkproof_targets.constants import constants_of
from chunkproof_targets.loading import load_target

# As text: pytest writes constants of its own into the asserts of a test file.
SOURCE = '''
IN_MODULE = ("by-module-name", b"as-bytes")
ELSEWHERE = "never named"


def helper(text: str) -> bool:
    """A document that is no constant."""
    return text == "in-a-helper" or text in IN_MODULE


class Base:
    inherited = "in-a-base"

    def skip(self, text: str) -> bool:
        return text.startswith("in-a-base-method")


class Parser(Base):
    """Another document."""

    WORDS = {"in-a-dict": 1, "two": 2}

    @staticmethod
    def static(text: str) -> bool:
        return text == "in-a-static-method"

    @property
    def name(self) -> str:
        return "in-a-property"

    def feed(self, chunk: bytes) -> list[str]:
        def inner(line):
            return line == "in-a-closure"

        texts = [text for text in chunk.decode().split("\\n") if text != "in-a-comprehension"]
        assert b"\\xff" not in chunk, "a message that is rather too long to be a value of a stream"
        return [text for text in texts if not inner(text) and not helper(text)]
'''


def parser() -> type:
    namespace: dict[str, Any] = {"__name__": "sample"}
    exec(SOURCE, namespace)
    made: type = namespace["Parser"]
    return made


def test_texts_are_found_wherever_they_stand():
    assert set(constants_of(parser())) == {
        *{"as-bytes", "by-module-name", "in-a-base", "in-a-base-method", "in-a-closure", "in-a-comprehension"},
        *{"in-a-dict", "in-a-helper", "in-a-property", "in-a-static-method", "two"},
    }


@pytest.mark.parametrize("obj", [parser()(), parser()().feed, parser()])
def test_an_instance_and_its_method_have_those_of_the_class(obj):
    assert {"in-a-helper", "in-a-base-method"} <= set(constants_of(obj))


def test_what_has_no_code_of_its_own_has_none():
    for obj in (len, partial(int, base=2), 7, dict):
        assert constants_of(obj) == ()


FAULTY = """
from chunkproof_targets.reference import ReferenceParser

class Parser(ReferenceParser):
    def field_data(self, value):
        if value != "%PING-7f3a%":
            super().field_data(value)
"""


def test_deep_effort_finds_what_nobody_draws_by_chance(tmp_path):
    (tmp_path / "hidden_word.py").write_text(FAULTY, "utf-8")
    target = load_target("./hidden_word.py:Parser", folder=tmp_path)
    assert "%PING-7f3a%" in target.constants
    rule = find_rule("whole/any-stream-in-any-chunking")
    with Watch() as watch:
        assert look(RuleRun(rule, target, watch), EFFORTS["smoke"], "1").status == "held"
        found = look(RuleRun(rule, target, watch), EFFORTS["deep"], "1")
    assert found.status == "broken"
    assert b"%PING-7f3a%" in found.finding.wire


def test_without_constants_the_same_seed_draws_what_it_always_did():
    plain, given = RandomSource("a"), RandomSource("a", constants=["word"])
    texts = [given.any_text() for _ in range(200)]
    assert [RandomSource("a", constants=()).any_text() for _ in range(1)] == [plain.any_text()]
    assert 60 < texts.count("word") < 140
