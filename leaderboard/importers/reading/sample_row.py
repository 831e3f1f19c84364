"""A sample, as importers and submissions represent it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NotRequired, TypedDict

from leaderboard.rules.rewards.runs import SampleRun


class SampleRow(TypedDict):
    """One sample of a task.

    sample: its number within the task, from 0. rewards: None for a failed sample; a missing name is
    an undefined reward, a name with None was not scored. usage: `tokens_total`, `elapsed_ms` and
    the like, each only where it is known. error: why it failed, "" if unknown. run: how it was run,
    where the files say that.
    """

    task: str
    sample: int
    rewards: Mapping[str, float | None] | None
    usage: Mapping[str, float | int | None]
    error: str
    run: NotRequired[SampleRun]
