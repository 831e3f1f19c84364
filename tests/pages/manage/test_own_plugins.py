"""Organisers upload plugins for their challenge in a browser."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.conf import LazySettings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from leaderboard.models import Challenge
from tests.pages.reading import get, words

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("contexts")]
PAGE = "/c/sprint/manage/plugins/"
SCORER = b"""
class Mine:
    "Counts nothing."
    def score(self, metrics, config, ctx):
        return {"score": 1}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, settings: LazySettings) -> None:
    settings.MEDIA_ROOT = tmp_path


def upload(client: Client, name: str, content: bytes) -> int:
    file = SimpleUploadedFile(name, content)
    return client.post(PAGE, {"action": "upload", "file": file}).status_code


def test_plugins_are_uploaded_described_and_removed(
    sprint: Challenge, as_ann: Client, as_ben: Client, settings: LazySettings
) -> None:
    assert upload(as_ann, "mine.txt", SCORER) == 422
    assert upload(as_ben, "mine.py", SCORER) in (403, 404)
    assert not sprint.files.exists()
    assert upload(as_ann, "broken.py", b"1 / 0") == 302
    assert "ZeroDivisionError" in get(as_ann, PAGE)
    assert upload(as_ann, "mine.py", SCORER) == 302
    assert "Counts nothing." in words(get(as_ann, PAGE))
    assert "challenge.mine:Mine" in get(as_ann, "/c/sprint/manage/rules/")
    settings.CHALLENGE_CODE = False
    assert 'type="file"' not in get(as_ann, PAGE)
    assert as_ann.post(PAGE, {"action": "remove"}).status_code == 302
    assert not sprint.files.exists()
