"""Orders under other weights, as the page shows them."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from leaderboard.models import Challenge, User
from leaderboard.services.challenges.challenges import change_challenge
from tests.pages.conftest import Make, Submit
from tests.pages.reading import words

pytestmark = pytest.mark.django_db

PATH = "/c/prompt-escape/what-if/"


@pytest.fixture
def escape(weighted: Challenge, submit: Submit) -> Challenge:
    """Atlas: 100 + 4 × 15 − 80 s × 0.5 = 120. Boreas: 100 + 2 × 15 − 40 s × 0.5 = 110."""
    submit(weighted, "atlas", rating=4, elapsed_ms=80_000)
    submit(weighted, "boreas", rating=2, elapsed_ms=40_000)
    return weighted


def page(path: str, client: Client | None = None) -> str:
    response = (client or Client()).get(path)
    assert response.status_code == 200
    return response.content.decode()


def ranked(html: str) -> list[str]:
    """Return the names in the new order."""
    table = html[html.index('id="new-order"') :]
    return re.findall(r'<th scope="row"><a [^>]*>([^<]+)</a>', table)


def test_the_terms_of_a_score_have_weights(escape: Challenge) -> None:
    html = page(PATH)
    assert ranked(html) == ["atlas", "boreas"]
    assert "atlas is first with these weights, as on the board." in html
    for name in ("base", "rating_contribution", "time_penalty"):
        assert f'name="w.{name}" value="1"' in html
    assert 'name="w.token_penalty"' not in html, "it is 0 for everybody"
    # 30 r − 20 ≥ 0 for the rating; 30 − 20 t ≥ 0 for the time.
    assert "from 0.667 on" in html
    assert "up to 1.5" in html
    assert "with any weight" in html


def test_another_weight_gives_another_order(escape: Challenge) -> None:
    html = page(f"{PATH}?w.time_penalty=2")
    assert ranked(html) == ["boreas", "atlas"]
    assert "boreas is first with these weights; on the board, atlas is." in html
    assert "unofficial" in html
    table = words(html[html.index('id="new-order"') :])
    assert "90.00" in table
    assert "80.00" in table
    assert "1 place up" in table
    assert "1 place down" in table


@pytest.mark.parametrize("sent", ["x", "-1", "nan", "inf", "101", "1e999"])
def test_a_wrong_weight_is_named(escape: Challenge, sent: str) -> None:
    html = page(f"{PATH}?w.base={sent}")
    assert "must be a number from 0 to 100; got &quot;" in html
    assert "Correct the weights above" in html


def test_values_below_zero_count_as_zero(weighted: Challenge, submit: Submit) -> None:
    submit(weighted, "atlas", elapsed_ms=10_000)
    submit(weighted, "boreas", rating=1, succeeded=False, elapsed_ms=200_000)
    html = page(f"{PATH}?w.base=0")
    assert ranked(html) == ["atlas", "boreas"]
    assert "<strong>0.00</strong>" in html


def test_terms_that_are_not_public_are_not_weighed(escape: Challenge, ann: User) -> None:
    change_challenge(escape, user=ann, fields={"details_visibility": "organiser"})
    html = page(PATH)
    assert 'name="w.base"' not in html
    assert "The settings of the scorer cannot be varied here" in html
    assert 'name="w.score" value="1"' in html
    assert 'name="w.elapsed_ms" value="0"' in html


def test_columns_are_weighed_where_no_scorer_is(make: Make, submit: Submit) -> None:
    sprint = make("Sprint", "highest_rating")
    submit(sprint, "atlas", rating=9, cost_usd=4.0)
    submit(sprint, "boreas", rating=8, cost_usd=1.0)
    submit(sprint, "ceres", rating=7)
    html = page("/c/sprint/what-if/")
    assert ranked(html) == ["atlas", "boreas", "ceres"]
    # On the scale, atlas has 1 and 0 and boreas has 0.5 and 1: 1/2 against 1.5/2.
    html = page("/c/sprint/what-if/?w.cost_usd=1")
    assert ranked(html) == ["boreas", "atlas"]
    assert "0.750" in html
    assert "0.500" in html
    assert "Without a value for one of the weights" in html
    assert "ceres" in html[html.index('id="missing"') :]


def test_a_board_without_values_has_nothing_to_weigh(make: Make) -> None:
    make("Empty", "fastest")
    assert "Nothing on this board can be weighed" in page("/c/empty/what-if/")


def test_a_phase_stays_in_the_form(escape: Challenge) -> None:
    html = page(f"{PATH}?phase=main")
    assert '<input type="hidden" name="phase" value="main">' in html
    assert Client().get(f"{PATH}?phase=none").status_code == 404


def test_the_page_is_a_part_of_the_analysis(escape: Challenge) -> None:
    html = page("/c/prompt-escape/compare/")
    assert f'<a href="{PATH}">What if</a>' in html
