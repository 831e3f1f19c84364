"""URLs of the product are made from the names of its views; no code spells them out."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from django.urls import URLPattern, URLResolver, get_resolver

ROOT = Path(__file__).parent.parent
SPELLED = re.compile(
    r"(^|[\"'}])/(api/|c/|attempts/|admin/|plugins/|status/|account/|sign-in/|sign-out/|static/)"
    r"|^/(healthz|readyz|status\.json|metrics)$"
)
IN_TEMPLATES = re.compile(r"""(href|src|action|hx-\w+)=["']/|request\.path ==""")
IN_SCRIPTS = re.compile(r"""["'`]/[a-z{$]""")
ALLOWED = {
    # Examples of answers.
    "leaderboard/api/serializers/attempt.py",
    "leaderboard/api/serializers/checklist.py",
    # The prefix of the schema's paths.
    "leaderboard/settings/api.py",
    # Requests to the own process, which do not depend on the site's URL.
    "leaderboard/management/embedded.py",
    # Parts of paths by which a server chooses a thread, before it loads the URL patterns.
    "leaderboard/http/lanes.py",
    # The URL patterns.
    "leaderboard/api/urls.py",
}


def texts(module: ast.Module) -> Iterator[str]:
    """Yield all string constants of a module except its docstrings."""
    statements = [
        node.value
        for node in ast.walk(module)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    ]
    for node in ast.walk(module):
        if isinstance(node, ast.Constant) and node not in statements:
            yield str(node.value)


def spelled_in(source: str) -> list[str]:
    return [text for text in texts(ast.parse(source)) if SPELLED.search(text)]


def test_no_python_file_spells_out_a_url() -> None:
    files = {
        str(file.relative_to(ROOT))
        for file in Path(ROOT, "leaderboard").rglob("*.py")
        if spelled_in(file.read_text())
    }
    assert files == ALLOWED


def test_no_template_or_script_spells_out_a_url() -> None:
    cases: list[tuple[str, re.Pattern[str], list[str]]] = [
        ("templates", IN_TEMPLATES, ["*.html", "*.txt"]),
        ("static", IN_SCRIPTS, ["*.js"]),
        ("static", re.compile(r"url\(['\"]?/"), ["*.css"]),
    ]
    for folder, pattern, names in cases:
        files = [file for name in names for file in Path(ROOT, folder).rglob(name)]
        assert files, folder
        assert [str(file) for file in files if pattern.search(file.read_text())] == [], folder


def nameless(patterns: list[URLPattern | URLResolver], before: str = "") -> Iterator[str]:
    for pattern in patterns:
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from nameless(pattern.url_patterns, route)
        elif not pattern.name:
            yield route


def test_every_view_has_a_name() -> None:
    routes = nameless(get_resolver().url_patterns)
    # Django's own: former URLs of rows, and the admin's catch-all.
    assert [route for route in routes if not route.startswith("admin/")] == []
