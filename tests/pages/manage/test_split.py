"""Organisers choose which tasks are private."""

from __future__ import annotations

import pytest
from django.test import Client

from leaderboard.models import Challenge
from tests.pages.conftest import Make
from tests.pages.manage.forms import inputs, saved, stored
from tests.pages.reading import get, words

pytestmark = pytest.mark.django_db
PAGE = "/c/sprint/manage/split/"


@pytest.fixture
def bench(make: Make) -> Challenge:
    tasks = [{"name": name, "rewards": ["solved"]} for name in ("lock", "door", "gate", "key")]
    return make("Sprint", "metric", rank_by=[{"key": "mean:solved"}], metrics=["mean"], tasks=tasks)


def test_saving_without_a_change_changes_nothing(bench: Challenge, as_ann: Client) -> None:
    assert saved(as_ann, PAGE).status_code == 302
    assert stored(bench).split is None


def test_a_split_is_a_share_a_list_or_nothing(bench: Challenge, as_ann: Client) -> None:
    assert saved(as_ann, PAGE, way="share", share="0.5", seed="x").status_code == 302
    assert stored(bench).split == {"share": 0.5, "seed": "x"}
    assert inputs(get(as_ann, PAGE))["share"] == "0.5"
    assert saved(as_ann, PAGE, way="list", public="door\n\nkey\n").status_code == 302
    assert stored(bench).split == {"public": ["door", "key"]}
    assert inputs(get(as_ann, PAGE))["public"] == "door\nkey"
    rules = get(as_ann, "/c/sprint/rules/")
    assert "2 public tasks of 4" in words(rules)
    assert rules.count(">private<") == 2
    assert saved(as_ann, PAGE, way="none").status_code == 302
    assert stored(bench).split is None


def test_a_wrong_split_is_refused(bench: Challenge, as_ann: Client) -> None:
    for changes, message in (
        ({"way": "share", "share": "1"}, "got 1.0"),
        ({"way": "share", "share": ""}, "got null"),
        ({"way": "list", "public": "window"}, "got window"),
        ({"way": "list", "public": ""}, "1 to 10000"),
        ({"way": "some"}, "got some"),
    ):
        answer = saved(as_ann, PAGE, **changes)
        assert answer.status_code == 422, changes
        assert message in words(answer.content.decode()), changes
    assert stored(bench).split is None
