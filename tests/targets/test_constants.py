"""The texts in a parser's own code are found without running it, and deep effort sends them."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from chunkproof.check import EFFORTS
from chunkproof.rule_check import look
from chunkproof.rule_run import RuleRun
from chunkproof.rules import find_rule
from chunkproof.watch import Watch
from chunkproof_strategies.generator import RandomSource
from chunkproof_targets.constants import all_code, code_of, constants_of, functions_of
from chunkproof_targets.loading import load_target
from chunkproof_targets.registry import TABLE

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
    for obj in (len, partial(int, base=2), 7, dict, None, __import__("sys")):
        assert code_of(obj) == ((), ())


HIDDEN = '''
import functools


def noted(function):
    @functools.wraps(function)
    def wrapper(*arguments):
        return function(*arguments) or "in-a-wrapper"
    return wrapper


@noted
def decorated(text):
    return text == "under-a-decorator"


@functools.lru_cache
def cached(text):
    return text == "in-a-cached-function"


def on_data(text):
    return text == "in-a-table-of-functions"


class Line:
    def __eq__(self, other):
        return other == "in-an-instance"


class Boom(dict):
    """Whoever looks into it runs it."""

    def __getattr__(self, name):
        raise AssertionError("run")

    __class__ = property(lambda self: 1 / 0)
    __iter__ = values = items = keys = __len__ = __getattr__


TABLE = {"data": on_data, "by-value": "in-a-dict-value"}
LINE = Line()
BOOM = Boom({"in-a-derived-dict": 1})


class Parser:
    class Inner:
        @staticmethod
        @functools.lru_cache
        def twice_wrapped():
            return "in-a-wrapped-function"

        @functools.cached_property
        def text(self):
            return "in-an-inner-class"

    def feed(self, chunk, done="in-a-default", *, other="in-a-keyword-default"):
        return decorated(chunk) or cached(chunk) or TABLE[chunk](chunk) or LINE == chunk or BOOM
'''


def test_code_that_is_not_called_by_its_name_is_found_and_none_is_run():
    namespace: dict[str, Any] = {"__name__": "hidden"}
    exec(HIDDEN, namespace)
    code = code_of(namespace["Parser"])
    assert set(code.constants) >= {
        *{"in-a-wrapper", "under-a-decorator", "in-a-cached-function", "in-a-table-of-functions", "in-an-instance"},
        *{"by-value", "in-a-dict-value", "in-a-derived-dict", "in-an-inner-class", "in-a-default"},
        *{"in-a-keyword-default", "in-a-wrapped-function"},
    }
    names = {function.__qualname__ for function in code.functions}
    assert names >= {"Parser.feed", "Parser.Inner.text", "decorated", "cached", "on_data", "Line.__eq__"}
    assert code.functions[0].__qualname__ == "Parser.feed"


def test_of_more_texts_than_are_kept_those_next_to_the_parser_are():
    far = "\n".join(f"def step_{n}(text): return step_{n + 1}(text) or text == '!{n}'" for n in range(1_000))
    source = f"{far}\nstep_1000 = bool\ndef parse(text): return step_0(text) or text == 'near'"
    namespace: dict[str, Any] = {"__name__": "sample"}
    exec(source, namespace)
    texts = constants_of(namespace["parse"])
    assert len(texts) == 300
    assert {"near", "!0", "!298"} <= set(texts)
    assert "!299" not in texts
    assert len(list(functions_of(namespace["parse"]))) == 1_001


def test_functions_come_once_each_with_what_they_make_as_they_run():
    functions = list(functions_of(parser()))
    assert {function.__qualname__ for function in functions} == {
        *{"Parser.static", "Parser.name", "Parser.feed", "Base.skip", "helper"},
    }
    assert len(functions) == 5
    feed = next(function for function in functions if function.__name__ == "feed")
    assert "inner" in {code.co_name for code in all_code(feed.__code__)}


def test_a_library_behind_an_adapter_gives_what_is_beside_its_parser_too():
    constants = load_target("openai", folder=Path()).constants
    assert {"[DONE]", "thread.", "error"} <= set(constants)  # in openai.Stream, which the adapter does not name


@pytest.mark.parametrize("entry", TABLE.values(), ids=lambda entry: entry.name)
def test_each_registered_target_has_the_functions_of_its_own_packages(entry):
    target = load_target(entry.name, folder=Path())
    packages = {function.__module__.partition(".")[0] for function in target.functions}
    assert packages == {"chunkproof_targets", *entry.packages}
    assert bool(entry.packages) == bool(entry.distribution)
    assert {"data", "data:"} & set(target.constants)


def test_a_deviation_has_the_functions_of_its_part():
    target = load_target("deviation:done-ends-stream", folder=Path())
    assert "[DONE]" in target.constants
    modules = {function.__module__ for function in target.functions}
    assert modules >= {"chunkproof_targets.deviations.done", "chunkproof_targets.reference"}


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


def test_what_a_parser_inherits_from_another_package_is_its_code_and_the_rest_there_is_not():
    names: dict[str, Any] = {"__name__": "a_library"}
    exec(compile(LIBRARY, "a_library", "exec"), names)

    class Parser(names["Base"], dict):  # type: ignore[name-defined, type-arg, valid-type]
        def own(self) -> str:
            return "own"

    code = code_of(Parser)
    assert sorted(one.__name__ for one in code.functions) == ["feed", "own"]
    assert {"own", "in-the-base"} <= set(code.constants)
    assert "in-a-neighbour" not in code.constants


#: A package that a parser inherits from.
LIBRARY = """
def neighbour():
    return "in-a-neighbour"


class Base:
    def feed(self, chunk):
        return chunk == "in-the-base" and neighbour()
"""
