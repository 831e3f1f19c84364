"""The words of the code: docs/glossary.md lists them, and a public name has one meaning."""

import ast
import re
from collections import defaultdict
from pathlib import Path

import pytest

pytestmark = pytest.mark.once

ROOT = Path(__file__).parents[1]
GLOSSARY = (ROOT / "docs" / "glossary.md").read_text()
CLASSES = GLOSSARY.partition("## Classes of one name")[2]
ACCEPTED = re.findall(r"^\| (?!class |-)(.+?) \| (.+) \|$", CLASSES, re.MULTILINE)
IN_CAPITALS = re.compile(r"[A-Z]\w*[a-z]\w*")
"""The name of a class or of a type alias: `RewardCell`, in contrast to `MAX_CELLS`."""


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
    found = defaultdict(list)
    for package in ("leaderboard", "scorers"):
        for file in sorted((ROOT / package).rglob("*.py")):
            for node in ast.parse(file.read_text()).body:
                for name in names_of(node):
                    if not name.startswith("_"):
                        found[name].append(str(file.relative_to(ROOT)))
    return found


def accepted() -> set[str]:
    """Return the names that the glossary accepts in two modules."""
    return {name for names, _ in ACCEPTED for name in re.findall(r"`(\w+)`", names)}


def test_a_public_class_or_alias_is_in_one_module() -> None:
    twice = {name: files for name, files in public_names().items() if len(files) > 1}
    assert {name: twice[name] for name in twice.keys() - accepted()} == {}


def test_every_accepted_name_is_in_several_modules() -> None:
    there = public_names()
    assert [name for name in accepted() if len(there[name]) < 2] == []


def test_a_dict_of_anything_has_a_named_kind() -> None:
    """`rules/json/open_dicts.py` names the dicts that cannot be typed, with the reasons."""
    found = {
        str(file.relative_to(ROOT)): file.read_text().count("dict[str, Any]")
        for file in (ROOT / "leaderboard").rglob("*.py")
        if "migrations" not in file.parts
    }
    assert {file: count for file, count in found.items() if count} == {
        # A child of the sandbox has this class as the facts of plugins, and imports no rules.
        "leaderboard/sandbox/child/facts.py": 1,
        "leaderboard/rules/json/open_dicts.py": len(open_dicts()) + 1,
    }


def open_dicts() -> list[str]:
    source = (ROOT / "leaderboard/rules/json/open_dicts.py").read_text()
    return re.findall(r"^(\w+) = dict\[str, Any\]$", source, re.MULTILINE)
