"""SCORER_TENANTS: whose a plugin is, when a challenge is saved and when an attempt is scored."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import override_settings

from leaderboard.models import Score, Tenant
from leaderboard.services import sandboxes, scoring
from leaderboard.services.challenges import create_challenge
from leaderboard.services.owners import may_use
from leaderboard.services.refused import Refused
from tests.plugin_files import folder_with, plugins
from tests.services.conftest import Submit

FILES = {
    "acme/__init__.py": "",
    "acme/five.py": "class Five:\n    def score(self, metrics, config, ctx):\n"
    "        return {'score': 5}\n",
    "acme/metrics.py": "class Longest:\n    name = 'longest'\n    over = 'samples'\n"
    "    direction = 'desc'\n    def compute(self, task_rewards):\n        return 1.0\n",
}
FIVE = {"name": "Five", "scoring_strategy": "custom", "scoring_entrypoint": "acme.five:Five"}
LONGEST = {
    "name": "Long",
    "scoring_strategy": "metric",
    "metrics": ["longest"],
    "rank_by": [{"key": "longest"}],
}


@pytest.fixture
def folder() -> Iterator[Path]:
    with folder_with(FILES) as folder, plugins(folder, "acme"):
        yield folder


def belonging_to(**owners: str) -> Any:
    sandboxes.close_sandboxes()
    tenants = {name: frozenset({slug}) for name, slug in owners.items()}
    return override_settings(SCORER_TENANTS=tenants)


@pytest.mark.parametrize("fields", [FIVE, LONGEST], ids=["scorer", "metric"])
def test_a_challenge_names_plugins_of_its_own_tenant(
    folder: Path, tenant: Tenant, fields: dict[str, Any]
) -> None:
    with belonging_to(acme="somebody-else"), pytest.raises(Refused, match="another tenant"):
        create_challenge(tenant=tenant, user=None, fields=fields)
    with belonging_to(acme=tenant.slug):
        assert create_challenge(tenant=tenant, user=None, fields=fields).pk


def test_a_scorer_that_becomes_anothers_scores_no_more(
    folder: Path, tenant: Tenant, submit: Submit
) -> None:
    challenge = create_challenge(tenant=tenant, user=None, fields=FIVE)
    first, second = submit(challenge, "atlas"), submit(challenge, "borea")
    assert scoring.score_attempt(first.pk)
    with belonging_to(acme="somebody-else"):
        scoring.score_attempt(second.pk)
    assert Score.objects.get(attempt=first).value == 5
    assert Score.objects.get(attempt=second).error_code == "load_error"


def test_what_lies_in_a_tenants_folder_is_the_tenants(folder: Path) -> None:
    with override_settings(SCORER_TENANTS={str(folder): frozenset({"theirs"})}):
        assert may_use("acme.five:Five", "theirs")
        assert not may_use("acme.five:Five", "ours")
        assert may_use("scorers.weighted:WeightedScorer", "ours")
    assert may_use("acme.five:Five", "ours")
