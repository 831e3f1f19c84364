"""The metric scripts of a challenge: waiting for them, errors by field, and what is installed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from leaderboard.schemas.metrics import MetricSpec, parse_metrics
from leaderboard.schemas.scoring import ScoringFields
from leaderboard.services.challenges.metric_fields import checked_metrics
from leaderboard.services.errors import ServiceError
from leaderboard.services.scripts.metric_scripts import (
    Installed,
    begin_scripts,
    installed_for,
    progress_of,
    watch_scripts,
)
from leaderboard.services.scripts.prepare import prepare_script
from tests.metric_scripts import COUNT, SEVENS, Gate, header, only_from, wheel_of_sevens
from tests.processes import eventually

FIELD = "metrics.1.kwargs.script"


def specs_of(*texts: str) -> tuple[MetricSpec, ...]:
    return parse_metrics(["mean", *entries_of(*texts)])


def entries_of(*texts: str) -> list[dict[str, Any]]:
    return [
        {"type": "uv-script", "name": f"own-{number}", "kwargs": {"script": text}}
        for number, text in enumerate(texts)
    ]


@pytest.fixture
def gate(scripts_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Gate:
    wheel_of_sevens(tmp_path, monkeypatch)
    return Gate(scripts_dir, monkeypatch)


def test_watching_ends_when_the_last_script_is_ready(gate: Gate) -> None:
    prepare_script(COUNT)
    specs = specs_of(COUNT, SEVENS)
    begun = begin_scripts(specs)
    assert [(script.name, script.progress.state) for script in begun] == [
        ("own-0", "ready"),
        ("own-1", "running"),
    ]
    assert [watch_script.key for watch_script in watch_scripts(specs)] == [
        script.key for script in begun
    ]
    gate.open()
    eventually(lambda: progress_of(begun[1].key).state == "ready")
    assert watch_scripts(specs) == []
    assert begin_scripts(specs) == []
    assert gate.calls == 1


@pytest.mark.usefixtures("scripts_dir")
def test_an_invalid_script_starts_no_preparation(gate: Gate) -> None:
    with pytest.raises(ServiceError, match='tool; got "x"') as caught:
        begin_scripts(specs_of(SEVENS, header("x = 1")))
    assert list(caught.value.fields) == ["metrics.2.kwargs.script"]
    assert gate.calls == 0


@pytest.mark.usefixtures("scripts_dir")
def test_a_refusal_is_reported_to_the_waiting_user_and_later_retried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    only_from(tmp_path, monkeypatch)
    (watched,) = begin_scripts(specs_of(SEVENS))
    eventually(lambda: progress_of(watched.key).state == "refused")
    with pytest.raises(ServiceError, match="sevens") as caught:
        watch_scripts(specs_of(SEVENS))
    (text,) = caught.value.fields[FIELD]
    assert "\n" in text, "the gist and then all that uv said"
    wheel_of_sevens(tmp_path, monkeypatch)
    begin_scripts(specs_of(SEVENS))
    eventually(lambda: progress_of(watched.key).state == "ready")
    assert watch_scripts(specs_of(SEVENS)) == []


@pytest.mark.usefixtures("scripts_dir")
def test_an_abandoned_preparation_is_started_again(gate: Gate) -> None:
    (watched,) = watch_scripts(specs_of(SEVENS))
    assert watched.progress.state == "running"
    gate.open()
    eventually(lambda: progress_of(watched.key).state == "ready")


def test_the_installed_packages_are_listed(gate: Gate, settings: Any) -> None:
    gate.open()
    unprepared = Installed("own-1", "", "")
    assert installed_for(specs_of(COUNT, SEVENS)) == [Installed("own-0", "", ""), unprepared]
    prepare_script(COUNT)
    prepare_script(SEVENS)
    plain, sevens = installed_for(specs_of(COUNT, SEVENS))
    assert plain == Installed("own-0", "It needs no packages", "")
    assert sevens.summary == "Resolved 1 package, installed sevens==1.0"
    assert " + sevens==1.0" in sevens.messages
    settings.METRIC_SCRIPTS = False
    (unavailable,) = installed_for(specs_of(f"# another\n{COUNT}"))
    assert (unavailable.summary, "METRIC_SCRIPTS=on" in unavailable.messages) == ("", True)


@pytest.mark.usefixtures("scripts_dir")
def test_progress_names_the_script_being_prepared() -> None:
    names: list[str] = []
    metrics = entries_of(COUNT, f"# another\n{COUNT}")
    fields = ScoringFields(scoring_strategy="metric", metrics=metrics)
    checked_metrics(fields, names.append)
    checked_metrics(fields, names.append)
    assert names == ["own-0", "own-1"]
