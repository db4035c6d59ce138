"""From a spec to a target: names, modules, files, attributes, and a clear word where there is none."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from chunkproof_targets.contract import Target, TargetError
from chunkproof_targets.declared import Declared
from chunkproof_targets.loading import _parse, load_target
from chunkproof_targets.registry import TABLE, names

PARSER = """
from chunkproof_targets.reference import ReferenceParser as _Base

class Parser:
    def __init__(self):
        self._parser = _Base()
    def feed(self, chunk):
        return self._parser.feed(chunk)
"""


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Path]:
    """A folder of invocation; what is imported from it is forgotten afterwards."""
    path, modules = list(sys.path), set(sys.modules)
    yield tmp_path
    sys.path[:] = path
    for name in set(sys.modules) - modules:
        if comes_from(sys.modules[name], tmp_path.resolve()):
            del sys.modules[name]


def comes_from(module: ModuleType, folder: Path) -> bool:
    """Whether a module, or a package without a file, stands in the folder."""
    places = [getattr(module, "__file__", None), *getattr(module, "__path__", [])]
    return any(place is not None and Path(place).resolve().is_relative_to(folder) for place in places)


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(textwrap.dedent(text), encoding="utf-8")
    return path


def error(spec: str, folder: Path) -> str:
    with pytest.raises(TargetError) as caught:
        load_target(spec, folder=folder)
    return str(caught.value)


def works(target: Target) -> bool:
    return [d.event.data for d in target.run([b"data: x\n\n"]).deliveries] == ["x"]


# the registry --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", names())
def test_every_registered_name(name: str, project: Path) -> None:
    target = load_target(name, folder=project)
    assert works(target)
    assert target.name == name
    assert target.found == f"the library registry: {TABLE[name].target.partition(':')[0]}"
    target.close()


def test_hyphen_and_underscore_are_one(project: Path) -> None:
    assert load_target("parser_a", folder=project).name == "parser-a"


def test_registry_wins_over_a_module(project: Path) -> None:
    write(project, "reference.py", "raise AssertionError('imported')")
    assert load_target("reference", folder=project).found == "the library registry: chunkproof_targets.reference"


def test_library_that_is_not_installed(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "chunkproof_targets.libraries.httpx_sse", raising=False)
    monkeypatch.setitem(sys.modules, "httpx_sse", None)
    text = error("httpx_sse", project)
    assert 'pip install "chunkproof[libraries]"' in text
    assert "needs httpx-sse" in text


# modules -------------------------------------------------------------------------------------------------------------


def test_module_in_the_folder_of_invocation(project: Path) -> None:
    write(project, "flat_parser.py", PARSER)
    target = load_target("flat_parser", folder=project)
    assert works(target)
    assert target.found == "the one parser in flat_parser: Parser"
    assert sys.path[0] == str(project.resolve())


def test_attribute_with_dots(project: Path) -> None:
    write(project, "deep/__init__.py", "")
    write(project, "deep/mod.py", PARSER + "\nclass Outer:\n    Inner = Parser\n")
    target = load_target("deep.mod:Outer.Inner", folder=project)
    assert works(target)
    assert target.found == "deep.mod:Outer.Inner"


def test_package_that_lists_its_parser(project: Path) -> None:
    write(project, "listed/__init__.py", "from .inner import Parser\n__all__ = ['Parser']")
    write(project, "listed/inner.py", PARSER)
    assert works(load_target("listed", folder=project))


def test_line_splitter_beside_a_parser_is_no_second_one(project: Path) -> None:
    write(
        project,
        "with_splitter.py",
        """
        from chunkproof_targets.published import parser_d
        def split_lines(chunks):
            yield from ()
        def parse(chunks):
            return parser_d(chunks)
        class LineError(Exception):
            pass
        """,
    )
    assert works(load_target("with_splitter", folder=project))


def test_two_parsers_are_listed(project: Path) -> None:
    write(project, "two_parsers.py", PARSER + "\nclass Other(Parser):\n    pass\n")
    text = error("two_parsers", project)
    assert "2 things that look like a parser" in text
    assert "--target=two_parsers:Parser\n  --target=two_parsers:Other" in text


def test_no_parser_lists_what_there_is(project: Path) -> None:
    write(project, "no_parser.py", "def add(a, b):\n    return a + b\n")
    text = error("no_parser", project)
    assert "nothing that looks like a parser" in text
    assert "--target=no_parser:add" in text


def test_imported_parsers_are_not_a_module_s_own(project: Path) -> None:
    write(project, "imports_one.py", "from chunkproof_targets.reference import ReferenceParser")
    assert "has no public class or function of its own" in error("imports_one", project)


def test_module_that_does_not_exist(project: Path) -> None:
    text = error("no_such_module_here.parser", project)
    assert "there is no module no_such_module_here.parser" in text
    assert str(project.resolve()) in text
    assert "--target=./file.py:attribute" in text


def test_class_named_with_a_dot(project: Path) -> None:
    write(project, "dotted.py", PARSER)
    assert "Type --target=dotted:Parser" in error("dotted.Parser", project)


def test_attribute_that_does_not_exist(project: Path) -> None:
    write(project, "has_parser.py", PARSER)
    assert "has no attribute 'Praser'. Public classes and functions of has_parser: Parser" in error(
        "has_parser:Praser", project
    )


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("import not_installed_at_all", "ModuleNotFoundError: No module named 'not_installed_at_all'"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("raise SystemExit(2)", "SystemExit: 2"),
        ("import sys; sys.exit()", "SystemExit"),
        ("def broken(:\n", "SyntaxError"),
        ("import warnings; warnings.simplefilter('error'); warnings.warn('old')", "UserWarning: old"),
    ],
)
def test_import_that_fails_blames_the_module(body: str, says: str, project: Path) -> None:
    path = write(project, "fails_at_import.py", "\n\n" + body)
    for spec in ("fails_at_import", "./fails_at_import.py:parse"):
        text = error(spec, project)
        assert f"its import raised {says}" in text
        if "SyntaxError" not in says:
            assert f"{path}, line 3" in text


def test_warning_at_import_is_none_of_our_business(project: Path) -> None:
    write(project, "warns.py", "import warnings\nwarnings.warn('old', DeprecationWarning)\n" + PARSER)
    with pytest.warns(DeprecationWarning, match="old"):
        load_target("warns", folder=project)


def test_instance_names_its_class(project: Path) -> None:
    write(project, "instance.py", PARSER + "\nparser = Parser()\n")
    text = error("instance:parser", project)
    assert "An instance serves one stream" in text
    assert "--target=instance:Parser" in text


def test_factory(project: Path) -> None:
    write(project, "factory.py", PARSER + "\ndef make():\n    return Parser()\n")
    target = load_target("factory:make", folder=project)
    assert works(target)
    assert target.shape.startswith("function that makes a parser with feed")


UNUSABLE = """
from chunkproof_targets.reference import ReferenceParser as _Base

def parse(chunks, encoding):
    parser = _Base()
    for chunk in chunks:
        for type, data, id in parser.feed(chunk):
            yield Item(type, data, id)

async def target(chunks, *, encoding):
    parser = _Base()
    async for chunk in chunks:
        for type, data, id in parser.feed(chunk):
            yield Item(type, data, id)

class Item:
    def __init__(self, event, data, id):
        self.event, self.data, self.id = event, data, id

class Outer:
    class Parser:
        def __init__(self, url, *, timeout):
            self._parser = _Base()
        def push(self, chunk):
            return self._parser.feed(chunk)
        def end(self, why):
            raise AssertionError("nobody knows why")
        def close(self):
            pass

class original(Outer.Parser):
    pass
"""


@pytest.mark.parametrize("attribute", ["parse", "target", "Outer.Parser", "original"])
def test_adapter_of_an_error_message_runs_as_it_is_printed(attribute: str, project: Path) -> None:
    write(project, "chat/stream.py", UNUSABLE)
    text = error(f"chat.stream:{attribute}", project)
    printed = text.partition("in a file of your own:\n")[2].partition("\nand then ")
    assert printed[2] == "--target=./adapter.py:target"
    write(project, "adapter.py", printed[0])
    target = load_target("./adapter.py:target", folder=project)
    assert works(target)
    assert target.shows.type
    assert target.shows.last_event_id


def test_module_as_an_attribute(project: Path) -> None:
    write(project, "outer_package/__init__.py", "from . import inner")
    write(project, "outer_package/inner.py", PARSER)
    assert "Type --target=outer_package.inner" in error("outer_package:inner", project)


# files ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "spec", ["./parsers/one.py:Parser", "parsers/one.py:Parser", "parsers/one.py", "./parsers/one.py"]
)
def test_file(spec: str, project: Path) -> None:
    write(project, "parsers/one.py", PARSER)
    assert works(load_target(spec, folder=project))


def test_absolute_file(project: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = write(tmp_path_factory.mktemp("elsewhere"), "away.py", "from beside import Parser\n__all__ = ['Parser']")
    write(path.parent, "beside.py", PARSER)
    assert works(load_target(f"{path}:Parser", folder=project))


def test_file_of_a_package_has_its_relative_imports(project: Path) -> None:
    write(project, "pack/__init__.py", "")
    write(project, "pack/base.py", PARSER)
    write(project, "pack/user.py", "from .base import Parser as _P\nclass Mine(_P):\n    pass\n")
    assert works(load_target("./pack/user.py:Mine", folder=project))


def test_file_whose_name_is_taken(project: Path) -> None:
    write(
        project, "sub/json.py", "from dataclasses import dataclass\n@dataclass\nclass Own:\n    a: int = 0\n" + PARSER
    )
    assert works(load_target("./sub/json.py:Parser", folder=project))
    assert sys.modules["json"].__name__ == "json"
    assert hasattr(sys.modules["json"], "dumps")


def test_file_that_does_not_exist(project: Path) -> None:
    assert f"there is no file {project.resolve() / 'nowhere.py'}" in error("./nowhere.py:parse", project)


def test_drive_letters_are_no_separators() -> None:
    assert _parse(r"C:\code\my parser.py:Parser") == (r"C:\code\my parser.py", "Parser", True)
    assert _parse(r"C:\code\parser.py") == (r"C:\code\parser.py", None, True)
    assert _parse("D:/code/parser.py:a.b") == ("D:/code/parser.py", "a.b", True)


@pytest.mark.parametrize(
    "spec", ["", "my parser", "a:", "a:b:c", "./parser.txt", "https://example.org", "a..b", "1a", "a:b-c"]
)
def test_what_is_no_spec(spec: str, project: Path) -> None:
    text = error(spec, project)
    assert f"--target={spec}" in text
    assert "package.module:attribute" in text


# declarations --------------------------------------------------------------------------------------------------------


def test_declarations_are_read() -> None:
    assert Declared.parse(
        ["takes=lines", "end=eof", "empty-chunk=end", "size_limit = 65536", "invalid_utf8=strict"]
    ) == Declared("lines", "eof", "end", 65536, "strict")


@pytest.mark.parametrize(
    ("setting", "says"),
    [
        ("takes=words", r"takes=words: takes is one of bytes, text, lines: for instance takes=lines"),
        ("empty_chunk=ignored", r"can only be end"),
        ("size_limit=big", r"size_limit=big: size_limit is a number of bytes"),
        ("size_limit=0", r"size_limit=0"),
        ("invalid_utf8=replace", r"invalid_utf8 can only be strict"),
        ("end=", r"end=: end is the name of the method"),
        ("ends=eof", r"one of the keys takes, end, empty_chunk, size_limit, invalid_utf8"),
        ("takes", r"It is KEY=VALUE"),
    ],
)
def test_bad_declarations_name_value_rule_and_way_out(setting: str, says: str) -> None:
    with pytest.raises(TargetError, match=says):
        Declared.parse([setting])


def test_command_line_wins_over_the_decorator(project: Path) -> None:
    write(
        project,
        "declares.py",
        "from chunkproof_targets.declared import declare\n"
        + PARSER.replace("class Parser", "@declare(size_limit=10)\nclass Parser"),
    )
    assert load_target("declares", folder=project).size_limit == 10
    assert load_target("declares", folder=project, declared=Declared(invalid_utf8="strict")).strict_utf8
    assert load_target("declares", folder=project, declared=Declared(size_limit=99)).size_limit == 99


def test_a_deviation_takes_what_is_declared(project: Path) -> None:
    declared = Declared(
        end="none", empty_chunk="end", size_limit=10, invalid_utf8="strict", deviations=("utf8-strict",)
    )
    target = load_target("deviation:utf8-strict", folder=project, declared=declared)
    assert (target.has_end, target.empty_chunk_ends, target.size_limit, target.strict_utf8) == (False, True, 10, True)
    assert target.deviations == ("utf8-strict",)


@pytest.mark.parametrize("names", ["", " ", "+"])
def test_a_deviation_without_a_name_is_refused(project: Path, names: str) -> None:
    assert "it names no deviation" in error(f"deviation:{names}", project)


def test_a_deviation_is_fed_bytes(project: Path) -> None:
    with pytest.raises(TargetError, match="takes=text: a deviation is fed bytes"):
        load_target("deviation:utf8-strict", folder=project, declared=Declared(takes="text"))
