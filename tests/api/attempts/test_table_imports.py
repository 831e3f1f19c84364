"""Tables of any kind: columns are mapped, and Podium's own export can be imported again."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import pytest

from leaderboard.models import Attempt, Challenge, Participant, Tenant, User
from leaderboard.services.challenges.challenges import create_challenge
from leaderboard.services.scoring import single
from tests.api.conftest import Api, ranked_by, refused

PATH = "challenges/papers/imports/"
TABLE = b'Model,MMLU (5-shot),Votes,Org\nAlpha,86.4%,"1,234",A\nBeta,71.2%,12,B\n'


@pytest.fixture
def papers(default: Tenant, alice: User) -> Challenge:
    fields = {
        "name": "Papers",
        "scoring_strategy": "metric",
        "rank_by": [{"key": "MMLU_5-shot"}],
    }
    return create_challenge(tenant=default, user=alice, fields=fields)


def sent(api: Api, file: bytes, *entries: str, path: str = PATH, **query: str) -> Any:
    asked = urlencode([*(("map", entry) for entry in entries), *query.items()])
    return api.upload(f"{path}?{asked}", file, "table.csv")


def test_the_preview_has_the_guessed_mapping(submitter: Api, papers: Challenge) -> None:
    answer = sent(submitter, TABLE, dry_run="1")
    assert answer.status_code == 200, answer.content
    body = answer.json()
    assert body["format"] == "table"
    assert body["map"][1] == {
        "column": "MMLU (5-shot)",
        "use": "value:MMLU_5-shot",
        "guessed": True,
        "examples": ["86.4%", "71.2%"],
        "note": "in %",
    }
    assert body["rows"][0]["values"] == {"MMLU_5-shot": 86.4, "Votes": 1234.0}
    assert body["suggested"]["columns"][0]["label"] == "MMLU (5-shot)"
    assert not Attempt.objects.exists()


def test_columns_are_mapped_by_parameters(submitter: Api, papers: Challenge) -> None:
    answer = sent(submitter, TABLE, "Org=participant", "Model=ignore", "Votes=meta:votes")
    assert answer.status_code == 202, answer.content
    assert {participant.handle for participant in Participant.objects.all()} == {"A", "B"}
    first = Attempt.objects.get(participant__handle="A")
    assert (first.values, first.meta) == ({"MMLU_5-shot": 86.4}, {"votes": "1,234"})


def test_a_wrong_mapping_is_refused(submitter: Api, papers: Challenge) -> None:
    for entry in ("Nobody=participant", "Model=hero", "Model"):
        error = refused(sent(submitter, TABLE, entry), 400, "invalid", "map")
        assert entry.partition("=")[0] in error["message"]
    assert not Attempt.objects.exists()


def test_boards_get_the_labels_of_an_organisers_table(
    organiser: Api, submitter: Api, papers: Challenge
) -> None:
    assert sent(submitter, TABLE).status_code == 202
    assert _labels(submitter)["MMLU_5-shot"] == "MMLU_5-shot"
    refused(sent(submitter, TABLE, show_columns="1"), 403, "permission_denied", "show_columns")
    assert sent(organiser, TABLE).status_code == 202
    assert _labels(submitter) == {"MMLU_5-shot": "MMLU (5-shot)"}
    assert sent(organiser, TABLE, show_columns="1").status_code == 202
    assert _labels(submitter) == {"MMLU_5-shot": "MMLU (5-shot)", "Votes": "Votes"}


def _labels(api: Api) -> dict[str, str]:
    columns = api.get("challenges/papers/leaderboard/").json()["columns"]
    facts = ("tokens_total", "elapsed_ms", "cost_usd", "rating", "submitted_at", "score")
    return {column["key"]: column["label"] for column in columns if column["key"] not in facts}


def test_a_label_set_by_an_organiser_is_kept(organiser: Api, papers: Challenge) -> None:
    own = {"columns": [{"key": "MMLU_5-shot", "label": "Mine"}]}
    assert organiser.patch("challenges/papers/", own).status_code == 200
    assert sent(organiser, TABLE).status_code == 202
    assert _labels(organiser)["MMLU_5-shot"] == "Mine"


def test_an_exported_board_can_be_imported(organiser: Api, papers: Challenge, alice: User) -> None:
    sent(organiser, TABLE, show_columns="1")
    single.score_waiting()
    exported = organiser.get("challenges/papers/leaderboard.csv").getvalue()
    fields = {"name": "Copy", "scoring_strategy": "metric", "rank_by": [{"key": "MMLU_5-shot"}]}
    create_challenge(tenant=papers.tenant, user=alice, fields=fields)
    answer = sent(organiser, exported, path="challenges/copy/imports/")
    assert answer.status_code == 202, answer.content
    single.score_waiting()
    before, after = (
        organiser.get(f"challenges/{slug}/leaderboard/").json()["rows"]
        for slug in ("papers", "copy")
    )
    for original, copy in zip(before, after, strict=True):
        for field in ("rank", "participant", "reached_at"):
            assert original[field] == copy[field]
        assert original["values"]["MMLU_5-shot"] == copy["values"]["MMLU_5-shot"]


def test_an_exported_board_of_metrics_can_be_imported_into_its_challenge(
    organiser: Api, default: Tenant, alice: User
) -> None:
    fields = ranked_by("pass_rate", "Solve")
    create_challenge(tenant=default, user=alice, fields=fields)
    attempt = {"participant": "=atlas", "task_rewards": {"t": [1, 0]}}
    assert organiser.post("challenges/solve/attempts/", attempt).status_code == 202
    single.score_waiting()
    exported = organiser.get("challenges/solve/leaderboard.csv").getvalue()
    answer = sent(organiser, exported, path="challenges/solve/imports/")
    assert answer.status_code == 202, answer.content
    (row,) = answer.json()["rows"]
    assert row["participant"] == "=atlas"
    assert row["values"]["reported_pass_rate"] == 0.5
