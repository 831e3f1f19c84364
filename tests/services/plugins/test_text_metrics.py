"""Text metrics by id: found in any letter case, distinguished, and their parameters checked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from leaderboard.sandbox import Evaluated, SandboxError
from leaderboard.services.evaluation.text_fields import checked_text_specs
from leaderboard.services.plugins import sandboxes
from leaderboard.services.plugins.text_metrics import (
    TextMetricsAway,
    UnknownTextMetric,
    check_parameters,
    find_text_metric,
    is_usable,
    known_text_metrics,
)
from tests.plugin_files import Install, installer, packages_folder
from tests.services.plugins.installed import installed_package
from tests.services.refusals import check_refusals

OURS = {"BLEU_NLTK", "CHRF", "EDIT_DISTANCE", "EXACT_MATCH", "F1", "ROUGE", "SACREBLEU"}

WORDS = """
class Words:
    "Words of the output."
    id = "Words"
    averaged = True
    defaults = {"most": 10}
    def evaluate(self, instances, parameters):
        results = [min(len(each.output.split()), parameters["most"]) for each in instances]
        return {"score": {"words": 0}, "results": results}
"""
OTHERS = """
class Taken:
    id = "f1"
    def evaluate(self, instances, parameters):
        return {"score": {"n": 1}}
class Again(Taken):
    id = "WORDS"
class Missing(Taken):
    id = "MISSING"
    needs = ("no_such_library",)
    install = "python -m pip install no-such-library"
class Model(Taken):
    id = "MODEL"
    def evaluate(self, instances, parameters):
        with open(parameters["model_path"] + "/config.json") as file:
            return {"score": {"n": len(file.read())}}
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    with packages_folder() as folder:
        yield folder


@pytest.fixture
def install(settings: Any, folder: Path) -> Install:
    """Install packages of text metrics in an operator's folder: `install(ours={"words": text})`."""
    return installer(settings, folder, "text")


def evaluated(metric_id: str, **parameters: Any) -> Evaluated:
    (sandbox,) = sandboxes.text_sandboxes(1)
    with sandbox.evaluating(find_text_metric(metric_id).entrypoint, parameters) as line:
        answer = line.evaluate([("1", "", ["one two three"], ["one"])], timeout_ms=60_000)
    assert isinstance(answer, Evaluated), answer
    return answer


def test_shipped_text_metrics_are_listed() -> None:
    metrics = {text_metric.name: text_metric for text_metric in known_text_metrics()}
    assert set(metrics) >= OURS
    assert [metric for metric in metrics.values() if not is_usable(metric)] == []
    assert [metric.name for metric in metrics.values()] == sorted(metrics)
    assert metrics["BLEU_NLTK"].bounds == (0.0, 1.0)


def test_an_id_is_found_in_any_letter_case() -> None:
    for metric_id in ("bleu_nltk", "BLEU_NLTK", "Bleu_Nltk"):
        assert find_text_metric(metric_id).name == "BLEU_NLTK"


def test_the_error_for_an_unknown_id_lists_the_known_ones() -> None:
    with pytest.raises(UnknownTextMetric) as caught:
        find_text_metric("blue")
    offered, _, sent = str(caught.value).partition("; got ")
    assert sent == '"blue"'
    assert set(offered.replace(",", "").split()) >= OURS
    with pytest.raises(UnknownTextMetric):
        check_parameters("blue", {})


def test_parameters_are_checked_by_name() -> None:
    assert check_parameters("bleu_nltk", {}) == {}
    assert check_parameters("bleu_nltk", {"weights": [1], "smoothing_function": "method1"}) == {}
    errors = check_parameters("bleu_nltk", {"weights": "1", "smooth": "method1"})
    assert list(errors) == ["smooth", "weights"]


def test_a_package_of_the_operator_is_found(install: Install) -> None:
    install(ours={"words": WORDS, "broken": "import no_such_library"})
    metric = find_text_metric("WORDS")
    assert (metric.name, metric.entrypoint) == ("Words", "ours.text.words:Words")
    assert evaluated("words").score == {"words": 3.0}
    assert evaluated("words", most=2).results == [2.0]
    assert list(check_parameters("words", {"most": "2"})) == ["most"]
    (broken,) = [text_metric for text_metric in known_text_metrics() if not is_usable(text_metric)]
    assert (broken.entrypoint, broken.name) == ("ours.text.broken", "")
    assert known_text_metrics()[-1] == broken


def test_a_package_without_init_files_is_found(install: Install, folder: Path) -> None:
    install(ours={"words": WORDS})
    for file in folder.rglob("__init__.py"):
        file.unlink()
    assert find_text_metric("WORDS").entrypoint == "ours.text.words:Words"
    assert evaluated("words").score == {"words": 3.0}


def test_the_error_of_a_faulty_metric_is_raised_when_it_is_used(install: Install) -> None:
    install(ours={"words": WORDS.replace("averaged = True", "averaged = 'yes'")})
    with pytest.raises(UnknownTextMetric, match="`averaged`"):
        find_text_metric("words")
    check_refusals(
        lambda entries: checked_text_specs(entries, "text_metrics"),
        [(["F1", "WORDS"], "text_metrics.1.id", "Words", "`averaged`")],
    )


def test_the_first_metric_with_an_id_wins(install: Install) -> None:
    install(second={"others": OTHERS}, ours={"words": WORDS})
    assert find_text_metric("F1").entrypoint.startswith("scorers.text.")
    assert find_text_metric("words").entrypoint == "second.text.others:Again"
    errors = {
        text_metric.entrypoint: text_metric.error
        for text_metric in known_text_metrics()
        if not is_usable(text_metric)
    }
    assert errors["ours.text.words:Words"] == (
        "load_error",
        "A text metric 'Words' is already registered "
        "(existing=second.text.others:Again, new=ours.text.words:Words).",
        "",
    )
    assert set(errors) == {"ours.text.words:Words", "second.text.others:Taken"}


def test_a_metric_that_is_not_installed_is_listed(install: Install) -> None:
    install(ours={"others": OTHERS})
    metric = find_text_metric("missing")
    assert metric.error is not None
    assert metric.error.code == "not_installed"
    assert metric.error.message.endswith("pip install no-such-library")
    assert is_usable(metric)
    assert check_parameters("missing", {"model_path": "not here either"}) == {}


def test_a_model_must_be_in_the_operators_folder(
    install: Install, folder: Path, settings: Any
) -> None:
    (folder / "models" / "tiny").mkdir(parents=True)
    (folder / "models" / "tiny" / "config.json").write_text("{}")
    settings.MODEL_PATH = [str(folder / "models")]
    install(ours={"others": OTHERS})
    for name in ("tiny", str(folder / "models" / "tiny")):
        assert evaluated("model", model_path=name).score == {"n": 2.0}
        assert check_parameters("model", {"model_path": name}) == {}
    errors = check_parameters("model", {"model_path": "/etc"})
    assert "(tiny); got" in errors["model_path"][0]


def test_text_metrics_are_searched_once_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    known_text_metrics()
    monkeypatch.setattr(sandboxes, "discover_text_metrics", None)
    assert find_text_metric("f1").name == "F1"


def test_the_error_of_a_broken_sandbox_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise SandboxError("no zygote")

    known_text_metrics()
    monkeypatch.setattr(sandboxes, "check_parameters", refuse)
    assert list(check_parameters("f1", {})) == [""]


def test_no_text_metrics_are_known_without_a_working_sandbox(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse() -> None:
        raise SandboxError("no zygote")

    with monkeypatch.context() as broken:
        broken.setattr(sandboxes, "discover_text_metrics", refuse)
        (metric,) = known_text_metrics()
        assert metric.error is not None
        assert (metric.error.code, metric.error.detail) == ("load_error", "no zygote")
        with pytest.raises(TextMetricsAway):
            find_text_metric("f1")
    assert find_text_metric("f1").name == "F1"


def test_sandboxes_for_text_can_be_used_in_parallel() -> None:
    first, second = sandboxes.text_sandboxes(2)
    assert first is not second
    assert sandboxes.text_sandboxes(3)[:2] == [first, second]
    assert first.settings.limits.memory_bytes == 4 << 30
    for sandbox in (first, second):
        assert sandbox.check_config("scorers.weighted:WeightedScorer", {}).failure is None
    sandboxes.close_sandboxes()
    assert (first._zygotes.current, second._zygotes.current) == (None, None)
    assert sandboxes.text_sandboxes(1) != [first]


PYPROJECT = """
[project]
name = "acme-texts"
version = "1.0"
[project.entry-points."podium.text_metrics"]
words = "acme_texts.words:Words"
[tool.setuptools.packages.find]
include = ["acme_texts*"]
"""
ASKING = """
import django
django.setup()
from leaderboard.services.plugins.sandboxes import close_sandboxes, text_sandboxes
from leaderboard.services.plugins.text_metrics import (
    check_parameters,
    find_text_metric,
    known_text_metrics,
)
found = find_text_metric("words")
print(found.name, found.entrypoint, found.error)
print(sorted(each.name for each in known_text_metrics() if each.entrypoint.startswith("acme")))
(sandbox,) = text_sandboxes(1)
with sandbox.evaluating(found.entrypoint, {"most": 2}) as line:
    print(line.evaluate([("1", "", ["one two three"], ["one"])], timeout_ms=60000).results)
print(*check_parameters("words", {"most": "2"}))
close_sandboxes()
"""
TRYING = """
python -m leaderboard.sandbox try acme_texts.words:Words --instances instances.json
"""


@pytest.mark.once
@pytest.mark.slow
def test_an_installed_package_offers_text_metrics() -> None:
    """The package is installed into a separate environment and found by its entry points."""
    modules = {"words": WORDS, "others": OTHERS}
    with installed_package("acme_texts", PYPROJECT, modules) as checkout:
        checkout.write("ask.py", ASKING)
        checkout.write(
            "instances.json", '[{"id": 1, "actual-output": "a b", "expected-output": "a"}]'
        )
        done = checkout.run("DJANGO_SETTINGS_MODULE=leaderboard.settings python ask.py")
        tried = checkout.run(TRYING)
    assert done.stdout.splitlines() == [
        "Words acme_texts.words:Words None",
        "['Words']",
        "[2.0]",
        "most",
    ], done.stderr
    assert '"score": {"words": 2.0}' in tried.stdout, tried.stderr
