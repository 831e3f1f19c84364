"""A challenge's changes to its columns: every wrong one is named, and OpenAPI describes them."""

from __future__ import annotations

from leaderboard.schemas.challenges import NEW_CHALLENGE
from leaderboard.schemas.columns import COLUMN_CHANGES
from leaderboard.schemas.errors import checked
from leaderboard.schemas.openapi import openapi_shape
from tests.schemas.refusals import refused

WHOLE = {
    "key": "physics",
    "label": "Physics",
    "unit": "",
    "decimals": 1,
    "direction": "asc",
    "position": 1,
    "hidden": True,
}


def test_a_challenge_keeps_them_as_they_were_sent() -> None:
    fields = {"name": "Exams", "scoring_strategy": "metric", "columns": [WHOLE, {"key": "b"}]}
    assert checked(NEW_CHALLENGE, fields).columns == fields["columns"]


def test_every_wrong_entry_is_named() -> None:
    wrong = [{"label": ""}, {"key": "a", "decimals": 10}]
    fields = refused(checked, COLUMN_CHANGES, wrong, "columns").fields
    assert list(fields) == ["columns.0.key", "columns.0.label", "columns.1.decimals"]
    assert "1 to 60" in fields["columns.0.label"][0]
    assert "from 0 to 9; got 10" in fields["columns.1.decimals"][0]


def test_openapi_describes_each_field() -> None:
    shape = openapi_shape(NEW_CHALLENGE)["properties"]["columns"]["items"]
    assert shape["properties"].keys() == WHOLE.keys()
    assert shape["required"] == ["key"]
    assert shape["properties"]["label"]["maxLength"] == 60
    assert shape["properties"]["decimals"]["maximum"] == 9
    assert shape["properties"]["direction"]["enum"] == ["asc", "desc"]
    assert shape["additionalProperties"] is False
