"""Every sentence of the services, the pages and the admin is marked for translation."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from django.apps import apps
from django.utils.functional import Promise

from tests.translation.unmarked import MARKS

PRODUCT = Path(__file__).parents[2] / "leaderboard"
READ_BY_PEOPLE = ("services", "pages", "admin")

FOR_DEVELOPERS: Final = frozenset(
    {
        "Http404",
        "AssertionError",
        "BadRequest",
        "ValueError",
        "SandboxError",
        "OAuth2Error",
        "PyJWKSetError",
    }
)
"""Errors that no page shows: their texts end in a log."""
LOGGED: Final = frozenset({"debug", "info", "warning", "exception"})

ENGLISH: Final = {
    "services/operations": "commands and metrics of the operator",
    "services/board/buckets.py": "printed by verify_standings",
    "services/board/sorted_values.py": "printed by verify_standings",
    "services/board/standings.py": "printed by verify_standings",
    "services/accounts/erase.py": "a stored name",
    "services/competition/sight.py": "a name, the same for all readers",
    "services/evaluation/metrics.py": "stored by workers",
    "services/evaluation/output_documents.py": "a document for programs",
    "services/evaluation/runs.py": "stored by workers",
    "services/scoring/single.py": "stored by workers",
    "services/scripts/uv.py": "uv's own words",
    "services/imports/examples.py": "contents of an example file",
    "pages/api_docs/curl.py": "commands",
    "pages/bringing.py": "contents of an example file",
    "pages/citation.py": "citations, which are in English in all languages",
    "pages/manage/choosing.py": "attributes for htmx",
    "pages/sharing/crawlers.py": "read by search engines",
    "pages/sharing/glyphs.py": "the name of a font",
    "pages/sharing/oembed.py": "read by programs",
    "pages/tasks.py": "classes of elements",
    "admin/attempt_actions.py": "the history, which readers of all languages share",
}
"""Texts that stay English (docs/decisions/0162), by file or folder, with the reason."""

PROSE = re.compile(r"[^\W\d_]{2,}[,.:;]? +([^\W\d_]|\{)|\{\}[,:;]? +[a-z]{2}")
"""Two words, or a value and a word."""
FOR_PROGRAMS = re.compile(
    r"^\s*<|^[a-z{][\w.{}]*: \{\}$|^(attachment|private|public|Bearer|nofollow)\b"
    r"|\b(SELECT|FROM|WHERE|UPDATE|INSERT|VALUES|COPY|UNION|AND|AS|IN|OFFSET|NULL|CAST|extract"
    r"|ORDER|CASE|SET|BEGIN|COLLATE|JOIN|UTC)\b|::|\bcolumn_id, |\bs\.id, |\bpriority$|%s"
)
"""Elements, fields before errors, headers and SQL."""
SHOWN_BY_SCRIPT = re.compile(
    r"\b(textContent|innerText|innerHTML|title|ariaLabel|placeholder) = [\"'`][^\"'`]+[\"'`]"
)


def test_every_sentence_is_marked() -> None:
    found = [
        f"{place}:{line}: {text}"
        for folder in READ_BY_PEOPLE
        for path in sorted((PRODUCT / folder).rglob("*.py"))
        for place in [path.relative_to(PRODUCT).as_posix()]
        if not stays_english(place)
        for line, text in unmarked_texts(path.read_text())
    ]
    assert found == []


def test_what_stays_english_is_there() -> None:
    """A file that has no such text any more leaves the list."""
    idle = [
        place
        for place in ENGLISH
        if not any(any(unmarked_texts(path.read_text())) for path in files_of(place))
    ]
    assert idle == []


def test_no_text_is_translated_when_its_module_is_loaded() -> None:
    """A method of a lazy text translates it at once, into the language of the server."""
    found = [
        f"{path.relative_to(PRODUCT)}:{node.lineno}"
        for path in sorted(PRODUCT.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Call)
        and _name(node.value.func).endswith("_lazy")
        and _name(node.value.func) != "reverse_lazy"
    ]
    assert found == []


def files_of(place: str) -> Iterator[Path]:
    path = PRODUCT / place
    yield from path.rglob("*.py") if path.is_dir() else [path]


def stays_english(place: str) -> bool:
    return any(place == each or place.startswith(f"{each}/") for each in ENGLISH)


def unmarked_texts(source: str) -> Iterator[tuple[int, str]]:
    """The line and the text of each sentence that no catalogue has; `{}` stands for a value."""
    yield from _texts(ast.parse(source))


def _texts(node: ast.AST) -> Iterator[tuple[int, str]]:
    if _is_read_elsewhere(node):
        return
    if isinstance(node, ast.JoinedStr | ast.Constant):
        text = _text(node)
        if PROSE.search(text) and not FOR_PROGRAMS.search(text):
            yield node.lineno, text
    if isinstance(node, ast.Constant):
        return
    for child in ast.iter_child_nodes(node):
        if not (isinstance(node, ast.JoinedStr) and isinstance(child, ast.Constant)):
            yield from _texts(child)


def _is_read_elsewhere(node: ast.AST) -> bool:
    """Whether a node is a marked text, one of developers, or a docstring."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    return isinstance(node, ast.Call) and _name(node.func) in MARKS | FOR_DEVELOPERS | LOGGED


def _name(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _text(node: ast.JoinedStr | ast.Constant) -> str:
    if isinstance(node, ast.JoinedStr):
        return "".join(
            _text(part) if isinstance(part, ast.Constant) else "{}" for part in node.values
        )
    return node.value if isinstance(node.value, str) else ""


def test_the_walk_finds_planted_texts() -> None:
    planted = '''
"""A docstring with words."""
text = "is not known here"
wrong = f"must be {limit} or less; got {value}"
raise invalid("slug", f"{name} is taken")
fields = {"participant": ["belongs to another user"]}
good = _("is not known here"), message("at most {most} rewards", most=f"{n} of them")
sql = f"SELECT id FROM {table} WHERE id = %s"
log.warning("The script %s failed", name)
raise Http404("There is no such challenge.")
html = format_html('<a href="{}" title="Copy this">{}</a>', url, name)
key, name = "board_version", f"{table}.{column}"
'''
    found = [text for _, text in unmarked_texts(planted)]
    assert found == [
        "is not known here",
        "must be {} or less; got {}",
        "{} is taken",
        "belongs to another user",
    ]


def test_every_label_of_a_choice_is_marked() -> None:
    """Django would make an English label of the name of a choice that has none."""
    found = {
        str(field)
        for model in apps.get_app_config("leaderboard").get_models()
        for field in model._meta.get_fields()
        for _, label in getattr(field, "flatchoices", ())
        if not isinstance(label, Promise)
    }
    assert found == {"leaderboard.Attempt.priority", "leaderboard.SortedColumn.state"}, "not shown"


def test_scripts_take_their_words_from_the_page() -> None:
    scripts = (PRODUCT.parent / "static").rglob("*.js")
    assert [line for path in scripts for line in spoken(path.read_text())] == []
    assert spoken('button.textContent = "Copy";\nbutton.title = copy;') == ['textContent = "Copy"']


def test_style_sheets_take_their_words_from_the_page() -> None:
    word = re.compile(r"content: *\"[^\"]*[A-Za-z]{2}[^\"]*\"")
    sheets = (PRODUCT.parent / "static").rglob("*.css")
    assert [found[0] for path in sheets for found in word.finditer(path.read_text())] == []
    assert word.search('tr::before { content: "Sort by"; }')


def spoken(script: str) -> list[str]:
    """The texts that a script shows without asking the page for them."""
    return [found[0] for found in SHOWN_BY_SCRIPT.finditer(script)]
