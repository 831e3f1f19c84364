"""Organisers upload plugins for their challenge in a browser."""

from __future__ import annotations

import pytest
from django.conf import LazySettings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from leaderboard.models import Challenge, ChallengeFile, ChallengeRole, User
from tests.pages.conftest import Make
from tests.pages.reading import get, words
from tests.services.challenge_code.conftest import LONGEST, SHORT
from tests.services.programs.conftest import zipped

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("contexts", "own_folder")]
PAGE = "/c/sprint/manage/plugins/"
SCORER = b"""
class Mine:
    "Counts nothing."
    def score(self, metrics, config, ctx):
        return {"score": 1}
"""


def upload(client: Client, name: str, content: bytes) -> int:
    file = SimpleUploadedFile(name, content)
    return client.post(PAGE, {"action": "upload", "file": file}).status_code


@pytest.mark.slow
def test_plugins_are_tried_where_they_are_uploaded(
    sprint: Challenge, as_ann: Client, as_ben: Client
) -> None:
    files = {"mine.py": SCORER.decode(), "metrics/longest.py": LONGEST, "text/short.py": SHORT}
    assert upload(as_ann, "own.zip", zipped(files)) == 302
    for entrypoint, sent, value in (
        ("challenge.mine:Mine", {"values": "{}"}, "1.00"),
        ("challenge.metrics.longest:Longest", {"rewards": "1 0"}, "7"),
        ("challenge.text.short:Short", {"output": "a"}, "0.5"),
    ):
        page = f"{PAGE}?try={entrypoint}"
        assert f"?try={entrypoint}" in get(as_ann, PAGE).replace("%3A", ":")
        answer = as_ann.post(page, {"action": "try", **sent})
        assert answer.status_code == 200, entrypoint
        trial_text = words(answer.content.decode().partition('class="trial-result"')[2])
        assert value in trial_text, (entrypoint, trial_text[:300])
    assert as_ben.get(page).status_code in (403, 404)


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
    tried = as_ann.post(f"{PAGE}?try=challenge.mine:Mine", {"action": "try", "values": "{}"})
    assert "1.00" in tried.content.decode().partition('class="trial-result"')[2]
    settings.CHALLENGE_CODE = False
    assert 'type="file"' not in get(as_ann, PAGE)
    assert as_ann.post(PAGE, {"action": "remove"}).status_code == 302
    assert not sprint.files.exists()


def test_plugins_of_other_challenges_are_taken_over_and_replaced_too(
    sprint: Challenge, make: Make, as_ann: Client, ben: User, as_ben: Client
) -> None:
    secret = make("Secret")

    def digests() -> set[str]:
        return set(ChallengeFile.objects.filter(role="plugins").values_list("sha256", flat=True))

    other = f"/c/{secret.slug}/manage/plugins/"
    ChallengeRole.objects.create(challenge=secret, user=ben, role="organiser")
    assert upload(as_ann, "mine.py", SCORER) == 302
    (before,) = digests()
    assert 'value="sprint"' not in get(as_ben, other)
    take = {"action": "upload", "source": "sprint"}
    assert as_ben.post(other, take).status_code == 422
    assert before[:12] in get(as_ann, other)
    assert as_ann.post(other, take).status_code == 302
    assert secret.files.get().sha256 == before
    ticked = {"action": "upload", "also": "sprint"}
    for client, status in ((as_ben, 422), (as_ann, 302)):
        page = get(client, other)
        assert ('name="also"' in page) is (status == 302)
        file = SimpleUploadedFile("new.py", SCORER + b"#")
        assert client.post(other, {**ticked, "file": file}).status_code == status
        assert (digests() == {before}) is (status == 422)
    assert len(digests()) == 1
