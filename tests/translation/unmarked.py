"""Finds texts for people in Python code that no catalogue can have."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

MARKS = frozenset(
    {"_", "gettext", "gettext_lazy", "message", "ngettext", "ngettext_lazy", "counted"}
    | {"gettext_noop", "pgettext", "pgettext_lazy"}
)
"""The functions whose texts the catalogues collect."""
SENTENCE = re.compile(r"[A-Za-z{}]{2,}['’\])]*[,:;]? ['(“]?(?:[a-z]+|\{\})")
"""Two words, one of which may be the value of a placeholder."""
ONLY_VALUES = re.compile(r"[\W\d_]*(?:\{\}[\W\d_]*)+")


def unmarked_texts(source: str) -> Iterator[tuple[int, str]]:
    """Yield line and text of each sentence outside of docstrings that is not marked.

    A value in an f-string is `{}` in the text.
    """
    tree = ast.parse(source)
    passed = set(_passed(tree))
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant | ast.JoinedStr) or node in passed:
            continue
        text = _text(node)
        if SENTENCE.search(text) and not ONLY_VALUES.fullmatch(text):
            yield node.lineno, text


def _passed(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield docstrings, marked literals and the parts of f-strings."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr):
            yield node.value
        elif isinstance(node, ast.Call) and _name(node.func) in MARKS:
            yield from (each for each in node.args if isinstance(each, ast.Constant))
        elif isinstance(node, ast.JoinedStr):
            yield from (part for part in node.values if isinstance(part, ast.Constant))


def _text(node: ast.expr) -> str:
    """Return the text of a literal, with `{}` for each value in it; "" for other literals."""
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(part) or "{}" for part in node.values)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _name(function: ast.expr) -> str:
    return function.id if isinstance(function, ast.Name) else ""
