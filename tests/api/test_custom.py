"""A challenge with a real scorer, from its creation over the API to its board."""

from __future__ import annotations

import pytest
from django.core.cache import cache

from leaderboard.services import scoring
from tests.api.conftest import Api, refused

pytestmark = pytest.mark.django_db

CUSTOM = {
    "name": "Prompt escape",
    "scoring_strategy": "custom",
    "scoring_entrypoint": "services.scorers.weighted:WeightedScorer",
    "scoring_config": {"rating_weight": 10.0},
}
SOLVED = {"succeeded": True, "tokens_total": 1500, "elapsed_ms": 12500, "rating": 8}


def test_from_a_submission_to_a_rank(organiser: Api, submitter: Api, anyone: Api) -> None:
    challenge = organiser.post("challenges/", CUSTOM)
    assert challenge.status_code == 201, challenge.content
    assert challenge.json()["scoring_entrypoint"] == "scorers.weighted:WeightedScorer"
    answer = submitter.post(
        "challenges/prompt-escape/attempts/", {"participant": "atlas", "metrics": SOLVED}
    )
    assert answer.status_code == 202
    assert scoring.score_waiting() == 1
    read = anyone.get(answer.json()["url"]).json()
    assert read["status"] == "scored", read
    assert read["score"] == read["raw_score"] > 0
    assert read["details"] is not None
    assert (read["counts"], read["rank"], read["error"]) == (True, 1, None)
    (row,) = anyone.get("challenges/prompt-escape/leaderboard/").json()["rows"]
    assert row["score"] == read["score"]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"scoring_entrypoint": ""}, "scoring_entrypoint"),
        ({"scoring_entrypoint": "os:system"}, "scoring_entrypoint"),
        ({"scoring_entrypoint": "scorers.weighted:Nothing"}, "scoring_entrypoint"),
        ({"scoring_entrypoint": "scorers.nothing:Nothing"}, "scoring_entrypoint"),
        ({"scoring_config": {"rating_wait": 1}}, "scoring_config.rating_wait"),
        ({"scoring_config": {"rating_weight": "much"}}, "scoring_config.rating_weight"),
    ],
)
def test_wrong_scoring(organiser: Api, change: dict[str, object], field: str) -> None:
    refused(organiser.post("challenges/", {**CUSTOM, **change}), 400, "invalid", field)


def test_plugins(anyone: Api) -> None:
    cache.clear()
    answer = anyone.get("plugins/")
    assert answer.status_code == 200
    scorers = {each["entrypoint"]: each for each in answer.json()["scorers"]}
    weighted = scorers["scorers.weighted:WeightedScorer"]
    assert weighted["installed"] is True
    assert weighted["error"] is None
    assert weighted["doc"]
    assert weighted["public_details"] is True
    assert weighted["config_schema"] or weighted["defaults"]


def test_text_metrics_are_listed_with_what_they_take(anyone: Api) -> None:
    cache.clear()
    metrics = {each["name"]: each for each in anyone.get("plugins/").json()["text_metrics"]}
    assert {"BLEU_NLTK", "SACREBLEU", "CHRF", "ROUGE", "LENGTH_RATIO"} <= set(metrics)
    edits = metrics["EDIT_DISTANCE"]
    assert edits["entrypoint"] == "scorers.text.edit_distance:EditDistance"
    assert (edits["direction"], edits["directions"]) == ("asc", {"similarity": "desc"})
    assert (edits["bounds"], edits["supervised"]) == ([0, None], True)
    assert edits["ranges"] == {"similarity": [0, 1]}
    assert edits["installed"] is True
    assert "ignore_case" in edits["config_schema"]["properties"]
    assert "model_path" in metrics["BERTSCORE"]["config_schema"]["properties"]
    assert "pip install" in metrics["BERTSCORE"]["install"]
