"""The example requests on a challenge's pages. One with many tasks is a file to download.

They run as they are copied: with the name of the reader's participant, the phase, and the token if
the reader has just made one.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Final, NamedTuple

from django.http import HttpRequest
from django.urls import reverse

from leaderboard.http.links import absolute
from leaderboard.models import Challenge
from leaderboard.pages.shared.access import signed_in
from leaderboard.rules.json.values import JsonObject
from leaderboard.services.competition.participants.own_names import suggested_name
from leaderboard.services.imports.examples import PARTICIPANT, example_of, phase_of, written

MOST_LINES: Final = 60
"""The most lines of an example on a page."""
_AUTHORIZATION: Final = '-H "Authorization: Bearer $TOKEN"'


class ExampleFile(NamedTuple):
    """A file as participants submit it."""

    name: str
    content: str


def curl_example(request: HttpRequest, challenge: Challenge, token: str = "") -> str:
    """The commands that submit an example, with the file that they need if it is long.

    token: the text of a token that the commands set; "" if readers set `TOKEN` themselves.
    """
    body = example_of(challenge, example_name(request, challenge))
    data = "@attempt.json" if is_long(body) else shlex.quote(written(body))
    example = _address(request, challenge, "example")
    fetch = f"curl {_AUTHORIZATION} {example} -o attempt.json"
    lines = [
        *_setting(token),
        *([fetch] if is_long(body) else ()),
        f"curl -X POST {_address(request, challenge, 'attempts')} \\",
        f"  {_AUTHORIZATION} \\",
        '  -H "Content-Type: application/json" \\',
        f"  -d {data}",
    ]
    return "\n".join(lines)


def upload_example(
    request: HttpRequest, challenge: Challenge, file: ExampleFile, token: str = ""
) -> str:
    """The command that submits a file. It writes the example first if there is no such file."""
    name = example_name(request, challenge)
    fields = {"participant": name, **phase_of(challenge)}
    lines = [
        *_setting(token),
        f"[ -e {file.name} ] || cat > {file.name} <<'END'",
        file.content,
        "END",
        f"curl {_address(request, challenge, 'imports')} \\",
        f"  {_AUTHORIZATION} \\",
        # Unlike -F, --form-string takes values that begin with @ or hold ; as they are.
        *(f"  --form-string {shlex.quote(f'{key}={fields[key]}')} \\" for key in fields),
        f"  -F file=@{file.name}",
    ]
    return "\n".join(lines)


def file_command(request: HttpRequest, challenge: Challenge, token: str = "") -> str:
    """The command that submits a file of predictions."""
    fields = {"participant": example_name(request, challenge), **phase_of(challenge)}
    lines = [
        *_setting(token),
        f"curl {_address(request, challenge, 'attempts')} \\",
        f"  {_AUTHORIZATION} \\",
        *(f"  --form-string {shlex.quote(f'{key}={fields[key]}')} \\" for key in fields),
        "  -F file=@predictions.csv",
    ]
    return "\n".join(lines)


def is_long(body: JsonObject) -> bool:
    """Whether an example is too long for a page."""
    return written(body).count("\n") >= MOST_LINES


def shortened(body: JsonObject) -> str:
    """The beginning of a long example."""
    lines = written(body).splitlines()
    return "\n".join([*lines[:8], "  …"])


def example_name(request: HttpRequest, challenge: Challenge) -> str:
    """The participant of an example: one that the reader may submit as."""
    if not request.user.is_authenticated:
        return PARTICIPANT
    return suggested_name(challenge, signed_in(request))


def _setting(token: str) -> Iterator[str]:
    if token:
        yield f"TOKEN={token}"


def _address(request: HttpRequest, challenge: Challenge, view: str) -> str:
    return absolute(request, reverse(f"api:{view}", args=[challenge.slug]))
