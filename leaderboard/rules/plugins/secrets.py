"""Secrets in the config of a plugin: stored separately, with a mask in their place.

The plugin's JSON schema marks secret values with `writeOnly` or the format `password`, as pydantic
does for `SecretStr`. A property that a config may also call by another name has it as `x-name`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any, Final

from leaderboard.rules.json.values import JsonObject, JsonSchema

MASK: Final = "**********"
MAX_DEPTH: Final = 20
OTHER_NAME: Final = "x-name"

SecretPath = tuple[str | int, ...]


def masked(config: Mapping[str, object], schema: JsonSchema) -> tuple[JsonObject, JsonObject]:
    """The config with a mask for each secret, and the secrets by their place: `judge/key`."""
    masked_config = deepcopy(dict(config))
    secrets: JsonObject = {}
    for path in list(_secret_paths(masked_config, schema, schema, ())):
        around: Any = masked_config
        for part in path[:-1]:
            around = around[part]
        secrets[_place(path)] = around[path[-1]]
        around[path[-1]] = MASK
    return masked_config, secrets


def split_secrets(
    given: Mapping[str, object], schema: JsonSchema, stored_secrets: Mapping[str, object]
) -> tuple[JsonObject, JsonObject]:
    """As `masked`; where the given config has a mask, the known secret at that path is used.

    A known secret remains secret even if the schema is missing.
    """
    masked_config, given_secrets = masked(given, schema)
    new = {place: value for place, value in given_secrets.items() if value != MASK}
    places = [_place(path) for path, _ in _leaves(given, ())]
    return masked_config, new | {
        place: stored_secrets[place] for place in places if place in stored_secrets
    }


def filled(config: Mapping[str, object], secrets: Mapping[str, object]) -> JsonObject:
    """The config with each mask replaced by the secret of its path."""
    whole = deepcopy(dict(config))
    for path, _ in _leaves(whole, ()):
        place = _place(path)
        if place in secrets:
            around: Any = whole
            for part in path[:-1]:
                around = around[part]
            around[path[-1]] = secrets[place]
    return whole


def masks_in(config: Mapping[str, object]) -> list[str]:
    """The places of masks, as errors name them: `judge.key`."""
    return [".".join(map(str, path)) for path, _ in _leaves(config, ())]


def _leaves(value: Any, at: SecretPath) -> Iterator[tuple[SecretPath, Any]]:
    """The places of all masks in a value."""
    if value == MASK:
        yield at, value
    elif isinstance(value, Mapping):
        for name, item in value.items():
            yield from _leaves(item, (*at, name))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _leaves(item, (*at, index))


def _secret_paths(
    value: Any, schema: Any, root: JsonSchema, at: SecretPath
) -> Iterator[SecretPath]:
    if value is None or not isinstance(schema, Mapping) or len(at) > MAX_DEPTH:
        return
    parts = list(_alternatives(schema, root))
    if at and any(_is_marked(part) or _is_json_with_secrets(part, root) for part in parts):
        yield at
        return
    paths = dict.fromkeys(path for part in parts for path in _inner_paths(value, part, root, at))
    if at and isinstance(value, Mapping):
        paths |= dict.fromkeys((*at, name) for name in _unknown_beside_secrets(value, parts, root))
    # A value that is secret as a whole contains no further secrets.
    yield from (path for path in paths if not any(path[:n] in paths for n in range(1, len(path))))


def _inner_paths(
    value: Any, schema: JsonSchema, root: JsonSchema, at: SecretPath
) -> Iterator[SecretPath]:
    inner = schema.get("prefixItems", [])
    if isinstance(value, Mapping):
        named = _by_name(schema)
        # Patterns are a plugin's, so no name is compared with one. A tuple may have names, too.
        unnamed = [schema.get("additionalProperties"), *inner]
        unnamed += schema.get("patternProperties", {}).values()
        for name, item in value.items():
            for inner_schema in [named[name]] if name in named else unnamed:
                yield from _secret_paths(item, inner_schema, root, (*at, name))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            inner_schema = inner[index] if index < len(inner) else schema.get("items")
            yield from _secret_paths(item, inner_schema, root, (*at, index))


def _unknown_beside_secrets(
    value: Mapping[str, object], parts: Sequence[JsonSchema], root: JsonSchema
) -> list[str]:
    """The names in an object that its schema does not have, if there are secrets in it.

    Each may be one more name of a secret: pydantic shows only the first of several aliases.
    """
    named = {name: inner for part in parts for name, inner in _by_name(part).items()}
    if any(isinstance(part.get("additionalProperties"), Mapping) for part in parts):
        return []
    unknown = [name for name in value if name not in named]
    visited: set[int] = set()
    holds_secrets = unknown and any(
        _holds_secrets(inner, root, visited) for inner in named.values()
    )
    return unknown if holds_secrets else []


def _is_json_with_secrets(schema: JsonSchema, root: JsonSchema) -> bool:
    """Whether the value is a text of JSON that can contain a secret."""
    return _holds_secrets(schema.get("contentSchema"), root, set())


def _holds_secrets(schema: Any, root: JsonSchema, visited: set[int]) -> bool:
    """Whether a value of this schema can be a secret or contain one.

    visited: the ids of the schemas that were looked at before.
    """
    if not isinstance(schema, Mapping) or id(schema) in visited:
        return False
    visited.add(id(schema))
    for part in _alternatives(schema, root):
        inside = [*part.get("properties", {}).values(), *part.get("prefixItems", ())]
        inside += part.get("patternProperties", {}).values()
        inside += [part.get(key) for key in ("items", "additionalProperties", "contentSchema")]
        if _is_marked(part) or any(_holds_secrets(inner, root, visited) for inner in inside):
            return True
    return False


def _is_marked(schema: JsonSchema) -> bool:
    return bool(schema.get("writeOnly")) or schema.get("format") == "password"


def _by_name(schema: JsonSchema) -> dict[str, JsonSchema]:
    """The properties of an object by each of their names."""
    properties: dict[str, JsonSchema] = schema.get("properties", {})
    by_other_name = {
        inner[OTHER_NAME]: inner for inner in properties.values() if OTHER_NAME in inner
    }
    return by_other_name | properties


def _alternatives(schema: JsonSchema, root: JsonSchema, depth: int = 0) -> Iterator[JsonSchema]:
    """The schema, what it refers to, and what else the value may be."""
    yield schema
    if depth > MAX_DEPTH:
        return
    if reference := schema.get("$ref"):
        target = root.get("$defs", {}).get(str(reference).removeprefix("#/$defs/"), {})
        yield from _alternatives(target, root, depth + 1)
    for kind in ("anyOf", "oneOf", "allOf"):
        for choice in schema.get(kind, ()):
            yield from _alternatives(choice, root, depth + 1)


def _place(path: SecretPath) -> str:
    return "/".join(str(part).replace("~", "~0").replace("/", "~1") for part in path)
