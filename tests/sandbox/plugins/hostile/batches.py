"""Scorers that distinguish the attempts of a batch by their rating."""

import os
import time
from typing import Any

Json = dict[str, Any]


class Measures:
    def score(self, metrics: Json, config: Json, ctx: Json) -> Json:
        return {"score": len(metrics["values"]), "details": {"text": "x" * 60_000}}


class HangsAtSeven:
    def score(self, metrics: Json, config: Json, ctx: Json) -> Json:
        while metrics["rating"] == 7:
            time.sleep(1)
        return {"score": metrics["rating"]}


class DiesAtSeven:
    def score(self, metrics: Json, config: Json, ctx: Json) -> Json:
        if metrics["rating"] == 7:
            os._exit(7)
        return {"score": metrics["rating"]}


class RaisesAtSeven:
    calls = 0

    def score(self, metrics: Json, config: Json, ctx: Json) -> Json:
        self.calls += 1
        if metrics["rating"] == 7:
            raise ValueError
        return {"score": self.calls}
