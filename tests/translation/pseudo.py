"""A language for tests: every translated text is in ⟦…⟧, accented and about a third longer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import django
from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

LANGUAGE = "en-xa"
FOLDER = "en_XA"
LOCALE = Path(__file__).parents[2] / "leaderboard" / "locale"
OPEN, CLOSE = "⟦", "⟧"
KEPT = re.compile(r"(%\(\w+\)[sd]|%%|%[sd]|\{[^{}]*\}|<[^<>]*>|&#?\w+;)")
"""Placeholders, elements and entities, which no translation changes."""
ACCENTED = str.maketrans("aeiouyAEIOUY", "áéíóúýÁÉÍÓÚÝ")


def pseudo(text: str) -> str:
    """Translate a text: `Page {number}` becomes `⟦Págé {number}~~⟧`."""
    parts = KEPT.split(text)
    parts[::2] = [part.translate(ACCENTED) for part in parts[::2]]
    letters = sum(map(len, parts[::2]))
    begin, end = re.match(r"\n*", text), re.search(r"\n*$", text)
    inner = "".join(parts).strip("\n")
    before, after = begin[0] if begin else "", end[0] if end else ""
    return f"{before}{OPEN}{inner}{'~' * (letters // 3)}{CLOSE}{after}"


def read(path: Path) -> Catalog:
    with path.open("rb") as file:
        return read_po(file)


def ours() -> Path:
    """Return the path of a catalogue with all of our texts."""
    return LOCALE / "de" / "LC_MESSAGES" / "django.po"


def _djangos() -> Iterator[Path]:
    """Yield the paths of Django's catalogues: of forms, of the admin and of authentication."""
    yield from sorted(Path(django.__file__).parent.rglob("locale/en/LC_MESSAGES/django.po"))


def pseudo_catalogue() -> Catalog:
    """Return a catalogue of our texts and Django's."""
    made = Catalog(locale="en")
    for path in (*_djangos(), ours()):
        for entry in read(path):
            if entry.id:
                made.add(entry.id, _translation(entry), context=entry.context, flags=entry.flags)
    return made


def sources(entry: Message) -> list[str]:
    """Return the text of an entry, or its singular and plural."""
    return [entry.id] if isinstance(entry.id, str) else list(entry.id)


def translations(entry: Message) -> list[str]:
    """Return each form of an entry's translation, "" where there is none."""
    if entry.string is None:
        return [""]
    return [entry.string] if isinstance(entry.string, str) else list(entry.string)


def _translation(entry: Message) -> Any:
    if entry.pluralizable:
        return tuple(pseudo(form) for form in entry.id)
    return _dates_stay(entry)


def _dates_stay(entry: Message) -> str:
    """Return the translation of an entry; date formats of Django's admin stay as they are."""
    text = str(entry.id)
    return text if entry.context and "format" in entry.context else pseudo(text)


def write(folder: Path) -> Path:
    """Write the compiled language below `folder`, which is then one of LOCALE_PATHS."""
    target = folder / FOLDER / "LC_MESSAGES" / "django.mo"
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("wb") as file:
        write_mo(file, pseudo_catalogue())
    return folder
