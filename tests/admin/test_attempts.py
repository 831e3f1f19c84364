"""Attempts: found, read with every score, retried, withdrawn with a reason, restored."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from leaderboard.admin import paging
from leaderboard.models import Attempt, Challenge, Score, Standing, Tenant, User
from leaderboard.services.attempts.submit import NewAttempt, submit_attempt
from leaderboard.services.challenges.challenges import create_challenge
from leaderboard.services.scoring.single import score_attempt
from tests.admin.conftest import Submit
from tests.admin.pages import messages_of, url
from tests.helpers.configs import rewrite


@pytest.fixture
def failed(escape: Challenge, submit: Submit) -> Attempt:
    """An attempt whose scorer failed with an error."""
    rewrite(escape.configs.all(), entrypoint="scorers.weighted:Gone")
    attempt = submit(escape, "atlas", rating=8)
    assert attempt.status == Attempt.Status.FAILED
    Score.objects.update(error_detail="Traceback: line 7", output="printed <b>this</b>")
    rewrite(escape.configs.all(), entrypoint="scorers.weighted:WeightedScorer")
    return attempt


def listed(client: Client, **query: str) -> list[Any]:
    return [attempt.pk for attempt in client.get(url("attempt"), query).context["cl"].result_list]


def act(client: Client, action: str, *attempts: Attempt, **more: str) -> Any:
    post = {"action": action, "_selected_action": [attempt.pk for attempt in attempts], **more}
    return client.post(url("attempt"), post)


def test_the_list_is_filtered_and_searched(
    as_nora: Client, sprint: Challenge, failed: Attempt, submit: Submit
) -> None:
    good = submit(sprint, "Borealis", elapsed_ms=5)
    assert listed(as_nora) == [good.pk, failed.pk]
    assert listed(as_nora, challenge="sprint") == [good.pk]
    assert listed(as_nora, status="failed") == [failed.pk]
    assert listed(as_nora, status__exact="failed") == [failed.pk]
    assert listed(as_nora, error="load_error") == [failed.pk]
    assert listed(as_nora, error="timeout") == []
    assert listed(as_nora, withdrawn="yes") == []
    assert listed(as_nora, q=str(good.pk)) == [good.pk]
    assert listed(as_nora, q="boREAL") == [good.pk]
    assert listed(as_nora, q="nobody") == []


def test_the_list_counts_a_limited_number_of_attempts(
    as_nora: Client, sprint: Challenge, submit: Submit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paging, "COUNTED", 2)
    for number in range(4):
        submit(sprint, f"p{number}", elapsed_ms=number)
    with CaptureQueriesContext(connection) as queries:
        page = as_nora.get(url("attempt"))
    assert page.context["cl"].result_count == 2
    assert b"may be more" in page.content
    (count,) = [query["sql"] for query in queries if "COUNT(" in (query["sql"] or "")]
    assert "LIMIT 2" in count


def test_an_attempt_shows_private_details_to_organisers(as_nora: Client, failed: Attempt) -> None:
    content = as_nora.get(url("attempt", "change", failed.pk)).content.decode()
    assert "Traceback: line 7" in content
    assert "&lt;b&gt;this&lt;/b&gt;" in content
    assert "load_error" in content
    assert "&quot;rating&quot;: 8" in content
    assert 'name="_save"' not in content


def test_an_attempt_shows_which_metric_has_failed(
    as_nora: Client, sprint: Challenge, submit: Submit
) -> None:
    attempt = submit(sprint, "atlas", elapsed_ms=5)
    error = {"code": "not_installed", "message": "It needs <moonlight>."}
    values = {"MOON": {"value": None, "error": error}, "F1": {"value": 0.5, "error": None}}
    Score.objects.update(metric_values=values)
    content = as_nora.get(url("attempt", "change", attempt.pk)).content.decode()
    assert "MOON" in content
    assert "&lt;moonlight&gt;" in content
    assert "F1:" not in content


def test_submitted_values_cannot_be_edited(as_rita: Client, failed: Attempt) -> None:
    page = url("attempt", "change", failed.pk)
    assert as_rita.post(page, {"rating": "10", "_save": "1"}).status_code == 403


def test_several_failed_attempts_can_be_retried_at_once(
    as_nora: Client, escape: Challenge, failed: Attempt, submit: Submit, notifications: list[Any]
) -> None:
    good = submit(escape, "borealis", rating=5)
    buttons = [
        b'value="retry"' in as_nora.get(url("attempt", "change", attempt.pk)).content
        for attempt in (failed, good)
    ]
    assert buttons == [True, False]
    notifications.clear()
    answer = act(as_nora, "retry", failed, good)
    failed.refresh_from_db()
    assert failed.status == Attempt.Status.QUEUED
    assert notifications == [("score_attempt", str(failed.pk))]
    done, left = messages_of(answer)
    assert "1 attempt" in done
    assert "has failed" in left
    entry = LogEntry.objects.get()
    assert (entry.object_id, entry.change_message) == (str(failed.pk), "Retried.")
    answer = act(as_nora, "retry", failed, _one="1")
    assert answer["Location"] == url("attempt", "change", failed.pk)


def test_an_attempt_is_withdrawn_with_a_reason_and_restored(
    as_nora: Client, sprint: Challenge, submit: Submit
) -> None:
    attempt = submit(sprint, "atlas", elapsed_ms=5)
    asked = act(as_nora, "withdraw", attempt)
    assert b'name="reason"' in asked.content
    missing = act(as_nora, "withdraw", attempt, reason=" ")
    assert b"say why" in missing.content
    attempt.refresh_from_db()
    assert attempt.withdrawn_at is None

    act(as_nora, "withdraw", attempt, reason="Copied")
    attempt.refresh_from_db()
    assert attempt.withdrawn_reason == "Copied"
    assert Standing.objects.get().unranked == "withdrawn"
    page = as_nora.get(url("attempt", "change", attempt.pk))
    assert b"Copied" in page.content
    assert b'value="restore"' in page.content
    assert listed(as_nora, withdrawn="yes") == [attempt.pk]

    act(as_nora, "restore", attempt)
    attempt.refresh_from_db()
    assert attempt.withdrawn_at is None
    assert Standing.objects.get().unranked == ""
    messages = LogEntry.objects.order_by("pk").values_list("change_message", flat=True)
    assert list(messages) == ["Withdrawn: Copied", "Restored."]


def test_the_list_has_the_order_of_its_heading(
    as_nora: Client, sprint: Challenge, submit: Submit
) -> None:
    first, second = submit(sprint, "atlas", elapsed_ms=1), submit(sprint, "borealis", elapsed_ms=2)
    Attempt.objects.filter(pk=second.pk).update(submitted_at="2020-01-01T00:00:00Z")
    assert listed(as_nora) == [second.pk, first.pk]
    assert listed(as_nora, o="1") == [first.pk, second.pk]
    changelist = as_nora.get(url("attempt")).context["cl"]
    assert changelist.get_ordering_field_columns() == {1: "desc"}


def test_the_list_shows_the_value_that_a_board_ranks_by(
    as_nora: Client,
    nora: User,
    north: Tenant,
    sprint: Challenge,
    escape: Challenge,
    submit: Submit,
) -> None:
    fields = {
        "name": "Solve",
        "scoring_strategy": "metric",
        "metrics": ["pass@1"],
        "rank_by": [{"key": "pass@1"}],
    }
    solve = create_challenge(tenant=north, user=None, fields=fields)
    submit(sprint, "atlas", elapsed_ms=1250)
    submit(escape, "atlas", rating=5)
    new = NewAttempt(participant="atlas", task_rewards={"a": [1.0], "b": [0.0]})
    attempt, _ = submit_attempt(challenge=solve, user=nora, new=new)
    assert score_attempt(attempt.pk)
    content = as_nora.get(url("attempt")).content.decode()
    for text in ("elapsed_ms 1,250", "score 150", "pass@1 0.5"):
        assert text in content
    page = as_nora.get(url("attempt", "change", attempt.pk)).content.decode()
    assert "<td>0.5</td>" in page
    assert "2 of 2" in page
