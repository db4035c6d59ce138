"""Mutants of a Python module: each is its source with one small change.

Annotations, decorators, docstrings, imports and ``__all__`` are left alone. A change is told by the lines that it
touches, as `ast.unparse` writes them, so that it keeps its name when lines are moved.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass

__all__ = ["Mutant", "mutants"]

_LEFT_ALONE = ("annotation", "returns", "decorator_list", "bases", "keywords")
_COMPARED: dict[type[ast.cmpop], ast.cmpop] = {
    ast.Eq: ast.NotEq(),
    ast.NotEq: ast.Eq(),
    ast.In: ast.NotIn(),
    ast.NotIn: ast.In(),
    ast.Is: ast.IsNot(),
    ast.IsNot: ast.Is(),
    ast.Lt: ast.LtE(),
    ast.LtE: ast.Lt(),
    ast.Gt: ast.GtE(),
    ast.GtE: ast.Gt(),
}
#: Methods that are easily taken for each other.
_METHODS = {
    "removeprefix": ("removesuffix", "lstrip", "strip"),
    "partition": ("rpartition",),
    "isdigit": ("isdecimal", "isnumeric", "isalnum"),
    "isascii": ("isprintable", "isdigit"),
    "append": ("extend",),
}
#: Texts that are easily taken for each other; any other text is made empty, longer, and of capitals.
_NEAR = {
    "utf-8": ("utf-8-sig", "latin-1"),
    "replace": ("ignore", "strict", "backslashreplace"),
    " ": ("\t", "  "),
    ":": ("=", ": "),
    "\n": ("\r", " ", "\r\n"),
    "\r": ("\n", "\r\n"),
    "\0": ("\1", "0"),
    "\ufeff": ("\ufffe", "\ufeff\ufeff"),
}


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change: in which method and line, what stood there and stands there now, and the module with it."""

    method: str
    line: int
    before: str
    after: str
    source: str

    @property
    def name(self) -> str:
        """What tells it from all others."""
        return f"{self.method}: {self.before} -> {self.after}"


@dataclass(frozen=True, slots=True)
class _Site:
    """A node, where it hangs, and the function that it stands in."""

    node: ast.AST
    parent: ast.AST
    name: str
    at: int | None
    function: ast.FunctionDef | None

    def put(self, node: ast.AST) -> None:
        if self.at is None:
            setattr(self.parent, self.name, node)
        else:
            getattr(self.parent, self.name)[self.at] = node


def mutants(source: str) -> list[Mutant]:
    """Every mutant of the module, in the order of its lines, and no two alike."""
    tree = _without_docstrings(ast.parse(source))
    kinds = _kinds(tree)
    original = ast.unparse(tree)
    found: dict[str, Mutant] = {}
    for site in list(_sites(tree, None)):
        for change in _changes(site, kinds):
            site.put(ast.copy_location(change, site.node))
            mutated = ast.unparse(tree)
            site.put(site.node)
            if mutated != original and mutated not in found:
                method = site.function.name if site.function else "module"
                line: int = getattr(site.node, "lineno", 0)
                found[mutated] = Mutant(method, line, *_difference(original, mutated), mutated)
    return list(found.values())


def _without_docstrings(tree: ast.Module) -> ast.Module:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return tree


def _kinds(tree: ast.Module) -> dict[str, list[str]]:
    """For each attribute of a parser the others of its type, as the values say that it starts with."""
    kinds: dict[str, list[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == "__init__":
            for line in node.body:
                target = line.targets[0] if isinstance(line, ast.Assign) else getattr(line, "target", None)
                value = getattr(line, "value", None)
                kind = type(value.value).__name__ if isinstance(value, ast.Constant) else type(value).__name__
                if isinstance(target, ast.Attribute):
                    kinds.setdefault(kind, []).append(target.attr)
    return {name: [other for other in names if other != name] for names in kinds.values() for name in names}


def _sites(parent: ast.AST, function: ast.FunctionDef | None) -> Iterator[_Site]:
    for name, value in ast.iter_fields(parent):
        if name in _LEFT_ALONE:
            continue
        for at, node in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if not isinstance(node, ast.stmt | ast.expr) or isinstance(node, ast.Import | ast.ImportFrom):
                continue
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
                continue
            inside = node if isinstance(node, ast.FunctionDef) else function
            yield _Site(node, parent, name, at, inside)
            yield from _sites(node, inside)


def _difference(before: str, after: str) -> tuple[str, str]:
    """The lines that differ, each side as one line."""
    old, new = before.splitlines(), after.splitlines()
    while old and new and old[0] == new[0]:
        del old[0], new[0]
    while old and new and old[-1] == new[-1]:
        del old[-1], new[-1]
    return " ".join(line.strip() for line in old), " ".join(line.strip() for line in new)


# What may be changed --------------------------------------------------------------------------------------------------


def _changes(site: _Site, kinds: dict[str, list[str]]) -> Iterator[ast.AST]:
    node = site.node
    for operator in _OPERATORS:
        yield from operator(node)
    if isinstance(node, ast.Return) and node.value is not None:
        yield ast.Return(ast.Constant(None))
        yield from _empty_returns(site.function)
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
        for other in kinds.get(node.attr, []):
            yield ast.Attribute(node.value, other, node.ctx)


def _empty_returns(function: ast.FunctionDef | None) -> Iterator[ast.AST]:
    returns = function.returns if function else None
    kind = returns.value if isinstance(returns, ast.Subscript) else returns
    empty: dict[str, ast.expr] = {
        "str": ast.Constant(""),
        "list": ast.List([], ast.Load()),
        "tuple": ast.Tuple([ast.Constant(""), ast.Constant("")], ast.Load()),
    }
    if isinstance(kind, ast.Name) and kind.id in empty:
        yield ast.Return(empty[kind.id])


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Expr | ast.Return | ast.If | ast.For):
        yield ast.Pass()


def _conditions(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.If | ast.IfExp):
        for test in (ast.Constant(True), ast.Constant(False), ast.UnaryOp(ast.Not(), node.test)):
            yield type(node)(test, node.body, node.orelse)  # type: ignore[arg-type]


def _booleans(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Compare):
        yield ast.Compare(node.left, [_COMPARED[type(node.ops[0])], *node.ops[1:]], node.comparators)
    if isinstance(node, ast.BoolOp):
        yield ast.BoolOp(ast.And() if isinstance(node.op, ast.Or) else ast.Or(), node.values)
        yield from node.values
    if isinstance(node, ast.UnaryOp):
        yield node.operand


def _sums(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        yield ast.BinOp(node.left, ast.Sub() if isinstance(node.op, ast.Add) else ast.Add(), node.right)
        yield ast.BinOp(node.right, node.op, node.left)
        yield from (node.left, node.right)


def _constants(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Constant):
        yield from map(ast.Constant, _other_values(node.value))


def _other_values(value: object) -> Iterator[str | bytes | int]:
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield from (value - 1, value + 1)
    elif isinstance(value, bytes):
        yield value + b"X"
    elif isinstance(value, str):
        yield from (value + "X", "", value.upper(), *_NEAR.get(value, ()))
        choices = value.split("|")
        for at in range(len(choices) if len(choices) > 1 else 0):
            yield "|".join(choices[:at] + choices[at + 1 :])
            yield "|".join(choices[at:] + choices[:at])


def _collections(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.List):
        yield ast.List([] if node.elts else [ast.Constant("")], node.ctx)
    if isinstance(node, ast.Tuple):
        for elements in _swapped(node.elts):
            yield ast.Tuple(elements, node.ctx)
    if isinstance(node, ast.For):
        one = ast.Constant(1)
        for part in (ast.Slice(one), ast.Slice(None, ast.UnaryOp(ast.USub(), one)), ast.Slice(step=_MINUS_ONE)):
            yield ast.For(node.target, ast.Subscript(node.iter, part, ast.Load()), node.body, node.orelse)
    if isinstance(node, ast.Slice):
        yield from (ast.Slice(None, node.upper, node.step), ast.Slice(node.lower, None, node.step))


_MINUS_ONE = ast.UnaryOp(ast.USub(), ast.Constant(1))


def _swapped(nodes: list[ast.expr]) -> Iterator[list[ast.expr]]:
    for at in range(len(nodes) - 1):
        yield [*nodes[:at], nodes[at + 1], nodes[at], *nodes[at + 2 :]]


def _calls(node: ast.AST) -> Iterator[ast.AST]:
    if not isinstance(node, ast.Call):
        return
    for at in range(len(node.args)):
        yield ast.Call(node.func, node.args[:at] + node.args[at + 1 :], node.keywords)
    for args in _swapped(node.args):
        yield ast.Call(node.func, args, node.keywords)
    if isinstance(node.func, ast.Attribute):
        for other in _METHODS.get(node.func.attr, ()):
            yield ast.Call(ast.Attribute(node.func.value, other, ast.Load()), node.args, node.keywords)
        if node.func.attr == "append":
            at_front = ast.Attribute(node.func.value, "insert", ast.Load())
            yield ast.Call(at_front, [ast.Constant(0), *node.args], node.keywords)
        if node.func.attr == "pop" and not node.args:
            yield ast.Call(node.func, [ast.Constant(0)], [])


_OPERATORS: tuple[Callable[[ast.AST], Iterator[ast.AST]], ...] = (
    *(_statements, _conditions, _booleans, _sums, _constants, _collections, _calls),
)
