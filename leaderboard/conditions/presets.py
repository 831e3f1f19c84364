"""Sets of rules that a challenge can begin with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from leaderboard.rules.texts.messages import Message, message
from leaderboard.schemas.meta_fields import DECLARATIONS

_MULTIPLIERS: Final = (
    "timeout_multiplier",
    "agent_timeout_multiplier",
    "verifier_timeout_multiplier",
    "agent_setup_timeout_multiplier",
    "environment_build_timeout_multiplier",
)
_OVERRIDES: Final = (
    "environment.override_cpus",
    "environment.override_memory_mb",
    "environment.override_storage_mb",
    "environment.override_gpus",
    "environment.override_tpu",
    "agent.override_timeout_sec",
    "agent.max_timeout_sec",
    "agent.override_setup_timeout_sec",
    "verifier.override_timeout_sec",
    "verifier.max_timeout_sec",
)
_LISTS: Final = (
    "environment.mounts",
    "environment.extra_docker_compose",
    "extra_instructions",
    "extra_instruction_paths",
    "skills",
    "agent.skills",
)


class Preset(NamedTuple):
    """A set of rules with a name. rules: as in the API."""

    label: Message
    rules: list[Mapping[str, Any]]


PRESETS: Final[Mapping[str, Preset]] = {
    "terminal-bench-2": Preset(
        message("Terminal-Bench 2"),
        [
            {"rule": "samples_per_task", "least": 5},
            {"rule": "all_tasks"},
            {"rule": "unique_sample_ids"},
            {"rule": "task_versions"},
            {
                "rule": "run_conditions",
                "allow": {
                    **{path: [None, 1.0] for path in _MULTIPLIERS},
                    **{path: [None] for path in _OVERRIDES},
                    **{path: [None, []] for path in _LISTS},
                    "verifier.disable": [None, False],
                },
            },
            {"rule": "evidence_of_passes", "kind": "trajectory"},
            {"rule": "token_sums"},
            {"rule": "duplicate_results"},
        ],
    ),
    "class": Preset(
        message("Class"),
        [
            {"rule": "all_tasks", "then": "flagged"},
            {"rule": "duplicate_results"},
            {"rule": "duplicate_outputs"},
        ],
    ),
    "declarations": Preset(
        message("Declarations"),
        [{"rule": "declared", "fields": [field["name"] for field in DECLARATIONS]}],
    ),
    "open": Preset(message("Open"), []),
}
