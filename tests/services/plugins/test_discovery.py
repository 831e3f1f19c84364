"""An incomplete list of plugins never becomes the truth."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.db.models.functions import Now

from leaderboard.models import MetricRun
from leaderboard.rules.failures import FailureCode
from leaderboard.sandbox import Failure, PluginDescription, SandboxError
from leaderboard.services.plugins import discovery, sandboxes, text_metrics
from leaderboard.services.plugins.metric_registry import known_metrics
from leaderboard.services.plugins.stamps import current_stamps
from leaderboard.services.plugins.text_metrics import (
    TextMetricsAway,
    UnknownTextMetric,
    find_text_metric,
)
from leaderboard.services.scoring.missed_metrics import retry_missed
from tests.services.conftest import Bring
from tests.services.evaluation.evaluating import Make, nine, read, scored

HERE = [PluginDescription("ours.words:Words", name="WORDS")]
OTHERS = [PluginDescription("ours.other:Other", name="OTHER")]
SEARCHES = {"discover_text_metrics": text_metrics.KEY, "discover": "known-scorers"}


def broken(name: str, code: FailureCode = "crashed") -> PluginDescription:
    return PluginDescription(name, error=Failure(code, "The process was ended by SIGKILL."))


def raises() -> list[PluginDescription]:
    raise SandboxError("no zygote")


Search = Callable[[], list[PluginDescription]]


@pytest.fixture
def search(monkeypatch: pytest.MonkeyPatch) -> Callable[[Search], set[str]]:
    """Return a function that searches again, as the cache forgets it, and returns the names."""

    def searched(find: Search) -> set[str]:
        monkeypatch.setattr(sandboxes, "discover_text_metrics", find)
        cache.delete(f"{text_metrics.KEY}:{current_stamps().text_metrics}")
        return {
            text_metric.name
            for text_metric in text_metrics.known_text_metrics()
            if text_metric.error is None
        }

    return searched


@pytest.mark.parametrize(
    "failing",
    [
        lambda: [broken("ours.words"), *OTHERS],
        lambda: [broken("ours.words:Words", "out_of_memory"), *OTHERS],
        lambda: [broken("ours, scorers", "timeout")],
        raises,
    ],
    ids=["module", "plugin", "names", "sandbox"],
)
def test_plugins_of_a_whole_list_stay_known(
    search: Callable[[Search], set[str]], failing: Search
) -> None:
    assert search(lambda: [*HERE, *OTHERS]) == {"WORDS", "OTHER"}
    assert search(failing) == {"WORDS", "OTHER"}
    assert search(lambda: OTHERS) == {"OTHER"}, "a plugin that was deleted is gone"


def test_a_metric_that_is_not_in_an_incomplete_list_may_exist(
    search: Callable[[Search], set[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert search(lambda: [broken("ours.words"), *OTHERS]) == {"OTHER"}
    with pytest.raises(TextMetricsAway):
        find_text_metric("words")
    monkeypatch.setattr(discovery, "DOUBTED_AT_MOST", 0.0)
    with pytest.raises(UnknownTextMetric) as caught:
        find_text_metric("words")
    assert not isinstance(caught.value, TextMetricsAway), "a module that always fails is broken"


def test_an_unavailable_sandbox_is_not_cached(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = known_metrics()
    cache.delete(f"known-metrics:{current_stamps().metrics}")
    with monkeypatch.context() as patched:
        patched.setattr(sandboxes, "discover_metrics", lambda **_: raises())
        assert {metric.name for metric in whole} <= {metric.name for metric in known_metrics()}
    assert known_metrics() == whole


@pytest.mark.usefixtures("in_house")
def test_attempts_that_missed_a_metric_are_scored_again(
    make: Make, bring: Bring, search: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempt = bring(make("words"), evaluation=nine())
    original = sandboxes.discover_text_metrics
    with monkeypatch.context() as patched:
        patched.setattr(discovery, "DOUBTED_AT_MOST", 0.0)
        cache.delete(f"{text_metrics.KEY}:whole")
        search(lambda: [broken("tests")])
        assert scored(attempt).metric_values["WORDS"]["error"]["code"] == "not_installed"
    assert retry_missed() == 0
    assert search(original)
    MetricRun.objects.update(finished_at=Now() - timedelta(seconds=30))
    assert retry_missed() == 1
    assert read(attempt).status == "queued"
    assert scored(attempt).metric_values["WORDS"]["value"] == 5.0
    assert retry_missed() == 0
