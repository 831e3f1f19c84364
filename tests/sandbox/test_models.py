"""Local models of text metrics: named by their folder; children read them and nothing else."""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from leaderboard.rules.texts.quoting import sent
from leaderboard.sandbox import Sandbox, SandboxError
from leaderboard.sandbox.host.models import UnknownModel, with_model
from tests.sandbox.asking import ask, evaluated, failure, row
from tests.sandbox.conftest import SETTINGS

linux = pytest.mark.skipif(sys.platform != "linux", reason="the layers need Linux")


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """Yield a folder with models below `here` and a secret beside it, which children may enter."""
    parent = Path(tempfile.mkdtemp(prefix="podium-models-"))
    for name in ("here/small", "here/owner/large", "here/empty", "elsewhere/other"):
        (parent / name).mkdir(parents=True)
    for name in ("here/small", "here/owner/large", "elsewhere/other"):
        (parent / name / "config.json").write_text(name)
    (parent / "here/small/weights").write_text("1 2 3")
    (parent / "here/linked").symlink_to(parent / "elsewhere/other")
    (parent / "secret").write_text("hunter2")
    parent.chmod(0o755)
    yield parent
    shutil.rmtree(parent)


@pytest.fixture(scope="module")
def with_models(folder: Path) -> Iterator[Sandbox]:
    with Sandbox(replace(SETTINGS, models=(str(folder / "here"),))) as sandbox:
        yield sandbox


def test_a_model_is_named_by_its_folder(folder: Path) -> None:
    here = str(folder / "here")
    for named, place in (
        ("small", "small"),
        ("owner/large", "owner/large"),
        ("./owner/../small/", "small"),
    ):
        path = str(folder.resolve() / "here" / place)
        for name in (named, f"{here}/{named}"):
            parameters = {"model_path": name, "layers": 2}
            assert with_model(parameters, ["/nowhere", here]) == {"model_path": path, "layers": 2}
            assert parameters["model_path"] == name


def test_parameters_without_a_model_stay_as_they_are() -> None:
    assert with_model({"layers": 2}, []) == {"layers": 2}
    assert with_model({"model_path": None}, []) == {"model_path": None}


def test_the_error_for_another_name_says_what_is_accepted(folder: Path) -> None:
    elsewhere = ("", "none", ".", "..", "../elsewhere/other", "linked", "/etc", "small\0", "/")
    for named in (*elsewhere, 5, ["small"]):
        with pytest.raises(UnknownModel) as caught:
            with_model({"model_path": named}, [str(folder / "here")])
        assert str(caught.value).endswith(f"(owner/large, small); got {sent(named)}")
        with pytest.raises(UnknownModel, match="MODEL_PATH names no folder"):
            with_model({"model_path": named}, [])


def test_a_metric_gets_the_path_and_reads_the_files(with_models: Sandbox, folder: Path) -> None:
    evaluation = evaluated(ask(with_models, "modelled:Loads", model_path="small"))
    files = {"config.json": "here/small", "weights": "1 2 3"}
    assert evaluation.statistics == [str(folder.resolve() / "here/small"), files]


def test_no_other_folder_can_be_named(with_models: Sandbox) -> None:
    for named in ("other", "linked", "/etc"):
        error = failure(ask(with_models, "modelled:Loads", model_path=named))
        assert error.code == "load_error", named
        assert error.message.startswith("model_path: ")
        check = with_models.check_config(
            "hostile.text.modelled:Loads", {"model_path": named}, kind="text_metric"
        )
        assert list(check.errors) == ["model_path"], named


def test_a_wrong_model_is_reported_with_other_errors(with_models: Sandbox) -> None:
    entrypoint = "hostile.text.plain:Length"
    check = with_models.check_config(
        entrypoint, {"model_path": "x", "times": "1"}, kind="text_metric"
    )
    assert list(check.errors) == ["model_path", "times"]
    scorer = with_models.check_config("hostile.good:Good", {"model_path": "x"})
    assert scorer.errors == {}


@linux
def test_a_child_sees_only_the_models(with_models: Sandbox, sandbox: Sandbox, folder: Path) -> None:
    model = row(1, str(folder / "here/small/config.json"))
    assert evaluated(ask(with_models, "modelled:Reads", [model])).statistics == ["here/small", "1"]
    for name in ("secret", "elsewhere/other/config.json", "here/linked/config.json"):
        asked = [row(1, str(folder / name))]
        assert failure(ask(with_models, "modelled:Reads", asked)).code == "exception"
    assert failure(ask(sandbox, "modelled:Reads", [model])).code == "exception"


@linux
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_unreadable_files_are_reported(with_models: Sandbox, folder: Path) -> None:
    weights = folder / "here/small/weights"
    weights.chmod(0o600)
    try:
        error = failure(ask(with_models, "modelled:Loads", model_path="small"))
    finally:
        weights.chmod(0o644)
    assert error.code == "load_error"
    assert "by every user" in error.message
    assert "weights" not in error.message
    assert error.detail.endswith("here/small/weights")


def test_a_missing_folder_of_models_is_reported() -> None:
    settings = replace(SETTINGS, models=("/nowhere/models",))
    message = "there is no folder /nowhere/models"
    with Sandbox(settings) as sandbox, pytest.raises(SandboxError, match=message):
        ask(sandbox, "plain:Length")
