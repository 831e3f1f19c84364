from __future__ import annotations

from typing import Any

import pytest
from django.utils import translation

from leaderboard.models import Challenge, ScoringConfig, Tenant
from leaderboard.sandbox import ConfigCheck, PluginDescription
from leaderboard.services.challenges import scoring_configs
from leaderboard.services.challenges.challenges import (
    change_challenge,
    create_challenge,
    delete_challenge,
)
from leaderboard.services.plugins import sandboxes
from tests.services.conftest import Submit
from tests.services.refusals import check_refusals, refusal

WEIGHTED = {
    "name": "Escape",
    "scoring_strategy": "custom",
    "scoring_entrypoint": "services.scorers.weighted:WeightedScorer",
    "scoring_config": {"rating_weight": 15.0},
}


def test_a_new_challenge_has_a_first_config(tenant: Tenant) -> None:
    challenge = create_challenge(tenant=tenant, user=None, fields=WEIGHTED)
    assert challenge.slug == "escape"
    assert challenge.newest == challenge.shown
    assert challenge.shown.number == 1
    assert challenge.shown.entrypoint == "scorers.weighted:WeightedScorer"
    assert challenge.shown.public_details
    assert challenge.shown.timeout_ms == 5000


def test_errors_name_the_wrong_fields(tenant: Tenant) -> None:
    by_metric = {"scoring_strategy": "metric"}
    cases: list[tuple[dict[str, Any], str]] = [
        ({"scoring_strategy": "bad luck"}, "scoring_strategy"),
        ({"scoring_strategy": "custom", "scoring_entrypoint": ""}, "scoring_entrypoint"),
        ({"scoring_entrypoint": "os:system"}, "scoring_entrypoint"),
        ({"scoring_entrypoint": "scorers.weighted:Nobody"}, "scoring_entrypoint"),
        ({"scoring_entrypoint": "scorers.nothing:Nobody"}, "scoring_entrypoint"),
        ({"scoring_config": {"bonus": 1}}, "scoring_config.bonus"),
        ({"scoring_config": {"success_bonus": "many"}}, "scoring_config.success_bonus"),
        ({"timeout_ms": 0}, "timeout_ms"),
        ({"timeout_ms": True}, "timeout_ms"),
        ({"counting": "average"}, "counting"),
        ({"rank_by": [{"key": "rating"}]}, "rank_by"),
        (by_metric, "rank_by"),
        (by_metric | {"rank_by": [{"key": "bad luck"}]}, "rank_by.0.key"),
        (by_metric | {"rank_by": [{"key": "rating", "direction": "up"}]}, "rank_by.0.direction"),
        ({"slug": "Not A Slug"}, "slug"),
        ({"columns": [{"key": "bad luck"}]}, "columns.0.key"),
    ]
    check_refusals(
        lambda fields: create_challenge(tenant=tenant, user=None, fields={**WEIGHTED, **fields}),
        cases,
    )
    assert not Challenge.objects.exists()


def test_errors_of_a_plugin_are_in_the_language_of_the_reader(tenant: Tenant) -> None:
    fields = {**WEIGHTED, "scoring_config": {"success_bonus": "many"}}
    with translation.override("de"):
        error = refusal(lambda: create_challenge(tenant=tenant, user=None, fields=fields))
        (text,) = error.fields["scoring_config.success_bonus"]
        assert "Zahl" in text
        assert error.message == f"scoring_config.success_bonus: {text}"


def test_only_a_change_of_scoring_makes_a_new_config(sprint: Challenge, submit: Submit) -> None:
    submit(sprint, "atlas", elapsed_ms=1)
    same = change_challenge(
        sprint, user=None, fields={"summary": "Run.", "scoring_strategy": "fastest"}
    )
    assert same.newest.number == 1
    changed = change_challenge(sprint, user=None, fields={"timeout_ms": 100})
    assert (changed.newest.number, changed.shown.number) == (2, 1)
    assert ScoringConfig.objects.get(number=1).timeout_ms == 5000


def test_without_attempts_the_board_shows_a_change_at_once(sprint: Challenge) -> None:
    changed = change_challenge(sprint, user=None, fields={"scoring_strategy": "first"})
    assert changed.shown.number == changed.newest.number == 2


def test_a_change_increases_the_board_version(sprint: Challenge) -> None:
    before = sprint.board_version
    assert change_challenge(sprint, user=None, fields={"name": "Dash"}).board_version > before


def test_attempts_are_never_deleted(sprint: Challenge, submit: Submit) -> None:
    attempt = submit(sprint, "atlas", elapsed_ms=1)
    refusal(lambda: delete_challenge(sprint))
    attempt.delete()
    delete_challenge(sprint)
    assert not Challenge.objects.exists()


def test_installed_packages_offer_scorers(tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only classes named by an entry point: other classes of the package may not be used."""
    asked: list[str] = []

    def describe(entrypoint: str) -> PluginDescription:
        asked.append(entrypoint)
        return PluginDescription(entrypoint)

    monkeypatch.setattr(
        scoring_configs, "installed_entrypoints", lambda: frozenset({"theirs:Offered"})
    )
    monkeypatch.setattr(sandboxes, "describe", describe)
    monkeypatch.setattr(
        sandboxes, "check_config", lambda entrypoint, config: ConfigCheck({}, config)
    )
    offered = {**WEIGHTED, "scoring_entrypoint": "theirs:Offered"}
    challenge = create_challenge(tenant=tenant, user=None, fields=offered)
    assert challenge.newest.entrypoint == "theirs:Offered"
    other = {**offered, "scoring_entrypoint": "theirs:Other"}
    error = refusal(lambda: create_challenge(tenant=tenant, user=None, fields=other))
    assert list(error.fields) == ["scoring_entrypoint"]
    assert asked == ["theirs:Offered"]


def test_the_second_of_two_concurrent_changes_is_refused(tenant: Tenant) -> None:
    challenge = create_challenge(tenant=tenant, user=None, fields=WEIGHTED)
    late = Challenge.objects.select_related("newest_config").get(pk=challenge.pk)
    change_challenge(challenge, user=None, fields={"counting": "latest"})
    fields = {"timeout_ms": 1, "summary": "Late"}
    assert refusal(lambda: change_challenge(late, user=None, fields=fields)).code == "conflict"
    late = Challenge.objects.get(pk=challenge.pk)
    assert (late.newest.number, late.newest.timeout_ms, late.summary) == (2, 5000, "")
