"""Secrets of pydantic models, wherever they are, are marked so that Podium stores them apart."""

import json
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

from pydantic import AliasChoices, BaseModel, Field, Json, Secret, SecretStr
from pydantic.alias_generators import to_camel
from typing_extensions import TypedDict

from leaderboard.rules.plugins.secrets import filled, masked
from leaderboard.sandbox.child.configs import check, schema_of

SAID = "hunter2"


class Judge(BaseModel, alias_generator=to_camel, populate_by_name=True):
    api_key: SecretStr
    max_calls: int = 3


class Exam(BaseModel):
    answers: Secret[list[str]]


class Pair(NamedTuple):
    name: str
    key: SecretStr


@dataclass
class Limits:
    most: Annotated[int, Field(ge=1)]
    codes: Secret[list[str]]


class Named(TypedDict):
    words: Secret[list[str]]


class Service(BaseModel):
    token: SecretStr = Field(validation_alias=AliasChoices("token", "accessToken"))


class Config(BaseModel, alias_generator=to_camel, populate_by_name=True):
    own_key: SecretStr | None = None
    judge: Judge | None = None
    many: dict[str, list[Judge]] = {}
    exams: list[Exam] = []
    deep: dict[str, list[Secret[str]]] | None = None
    pairs: list[tuple[str, SecretStr]] = []
    named: list[Pair] = []
    limits: list[Limits] = []
    words: dict[str, Named] = {}
    by_pattern: list[dict[Annotated[str, Field(pattern="^k")], SecretStr]] = []
    document: Json[Judge] | None = None
    service: Service | None = None


class Plugin:
    Config = Config


def test_a_secret_is_stored_apart() -> None:
    schema, _ = schema_of(Plugin)
    assert schema is not None
    configs: list[dict[str, Any]] = [
        {"own_key": SAID},
        {"ownKey": SAID},
        {"judge": {"api_key": SAID, "max_calls": 5}},
        {"many": {"a": [{"apiKey": "other"}, {"api_key": SAID, "maxCalls": 5}]}},
        {"exams": [{"answers": ["a", SAID]}]},
        {"deep": {"a": ["b", SAID]}},
        {"pairs": [["name", SAID]]},
        {"named": [["name", SAID]]},
        {"limits": [{"most": 3, "codes": [SAID]}]},
        {"words": {"a": {"words": [SAID]}}},
        {"by_pattern": [{"key": SAID}]},
        {"document": '{"api_key": "hunter2"}'},
        {"service": {"token": SAID}},
        {"service": {"accessToken": SAID}},
    ]
    for config in configs:
        assert check(Plugin, config)[0] == {}, config
        public, secrets = masked(config, schema)
        assert SAID not in json.dumps(public), config
        assert SAID in json.dumps(secrets), config
        assert filled(public, secrets) == config


def test_what_is_not_secret_is_shown() -> None:
    schema, _ = schema_of(Plugin)
    assert schema is not None
    config = {"judge": {"api_key": SAID, "max_calls": 5}, "many": {"a": [{"maxCalls": 6}]}}
    public, _ = masked(config, schema)
    assert public["judge"] == {"api_key": "**********", "max_calls": 5}
    assert public["many"] == {"a": [{"maxCalls": 6}]}
