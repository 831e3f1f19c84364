"""A backup of a database at migration 0062, the last that others have, is restored with all rows.

`rows_of_0062.json` is such a backup as text, made by the version of that time. Its rows are those
that migrations after 0062 change, and others beside them.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder

from leaderboard.models import (
    AccountUse,
    Attempt,
    MetricRun,
    Phase,
    ScoringConfig,
    TeamMerge,
    User,
    Worker,
)
from leaderboard.services.operations.backup_format import columns_of, line_of
from leaderboard.services.operations.restore import restore_backup
from tests.management.backups import refused, rewritten

BACKUP = json.loads(Path(__file__).with_name("rows_of_0062.json").read_text())
INITIAL = ("leaderboard", "0001_squashed_0062")
FORMER = ("leaderboard", "0001_squashed_0052_movements")
RECORDED = {
    ("leaderboard", key.removeprefix("leaderboard."))
    for key in BACKUP["manifest"]["migrations"]
    if key.startswith("leaderboard.")
}
CHANGED = {
    ("challenge", "columns"): {"text"},
    ("scoringconfig", "rank_by"): {"text"},
    ("scoringconfig", "metrics"): {"text"},
    ("board", "version"): {"sprint"},
    ("board", "filled_to"): {"sprint"},
    ("board", "judged_version"): {"text", "sprint", "relay"},
    ("auditentry", "before"): {"sprint"},
    ("auditentry", "after"): {"sprint"},
}
"""The columns whose values change, and the challenges of these rows."""
RENAMED = {("board", "outside"): "is_out_of_ranking"}
"""The new names of columns."""
DELETED = {"metricrun": 1, "bucket": 1}
"""How many rows: the run of a cancelled attempt, and counts of a board with rounded scores."""


@pytest.fixture
def backup(tmp_path: Path) -> Path:
    path = tmp_path / "podium.backup"
    counts = {label: len(rows) - 1 for label, rows in BACKUP["tables"].items()}
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("manifest.json", json.dumps(BACKUP["manifest"]))
        for label, rows in BACKUP["tables"].items():
            lines = b"".join(line_of(row) for row in rows)
            file.writestr(f"tables/{label}.jsonl", lines)
        file.writestr("end.json", json.dumps({"rows": counts, "files": 0}))
    return path


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_all_rows_are_restored_and_brought_up_to_date(backup: Path) -> None:
    restore_backup(backup)
    changed: dict[tuple[str, str], set[str]] = {}
    for table, column, row in differences():
        challenge = getattr(row, "challenge", None) or getattr(row, "config", row)
        slug = getattr(challenge, "challenge", challenge).slug
        changed.setdefault((table, column), set()).add(slug)
    assert changed == CHANGED
    check_challenges()
    check_limits()
    check_users()


def differences() -> Iterator[tuple[str, str, Any]]:
    """Yield table, column and row of each value that is not that of the backup."""
    for label, (names, *rows) in BACKUP["tables"].items():
        model, table = apps.get_model(label), label.split(".")[1]
        if model is Worker:
            continue
        fields = {field.name: field for field in columns_of(model)}
        stored = {json.loads(line_of([row.pk]))[0]: row for row in model._base_manager.all()}
        assert len(stored) == len(rows) - DELETED.get(table, 0), label
        key = names.index(model._meta.pk.name)
        new_names = [RENAMED.get((table, name), name) for name in names]
        for values in rows:
            row = stored.get(values[key])
            if row is None:
                continue
            now = json.loads(line_of(getattr(row, fields[name].attname) for name in new_names))
            for name, before, after in zip(names, values, now, strict=True):
                if before != after:
                    yield table, name, row


def check_challenges() -> None:
    """Win rates and BERTSCORE keep their order; codes leave the log; versions were switched to."""
    text = ScoringConfig.objects.get(challenge__slug="text")
    assert [key["key"] for key in text.rank_by] == ["bert", "F1"]
    assert text.metrics[1]["of"] == [{"key": "elapsed_ms", "direction": "desc"}, "bert"]
    assert [column["key"] for column in text.challenge.columns] == ["bert", "F1:f1"]
    switched = ScoringConfig.objects.filter(switched_at__isnull=False)
    assert list(switched.values_list("challenge__slug", "number")) == [("sprint", 3)]
    assert "sesame" not in str(everything_in("leaderboard_auditentry"))
    assert not MetricRun.objects.exists()
    asked = TeamMerge.objects.order_by("merged_at").values_list("team__slug", "asked_name")
    assert set(asked) == {("boreas", "atlas"), ("castor", "")}


def check_limits() -> None:
    """Accounts are charged for their attempts, except where one has submitted under two names."""
    phases = Phase.objects.values_list("challenge__slug", "slug", "limits_per", "face")
    assert set(phases) == {
        ("text", "main", "account", False),
        ("sprint", "main", "account", True),
        ("sprint", "final", "account", True),
        ("relay", "main", "name", False),
    }
    day = Attempt.objects.values_list("charged_day", flat=True)[0]
    assert day is not None
    year, week, _ = day.isocalendar()
    periods = {"day": day.isoformat(), "week": f"{year}-W{week:02}", "total": ""}
    uses = AccountUse.objects.values_list("user__email", "user", "kind", "period", "used")
    assert {(kind, period, used) for *_, kind, period, used in uses} == {
        (kind, period, used) for kind, period in periods.items() for used in (3, 1)
    }


def check_users() -> None:
    users = User.objects.order_by("pk").values_list("username", "skeleton", "is_self_named")
    assert list(users) == [
        ("admin", "adrnin", False),
        ("alice", "alice", True),
        ("bоb", "bob", True),
        ("made", "rnade", False),
        ("bot", "bot", False),
        ("provider", "provider", True),
    ]


def everything_in(table: str) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT * FROM {table}")
        return [*cursor.fetchall()]


@pytest.mark.django_db
@pytest.mark.parametrize("squashed", [{FORMER}, set()])
def test_a_database_at_0062_has_its_tables_already(squashed: set[tuple[str, str]]) -> None:
    """It has recorded the replaced migrations, and mostly a squashed one that is gone."""
    MigrationRecorder(connection).migration_qs.filter(app="leaderboard").delete()
    for key in RECORDED - {FORMER} | squashed:
        MigrationRecorder(connection).record_applied(*key)
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    ours = {key for key in executor.loader.disk_migrations if key[0] == "leaderboard"}
    assert {(step.app_label, step.name) for step, _ in plan} == ours - {INITIAL}


@pytest.mark.django_db(transaction=True)
def test_a_backup_from_before_0062_is_refused(backup: Path) -> None:
    newest = max(RECORDED)

    def without_newest(text: bytes) -> str:
        manifest = json.loads(text)
        manifest["migrations"].remove(".".join(newest))
        return json.dumps(manifest)

    rewritten(backup, "manifest.json", without_newest)
    refused(backup, f"too old: its tables lack {'.'.join(newest)}")
