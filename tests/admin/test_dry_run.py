"""Trying a scorer on given facts before anything is saved."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings
from django.test import Client

from leaderboard.models import Attempt, Challenge, Score, ScoringConfig, Tenant
from leaderboard.sandbox import Sandbox, SandboxError
from leaderboard.services.plugins import sandboxes
from leaderboard.services.plugins.sandboxes import close_sandboxes
from tests.admin.conftest import WEIGHTED
from tests.admin.pages import form_of, typed, url

FACTS = {
    "try-succeeded": "on",
    "try-tokens_total": "1500",
    "try-elapsed_ms": "12500",
    "try-rating": "8",
}
BROKEN = """
class Loud:
    def score(self, metrics, config, ctx):
        print("looking at", metrics["rating"], "for", ctx["challenge_id"])
        raise ValueError("no idea")
"""


def tried(client: Client, challenge: Challenge, **changes: Any) -> Any:
    page = client.get(url("challenge", "change", challenge.pk))
    return client.post(
        url("challenge", "change", challenge.pk), {**typed(page, **changes), **FACTS, "_try": "1"}
    )


def test_the_typed_settings_are_tried_and_not_saved(as_nora: Client, escape: Challenge) -> None:
    answer = tried(as_nora, escape, scoring_config__rating_weight="15", name="Not saved")
    assert answer.context["tried"].value == pytest.approx(177.5)
    assert b"rating_contribution" in answer.content
    escape.refresh_from_db()
    assert escape.name == "Prompt escape"
    assert ScoringConfig.objects.count() == 1
    assert not Attempt.objects.exists()
    assert not Score.objects.exists()


def test_a_clamped_score_has_its_raw_score(as_nora: Client, escape: Challenge) -> None:
    answer = tried(as_nora, escape, scoring_config__token_penalty="1")
    assert (answer.context["tried"].value, answer.context["tried"].raw_value) == (0, -1332.5)


def test_a_new_challenge_is_tried_before_it_has_a_name(as_nora: Client, north: Tenant) -> None:
    post = {"scoring_entrypoint": WEIGHTED, "timeout_ms": "5000", **FACTS, "_try": "1"}
    answer = as_nora.post(url("challenge", "add"), post)
    assert not form_of(answer).errors
    assert answer.context["tried"].value == pytest.approx(152.5)
    assert not Challenge.objects.exists()


def test_wrong_settings_and_facts_are_reported_at_their_fields(
    as_nora: Client, limited: Challenge
) -> None:
    answer = tried(as_nora, limited, scoring_config__success_bonus="-1")
    assert answer.context["tried"] is None
    assert list(form_of(answer).errors) == ["scoring_config.success_bonus"]
    path = url("challenge", "change", limited.pk)
    post = {**typed(as_nora.get(path)), **FACTS, "try-rating": "11", "_try": "1"}
    answer = as_nora.post(path, post)
    assert answer.context["tried"] is None
    assert list(answer.context["facts"].errors) == ["rating"]


@pytest.fixture
def loud(tmp_path: Path, settings: LazySettings) -> Iterator[Path]:
    """The file of `loudscorers.loud`, in a package of the organiser."""
    package = tmp_path / "loudscorers"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "loud.py").write_text(BROKEN)
    tmp_path.chmod(0o755)
    settings.SCORER_PACKAGES = ["scorers", "loudscorers"]
    settings.SCORER_PATH = [tmp_path]
    close_sandboxes()
    yield package / "loud.py"
    close_sandboxes()


def test_the_organiser_sees_the_traceback_and_the_output(
    as_nora: Client, escape: Challenge, loud: Path
) -> None:
    answer = tried(as_nora, escape, scoring_entrypoint="loudscorers.loud:Loud")
    assert answer.context["tried"].error_code == "exception"
    content = answer.content.decode()
    assert "ValueError: no idea" in content
    assert "for prompt-escape" in content


def test_settings_are_those_of_the_current_file(as_nora: Client, north: Tenant, loud: Path) -> None:
    asked = {"entrypoint": "loudscorers.loud:Loud"}
    assert list(form_of(as_nora.get(url("challenge", "add"), asked)).config_keys) == []
    loud.write_text(BROKEN.replace("class Loud:", "class Loud:\n    defaults = {'volume': 11}"))
    form = form_of(as_nora.get(url("challenge", "add"), asked))
    assert form["scoring_config.volume"].value() == 11


def test_a_sandbox_that_does_not_start_is_reported(
    as_nora: Client, escape: Challenge, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(purpose: str = "scoring") -> Sandbox:
        raise SandboxError("no sandbox here")

    monkeypatch.setattr(sandboxes, "sandbox", broken)
    answer = tried(as_nora, escape)
    assert answer.status_code == 200
    assert list(form_of(answer).errors) == ["scoring_entrypoint"]
