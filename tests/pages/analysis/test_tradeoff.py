"""The trade-off between two columns of a board."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pytest
from django.test import Client

from leaderboard.models import Challenge, User
from leaderboard.services.scoring.single import score_waiting
from tests.helpers.attempts import attempt_of
from tests.pages.conftest import Make
from tests.pages.reading import get, words

pytestmark = pytest.mark.django_db

PUBLISHED = {
    "a": (1, 0.50),
    "b": (2, 0.60),
    "c": (2.5, 0.58),
    "d": (4, 0.61),
    "e": (10, 0.75),
    "f": (10, 0.75),
    "g": (12, 0.74),
}
"""Costs and accuracies, of which a, b, d, e and f are not dominated."""
PAGE = "/c/models/tradeoff/"


@pytest.fixture
def models(make: Make, ben: User) -> Challenge:
    """Models with a reported accuracy, by which they rank, and a cost."""
    challenge = make("Models", "metric", rank_by=[{"key": "accuracy"}], values=["accuracy"])
    entered(challenge, ben, PUBLISHED)
    return challenge


def entered(
    challenge: Challenge, user: User, entries: Mapping[str, tuple[float | None, float | None]]
) -> None:
    for name, (cost, accuracy) in entries.items():
        facts: dict[str, Any] = {"succeeded": True}
        if cost is not None:
            facts["cost_usd"] = cost
        values = {} if accuracy is None else {"accuracy": accuracy}
        attempt_of(user, challenge, name, metrics=facts, values=values)
    score_waiting()


def drawn(html: str, kind: str) -> list[str]:
    """Return the names of the points of one kind in the wide drawing, in their order."""
    wide = html.split('class="chart wide"')[1].split("</svg>")[0]
    return re.findall(rf'aria-label="([^":]+)[^"]*" class="{kind}"', wide)


def dominated(html: str) -> dict[str, str]:
    """Return what the table says of each entry."""
    table = html.split("chart-table")[1].split("</table>")[0].split("<tbody>")[1]
    rows = [words(row).split() for row in table.split("</tr>") if "<td" in row]
    return {row[1]: row[-1] for row in rows}


def test_the_line_is_that_of_a_published_example(client: Client, models: Challenge) -> None:
    html = get(client, PAGE)
    assert drawn(html, "best") == ["a", "b", "d", "e", "f"]
    assert drawn(html, "dominated") == ["g", "c"]
    assert dominated(html) == {
        **dict.fromkeys("abdef", "no"),
        **dict.fromkeys("cg", "yes"),
    }
    assert "5 of 7" in words(html)
    assert 'href="/c/models/p/a/" aria-label="a: Cost $1.0000, accuracy 0.50;' in html


def test_any_two_columns_are_set_against_each_other(client: Client, models: Challenge) -> None:
    html = get(client, f"{PAGE}?x=accuracy&y=cost_usd")
    assert drawn(html, "best") == ["e", "f", "d", "b", "a"]
    same = get(client, f"{PAGE}?x=accuracy&y=accuracy")
    assert drawn(same, "best") == ["e", "f"]
    by_time = get(client, f"{PAGE}?x=submitted_at")
    assert drawn(by_time, "best")[0] == "a"


def test_the_url_chooses_the_scales(client: Client, models: Challenge) -> None:
    linear, log = get(client, PAGE), get(client, f"{PAGE}?x_axis=log&y_axis=linear")
    for html, scale in ((linear, "linear"), (log, "log")):
        chosen = html.split('id="x_axis"')[1].split("</select>")[0]
        assert f'value="{scale}" selected' in chosen
    assert drawn(linear, "best") == drawn(log, "best")
    assert linear.split('<path class="line"')[1] != log.split('<path class="line"')[1]


def test_unknown_columns_and_scales_are_not_found(client: Client, models: Challenge) -> None:
    for query in ("?x=nothing", "?x_axis=odd", "?phase=none"):
        get(client, PAGE + query, 404)


def test_an_entry_without_a_value_is_listed_and_not_at_zero(
    client: Client, models: Challenge, ben: User
) -> None:
    entered(models, ben, {"h": (None, 0.9), "i": (0.5, None), "j": (0, 0.7)})
    html = get(client, f"{PAGE}?x_axis=log")
    assert not {"h", "i", "j"} & {*drawn(html, "best"), *drawn(html, "dominated")}
    listed = words(html.split("Not in the chart")[1])
    assert "h Cost, reported: no value" in listed
    assert "i " in listed
    assert "0 or less" in listed
    assert "j" in drawn(get(client, f"{PAGE}?x_axis=linear"), "best")


@pytest.mark.django_db(transaction=True)
def test_a_row_out_of_the_ranking_is_a_diamond(
    client: Client, as_ann: Client, models: Challenge
) -> None:
    sent = {"action": "row", "participant": "c", "row": "baseline"}
    as_ann.post("/c/models/people/", sent)
    html = get(client, PAGE)
    assert "c" in drawn(html, "dominated")
    point = html.split('aria-label="c:')[1].split("</a>")[0]
    assert '<path class="dot"' in point
    assert "Baseline" in words(html.split("<table")[1])


def test_a_board_of_one_entry_or_none_has_a_page(client: Client, make: Make, ben: User) -> None:
    challenge = make("Models", "metric", rank_by=[{"key": "accuracy"}], values=["accuracy"])
    assert "chart-table" not in get(client, PAGE)
    entered(challenge, ben, {"<b>only</b>": (3, 0.5)})
    html = get(client, PAGE)
    assert "1 of 1" in words(html)
    assert "<b>only" not in html


def test_a_long_board_is_cut_and_says_so(
    client: Client, models: Challenge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leaderboard.pages.analysis.tradeoff.MOST_ROWS", 3)
    html = get(client, PAGE)
    assert "first 3 of 7 rows" in words(html)
    assert drawn(html, "best") == ["e", "f"]
