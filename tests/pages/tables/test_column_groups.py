"""Columns of one group of tasks stand below its heading, which leads to an order by it alone."""

from __future__ import annotations

import pytest
from django.test import Client

from leaderboard.models import User
from leaderboard.services.scoring import single
from tests.helpers.attempts import attempt_of
from tests.pages.conftest import Make
from tests.pages.reading import get, words

pytestmark = pytest.mark.django_db


def test_columns_have_the_heading_of_their_group(make: Make, ann: User, client: Client) -> None:
    fields = {
        "scoring_strategy": "metric",
        "rank_by": [{"key": "mean"}],
        "tasks": [
            {"name": "a", "rewards": ["reward"], "group": "science"},
            {"name": "b", "rewards": ["reward"], "group": "arts"},
        ],
        "metrics": [
            "mean",
            {"type": "mean", "name": "science", "group": "science"},
            {"type": "max", "name": "best", "group": "science"},
        ],
    }
    challenge = make("Groups", **fields)
    for name, a, b in (("Atlas", 0.2, 1.0), ("Borea", 0.8, 0.1), ("Cirrus", 0.5, 0.0)):
        rewards = {"a": [a], "b": [b]}
        attempt_of(ann, challenge, name, task_rewards=rewards)
    single.score_waiting()
    page = get(client, "/c/groups/")
    head = page.partition('<th scope="colgroup"')[2].partition("</tr>")[0]
    assert 'colspan="2"' in head
    assert ">science<" in head
    assert "arts" not in head
    link = head.partition('href="')[2].partition('"')[0].replace("&amp;", "&")
    order = words(get(client, link))
    assert "Borea is first with these values; on the board, Atlas is." in order
    assert "colgroup" not in get(client, "/c/groups/?columns=mean")
    tab = page.partition(">Whole board<")[2].partition('href="')[2].partition('"')[0]
    assert tab == "/c/groups/?sort=-science"
    by_group = get(client, tab)
    assert by_group.index(">Borea<") < by_group.index(">Atlas<")
    assert by_group.count("fact sorted") == 2
    assert by_group.count("fact best sorted") == 1
