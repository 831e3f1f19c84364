"""Every scorer of the folder, found automatically: a new file is tested here without a new test.

Descriptions are required only of shipped scorers; a scorer need not describe its config.
"""

import inspect
import json
import math
import pkgutil
import sys
from importlib import import_module
from typing import Any

from pydantic import BaseModel

import scorers
from leaderboard.rules.plugins.shipped import SHIPPED_SCORERS
from leaderboard.sandbox.child.challenge_services import ServicesFinder
from leaderboard.sandbox.child.configs import fill
from leaderboard.sandbox.child.facts import facts_of
from scorers.protocol import AttemptMetrics, Scorer, ScoringContext

sys.meta_path.append(ServicesFinder())  # as in the sandbox, for scorers that import `services`

FULL: AttemptMetrics = {
    "succeeded": True,
    "tokens_total": 1500,
    "elapsed_ms": 12_500,
    "rating": 8,
    "created_at": 1_795_161_600_000,
    "cost_usd": 0.04,
    "values": {"physics": 66.2, "chemistry": None},
}
METRICS: dict[str, AttemptMetrics] = {
    "empty": {},
    "null": {
        "succeeded": None,
        "tokens_total": None,
        "elapsed_ms": None,
        "rating": None,
        "created_at": None,
        "cost_usd": None,
        "values": {},
    },
    "succeeded": {"succeeded": True},
    "failed": {**FULL, "succeeded": False, "rating": 0},
    "zero": {"succeeded": True, "tokens_total": 0, "elapsed_ms": 0, "rating": 0, "cost_usd": 0},
    "full": FULL,
    "largest": {
        "succeeded": True,
        "tokens_total": 10**15,
        "elapsed_ms": 10**15,
        "rating": 10,
        "created_at": 10**15,
        "cost_usd": 1e15,
        "values": {"physics": 1e300},
    },
}
CONTEXT: ScoringContext = {
    "tenant_id": "default",
    "app_id": "app-1",
    "workflow_id": "wf-1",
    "challenge_id": "prompt-escape",
    "end_user_id": "atlas",
    "received_at": 1772442000000,
    "closes_at": None,
    "timeout_ms": 5000,
}


def scorer_classes() -> list[type[Any]]:
    """Return every public class in the folder's modules that defines `score`."""
    names = (module.name for module in pkgutil.walk_packages(scorers.__path__, "scorers."))
    return [
        member
        for name in names
        for member in vars(import_module(name)).values()
        if inspect.isclass(member)
        and member.__module__ == name
        and member is not Scorer
        and callable(getattr(member, "score", None))
    ]


OURS = [cls for cls in scorer_classes() if cls.__module__ in SHIPPED_SCORERS]


def silent_configs(scorer: type[Any]) -> list[dict[str, Any]]:
    """Return the configs of a challenge that sets nothing, and of one that sets each name to
    null."""
    schema = getattr(scorer, "Config", None)
    names = schema.model_fields if schema else getattr(scorer, "defaults", {})
    return [fill(scorer, {}), fill(scorer, dict.fromkeys(names))]


def test_the_examples_are_found() -> None:
    entrypoints = {f"{scorer.__module__}:{scorer.__name__}" for scorer in scorer_classes()}
    assert {"scorers.weighted:WeightedScorer", "scorers.efficiency:EfficiencyScorer"} <= entrypoints


def test_it_scores_with_any_known_facts() -> None:
    for scorer in scorer_classes():
        for metrics in METRICS.values():
            for config in silent_configs(scorer):
                outcome = scorer().score(facts_of(metrics), config, CONTEXT)
                assert type(outcome) is dict, scorer
                assert set(outcome) <= {"score", "details"}, scorer
                assert type(outcome["score"]) in (int, float), scorer
                assert math.isfinite(outcome["score"]), scorer
                json.dumps(outcome.get("details"), allow_nan=False)


def test_it_changes_no_input_and_keeps_no_state() -> None:
    for scorer in scorer_classes():
        kept, config = scorer(), fill(scorer, {})
        for given in (*METRICS.values(), *reversed(METRICS.values())):
            metrics = facts_of(given)
            before = json.dumps([metrics, CONTEXT])
            assert kept.score(metrics, config, CONTEXT) == scorer().score(metrics, config, CONTEXT)
            assert json.dumps([metrics, CONTEXT]) == before, scorer
            assert config == fill(scorer, {}), scorer


def test_it_describes_its_config() -> None:
    for scorer in OURS:
        schema, defaults = getattr(scorer, "Config", None), getattr(scorer, "defaults", None)
        assert (schema is None) != (defaults is None), "one of Config and defaults"
        if schema is not None:
            assert issubclass(schema, BaseModel), scorer
            assert schema.model_config["extra"] == "forbid", scorer
            assert schema.model_config["allow_inf_nan"] is False, scorer
            for name, field in schema.model_fields.items():
                assert field.description, f"{name} has no description"
            defaults = schema().model_dump()
        json.dumps(defaults, allow_nan=False)
