"""Orders under other weights, as the page shows them."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from django.test import Client

from leaderboard.models import Challenge, User
from leaderboard.pages.analysis import what_if_settings
from leaderboard.services.challenges.challenges import change_challenge
from leaderboard.services.plugins.descriptions import described
from scorers.weighted import WeightedConfig, WeightedScorer
from tests.pages.conftest import Make, Submit
from tests.pages.reading import get, words
from tests.people import signed_in

pytestmark = pytest.mark.django_db

PATH = "/c/prompt-escape/what-if/"


@pytest.fixture
def escape(weighted: Challenge, submit: Submit) -> Challenge:
    """Atlas: 100 + 4 × 15 − 80 s × 0.5 = 120. Boreas: 100 + 2 × 15 − 40 s × 0.5 = 110."""
    submit(weighted, "atlas", rating=4, elapsed_ms=80_000)
    submit(weighted, "boreas", rating=2, elapsed_ms=40_000)
    return weighted


def ranked(html: str) -> list[str]:
    """Return the names in the new order."""
    table = html[html.index('id="new-order"') :]
    return re.findall(r'<th scope="row"><a [^>]*><bdi>([^<]+)</bdi></a>', table)


def test_settings_of_the_scorer_are_varied_by_name(escape: Challenge) -> None:
    html = get(Client(), PATH)
    assert ranked(html) == ["atlas", "boreas"]
    for name, value in (("success_bonus", 100), ("rating_weight", 15), ("time_penalty", 0.5)):
        assert f'name="s.{name}" value="{value}"' in html
    assert 'name="s.token_penalty"' not in html, "it counts nothing for any entry"
    # 2 r − 20 ≥ 0 for the rating; 30 − 40 t ≥ 0 for the time.
    for span in ("from 10 on", "up to 0.75", "at any value"):
        assert span in html
    assert 'href="?by=columns"' in html
    assert '<svg class="chart slopes"' not in html, "nothing has moved"
    assert f'href="{PATH}"' in get(Client(), "/c/prompt-escape/compare/")


def test_another_weight_gives_another_order(escape: Challenge) -> None:
    html = get(Client(), f"{PATH}?s.time_penalty=1")
    assert ranked(html) == ["boreas", "atlas"]
    table = words(html[html.index('id="new-order"') :])
    for part in ("90.00", "80.00", "1 place up", "1 place down", "2 of 2"):
        assert part in table
    assert "-80.00" in table.replace("−", "-")
    assert '<svg class="chart slopes"' in html


def test_an_order_under_other_settings_is_the_one_that_the_scorer_gives(
    weighted: Challenge, submit: Submit
) -> None:
    tries = {"atlas": (7, 31_000, 700), "boreas": (9, 77_000, 1400), "ceres": (5, 9_000, 50)}
    for name, (rating, elapsed, tokens) in tries.items():
        submit(weighted, name, rating=rating, elapsed_ms=elapsed, tokens_total=tokens)
    other = WeightedConfig(success_bonus=7, rating_weight=3.3, time_penalty=0.41, token_penalty=0.3)
    scores = {}
    for name, (rating, elapsed, tokens) in tries.items():
        facts = {"succeeded": True, "rating": rating, "elapsed_ms": elapsed, "tokens_total": tokens}
        scores[name] = WeightedScorer().score(facts, other.model_dump(), {})["score"]  # type: ignore[arg-type,typeddict-item]
    sent = "&".join(f"s.{name}={value}" for name, value in other.model_dump().items())
    html = get(Client(), f"{PATH}?{sent}")
    assert ranked(html) == sorted(scores, key=lambda name: -scores[name])
    for score in scores.values():
        assert f"<strong>{max(0.0, score):.2f}</strong>" in html


def test_a_setting_of_zero_has_no_stored_effect(weighted: Challenge, submit: Submit) -> None:
    fields = {"scoring_config": {"rating_weight": 0, "time_penalty": -1.0}}
    change_challenge(weighted, user=None, fields=fields)
    submit(weighted, "atlas", rating=4, elapsed_ms=80_000)
    submit(weighted, "boreas", rating=2, elapsed_ms=40_000)
    html = get(Client(), PATH)
    assert 'name="s.rating_weight"' not in html
    assert 'name="s.success_bonus" value="100"' in html
    assert 'name="w.time_penalty" value="1"' in html, "a setting below 0 is weighed as a term"


def test_settings_that_are_not_public_are_weighed_as_terms(escape: Challenge, ann: User) -> None:
    change_challenge(escape, user=ann, fields={"config_visibility": "organiser"})
    html = get(Client(), PATH)
    assert 'name="w.rating_contribution" value="1"' in html
    assert "rating_weight" not in html
    assert 'name="s.rating_weight" value="15"' in get(signed_in(ann), PATH)


def test_settings_that_the_scorer_does_not_declare_are_weighed_as_terms(
    escape: Challenge, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = described("scorers.weighted:WeightedScorer")
    silent = replace(whole, multiplies={})
    monkeypatch.setattr(what_if_settings, "described_scorer", lambda *names: silent)
    assert ranked(get(Client(), f"{PATH}?w.time_penalty=2")) == ["boreas", "atlas"]
    partly = replace(whole, multiplies={"rating_weight": "rating_contribution"})
    monkeypatch.setattr(what_if_settings, "described_scorer", lambda *names: partly)
    html = get(Client(), PATH)
    assert 'name="s.rating_weight"' in html
    assert 'name="w.base"' in html
    assert "success_bonus, time_penalty, token_penalty:" in html


def test_columns_can_be_weighed_in_place_of_the_score(escape: Challenge) -> None:
    html = get(Client(), f"{PATH}?by=columns&phase=main")
    assert 'name="w.score" value="1"' in html
    for name, value in (("by", "columns"), ("phase", "main")):
        assert f'<input type="hidden" name="{name}" value="{value}">' in html
    assert Client().get(f"{PATH}?phase=none").status_code == 404


def test_a_wrong_weight_is_named(escape: Challenge) -> None:
    for sent in ("x", "-1", "nan", "inf", "101", "1e999"):
        html = get(Client(), f"{PATH}?s.time_penalty={sent}")
        assert "from 0 to 50; got &quot;" in html, sent
        assert 'id="new-order"' not in html, sent


def test_values_below_zero_count_as_zero(weighted: Challenge, submit: Submit) -> None:
    submit(weighted, "atlas", elapsed_ms=10_000)
    submit(weighted, "boreas", rating=1, succeeded=False, elapsed_ms=200_000)
    html = get(Client(), f"{PATH}?s.success_bonus=0")
    assert ranked(html) == ["atlas", "boreas"]
    assert "<strong>0.00</strong>" in html


def test_terms_that_are_not_public_are_not_weighed(escape: Challenge, ann: User) -> None:
    change_challenge(escape, user=ann, fields={"details_visibility": "organiser"})
    html = get(Client(), PATH)
    assert 'name="w.base"' not in html
    assert 'name="s.rating_weight"' not in html
    assert 'name="w.score" value="1"' in html
    assert 'name="w.elapsed_ms" value="0"' in html


def test_columns_are_weighed_where_no_scorer_is(make: Make, submit: Submit) -> None:
    sprint = make("Sprint", "highest_rating")
    submit(sprint, "atlas", rating=9, cost_usd=4.0)
    submit(sprint, "boreas", rating=8, cost_usd=1.0)
    submit(sprint, "ceres", rating=7)
    html = get(Client(), "/c/sprint/what-if/")
    assert ranked(html) == ["atlas", "boreas", "ceres"]
    # On the scale, atlas has 1 and 0 and boreas has 0.5 and 1: 1/2 against 1.5/2.
    html = get(Client(), "/c/sprint/what-if/?w.cost_usd=1")
    assert ranked(html) == ["boreas", "atlas"]
    assert "0.750" in html
    assert "0.500" in html
    assert "ceres" in html[html.index('id="missing"') :]


def test_a_board_without_values_has_nothing_to_weigh(make: Make) -> None:
    make("Empty", "fastest")
    assert 'name="w.' not in get(Client(), "/c/empty/what-if/")


def test_with_the_official_settings_values_are_those_of_the_board(
    escape: Challenge, submit: Submit
) -> None:
    """Also where the exact sum of the terms (131.015) differs from the score in its last bit."""
    attempt = submit(escape, "echo", rating=4.1, elapsed_ms=1010, tokens_total=1499)
    assert attempt.scores.get().value == 131.01500000000001
    assert "131.02" in words(get(Client(), "/c/prompt-escape/"))
    html = get(Client(), PATH)
    assert "131.02" in words(html[html.index('id="new-order"') :])
