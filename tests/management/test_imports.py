"""`import_results` and `import_registry`, as an operator runs them."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import override_settings

from leaderboard.importers.formats.harbor.harbor_registry import opened_registry
from leaderboard.models import Attempt, Challenge, Participant, Tenant, User
from tests.importers.uploads import FIXTURES, folder, zipped
from tests.metric_scripts import COUNT
from tests.services.evaluation.text import shared_task

ATLAS = '{"participant": "atlas", "task_rewards": {"task-1": [1.0, null], "task-2": [0.5]}}\n'
BOREAS = '{"participant": "boreas", "values": {"solved": 9}}\n'


def run(*arguments: str) -> tuple[list[str], list[str]]:
    """Run a command; return the lines on standard output and on standard error."""
    out, err = StringIO(), StringIO()
    call_command(*arguments, stdout=out, stderr=err)
    return out.getvalue().splitlines(), err.getvalue().splitlines()


@pytest.fixture
def runs(tmp_path: Path) -> str:
    file = tmp_path / "runs.jsonl"
    file.write_text(ATLAS + BOREAS)
    return str(file)


def test_results_become_attempts(sprint: Challenge, runs: str) -> None:
    lines, _ = run("import_results", "sprint", runs)
    atlas, boreas = Attempt.objects.order_by("participant__slug")
    assert lines[0].startswith("atlas: 3 samples of 2 tasks, 1 failed")
    assert lines[0].endswith(str(atlas.pk))
    assert lines[1].startswith("boreas: no samples")
    assert lines[1].endswith(str(boreas.pk))
    assert {atlas.submitted_by, boreas.submitted_by} == {User.objects.get(username="import")}
    lines, warned = run("import_results", "sprint", runs, "--user", "import")
    assert "here already" in lines[1]
    assert lines[1].endswith(str(boreas.pk))
    assert len(warned) == 2
    assert Attempt.objects.count() == 2


def test_a_dry_run_stores_nothing(sprint: Challenge, runs: str) -> None:
    lines, _ = run("import_results", "sprint", runs, "--dry-run")
    assert lines[1].endswith(", not kept")
    assert not Attempt.objects.exists()
    assert not Participant.objects.exists()


def test_a_folder_and_an_archive_give_the_same_attempts(sprint: Challenge, tmp_path: Path) -> None:
    archive = tmp_path / "job.zip"
    archive.write_bytes(zipped(folder("harbor-job")))
    run("import_results", "sprint", str(FIXTURES / "harbor-job"))
    attempts = set(Attempt.objects.values_list("pk", flat=True))
    assert attempts
    run("import_results", "sprint", str(archive), "--format", "harbor-job")
    assert set(Attempt.objects.values_list("pk", flat=True)) == attempts


def test_one_participant_may_be_given_for_all_attempts(sprint: Challenge, runs: str) -> None:
    run("import_results", "sprint", runs, "--participant", "ceres")
    assert [participant.handle for participant in Participant.objects.all()] == ["ceres"]


def test_errors_describe_what_is_wrong(sprint: Challenge, runs: str, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.jsonl"
    wrong.write_text(ATLAS + '{"participant": "boreas", "values": {"solved": "9"}}\n')
    with pytest.raises(CommandError, match=r"line 2, values\.solved"):
        run("import_results", "sprint", str(wrong))
    with pytest.raises(CommandError, match="there is no challenge"):
        run("import_results", "marathon", runs)
    with pytest.raises(CommandError, match="there is no file"):
        run("import_results", "sprint", str(tmp_path / "nothing"))
    assert not Attempt.objects.exists()


def test_outputs_become_an_attempt(db: None, tmp_path: Path) -> None:
    tenant = Tenant.objects.create(slug="north", name="North Lab")
    shared_task(tenant, None)
    file = str(FIXTURES / "outputs.csv")
    lines, _ = run("import_results", "translation", file, "--participant", "atlas", "--dry-run")
    (line,) = lines
    assert "2 outputs for 3 instances, 1 missing (3)" in line
    assert line.endswith(", not kept")
    lines, _ = run("import_results", "translation", file, "--participant", "atlas")
    assert lines == [f"{lines[0].partition(', attempt')[0]}, attempt {Attempt.objects.get().pk}"]
    wrong = tmp_path / "wrong.jsonl"
    wrong.write_text('{"id": 1, "actual-output": 1}\n{"id": 2, "actual-output": 2}\n')
    with pytest.raises(CommandError) as caught:
        run("import_results", "translation", str(wrong), "--participant", "atlas")
    assert [line.partition(", actual")[0] for line in str(caught.value).splitlines()] == [
        "file: wrong.jsonl, line 1",
        "wrong.jsonl, line 2",
    ]


def test_a_registry_becomes_challenges(db: None) -> None:
    lines, warned = run("import_registry", str(FIXTURES / "registry.json"))
    made = list(Challenge.objects.order_by("slug"))
    assert made
    assert sorted(lines) == [f"created {challenge.slug}" for challenge in made]
    assert warned[0] == "created the tenant default"
    again, _ = run("import_registry", str(FIXTURES / "registry.json"), "--tenant", "default")
    assert sorted(again) == [f"updated {challenge.slug}" for challenge in made]


def test_scripts_are_announced_before_they_are_prepared(
    db: None, scripts_dir: Path, tmp_path: Path
) -> None:
    metrics = [{"type": "mean"}, {"type": "uv-script", "kwargs": {"script_path": "metric.py"}}]
    dataset = {
        "name": "counts",
        "version": "1",
        "description": "",
        "metrics": metrics,
        "tasks": [{"name": "a", "git_url": "https://example.org/a", "path": "a"}],
    }
    (tmp_path / "registry.json").write_text(json.dumps([dataset]))
    (tmp_path / "metric.py").write_text(COUNT)
    lines, _ = run("import_registry", str(tmp_path))
    name = Challenge.objects.get().name
    assert lines[0] == f"preparing the script of {name}: uv-script"
    assert [line.split()[0] for line in lines] == ["preparing", "created"]
    lines, _ = run("import_registry", str(tmp_path))
    assert [line.split()[0] for line in lines] == ["updated"]


def test_a_registry_takes_the_script_beside_it_and_an_update_keeps_it(
    db: None, scripts_dir: Path, tmp_path: Path
) -> None:
    script = {"type": "uv-script", "kwargs": {"script_path": "scripts/metric.py"}}
    dataset = {
        "name": "counts",
        "version": "1",
        "description": "",
        "metrics": [script, {"type": "mean"}],
        "tasks": [{"name": "a", "path": "a"}],
    }
    file = tmp_path / "ours.json"
    file.write_text(json.dumps([dataset]))
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "metric.py").write_text(COUNT)
    (tmp_path / "other.json").write_text("not JSON")
    _, warned = run("import_registry", str(file))
    made = Challenge.objects.get().newest
    assert [metric["type"] for metric in made.metrics] == ["uv-script", "mean"]
    assert made.rank_by[0]["key"] == "uv-script"

    (tmp_path / "scripts" / "metric.py").unlink()
    for is_on in (True, False):
        with override_settings(METRIC_SCRIPTS=is_on):
            _, warned = run("import_registry", str(file))
        again = Challenge.objects.get().newest
        assert (again.metrics, again.rank_by) == (made.metrics, made.rank_by)
        assert any("stay as they are: uv-script" in warning for warning in warned)
    file.write_text(json.dumps([{**dataset, "metrics": [{"type": "mean"}]}]))
    run("import_registry", str(file))
    assert [metric["type"] for metric in Challenge.objects.get().newest.metrics] == ["mean"]


def test_a_registry_reads_no_file_outside_its_folder(db: None, tmp_path: Path) -> None:
    (tmp_path / "secret.py").write_text("secret")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "link.py").symlink_to(tmp_path / "secret.py")
    for path in ("../secret.py", str(tmp_path / "secret.py"), "link.py", "missing.py"):
        metrics = [{"type": "uv-script", "kwargs": {"script_path": path}}]
        dataset = {"name": "a", "version": "1", "description": "", "tasks": [], "metrics": metrics}
        (tmp_path / "in" / "registry.json").write_text(json.dumps(dataset))
        with opened_registry(tmp_path / "in" / "registry.json") as source:
            assert source.names == ("registry.json",)


def test_a_wrong_registry_is_refused(db: None, runs: str) -> None:
    with pytest.raises(CommandError):
        run("import_registry", str(FIXTURES / "registry-malformed.json"))
    with pytest.raises(CommandError):
        run("import_registry", runs)
    assert not Challenge.objects.exists()
    assert not Tenant.objects.exists()
    for slug in ("acme", "default"):
        Tenant.objects.create(slug=slug, name=slug)
    with pytest.raises(CommandError, match="--tenant with one of acme, default"):
        run("import_registry", str(FIXTURES / "registry.json"))


def test_the_columns_of_a_table_are_mapped(sprint: Challenge, tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text("Model,Org,Acc (%)\na,x,71.2\nb,y,68\n")
    lines, warned = run("import_results", "sprint", str(table), "--dry-run")
    assert lines == ["a: no samples, not kept", "b: no samples, not kept"]
    assert warned == [
        "Model=participant (a, b)",
        "Org=meta:Org (x, y)",
        "Acc (%)=value:Acc (71.2, 68)",
    ]
    mapped = ("--map", "Org=participant", "Acc (%)=value:acc", "--show-columns")
    run("import_results", "sprint", str(table), *mapped)
    assert {attempt.participant.handle: attempt.values for attempt in Attempt.objects.all()} == {
        "x": {"acc": 71.2},
        "y": {"acc": 68.0},
    }
    sprint.refresh_from_db()
    assert sprint.columns == [{"key": "acc", "label": "Acc (%)", "direction": "desc"}]
    with pytest.raises(CommandError, match="got 'Who'"):
        run("import_results", "sprint", str(table), "--map", "Who=participant")
