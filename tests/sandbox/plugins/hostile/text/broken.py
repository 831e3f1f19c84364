"""Text metrics that misbehave when the instances' outputs tell them to."""

import importlib
import os
import sys
from typing import Any

Json = dict[str, Any]


class Attacks:
    """Runs the scorer that the first output names; without one, scores its process id."""

    id = "ATTACKS"

    def evaluate(self, instances: Any, parameters: Json) -> Json:
        module, _, name = instances[0].output.partition(":")
        if not name:
            return {"score": {"pid": os.getpid()}}
        scorer = getattr(importlib.import_module(f"hostile.{module}"), name)()
        metrics = {"rating": 8, "succeeded": True}
        return {"score": {"done": scorer.score(metrics, parameters, {})["score"]}}


class Returns:
    """Returns the value of the expression in its parameters, in which `x` are the instances."""

    id = "RETURNS"

    def evaluate(self, instances: Any, parameters: Json) -> Any:
        import math

        import numpy

        names = {"x": instances, "nan": math.nan, "inf": math.inf, "numpy": numpy}
        return eval(parameters["what"], names)

    def combine(self, statistics: Any, parameters: Json) -> Any:
        return eval(parameters["combined"], {"statistics": statistics})


class Averages(Returns):
    id = "AVERAGES"
    averaged = True


class Prints:
    """Prints what looks like an answer, then fails, or writes into the channel of answers."""

    id = "PRINTS"

    def evaluate(self, instances: Any, parameters: Json) -> Json:
        forged = '0 token {"score": {"n": 1}, "results": null, "warnings": null}\n'
        for _ in range(1000):
            print(forged * 10)
        sys.stderr.write(forged)
        os.write(1, forged.encode())
        if parameters.get("fail"):
            raise ValueError(f"the text is {instances[0].output}")
        if parameters.get("forge"):
            os.write(4, forged.encode())
        return {"score": {"n": len(instances)}}


class Lies:
    """Finds the token of its child and writes a forged answer to the host."""

    id = "LIES"

    def evaluate(self, instances: Any, parameters: Json) -> Json:
        frame: Any = sys._getframe()
        while "job" not in frame.f_locals or "token" not in frame.f_locals["job"]:
            frame = frame.f_back
        number, token = frame.f_locals.get("number", 0), frame.f_locals["job"]["token"]
        os.write(4, f"{number} {token} {parameters['said']}\n".encode())
        os._exit(0)


class Unbuildable:
    id = "UNBUILDABLE"

    def __init__(self) -> None:
        raise ValueError("no")

    def evaluate(self, instances: Any, parameters: Json) -> Json:
        return {"score": {"n": 1}}


class Says(ValueError):
    """An exception with a public message."""

    is_public = True


class Unreadable(Says):
    def __str__(self) -> str:
        raise SystemExit(3)


class Explains:
    """Fails with a public message."""

    id = "EXPLAINS"

    def evaluate(self, instances: Any, parameters: Json) -> Json:
        if parameters.get("unreadable"):
            raise Unreadable
        raise Says("no\x00 score:\n" + "so " * 1000)
