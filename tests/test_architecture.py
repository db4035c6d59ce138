"""The house holds: arrows between the packages, sizes, one docstring and clause a rule, nothing of one machine."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from chunkproof.rules import RULES, Rule

ROOT = Path(__file__).parents[1]
MODULE_LINES_MAX = 500
FUNCTION_LINES_MAX = 70

#: Each package, its folder, and the others of ours that it may import.
ROOMS = {
    "chunkproof_targets": ("targets", frozenset[str]()),
    "chunkproof_strategies": ("strategies", frozenset({"chunkproof_targets"})),
    "chunkproof_reports": ("reports", frozenset({"chunkproof_targets"})),
    "chunkproof": ("conformance", frozenset({"chunkproof_targets", "chunkproof_strategies", "chunkproof_reports"})),
}
#: What may be imported inside a function: distributions that need not be there.
OPTIONAL = frozenset(
    {
        *{"anthropic", "atheris", "distributed", "httpx", "httpx2", "httpx_sse", "langgraph_sdk", "ld_eventsource"},
        *{"mistralai", "openai", "requests", "requests_sse", "sseclient", "urllib3", "xdist"},
    }
)
#: The plugin is loaded in every run of pytest: it brings in the suite only when there is a target.
LAZY = frozenset({"chunkproof.plugin"})

needs_checkout = pytest.mark.skipif(not (ROOT / ".git").exists(), reason="reads the list of files that git knows")


class Module(NamedTuple):
    """One module of ours: its dotted name, its file, its tree."""

    name: str
    path: Path
    tree: ast.Module

    @property
    def room(self) -> str:
        return self.name.partition(".")[0]


class Import(NamedTuple):
    """One imported module, by its full name, and whether it stands inside a function."""

    module: str
    line: int
    in_function: bool


@cache
def modules() -> tuple[Module, ...]:
    return tuple(
        Module(dotted(path, ROOT / folder), path, ast.parse(path.read_text("utf-8")))
        for room, (folder, _) in ROOMS.items()
        for path in sorted((ROOT / folder / room).rglob("*.py"))
    )


def dotted(path: Path, root: Path) -> str:
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(module: Module) -> Iterator[Import]:
    """Every import, relative ones by their full name; `from a import b` is a.b, for b may be a module."""
    for node, in_function in walk(module.tree, in_function=False):
        if isinstance(node, ast.Import):
            yield from (Import(alias.name, node.lineno, in_function) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = base_of(module, node)
            yield from (Import(f"{base}.{alias.name}", node.lineno, in_function) for alias in node.names)


def base_of(module: Module, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    package = module.name.split(".") if module.path.name == "__init__.py" else module.name.split(".")[:-1]
    parts = package[: len(package) - node.level + 1]
    return ".".join([*parts, node.module] if node.module else parts)


def walk(node: ast.AST, *, in_function: bool) -> Iterator[tuple[ast.AST, bool]]:
    for child in ast.iter_child_nodes(node):
        yield child, in_function
        inside = in_function or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        yield from walk(child, in_function=inside)


def imported(source: str, name: str = "chunkproof.rules.end", file: str = "end.py") -> list[Import]:
    return list(imports(Module(name, Path(file), ast.parse(source))))


# The reader of imports itself -----------------------------------------------------------------------------------------


def test_relative_imports_are_read_by_their_full_name() -> None:
    assert imported("from ..plans import common") == [Import("chunkproof.plans.common", 1, False)]
    assert imported("from . import rule") == [Import("chunkproof.rules.rule", 1, False)]
    assert imported("from . import end", "chunkproof.rules", "__init__.py") == [
        Import("chunkproof.rules.end", 1, False)
    ]


def test_imports_inside_functions_are_seen() -> None:
    assert imported("def f():\n    if 1:\n        import a.b") == [Import("a.b", 3, True)]
    assert imported("class C:\n    async def f(self):\n        from a import b") == [Import("a.b", 3, True)]
    assert imported("try:\n    import a\nexcept ImportError:\n    a = None") == [Import("a", 2, False)]


# Arrows ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("room", ROOMS)
def test_arrows_between_packages_go_one_way(room: str) -> None:
    allowed = ROOMS[room][1] | {room}
    wrong = [
        f"{module.name}, line {line}: imports {name}"
        for module in modules()
        if module.room == room
        for name, line, _ in imports(module)
        if (other := name.partition(".")[0]) in ROOMS and other not in allowed
    ]
    assert not wrong, f"{room} may import {sorted(allowed)} of ours"


def test_modules_import_each_other_in_no_cycle() -> None:
    names = {module.name for module in modules()}
    arrows = {module.name: inner(module, names) for module in modules()}
    while arrows:
        free = [name for name, needed in arrows.items() if not needed & arrows.keys()]
        assert free, f"these modules import each other in a cycle: {sorted(arrows)}"
        for name in free:
            del arrows[name]


def inner(module: Module, names: set[str]) -> set[str]:
    found = set()
    for name, _, _ in imports(module):
        for candidate in (name, name.rpartition(".")[0]):
            if candidate in names:
                found.add(candidate)
                break
    return found - {module.name}


def test_only_optional_dependencies_are_imported_inside_functions() -> None:
    wrong = [
        f"{module.name}, line {line}: imports {name} inside a function"
        for module in modules()
        if module.name not in LAZY
        for name, line, in_function in imports(module)
        if in_function and name.partition(".")[0] not in OPTIONAL
    ]
    assert not wrong


def test_the_plugin_alone_brings_in_pytest_and_the_standard_library_only() -> None:
    code = """
import sys, pytest
before = {name.partition(".")[0] for name in sys.modules}
import chunkproof.plugin
print(*sorted({name.partition(".")[0] for name in sys.modules} - before - sys.stdlib_module_names))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.split() == ["chunkproof"]


# Sizes and hygiene ----------------------------------------------------------------------------------------------------


def test_modules_are_short() -> None:
    lengths = {module.name: len(module.path.read_text("utf-8").splitlines()) for module in modules()}
    assert {name: lines for name, lines in lengths.items() if lines > MODULE_LINES_MAX} == {}


def test_functions_are_short() -> None:
    too_long = {
        f"{module.name}:{node.name}": lines
        for module in modules()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (lines := (node.end_lineno or node.lineno) - node.lineno + 1) > FUNCTION_LINES_MAX
    }
    assert too_long == {}


@pytest.mark.parametrize("room", ROOMS)
def test_packages_are_typed_and_have_no_namespace_folders(room: str) -> None:
    package = ROOT / ROOMS[room][0] / room
    assert (package / "py.typed").read_bytes() == b""
    folders = {path.parent for path in package.rglob("*.py")}
    assert [str(folder) for folder in sorted(folders) if not (folder / "__init__.py").exists()] == []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_rules_say_what_they_require_and_where_it_stands(rule: Rule) -> None:
    assert rule.requirement.endswith((".", ":")), f"{rule.id}: its docstring states the requirement in one sentence"
    assert rule.clause, f"{rule.id}: names the clause, or what else it rests on"
    assert re.fullmatch(r"\d+\.\d+", rule.since), f"{rule.id}: {rule.since!r} is the release that brought it"
    assert rule.severity in ("must", "should", "info")


def test_rule_ids_are_unique_and_easy_to_type() -> None:
    assert RULES
    assert {name: count for name, count in Counter(rule.id for rule in RULES).items() if count > 1} == {}
    assert [rule.id for rule in RULES if not re.fullmatch(r"[a-z]+/[a-z0-9]+(-[a-z0-9]+)*", rule.id)] == []


# What must not be in the repository -----------------------------------------------------------------------------------

#: Paths of one machine, and hosts or settings of one package registry. Written so that they do not match themselves.
_PRIVATE = re.compile(
    r"(?<![\w.:/-])/(?:root|home|work|Users|opt)/\w"
    r"|\.librar[y]/|\.mirro[r]/|(?<![\w-])share[d]/|/tmp/[l]ab"
    r"|pypi\.[o]rg|pythonhosted\.[o]rg|--index[-]url|--find[-]links|PIP_[A-Z]"
)


def test_private_paths_are_recognised() -> None:
    private = ("open('/" + "work/main/x')", "see share" + "d/A.md", "https://pypi." + "org/simple", "PIP" + "_CERT=x")
    public = ("https://example.com/home/a", "targets/libraries/openai.py", "a/work/b", "reports/x", "is shared by all")
    assert [text for text in private if not _PRIVATE.search(text)] == []
    assert [text for text in public if _PRIVATE.search(text)] == []


@needs_checkout
def test_no_file_names_a_path_or_registry_of_one_machine() -> None:
    found = []
    for path in known_to_git():
        for number, line in enumerate(path.read_bytes().decode("utf-8", "replace").splitlines(), 1):
            if hit := _PRIVATE.search(line):
                found.append(f"{path.relative_to(ROOT)}:{number}: {hit.group()}")
    assert found == []


def known_to_git() -> Iterator[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, timeout=60).stdout
    return (path for name in listed.decode().split("\0") if name and (path := ROOT / name).is_file())
