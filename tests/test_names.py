"""The words of the code: docs/glossary.md lists them, and a public name has one meaning."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.once

ROOT = Path(__file__).parents[1]
GLOSSARY = (ROOT / "docs" / "glossary.md").read_text()
CLASSES = GLOSSARY.partition("## Classes of one name")[2]
ACCEPTED = re.findall(r"^\| (?!class |-)(.+?) \| (.+) \|$", CLASSES, re.MULTILINE)
IN_CAPITALS = re.compile(r"[A-Z]\w*[a-z]\w*")
"""The name of a class or of a type alias: `RewardCell`, in contrast to `MAX_CELLS`."""

VAGUE = frozenset(
    {
        *("found", "each", "said", "known", "there", "seen", "shown", "whose", "told"),
        *("others", "outside", "stateful", "telling"),
    }
)
"""Names that do not say what they stand for, with or without underscores around them."""
WITHOUT_VAGUE_NAMES = ("leaderboard", "client", "scorers", "benchmarks", "ops", "docs", "tests")
"""The folders in which no such name is bound."""
VAGUE_BUT_ALLOWED = {
    ("leaderboard/rules/json/stored.py", "shown"): "a field of JSON in the database",
    ("leaderboard/rules/visibility/meta_values.py", "shown"): "the same field, read",
    ("leaderboard/schemas/meta_fields.py", "shown"): "the same field, in the API",
    ("leaderboard/api/files/board_shapes.py", "shown"): "a field of the API",
    ("leaderboard/api/serializers/board.py", "shown"): "the same field, described",
    ("leaderboard/api/serializers/imports.py", "known"): "a field of the API",
    ("leaderboard/services/imports/previews.py", "known"): "the same field, read",
    ("client/podium/types.py", "known"): "the same field, in the types of the client",
    ("leaderboard/rules/statistics/clustering.py", "others"): "a field of JSON in the database",
    (
        "leaderboard/models/challenge.py",
        "shown",
    ): "the config whose ranks are shown, beside `newest`",
}
"""Files in which such a name is bound all the same, with the reason; at most ten."""


def names_of(node: ast.stmt) -> list[str]:
    """Return the names of classes and type aliases that a statement of a module defines."""
    if isinstance(node, ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.Assign):
        targets = node.targets
    elif isinstance(node, ast.AnnAssign):
        targets = [node.target]
    else:
        return []
    names = [target.id for target in targets if isinstance(target, ast.Name)]
    return [name for name in names if IN_CAPITALS.fullmatch(name)]


def public_names() -> dict[str, list[str]]:
    """Return the modules that define each public class or type alias of the product."""
    modules = defaultdict(list)
    for package in ("leaderboard", "scorers"):
        for file in sorted((ROOT / package).rglob("*.py")):
            for node in ast.parse(file.read_text()).body:
                for name in names_of(node):
                    if not name.startswith("_"):
                        modules[name].append(str(file.relative_to(ROOT)))
    return modules


def accepted() -> set[str]:
    """Return the names that the glossary accepts in two modules."""
    return {name for names, _ in ACCEPTED for name in re.findall(r"`(\w+)`", names)}


def test_a_public_class_or_alias_is_in_one_module() -> None:
    twice = {name: files for name, files in public_names().items() if len(files) > 1}
    assert {name: twice[name] for name in twice.keys() - accepted()} == {}


def test_every_accepted_name_is_in_several_modules() -> None:
    modules = public_names()
    assert [name for name in accepted() if len(modules[name]) < 2] == []


def test_a_dict_of_anything_has_a_named_kind() -> None:
    """`rules/json/untyped_dicts.py` names the dicts that cannot be typed, with the reasons."""
    counts = {
        str(file.relative_to(ROOT)): file.read_text().count("dict[str, Any]")
        for file in (ROOT / "leaderboard").rglob("*.py")
        if "migrations" not in file.parts
    }
    assert {file: count for file, count in counts.items() if count} == {
        # A child of the sandbox has this class as the facts of plugins, and imports no rules.
        "leaderboard/sandbox/child/facts.py": 1,
        "leaderboard/rules/json/untyped_dicts.py": len(untyped_dicts()) + 1,
    }


def untyped_dicts() -> list[str]:
    source = (ROOT / "leaderboard/rules/json/untyped_dicts.py").read_text()
    return re.findall(r"^(\w+) = dict\[str, Any\]$", source, re.MULTILINE)


def bound_names(tree: ast.AST) -> Iterator[str]:
    """Every name that a module binds: variables, parameters, functions, classes and attributes."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield name
            case ast.arg(arg=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name
            case ast.ClassDef(name=name) | ast.alias(asname=str(name)):
                yield name
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                yield name
            case ast.MatchMapping(rest=str(name)) | ast.ExceptHandler(name=str(name)):
                yield name


def test_a_name_says_what_it_stands_for() -> None:
    """Name the thing (`claimed_attempt`, `matching_names`), not what happened to it."""
    bound = {
        (str(file.relative_to(ROOT)), name)
        for folder in WITHOUT_VAGUE_NAMES
        for file in (ROOT / folder).rglob("*.py")
        if "migrations" not in file.parts
        for name in bound_names(ast.parse(file.read_text()))
        if name.strip("_") in VAGUE
    }
    assert bound == VAGUE_BUT_ALLOWED.keys()
    assert len(VAGUE_BUT_ALLOWED) <= 10


def test_a_template_binds_no_vague_name() -> None:
    """Placeholders of messages, as in `{% blocktranslate with shown=… %}`, are no names of code."""
    bound = {
        (str(file.relative_to(ROOT)), name)
        for file in (ROOT / "templates").rglob("*.*")
        for names in re.findall(
            r"\{% *(?:for ([\w, ]+?) in |with (\w+)=|include [^%]* with (\w+)=|[^%]* as (\w+) *%)",
            file.read_text(),
        )
        for name in re.findall(r"\w+", " ".join(names))
        if name in VAGUE
    }
    assert bound == set()
