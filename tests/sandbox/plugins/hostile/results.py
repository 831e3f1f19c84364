"""A scorer that returns the result named in its config."""

import decimal
import math
from collections import OrderedDict
from typing import Any

Json = dict[str, Any]


class Text(str):
    pass


async def _promised() -> Json:
    return {"score": 1}


def _circular() -> Json:
    details: Json = {}
    details["me"] = details
    return details


def _deep() -> Json:
    details: Json = {}
    for _ in range(100_000):
        details = {"in": details}
    return details


_RESULTS: Json = {
    "nan": lambda: {"score": math.nan},
    "infinity": lambda: {"score": math.inf},
    "true": lambda: {"score": True},
    "text": lambda: {"score": "5"},
    "none": lambda: {"score": None},
    "decimal": lambda: {"score": decimal.Decimal(5)},
    "huge": lambda: {"score": 10**400},
    "nothing": lambda: None,
    "number": lambda: 5.0,
    "empty": dict,
    "ordered": lambda: OrderedDict(score=5),
    "coroutine": lambda: _promised(),
    "generator": lambda: ({"score": n} for n in range(3)),
    "minus zero": lambda: {"score": -0.0},
    "negative": lambda: {"score": -3.5},
    "whole": lambda: {"score": 12},
    "text subclass": lambda: {"score": 1, "details": {Text("a"): Text("b")}},
    "circular": lambda: {"score": 1, "details": _circular()},
    "deep": lambda: {"score": 1, "details": _deep()},
    "set": lambda: {"score": 1, "details": {"a": {1}}},
    "nan within": lambda: {"score": 1, "details": {"a": math.nan}},
    "large": lambda: {"score": 1, "details": {"a": "x" * 70_000}},
    "nul": lambda: {"score": 1, "details": {"a": "\x00"}},
    "surrogate": lambda: {"score": 1, "details": {"a": "\ud800"}},
    "list": lambda: {"score": 1, "details": [1]},
}


class Returns:
    def score(self, metrics: Json, config: Json, ctx: Json) -> Any:
        return _RESULTS[config["what"]]()
