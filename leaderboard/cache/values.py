"""The format of values in the shared cache: numbers, texts and JSON, so that reading runs no code.

Django would use pickle, with which anybody who can write to Redis could run code in the web server.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from functools import cache
from typing import Any, Final

from django.utils.module_loading import import_string

ROWS: Final = {
    name.rpartition(".")[2]: name
    for name in (
        "leaderboard.sandbox.contract.Failure",
        "leaderboard.sandbox.contract.IsolationReport",
        "leaderboard.sandbox.contract.PluginDescription",
        "leaderboard.sandbox.contract.ThreatReport",
        "leaderboard.services.plugins.isolation.WorkerReport",
        "leaderboard.services.plugins.catalogue.PluginList",
    )
}
"""Our only classes that the cache stores: plain values, by the names of their fields."""
TEXT: Final = b"t"
JSON: Final = b"j"
PLAIN: Final = (int, float, bool, type(None))


class NotCacheable(TypeError):
    """The cache cannot store values of this type."""


class Unreadable(ValueError):
    """The data was not written by this module."""


class Serializer:
    """A serializer for Django's Redis cache. Integers stay integers, for counters."""

    def dumps(self, value: Any) -> bytes | int:
        if type(value) is int:
            return value
        if isinstance(value, str):
            return TEXT + value.encode("utf-8", "surrogatepass")
        return JSON + json.dumps(_written(value), separators=(",", ":")).encode()

    def loads(self, data: bytes) -> Any:
        """The value of stored data. Raises Unreadable."""
        try:
            if data[:1] == TEXT:
                return data[1:].decode("utf-8", "surrogatepass")
            return _read(json.loads(data[1:])) if data[:1] == JSON else int(data)
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise Unreadable(str(error)) from None


def _written(value: Any) -> Any:
    if isinstance(value, str):
        return str(value)
    if type(value) in PLAIN:
        return value
    if type(value) is list:
        return [_written(item) for item in value]
    if isinstance(value, Mapping):
        return {"of": "dict", "is": [[_written(part) for part in pair] for pair in value.items()]}
    if type(value) is tuple:
        return {"of": "tuple", "is": [_written(item) for item in value]}
    if type(value) is datetime:
        return {"of": "datetime", "is": value.isoformat()}
    name = type(value).__name__
    if name in ROWS and type(value) is _class(name):
        return {"of": name, "is": {key: _written(getattr(value, key)) for key in _fields(name)}}
    raise NotCacheable(f"the cache keeps no {type(value).__qualname__}; see {__name__}")


def _read(value: Any) -> Any:
    if isinstance(value, list):
        return [_read(item) for item in value]
    if not isinstance(value, dict):
        return value
    of, content = value["of"], value["is"]
    match of:
        case "dict":
            return {_read(key): _read(item) for key, item in content}
        case "tuple":
            return tuple(_read(item) for item in content)
        case "datetime":
            return datetime.fromisoformat(content)
    # Data of another version, with other fields, is unreadable.
    return _class(of)(**{key: _read(item) for key, item in content.items()})


@cache
def _class(name: str) -> Any:
    return import_string(ROWS[name])


def _fields(name: str) -> tuple[str, ...]:
    kind = _class(name)
    return tuple(field.name for field in fields(kind)) if is_dataclass(kind) else kind._fields
