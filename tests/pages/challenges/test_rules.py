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
from tests.helpers.configs import rewrite
from tests.pages.conftest import Make, Submit
from tests.pages.reading import get, words
from tests.people import signed_in
from tests.services.evaluation.text import EXPECTED, shared_task

pytestmark = pytest.mark.django_db

TWO_KEYS = [{"key": "rating", "direction": "desc"}, {"key": "cost_usd", "direction": "asc"}]


def test_the_rules_say_who_wins(client: Client, make: Make) -> None:
    for strategy, fields, phrase in (
        ("first", {}, "earliest"),
        ("fastest", {}, "fastest"),
        ("fewest_tokens", {}, "fewest tokens"),
        ("highest_rating", {}, "highest rating"),
        ("fastest", {"counting": "best"}, "best attempt"),
        ("fastest", {"counting": "latest"}, "latest attempt"),
        ("metric", {"rank_by": TWO_KEYS}, "Rating (highest first), then Cost (lowest first)"),
    ):
        sprint = make("Sprint", strategy, **fields)
        assert phrase in words(get(client, f"/c/{sprint.slug}/rules/"))


def test_the_rules_describe_the_scorer_and_its_config(
    client: Client, weighted: Challenge, submit: Submit, ann: User, settings: Any
) -> None:
    html = get(client, "/c/prompt-escape/rules/")
    text = words(html)
    for part in (
        "highest score",
        "success_bonus 100 100 Points",
        "rating_weight 15 10 Points",
        "5 seconds",
    ):
        assert part in text
    assert 'href="/plugins/scorers.weighted:WeightedScorer/"' in html
    submit(weighted, "atlas", rating=1)
    fields = {"timeout_ms": 1000, "scoring_config": {"rating_weight": 20.0, "time_penalty": 0.5}}
    change_challenge(weighted, user=ann, fields=fields)
    text = words(get(client, "/c/prompt-escape/rules/"))
    for part in ("5000 → 1000", "rating_weight: 15 → 20", "token_penalty: 0.02 → default"):
        assert part in text
    assert "Version 1 shown" in text
    settings.SCORER_TENANTS = {"scorers": frozenset({"nobody"})}
    assert "/plugins/scorers.weighted" not in get(client, "/c/prompt-escape/rules/")


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

    def test_text_metrics_are_shown_with_their_parameters(
        self, client: Client, make: Make, ann: User
    ) -> None:
        smooth = {"id": "bleu_nltk", "name": "smooth", "parameters": {"auto_reweigh": True}}
        verses = make("Verses", "metric", rank_by=[{"key": "F1"}], text_metrics=["F1", smooth])
        html = get(client, "/c/verses/rules/")
        text = words(html)
        for part in (
            "smooth BLEU_NLTK",
            "auto_reweigh true false",
            "10 minutes",
            "its own instances",
        ):
            assert part in text
        assert 'href="/plugins/scorers.text.f1:F1/"' in html
        entry = {"id": "BLEU_NLTK", "parameters": {"tokenizer": "13a"}}
        off = {"id": "EXACT_MATCH", "enable": False}
        change_challenge(verses, user=ann, fields={"text_metrics": ["F1", entry, off]})
        text = words(get(client, "/c/verses/rules/"))
        assert "F1, BLEU_NLTK (tokenizer 13a), EXACT_MATCH (off)" in text
        rewrite(verses.configs.all(), text_metrics=["F1", "GONE"])
        assert "no text metric GONE" in words(get(client, "/c/verses/rules/"))

    @pytest.mark.parametrize(
        ("visibility", "who"), [("organiser", "Only organisers"), ("public", "Everybody")]
    )
    def test_a_shared_task_says_who_sees_its_references(
        self, client: Client, tenant: Tenant, ann: User, visibility: str, who: str
    ) -> None:
        task = shared_task(tenant, ann, references_visibility=visibility, text_timeout_ms=90_000)
        html = get(client, "/c/translation/rules/")
        text = words(html)
        for part in ("3 instances", f"{who} can see the references", "90 seconds", "none → 3"):
            assert part in text
        assert not any(
            reference in html for expected in EXPECTED.values() for reference in expected
        )
        changed = {"instances": [{"id": at, "expected-output": "new"} for at in ("1", "2", "3")]}
        store_references(task, user=ann, document=parse_document(changed))
        assert "3 → 3, changed" in words(get(client, "/c/translation/rules/"))


def test_tasks_are_shown_with_their_sources(client: Client, make: Make) -> None:
    tasks = [
        {"name": "a", "git_url": "https://example.org/tasks.git", "path": "tasks/a"},
        {"name": "b", "git_url": "git@example.org:tasks", "git_commit_id": "0123456789abcdef"},
        {"name": "c", "rewards": ["x"]},
    ]
    make("Sources", "metric", metrics=["mean"], rank_by=[{"key": "mean"}], tasks=tasks)
    html = get(client, "/c/sources/rules/")
    text = words(html)
    assert "example.org/tasks tasks/a" in text
    assert "git@example.org:tasks at 0123456789ab" in text
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
    assert "→ physics from 0 to 100; elo" in text
    start_rescore(exams)
    Challenge.objects.filter(pk=exams.pk).update(shown_config=exams.newest_config_id)
    text = words(get(client, "/c/exams/rules/"))
    assert "Each physics" in text
    assert "Each elo" not in text


def test_organisers_see_that_a_board_ranks_by_a_reported_metric(
    make: Make, ann: User, client: Client
) -> None:
    """Older boards with such names go on, and their organisers get a notice."""
    challenge = make("Old", "metric", rank_by=[{"key": "solved"}])
    rewrite(challenge.configs.all(), rank_by=[{"key": "mean_reward", "direction": "desc"}])
    Challenge.objects.filter(pk=challenge.pk).update(values=["mean_reward"])
    notice = "ranks by mean_reward, which"
    assert notice not in words(get(client, "/c/old/rules/"))
    for page in ("/c/old/rules/", f"/admin/leaderboard/challenge/{challenge.pk}/change/"):
        assert notice in words(get(signed_in(ann), page))
    reported = {"type": "mean_reward", "reported": "rank"}
    without_notice: list[dict[str, Any]] = [
        {"metrics": ["mean_reward"], "rank_by": [{"key": "mean_reward"}]},
        {"rank_by": [{"key": "solved"}]},
        {"rank_by": [{"key": "cost_usd", "direction": "asc"}]},
        {"metrics": [reported], "rank_by": [{"key": "mean_reward"}]},
    ]
    for fields in without_notice:
        page = f"/c/{make('New', 'metric', **fields).slug}/rules/"
        assert "which participants report" not in words(get(signed_in(ann), page)), fields


class TestPlugins:
    """The links from the rules to the pages of plugins."""

    def test_metrics_lead_to_their_sources(self, client: Client, make: Make) -> None:
        fields = {"metrics": [{"type": "pass@3"}], "text_metrics": ["F1"]}
        make("Verses", "metric", rank_by=[{"key": "pass@3"}], **fields)
        html = get(client, "/c/verses/rules/")
        for path in ("scorers.metrics.pass_at:PassAt", "scorers.text.f1:F1"):
            assert f'<a href="/plugins/{path}/">' in html
            assert client.get(f"/plugins/{path}/").status_code == 200
