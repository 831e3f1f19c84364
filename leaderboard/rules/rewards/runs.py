"""How samples and attempts were run, as the files say. Nothing of it is verified."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from typing_extensions import TypedDict

MAX_CONDITIONS: Final = 200
"""The most conditions of one run."""
MAX_TEXT: Final = 300
MORE: Final = "…"
"""The path that says that a run has further conditions, which are not kept."""

ConditionValue = str | int | float | bool | list[str] | None
Conditions = Mapping[str, ConditionValue]
"""Limits, multipliers, overrides and resources by their dotted paths."""


class TokenCounts(TypedDict, total=False):
    """Numbers of tokens, each only where it is known."""

    input: int
    output: int
    cache: int


class SampleRun(TypedDict, total=False):
    """How one sample was run.

    id: of the trial or sample in the tool that ran it. task_digest, task_checksum: which version of
    the task it was. contradicting: the conditions for which another file of the same run has
    another value, with that value. tokens, trajectory_tokens: as the result and as the trajectory
    give them. evidence: the kinds of files that are there beside it. output_digest: of what the
    model answered. started_at, finished_at: ISO 8601, with a time zone.
    """

    id: str
    task_digest: str
    task_checksum: str
    conditions: Conditions
    contradicting: Conditions
    started_at: str
    finished_at: str
    tokens: TokenCounts
    trajectory_tokens: TokenCounts
    evidence: list[str]
    output_digest: str


class AttemptRun(TypedDict, total=False):
    """How a whole attempt was run: by which agent, model and tool, when, and under which conditions
    that all of its samples share."""

    id: str
    agent: str
    agent_version: str
    model: str
    provider: str
    dataset: str
    tool: str
    tool_version: str
    started_at: str
    finished_at: str
    conditions: Conditions


def without_nothing(run: Mapping[str, object]) -> dict[str, object]:
    """The fields that say something: not empty, and not None."""
    return {name: value for name, value in run.items() if value not in (None, "", [], {})}
