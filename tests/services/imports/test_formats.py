"""A challenge made from an import's suggestion accepts its attempts and ranks by its main
number."""

from __future__ import annotations

import json
from statistics import fmean

import pytest

from leaderboard.importers import Source, read
from leaderboard.models import Standing, Tenant, User
from leaderboard.services.board.boards import board_at
from leaderboard.services.challenges.challenges import create_challenge
from leaderboard.services.imports.importing import import_file
from leaderboard.services.scoring import single
from tests.importers.uploads import FIXTURES

TREC = json.loads((FIXTURES / "trec-expected.json").read_text())

MAIN = {
    "deepeval.json": 0.2,
    "deepeval-result.json": 0.2,
    "ragas.csv": 0.475,
    "ragas-means.json": 0.475,
    "lighteval.json": 0.5,
    "open-llm-v1.json": 3.5 / 6,
    "open-llm-rows.json": 21.5,
    "hf-evaluate.json": 0.75,
    "codalab": 0.87,
    "mlflow": 0.7,
    "mlflow-search.csv": 0.7,
    "wandb": 0.75,
    "wandb.csv": 0.75,
    "junit.xml": 0.6,
    "trec": fmean(measures["map"] for measures in TREC.values()),
}
"""The number that each tool shows first for the best entry of its fixture."""


@pytest.mark.parametrize("name", MAIN)
def test_a_suggested_challenge_ranks_by_the_tools_main_number(
    name: str, tenant: Tenant, alice: User
) -> None:
    with Source.open(FIXTURES / name) as source:
        preview = read(source, participant="atlas")
    fields = {"name": "Bench", **preview.suggested}
    challenge = create_challenge(tenant=tenant, user=alice, fields=fields)
    with Source.open(FIXTURES / name) as source:
        imported = import_file(challenge=challenge, user=alice, source=source, participant="atlas")
    assert imported.differences == []
    single.score_waiting()
    standing = Standing.objects.of(board_at(challenge)).ranked().get()
    (first, *_) = preview.suggested["rank_by"]
    assert standing.values[first["key"]] == pytest.approx(MAIN[name], abs=1e-12)
