"""A bundle of another platform becomes a draft, and its sample is scored at once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings

from leaderboard.models import Challenge
from leaderboard.sandbox.host.fork_servers import borrow, give_back
from leaderboard.services.challenges.samples import read_sample
from leaderboard.services.scoring.single import score_waiting
from tests.api.conftest import Api
from tests.bundles.twins import CODABENCH_BUNDLE
from tests.importers.uploads import zipped


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, settings: LazySettings) -> Iterator[None]:
    settings.MEDIA_ROOT = tmp_path
    server = borrow(())
    yield
    give_back(server)


def send(api: Api, files: dict[str, str]) -> Any:
    return api.upload("bundles/", zipped(files), "b.zip")


def test_a_bundle_becomes_a_draft_whose_sample_is_scored(organiser: Api, anyone: Api) -> None:
    answer = send(organiser, {**CODABENCH_BUNDLE, "final.zip": "no zip"})
    assert answer.status_code == 201, answer.content
    body = answer.json()
    assert (body["platform"], body["has_sample"]) == ("Codabench", True), body["report"][:3]
    assert body["report"][0]["outcome"] == "left_out"
    challenge = Challenge.objects.get(slug=body["challenge"])
    while score_waiting():
        pass
    sample = read_sample(challenge)
    assert sample is not None
    values = {
        name: metric_value["value"] for name, metric_value in sample.reading.metric_values.items()
    }
    assert values == {"accuracy": 0.75, "twice": 1.5, "hidden": None}
    assert anyone.get(f"challenges/{challenge.slug}/").status_code == 404


def test_nothing_is_left_of_a_bundle_that_is_refused(organiser: Api, submitter: Api) -> None:
    files = {**CODABENCH_BUNDLE, "scoring_program/metadata.yaml": "command: Rscript score.R\n"}
    assert send(organiser, files).status_code == 400
    assert not Challenge.objects.filter(name="Harbour words").exists()
    assert send(submitter, CODABENCH_BUNDLE).status_code == 403
