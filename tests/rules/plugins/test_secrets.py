"""Secrets of a config: removed by its schema, and restored where their mask was left unchanged."""

from __future__ import annotations

from typing import Any

from leaderboard.rules.plugins.secrets import MASK, filled, masked, masks_in

SECRET = {"type": "string", "format": "password", "writeOnly": True}
SCHEMA: dict[str, Any] = {
    "$defs": {"Judge": {"properties": {"key": SECRET, "model": {"type": "string"}}}},
    "properties": {
        "key": SECRET,
        "maybe": {"anyOf": [SECRET, {"type": "null"}]},
        "judge": {"$ref": "#/$defs/Judge"},
        "judges": {"type": "array", "items": {"$ref": "#/$defs/Judge"}},
        "by_name": {"type": "object", "additionalProperties": SECRET},
        "answers": {"type": "array", "items": {"type": "string"}, "writeOnly": True},
        "pair": {"type": "array", "prefixItems": [{"type": "string"}, SECRET]},
        "by_pattern": {"type": "object", "patternProperties": {"^(a+)+$": SECRET}},
        "apiKey": SECRET | {"x-name": "api_key"},
        "document": {"type": "string", "contentSchema": {"$ref": "#/$defs/Judge"}},
        "numbers": {"type": "string", "contentSchema": {"type": "array", "items": {}}},
        "either": {"anyOf": [{"$ref": "#/$defs/Judge"}, {"properties": {"path": {}}}]},
        "inner": {"properties": {"judge": {"$ref": "#/$defs/Judge"}}},
        "weight": {"type": "number"},
    },
}


def test_secrets_are_removed_and_restored() -> None:
    cases: list[tuple[dict[str, Any], dict[str, Any], dict[str, Any]]] = [
        ({"key": "a", "weight": 2}, {"key": MASK, "weight": 2}, {"key": "a"}),
        ({"maybe": None}, {"maybe": None}, {}),
        ({"maybe": "b"}, {"maybe": MASK}, {"maybe": "b"}),
        (
            {"judge": {"key": "c", "model": "m"}},
            {"judge": {"key": MASK, "model": "m"}},
            {"judge/key": "c"},
        ),
        ({"judges": [{}, {"key": "d"}]}, {"judges": [{}, {"key": MASK}]}, {"judges/1/key": "d"}),
        ({"by_name": {"a/b": "e"}}, {"by_name": {"a/b": MASK}}, {"by_name/a~1b": "e"}),
        ({"answers": ["f", "g"]}, {"answers": MASK}, {"answers": ["f", "g"]}),
        ({"pair": ["a", "i", "b"]}, {"pair": ["a", MASK, "b"]}, {"pair/1": "i"}),
        ({"pair": {"second": "j"}}, {"pair": {"second": MASK}}, {"pair/second": "j"}),
        (
            {"by_pattern": {"a" * 50 + "b": "k"}},
            {"by_pattern": {"a" * 50 + "b": MASK}},
            {f"by_pattern/{'a' * 50}b": "k"},
        ),
        ({"api_key": "l"}, {"api_key": MASK}, {"api_key": "l"}),
        ({"apiKey": "m"}, {"apiKey": MASK}, {"apiKey": "m"}),
        ({"document": '{"key": "n"}'}, {"document": MASK}, {"document": '{"key": "n"}'}),
        ({"numbers": "[1]"}, {"numbers": "[1]"}, {}),
        (
            {"judge": {"token": "o", "model": "m"}},
            {"judge": {"token": MASK, "model": "m"}},
            {"judge/token": "o"},
        ),
        ({"inner": {"j": {"key": "p"}}}, {"inner": {"j": MASK}}, {"inner/j": {"key": "p"}}),
        ({"either": {"path": "a", "model": "m"}}, {"either": {"path": "a", "model": "m"}}, {}),
        ({"other": "h", "judge": "text"}, {"other": "h", "judge": "text"}, {}),
        ({}, {}, {}),
    ]
    for config, masked_config, secrets in cases:
        before = repr(config)
        assert masked(config, SCHEMA) == (masked_config, secrets), config
        assert filled(masked_config, secrets) == config, config
        assert repr(config) == before, config


def test_new_values_are_kept() -> None:
    secrets = {"key": "old", "judge/key": "older", "gone": "x"}
    config = {"key": "new", "judge": {"key": MASK}}
    assert filled(config, secrets) == {"key": "new", "judge": {"key": "older"}}


def test_masks_without_a_stored_secret_are_listed() -> None:
    config = {"key": MASK, "judges": [{"key": MASK}], "weight": 1}
    assert masks_in(config) == ["key", "judges.0.key"]
    assert masks_in(filled(config, {"key": "a"})) == ["judges.0.key"]


def test_a_recursive_schema_is_read_in_finite_time() -> None:
    schema = {"$defs": {"A": {"anyOf": [{"$ref": "#/$defs/A"}]}}, "$ref": "#/$defs/A"}
    assert masked({"a": {"b": 1}}, schema) == ({"a": {"b": 1}}, {})
    inside = {"A": {"properties": {"a": {"$ref": "#/$defs/A"}}}}
    schema = {"$defs": inside, "properties": {"a": {"$ref": "#/$defs/A"}}}
    assert masked({"a": {"b": 1}}, schema) == ({"a": {"b": 1}}, {})


def test_a_plugin_without_a_schema_has_no_secrets() -> None:
    assert masked({"key": "a"}, {}) == ({"key": "a"}, {})
