"""The rules page of a challenge."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from leaderboard.models import Challenge, Tenant, User
from leaderboard.schemas.documents import parse_document
from leaderboard.services.challenges.challenges import change_challenge
from leaderboard.services.challenges.references import store_references
from leaderboard.services.scoring.rescoring import start_rescore
from tests.configs import rewrite
from tests.pages.conftest import Make, Submit
from tests.pages.reading import get, words
from tests.people import signed_in
from tests.services.evaluation.text import EXPECTED, shared_task

pytestmark = pytest.mark.django_db

TWO_KEYS = [{"key": "rating", "direction": "desc"}, {"key": "cost_usd", "direction": "asc"}]


@pytest.mark.parametrize(
    ("strategy", "fields", "sentences"),
    [
        ("first", {}, ["The earliest successful attempt wins."]),
        ("fastest", {}, ["The fastest successful attempt wins.", "Only successful attempts"]),
        ("fewest_tokens", {}, ["The successful attempt that used the fewest tokens wins."]),
        ("highest_rating", {}, ["The successful attempt with the highest rating wins."]),
        ("fastest", {"counting": "best"}, ["The best attempt of a participant counts"]),
        ("fastest", {"counting": "latest"}, ["The latest attempt of a participant counts"]),
        (
            "metric",
            {"rank_by": TWO_KEYS},
            [
                "Attempts are ranked by Rating (highest first), then Cost (lowest first).",
                "Every attempt with a value for Rating is ranked.",
            ],
        ),
    ],
)
def test_the_rules_say_who_wins(
    client: Client, make: Make, strategy: str, fields: dict[str, Any], sentences: list[str]
) -> None:
    make("Sprint", strategy, **fields)
    text = words(get(client, "/c/sprint/rules/"))
    for sentence in sentences:
        assert sentence in text
    assert "Equal values share a rank" in text


def test_the_rules_describe_the_scorer_and_its_config(client: Client, weighted: Challenge) -> None:
    text = words(get(client, "/c/prompt-escape/rules/"))
    assert "The attempt with the highest score wins." in text
    assert "scorers.weighted:WeightedScorer" in text
    assert "Success bonus + rating × weight" in text
    assert "success_bonus 100 100 Points for an attempt that succeeded" in text
    assert "rating_weight 15 10 Points for each point of the rating" in text
    assert "The scorer has 5 seconds for each attempt." in text


def test_the_rules_show_what_each_version_changed(
    client: Client, weighted: Challenge, submit: Submit, ann: User
) -> None:
    submit(weighted, "atlas", rating=1)
    fields = {"timeout_ms": 1000, "scoring_config": {"rating_weight": 20.0, "time_penalty": 0.5}}
    change_challenge(weighted, user=ann, fields=fields)
    text = words(get(client, "/c/prompt-escape/rules/"))
    assert "Version 2 " in text
    assert (
        "time limit (ms): 5000 → 1000 rating_weight: 15 → 20 token_penalty: 0.02 → default" in text
    )
    assert "Version 1 shown" in text
    assert "First version" in text


def test_the_rules_say_that_a_version_changed_nothing(
    client: Client, make: Make, submit: Submit
) -> None:
    sprint = make("Sprint")
    submit(sprint, "atlas", elapsed_ms=1)
    start_rescore(sprint)
    assert "Scored again, nothing changed" in words(get(client, "/c/sprint/rules/"))


def test_the_rules_show_the_organisers_text(client: Client, make: Make) -> None:
    make("Sprint", description="# Given\n\n**Ten** questions", goal="All <u>right</u>")
    html = get(client, "/c/sprint/rules/")
    assert "<h3>Given</h3>" in html
    assert "<strong>Ten</strong> questions" in html
    assert "All &lt;u&gt;right&lt;/u&gt;" in html


class TestOutputs:
    """The rules of a challenge that evaluates outputs of models."""

    def test_text_metrics_are_shown_with_their_parameters(self, client: Client, make: Make) -> None:
        smooth = {"id": "bleu_nltk", "name": "smooth", "parameters": {"auto_reweigh": True}}
        make("Verses", "metric", rank_by=[{"key": "F1"}], text_metrics=["F1", smooth])
        text = words(get(client, "/c/verses/rules/"))
        assert "F1 F1 of the words that output and reference share" in text
        assert "default parameters Setting Here Default" in text
        assert "smooth BLEU_NLTK BLEU by NLTK:" in text
        assert "auto_reweigh true Setting Here Default Meaning weights" in text
        assert "auto_reweigh true false With the default weights" in text
        assert "Each text metric has 10 minutes for all instances." in text
        assert "An attempt contains its own instances" in text

    def test_a_metric_that_cannot_be_computed_has_a_reason(
        self, client: Client, make: Make
    ) -> None:
        verses = make("Verses", "metric", rank_by=[{"key": "F1"}], text_metrics=["F1"])
        rewrite(verses.configs.all(), text_metrics=["F1", "GONE"])
        text = words(get(client, "/c/verses/rules/"))
        assert "There is no text metric GONE on this server any more." in text

    @pytest.mark.parametrize(
        ("visibility", "sentence"),
        [
            ("organiser", "Only organisers can see the references"),
            ("public", "Everybody can see the references."),
        ],
    )
    def test_a_shared_task_says_who_sees_its_references(
        self, client: Client, tenant: Tenant, ann: User, visibility: str, sentence: str
    ) -> None:
        shared_task(tenant, ann, references_visibility=visibility, text_timeout_ms=90_000)
        html = get(client, "/c/translation/rules/")
        text = words(html)
        assert "The challenge has 3 instances; attempts submit outputs by instance id." in text
        assert sentence in text
        assert "Each text metric has 90 seconds for all instances." in text
        assert "instances that the challenge holds: none → 3" in text
        assert "or with the worst value that the metric has" in text
        assert not any(each in html for expected in EXPECTED.values() for each in expected)

    def test_a_version_with_other_references_is_marked(
        self, client: Client, tenant: Tenant, ann: User
    ) -> None:
        task = shared_task(tenant, ann)
        others = {"instances": [{"id": at, "expected-output": "new"} for at in ("1", "2", "3")]}
        store_references(task, user=ann, document=parse_document(others))
        text = words(get(client, "/c/translation/rules/"))
        assert "instances that the challenge holds: 3 → 3, changed" in text

    def test_versions_show_what_changed(self, client: Client, make: Make, ann: User) -> None:
        verses = make("Verses", "metric", rank_by=[{"key": "F1"}], text_metrics=["F1"])
        entry = {"id": "BLEU_NLTK", "parameters": {"tokenizer": "13a"}}
        off = {"id": "EXACT_MATCH", "enable": False}
        change_challenge(verses, user=ann, fields={"text_metrics": ["F1", entry, off]})
        text = words(get(client, "/c/verses/rules/"))
        said = "text metrics: F1 → F1, BLEU_NLTK (tokenizer 13a), EXACT_MATCH (off)"
        assert said in text

    def test_other_challenges_do_not_mention_outputs(self, client: Client, make: Make) -> None:
        make("Sprint")
        assert "Values computed from the outputs" not in get(client, "/c/sprint/rules/")


def test_tasks_are_shown_with_their_sources(client: Client, make: Make) -> None:
    tasks = [
        {"name": "a", "git_url": "https://example.org/tasks.git", "path": "tasks/a"},
        {"name": "b", "git_url": "git@example.org:tasks", "git_commit_id": "0123456789abcdef"},
        {"name": "c", "rewards": ["x"]},
    ]
    make("Sources", "metric", metrics=["mean"], rank_by=[{"key": "mean"}], tasks=tasks)
    html = get(client, "/c/sources/rules/")
    text = words(html)
    assert "Task Rewards Source" in text
    assert "a not said example.org/tasks tasks/a" in text
    assert "b not said git@example.org:tasks at 0123456789ab" in text
    assert '<a href="https://example.org/tasks.git" rel="nofollow noopener">' in html
    assert 'href="git@' not in html


def test_the_rules_show_the_bounds_of_rewards(
    client: Client, make: Make, submit: Submit, ann: User
) -> None:
    exams = make("Exams", "metric", metrics=["mean"], rank_by=[{"key": "mean"}])
    submit(exams, "atlas", elapsed_ms=1)
    rewards = [{"name": "physics", "min": 0, "max": 100}, {"name": "elo"}]
    change_challenge(exams, user=ann, fields={"rewards": rewards})
    text = words(get(client, "/c/exams/rules/"))
    assert "bounds of rewards: none declared → physics from 0 to 100; elo without bounds" in text
    start_rescore(exams)
    Challenge.objects.filter(pk=exams.pk).update(shown_config=exams.newest_config_id)
    text = words(get(client, "/c/exams/rules/"))
    assert "Each physics is from 0 to 100." in text
    assert "Each elo" not in text


def test_organisers_see_that_a_board_ranks_by_a_reported_metric(
    make: Make, ann: User, client: Client
) -> None:
    """Older boards with such names go on, and their organisers get a notice."""
    challenge = make("Old", "metric", rank_by=[{"key": "solved"}])
    rewrite(challenge.configs.all(), rank_by=[{"key": "mean_reward", "direction": "desc"}])
    Challenge.objects.filter(pk=challenge.pk).update(values=["mean_reward"])
    said = "This board ranks by mean_reward, which participants report: nothing computes it here"
    assert said not in words(get(client, "/c/old/rules/"))
    for page in ("/c/old/rules/", f"/admin/leaderboard/challenge/{challenge.pk}/change/"):
        text = words(get(signed_in(ann), page))
        assert said in text
        assert "add “mean_reward” to metrics" in text or 'add "mean_reward" to metrics' in text


@pytest.mark.parametrize(
    "fields",
    [
        {"metrics": ["mean_reward"], "rank_by": [{"key": "mean_reward"}]},
        {"rank_by": [{"key": "solved"}]},
        {"rank_by": [{"key": "cost_usd", "direction": "asc"}]},
        {
            "metrics": [{"type": "mean_reward", "reported": "rank"}],
            "rank_by": [{"key": "mean_reward"}],
        },
    ],
)
def test_other_boards_have_no_such_notice(make: Make, ann: User, fields: dict[str, Any]) -> None:
    make("New", "metric", **fields)
    assert "which participants report" not in words(get(signed_in(ann), "/c/new/rules/"))


class TestPlugins:
    """The links from the rules to the pages of plugins."""

    def test_a_scorer_leads_to_its_source(self, client: Client, weighted: Challenge) -> None:
        html = get(client, "/c/prompt-escape/rules/")
        assert '<a href="/plugins/scorers.weighted:WeightedScorer/">Source and settings</a>' in html
        assert "from Podium " in words(html)
        assert "The code of the scorer is " in words(html)

    def test_metrics_lead_to_their_sources(self, client: Client, make: Make) -> None:
        fields = {"metrics": [{"type": "pass@3"}], "text_metrics": ["F1"]}
        make("Verses", "metric", rank_by=[{"key": "pass@3"}], **fields)
        html = get(client, "/c/verses/rules/")
        for path in ("scorers.metrics.pass_at:PassAt", "scorers.text.f1:F1"):
            assert f'<a href="/plugins/{path}/">' in html
            assert client.get(f"/plugins/{path}/").status_code == 200

    def test_a_plugin_of_another_tenant_has_no_link(
        self, client: Client, weighted: Challenge, settings: Any
    ) -> None:
        settings.SCORER_TENANTS = {"scorers": frozenset({"nobody"})}
        assert "/plugins/scorers.weighted" not in get(client, "/c/prompt-escape/rules/")


def test_a_challenge_without_phases_says_that_it_has_no_limits(
    client: Client, make: Make, ann: User
) -> None:
    sprint, said = make("Sprint"), "At any time: there are no phases, and no limit"
    assert said in words(get(client, "/c/sprint/rules/"))
    change_challenge(sprint, user=ann, fields={"is_active": False})
    assert said not in words(get(client, "/c/sprint/rules/"))
    phase = {"slug": "main", "per_day": 3}
    change_challenge(sprint, user=ann, fields={"is_active": True, "phases": [phase]})
    assert said not in words(get(client, "/c/sprint/rules/"))
