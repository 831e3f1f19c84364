from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

from django.db import models

from leaderboard.models.attempt import Attempt
from leaderboard.rules.json.packing import packed, unpacked
from leaderboard.rules.json.untyped_dicts import ForeignObject
from leaderboard.rules.rewards.runs import AttemptRun, SampleRun
from leaderboard.rules.rewards.samples import Sample


class RunFacts(models.Model):
    """How an attempt and its samples were run, as their files say, beside the evidence.

    `content` is compressed JSON: `{"run": …, "conditions": [each distinct one once], "samples":
    [[task, sample, its run, the place of its conditions or null], …]}`.
    """

    attempt = models.OneToOneField(
        Attempt, models.CASCADE, primary_key=True, related_name="run_facts"
    )
    content = models.BinaryField()

    class Meta:
        verbose_name_plural = "run facts"

    def __str__(self) -> str:
        return f"run facts of {self.attempt_id}"

    @staticmethod
    def pack(run: AttemptRun, samples: Sequence[Sample]) -> bytes | None:
        """The value of `content`; None if nothing is known."""
        places: dict[str, int] = {}
        conditions: list[Mapping[str, Any]] = []
        rows: list[list[Any]] = []
        for sample in samples:
            if not sample.run:
                continue
            rest: ForeignObject = dict(sample.run)
            place, own = None, rest.pop("conditions", None)
            if own:
                text = json.dumps(own, sort_keys=True)
                place = places.setdefault(text, len(places))
                if place == len(conditions):
                    conditions.append(own)
            rows.append([sample.task, sample.sample, rest, place])
        if not run and not rows:
            return None
        return packed({"run": run, "conditions": conditions, "samples": rows})

    def read(self) -> tuple[AttemptRun, dict[tuple[str, int], SampleRun]]:
        """How the attempt was run, and how each sample was, by task and number."""
        stored = unpacked(self.content)
        conditions = stored["conditions"]
        runs = {
            (task, number): cast(
                SampleRun, rest if place is None else {**rest, "conditions": conditions[place]}
            )
            for task, number, rest, place in stored["samples"]
        }
        return stored["run"], runs
