"""The example request on a challenge's pages. One with many tasks is a file to download."""

from __future__ import annotations

import shlex
from typing import Final, NamedTuple

from django.http import HttpRequest
from django.urls import reverse

from leaderboard.links import absolute
from leaderboard.models import Challenge
from leaderboard.rules.json_values import JsonObject
from leaderboard.services.imports.examples import example_of, written

MOST_LINES: Final = 60
"""The most lines of an example on a page."""


class Example(NamedTuple):
    """An example. data: the argument of curl's `-d`. url: that of its file, "" without one."""

    data: str
    url: str
    submit_url: str


def curl_example(request: HttpRequest, challenge: Challenge) -> Example:
    """The example as a command, with the file that it needs if it is long."""
    slug, body = challenge.slug, example_of(challenge)
    submit_url = absolute(request, reverse("api:attempts", args=[slug]))
    if is_long(body):
        url = absolute(request, reverse("api:example", args=[slug]))
        return Example("@attempt.json", url, submit_url)
    return Example(shlex.quote(written(body)), "", submit_url)


def is_long(body: JsonObject) -> bool:
    """Whether an example is too long for a page."""
    return written(body).count("\n") >= MOST_LINES


def shortened(body: JsonObject) -> str:
    """The beginning of a long example."""
    lines = written(body).splitlines()
    return "\n".join([*lines[:8], "  …"])
