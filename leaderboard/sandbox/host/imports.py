"""Find the modules that a source file imports, by its text alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from leaderboard.rules.plugins.entrypoints import ALIAS, TARGET
from leaderboard.rules.texts.python_sources import parsed


def imported_by(source: bytes, module: str, *, is_package: bool) -> tuple[str, ...]:
    """Absolute names of all modules that a source text imports; () if it is not Python.

    `from a import b` gives both `a` and `a.b`, because the text does not say whether `b` is a
    module. Imports for type checkers alone (`if TYPE_CHECKING:`) do not count, as they never run.
    `services.scorers.x` counts as `scorers.x`, as in entry points.
    """
    try:
        tree = parsed(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    package = module if is_package else module.rpartition(".")[0]
    names = (name for node in _run(tree) for name in _names(node, package))
    return tuple(sorted({_own_name(name) for name in names if name}))


def _run(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes except those that only type checkers see."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, ast.If) and _is_for_type_checkers(node.test):
            waiting += node.orelse
        else:
            waiting += ast.iter_child_nodes(node)


def _is_for_type_checkers(test: ast.expr) -> bool:
    if isinstance(test, ast.Attribute):
        return test.attr == "TYPE_CHECKING"
    return isinstance(test, ast.Name) and test.id == "TYPE_CHECKING"


def _names(node: ast.AST, package: str) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        base = _base(node, package)
        yield base
        yield from (f"{base}.{alias.name}" for alias in node.names if base and alias.name != "*")


def _base(node: ast.ImportFrom, package: str) -> str:
    """The absolute name after `from`; "" if a relative import leaves the top-level package."""
    if not node.level:
        return node.module or ""
    parts = package.split(".")
    if node.level > len(parts):
        return ""
    kept = parts[: len(parts) - node.level + 1]
    return ".".join([*kept, node.module] if node.module else kept)


def _own_name(name: str) -> str:
    return TARGET + name.removeprefix(ALIAS) if name.startswith(ALIAS) else name
