"""A package of text metrics in an operator's folder."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.test import override_settings

from leaderboard.services.plugins import sandboxes

METRICS = '''
import time


def words(instance):
    return float(len(instance.output.split()))


class Words:
    """How many words an output has.

    The mean over instances.
    """

    id = "WORDS"
    averaged = True
    supervised = False
    unit = "words"
    defaults = {"times": 1.0}

    def evaluate(self, instances, parameters):
        results = [words(each) * parameters["times"] for each in instances]
        return {"score": {"words": sum(results) / len(results)}, "results": results}


class Longest:
    """The most words that an output has: all instances are needed at once."""

    id = "LONGEST"
    direction = "asc"

    def evaluate(self, instances, parameters):
        results = [words(each) for each in instances]
        return {"score": {"words": max(results), "of": float(len(results)), "how": "split"}}


class Twice:
    """Statistics that are put together, and results with names."""

    id = "TWICE"
    directions = {"least": "asc"}

    def evaluate(self, instances, parameters):
        counts = [words(each) for each in instances]
        return {
            "score": {"most": max(counts), "least": min(counts)},
            "results": [{"most": count, "half": count / 2} for count in counts],
            "statistics": counts,
            "warnings": {0: "the first of a block"},
        }

    def combine(self, statistics, parameters):
        counts = [count for each in statistics for count in each]
        return {"most": max(counts), "least": min(counts)}


class Hangs:
    """Waits for ever."""

    id = "HANGS"
    averaged = True

    def evaluate(self, instances, parameters):
        time.sleep(600)


class Slow:
    """Takes a while for each block."""

    id = "SLOW"
    averaged = True

    def evaluate(self, instances, parameters):
        time.sleep(parameters.get("seconds", 0.3))
        return {"score": {"slow": 1.0}, "results": [1.0] * len(instances)}


class InARow(Slow):
    """Takes a while for each block, and wants to be alone."""

    id = "IN_A_ROW"
    parallel = False


class Moody:
    """Waits for ever, or fails, as it is told."""

    id = "MOODY"
    averaged = True

    def evaluate(self, instances, parameters):
        for each in instances:
            time.sleep(600 if each.output == "wait" else 0)
        raise ValueError


class Tells:
    """Says aloud what was expected."""

    id = "TELLS"
    averaged = True

    def evaluate(self, instances, parameters):
        print(instances[0].references)
        raise ValueError(instances[0].references[0])


class Fails:
    """Cannot take a word."""

    id = "FAILS"
    averaged = True

    def evaluate(self, instances, parameters):
        for each in instances:
            if each.output == "secret":
                raise ValueError("cannot take " + each.output)
        return {"score": {"fine": 1.0}, "results": [1.0] * len(instances)}
'''


SCORERS = '''
class Sums:
    """The sum of all values."""

    def score(self, metrics, config, ctx):
        return {"score": sum(metrics["values"].values())}
'''


@contextmanager
def house() -> Iterator[None]:
    """Add the package `house` to SCORER_PACKAGES, in a folder that the plugins' user may read."""
    folder = Path(tempfile.mkdtemp(prefix="podium-packages-"))
    folder.chmod(0o755)
    (folder / "house" / "text").mkdir(parents=True)
    files = {"__init__": "", "scorers": SCORERS, "text/__init__": "", "text/own": METRICS}
    for name, text in files.items():
        (folder / "house" / f"{name}.py").write_text(text)
    sandboxes.close_sandboxes()
    with override_settings(SCORER_PATH=[str(folder)], SCORER_PACKAGES=["scorers", "house"]):
        yield
    sandboxes.close_sandboxes()
    shutil.rmtree(folder)
