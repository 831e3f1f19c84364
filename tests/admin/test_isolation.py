"""The isolation report that the workers published."""

from __future__ import annotations

from django.test import Client
from django.urls import reverse

from leaderboard.services.plugins.isolation import publish_isolation


def test_organisers_see_the_report_and_its_worker(as_nora: Client) -> None:
    page = reverse("admin:isolation")
    assert page.encode() in as_nora.get(reverse("admin:index")).content
    assert b"No worker has reported yet" in as_nora.get(page).content
    report = publish_isolation()
    content = as_nora.get(page).content.decode()
    assert "Workers on" in content
    for threat in report.threats:
        assert threat.name.replace("'", "&#x27;") in content
