"""Requests whose connection is cut: gunicorn then ends the body without an error."""

from __future__ import annotations

import json
from io import BytesIO
from typing import Any

import pytest
from django.test import RequestFactory

from leaderboard.http.whole_bodies import WholeBody
from leaderboard.models import Attempt, Challenge
from leaderboard.wsgi import application
from tests.api.conftest import ME, Api, refused

LINE = json.dumps(ME).encode() + b"\n"
FILE = (
    b'--xx\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n'
    b"participant,succeeded\natlas,true\n\r\n"
)
FORM = "multipart/form-data; boundary=xx"
AT = "/api/v1/challenges/sprint"
CUT = {
    "attempt": (f"{AT}/attempts/", "application/json", LINE),
    "bulk, in a line": (f"{AT}/attempts/bulk/", "application/x-ndjson", LINE + LINE[:9]),
    "bulk, after a line": (f"{AT}/attempts/bulk/", "application/x-ndjson", LINE),
    "bulk, all or none": (f"{AT}/attempts/bulk/?atomic=1", "application/x-ndjson", LINE),
    "file": (f"{AT}/imports/", FORM, FILE),
    "file, before its end": (f"{AT}/imports/", FORM, FILE + b"--xx--"),
}


class Reset(BytesIO):
    """A body of which nothing can be read any more."""

    def read(self, size: Any = -1, /) -> bytes:
        raise ConnectionResetError

    readline = read


@pytest.mark.parametrize("stream", [BytesIO, Reset])
def test_nothing_of_a_cut_body_is_stored(
    sprint: Challenge, submitter: Api, stream: type[BytesIO]
) -> None:
    for case, (path, kind, body) in CUT.items():
        length = len(body) + 9
        cut: Any = {"CONTENT_LENGTH": str(length), "wsgi.input": WholeBody(stream(body), length)}
        answer = submitter.client.generic(
            "POST", path, body, kind, headers=submitter.headers, **cut
        )
        assert refused(answer, 400, "invalid")["message"].startswith("body: "), case
        assert not Attempt.objects.exists(), case


@pytest.mark.django_db
@pytest.mark.parametrize("kind", ["application/x-www-form-urlencoded", FORM])
@pytest.mark.parametrize("stream", [BytesIO, Reset])
def test_gunicorn_answers_that_the_form_of_a_page_is_wrong(
    kind: str, stream: type[BytesIO]
) -> None:
    asked = RequestFactory(headers={"host": "localhost"}).post("/theme/", b"", content_type=kind)
    cut = {"CONTENT_LENGTH": "99", "wsgi.input": stream(b"theme=dark")}
    statuses: list[str] = []

    def start(status: str, headers: object, exc_info: object = None) -> Any:
        statuses.append(status)

    list(application(asked.environ | cut, start))
    assert statuses == ["400 Bad Request"]
