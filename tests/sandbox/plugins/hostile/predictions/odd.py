"""Metrics of predictions that return or raise what they should not."""

import time
from typing import Any, ClassVar

Json = dict[str, Any]


class Odd:
    """Does what its parameter says."""

    id = "odd"
    direction = "asc"
    above = -1.0
    bounds = (0.0, None)
    defaults: ClassVar[Json] = {"does": "several"}

    def evaluate(self, truth: Any, predictions: Any, parameters: Json) -> Any:
        match parameters["does"]:
            case "several":
                return {"first": truth.values.mean(), "second": None}
            case "tell":
                raise ValueError(f"the truth is {truth.values}")
            case "explain":
                raise Undefined("there is no wind")
            case "nan":
                return float("nan")
            case "text":
                return "0.5"
            case "sleep":
                time.sleep(60)
            case "end":
                raise SystemExit(0)
        return None


class Undefined(Exception):
    """A reason for everybody."""

    is_public = True
