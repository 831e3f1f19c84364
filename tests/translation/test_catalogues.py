"""Catalogues have every text of the source, and the committed files are up to date."""

from __future__ import annotations

import ast
import gettext
import io
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import write_mo

from tests.translation.pseudo import LOCALE, ours, read, sources, translations
from tests.translation.stays_english import MARKS

pytestmark = pytest.mark.once

ROOT = Path(__file__).parents[2]
COPIED = ("leaderboard", "templates", "manage.py", "scorers")
CATALOGUES = sorted(LOCALE.glob("*/LC_MESSAGES/django.po"))
PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|\{[^{}]*\}|</?[a-z]+|&#?\w+;")


def entries(catalogue: Catalog) -> set[tuple[object, str | None]]:
    """Return what a translator sees: each text, or pair of texts, with its context."""
    return {(entry.id, entry.context) for entry in catalogue if entry.id}


def test_catalogues_are_up_to_date(tmp_path: Path) -> None:
    if not shutil.which("xgettext"):
        pytest.skip("xgettext is not on PATH: apt-get install gettext")
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, tmp_path)
    environment = {"DATA_DIR": str(tmp_path), "PATH": "/usr/bin:/bin", "DEBUG": "1"}
    command = [sys.executable, "manage.py", "makemessages"]
    made = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert made.returncode == 0, made.stderr
    for committed in CATALOGUES:
        fresh = entries(read(tmp_path / committed.relative_to(ROOT)))
        committed_entries = entries(read(committed))
        assert committed_entries - fresh == set(), "no longer in the source: run `make messages`"
        assert fresh - committed_entries == set(), "not in the catalogue: run `make messages`"


def test_the_compiled_catalogue_matches_its_source() -> None:
    for path in CATALOGUES:
        buffer = io.BytesIO()
        write_mo(buffer, translated(read(path)))
        buffer.seek(0)
        with path.with_suffix(".mo").open("rb") as file:
            assert texts(gettext.GNUTranslations(file)) == texts(gettext.GNUTranslations(buffer)), (
                path
            )


def translated(catalogue: Catalog) -> Catalog:
    """Return the entries that have translations: Babel would compile plurals of the source."""
    with_translations = Catalog(locale=catalogue.locale)
    for entry in catalogue:
        if entry.id and all(translations(entry)):
            with_translations.add(entry.id, entry.string, context=entry.context, flags=entry.flags)
    return with_translations


def texts(compiled: gettext.GNUTranslations) -> dict[object, str]:
    """Return the texts of a compiled catalogue, without its header."""
    catalogue: dict[object, str] = compiled._catalog  # type: ignore[attr-defined]
    return {key: text for key, text in catalogue.items() if key != ""}


def test_translations_are_complete() -> None:
    """No translation is empty or fuzzy."""
    for path in CATALOGUES:
        catalogue = read(path)
        assert [entry.id for entry in catalogue if entry.fuzzy and entry.id] == [], path
        assert [entry.id for entry in catalogue if entry.id and not all(translations(entry))] == []
        differ = [
            entry.id
            for entry in catalogue
            if entry.id and all(translations(entry)) and not keeps_placeholders(entry)
        ]
        assert differ == [], path


def keeps_placeholders(entry: Message) -> bool:
    """Whether each form of a translation has the placeholders of its source.

    A form of one number may omit the number, where the English singular does.
    """
    first, *further = [placeholders(text) for text in translations(entry)]
    singular, plural = placeholders(sources(entry)[0]), placeholders(sources(entry)[-1])
    return first in (singular, plural) and all(form == plural for form in further)


def placeholders(text: str) -> set[str]:
    return set(PLACEHOLDER.findall(text))


def test_every_marked_text_of_the_code_is_in_the_catalogue() -> None:
    """xgettext sees no call inside an f-string."""
    in_catalogue = {text for entry in read(ours()) if entry.id for text in sources(entry)}
    paths = (ROOT / "leaderboard").rglob("*.py")
    in_code = {text for path in paths for text in marked_texts(path.read_text())}
    assert len(in_code) > 1000
    assert in_code - in_catalogue == set()
    assert list(marked_texts("f\"{_('a')}\" + ngettext('b', 'c', 1) + message(d)")) == [
        "b",
        "c",
        "a",
    ]


def marked_texts(source: str) -> Iterator[str]:
    """The literals of calls that mark a text, without contexts."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and (name := getattr(node.func, "id", "")) in MARKS:
            texts = node.args[1:2] if name.startswith("pgettext") else node.args[:2]
            values = [text.value for text in texts if isinstance(text, ast.Constant)]
            yield from (value for value in values if isinstance(value, str))


def test_a_plural_has_the_placeholders_of_its_singular() -> None:
    pairs = [sources(entry) for entry in read(ours()) if entry.pluralizable]
    assert pairs
    differ = [
        singular for singular, plural in pairs if not placeholders(singular) <= placeholders(plural)
    ]
    assert differ == []


def test_no_text_is_joined_from_pieces() -> None:
    """A placeholder has a name, so a translator can move it; no text begins or ends with a
    space."""
    texts = [text for entry in read(ours()) if entry.id for text in sources(entry)]
    assert [text for text in texts if re.search(r"\{\}|%[sd]", text)] == []
    assert [text for text in texts if text != text.strip()] == []
