"""Challenges whose metric scripts must be prepared, posted as by a browser."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from typing import Any

from django.test import Client

from leaderboard.services.scripts.prepare import key_of, progress_of
from tests.admin.pages import typed, url
from tests.metric_scripts import Gate
from tests.processes import eventually

ADD = url("challenge", "add")


class Inputs(HTMLParser):
    """The hidden fields of the form that posts the typed values, and the buttons of the page."""

    def __init__(self, response: Any) -> None:
        super().__init__()
        self.typed: dict[str, str] = {}
        self.buttons: list[dict[str, str | None]] = []
        self._form: str | None = None
        self.feed(response.content.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        if tag == "form":
            self._form = attributes.get("id")
        elif tag == "button" and attributes.get("form") == "save":
            self.buttons.append(attributes)
        elif tag == "input" and self._form == "save":
            self.typed[str(attributes["name"])] = attributes["value"] or ""


def metrics(*texts: str) -> str:
    scripts = [
        {"type": "uv-script", "name": f"own {number}", "kwargs": {"script": text}}
        for number, text in enumerate(texts)
    ]
    return json.dumps(["mean", *scripts])


def post_of(client: Client, *texts: str, page: str = ADD, **changes: Any) -> dict[str, Any]:
    given = {"scoring_strategy": "metric", "metrics": metrics(*texts), "rank_by__0__key": "mean"}
    return typed(client.get(page), **{**given, **changes})


def wait_for(text: str) -> None:
    eventually(lambda: progress_of(key_of(text)).state != "running")


def finish(gate: Gate, *texts: str) -> None:
    """Open the gate, and wait until the scripts are prepared."""
    gate.open()
    for text in texts:
        wait_for(text)


def state_of(response: Any) -> str:
    state: str = response.context["state"]
    return state
