"""The texts of the plugins that come with Podium, as messages that can be translated.

Plugins know nothing of languages: their docstrings and settings are English, and so is the API.
Pages look a text up here, and show it in the language of the reader. The texts are read from the
files of the plugins, none of which is imported; `makemessages` puts them into the catalogues. Texts
of other plugins are shown as they are.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Final

import scorers
from leaderboard.rules.plugins.shipped import (
    SHIPPED_PREDICTION_METRICS,
    SHIPPED_SCORERS,
    SHIPPED_TEXT_METRICS,
)
from leaderboard.rules.texts.messages import Message, message
from leaderboard.rules.texts.python_sources import parsed
from scorers.metrics.registry import SHIPPED as METRICS
from scorers.metrics.registry import in_singular

SHIPPED: Final = frozenset(
    {
        *SHIPPED_SCORERS,
        *SHIPPED_TEXT_METRICS,
        *SHIPPED_PREDICTION_METRICS,
        *(f"scorers.metrics.{name}" for name in METRICS),
    }
)
"""The modules that come with Podium."""
_FOLDER: Final = Path(scorers.__file__).parents[1]
_MARKS: Final = frozenset({"id", "name", "score"})
"""The class of a text metric has an `id`, that of a metric a `name`, and a scorer scores."""
_NUMBER: Final = re.compile(r"\bK\b")


def known_text(text: str) -> str:
    """A text of a plugin that comes with Podium as a Message; else unchanged.

    It is the first paragraph of a docstring, what a metric is computed over, the description of a
    setting, or a note. Metrics such as `pass@3` have its number instead of each K.
    """
    messages, numbered = _messages()
    if text in messages:
        return messages[text]
    for pattern, template in numbered:
        if match := pattern.fullmatch(text):
            return message(template, k=match[1])
    return text


def known_paragraph(text: str) -> Message | None:
    """A further paragraph of a docstring; None if it is none of these plugins. Lines may end
    anywhere."""
    return _paragraphs().get(_one_line(text))


def templates() -> list[str]:
    """What the catalogues have of these plugins: texts with `{k}` for K, then paragraphs."""
    messages, _numbered = _messages()
    return list(dict.fromkeys([*(text.template for text in messages.values()), *_paragraphs()]))


@cache
def _messages() -> tuple[dict[str, Message], list[tuple[re.Pattern[str], str]]]:
    """The texts as they are in the files, and the templates of those with a K."""
    messages, numbered = {}, {}
    for text in filter(_has_no_braces, (text for tree in _trees() for text in _texts(tree))):
        for form in (text, in_singular(text)):
            template = _NUMBER.sub("{k}", form)
            if template == form:
                messages[form] = message(form)
            else:
                messages[form] = message(template, k="K")
                numbered[template] = _with_any_number(template)
    return messages, [(pattern, template) for template, pattern in numbered.items()]


@cache
def _paragraphs() -> dict[str, Message]:
    docs = (doc for tree in _trees() for doc in _docs(tree))
    return {
        text: message(text)
        for _, *paragraphs in docs
        for text in filter(_has_no_braces, paragraphs)
    }


def _trees() -> list[ast.Module]:
    """The files of the plugins. One that an operator has deleted or broken has no texts."""
    trees = []
    for module in sorted(SHIPPED):
        path = _FOLDER.joinpath(*module.split(".")).with_suffix(".py")
        with suppress(OSError, ValueError, SyntaxError):
            trees.append(parsed(path.read_text(encoding="utf-8")))
    return trees


def _texts(tree: ast.Module) -> Iterator[str]:
    for first, *_rest in _docs(tree):
        yield first
    for node in ast.walk(tree):
        match node:
            case ast.keyword(arg="description", value=ast.Constant(value=str(text))):
                yield text
            case ast.AnnAssign(target=ast.Name(id="over"), value=ast.Constant(value=str(text))):
                yield text
            case ast.AnnAssign(target=ast.Name(id="notes"), value=ast.Dict(values=notes)):
                yield from (text for note in notes for text in _values(note))


def _values(node: ast.expr) -> Iterator[str]:
    for value in node.values if isinstance(node, ast.Dict) else ():
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            yield value.value


def _docs(tree: ast.Module) -> Iterator[list[str]]:
    """The paragraphs of each plugin's docstring."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and not _MARKS.isdisjoint(_attributes(node)):
            yield [_one_line(part) for part in (ast.get_docstring(node) or "").split("\n\n")]


def _attributes(node: ast.ClassDef) -> Iterator[str]:
    for member in node.body:
        match member:
            case (
                ast.AnnAssign(target=ast.Name(id=name))
                | ast.Assign(targets=[ast.Name(id=name)])
                | ast.FunctionDef(name=name)
            ):
                yield name


def _has_no_braces(text: str) -> bool:
    """Whether a text can be the template of a message as it is."""
    return "{" not in text and "}" not in text


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _with_any_number(template: str) -> re.Pattern[str]:
    """What the texts of a template look like, with the same number everywhere."""
    first, *further_parts = map(re.escape, template.split("{k}"))
    return re.compile(f"{first}([0-9]+)" + r"\1".join(further_parts))
