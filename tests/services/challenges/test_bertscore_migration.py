"""Boards that ranked by the F1 of BERTSCORE rank by its value, which is F1 now."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from django.db import connection
from django.db.migrations.loader import MigrationLoader

from leaderboard.models import Challenge

MIGRATION: Any = import_module("leaderboard.migrations.0063_the_value_of_bertscore_is_f1")


def test_ranked_keys_and_columns_follow(sprint: Challenge) -> None:
    loader = MigrationLoader(connection)
    apps = loader.project_state([("leaderboard", MIGRATION.__name__.rpartition(".")[2])]).apps
    config = sprint.newest
    apps.get_model("leaderboard", "ScoringConfig").objects.filter(pk=config.pk).update(
        text_metrics=[{"id": "BERTSCORE", "name": "bert"}, {"id": "F1"}],
        rank_by=[{"key": "bert:f1", "direction": "desc"}, {"key": "F1", "direction": "desc"}],
    )
    columns = [{"key": "bert:recall"}, {"key": "bert:f1", "label": "BERT"}, {"key": "F1:f1"}]
    Challenge.objects.filter(pk=sprint.pk).update(columns=columns)
    MIGRATION.rank_by_the_value(apps, None)
    config.refresh_from_db()
    sprint.refresh_from_db()
    assert [key["key"] for key in config.rank_by] == ["bert", "F1"]
    assert [column["key"] for column in sprint.columns] == ["bert:recall", "bert", "F1:f1"]
    assert sprint.columns[1]["label"] == "BERT"
