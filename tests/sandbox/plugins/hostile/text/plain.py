"""Well-behaved text metrics, one for each way in which a metric may be called."""

import os
import time
from typing import Any, ClassVar

Json = dict[str, Any]


class Length:
    """Characters of the output.

    From 0 up.
    """

    id = "LENGTH"
    averaged = True
    bounds = (0.0, None)
    unit = "characters"
    defaults: ClassVar[Json] = {"times": 1}

    def evaluate(self, instances: Any, parameters: Json) -> Json:
        results = [float(len(instance.output) * parameters["times"]) for instance in instances]
        warnings = {
            at: f"long {instance.id}" for at, instance in enumerate(instances) if results[at] > 5
        }
        score = {"how": "counted", "length": sum(results) / len(results)}
        return {"score": score, "results": results, "warnings": warnings}


class Sleeps:
    """Takes as many seconds as the output says."""

    id = "SLEEPS"
    averaged = True

    def evaluate(self, instances: Any, parameters: Json) -> Json:
        results = [float(instance.output) for instance in instances]
        time.sleep(sum(results))
        return {"score": {"slept": 0.0}, "results": results}


class Distance:
    """How far the output's length is from the reference's."""

    id = "DISTANCE"
    averaged = True
    direction = "asc"
    directions: ClassVar[Json] = {"nearness": "desc", "further": "asc"}
    bounds = (0, 9)
    ranges: ClassVar[Json] = {"nearness": (0, 1)}

    def evaluate(self, instances: Any, parameters: Json) -> Json:
        distances = [
            abs(len(instance.output) - len(instance.references[0])) for instance in instances
        ]
        results = [
            {"nearness": 1 / (1 + distance), "distance": distance, "further": 2 * distance}
            for distance in distances
        ]
        return {"score": {"distance": 0, "nearness": 0, "further": 0}, "results": results}


class Total:
    """All characters together, from the statistics of blocks."""

    id = "TOTAL"

    def evaluate(self, instances: Any, parameters: Json) -> Json:
        lengths = [len(instance.output) for instance in instances]
        statistics = {"seen": [instance.output for instance in instances], "total": sum(lengths)}
        return {"score": {"total": sum(lengths)}, "results": lengths, "statistics": statistics}

    def combine(self, statistics: Any, parameters: Json) -> Json:
        return {
            "total": sum(statistic["total"] for statistic in statistics),
            "blocks": len(statistics),
        }


class Whole:
    """Needs all instances at once, and says nothing of single ones."""

    id = "WHOLE"

    def evaluate(self, instances: Any, parameters: Json) -> Json:
        return {
            "score": {"seen": len(instances)},
            "statistics": [instance.output for instance in instances],
        }


class Unsupervised(Whole):
    """Needs no references."""

    id = "UNSUPERVISED"
    supervised = False


class Echo:
    """What it was given, as statistics."""

    id = "ECHO"

    def evaluate(self, instances: Any, parameters: Json) -> Json:
        rows = [
            [instance.id, instance.input, instance.output, list(instance.references)]
            for instance in instances
        ]
        given = dict(parameters)
        parameters.clear()
        return {"score": {"n": len(rows)}, "statistics": [rows, given, os.getpid()]}

    def combine(self, statistics: Any, parameters: Json) -> Json:
        return {"n": len(statistics)}


class Needy(Whole):
    """Needs a library that does not exist."""

    id = "NEEDY"
    needs = ("no_such_library.part", "os")
    install = "python -m pip install no-such-library"


class Late(Whole):
    """Looks for it when it is called, and has not said so, or only half of it."""

    id = "LATE"
    needs = "json"
    install = "python -m pip install json"

    def evaluate(self, instances: Any, parameters: Json) -> Json:
        __import__(parameters["module"])
        return super().evaluate(instances, parameters)


class Nameless:
    """No plugin: it has no id."""

    def evaluate(self, instances: Any, parameters: Json) -> Json:
        return {"score": {"n": 1}}
