"""Every sentence that a person reads is marked for translation."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator
from pathlib import Path

from django.contrib import admin
from django.urls import get_resolver

from tests.translation.stays_english import (
    DOCUMENTED,
    DOCUMENTS,
    FOR_DEVELOPERS,
    FOR_PROGRAMS,
    LOGGED,
    MARKS,
    PROSE,
    STORED,
    UNSHOWN_MODELS,
    is_documented,
    stays_english,
)

PRODUCT = Path(__file__).parents[2] / "leaderboard"

SHOWN_BY_SCRIPT = re.compile(
    r"\b(textContent|innerText|innerHTML|title|ariaLabel|placeholder) = [\"'`][^\"'`]+[\"'`]"
)


def test_every_sentence_is_marked() -> None:
    unmarked = [
        f"{place}:{line}: {text}"
        for path in sorted(PRODUCT.rglob("*.py"))
        for place in [path.relative_to(PRODUCT).as_posix()]
        if not stays_english(place)
        for line, text in unmarked_texts(path.read_text(), is_documented=is_documented(place))
    ]
    assert unmarked == []


def test_models_that_stay_english_are_not_in_the_admin() -> None:
    get_resolver().url_patterns  # noqa: B018 - this registers them
    modules = {model.__module__ for model in admin.site._registry}
    assert {f"leaderboard.models.{name}" for name in UNSHOWN_MODELS} & modules == set()
    assert "leaderboard.models.challenge" in modules


def test_no_text_is_translated_when_its_module_is_loaded() -> None:
    """A method of a lazy text translates it at once, into the language of the server."""
    calls = [
        f"{path.relative_to(PRODUCT)}:{node.lineno}"
        for path in sorted(PRODUCT.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Call)
        and _name(node.value.func).endswith("_lazy")
        and _name(node.value.func) != "reverse_lazy"
    ]
    assert calls == []


def unmarked_texts(source: str, *, is_documented: bool = False) -> Iterator[tuple[int, str]]:
    """The line and the text of each sentence that no catalogue has; `{}` stands for a value.

    is_documented: whether descriptions are left out.
    """
    tree = ast.parse(source)
    yield from _texts(tree, set(_documentation(tree)) if is_documented else frozenset())


def _documentation(tree: ast.AST) -> Iterator[ast.AST]:
    """The values of descriptions and examples."""
    for node in ast.walk(tree):
        match node:
            case ast.keyword(arg=str(name), value=value) if name in DOCUMENTED:
                yield value
            case ast.Assign(targets=targets, value=value) if any(map(_is_document, targets)):
                yield value
            case ast.Dict(keys=keys, values=values):
                named = zip(keys, values, strict=True)
                yield from (value for key, value in named if key and _text(key) in DOCUMENTED)
            case ast.Call(func=func) if _name(func) == "OpenApiExample":
                yield node


def _is_document(target: ast.expr) -> bool:
    return DOCUMENTS.search(_name(target)) is not None


def _texts(node: ast.AST, left_out: Collection[ast.AST]) -> Iterator[tuple[int, str]]:
    if node in left_out or _is_read_elsewhere(node):
        return
    if isinstance(node, ast.JoinedStr | ast.Constant):
        text = _text(node)
        if PROSE.search(text) and not FOR_PROGRAMS.search(text):
            yield node.lineno, text
    if isinstance(node, ast.Constant):
        return
    for child in ast.iter_child_nodes(node):
        if not (isinstance(node, ast.JoinedStr) and isinstance(child, ast.Constant)):
            yield from _texts(child, left_out)


def _is_read_elsewhere(node: ast.AST) -> bool:
    """Whether a node is a marked text, one of developers, or a docstring."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    return (
        isinstance(node, ast.Call) and _name(node.func) in MARKS | FOR_DEVELOPERS | LOGGED | STORED
    )


def _name(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _text(node: ast.expr) -> str:
    if isinstance(node, ast.JoinedStr):
        return "".join(
            _text(part) if isinstance(part, ast.Constant) else "{}" for part in node.values
        )
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def test_scripts_take_their_words_from_the_page() -> None:
    scripts = (PRODUCT.parent / "static").rglob("*.js")
    assert [line for path in scripts for line in spoken(path.read_text())] == []


def test_style_sheets_take_their_words_from_the_page() -> None:
    word = re.compile(r"content: *\"[^\"]*[A-Za-z]{2}[^\"]*\"")
    sheets = (PRODUCT.parent / "static").rglob("*.css")
    assert [match[0] for path in sheets for match in word.finditer(path.read_text())] == []


def spoken(script: str) -> list[str]:
    """The texts that a script shows without asking the page for them."""
    return [match[0] for match in SHOWN_BY_SCRIPT.finditer(script)]
