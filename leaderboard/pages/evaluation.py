"""What an attempt's page says of the instances that it brought."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest

from leaderboard.columns import Column
from leaderboard.pages.instances import instance_table
from leaderboard.pages.metric_runs import run_lines
from leaderboard.services.instance_tables import result_keys
from leaderboard.services.instances import may_see_references
from leaderboard.services.reading import WAITING, Reading
from leaderboard.services.run_columns import stored_runs


def evaluation_of(request: HttpRequest, reading: Reading, columns: list[Column]) -> dict[str, Any]:
    """The text metrics of an attempt, and its instances for whoever may see them.

    Nothing for an attempt without instances; the instances once it is scored.
    """
    attempt, config = reading.attempt, reading.config
    if attempt.instance_count is None:
        return {}
    by_key = {column.key: column for column in columns}
    runs = stored_runs(attempt, config)
    is_open = may_see_references(request.user, attempt, organiser=reading.organiser)
    found: dict[str, Any] = {"runs": run_lines(runs, by_key), "instances_open": is_open}
    if is_open and attempt.status not in WAITING:
        keys = result_keys(runs, by_key)
        found["instances"] = instance_table(request, attempt, config, keys)
    return found
