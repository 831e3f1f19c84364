"""A challenge with a real scorer, from its creation over the API to its board."""

from __future__ import annotations

from typing import Any

from django.core.cache import cache

from leaderboard.services.scoring import single
from tests.api.conftest import Api, refused
from tests.plugin_files import plugins, seed_folder

WEIGHTED = "scorers.weighted:WeightedScorer"
CUSTOM = {
    "name": "Prompt escape",
    "scoring_strategy": "custom",
    "scoring_entrypoint": "services.scorers.weighted:WeightedScorer",
    "scoring_config": {"rating_weight": 10.0},
}
SOLVED = {"succeeded": True, "tokens_total": 1500, "elapsed_ms": 12500, "rating": 8}


def test_a_submitted_attempt_gets_a_rank(organiser: Api, submitter: Api, anyone: Api) -> None:
    challenge = organiser.post("challenges/", CUSTOM)
    assert challenge.status_code == 201, challenge.content
    assert challenge.json()["scoring_entrypoint"] == "scorers.weighted:WeightedScorer"
    answer = submitter.post(
        "challenges/prompt-escape/attempts/", {"participant": "atlas", "metrics": SOLVED}
    )
    assert answer.status_code == 202
    assert single.score_waiting() == 1
    read = anyone.get(answer.json()["url"]).json()
    assert read["status"] == "scored", read
    assert read["score"] == read["raw_score"] > 0
    assert read["details"] is not None
    assert (read["counts"], read["rank"], read["error"]) == (True, 1, None)
    (row,) = anyone.get("challenges/prompt-escape/leaderboard/").json()["rows"]
    assert row["score"] == read["score"]


def test_wrong_scoring_fields_are_refused(organiser: Api) -> None:
    changes: list[tuple[str, Any, str]] = [
        ("scoring_entrypoint", "", ""),
        ("scoring_entrypoint", "os:system", ""),
        ("scoring_entrypoint", "scorers.weighted:Nothing", ""),
        ("scoring_entrypoint", "scorers.nothing:Nothing", ""),
        ("scoring_config", {"rating_wait": 1}, ".rating_wait"),
        ("scoring_config", {"rating_weight": "much"}, ".rating_weight"),
    ]
    for field, value, place in changes:
        answer = organiser.post("challenges/", {**CUSTOM, field: value})
        refused(answer, 400, "invalid", f"{field}{place}")


def test_plugins_are_listed(anyone: Api) -> None:
    cache.clear()
    answer = anyone.get("plugins/")
    assert answer.status_code == 200
    scorers = {scorer["entrypoint"]: scorer for scorer in answer.json()["scorers"]}
    weighted = scorers["scorers.weighted:WeightedScorer"]
    assert weighted["installed"] is True
    assert weighted["error"] is None
    assert weighted["doc"]
    assert weighted["public_details"] is True
    assert weighted["config_schema"] or weighted["defaults"]


def test_text_metrics_are_listed_with_their_parameters(anyone: Api) -> None:
    cache.clear()
    metrics = {metric["name"]: metric for metric in anyone.get("plugins/").json()["text_metrics"]}
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


def test_the_plugin_id_of_the_source_system_selects_its_scorer(organiser: Api) -> None:
    """Without an entry point, `builtin.weighted_scorer` means WeightedScorer."""
    given = {
        "name": "Advanced Prompt Challenge",
        "scoring_strategy": "custom",
        "scoring_plugin_id": "builtin.weighted_scorer",
        "scoring_config": {"rating_weight": 15.0, "time_penalty": -0.5},
    }
    made = organiser.post("challenges/", given)
    assert made.status_code == 201, made.content
    assert made.json()["scoring_entrypoint"] == WEIGHTED
    assert made.json()["scoring_plugin_id"] == "builtin.weighted_scorer"
    refused(
        organiser.post("challenges/", {**given, "scoring_plugin_id": "builtin.other"}),
        400,
        "invalid",
        "scoring_entrypoint",
    )


def test_a_changed_plugin_id_without_an_entry_point_changes_the_scorer(organiser: Api) -> None:
    other = {"scoring_entrypoint": "scorers.efficiency:EfficiencyScorer", "scoring_config": {}}
    organiser.post("challenges/", {**CUSTOM, **other, "scoring_plugin_id": "mine"})
    answer = organiser.patch("challenges/prompt-escape/", {"scoring_plugin_id": "mine-2"})
    assert answer.json()["scoring_entrypoint"] == "scorers.efficiency:EfficiencyScorer"
    builtin = {"scoring_plugin_id": "builtin.weighted_scorer"}
    answer = organiser.patch("challenges/prompt-escape/", builtin)
    assert answer.json()["scoring_entrypoint"] == WEIGHTED
    sent_back = {**builtin, **other}
    answer = organiser.patch("challenges/prompt-escape/", sent_back)
    assert answer.json()["scoring_entrypoint"] == "scorers.efficiency:EfficiencyScorer"


def test_the_example_of_the_source_system_scores_attempts(
    organiser: Api, submitter: Api, anyone: Api
) -> None:
    with seed_folder() as folder, plugins(folder):
        made = organiser.post(
            "challenges/",
            {
                **CUSTOM,
                "scoring_plugin_id": "my_custom_scorer",
                "scoring_entrypoint": "services.scorers.custom:MyCustomScorer",
                "scoring_config": {"multiplier": 2.0},
            },
        )
        assert made.status_code == 201, made.content
        scores = {}
        for name, metrics in (("rated", SOLVED), ("unrated", {"succeeded": True})):
            attempt = {"participant": name, "metrics": metrics}
            answer = submitter.post("challenges/prompt-escape/attempts/", attempt)
            assert single.score_waiting() == 1
            scores[name] = anyone.get(answer.json()["url"]).json()["score"]
    assert scores == {"rated": 16.0, "unrated": 0.0}
