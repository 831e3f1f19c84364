"""SCORER_TENANTS: which tenants may use a plugin, checked when challenges are saved and scored."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import override_settings

from leaderboard.models import Membership, Score, Tenant, User
from leaderboard.services.challenges.challenges import create_challenge
from leaderboard.services.errors import ServiceError
from leaderboard.services.plugins import sandboxes
from leaderboard.services.plugins.descriptions import known_scorers
from leaderboard.services.plugins.metric_registry import known_metrics, why_unknown
from leaderboard.services.plugins.tenants import may_use, of_everybody, visible_plugins
from leaderboard.services.plugins.text_metrics import (
    UnknownTextMetric,
    find_text_metric,
    known_text_metrics,
)
from leaderboard.services.scoring import single
from leaderboard.services.scoring.trials import try_text_metric
from tests.plugin_files import folder_with, plugins
from tests.services.conftest import Bring, Submit
from tests.services.evaluation.text import document

FILES = {
    "acme/__init__.py": "",
    "acme/five.py": "class Five:\n    def score(self, metrics, config, ctx):\n"
    "        return {'score': 5}\n",
    "acme/metrics.py": "class Longest:\n    name = 'longest'\n    over = 'samples'\n"
    "    direction = 'desc'\n    def compute(self, task_rewards):\n        return 1.0\n",
    "acme/text.py": "class Short:\n    id = 'SHORT'\n    averaged = True\n    supervised = False\n"
    "    def evaluate(self, instances, parameters):\n"
    "        return {'score': {'short': 1.0}, 'results': [1.0 for _ in instances]}\n",
}
BORROWS = """
class Borrows:
    id = "BORROWS"
    supervised = False
    defaults = {"theirs": False, "nobodys": False}
    variants = {"theirs": "SHORT", "nobodys": "NOTHING"}
    def evaluate(self, instances, parameters): return {"score": {"own": 2.0}}
"""
FIVE = {"name": "Five", "scoring_strategy": "custom", "scoring_entrypoint": "acme.five:Five"}
LONGEST = {
    "name": "Long",
    "scoring_strategy": "metric",
    "metrics": ["longest"],
    "rank_by": [{"key": "longest"}],
}
SHORT = {
    "name": "Short",
    "scoring_strategy": "metric",
    "text_metrics": ["SHORT"],
    "rank_by": [{"key": "SHORT"}],
}


@pytest.fixture
def folder() -> Iterator[Path]:
    with folder_with(FILES) as folder, plugins(folder, "acme"):
        yield folder


def belonging_to(**owners: str) -> Any:
    sandboxes.close_sandboxes()
    tenants = {name: frozenset({slug}) for name, slug in owners.items()}
    return override_settings(SCORER_TENANTS=tenants)


@pytest.mark.parametrize("fields", [FIVE, LONGEST, SHORT], ids=["scorer", "metric", "text"])
def test_a_challenge_may_use_only_plugins_of_its_tenant(
    folder: Path, tenant: Tenant, fields: dict[str, Any]
) -> None:
    with belonging_to(acme="somebody-else"), pytest.raises(ServiceError, match="another tenant"):
        create_challenge(tenant=tenant, user=None, fields=fields)
    with belonging_to(acme=tenant.slug):
        assert create_challenge(tenant=tenant, user=None, fields=fields).pk


def test_a_scorer_that_is_assigned_to_another_tenant_stops_scoring(
    folder: Path, tenant: Tenant, submit: Submit
) -> None:
    challenge = create_challenge(tenant=tenant, user=None, fields=FIVE)
    first, second = submit(challenge, "atlas"), submit(challenge, "borea")
    assert single.score_attempt(first.pk)
    with belonging_to(acme="somebody-else"):
        single.score_attempt(second.pk)
    assert Score.objects.get(attempt=first).value == 5
    assert Score.objects.get(attempt=second).error_code == "load_error"


@pytest.mark.parametrize("fields", [LONGEST, SHORT], ids=["metric", "text"])
def test_a_metric_that_is_assigned_to_another_tenant_stops_computing(
    folder: Path, tenant: Tenant, bring: Bring, fields: dict[str, Any]
) -> None:
    challenge = create_challenge(tenant=tenant, user=None, fields=fields)
    key = fields["rank_by"][0]["key"]
    evidence: dict[str, Any] = {"evaluation": document()}
    if "metrics" in fields:
        evidence = {"task_rewards": {"one": [1.0]}}
    first, second = (bring(challenge, name, **evidence) for name in ("a", "b"))
    assert single.score_attempt(first.pk)
    with belonging_to(acme="somebody-else"):
        single.score_attempt(second.pk)
    assert Score.objects.get(attempt=first).metric_values[key]["value"] == 1
    now = Score.objects.get(attempt=second).metric_values[key]
    assert now["value"] is None
    assert now["error"]["code"] == "load_error"
    assert "another tenant" in now["error"]["message"]


def test_a_metric_may_not_borrow_one_of_another_tenant_when_it_is_tried(tenant: Tenant) -> None:
    files = {**FILES, "lib/__init__.py": "", "lib/text.py": BORROWS}
    with (
        folder_with(files) as folder,
        plugins(folder, "acme", "lib"),
        belonging_to(acme="somebody-else"),
    ):
        metric = find_text_metric("BORROWS")
        own, theirs, nobodys = (
            try_text_metric(metric, "out", [], parameters, tenant=tenant.slug)
            for parameters in ({}, {"theirs": True}, {"nobodys": True})
        )
    assert (own.numbers, own.error) == ({"own": 2.0}, "")
    assert (theirs.numbers, "another tenant" in theirs.error) == ({}, True)
    assert (nobodys.numbers, "NOTHING" in nobodys.error) == ({}, True)


def test_a_document_may_not_use_a_metric_of_another_tenant(
    folder: Path, tenant: Tenant, bring: Bring
) -> None:
    challenge = create_challenge(tenant=tenant, user=None, fields=SHORT)
    with belonging_to(acme="somebody-else"), pytest.raises(ServiceError, match="another tenant"):
        bring(challenge, "a", evaluation=document("SHORT"))


def test_members_see_the_plugins_of_their_tenants(folder: Path, tenant: Tenant, bob: User) -> None:
    admin = User.objects.create(username="root", is_superuser=True)
    with belonging_to(acme=tenant.slug):
        for all_plugins in (known_scorers(), known_metrics(), known_text_metrics()):
            everybodys = {plugin.name for plugin in visible_plugins(None, all_plugins)}
            assert everybodys == {plugin.name for plugin in visible_plugins(bob, all_plugins)}
            assert everybodys == {plugin.name for plugin in of_everybody(all_plugins)}
            assert visible_plugins(admin, all_plugins) == list(all_plugins)
        Membership.objects.create(tenant=tenant, user=bob)
        for all_plugins in (known_scorers(), known_metrics(), known_text_metrics()):
            more = {plugin.name for plugin in visible_plugins(bob, all_plugins)}
            assert len(more - {plugin.name for plugin in visible_plugins(None, all_plugins)}) == 1


def test_error_messages_name_only_plugins_of_all_tenants(folder: Path, tenant: Tenant) -> None:
    with belonging_to(acme=tenant.slug):
        assert "longest" not in why_unknown("no-such")
        with pytest.raises(UnknownTextMetric) as caught:
            find_text_metric("no-such")
        assert "SHORT" not in str(caught.value)
    assert "longest" in why_unknown("no-such")


def test_plugins_in_a_tenants_folder_belong_to_the_tenant(folder: Path) -> None:
    with override_settings(SCORER_TENANTS={str(folder): frozenset({"theirs"})}):
        assert may_use("acme.five:Five", "theirs")
        assert not may_use("acme.five:Five", "ours")
        assert may_use("scorers.weighted:WeightedScorer", "ours")
    assert may_use("acme.five:Five", "ours")
