"""Rescoring: requested, confirmed, watched."""

from __future__ import annotations

from django.contrib.admin.models import LogEntry
from django.test import Client

from leaderboard.models import Challenge
from leaderboard.services.scoring.rescoring import work_on
from tests.admin.conftest import Submit
from tests.admin.pages import messages_of, url


def test_a_get_request_only_asks_for_confirmation(as_nora: Client, sprint: Challenge) -> None:
    page = as_nora.get(url("challenge", "rescore", sprint.pk))
    assert b"Rescore every attempt" in page.content
    sprint.refresh_from_db()
    assert not sprint.newest.is_rescoring


def test_a_rescore_is_started_and_watched_to_its_end(
    as_nora: Client, sprint: Challenge, submit: Submit
) -> None:
    submit(sprint, "atlas", elapsed_ms=5)
    answer = as_nora.post(url("challenge", "rescore", sprint.pk))
    (message,) = messages_of(answer)
    assert "version 2" in message
    assert LogEntry.objects.get().change_message == message
    watch = url("challenge", "progress", sprint.pk)
    assert answer["Location"] == watch

    whole = as_nora.get(watch)
    assert b'<progress max="1" value="0">' in whole.content
    assert b'http-equiv="refresh"' in whole.content
    piece = as_nora.get(watch, headers={"HX-Request": "true"})
    assert b"<html" not in piece.content
    assert b"data-hx-trigger" in piece.content
    assert b"<progress" in as_nora.get(url("challenge", "change", sprint.pk)).content
    assert b"is running" in as_nora.get(url("challenge", "rescore", sprint.pk)).content
    assert b"rescoring under 2" in as_nora.get(url("challenge")).content

    sprint.refresh_from_db()
    work_on(sprint.newest.pk)
    done = as_nora.get(watch, headers={"HX-Request": "true"})
    assert b"version 2" in done.content
    assert b"data-hx-trigger" not in done.content
