"""Two to eight entries, compared metric by metric."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from leaderboard.models import Challenge, User
from leaderboard.pages.analysis import compare
from leaderboard.rules.rewards.evidence import Sample
from leaderboard.services.scoring.single import score_waiting
from tests.helpers.attempts import attempt_of
from tests.helpers.phases import set_phase
from tests.pages.conftest import Make
from tests.pages.reading import get, words

pytestmark = pytest.mark.django_db

PAGE = "/c/models/compare/"
PUBLISHED = [(1, 1)] * 60 + [(1, 0)] * 15 + [(0, 1)] * 5 + [(0, 0)] * 20
"""100 tasks: both solve 60, only the first 15, only the second 5, neither 20."""


@pytest.fixture
def models(make: Make) -> Challenge:
    return make(
        "Models",
        "metric",
        metrics=["pass_rate", {"type": "mean", "name": "grade", "reward": "reward"}],
        rank_by=[{"key": "grade"}],
    )


def sent(
    challenge: Challenge, user: User, name: str, rewards: list[float], cost: float = 0.0
) -> None:
    usage = {"cost_usd": cost} if cost else None
    samples = [
        Sample(f"task-{at:03}", 0, {"reward": float(reward)}, usage)
        for at, reward in enumerate(rewards)
    ]
    attempt_of(user, challenge, name, samples=samples)
    score_waiting()


def published(challenge: Challenge, user: User) -> None:
    sent(challenge, user, "a", [first for first, _ in PUBLISHED], cost=0.2)
    sent(challenge, user, "b", [second for _, second in PUBLISHED], cost=0.1)


def lines(html: str, heading: str) -> dict[str, str]:
    """Return the lines of the table below a heading, by their first cell."""
    table = html.split(f">{heading}</h2>")[1].split("<tbody>")[1].split("</tbody>")[0]
    rows = [row.split("</th>") for row in table.split("</tr>") if "</th>" in row]
    return {words(row[0]): words(row[1]) for row in rows}


def test_two_entries_are_compared_as_in_a_published_example(
    client: Client, models: Challenge, ben: User
) -> None:
    published(models, ben)
    html = get(client, f"{PAGE}?p=a,b")
    rows = lines(html, "a and b")
    label = "grade solved only by a: 15, only by b: 5"
    assert rows[label].startswith("+0.100 +0.013 to +0.187 ")
    assert rows[label].endswith(" 0.750 0.650 100 0.04381")
    assert "2 times that" in words(html)
    assert "corrected together" in words(html)


def test_small_differences_and_equal_values_are_put_in_words(
    client: Client, make: Make, ben: User
) -> None:
    metric = {"type": "mean", "name": "share", "reward": "reward"}
    challenge = make(
        "Models",
        "metric",
        metrics=[metric],
        rank_by=[{"key": "share"}],
        columns=[{"key": "share", "unit": "%", "decimals": 1}],
        rewards=[{"name": "reward", "min": 0, "max": 1}],
    )
    for name, cost in (("a", 0.00012), ("b", 0.00013)):
        sent(challenge, ben, name, [1.0] * 9 + [0.0], cost=cost)
    for name, first in (("c", 1.0), ("d", 0.0)):
        sent(challenge, ben, name, [first] + [1.0] * 9)
    same = words(get(client, f"{PAGE}?p=a,b"))
    assert "share : a and b have the same values on 10 tasks." in same
    assert "a is better by $0.000010 on 10 tasks" in same
    assert re.search(r"\+10\.0 points .*? 10 points", words(get(client, f"{PAGE}?p=c,d")))


def test_a_single_metric_needs_no_correction(client: Client, make: Make, ben: User) -> None:
    challenge = make("Models", "metric", metrics=["mean"], rank_by=[{"key": "mean"}])
    sent(challenge, ben, "a", [first for first, _ in PUBLISHED])
    sent(challenge, ben, "b", [second for _, second in PUBLISHED])
    html = get(client, f"{PAGE}?p=a&p=b")
    (line,) = lines(html, "a and b").values()
    assert line == "+0.100 +0.013 to +0.187 0.04139 0.750 0.650 100 0.04381"
    assert "better by 0.100" in words(html)


def test_the_tasks_that_differ_are_listed(
    client: Client, models: Challenge, ben: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    published(models, ben)
    html = get(client, f"{PAGE}?p=a,b")
    table = html.split('class="differing"')[1].split("</details>")[0]
    assert table.count("<tr>") == 21
    assert "task-060" in table
    assert "task-000" not in table
    monkeypatch.setattr("leaderboard.pages.analysis.pairs.MOST_TASKS", 3)
    assert "and 17 more" in words(get(client, f"{PAGE}?p=a,b"))


def test_the_first_entry_is_compared_with_each_other_one(
    client: Client, models: Challenge, ben: User
) -> None:
    published(models, ben)
    sent(models, ben, "c", [1.0] * 4)
    html = get(client, f"{PAGE}?p=b&p=a&p=c")
    text = words(html)
    assert "b and a" in text
    assert "b and c" in text
    assert "a and c" not in text
    assert "4 shared tasks" in text


def test_entries_without_samples_are_compared_by_values(
    client: Client, make: Make, ben: User
) -> None:
    challenge = make("Models", "metric", rank_by=[{"key": "accuracy"}], values=["accuracy"])
    for name, accuracy in (("a", 0.7), ("b", 0.6), ("c", 0.6)):
        attempt_of(ben, challenge, name, values={"accuracy": accuracy})
    score_waiting()
    html = get(client, f"{PAGE}?p=a,b")
    assert "<strong>0.70</strong>" in html
    assert "0.60" in html
    assert "<strong>0.60" not in get(client, f"{PAGE}?p=b,c"), "none is the best"


def test_unknown_entries_are_not_found(client: Client, models: Challenge, ben: User) -> None:
    published(models, ben)
    for query in ("?p=a,nobody", "?p=nobody", "?phase=x"):
        get(client, PAGE + query, 404)


def test_too_few_and_too_many_entries_are_refused_in_words(
    client: Client, models: Challenge, ben: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert 'name="p"' not in get(client, PAGE)
    published(models, ben)
    sent(models, ben, "c", [1.0] * 9)
    for query in ("?p=a", "?p=a&p=a"):
        assert "one more entry" in get(client, PAGE + query)
    monkeypatch.setattr(compare, "MOST", 2)
    html = get(client, f"{PAGE}?p=a,b,c")
    assert re.search("2 entries .* of 3", words(html))
    assert "a and c" not in words(html)


def test_the_form_lists_the_board(client: Client, models: Challenge, ben: User) -> None:
    published(models, ben)
    html = get(client, f"{PAGE}?p=b")
    boxes = html.split('class="compare-choice')[1].split("</form>")[0]
    assert 'name="p" value="a">' in boxes
    assert 'name="p" value="b" checked>' in boxes
    assert 'name="p" value="a" form="compare"' in get(client, "/c/models/")


def test_samples_that_are_hidden_are_not_compared(
    client: Client, as_ann: Client, models: Challenge, ben: User
) -> None:
    published(models, ben)
    for fields in ({"attempts": "own"}, {"decimals": 1}):
        set_phase(models, **fields)
        html = get(client, f"{PAGE}?p=a,b")
        assert "a and b" not in words(html)
        assert "task-0" not in html
        assert "a and b" in words(get(as_ann, f"{PAGE}?p=a,b"))
    assert "0.75" not in get(client, f"{PAGE}?p=a,b")


def test_hidden_boards_and_names_are_not_found(
    client: Client, models: Challenge, ben: User
) -> None:
    published(models, ben)
    for fields in ({"board": "organisers"}, {"names": "anonymous"}):
        set_phase(models, **fields)
        get(client, f"{PAGE}?p=a,b", 404)
    assert "Anonymous" in get(client, PAGE)
