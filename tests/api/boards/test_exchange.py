"""Boards in formats of the exchange: what a reader sees is what is exported."""

from __future__ import annotations

import io
import json
from datetime import timedelta
from zipfile import ZipFile

import pytest
from django.utils import timezone

from leaderboard.models import Challenge, Phase
from leaderboard.services.scoring.single import score_waiting
from tests.api.conftest import Api

PATH = "challenges/exams/exports/"


@pytest.fixture
def exams(organiser: Api) -> Challenge:
    fields = {
        "slug": "exams",
        "name": "Exams",
        "scoring_strategy": "metric",
        "metrics": [{"type": "mean", "name": "reward", "reward": "reward"}],
        "rank_by": [{"key": "reward"}],
        "rewards": [{"name": "reward", "min": 0, "max": 1}],
        "meta_fields": [{"name": "org"}],
        "dataset_url": "https://huggingface.co/datasets/acme/exams",
    }
    assert organiser.post("challenges/", fields).status_code == 201
    for name, rewards in (("ada", (1, 1, 0)), ("bob", (1, 0, 0))):
        samples = [
            {"task": f"t{number}", "sample": 0, "rewards": {"reward": reward}}
            for number, reward in enumerate(rewards)
        ]
        body = {"participant": name, "samples": samples, "meta": {"org": "Acme"}}
        assert organiser.post("challenges/exams/attempts/", body).status_code == 202
    score_waiting()
    return Challenge.objects.get(slug="exams")


def test_every_format_is_listed_and_written(anyone: Api, exams: Challenge) -> None:
    listed = anyone.get(PATH).json()
    assert [file_format["problem"] for file_format in listed] == [None] * len(listed)
    for file_format in listed:
        answer = anyone.get(f"{PATH}{file_format['key']}/")
        assert answer.status_code == 200, answer.content
        assert answer["Content-Type"] == file_format["media_type"]
        again = anyone.get(f"{PATH}{file_format['key']}/", **{"If-None-Match": answer["ETag"]})
        assert again.status_code == 304
    with ZipFile(io.BytesIO(anyone.get(f"{PATH}every-eval-ever/").content)) as archive:
        samples = [name for name in archive.namelist() if name.endswith(".jsonl")]
        assert [name.split("/")[2] for name in samples] == ["Acme", "Acme"]
    rates = json.loads(anyone.get(f"{PATH}honestboard/").content)
    assert rates["systems"][0]["rates"] == {"t0": 1.0, "t1": 1.0, "t2": 0.0}


def test_what_the_reader_does_not_see_is_not_exported(
    anyone: Api, organiser: Api, exams: Challenge
) -> None:
    Phase.objects.filter(challenge=exams).update(
        freezes_at=timezone.now() - timedelta(hours=1), opens_at=timezone.now() - timedelta(hours=2)
    )
    Challenge.objects.filter(pk=exams.pk).update(is_restricted=True)
    assert anyone.get(f"{PATH}every-eval-ever/").status_code == 409
    assert organiser.get(f"{PATH}every-eval-ever/").status_code == 200
    assert json.loads(anyone.get(f"{PATH}croissant/").content)["name"] == "Exams"


def test_a_format_that_cannot_say_it_is_a_conflict(anyone: Api, exams: Challenge) -> None:
    Challenge.objects.filter(pk=exams.pk).update(dataset_url="")
    Challenge.objects.bump(exams.pk)
    problems = {
        file_format["key"]: file_format["problem"] for file_format in anyone.get(PATH).json()
    }
    assert problems["hugging-face"]
    assert not problems["icpc"]
    assert anyone.get(f"{PATH}hugging-face/").status_code == 409
    assert anyone.get(f"{PATH}nothing/").status_code == 404
