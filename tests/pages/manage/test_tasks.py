"""Organisers change the tasks of a challenge, in rows and from lists."""

from __future__ import annotations

import re
from io import BytesIO
from typing import Any

import pytest
from django.test import Client

from leaderboard.models import Challenge, User
from leaderboard.services.challenges.challenges import change_challenge
from tests.pages.conftest import Make
from tests.pages.manage.forms import inputs, saved, stored
from tests.pages.reading import get, words

pytestmark = pytest.mark.django_db
PAGE = "/c/sprint/manage/tasks/"
TASKS: list[dict[str, Any]] = [
    {"name": "lock", "rewards": ["solved", "style"], "group": "easy", "git_url": "https://a.org"},
    {"name": "door", "rewards": ["solved"], "weight": 2.0},
]
REWARDS = [{"name": "style", "min": 0.0, "max": 10.0}]


@pytest.fixture
def bench(make: Make) -> Challenge:
    return make(
        "Sprint",
        "metric",
        rank_by=[{"key": "mean:solved"}],
        metrics=["mean"],
        tasks=TASKS,
        rewards=REWARDS,
    )


def read(client: Client, **changes: Any) -> str:
    """Return the page after a list was read into the form."""
    sent = {**inputs(get(client, PAGE)), "action": "read", **changes}
    return str(client.post(PAGE, sent).content.decode())


def test_saving_without_a_change_changes_nothing(bench: Challenge, as_ann: Client) -> None:
    assert saved(as_ann, PAGE).status_code == 302
    assert stored(bench).pk == bench.newest_config_id


def test_rows_are_changed_added_and_removed(bench: Challenge, as_ann: Client) -> None:
    changes = {
        "tasks__0__name": "padlock",
        "tasks__1__name": "",
        "tasks__1__rewards": "",
        "tasks__1__weight": "",
        "tasks__3__name": "gate",
        "tasks__3__rewards": "solved",
        "tasks__3__group": "hard",
        "tasks__3__weight": "0.5",
        "rewards__0__max": "5",
    }
    answer = saved(as_ann, PAGE, **changes)
    assert answer.status_code == 302, words(answer.content.decode())
    assert stored(bench).tasks == [
        {**TASKS[0], "name": "padlock"},
        {"name": "gate", "rewards": ["solved"], "group": "hard", "weight": 0.5},
    ]
    assert stored(bench).rewards == [{"name": "style", "min": 0.0, "max": 5.0}]
    assert stored(bench).number == 2


def test_buttons_add_and_remove_rows_and_save_nothing(bench: Challenge, as_ann: Client) -> None:
    sent = inputs(get(as_ann, PAGE))
    removed = as_ann.post(PAGE, {**sent, "remove": "tasks.0"}).content.decode()
    assert "tasks.0.name" not in removed
    assert inputs(removed)["tasks.1.name"] == "door"
    more = as_ann.post(PAGE, {**sent, "more": "tasks"}).content.decode()
    assert more.count('.group"') > len([name for name in sent if name.endswith(".group")])
    assert stored(bench).pk == bench.newest_config_id
    answer = as_ann.post(PAGE, {**inputs(removed), "action": "save"})
    assert answer.status_code == 302
    assert stored(bench).tasks == [TASKS[1]]


def test_a_list_is_read_into_rows(bench: Challenge, as_ann: Client) -> None:
    page = read(as_ann, pasted="gate: solved\nfence")
    assert 'value="gate"' in page
    assert stored(bench).pk == bench.newest_config_id
    assert as_ann.post(PAGE, {**inputs(page), "action": "save"}).status_code == 302
    assert stored(bench).tasks == [
        *TASKS,
        {"name": "gate", "rewards": ["solved"]},
        {"name": "fence"},
    ]


def test_a_file_takes_the_place_of_the_tasks(bench: Challenge, as_ann: Client) -> None:
    table = BytesIO("name;rewards;weight\nlock;solved;3\nFenêtre;solved;\n".encode())
    table.name = "tasks.csv"
    sent = {**inputs(get(as_ann, PAGE)), "action": "save", "into": "replace", "file": table}
    assert as_ann.post(PAGE, sent).status_code == 302
    assert stored(bench).tasks == [
        {"name": "lock", "rewards": ["solved"], "weight": 3.0, "git_url": "https://a.org"},
        {"name": "Fenêtre", "rewards": ["solved"]},
    ]


def test_many_tasks_are_a_table(bench: Challenge, as_ann: Client) -> None:
    page = read(as_ann, pasted="\n".join(f"task-{number}: solved" for number in range(300)))
    assert "tasks.0.name" not in page
    assert as_ann.post(PAGE, {**inputs(page), "action": "save"}).status_code == 302
    assert [task["name"] for task in stored(bench).tasks[:3]] == ["lock", "door", "task-0"]
    assert len(stored(bench).tasks) == 302
    assert stored(bench).tasks[0] == TASKS[0]
    assert saved(as_ann, PAGE).status_code == 302
    assert stored(bench).number == 2
    wrong = inputs(get(as_ann, PAGE))
    wrong["table"] = wrong["table"].replace("task-7,solved,,", "task-7,solved,,heavy")
    answer = as_ann.post(PAGE, {**wrong, "action": "save"})
    assert answer.status_code == 422
    assert re.search('task-7: weight: [^;]*; got "heavy"', words(answer.content.decode()))
    wrong["table"] += "door,,,\n"
    wrong["table"] = wrong["table"].replace("heavy", "")
    answer = as_ann.post(PAGE, {**wrong, "action": "save"})
    assert 'id="id_table_error"' in answer.content.decode()


def test_errors_are_at_their_fields(bench: Challenge, as_ann: Client) -> None:
    for changes, field in (
        ({"tasks__0__weight": "-1"}, "tasks.0.weight"),
        ({"tasks__3__weight": "1"}, "tasks.3.name"),
        ({"tasks__4__name": "lock"}, "tasks.4.name"),
        ({"tasks__0__rewards": "solved, solved"}, "tasks.0.rewards"),
        ({"rewards__0__max": "-1"}, "rewards.0.max"),
        ({"rewards__1__min": "0"}, "rewards.1.name"),
        ({"num_samples": "0"}, "num_samples"),
        ({"pasted": "name,colour\nlock,red"}, "pasted"),
    ):
        answer = saved(as_ann, PAGE, **changes)
        assert answer.status_code == 422, changes
        assert f'id="id_{field}_error"' in answer.content.decode(), changes
    assert stored(bench).pk == bench.newest_config_id


def test_a_list_that_cannot_be_read_is_explained(bench: Challenge, as_ann: Client) -> None:
    page = words(read(as_ann, pasted="name,colour\nlock,red"))
    assert "name, rewards, group, weight" in page
    latin = BytesIO("name\nfenêtre\n".encode("latin-1"))
    latin.name = "tasks.csv"
    assert "UTF-8" in words(read(as_ann, file=latin))


def test_a_stale_form_changes_nothing(bench: Challenge, ann: User, as_ann: Client) -> None:
    sent = {**inputs(get(as_ann, PAGE)), "tasks.0.group": "hard", "action": "save"}
    change_challenge(bench, user=ann, fields={"tasks": TASKS[:1]})
    answer = as_ann.post(PAGE, sent)
    assert answer.status_code == 422
    assert stored(bench).tasks == TASKS[:1]
