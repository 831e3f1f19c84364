"""The pictures of the documentation exist, are small, and say in words what they show."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.helpers.pictures import FOLDER, LATER, MOST_BYTES, PICTURES
from tests.processes import ROOT

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
PICTURE = re.compile(r"!\[([^\]]*)\]\(([^)]+)\)")


def pictures_of_pages() -> list[tuple[Path, str, Path]]:
    """Return the pictures of all pages: the page, the text, and the file."""
    return [
        (page, text, (page.parent / path).resolve())
        for page in PAGES
        for text, path in PICTURE.findall(page.read_text())
    ]


@pytest.mark.parametrize(("page", "text", "file"), pictures_of_pages())
def test_a_picture_is_there_with_words(page: Path, text: str, file: Path) -> None:
    assert file.is_file(), f"{page.name} shows {file.name}"
    assert file.stat().st_size <= MOST_BYTES
    assert len(text.split()) >= 4


def test_every_picture_is_shown_and_can_be_taken_again() -> None:
    stored = {path.name for path in FOLDER.iterdir()}
    assert stored == {file.name for _page, _text, file in pictures_of_pages()}
    assert stored == {f"{picture.name}.webp" for picture in (*PICTURES, *LATER)}
