"""Makes an example attempt that a challenge can rank."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from leaderboard.facts import FactValue, known_facts
from leaderboard.models import Challenge, ReferenceBlock, ScoringConfig
from leaderboard.rules.json.packing import unpacked
from leaderboard.rules.json.values import JsonObject
from leaderboard.rules.rewards.evidence import ONLY_REWARD
from leaderboard.services.competition.clock import received_now
from leaderboard.services.competition.quotas.state import current_phases
from leaderboard.services.imports.needs import Needs, needs_of

PARTICIPANT: Final = "atlas"
INSTANCES: Final = 2
WIDTH: Final = 88

_FACTS: Final[Mapping[str, FactValue]] = {
    key: fact.example for key, fact in known_facts().items() if fact.example is not None
}
DOCUMENT: Final[JsonObject] = {
    "instances": [
        {
            "id": "1",
            "input": "What the model was asked.",
            "actual-output": "What it answered.",
            "expected-output": ["What was expected.", "That, or this."],
        }
    ]
}


def example_of(challenge: Challenge, participant: str = PARTICIPANT) -> JsonObject:
    """The body of a submission that has what the ranking needs: facts, rewards, outputs, values.

    participant: whose attempt it is.
    """
    config = challenge.newest
    needs = needs_of(config)
    # Only a scorer's code says which facts and values it reads, so the example has all of them.
    names = [*needs.facts, *(_FACTS if needs.any_fact or config.runs_scorer else ())]
    body: JsonObject = {"participant": participant, **phase_of(challenge)}
    if metrics := {name: _FACTS.get(name, 1) for name in dict.fromkeys(names)}:
        body["metrics"] = metrics
    if values := needs.values or (tuple(challenge.values) if config.runs_scorer else ()):
        body["values"] = dict.fromkeys(values, 9)
    if needs.rewards:
        body |= rewards_example(config, needs)
    if needs.outputs:
        body |= outputs_example(config)
    return body


def phase_of(challenge: Challenge) -> dict[str, str]:
    """The phase that an attempt has to name now, if it has to name one."""
    if not challenge.phases.filter(overlaps=True).exists():
        return {}
    now = current_phases(challenge, received_now())
    return {"phase": now[0].phase.slug} if len(now) > 1 else {}


def rewards_example(config: ScoringConfig, needs: Needs) -> JsonObject:
    """`task_rewards`, or `samples` if there are rewards not named `reward`, or usage is needed."""
    tasks = _tasks(config, needs)
    if not needs.usage and all(list(rewards) == [ONLY_REWARD] for rewards in tasks.values()):
        only = [_reward(config, ONLY_REWARD)] * needs.samples
        return {"task_rewards": dict.fromkeys(tasks, only)}
    usage = {"usage": {name: _FACTS[name] for name in needs.usage}} if needs.usage else {}
    return {
        "samples": [
            {
                "task": task,
                "sample": number,
                "rewards": {name: _reward(config, name) for name in rewards},
                **usage,
            }
            for task, rewards in tasks.items()
            for number in range(needs.samples)
        ]
    }


def outputs_example(config: ScoringConfig) -> JsonObject:
    """Outputs by the ids of the challenge's stored instances, else an evaluation document."""
    if config.references_id is None:
        return {"evaluation": DOCUMENT}
    return {"outputs": dict.fromkeys(instance_ids(config), "What the model answered.")}


def instance_ids(config: ScoringConfig) -> list[str]:
    """The first ids of a challenge's stored instances."""
    blocks = ReferenceBlock.objects.filter(references=config.references_id).order_by("number")
    packed = blocks.values_list("ids", flat=True).first()
    return [str(each) for each in unpacked(packed)[:INSTANCES]] if packed else []


def written(body: Mapping[str, object]) -> str:
    """Format the body as JSON, with a line for each field or for each part of a long field."""
    return "{" + ",\n ".join(f"{_json(key)}: {_value(value)}" for key, value in body.items()) + "}"


def _tasks(config: ScoringConfig, needs: Needs) -> dict[str, Sequence[str]]:
    """The names of the rewards of each task; tasks with the ranked reward are first."""
    ranked = needs.rewards
    declared = {task.name: task.rewards or ranked for task in config.declared_tasks}
    names = [*dict.fromkeys((*needs.counted, *declared))]
    if not names:
        return {f"task-{number}": ranked for number in range(1, needs.tasks + 1)}
    return {name: declared[name] for name in names[: needs.tasks]}


def _reward(config: ScoringConfig, name: str) -> float:
    """A reward of 1, or the nearest one within the challenge's declared bounds."""
    low, high = config.reward_intervals.get(name, (1.0, 1.0))
    return min(max(1.0, low), high)


def _value(value: Any) -> str:
    text = _json(value)
    if len(text) <= WIDTH or not isinstance(value, dict | list):
        return text
    if isinstance(value, list):
        return "[\n  " + ",\n  ".join(map(_json, value)) + "]"
    fields = (f"{_json(key)}: {_value(each)}" for key, each in value.items())
    return "{\n  " + ",\n  ".join(fields) + "}"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
