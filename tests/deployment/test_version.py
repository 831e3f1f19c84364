"""After an upgrade, no reader gets a page or an answer of the version before."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client

from leaderboard import version
from leaderboard.models import Challenge, Tenant, User
from leaderboard.services.attempts.submit import NewAttempt, submit_attempt
from leaderboard.services.challenges.challenges import create_challenge
from leaderboard.services.scoring import single
from tests.people import bob, tenant

__all__ = ["bob", "tenant"]

CONDITIONAL = (
    "/c/sprint/",
    "/api/v1/challenges/sprint/leaderboard/",
    "/api/v1/challenges/sprint/leaderboard.csv",
    "/api/v1/challenges/sprint/leaderboard.jsonl",
    "/api/v1/challenges/sprint/standings/atlas/",
)


@pytest.fixture
def sprint(tenant: Tenant, bob: User) -> Challenge:
    fields = {"name": "Sprint", "slug": "sprint", "scoring_strategy": "fastest"}
    challenge = create_challenge(tenant=tenant, user=None, fields=fields)
    new = NewAttempt(participant="atlas", metrics={"succeeded": True, "elapsed_ms": 5})
    submit_attempt(challenge=challenge, user=bob, new=new)
    single.score_waiting()
    return challenge


@pytest.mark.django_db
def test_an_upgrade_invalidates_etags(
    client: Client, sprint: Challenge, monkeypatch: pytest.MonkeyPatch
) -> None:
    etags = {path: client.get(path).headers["ETag"] for path in CONDITIONAL}
    for path, etag in etags.items():
        assert client.get(path, headers={"if-none-match": etag}).status_code == 304, path
    monkeypatch.setattr(version, "build", lambda: "another")
    for path, etag in etags.items():
        response = client.get(path, headers={"if-none-match": etag})
        assert response.status_code == 200, path
        assert response.headers["ETag"] != etag, path


def test_a_build_depends_on_its_version_and_files(tmp_path: Path) -> None:
    Path(tmp_path, "pages").mkdir()
    page = Path(tmp_path, "pages", "board.html")
    page.write_text("old")
    before = version.build_of("1.0", tmp_path)
    assert version.build_of("1.0", tmp_path) == before
    assert version.build_of("1.1", tmp_path) != before
    Path(tmp_path, "board.pyc").write_text("no answer depends on it")
    assert version.build_of("1.0", tmp_path) == before
    page.write_text("new")
    changed = version.build_of("1.0", tmp_path)
    page.rename(Path(tmp_path, "board.html"))
    assert len({before, changed, version.build_of("1.0", tmp_path)}) == 3


def test_code_templates_and_assets_are_part_of_the_build(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    paths: list[str] = []
    monkeypatch.setattr(version, "build_of", lambda _, *folders: paths.extend(map(str, folders)))
    version.build.__wrapped__()
    assert [Path(path).name for path in paths] == ["leaderboard", "templates", "static"]
    assert all(Path(path).is_dir() for path in paths)
