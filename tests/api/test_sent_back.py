"""The answer of GET for a challenge can be sent back by PATCH, and creates another by POST."""

from __future__ import annotations

from typing import Any

import pytest

from leaderboard.api.sent_back import READ_ONLY
from leaderboard.management.demo import load_demo
from leaderboard.models import Challenge, ScoringConfig, Tenant
from leaderboard.rules.json.canonical import same_value
from tests.api.conftest import Api, refused

pytestmark = pytest.mark.django_db


@pytest.fixture
def demo(organiser: Api, default: Tenant, notifications: list[Any]) -> list[str]:
    """Return the URLs of the demo's challenges, one of them private."""
    load_demo()
    Challenge.objects.filter(slug="prompt-escape").update(visibility="private")
    return [f"challenges/{challenge.slug}/" for challenge in Challenge.objects.all()]


def test_every_challenge_of_the_demo_can_be_sent_back(organiser: Api, demo: list[str]) -> None:
    assert len(demo) >= 8
    before = list(Challenge.objects.order_by("pk").values())
    configs = ScoringConfig.objects.count()
    for path in demo:
        read = organiser.get(path).json()
        answer = organiser.patch(path, read)
        assert answer.status_code == 200, (path, answer.content)
        assert answer.json() == read
    assert ScoringConfig.objects.count() == configs
    assert list(Challenge.objects.order_by("pk").values()) == before


def test_one_field_changes_if_the_others_are_sent_back(organiser: Api, demo: list[str]) -> None:
    for path in demo:
        read = organiser.get(path).json()
        changed = organiser.patch(path, {**read, "summary": "New"}).json()
        assert changed == {**read, "summary": "New"}
        changed = organiser.patch(path, {**changed, "counting": "latest"}).json()
        assert changed["scoring_version"] == read["scoring_version"] + 1
        assert changed["counting"] == "latest"


def test_every_challenge_of_the_demo_can_be_copied(organiser: Api, demo: list[str]) -> None:
    own = {"slug", "url", "html_url", "created_at", "instances", "shown_version"}
    own |= {"scoring_version", "name"}
    for path in demo:
        read = organiser.get(path).json()
        body = {**read, "slug": f"{read['slug']}-copy"}
        if read["program"]:
            refused(organiser.post("challenges/", body), 400, "invalid", "program")
            continue
        if read["instances"]:
            refused(organiser.post("challenges/", body), 400, "invalid", "instances")
            del body["instances"]
        answer = organiser.post("challenges/", body)
        assert answer.status_code == 201, (path, answer.content)
        made = answer.json()
        assert made["instances"] is None
        assert {name: made[name] for name in made if name not in own} == {
            name: read[name] for name in read if name not in own
        }


def test_a_changed_read_only_field_is_refused(organiser: Api, sprint: Challenge) -> None:
    read = organiser.get("challenges/sprint/").json()
    values: list[Any] = [9, "acme", None, True, [], {"a": 1}]
    for field in (*READ_ONLY, "tenant"):
        for value in values:
            if value in (None, []) and read[field] == value:
                continue
            answer = organiser.patch("challenges/sprint/", {**read, field: value})
            error = refused(answer, 400, "invalid", field)
            assert list(error["fields"]) == [field]
            assert f"{read[field]!r} or left out; got {value!r}" in error["message"]
    assert Challenge.objects.get().newest.number == 1


def test_errors_name_several_read_only_fields(organiser: Api, sprint: Challenge) -> None:
    answer = organiser.patch("challenges/sprint/", {"url": "/", "scoring_version": 5})
    refused(answer, 400, "invalid", "scoring_version", "url")


def test_an_empty_change_changes_nothing(organiser: Api, sprint: Challenge) -> None:
    version = Challenge.objects.get().board_version
    bodies: list[dict[str, Any]] = [{}, organiser.get("challenges/sprint/").json()]
    for body in bodies:
        assert organiser.patch("challenges/sprint/", body).status_code == 200
    assert Challenge.objects.get().board_version == version


def test_another_type_in_a_config_is_a_change(organiser: Api) -> None:
    fields = {
        "name": "Own",
        "scoring_strategy": "custom",
        "scoring_entrypoint": "scorers.weighted:WeightedScorer",
        "scoring_config": {"success_bonus": 100},
    }
    body = organiser.post("challenges/", fields).json()
    body["scoring_config"] = {"success_bonus": 100.0}
    assert organiser.patch(body["url"], body).json()["scoring_version"] == 1
    body["scoring_config"] = {"success_bonus": 99}
    assert organiser.patch(body["url"], body).json()["scoring_version"] == 2


class TestCopies:
    def test_without_a_url_read_only_fields_are_refused(
        self, organiser: Api, sprint: Challenge
    ) -> None:
        body = {"name": "Other", "scoring_strategy": "first", "scoring_version": 1}
        error = refused(organiser.post("challenges/", body), 400, "invalid", "scoring_version")
        assert "must be left out" in error["fields"]["scoring_version"][0]

    def test_changed_read_only_fields_of_a_copy_are_refused(
        self, organiser: Api, sprint: Challenge
    ) -> None:
        read = organiser.get("challenges/sprint/").json()
        body = {**read, "slug": "other", "scoring_version": 7}
        refused(organiser.post("challenges/", body), 400, "invalid", "scoring_version")

    def test_a_copy_needs_another_slug(self, organiser: Api, sprint: Challenge) -> None:
        read = organiser.get("challenges/sprint/").json()
        refused(organiser.post("challenges/", read), 409, "conflict", "slug")
        del read["slug"]
        assert organiser.post("challenges/", read).json()["slug"] == "sprint-2"

    def test_a_copy_of_a_hidden_challenge_reveals_nothing(
        self, stranger: Api, secret: Challenge
    ) -> None:
        answers = [
            stranger.post(
                "challenges/",
                {
                    "name": "Spy",
                    "scoring_strategy": "first",
                    "url": f"/api/v1/challenges/{slug}/",
                    "scoring_version": 2,
                },
            ).json()["error"]
            for slug in ("secret", "nowhere")
        ]
        texts = [str(answer).replace("nowhere", "secret") for answer in answers]
        assert texts[0] == texts[1]


def test_values_are_compared_with_their_types() -> None:
    for one, other, same in (
        (1, 1.0, True),
        (1, True, False),
        (0, False, False),
        (None, False, False),
        ({"a": [1, {"b": 2}]}, {"a": [1.0, {"b": 2.0}]}, True),
        ({"a": [1]}, {"a": [True]}, False),
        ({"a": 1}, {"a": 1, "b": None}, False),
        ([1], [1, 2], False),
        ("1", 1, False),
        ([], {}, False),
    ):
        assert same_value(one, other) is same, (one, other)
