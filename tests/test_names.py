"""The words of the code: docs/glossary.md lists them, and a class name has one meaning."""

import ast
import re
from collections import defaultdict
from pathlib import Path

import pytest

pytestmark = pytest.mark.once

ROOT = Path(__file__).parents[1]
GLOSSARY = (ROOT / "docs" / "glossary.md").read_text()
TERMS, ACCEPTED = (
    re.findall(r"^\| (?!term |class |-)(.+?) \| (.+) \|$", part, re.MULTILINE)
    for part in GLOSSARY.split("## Classes of one name")
)


def public_classes() -> dict[str, list[str]]:
    """Return the modules that define each public class of the product."""
    found = defaultdict(list)
    for package in ("leaderboard", "scorers"):
        for file in sorted((ROOT / package).rglob("*.py")):
            for node in ast.parse(file.read_text()).body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    found[node.name].append(str(file.relative_to(ROOT)))
    return found


def accepted() -> set[str]:
    """Return the class names that the glossary accepts in two modules."""
    return {name for names, _ in ACCEPTED for name in re.findall(r"`(\w+)`", names)}


def test_a_class_name_is_in_one_module() -> None:
    twice = {name: files for name, files in public_classes().items() if len(files) > 1}
    assert {name: twice[name] for name in twice.keys() - accepted()} == {}


def test_every_accepted_class_name_is_in_several_modules() -> None:
    there = public_classes()
    assert [name for name in accepted() if len(there[name]) < 2] == []


def test_the_glossary_is_short_and_each_term_has_one_sentence() -> None:
    assert 20 <= len(TERMS) <= 40
    assert len({term for term, _ in TERMS}) == len(TERMS)
    assert all(meaning and not meaning.endswith(".") for _, meaning in TERMS)
