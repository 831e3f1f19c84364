"""Boards as HELM, MMLU and MCPMark are published, created through the API.

The numbers are invented; the expected results are computed here, without the product's code.
"""

from __future__ import annotations

import csv
from itertools import product
from typing import Any

import pytest

from tests.api.conftest import Api
from tests.real.conftest import Board, Play
from tests.real.test_boards import by_metric

pytestmark = pytest.mark.django_db

SCENARIOS = {
    "NarrativeQA": "f1_score",
    "NaturalQuestions (open)": "f1_score",
    "NaturalQuestions (closed)": "f1_score",
    "OpenbookQA": "exact_match",
    "MMLU": "exact_match",
    "MATH": "math_equiv_chain_of_thought",
    "GSM8K": "final_number_exact_match",
    "LegalBench": "quasi_exact_match",
    "MedQA": "quasi_exact_match",
    "WMT 2014": "bleu_4",
}
"""The ten scenarios of HELM Lite, each with the measure that its board shows."""

MODELS = {
    "gpt-4": (0.77, 0.79, 0.46, 0.96, 0.73, 0.78, 0.92, 0.59, 0.81, 0.21),
    "palmyra": (0.79, 0.83, 0.5, 0.94, 0.71, 0.72, 0.83, 0.71, 0.68, 0.26),
    "yi-34b": (0.78, 0.77, 0.44, 0.92, 0.65, 0.38, 0.65, 0.62, 0.66, 0.17),
    "mixtral": (0.77, 0.70, 0.48, 0.92, 0.65, 0.5, 0.62, 0.63, 0.65, 0.19),
    "phi-2": (0.7, None, 0.25, 0.8, 0.52, None, 0.58, 0.33, 0.41, 0.04),
}
"""A model that was not run on a scenario has no value for it."""

GROUPS = {"STEM": 18, "Humanities": 13, "Social sciences": 12, "Other": 14}
"""The 57 subjects of MMLU in its four groups."""


def helm(name: str, *keys: tuple[str, str], **more: Any) -> dict[str, Any]:
    """Return the fields of a challenge with a task, a group and a metric for each scenario."""
    tasks = [
        {"name": scenario, "group": scenario, "rewards": [of]} for scenario, of in SCENARIOS.items()
    ]
    metrics = [{"type": "mean", "name": scenario, "group": scenario} for scenario in SCENARIOS]
    for metric, reward in zip(metrics, SCENARIOS.values(), strict=True):
        metric["reward"] = reward
    return by_metric(name, *keys, tasks=tasks, metrics=[*more.pop("also"), *metrics], **more)


def bodies() -> list[dict[str, Any]]:
    """Return an attempt of each model: two instances of each scenario, whose mean is the score."""
    attempts = []
    for model, scores in MODELS.items():
        samples = [
            {"task": task, "sample": at, "rewards": {reward: score + by}}
            for (task, reward), score in zip(SCENARIOS.items(), scores, strict=True)
            if score is not None
            for at, by in enumerate((-0.03125, 0.03125))
        ]
        attempts.append({"participant": model, "samples": samples})
    return attempts


def beaten(model: str) -> float:
    """Return the mean over scenarios of the probability that another, random model scores lower."""
    rates = []
    for at, score in enumerate(MODELS[model]):
        if score is not None:
            rivals = [other[at] for name, other in MODELS.items() if name != model]
            duels = [
                (score > other) + (score == other) / 2 for other in rivals if other is not None
            ]
            rates.append(sum(duels) / len(duels))
    return sum(rates) / len(rates)


def csv_of(api: Api, board: Board) -> dict[str, dict[str, str]]:
    text = api.get(f"challenges/{board.slug}/leaderboard.csv").getvalue().decode()
    return {line["participant"]: line for line in csv.DictReader(text.splitlines())}


def test_helm_is_ranked_by_mean_win_rate(organiser: Api, play: Play) -> None:
    """HELM Lite and the classic board: a model that lacks scenarios is ranked by those it has."""
    fields = helm(
        "HELM Lite",
        ("Mean win rate", "desc"),
        ("NarrativeQA", "desc"),
        also=[{"type": "mean_win_rate", "name": "Mean win rate", "of": list(SCENARIOS)}],
    )
    played = play(fields, bodies())
    expected = {model: beaten(model) for model in MODELS}
    by_hand = [1.5 / 4, 2 / 3, 2 / 4, 1, 1, 1, 1, 1 / 4, 1, 3 / 4]
    assert expected["gpt-4"] == pytest.approx(sum(by_hand) / 10)
    for model, rate in expected.items():
        row = played[model]
        assert row["values"]["Mean win rate"] == pytest.approx(rate, abs=1e-9), model
        cell = row["cells"]["Mean win rate"]
        assert (cell["level"], cell["total"]) == ("computed", 10)
        assert cell["defined"] == (8 if model == "phi-2" else 10)
    order = sorted(expected, key=lambda model: -expected[model])
    assert played.ranks() == {model: at for at, model in enumerate(order, start=1)}
    for model, line in csv_of(organiser, played).items():
        assert float(line["Mean win rate"]) == played[model]["values"]["Mean win rate"]
    in_order = organiser.get(f"challenges/{played.slug}/leaderboard/?sort=Mean%20win%20rate").json()
    assert {row["participant"]["handle"] for row in in_order["rows"]} == set(MODELS)
    page = organiser.client.get(f"/c/{played.slug}/rules/").content.decode()
    assert "Compared are" in page


def test_helm_is_ranked_by_mean_score(play: Play) -> None:
    """HELM Capabilities: the mean of the scenarios' scores, of models that were run on all."""
    mean = {"type": "mean_reward", "name": "Mean score", "over": "groups", "min_coverage": 1.0}
    ones = [
        {**body, "samples": [{**sample, "rewards": _only(sample)} for sample in body["samples"]]}
        for body in bodies()
    ]
    tasks = [{"name": scenario, "group": scenario} for scenario in SCENARIOS]
    fields = by_metric("HELM Capabilities", ("Mean score", "desc"), tasks=tasks, metrics=[mean])
    played = play(fields, ones)
    whole = {model: scores for model, scores in MODELS.items() if model != "phi-2"}
    for model, scores in whole.items():
        expected = sum(score or 0 for score in scores) / 10
        assert played[model]["values"]["Mean score"] == pytest.approx(expected, abs=1e-9)
    assert played.ranks() == {"gpt-4": 1, "palmyra": 2, "mixtral": 3, "yi-34b": 4, "phi-2": None}
    assert played["phi-2"]["unranked"] == "low_coverage"


def _only(sample: dict[str, Any]) -> dict[str, float]:
    (reward,) = sample["rewards"].values()
    return {"reward": reward}


def test_mmlu_has_micro_and_macro_averages_and_those_of_groups(organiser: Api, play: Play) -> None:
    """57 subjects with different numbers of questions, in four groups.

    Some papers give the mean over all questions, others the mean of the subjects' means.
    """
    subjects = [(group, f"{group} {at}") for group, many in GROUPS.items() for at in range(many)]
    assert len(subjects) == 57
    tasks = [{"name": name, "group": group} for group, name in subjects]
    metrics: list[dict[str, Any]] = [
        {"type": "mean", "name": "micro", "min_coverage": 1.0},
        {"type": "mean_reward", "name": "macro", "min_coverage": 1.0},
        *({"type": "mean", "name": group, "group": group} for group in GROUPS),
    ]
    right = {name: (at % 7 + 2, at % 5 + 1) for at, (_, name) in enumerate(subjects)}
    sent = [
        {
            "participant": "large",
            "task_rewards": {n: _answers(a, b) for n, (a, b) in right.items()},
        },
        {
            "participant": "small",
            "task_rewards": {n: _answers(1, b) for n, (_, b) in right.items()},
        },
    ]
    bounds = [{"name": "reward", "min": 0, "max": 1}]
    played = play(
        by_metric("MMLU", ("micro", "desc"), tasks=tasks, metrics=metrics, rewards=bounds), sent
    )
    questions = sum(a + b for a, b in right.values())
    values = played["large"]["values"]
    assert values["micro"] == pytest.approx(sum(a for a, _ in right.values()) / questions)
    assert values["macro"] == pytest.approx(sum(a / (a + b) for a, b in right.values()) / 57)
    assert values["micro"] != pytest.approx(values["macro"], abs=1e-3)
    for group in GROUPS:
        mine = [right[name] for of, name in subjects if of == group]
        assert values[group] == pytest.approx(sum(a for a, _ in mine) / sum(map(sum, mine)))
        assert played["large"]["cells"][group]["total"] == GROUPS[group]
    assert played.ranks() == {"large": 1, "small": 2}
    line = csv_of(organiser, played)["large"]
    assert (line["micro (defined)"], line["micro (total)"]) == ("57", "57")


def _answers(right: int, wrong: int) -> list[float]:
    return [1.0] * right + [0.0] * wrong


def test_mcpmark_has_pass_rates_over_all_tasks_and_by_service(play: Play) -> None:
    """Four runs of each task of five services: pass@1, pass@4 and pass^4, over all and by
    service."""
    services = ("filesystem", "github", "notion", "playwright", "postgres")
    tasks = [f"{service}/{at}" for service, at in product(services, range(4))]
    solved = {task: at % 5 for at, task in enumerate(tasks)}
    measures = ("pass@1:unbiased", "pass@4", "pass^4")
    metrics = [
        *measures,
        *(
            {"type": measure, "name": f"{service} {measure}", "group": service}
            for service, measure in product(services, measures)
        ),
    ]
    fields = by_metric(
        "MCPMark",
        ("pass@1:unbiased", "desc"),
        tasks=[{"name": task, "group": task.partition("/")[0]} for task in tasks],
        metrics=metrics,
        num_samples=4,
        min_coverage=1.0,
    )
    runs = {task: _answers(count, 4 - count) for task, count in solved.items()}
    none = {task: [0.0] * 4 for task in tasks}
    played = play(
        fields,
        [
            {"participant": "atlas", "task_rewards": runs},
            {"participant": "none", "task_rewards": none},
        ],
    )
    values = played["atlas"]["values"]
    assert values["pass@1:unbiased"] == pytest.approx(sum(solved.values()) / 4 / 20)
    assert values["pass@4"] == sum(count > 0 for count in solved.values()) / 20
    assert values["pass^4"] == sum(count == 4 for count in solved.values()) / 20
    for service in services:
        mine = [count for task, count in solved.items() if task.startswith(service)]
        assert values[f"{service} pass@1:unbiased"] == pytest.approx(sum(mine) / 16)
        assert values[f"{service} pass^4"] == sum(count == 4 for count in mine) / 4
    assert played.ranks() == {"atlas": 1, "none": 2}
