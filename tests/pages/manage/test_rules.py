"""Organisers change what a challenge says, scores and shows, in a browser."""

from __future__ import annotations

import pytest
from django.test import Client

from leaderboard.models import AuditEntry, Challenge, User
from leaderboard.services.board.reading.ranking import columns_of
from leaderboard.services.challenges.challenges import change_challenge
from leaderboard.services.scoring.single import score_waiting
from tests.helpers.attempts import attempt_of
from tests.pages.conftest import Make, Submit
from tests.pages.manage.forms import inputs, saved
from tests.pages.reading import get, words

pytestmark = pytest.mark.django_db
PAGE = "/c/sprint/manage/rules/"
HTMX = {"HX-Request": "true"}


def fresh(challenge: Challenge) -> Challenge:
    return Challenge.objects.get(pk=challenge.pk)


@pytest.fixture
def game(make: Make) -> Challenge:
    rank_by = [{"key": "solved", "direction": "desc"}]
    values = ["solved", "penalty"]
    return make("Sprint", "metric", rank_by=rank_by, values=values)


def test_saving_without_a_change_changes_nothing(game: Challenge, as_ann: Client) -> None:
    answer = saved(as_ann, PAGE)
    assert answer.status_code == 302, words(answer.content.decode())
    assert fresh(game).newest_config_id == game.newest_config_id
    assert not AuditEntry.objects.exists()


def test_saving_keeps_the_scorer_and_the_columns(
    weighted: Challenge, ann: User, as_ann: Client
) -> None:
    columns = [{"key": "elapsed_ms", "label": "Duration", "decimals": 1}, {"key": "rating"}]
    change_challenge(weighted, user=ann, fields={"columns": columns})
    path = f"/c/{weighted.slug}/manage/rules/"
    before = fresh(weighted)
    assert saved(as_ann, path).status_code == 302
    after = fresh(weighted)
    assert (after.columns, after.newest_config_id) == (before.columns, before.newest_config_id)


def test_texts_make_no_version(game: Challenge, ann: User, as_ann: Client) -> None:
    assert saved(as_ann, PAGE, name="Run", description="*Run.*", goal="Win.").status_code == 302
    changed = fresh(game)
    assert (changed.name, changed.description, changed.goal) == ("Run", "*Run.*", "Win.")
    assert changed.newest_config_id == game.newest_config_id
    entry = AuditEntry.objects.get()
    assert (entry.kind, entry.actor) == ("challenge", ann)


def test_the_ranking_and_the_columns_are_changed(game: Challenge, as_ann: Client) -> None:
    page = get(as_ann, PAGE)
    assert '<option value="penalty"' in page
    changes = {
        "rank_by__1__key": "penalty",
        "rank_by__1__direction": "asc",
        "rank_by__1__decimals": "2",
        "columns__0__key": "solved",
        "columns__0__label": "Solved tasks",
        "counting": "latest",
    }
    answer = saved(as_ann, PAGE, **changes)
    assert answer.status_code == 302, words(answer.content.decode())
    changed = fresh(game)
    assert changed.newest.rank_by == [
        {"key": "solved", "direction": "desc"},
        {"key": "penalty", "direction": "asc", "decimals": 2},
    ]
    assert (changed.newest.number, changed.newest.counting) == (2, "latest")
    assert changed.columns == [{"key": "solved", "label": "Solved tasks"}]
    assert {entry.kind for entry in AuditEntry.objects.all()} == {"challenge", "scoring"}


def test_another_scorer_is_chosen_with_its_settings(make: Make, as_ann: Client) -> None:
    challenge = make("Sprint")
    scorer = "scorers.weighted:WeightedScorer"
    sent = {**inputs(get(as_ann, PAGE)), "scoring_strategy": "custom", "scoring_entrypoint": scorer}
    preview = as_ann.post(PAGE, {**sent, "action": "preview"}).content.decode()
    assert 'name="scoring_config.rating_weight"' in preview
    answer = as_ann.post(
        PAGE, {**inputs(preview), "scoring_config.rating_weight": "7", "action": "save"}
    )
    assert answer.status_code == 302, words(answer.content.decode())
    config = fresh(challenge).newest
    assert (config.strategy, config.entrypoint) == ("custom", scorer)
    assert config.config["rating_weight"] == 7


def test_errors_are_at_their_fields(game: Challenge, as_ann: Client) -> None:
    for changes, field in (
        ({"name": ""}, "name"),
        ({"timeout_ms": "x"}, "timeout_ms"),
        ({"timeout_ms": "0"}, "timeout_ms"),
        ({"min_coverage": "2"}, "min_coverage"),
        ({"scoring_strategy": "none"}, "scoring_strategy"),
        ({"counting": "worst"}, "counting"),
        ({"rank_by__2__key": "elapsed_m"}, "rank_by.2.key"),
        ({"rank_by__0__key": ""}, "rank_by.0.key"),
        ({"columns__1__key": "solved", "columns__1__decimals": "99"}, "columns.1.decimals"),
        ({"columns__0__key": "solved", "columns__0__hidden": "on"}, "columns.0.hidden"),
        ({"values": "solved\nsolved"}, "values"),
        ({"scoring_entrypoint": "os:system", "scoring_strategy": "custom"}, "scoring_entrypoint"),
    ):
        answer = saved(as_ann, PAGE, **changes)
        assert answer.status_code == 422, changes
        assert f'id="id_{field}_error"' in answer.content.decode(), changes
    assert fresh(game).newest_config_id == game.newest_config_id
    assert not AuditEntry.objects.exists()


def test_the_preview_stores_nothing(game: Challenge, as_ann: Client, submit: Submit) -> None:
    submit(game, "atlas", elapsed_ms=5)
    sent = {**inputs(get(as_ann, PAGE)), "rank_by.0.key": "elapsed_ms", "action": "save"}
    sent["name"] = ""
    page = as_ann.post(PAGE, {**sent, "name": "Run"}, headers=HTMX).content.decode()
    assert "Time" in words(page[page.index("<thead>") : page.index("</thead>")])
    assert "1 attempt " in words(page)
    wrong = as_ann.post(PAGE, sent, headers=HTMX)
    assert wrong.status_code == 200
    assert 'class="wrong"' not in wrong.content.decode()
    assert fresh(game).newest_config_id == game.newest_config_id
    assert fresh(game).name == "Sprint"


@pytest.mark.parametrize("rescore", [True, False])
def test_attempts_are_scored_again_if_asked_for(
    game: Challenge, as_ann: Client, submit: Submit, rescore: bool
) -> None:
    submit(game, "atlas", elapsed_ms=5)
    sent = {**inputs(get(as_ann, PAGE)), "rank_by.0.key": "elapsed_ms", "action": "save"}
    if not rescore:
        del sent["rescore"]
    as_ann.post(PAGE, sent)
    assert fresh(game).newest.is_rescoring is rescore


def test_a_stale_form_changes_nothing(game: Challenge, ann: User, as_ann: Client) -> None:
    sent = {**inputs(get(as_ann, PAGE)), "goal": "Win.", "action": "save"}
    change_challenge(game, user=ann, fields={"description": "New."})
    answer = as_ann.post(PAGE, sent)
    assert answer.status_code == 422
    assert (fresh(game).goal, fresh(game).description) == ("", "New.")


def test_columns_get_a_place_or_are_hidden(game: Challenge, as_ann: Client) -> None:
    changes = {
        "columns__0__key": "penalty",
        "columns__0__position": "1",
        "columns__0__decimals": "0",
        "columns__1__key": "elapsed_ms",
        "columns__1__hidden": "on",
    }
    assert saved(as_ann, PAGE, **changes).status_code == 302
    stored = [
        {"key": "penalty", "decimals": 0, "position": 1},
        {"key": "elapsed_ms", "hidden": True},
    ]
    assert fresh(game).columns == stored
    assert saved(as_ann, PAGE).status_code == 302
    assert fresh(game).columns == stored
    keys = [column.key for column in columns_of(fresh(game))]
    assert keys[:2] == ["solved", "penalty"]
    assert "elapsed_ms" not in keys


def test_the_preview_has_the_rows_in_the_new_order(
    game: Challenge, as_ann: Client, ben: User
) -> None:
    for name, values in (
        ("atlas", {"solved": 3.0, "penalty": 9.0}),
        ("bolt", {"solved": 2.0, "penalty": 1.0}),
    ):
        attempt_of(ben, game, name, values=dict(values))
    score_waiting()
    page_text = words(get(as_ann, PAGE))
    assert page_text.index("1 atlas 3.00") < page_text.index("2 bolt 2.00")
    form = inputs(get(as_ann, PAGE))
    key = next(name for name, value in form.items() if value == "solved" and "key" in name)
    form |= {key: "penalty", "action": "preview"}
    answer = as_ann.post(PAGE, form, headers=HTMX)
    text = words(answer.content.decode())
    assert text.index("1 atlas 9.00") < text.index("2 bolt 1.00")
