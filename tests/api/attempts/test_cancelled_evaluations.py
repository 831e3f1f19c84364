"""Nothing of a cancelled attempt is readable, and one of which anything was readable counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from leaderboard.models import Attempt, Challenge, MetricRun, Phase, QuotaUse, Tenant, User
from leaderboard.sandbox import Failure
from leaderboard.services.competition.quotas.recount import verify_quotas
from leaderboard.services.scoring import single
from leaderboard.services.scoring.outcomes import NOTHING_TO_RUN
from tests.api.conftest import Api
from tests.services.evaluation.evaluating import no_turns, small_blocks
from tests.services.evaluation.text import shared_task
from tests.services.house import house

__all__ = ["no_turns", "small_blocks"]

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("small_blocks")]

PATH = "challenges/translation/attempts/"
OUTPUTS = {"1": "hello", "2": "thank you", "3": "no"}
EXACT = "0.6667"
"""The share of these outputs that are right, as pages show it."""


@pytest.fixture(scope="module", autouse=True)
def _in_house() -> Iterator[None]:
    with house():
        yield


@pytest.fixture
def task(default: Tenant, alice: User) -> Challenge:
    challenge = shared_task(default, alice, text_metrics=["EXACT_MATCH", "F1"])
    Phase.objects.filter(challenge=challenge).update(per_day=5, total=5, count_failed=True)
    return challenge


def used() -> set[int]:
    return set(QuotaUse.objects.values_list("used", flat=True))


def half_scored(api: Api) -> dict[str, Any]:
    """An attempt whose first metric is computed and whose second is not."""
    sent: dict[str, Any] = api.post(PATH, {"participant": "atlas", "outputs": OUTPUTS}).json()
    for _ in range(20):
        single.score_waiting(limit=1)
        if MetricRun.objects.filter(key="EXACT_MATCH", value__isnull=False).exists():
            break
    assert Attempt.objects.get(pk=sent["id"]).status == "scoring"
    return sent


def texts_of(api: Api, sent: dict[str, Any]) -> list[str]:
    """What can be read about an attempt."""
    answers = [api.get(f"{sent['url']}{path}") for path in ("", "output.json", "log.jsonl")]
    answers.append(api.client.get(sent["html_url"]))
    return [
        b"".join(answer.streaming_content).decode() if answer.streaming else answer.content.decode()
        for answer in answers
    ]


@pytest.mark.usefixtures("no_turns")
def test_a_finished_metric_is_not_readable_before_the_end_or_after_a_cancel(
    task: Challenge, submitter: Api, organiser: Api
) -> None:
    sent = half_scored(submitter)
    for api in (submitter, organiser):
        for text in texts_of(api, sent):
            assert EXACT not in text
            assert "0.66666" not in text
    cancelled = submitter.post(f"{sent['url']}cancel/", {}).json()
    assert (cancelled["metric_values"], cancelled["progress"]) == ({}, None)
    for api in (submitter, organiser):
        for text in texts_of(api, sent):
            assert EXACT not in text
            assert "0.66666" not in text
    assert not MetricRun.objects.exists()
    assert used() == {0}
    assert verify_quotas(task) == []


def test_a_retried_attempt_counts_though_it_is_cancelled(
    task: Challenge, submitter: Api, organiser: Api, fail: Callable[[str], None]
) -> None:
    fail("exception")
    sent = submitter.post(PATH, {"participant": "atlas", "outputs": OUTPUTS}).json()
    single.score_waiting()
    assert submitter.get(sent["url"]).json()["metric_values"]["EXACT_MATCH"]["value"] > 0.6
    assert organiser.post(f"{sent['url']}retry/").status_code == 202
    for action in ("cancel/", "withdraw/"):
        submitter.post(f"{sent['url']}{action}", {})
    assert used() == {1}
    assert verify_quotas(task) == []


@pytest.mark.parametrize("code", ["load_error", "not_installed", "exception"])
def test_a_failed_attempt_with_readable_values_counts(
    task: Challenge, submitter: Api, fail: Callable[[str], None], code: str
) -> None:
    """Otherwise a scorer that fails would let everybody read text metrics without a limit."""
    Phase.objects.filter(challenge=task).update(count_failed=False)
    fail(code)
    sent = submitter.post(PATH, {"participant": "atlas", "outputs": OUTPUTS}).json()
    single.score_waiting()
    read = submitter.get(sent["url"]).json()
    assert (read["status"], read["error"]["code"]) == ("failed", code)
    assert (read["metric_values"] != {}) == (used() == {1})
    assert read["metric_values"] != {}


@pytest.fixture
def fail(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Let the scorer fail with a code."""

    def failing(code: str) -> None:
        failure: Any = NOTHING_TO_RUN._replace(error=Failure(code, "It fails.", ""))  # type: ignore[arg-type]
        monkeypatch.setattr(
            single, "outcomes", lambda config, attempts, **_: iter([failure] * len(attempts))
        )

    return failing
