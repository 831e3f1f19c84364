"""Reading and sending the forms of the pages of organisers."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

from django.test import Client

from leaderboard.models import Challenge
from tests.pages.reading import get

PAGES = (
    "/c/sprint/manage/",
    "/c/sprint/manage/phases/",
    "/c/sprint/manage/phases/?phase=main",
    "/c/sprint/manage/phases/?phase=",
    "/c/sprint/manage/rules/",
    "/c/sprint/manage/metrics/",
    "/c/sprint/manage/tasks/",
    "/c/sprint/manage/references/",
    "/c/sprint/manage/settings/",
    "/c/sprint/manage/split/",
    "/c/sprint/people/",
    "/c/sprint/manage/attempts/",
    "/c/sprint/manage/registration/",
    "/c/sprint/manage/extra/",
    "/c/sprint/manage/announcements/",
    "/c/sprint/manage/organisers/",
    "/c/sprint/manage/log/",
)
"""The pages on which organisers run the challenge Sprint."""


def inputs(html: str) -> dict[str, str]:
    """Return what a browser would send of the form, without its buttons."""
    start = html.index("<form", html.index("<main"))
    form = html[start : html.index("</form>", start)]
    sent: dict[str, str] = {}
    for tag in re.findall(r"<input [^>]*>", form):
        attributes = dict(re.findall(r'(\w+)="([^"]*)"', tag))
        is_box = attributes.get("type") in ("checkbox", "radio")
        if attributes.get("type") == "file":
            continue
        if not is_box or re.search(r"\schecked", tag):
            sent[attributes["name"]] = unescape(attributes.get("value", "on" if is_box else ""))
    for name, text in re.findall(r'<textarea name="([^"]*)"[^>]*>\n?(.*?)</textarea>', form, re.S):
        sent[name] = unescape(text)
    for name, options in re.findall(r'<select name="([^"]*)"[^>]*>(.*?)</select>', form, re.S):
        chosen = re.search(r'<option value="([^"]*)" selected', options)
        first = re.search(r'<option value="([^"]*)"', options)
        option = chosen or first
        sent[name] = unescape(option[1]) if option else ""
    return sent


def saved(client: Client, path: str, **changes: Any) -> Any:
    """Load the page, change some fields and save it."""
    typed = {name.replace("__", "."): value for name, value in changes.items()}
    return client.post(path, {**inputs(get(client, path)), "action": "save", **typed})


def stored(challenge: Challenge) -> Any:
    """The newest scoring config of a challenge, as it is stored."""
    return Challenge.objects.get(pk=challenge.pk).newest
