"""Organisers change the metrics of a challenge, and what it ranks by."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from leaderboard.models import Challenge, User
from leaderboard.services.challenges.challenges import change_challenge
from tests.pages.conftest import Make
from tests.pages.manage.forms import inputs, saved, stored
from tests.pages.reading import get, words

pytestmark = pytest.mark.django_db
PAGE = "/c/sprint/manage/metrics/"
METRICS: list[Any] = [
    "pass@2",
    {"type": "mean", "name": "easy", "reward": "solved", "group": "easy", "min_coverage": 0.5},
    {"type": "mean", "name": "even", "over": "groups", "failed": "exclude", "reported": "allow"},
    {"type": "mean_win_rate", "of": ["easy", {"key": "cost_per_task", "direction": "asc"}]},
]
TEXTS: list[Any] = ["CHRF", {"id": "F1", "name": "f1", "parameters": {"ignore_case": True}}]


@pytest.fixture
def bench(make: Make) -> Challenge:
    return make(
        "Sprint",
        "metric",
        rank_by=[{"key": "easy", "direction": "desc"}],
        metrics=METRICS,
        text_metrics=TEXTS,
        tasks=[{"name": "lock", "group": "easy", "rewards": ["solved"]}],
    )


def added(client: Client, kind: str, part: str, chosen: str) -> dict[str, str]:
    """Return what the form sends once a metric was added to it and chosen."""
    more = client.post(PAGE, {**inputs(get(client, PAGE)), "more": kind}).content.decode()
    sent = inputs(more)
    (new,) = [name for name in sent if name.endswith(f".{part}") and not sent[name]]
    return inputs(client.post(PAGE, {**sent, new: chosen, "action": "preview"}).content.decode())


def test_saving_without_a_change_changes_nothing(bench: Challenge, as_ann: Client) -> None:
    answer = saved(as_ann, PAGE)
    assert answer.status_code == 302, words(answer.content.decode())
    assert stored(bench).pk == bench.newest_config_id


def test_the_settings_of_each_metric_are_shown(bench: Challenge, as_ann: Client) -> None:
    sent = inputs(get(as_ann, PAGE))
    assert (sent["metrics.0.type"], sent["metrics.0.k"]) == ("pass@K", "2")
    assert (sent["metrics.1.group"], sent["metrics.1.min_coverage"]) == ("easy", "0.5")
    assert (sent["metrics.2.over"], sent["metrics.2.failed"]) == ("on", "exclude")
    assert sent["metrics.3.of"].split("\n") == ["easy", "cost_per_task asc"]
    assert sent["text_metrics.1.parameters.ignore_case"] == "on"


def test_several_metrics_are_ticked_at_once(bench: Challenge, as_ann: Client) -> None:
    ticked = {"metrics_chosen": ["max", "pass@K"], "metrics_k": "2", "text_metrics_chosen": "ROUGE"}
    page = as_ann.post(PAGE, {**inputs(get(as_ann, PAGE)), **ticked}).content.decode()
    assert "max" in words(page.partition('id="preview"')[2])
    assert stored(bench).pk == bench.newest_config_id, "a preview stores nothing"
    wrong = saved(as_ann, PAGE, **{**ticked, "metrics_k": "9" * 30})
    assert 'id="id_metrics_chosen_error"' in wrong.content.decode()
    assert saved(as_ann, PAGE, **ticked).status_code == 302
    assert stored(bench).metrics == [*METRICS, "max"], "pass@2 is there already"
    assert stored(bench).text_metrics == [*TEXTS, "ROUGE"]


def test_metrics_are_changed_and_removed(bench: Challenge, as_ann: Client) -> None:
    changes = {
        "metrics__0__k": "4",
        "metrics__1__min_coverage": "",
        "metrics__2__type": "",
        "metrics__3__of": "easy\r\nelapsed_ms asc",
        "text_metrics__0__parameters.char_order": "4",
        "text_metrics__1__reported": "rank",
    }
    answer = saved(as_ann, PAGE, **changes)
    assert answer.status_code == 302, words(answer.content.decode())
    assert stored(bench).metrics == [
        {"type": "pass@4"},
        {"type": "mean", "name": "easy", "reward": "solved", "group": "easy"},
        {"type": "mean_win_rate", "of": ["easy", {"key": "elapsed_ms", "direction": "asc"}]},
    ]
    assert stored(bench).text_metrics == [
        {"id": "CHRF", "parameters": {"char_order": 4}},
        {"id": "F1", "name": "f1", "parameters": {"ignore_case": True}, "reported": "rank"},
    ]


def test_a_metric_is_added_and_ranked_by(bench: Challenge, as_ann: Client) -> None:
    sent = added(as_ann, "metrics", "type", "pass^K")
    assert "metrics.4.k" in sent
    sent |= {"metrics.4.k": "3", "metrics.4.name": "steady", "rank_by.1.key": "steady"}
    page = as_ann.post(PAGE, {**sent, "action": "preview"}).content.decode()
    assert "version 2" in words(page)
    assert '<option value="steady" selected' in page
    assert as_ann.post(PAGE, {**sent, "action": "save"}).status_code == 302
    assert stored(bench).metric_specs[4].as_json() == {"type": "pass^3", "name": "steady"}
    assert [key["key"] for key in stored(bench).rank_by] == ["easy", "steady"]
    assert stored(bench).metrics[:4] == bench.newest.metrics


def test_a_text_metric_shows_its_settings(bench: Challenge, as_ann: Client) -> None:
    sent = added(as_ann, "text_metrics", "id", "SACREBLEU")
    assert sent["text_metrics.2.parameters.smooth_method"]
    sent |= {"text_metrics.2.parameters.lowercase": "on", "action": "save"}
    answer = as_ann.post(PAGE, sent)
    assert answer.status_code == 302, words(answer.content.decode())
    assert stored(bench).text_metrics == [
        *TEXTS,
        {"id": "SACREBLEU", "parameters": {"lowercase": True}},
    ]


def test_a_disabled_text_metric_stays_so(bench: Challenge, ann: User, as_ann: Client) -> None:
    off = {"id": "CHRF", "enable": False}
    change_challenge(bench, user=ann, fields={"text_metrics": [off]})
    assert saved(as_ann, PAGE, text_metrics__0__name="c").status_code == 302
    assert stored(bench).text_metrics == [{**off, "name": "c"}]
    assert saved(as_ann, PAGE, text_metrics__0__enable="on").status_code == 302
    assert stored(bench).text_metrics == [{"id": "CHRF", "name": "c"}]


def test_a_button_removes_a_metric_from_the_form(bench: Challenge, as_ann: Client) -> None:
    sent = {**inputs(get(as_ann, PAGE)), "remove": "metrics.2"}
    page = as_ann.post(PAGE, sent).content.decode()
    assert "metrics.2.type" not in page
    assert stored(bench).pk == bench.newest_config_id
    assert as_ann.post(PAGE, {**inputs(page), "action": "save"}).status_code == 302
    assert stored(bench).metrics == [*bench.newest.metrics[:2], bench.newest.metrics[3]]


def test_errors_are_at_their_fields(bench: Challenge, as_ann: Client) -> None:
    for changes, field in (
        ({"metrics__0__k": "0"}, "metrics.0.k"),
        ({"metrics__1__name": "pass@2"}, "metrics.1.type"),
        ({"metrics__1__min_coverage": "7"}, "metrics.1.min_coverage"),
        ({"metrics__1__group": "hard"}, "metrics.1.group"),
        ({"metrics__2__group": "easy"}, "metrics.2.over"),
        ({"metrics__2__type": "meann"}, "metrics.2.type"),
        ({"metrics__0__type": "", "metrics__3__of": ""}, "metrics.3.of"),
        ({"text_metrics__0__id": "CHRFF"}, "text_metrics.0.id"),
        ({"text_metrics__0__parameters.char_order": "x"}, "text_metrics.0.parameters.char_order"),
        ({"text_metrics__0__parameters.char_order": "0"}, "text_metrics.0.parameters.char_order"),
        ({"text_timeout_ms": "0"}, "text_timeout_ms"),
        ({"rank_by__1__key": "elapsed_m"}, "rank_by.1.key"),
    ):
        answer = saved(as_ann, PAGE, **changes)
        assert answer.status_code == 422, changes
        assert f'id="id_{field}_error"' in answer.content.decode(), changes
    assert stored(bench).pk == bench.newest_config_id


def test_a_script_is_typed(bench: Challenge, as_ann: Client, settings: Any) -> None:
    assert 'value="uv-script"' not in get(as_ann, PAGE)
    settings.METRIC_SCRIPTS = True
    sent = added(as_ann, "metrics", "type", "uv-script")
    assert sent["metrics.4.script"] == ""
    assert as_ann.post(PAGE, {**sent, "action": "save"}).status_code == 422
