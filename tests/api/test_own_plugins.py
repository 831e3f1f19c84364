"""The plugins of a challenge over the API."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import LazySettings
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart

from leaderboard.models import Challenge, User
from leaderboard.services.tokens import create_token
from tests.api.conftest import Api, refused

PATH = "challenges/sprint/plugins/"
SCORER = b"class S:\n    def score(self, metrics, config, ctx): return {'score': 1}\n"
NAMED = {"scoring_strategy": "custom", "scoring_entrypoint": "challenge.s:S"}


def put(api: Api, name: str, content: bytes, path: str = PATH, **fields: Any) -> Any:
    if not content:
        return api.send("put", path, encode_multipart(BOUNDARY, fields), MULTIPART_CONTENT)
    return api.upload(path, content, name, method="put", **fields)


def test_organisers_put_read_and_delete_plugins(
    sprint: Challenge,
    organiser: Api,
    submitter: Api,
    stranger: Api,
    tmp_path: Path,
    settings: LazySettings,
) -> None:
    settings.MEDIA_ROOT = tmp_path
    for api in (submitter, stranger):
        refused(put(api, "s.py", SCORER), 403, "permission_denied")
        refused(api.get(PATH), 403, "permission_denied")
    refused(organiser.get(PATH), 404, "not_found")
    refused(put(organiser, "s.exe", SCORER), 400, "invalid", "file")
    body = put(organiser, "s.py", SCORER).json()
    assert body["contents"] == [{"name": "s.py", "size": len(SCORER)}]
    assert [plugin["entrypoint"] for plugin in body["plugins"]] == ["challenge.s:S"]
    assert organiser.get(PATH).json() == body
    file = f"files/{body['file']['id']}/"
    assert organiser.get(file).status_code == 200
    refused(submitter.get(file), 404, "not_found")
    assert submitter.get("challenges/sprint/files/").json() == {"results": []}
    assert organiser.patch("challenges/sprint/", NAMED).status_code == 200
    refused(organiser.delete(PATH), 409, "conflict")
    refused(organiser.delete(file), 409, "conflict")
    refused(put(organiser, "t.py", SCORER), 400, "invalid", "file")
    assert organiser.patch("challenges/sprint/", {"scoring_strategy": "first"}).status_code == 200
    assert organiser.delete(PATH).status_code == 204


def test_organisers_take_plugins_over_and_replace_the_same_ones(
    sprint: Challenge,
    secret: Challenge,
    organiser: Api,
    submitter: Api,
    alice: User,
    tmp_path: Path,
    settings: LazySettings,
) -> None:
    settings.MEDIA_ROOT = tmp_path
    other = f"challenges/{secret.slug}/plugins/"
    bound = Api(create_token(user=alice, scopes=["organise"], challenge=secret)[1])
    digest = put(organiser, "s.py", SCORER).json()["file"]["sha256"]
    refused(submitter.get(f"{PATH}others/"), 403, "permission_denied")
    (listed,) = organiser.get(f"{other}others/").json()["results"]
    assert (listed["challenge"], listed["contents"], listed["same"]) == ("sprint", ["s.py"], False)
    assert listed["file"]["sha256"] == digest
    assert bound.get(f"{other}others/").json() == {"results": []}
    refused(put(bound, "", b"", other, source="sprint"), 400, "invalid", "source")
    refused(put(organiser, "", b"", other, source="nothing"), 400, "invalid", "source")
    refused(put(organiser, "", b"", other), 400, "invalid", "file")
    refused(put(organiser, "s.py", SCORER, other, source="sprint"), 400, "invalid", "file")
    taken = put(organiser, "", b"", other, source="sprint").json()
    assert taken["file"]["sha256"] == digest
    assert [row["same"] for row in organiser.get(f"{other}others/").json()["results"]] == [True]
    new = SCORER + b"#"
    refused(put(bound, "s.py", new, other, also="sprint"), 400, "invalid", "also")
    refused(put(organiser, "s.py", new, other, also="sprint, nothing"), 400, "invalid", "also")
    assert organiser.get(PATH).json()["file"]["sha256"] == digest
    replaced = put(organiser, "s.py", new, other, also="sprint,").json()["file"]["sha256"]
    assert organiser.get(PATH).json()["file"]["sha256"] == replaced != digest
