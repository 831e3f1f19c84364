"""Published boards through the API have the published values and ranks."""

from __future__ import annotations

import csv
import json
from typing import Any

import pytest

from tests.api.conftest import Api
from tests.real.conftest import Play, Published, published

pytestmark = pytest.mark.django_db


def by_metric(name: str, *keys: tuple[str, str], **fields: Any) -> dict[str, Any]:
    """Return the fields of a challenge that ranks by these keys and directions."""
    rank_by = [{"key": key, "direction": direction} for key, direction in keys]
    return {"name": name, "scoring_strategy": "metric", "rank_by": rank_by, **fields}


def who_and_when(attempt: dict[str, Any]) -> dict[str, Any]:
    return {name: attempt[name] for name in ("participant", "submitted_at")}


def ranks_of(rows: list[dict[str, Any]], key: str = "rank") -> dict[str, int | None]:
    return {row["participant"]: row[key] for row in rows}


def test_tau_airline_has_the_published_pass_rates_and_ranks(organiser: Api, play: Play) -> None:
    """50 tasks run four times: pass^k of one system from its rewards, of others as published."""
    board = published("tau_airline")
    (raw,) = (attempt for attempt in board.attempts if "task_rewards" in attempt)
    ours = {f"pass^{k}": f"pass^{k}:unbiased" for k in (1, 2, 3, 4)}
    more = {
        "first_k pass@1 (EvSys)": "pass@1",
        "first_k pass@3 (EvSys)": "pass@3",
        "first_k pass^3 (EvSys)": "pass^3",
        "unbiased pass@3": "pass@3:unbiased",
        "mean_reward": "mean_reward",
    }
    wanted = board.expected["recomputed_for_TC_gpt-4o"]
    assert set(wanted) == {*ours, *more}
    fields = by_metric(
        "Rewards", ("pass^1:unbiased", "desc"), metrics=[*ours.values(), *more.values()]
    )
    body = {**who_and_when(raw), "task_rewards": raw["task_rewards"]}
    row = play(fields, [body])[raw["participant"]]
    for name, key in {**ours, **more}.items():
        assert row["values"][key] == pytest.approx(wanted[name], abs=1e-9), name
        assert (row["cells"][key]["defined"], row["cells"][key]["total"]) == (50, 50)

    bodies = [
        {**who_and_when(attempt), "values": attempt["results"]} if "results" in attempt else body
        for attempt in board.attempts
    ]
    metrics = [{"type": ours[name], "name": name, "reported": "rank"} for name in ours]
    among = play(by_metric("Airline", ("pass^1", "desc"), metrics=metrics), bodies)
    assert among.ranks() == ranks_of(board.expected["rows"])
    for expected in board.expected["rows"]:
        board_row = among[expected["participant"]]
        for key, value in expected["values"].items():
            assert board_row["values"][key] == (value and pytest.approx(value, abs=0.0005))
            cell = board_row["cells"][key]
            assert (cell == {"reason": "undefined"}) == (value is None)
            is_ours = expected["participant"] == raw["participant"]
            assert cell.get("level") == (value and ("computed" if is_ours else "reported"))
    assert among.rows[-1]["unranked"] == "no_value"


@pytest.mark.parametrize("key", ["dps", "pass@1", "dps_norm", "diluted"])
def test_evalperf_has_the_published_means_over_defined_rewards(
    organiser: Api, play: Play, key: str
) -> None:
    """118 tasks with some undefined rewards, which do not count."""
    board = published("evalperf_sparse")
    rewards = ("pass@1", "dps", "dps_norm")
    metrics = [{"type": "mean_reward", "name": reward, "reward": reward} for reward in rewards]
    diluted = {"type": "mean_reward", "name": "diluted", "reward": "dps", "undefined": "zero"}
    bodies = [
        {
            **who_and_when(attempt),
            "samples": [
                {"task": task, "sample": 0, "rewards": _defined(values)}
                for task, values in attempt["task_metrics"].items()
            ],
        }
        for attempt in board.attempts
    ]
    played = play(by_metric("EvalPerf", (key, "desc"), metrics=[*metrics, diluted]), bodies)
    for expected in board.expected["rows"]:
        row = played[expected["participant"]]
        for reward in rewards:
            assert row["values"][reward] == pytest.approx(expected["values"][reward], abs=1e-5)
            cell = row["cells"][reward]
            assert [cell["defined"], cell["total"]] == expected["relevant"][reward]
        wrong = expected["diluted_dps_if_undefined_counted_as_0"]
        assert row["values"]["diluted"] == pytest.approx(wrong, abs=1e-5)
        ranks = {**expected["ranks"], "diluted": expected["rank_by_diluted_dps"]}
        assert row["rank"] == ranks[key], expected["participant"]
    text = organiser.get(f"challenges/{played.slug}/leaderboard.csv").getvalue().decode()
    for line in csv.DictReader(text.splitlines()):
        row = played[line["participant"]]
        assert float(line["dps"]) == row["values"]["dps"]
        assert int(line["dps (defined)"]) == row["cells"]["dps"]["defined"]
        assert line["dps (total)"] == "118"


def test_aider_polyglot_has_the_published_ties_and_costs(play: Play) -> None:
    """Accuracy with real ties, and costs that some entries lack."""
    board = published("aider_polyglot")
    bodies = [
        {**who_and_when(attempt), "values": attempt["results"], "metrics": attempt["metrics"]}
        for attempt in board.attempts
    ]
    keys = list(board.expected["columns"])
    columns = [{"key": key} for key in keys]
    played = play(by_metric("Polyglot", ("pass_rate_2", "desc"), columns=columns), bodies)
    assert played.ranks() == ranks_of(board.expected["rows"])
    for expected in board.expected["rows"]:
        values = played[expected["participant"]]["values"]
        assert {key: values[key] for key in keys} == expected["values"]
    counted = board.expected["counts"]
    assert sum(row["tied"] for row in played.rows) == counted["entries_in_a_tie"]
    costs = [row["values"]["total_cost"] for row in played.rows]
    assert sum(cost is not None for cost in costs) == counted["cost_defined"]

    cheapest = play(by_metric("Cheapest", ("total_cost", "asc")), bodies)
    assert cheapest.ranks() == board.expected["secondary_ranks"]["total_cost_asc"]


def test_icpc_finals_are_ranked_by_problems_and_penalties(play: Play) -> None:
    """Problems solved, then the penalty, then the time of the last one."""
    board = published("icpc_wf47")
    bodies = [
        {
            **who_and_when(attempt),
            "values": attempt["results"],
            "task_rewards": attempt["task_rewards"],
        }
        for attempt in board.attempts
    ]
    keys = [(key["key"], key["direction"]) for key in board.expected["ranking"]]
    accepted = [{"type": "sum", "name": "accepted"}]
    played = play(by_metric("Finals", *keys, metrics=accepted), bodies)
    rows = board.expected["rows"]
    assert played.ranks() == ranks_of(rows)
    for expected in rows:
        values = played[expected["participant"]]["values"]
        assert {key: values[key] for key in expected["values"]} == expected["values"]
        assert values["last_accepted_ms"] == expected["last_accepted_ms"]
        assert (values["accepted"] or 0) == expected["values"]["solved"]
    assert sum(row["tied"] for row in played.rows) == board.expected["teams_tied_on_all_three"]

    two = play(by_metric("Two keys", *keys[:2]), bodies)
    assert two.ranks() == ranks_of(rows, "rank_solved_penalty")
    tied = {row["participant"]["handle"] for row in two.rows if row["tied"]}
    assert tied == {
        team for group in board.expected["groups_tied_on_solved_and_penalty"] for team in group
    }


def test_nanogpt_records_are_ranked_by_time(play: Play) -> None:
    """A history of records, the fastest first: by the reported minutes, and by the time taken."""
    board = published("nanogpt_records")
    bodies = [
        {**who_and_when(attempt), "values": attempt["results"], "metrics": attempt["metrics"]}
        for attempt in board.attempts
    ]
    rows = board.expected["rows_in_published_order"]
    wanted = ranks_of(rows, "rank_by_time")
    minutes = play(by_metric("Minutes", ("train_minutes", "asc")), bodies)
    assert minutes.ranks() == wanted
    for expected in rows:
        row = minutes[expected["participant"]]
        assert row["values"]["train_minutes"] == expected["train_minutes"]
    fastest = play({"name": "Fastest", "scoring_strategy": "fastest"}, bodies)
    assert fastest.ranks() == wanted


WMT_METRICS = [
    "SACREBLEU",
    {"id": "BLEU_NLTK", "parameters": {"tokenizer": "13a"}},
    {
        "id": "BLEU_NLTK",
        "name": "smoothed",
        "parameters": {"tokenizer": "13a", "smoothing_function": "method1"},
    },
    "CHRF",
]


def wmt23(board: Published) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """Return the document of the best system, and the outputs of all systems by id."""
    document = json.loads((board.folder / "instances.json").read_text())
    ids = [instance["id"] for instance in document["instances"]]
    best = {instance["id"]: instance["actual-output"] for instance in document["instances"]}
    outputs = {document["participant"]: best}
    for line in board.lines("outputs.jsonl"):
        outputs[line["participant"]] = dict(zip(ids, line["actual-outputs"], strict=True))
    return document, outputs


def test_wmt23_has_the_published_scores_of_translations(organiser: Api, play: Play) -> None:
    """549 translations of five systems; the challenge stores the references."""
    board = published("wmt23_de_en")
    document, outputs = wmt23(board)
    bodies = [
        {**who_and_when(attempt), "outputs": outputs[attempt["participant"]]}
        for attempt in board.attempts
    ]
    fields = by_metric("Translation", ("SACREBLEU", "desc"), text_metrics=WMT_METRICS)
    played = play(fields, bodies, document)
    assert played.ranks() == ranks_of(board.expected["rows"])
    columns = board.expected["columns"]["bleu-all"]
    for expected in board.expected["rows"]:
        row = played[expected["participant"]]
        values, published_bleu = row["values"], expected["values"]["bleu-all"]
        assert values["SACREBLEU"] == pytest.approx(published_bleu, abs=columns["tolerance"])
        chrf = expected["also_published"]["chrf-all"]
        assert values["CHRF"] == pytest.approx(chrf, abs=columns["tolerance"])
        detail = organiser.get(f"attempts/{row['attempt']}/").json()["metric_values"]
        nltk = 100 * detail["BLEU_NLTK:corpus_bleu"]["value"]
        assert nltk == pytest.approx(published_bleu, abs=columns["nltk_tolerance"])
        sentences = expected["recomputed_nltk_mean_sentence_bleu_method1_on_13a_tokens"]
        assert 100 * values["smoothed"] == pytest.approx(sentences, abs=1e-9)
        assert (row["cells"]["SACREBLEU"]["defined"], row["cells"]["SACREBLEU"]["total"]) == (
            549,
            549,
        )

    by_sentences = by_metric("Sentences", ("smoothed", "desc"), text_metrics=WMT_METRICS)
    wanted = ranks_of(board.expected["rows"], "rank_by_mean_sentence_bleu")
    assert play(by_sentences, bodies, document).ranks() == wanted


def test_wmt23_as_a_document_has_the_published_score(organiser: Api, play: Play) -> None:
    """The best system alone, with references and metrics of its own."""
    board = published("wmt23_de_en")
    document, _ = wmt23(board)
    first = board.attempts[0]
    evaluation = {**document, "metrics": [{"id": "sacrebleu", "enable": True, "parameters": {}}]}
    fields = by_metric("Document", ("SACREBLEU", "desc"), text_metrics=["SACREBLEU"])
    row = play(fields, [{**who_and_when(first), "evaluation": evaluation}])[first["participant"]]
    published_bleu = first["results"]["bleu-all"]
    assert row["values"]["SACREBLEU"] == pytest.approx(published_bleu, abs=0.005)

    [entry] = organiser.get(f"attempts/{row['attempt']}/output.json").json()
    assert list(entry) == ["id", "parameters", "score", "elapsed time"]
    assert (entry["id"], entry["parameters"]) == ("sacrebleu", {})
    assert entry["score"]["corpus_bleu"] == row["values"]["SACREBLEU"]
    log = b"".join(organiser.get(f"attempts/{row['attempt']}/log.jsonl")).decode().splitlines()
    lines = [json.loads(line) for line in log]
    assert [line["instance_id"] for line in lines] == [
        instance["id"] for instance in document["instances"]
    ]
    mean = sum(line["result"] for line in lines) / len(lines)
    assert entry["score"]["mean_of_sentence_bleu"] == pytest.approx(mean, rel=1e-12)


def _defined(values: dict[str, float | None]) -> dict[str, float]:
    return {name: value for name, value in values.items() if value is not None}
