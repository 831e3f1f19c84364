"""Configuring challenges over the API."""

from __future__ import annotations

import re
from typing import Any

from leaderboard.models import Challenge, Membership, Tenant, User
from tests.api.conftest import ME, Api, refused
from tests.helpers.phases import MAIN_PHASE

NEW = {"name": "Marathon", "scoring_strategy": "fastest"}


def test_a_challenge_is_created(organiser: Api) -> None:
    answer = organiser.post("challenges/", NEW)
    assert answer.status_code == 201
    body = answer.json()
    assert answer["Location"] == body["url"] == "/api/v1/challenges/marathon/"
    assert body == {
        "slug": "marathon",
        "name": "Marathon",
        "summary": "",
        "description": "",
        "goal": "",
        "dataset": "",
        "dataset_url": "",
        "dataset_revision": "",
        "license": "",
        "organisation": "",
        "tenant": "default",
        "phases": [MAIN_PHASE],
        "app_id": "",
        "workflow_id": "",
        "visibility": "public",
        "is_active": True,
        "is_draft": False,
        "is_embeddable": False,
        "scoring_strategy": "fastest",
        "scoring_plugin_id": "",
        "scoring_entrypoint": "",
        "scoring_config": {},
        "timeout_ms": 5000,
        "metrics": [],
        "tasks": [],
        "rewards": [],
        "split": None,
        "program": None,
        "prediction_metrics": [],
        "id_column": "",
        "targets": [],
        "prediction_kind": "values",
        "positive_label": "",
        "judged_rewards": [],
        "labels_per_attempt": 50,
        "labels_seed": "",
        "independent_unit": "cluster",
        "num_samples": None,
        "min_coverage": None,
        "unknown_tasks": "refuse",
        "text_metrics": [],
        "max_outputs": None,
        "text_timeout_ms": 600_000,
        "instances": None,
        "references_visibility": "organiser",
        "votes_from": "nobody",
        "review": "none",
        "decisions_needed": 1,
        "reviewers_decide": True,
        "disclose": "everyone",
        "evidence_visibility": "samples",
        "on_code_change": "warn",
        "code": "",
        "rank_by": [],
        "only_succeeded": False,
        "columns": [],
        "values": [],
        "meta_fields": [],
        "saved_views": "",
        "folds_families": False,
        "medals": "none",
        "counting": "best",
        "config_visibility": "public",
        "details_visibility": "auto",
        "scoring_version": 1,
        "shown_version": 1,
        "warnings": [],
        "created_at": body["created_at"],
        "url": body["url"],
        "html_url": "/c/marathon/",
    }
    assert organiser.get(body["url"]).json() == body


def test_a_direction_that_is_not_the_values_own_has_a_warning(organiser: Api) -> None:
    by = [{"key": "EDIT_DISTANCE"}, {"key": "cost_usd", "direction": "desc"}]
    fields = {"scoring_strategy": "metric", "text_metrics": ["EDIT_DISTANCE"], "rank_by": by}
    made = organiser.post("challenges/", {"name": "Edits", **fields}).json()
    assert made["rank_by"][0] == {"key": "EDIT_DISTANCE", "direction": "asc"}
    (warning,) = made["warnings"]
    assert "cost_usd" in warning
    assert organiser.patch(made["url"], made).json() == made, "sent back as it was read"


def test_every_field_is_stored(organiser: Api) -> None:
    fields = {
        "slug": "m-1",
        "name": "Marathon",
        "summary": "Long",
        "description": "# Very\n\nlong",
        "goal": "Arrive",
        "app_id": "app-1",
        "workflow_id": "wf-1",
        "visibility": "unlisted",
        "is_active": False,
        "scoring_strategy": "metric",
        "scoring_plugin_id": "none",
        "timeout_ms": 250,
        "metrics": [
            "pass@1",
            {"type": "mean", "name": "physics", "reward": "physics_reward", "failed": "exclude"},
        ],
        "tasks": [{"name": "task-1", "rewards": ["physics_reward"]}, {"name": "task-2"}],
        "num_samples": 3,
        "min_coverage": 0.9,
        "unknown_tasks": "keep",
        "rank_by": [
            {"key": "physics", "direction": "desc"},
            {"key": "solved", "direction": "asc"},
            {"key": "rating", "direction": "desc"},
            {"key": "cost_usd", "direction": "asc"},
        ],
        "only_succeeded": True,
        "columns": [{"key": "rating", "label": "Stars"}],
        "counting": "latest",
        "details_visibility": "organiser",
    }
    body = organiser.post("challenges/", fields).json()
    assert {name: body[name] for name in fields} == fields


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"name": None}, "name"),
    ({"name": "  "}, "name"),
    ({"name": "a\nb"}, "name"),
    ({"name": 5}, "name"),
    ({"name": "n" * 121}, "name"),
    ({"slug": "Not A Slug"}, "slug"),
    ({"scoring_strategy": "luck"}, "scoring_strategy"),
    ({"scoring_strategy": None}, "scoring_strategy"),
    ({"scoring_config": []}, "scoring_config"),
    ({"scoring_config": "{}"}, "scoring_config"),
    ({"timeout_ms": 0}, "timeout_ms"),
    ({"timeout_ms": True}, "timeout_ms"),
    ({"timeout_ms": 5000.0}, "timeout_ms"),
    ({"is_active": "yes"}, "is_active"),
    ({"is_active": 1}, "is_active"),
    ({"visibility": "hidden"}, "visibility"),
    ({"counting": "worst"}, "counting"),
    ({"details_visibility": "nobody"}, "details_visibility"),
    ({"rank_by": [{"key": "rating"}]}, "rank_by"),
    ({"rank_by": {}}, "rank_by"),
    ({"scoring_strategy": "metric", "rank_by": [{"key": "a\nb"}]}, "rank_by.0.key"),
    ({"scoring_strategy": "metric", "rank_by": [{"key": 5}]}, "rank_by.0.key"),
    ({"columns": [{"key": "rating", "label": ""}]}, "columns.0.label"),
    ({"columns": "rating"}, "columns"),
    ({"scoring_entrypoint": "os:system"}, "scoring_entrypoint"),
    ({"id": 5}, "id"),
    ({"scoring_version": 9}, "scoring_version"),
    ({"newest_config": 1}, "newest_config"),
    ({"board_version": 1}, "board_version"),
    ({"metrics": "mean"}, "metrics"),
    ({"metrics": None}, "metrics"),
    ({"metrics": ["nonsense"]}, "metrics.0.type"),
    ({"metrics": ["mean", "mean"]}, "metrics.1"),
    ({"metrics": ["mean", {"type": "mean", "name": "m", "failed": "?"}]}, "metrics.1.failed"),
    ({"tasks": {}}, "tasks"),
    ({"tasks": [{}]}, "tasks.0.name"),
    ({"tasks": [{"name": "a"}, {"name": "a"}]}, "tasks.1.name"),
    ({"tasks": [{"name": "a", "rewards": "b"}]}, "tasks.0.rewards"),
    ({"tasks": [{"name": "a", "colour": "b"}]}, "tasks.0.colour"),
    ({"num_samples": 0}, "num_samples"),
    ({"num_samples": 2.0}, "num_samples"),
    ({"min_coverage": 1.1}, "min_coverage"),
    ({"min_coverage": True}, "min_coverage"),
    ({"min_coverage": 0.5}, "min_coverage"),
    ({"unknown_tasks": "ignore"}, "unknown_tasks"),
    ({"tenant_id": 1}, "tenant_id"),
]


def test_a_wrong_field_is_refused(organiser: Api, sprint: Challenge) -> None:
    for change, field in WRONG:
        refused(organiser.post("challenges/", {**NEW, **change}), 400, "invalid", field)
    assert Challenge.objects.count() == 1


def test_the_error_for_an_unknown_field_lists_the_known_ones(
    organiser: Api, submitter: Api, sprint: Challenge
) -> None:
    answer = organiser.post("challenges/", {**NEW, "rankby": []})
    (text,) = refused(answer, 400, "invalid", "rankby")["fields"]["rankby"]
    assert "did you mean rank_by?" in text
    names = set(re.findall(r"\w+", text.partition("rank_by?")[2]))
    assert {"name", "slug", "rank_by", "metrics"} <= names
    assert "scoring_version" not in names
    wrong = {**ME, "metrics": {"succeded": True}, "samples": [{"tsk": "a"}]}
    fields = submitter.post("challenges/sprint/attempts/", wrong).json()["error"]["fields"]
    assert ": succeeded, tokens_total, " in fields["metrics.succeded"][0]
    assert '(task, sample, rewards, usage, error, run); got "tsk"' in fields["samples.0.tsk"][0]


def test_missing_required_fields_are_refused(organiser: Api) -> None:
    refused(organiser.post("challenges/", {}), 400, "invalid", "name", "scoring_strategy")


def test_a_challenge_is_changed(organiser: Api, sprint: Challenge) -> None:
    body = organiser.patch("challenges/sprint/", {"summary": "Short", "is_active": False}).json()
    assert (body["summary"], body["is_active"], body["scoring_version"]) == ("Short", False, 1)


def test_a_change_of_scoring_makes_a_new_version(
    organiser: Api, submitter: Api, sprint: Challenge
) -> None:
    submitter.post("challenges/sprint/attempts/", ME)
    body = organiser.patch("challenges/sprint/", {"counting": "latest"}).json()
    assert (body["counting"], body["scoring_version"], body["shown_version"]) == ("latest", 2, 1)


def test_only_a_challenge_without_attempts_can_be_deleted(
    organiser: Api, submitter: Api, sprint: Challenge
) -> None:
    organiser.post("challenges/", NEW)
    assert organiser.delete("challenges/marathon/").status_code == 204
    refused(organiser.get("challenges/marathon/"), 404, "not_found")
    submitter.post("challenges/sprint/attempts/", ME)
    refused(organiser.delete("challenges/sprint/"), 409, "conflict")


def test_a_challenge_is_rescored(organiser: Api, submitter: Api, sprint: Challenge) -> None:
    submitter.post("challenges/sprint/attempts/", ME)
    answer = organiser.send("post", "challenges/sprint/rescore/", b"")
    assert (answer.status_code, answer.json()) == (202, {"scoring_version": 2, "attempts": 1})


class TestTenant:
    def test_the_tenant_is_that_of_the_token(self, stranger: Api, default: Tenant) -> None:
        assert stranger.post("challenges/", NEW).json()["tenant"] == "acme"

    def test_another_tenant_is_refused(self, stranger: Api, default: Tenant) -> None:
        answer = stranger.post("challenges/", {**NEW, "tenant": "default"})
        refused(answer, 403, "permission_denied")

    def test_one_of_several_tenants_must_be_named(self, alice: User, acme: Tenant) -> None:
        Membership.objects.create(tenant=acme, user=alice, role="organiser")
        api = Api(user=alice)
        api.client.handler.enforce_csrf_checks = False
        error = refused(api.post("challenges/", NEW), 400, "invalid", "tenant")
        assert "you organise several" in error["message"]
        assert api.post("challenges/", {**NEW, "tenant": "acme"}).json()["tenant"] == "acme"


class TestList:
    def test_the_list_has_pages(self, anyone: Api, organiser: Api) -> None:
        for at in range(7):
            organiser.post("challenges/", {**NEW, "name": f"Race {at}"})
        slugs: list[str] = []
        cursor: str | None = ""
        while cursor is not None and len(slugs) < 10:
            body = anyone.get(f"challenges/?limit=3&cursor={cursor}").json()
            slugs += [challenge["slug"] for challenge in body["results"]]
            cursor = body["next"]
        assert slugs == [f"race-{at}" for at in range(7)]

    def test_the_list_can_be_filtered(self, anyone: Api, organiser: Api, sprint: Challenge) -> None:
        organiser.post("challenges/", {**NEW, "is_active": False, "summary": "42 km"})

        def slugs(query: str) -> list[str]:
            return [
                challenge["slug"]
                for challenge in anyone.get(f"challenges/?{query}").json()["results"]
            ]

        assert slugs("") == ["marathon", "sprint"]
        assert slugs("state=active") == ["sprint"]
        assert slugs("state=closed") == ["marathon"]
        assert slugs("search=KM") == ["marathon"]
        assert slugs("search=spri&state=closed") == []
        refused(anyone.get("challenges/?search=%00"), 400, "invalid", "search")


def test_a_change_of_metrics_or_tasks_makes_a_new_version(
    organiser: Api, sprint: Challenge
) -> None:
    changes: list[dict[str, Any]] = [
        {"metrics": ["mean"]},
        {"tasks": [{"name": "task-1"}]},
        {"num_samples": 2},
        {"min_coverage": 0.5},
        {"unknown_tasks": "keep"},
        {"num_samples": None, "min_coverage": None},
    ]
    for version, change in enumerate(changes, start=2):
        body = organiser.patch("challenges/sprint/", change).json()
        assert body["scoring_version"] == version
        assert {name: body[name] for name in change} == change


def test_a_challenge_may_have_ten_thousand_tasks(organiser: Api, sprint: Challenge) -> None:
    tasks = [{"name": f"a-task-{at}", "rewards": ["reward"]} for at in range(10_000)]
    answer = organiser.patch("challenges/sprint/", {"tasks": tasks})
    assert answer.status_code == 200, answer.content
    refused(organiser.patch("challenges/sprint/", {"summary": "s" * 2**21}), 413, "too_large")
