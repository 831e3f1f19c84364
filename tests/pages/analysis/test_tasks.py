"""The tasks of a board: how hard they are, who solved them, and a page for each."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from leaderboard.models import Challenge, User
from leaderboard.rules.rewards.evidence import Sample
from leaderboard.services.scoring.single import score_waiting
from tests.helpers.attempts import attempt_of
from tests.helpers.phases import set_phase
from tests.pages.conftest import Make
from tests.pages.reading import get, words

pytestmark = pytest.mark.django_db

PAGE = "/c/models/tasks/"
SOLVED: dict[str, dict[str, float]] = {
    "atlas": {"easy": 1, "hard": 1, "none": 0, "<i>odd/name</i>": 0},
    "boreas": {"easy": 1, "hard": 0, "none": 0, "<i>odd/name</i>": 1},
    "ceres": {"easy": 1, "hard": 0, "none": 0},
    "delphi": {"easy": 1, "hard": 0.5, "none": 0},
    "ember": {"easy": 1, "hard": 1, "none": 0},
}


@pytest.fixture
def models(make: Make, ben: User) -> Challenge:
    challenge = make("Models", "metric", metrics=["mean"], rank_by=[{"key": "mean"}])
    for name, rewards in SOLVED.items():
        samples = [
            Sample(task, number, {"reward": float(value)})
            for task, value in rewards.items()
            for number in range(2)
        ]
        if name == "ceres":
            samples.append(Sample("hard", 2, None, None, "The tool crashed."))
        attempt_of(ben, challenge, name, samples=samples)
    score_waiting()
    return challenge


def table(html: str) -> dict[str, str]:
    body = html.split("chart-table")[1].split("<tbody>")[1].split("</tbody>")[0]
    rows = [row.split("</th>") for row in body.split("</tr>") if "</th>" in row]
    return {words(row[0]): words(row[1]) for row in rows}


def test_each_task_says_how_many_solved_it_and_who(client: Client, models: Challenge) -> None:
    html = get(client, PAGE)
    assert table(html) == {
        "easy": "1.000 5 of 5 all –",
        "hard": "0.500 2 of 5 ember, atlas −0.71",
        "none": "0.000 0 of 5 none –",
        "<i>odd/name</i>": "0.500 1 of 2 boreas –",
    }
    assert "<i>odd" not in html


def test_tasks_are_put_in_order(client: Client, models: Challenge) -> None:
    assert next(iter(table(get(client, f"{PAGE}?order=hardest")))) == "none"
    assert next(iter(table(get(client, f"{PAGE}?order=easiest")))) == "easy"
    assert next(iter(table(get(client, f"{PAGE}?order=discrimination")))) == "hard"
    get(client, f"{PAGE}?order=x", 404)
    get(client, f"{PAGE}?metric=x", 404)
    get(client, f"{PAGE}?page=2", 404)


def test_the_picture_has_a_row_for_each_entry(client: Client, models: Challenge) -> None:
    wide = get(client, PAGE).split('task-map wide"')[1].split("</svg>")[0]
    names = re.findall(r'href="/c/models/p/([a-z]+)/"', wide)
    assert sorted(names) == sorted(SOLVED)
    assert len(re.findall(r"/c/models/task/\?task=", wide)) == 4
    cells = {
        state: wide.split(f'<path class="{state}" d="')[1].split('"')[0].count("M")
        for state in ("full", "partly", "empty", "missing")
    }
    assert cells == {"full": 8, "partly": 1, "empty": 8, "missing": 3}


def test_many_tasks_are_bins(
    client: Client, models: Challenge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leaderboard.pages.analysis.tasks.MOST_COLUMNS", 3)
    html = get(client, PAGE)
    assert "neighbouring tasks" in html
    assert "/c/models/task/" not in html.split("</svg>")[0]


def test_a_task_has_a_page_with_every_entry(client: Client, models: Challenge) -> None:
    html = get(client, "/c/models/task/?task=hard")
    text = words(html)
    assert "Solved by 2 of 5" in text
    assert text.index("atlas") < text.index("ceres")
    assert "The tool crashed." in text
    assert "failed" in text
    assert '<h2 id="task-title">hard</h2>' in html
    for query in ("", "?task=nothing", "?task=hard&metric=x"):
        get(client, f"/c/models/task/{query}", 404)
    odd = get(client, "/c/models/task/?task=%3Ci%3Eodd/name%3C/i%3E")
    assert "<i>odd" not in odd
    assert "ceres" not in words(odd.split("<tbody>")[1])


def test_hidden_samples_are_not_counted(client: Client, as_ann: Client, models: Challenge) -> None:
    hidden: list[dict[str, object]] = [
        {"board": "organisers"},
        {"scores": "hidden"},
        {"attempts": "own"},
        {"decimals": 2},
    ]
    for fields in hidden:
        set_phase(models, **fields)
        html = get(client, PAGE)
        assert "hard" not in words(html).replace("hardest", ""), fields
        get(client, "/c/models/task/?task=hard", 404)
        assert "ember, atlas" in get(as_ann, PAGE), fields


@pytest.mark.parametrize(
    ("declared", "direction", "summary", "first", "second"),
    [
        (
            {"min": 0, "max": 100},
            "desc",
            "no entry solved 1",
            "74.0 1 of 2 boreas",
            "24.0 0",
        ),
        ({"min": 0, "max": 100}, "asc", "no entry solved 1", "74.0 0", "24.0 1 of 2 boreas"),
        ({}, "desc", "Nothing declares the best value", "74.0 –", "24.0 –"),
    ],
)
def test_solved_means_the_declared_bound_on_the_side_of_the_direction(
    client: Client,
    make: Make,
    ben: User,
    declared: dict[str, int],
    direction: str,
    summary: str,
    first: str,
    second: str,
) -> None:
    challenge = make(
        "Models",
        "metric",
        metrics=[{"type": "mean", "reward": "r"}],
        rewards=[{"name": "r", **declared}],
        rank_by=[{"key": "mean", "direction": direction}],
        columns=[{"key": "mean", "decimals": 1}],
    )
    for name, values in {"atlas": (48.0, 48.0), "boreas": (100.0, 0.0)}.items():
        samples = [Sample(task, 0, {"r": value}) for task, value in zip("ab", values, strict=True)]
        attempt_of(ben, challenge, name, samples=samples)
    score_waiting()
    html = get(client, PAGE)
    assert summary in words(html)
    for row, expected in zip(table(html).values(), (first, second), strict=True):
        assert row.startswith(expected)
    assert ("task-map" in html) == bool(declared)
    hardest = next(iter(table(get(client, f"{PAGE}?order=hardest"))))
    assert hardest == ("a" if direction == "asc" else "b")


def test_a_challenge_without_samples_has_no_table_of_tasks(client: Client, make: Make) -> None:
    make("Models")
    assert "chart-table" not in get(client, PAGE)
    get(client, "/c/models/task/?task=x", 404)


def test_too_many_samples_are_left_out(
    client: Client, models: Challenge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leaderboard.services.competition.visible.samples.MOST_SAMPLES", 17)
    html = get(client, PAGE)
    assert "3 further entries" in words(html)
    assert table(html)["easy"].startswith("1.000 2 of 2")


def test_no_address_reveals_private_tasks_before_the_end(
    client: Client, as_ann: Client, make: Make, ben: User
) -> None:
    names = ("open one", "open two", "secret one", "secret two")
    challenge = make(
        "Models",
        "metric",
        metrics=["mean"],
        rank_by=[{"key": "mean"}],
        tasks=[{"name": name} for name in names],
        split={"public": ["open one", "open two"]},
    )
    for who in ("atlas", "boreas"):
        samples = [Sample(name, 0, {"reward": float(who == "atlas")}) for name in names]
        attempt_of(ben, challenge, who, samples=samples)
    score_waiting()
    for reader in (client, as_ann):
        assert [*table(get(reader, PAGE))] == ["open one", "open two"]
        assert "secret" not in get(reader, PAGE)
        assert "secret" not in get(reader, "/c/models/compare/?p=atlas,boreas")
        assert "open two" in get(reader, "/c/models/compare/?p=atlas,boreas")
        get(reader, "/c/models/task/?task=secret+one", 404)
