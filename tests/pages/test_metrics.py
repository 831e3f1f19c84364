"""Metric values on pages, their coverage, and reasons for missing values."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from leaderboard.models import Attempt, Challenge, Evidence, Standing, User
from leaderboard.pages.tables.tasks import TASKS_PER_PAGE
from leaderboard.rules.rewards.evidence import Sample
from leaderboard.services.challenges.challenges import change_challenge
from leaderboard.services.scoring.single import score_attempt
from tests.helpers.attempts import attempt_of
from tests.pages.conftest import Make, Submit
from tests.pages.reading import get, words

pytestmark = pytest.mark.django_db

Bring = Callable[..., Attempt]

PHYSICS = (65, 72, 58, 81, 45, 67, 73, 59, 68, 74)
CHEMISTRY = (88, 76)


@pytest.fixture
def bring(ben: User) -> Bring:
    """Submit and score an attempt with evidence: `bring(challenge, "atlas", samples,
    values={…})`."""

    def brought(
        challenge: Challenge, participant: str, samples: Sequence[Sample], **fields: Any
    ) -> Attempt:
        attempt = attempt_of(ben, challenge, participant, samples=samples, **fields)
        assert score_attempt(attempt.pk)
        attempt.refresh_from_db()
        return attempt

    return brought


@pytest.fixture
def science(make: Make) -> Challenge:
    """A challenge with three rewards, each of which only some of the tasks have."""
    rewards = [{"type": "mean", "name": f"{domain}_reward"} for domain in ("physics", "chemistry")]
    metrics = [reward | {"reward": reward["name"]} for reward in rewards]
    biology = {"type": "mean", "name": "biology_reward", "reward": "biology_reward"}
    return make(
        "Science",
        "metric",
        metrics=[*metrics, biology],
        rank_by=[{"key": "physics_reward"}],
        columns=[{"key": "physics_reward", "label": "Physics", "decimals": 1, "unit": "%"}],
    )


def experiments() -> list[Sample]:
    physics = [Sample(f"p{at}", 0, {"physics_reward": physic}) for at, physic in enumerate(PHYSICS)]
    chemistry = [
        Sample(f"c{at}", 0, {"chemistry_reward": reward}) for at, reward in enumerate(CHEMISTRY)
    ]
    return [*physics, *chemistry]


def cell(html: str, label: str) -> str:
    """Return the text of a column's first cell on a board."""
    element = re.search(rf'data-label="{label}">(.*?)</td>', html, re.S)
    assert element
    return words(element[1])


class TestBoard:
    def test_a_cell_has_coverage_interval_and_reason(
        self, client: Client, science: Challenge, bring: Bring
    ) -> None:
        bring(science, "atlas", experiments())
        with CaptureQueriesContext(connection) as queries:
            html = get(client, "/c/science/")
        table = Evidence._meta.db_table
        assert not [
            captured_query
            for captured_query in queries.captured_queries
            if table in (captured_query["sql"] or "")
        ]
        assert cell(html, "Physics") == "10/12 66.2% 95%: 58.9% to 73.5%"
        assert cell(html, "chemistry_reward") == "2/12 82.000"
        assert cell(html, "biology_reward") == "–"
        assert '<abbr title="Undefined:' in html
        assert 'data-label="Rating, reported"' not in html
        bring(science, "borealis", experiments(), metrics={"rating": 7})
        assert 'data-label="Rating, reported"' in get(client, "/c/science/")

    @pytest.mark.parametrize("path", ["/c/science/", "/c/science/p/atlas/"])
    def test_intervals_and_reasons_can_be_read_without_a_mouse(
        self, client: Client, science: Challenge, bring: Bring, path: str
    ) -> None:
        bring(science, "atlas", experiments())
        html = get(client, path)
        assert 'class="certainty"' not in html
        html = get(client, f"{path}?intervals=1")
        assert "58.9% to 73.5%</small>" in html
        assert "fewer than 5 tasks" in html
        if path == "/c/science/":
            assert cell(html, "Physics") == "10/12 66.2% 95%: 58.9% to 73.5% 58.9% to 73.5%"
            assert cell(html, "biology_reward").startswith("– Undefined:")
            assert '<input type="hidden" name="intervals" value="1">' in html
            assert re.search(r'href="\?intervals=1&amp;sort=', html), "sorting keeps them"

    def test_a_board_of_facts_does_not_mention_intervals(
        self, client: Client, weighted: Challenge, submit: Submit
    ) -> None:
        submit(weighted, "atlas", rating=1)
        assert "intervals=1" not in get(client, "/c/prompt-escape/")

    def test_cells_of_older_releases_are_shown(
        self, client: Client, science: Challenge, bring: Bring
    ) -> None:
        bring(science, "atlas", experiments())
        standing = Standing.objects.get(participant__handle="atlas")
        for state in standing.cells.values():
            state.pop("interval_reason", None)
        standing.cells["chemistry_reward"]["interval"] = [5.8, 158.2]
        standing.save(update_fields=["cells"])
        html = get(client, "/c/science/?intervals=1&page=1")
        assert cell(html, "chemistry_reward") == "2/12 82.000 5.800 to 158.200"
        assert client.get("/api/v1/challenges/science/leaderboard/").status_code == 200

    def test_a_small_margin_is_not_shown_as_zero(
        self, client: Client, science: Challenge, bring: Bring
    ) -> None:
        close = enumerate(66.2 + at / 10_000 for at in range(10))
        bring(science, "atlas", [Sample(f"p{at}", 0, {"physics_reward": x}) for at, x in close])
        assert "66.2% ± <0.1" in words(get(client, "/c/science/p/atlas/"))
        assert cell(get(client, "/c/science/"), "Physics").endswith("95%: 66.2% to 66.2%")

    def test_failed_and_missing_values_are_distinguished(
        self, client: Client, make: Make, bring: Bring
    ) -> None:
        rooms = make(
            "Two rooms",
            "metric",
            metrics=[
                {"type": "mean", "name": name, "reward": name, "failed": "exclude"}
                for name in ("left", "right")
            ],
            tasks=[{"name": "a", "rewards": ["left"]}, {"name": "b", "rewards": ["right"]}],
            min_coverage=None,
            rank_by=[{"key": "rating"}],
        )
        samples = [Sample("a", 0, None, None, "It fell asleep.")]
        bring(rooms, "atlas", samples, metrics={"rating": 5})
        html = get(client, "/c/two-rooms/")
        assert re.findall(r'<abbr title="([\w ]+):[^"]*">–</abbr>', html) == ["Failed", "Not run"]

    def test_an_unranked_row_shows_its_coverage(
        self, client: Client, make: Make, bring: Bring
    ) -> None:
        half = make(
            "Half",
            "metric",
            metrics=["pass_rate"],
            tasks=[{"name": "a"}, {"name": "b"}],
            min_coverage=0.9,
            rank_by=[{"key": "pass_rate"}],
        )
        bring(half, "atlas", [Sample("a", 0, {"reward": 1.0})])
        assert "(1/2)" in words(get(client, "/c/half/"))


class TestAttempt:
    def test_an_attempt_shows_each_value_with_its_interval(
        self, client: Client, science: Challenge, bring: Bring
    ) -> None:
        attempt = bring(science, "atlas", experiments())
        text = words(get(client, attempt.get_absolute_url()))
        assert "66.2% ± 7.3 58.9% to 73.5% Student’s t over tasks 10 of 12" in text
        assert "fewer than 5 tasks 2 of 12" in text
        assert re.search("– Undefined: .* 0 of 12", text)
        assert "p0 physics_reward 65" in text
        assert "c1 chemistry_reward 76" in text
        assert "c1 physics_reward" not in text

    def test_an_attempt_shows_the_samples_of_each_task(
        self, client: Client, make: Make, bring: Bring
    ) -> None:
        solve = make(
            "Solve",
            "metric",
            metrics=["pass_rate"],
            tasks=[{"name": name, "rewards": ["reward"]} for name in "abc"],
            rank_by=[{"key": "pass_rate"}],
        )
        samples = [
            Sample("a", 0, {"reward": 1.0}),
            Sample("a", 1, None, None, "The container died."),
            Sample("b", 1, {"reward": 0.25}),
        ]
        attempt = bring(solve, "atlas", samples)
        html = get(client, attempt.get_absolute_url())
        text = words(html)
        assert "3 tasks, 3 samples; 1 task" in text
        assert "a 1 failed b not run 0.25 c not run not run" in text
        assert '<abbr title="The container died.">failed</abbr>' in html

    def test_the_tasks_have_pages(self, client: Client, make: Make, bring: Bring) -> None:
        long = make("Long", "metric", metrics=["mean"], rank_by=[{"key": "mean"}])
        count = TASKS_PER_PAGE + 1
        samples = [Sample(f"task-{at:03}", 0, {"reward": at}) for at in range(count)]
        path = bring(long, "atlas", samples).get_absolute_url()
        first, second = get(client, path), get(client, f"{path}?tasks=2")
        assert re.search('tasks : .*; got "99"', words(get(client, f"{path}?tasks=99", 404)))
        assert "task-199" in first
        assert "task-200" not in first
        assert 'href="?tasks=2#tasks"' in first
        assert "task-199" not in second
        assert "task-200" in second

    def test_reported_values_are_marked(self, client: Client, make: Make, bring: Bring) -> None:
        contest = make("Final", "metric", rank_by=[{"key": "solved"}])
        attempt = bring(contest, "atlas", [], values={"solved": 9.0})
        assert "Reported" in words(get(client, attempt.get_absolute_url()))
        assert "solved reported 9" in words(get(client, attempt.get_absolute_url()))
        assert cell(get(client, "/c/final/"), "solved, reported") == "9.00"

    def test_tasks_are_shown_after_scoring(
        self, client: Client, science: Challenge, ben: User
    ) -> None:
        attempt = attempt_of(ben, science, "atlas", samples=experiments())
        assert "chemistry_reward" not in get(client, attempt.get_absolute_url())

    def test_values_stated_by_an_imported_file_are_compared(
        self, client: Client, science: Challenge, bring: Bring
    ) -> None:
        attempt = bring(science, "atlas", experiments())
        stated = [
            {"name": "mean", "stated": 56.2, "ours": 66.2, "differs": True},
            {"name": "stderr", "stated": 0.5, "ours": None, "differs": None},
        ]
        Evidence.objects.filter(attempt=attempt).update(stated=stated)
        text = words(get(client, attempt.get_absolute_url()))
        assert "mean 56.2 66.2 differs" in text
        assert "stderr 0.5 – not compared" in text


class TestRules:
    def test_the_rules_describe_each_metric(self, client: Client, make: Make) -> None:
        make(
            "Solve",
            "metric",
            metrics=[
                "pass^3",
                {"type": "mean", "name": "strict", "reward": "r", "undefined": "zero"},
                {"type": "mean", "name": "kind", "group": "lab", "failed": "exclude"},
                {"type": "mean", "name": "skill", "reported": "allow"},
            ],
            tasks=[{"name": "lock", "rewards": ["r"], "group": "lab", "weight": 2.5}],
            num_samples=3,
            min_coverage=0.9,
            rank_by=[{"key": "pass^3", "decimals": 2}],
        )
        text = words(get(client, "/c/solve/rules/"))
        for part in (
            "all of the first 3 samples",
            "counts 0",
            "left out",
            "of the group lab",
            "marked and not ranked",
            "less than 90%",
            "to 2 decimals",
            "lock r lab 2.5",
        ):
            assert part in text

    def test_the_rules_show_what_a_version_changed_in_metrics(
        self, client: Client, science: Challenge, ann: User
    ) -> None:
        fields = {"metrics": ["pass@1"], "rank_by": [{"key": "pass@1"}], "columns": []}
        change_challenge(science, user=ann, fields={**fields, "min_coverage": 0.5})
        text = words(get(client, "/c/science/rules/"))
        assert "biology_reward → pass@1" in text
        assert "any → 0.5" in text


class TestReported:
    @pytest.fixture
    def skill(self, make: Make) -> Challenge:
        metrics = [{"type": "mean", "name": "skill", "reported": "allow"}]
        return make("Skill", "metric", metrics=metrics, rank_by=[{"key": "skill"}])

    def test_an_attempt_shows_the_reported_beside_the_computed_value(
        self, client: Client, skill: Challenge, bring: Bring
    ) -> None:
        samples = [Sample("a", 0, {"reward": 0.5})]
        computed = bring(skill, "atlas", samples, values={"skill": 0.9})
        assert "reports 0.900" in words(get(client, computed.get_absolute_url()))
        stated = bring(skill, "paper", [], values={"skill": 0.9})
        text = words(get(client, stated.get_absolute_url()))
        assert "0.900 reported" in text
        assert "does not rank" in text
        assert "paper skill is reported without" in words(get(client, "/c/skill/"))
