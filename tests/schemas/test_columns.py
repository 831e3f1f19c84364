"""A challenge's changes to its columns: every wrong one is named, and OpenAPI describes them."""

from __future__ import annotations

import pytest

from leaderboard.schemas.challenges import NEW_CHALLENGE
from leaderboard.schemas.columns import COLUMN_CHANGES
from leaderboard.schemas.errors import SchemaError, checked
from leaderboard.schemas.openapi import openapi_shape

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
    with pytest.raises(SchemaError) as refused:
        checked(COLUMN_CHANGES, [{"label": ""}, {"key": "a", "decimals": 10}], "columns")
    assert refused.value.fields == {
        "columns.0.key": ["is required; got nothing"],
        "columns.0.label": ['must be a text of 1 to 60 visible characters; got ""'],
        "columns.1.decimals": ["must be a whole number from 0 to 9; got 10"],
    }


def test_openapi_describes_each_field() -> None:
    shape = openapi_shape(NEW_CHALLENGE)["properties"]["columns"]["items"]
    assert shape["properties"].keys() == WHOLE.keys()
    assert shape["required"] == ["key"]
    assert shape["properties"]["label"]["maxLength"] == 60
    assert shape["properties"]["decimals"]["maximum"] == 9
    assert shape["properties"]["direction"]["enum"] == ["asc", "desc"]
    assert shape["additionalProperties"] is False
