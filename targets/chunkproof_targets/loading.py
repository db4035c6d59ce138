"""From ``--target=SPEC`` to a `Target`: a registered name, a module, a file, or an attribute of one of them."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import re
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from .constants import code_of
from .contract import Target, TargetError
from .declared import NOTHING_DECLARED, Declared
from .deviations import find_deviations
from .deviations.compose import DeviatingTarget, compose
from .registry import TABLE, Entry, names, normal_name
from .search import obvious_parser, public_names
from .shapes import adapt

__all__ = ["load_target"]

# The path comes first and ends in ".py": a drive letter's colon (C:\...) is then no separator.
_DOTTED = r"[^\W\d]\w*(?:\.[^\W\d]\w*)*"
_FILE = re.compile(rf"(?P<place>.+\.py)(?::(?P<attribute>{_DOTTED}))?", re.DOTALL)
_DEVIATION = "deviation:"
_MODULE = re.compile(rf"(?P<place>{_DOTTED})(?::(?P<attribute>{_DOTTED}))?")


class _Place(NamedTuple):
    """Where a spec points: a module's name or a file's path, and perhaps an attribute."""

    place: str
    attribute: str | None
    is_file: bool


Rehearse = Callable[[Callable[[], object], str], None]


def load_target(
    spec: str, *, folder: Path, declared: Declared = NOTHING_DECLARED, first: Rehearse | None = None
) -> Target:
    """The target that a spec names; TargetError, one clear text, where it cannot be used.

    ``spec`` is a name of the registry, which wins over a module of that name; ``package.module`` or a path that ends
    in ``.py``, searched for its one obvious parser; either with ``:attribute``, dots allowed; or ``deviation:`` and
    names of the catalogue, with ``+`` between them. ``folder`` is the folder
    of invocation: it comes first on ``sys.path``, as with ``python -m pytest``, and paths are relative to it.
    ``first`` is given the call that will run the parser, and its name, before it is run here.
    """
    if first is not None:
        first = partial(_unless_threads, first, frozenset(threading.enumerate()))
    _add_to_path(folder, at=0)
    if spec.strip().startswith(_DEVIATION):
        return _deviating(spec.strip(), declared)
    entry = TABLE.get(normal_name(spec.strip()))
    with warnings.catch_warnings():
        # A project's `filterwarnings = error` speaks of its own tests; a parser that warns is still a parser.
        warnings.simplefilter("default")
        if entry is not None:
            return _load_entry(entry, declared, first)
        where = _parse(spec.strip())
        module = _import_file(where, spec, folder) if where.is_file else _import(where.place, spec)
        attribute = where.attribute
        if attribute is None:
            attribute = obvious_parser(module, spec.strip())
            found = f"the one parser in {where.place}: {attribute}"
        else:
            found = f"{where.place}:{attribute}"
        obj = _attribute(module, attribute, spec, where.place)
        if isinstance(obj, ModuleType):
            raise TargetError(f"--target={spec}: {attribute} is a module. Type --target={obj.__name__}")
        return _adapted(obj, spec.strip(), found, declared, first)


def _deviating(spec: str, declared: Declared) -> Target:
    """The reference parser with what ``deviation:one+another`` names."""
    try:
        deviations = find_deviations(spec.removeprefix(_DEVIATION))
        if not deviations:
            raise TargetError("it names no deviation: `chunkproof deviations` lists them")
        if declared.takes not in (None, "bytes"):
            raise TargetError(f"takes={declared.takes}: a deviation is fed bytes")
        target = DeviatingTarget(compose(deviations), spec, has_end=declared.end != "none")
    except TargetError as error:
        raise TargetError(f"--target={spec}: {error}") from None
    target.empty_chunk_ends = declared.empty_chunk == "end"
    target.size_limit = declared.size_limit
    target.strict_utf8 = declared.invalid_utf8 == "strict"
    target.found = " ".join(deviation.what for deviation in deviations)
    target.deviations = declared.deviations or ()
    target.functions, target.constants = code_of(compose(deviations))
    return target


def _unless_threads(
    first: Rehearse, before: frozenset[threading.Thread], look: Callable[[], object], name: str
) -> None:
    """Not where the import has started threads: a forked process would wait for them in vain."""
    if before.issuperset(threading.enumerate()):
        first(look, name)


def _adapted(
    obj: Any, name: str, found: str, declared: Declared, first: Rehearse | None, packages: Sequence[str] = ()
) -> Target:
    if first is not None:
        first(lambda: adapt(obj, name=name, found=found, declared=declared), name)
    target = adapt(obj, name=name, found=found, declared=declared)
    target.functions, target.constants = code_of(obj, packages)
    return target


def _load_entry(entry: Entry, declared: Declared, first: Rehearse | None) -> Target:
    module_name, _, attribute = entry.target.partition(":")
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if entry.distribution is None or str(error.name).startswith(__package__ or "."):
            raise
        raise TargetError(
            f"--target={entry.name} is {entry.target} of the library registry and needs {entry.distribution}: there is "
            f'no module {error.name} in this environment. pip install "chunkproof[libraries]"'
        ) from error
    except Exception as error:
        raise _import_failed(entry.name, module_name, error) from error
    found = f"the library registry: {module_name}"
    return _adapted(getattr(module, attribute), entry.name, found, declared, first, entry.packages)


def _parse(spec: str) -> _Place:
    for pattern, is_file in ((_FILE, True), (_MODULE, False)):
        match = pattern.fullmatch(spec)
        if match is not None:
            return _Place(match["place"], match["attribute"], is_file)
    raise TargetError(
        f"--target={spec} is no target. It is a registered name ({', '.join(names())}), package.module, "
        "package.module:attribute, or ./file.py:attribute"
    )


def _import(name: str, spec: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except KeyboardInterrupt:
        raise
    except ModuleNotFoundError as error:
        # What is missing is the module that was asked for, or a package above it; not one that it imports.
        if error.name is not None and (name == error.name or name.startswith(error.name + ".")):
            raise _not_found(name, spec) from error
        raise _import_failed(spec, name, error) from error
    except BaseException as error:
        raise _import_failed(spec, name, error) from error


def _not_found(name: str, spec: str) -> TargetError:
    parent, _, last = name.rpartition(".")
    if ":" not in spec and parent and hasattr(sys.modules.get(parent), last):
        return TargetError(f"--target={spec}: {last} is no module, but an attribute. Type --target={parent}:{last}")
    return TargetError(
        f"--target={spec}: there is no module {name}. It must be installed in this environment ({sys.executable}), or "
        f"stand in the folder that pytest is started in ({sys.path[0]}). A file is named by its path: "
        "--target=./file.py:attribute. Registered names: " + ", ".join(names())
    )


def _import_failed(spec: str, name: str, error: BaseException) -> TargetError:
    # The last frame outside the import system: the line of the target, or of what it imports.
    frames = [f for f in traceback.extract_tb(error.__traceback__) if "importlib" not in f.filename]
    frames = [frame for frame in frames if frame.filename != __file__]
    where = f" ({frames[-1].filename}, line {frames[-1].lineno})" if frames else ""
    text = " ".join(str(error).split())
    return TargetError(
        f"--target={spec}: the module {name} was found, but its import raised {type(error).__name__}"
        f"{': ' + text if text else ''}{where}. The fault is in that module or in what it imports; "
        f"it must be importable before it can be tested"
    )


def _import_file(where: _Place, spec: str, folder: Path) -> ModuleType:
    path = (folder / Path(where.place).expanduser()).resolve()
    if path.is_dir():
        raise TargetError(f"--target={spec}: {path} is a folder. Name a file in it: --target={where.place}/file.py")
    if not path.is_file():
        raise TargetError(f"--target={spec}: there is no file {path}. Paths are relative to {folder.resolve()}")
    root, name = path.parent, path.stem
    while (root / "__init__.py").is_file():
        root, name = root.parent, f"{root.name}.{name}"
    # A file of a package is imported as such, so that its relative imports work.
    name = name.removesuffix(".__init__")
    _add_to_path(root, at=1)
    if _origin(name) == path:
        return _import(name, spec)
    return _import_alone(path, spec)


def _origin(name: str) -> Path | None:
    try:
        found = importlib.util.find_spec(name)
    except (ImportError, ValueError, AttributeError):
        return None
    return Path(found.origin).resolve() if found is not None and found.origin else None


def _import_alone(path: Path, spec: str) -> ModuleType:
    """A file whose name is taken by another module: it gets a name of its own."""
    name = f"chunkproof_target_{path.stem}_{hashlib.sha256(bytes(str(path), 'utf-8')).hexdigest()[:8]}"
    if name in sys.modules:
        return sys.modules[name]
    found = importlib.util.spec_from_file_location(name, path)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    sys.modules[name] = module
    try:
        found.loader.exec_module(module)
    except BaseException as error:
        del sys.modules[name]
        if isinstance(error, KeyboardInterrupt):
            raise
        raise _import_failed(spec, path.name, error) from error
    return module


def _attribute(module: ModuleType, attribute: str, spec: str, place: str) -> Any:
    obj: Any = module
    for part in attribute.split("."):
        try:
            obj = getattr(obj, part)
        except AttributeError:
            owner = place if obj is module else f"{place}:{getattr(obj, '__qualname__', type(obj).__name__)}"
            known = ", ".join(public_names(module)) or "none"
            raise TargetError(
                f"--target={spec}: {owner} has no attribute {part!r}. Public classes and functions of {place}: {known}"
            ) from None
    return obj


def _add_to_path(folder: Path, at: int) -> None:
    entry = str(folder.resolve())
    if at == 0 and sys.path[:1] != [entry]:
        sys.path[:] = [entry, *(other for other in sys.path if other != entry)]
    elif entry not in sys.path:
        sys.path.insert(at, entry)
    importlib.invalidate_caches()
