"""The admin is in German throughout, also where Django itself has no German."""

from __future__ import annotations

import re
from pathlib import Path

import django
import pytest
from babel.messages.pofile import read_po
from django.utils import translation

PLACEHOLDER = re.compile(r"%\(\w+\)s")
CONTRIB = Path(django.__file__).parent / "contrib"


def sources(app: str) -> list[str]:
    """The texts of an app of Django; of one with a plural, the singular."""
    with (CONTRIB / app / "locale/en/LC_MESSAGES/django.po").open("rb") as file:
        ids = [(entry.id, entry.context) for entry in read_po(file) if entry.id]
    plain = [
        message_id for message_id, context in ids if isinstance(message_id, str) and context is None
    ]
    # Our catalogue holds no text with a placeholder that has no name.
    return [text for text in plain if "%s" not in text]


@pytest.mark.parametrize("app", ["admin", "auth"])
def test_each_text_of_django_has_german(app: str) -> None:
    texts = sources(app)
    assert len(texts) > 50
    with translation.override("de"):
        same = {text for text in texts if translation.gettext(text) == text}
    # A single word, such as “Name”, may be the same in German.
    assert {text for text in same if len(PLACEHOLDER.sub("", text).split()) > 1} == set()
    assert not {"Disabled", "Enabled"} & same
