"""BERTSCORE compared with bert-score itself, with models of a few kilobytes made here.

PyTorch is large and not part of Podium, so `make test-all` runs the second half of this file in a
separate environment (tests/helpers/bertscore.py).
"""

import inspect
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from django.test import override_settings

from leaderboard.sandbox import Failure, Sandbox, text_settings
from leaderboard.sandbox.child.configs import check
from leaderboard.sandbox.contract import SandboxSettings
from leaderboard.services.evaluation.documents import answered, question_of
from leaderboard.services.plugins.sandboxes import close_sandboxes
from leaderboard.services.plugins.text_metrics import metric_that_computes
from scorers.protocol import Unmeasurable
from scorers.text.bertscore import NEEDS, BertScore, BertScoreIdf
from tests.scorers.text.cases import Said, assert_wrong, case, evaluate, score_in_blocks
from tests.scorers.text.tiny_models import tiny_bert, tiny_roberta

ROOT = Path(__file__).parents[3]
INSTALLED = all(map(find_spec, NEEDS))
with_torch = pytest.mark.skipif(
    not INSTALLED, reason="BERTScore is not installed; `make test-all` does so in .venv-bertscore"
)
GIVEN = [
    case("the cat sat on the mat", "the cat is on the mat", "a cat sat"),
    case("good morning to all", "good morning to all"),
    case("dogs", "a dog is on the mat", "cats", "the dog"),
    case("", "the cat"),
    case("the mat", "the cat sat on the mat and the dog sat on the cat " * 20),
]


# Parameters, which are described and checked without the library.


def test_wrong_parameters_are_refused_by_name() -> None:
    cases: list[tuple[dict[str, Any], str, str]] = [
        ({"num_layers": -1}, "num_layers", "0 or more"),
        ({"num_layers": "9"}, "num_layers", "a whole number"),
        ({"lang": 5}, "lang", "a text"),
        ({"batch_size": 0}, "batch_size", "1 or more"),
        ({"all_layers": "no"}, "all_layers", "true or false"),
        ({"model": "m"}, "model", "(all_layers, baseline_path"),
    ]
    for parameters, field, message in cases:
        assert_wrong(BertScore, {"model_path": "m", **parameters}, field, message)


HF_EVALUATE: dict[str, Any] = {
    "lang": "en",
    "model_type": "roberta-large",
    "num_layers": 17,
    "verbose": False,
    "idf": False,
    "device": None,
    "batch_size": 16,
    "nthreads": 4,
    "all_layers": False,
    "rescale_with_baseline": True,
    "baseline_path": None,
    "use_fast_tokenizer": False,
}


def test_the_parameters_of_evaluate_are_accepted_unchanged() -> None:
    """Parameters that cannot be used here are refused when the metric is computed."""
    for parameters in (
        {},
        {"device": "cuda:0"},
        {"idf": True},
        {"idf": {"cat": 0.5}},
        {"all_layers": True},
        {"nthreads": 128, "batch_size": 100_000},
        {"lang": "EN-sci"},
        {"model_type": "/models/secret"},
        {"baseline_path": "/etc/passwd"},
    ):
        given = {**HF_EVALUATE, **parameters}
        errors, filled = check(BertScore, given)
        assert not errors, parameters
        assert filled == {**given, "model_path": None}, parameters


def test_with_idf_another_metric_class_is_used() -> None:
    assert metric_that_computes("bertscore", {"idf": True}).name == "BERTSCORE_IDF"
    assert metric_that_computes("bertscore", {"idf": False}).name == "BERTSCORE"
    assert metric_that_computes("bertscore_idf", {}).name == "BERTSCORE_IDF"


def test_the_other_metric_class_cannot_turn_idf_off() -> None:
    assert check(BertScoreIdf, {"model_path": "m"})[1]["idf"] is True
    assert "idf" in check(BertScoreIdf, {"model_path": "m", "idf": False})[0]
    assert not BertScoreIdf.averaged
    assert not hasattr(BertScoreIdf, "combine")


# Values, which need the library.


@pytest.fixture(scope="module")
def models() -> Iterator[Path]:
    """Yield a folder of models outside pytest's own folder, which the plugins' user cannot
    enter."""
    with tempfile.TemporaryDirectory(prefix="podium-models-") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.fixture(scope="module")
def model(models: Path) -> Path:
    return tiny_bert(models / "tiny-bert")


@pytest.fixture(scope="module")
def roberta(models: Path) -> Path:
    return tiny_roberta(models / "tiny-roberta")


def bert_scores(model: Path, given: list[Said], **parameters: Any) -> list[dict[str, float]]:
    """Return what bert-score itself computes for these."""
    from bert_score import score

    columns = score(
        [instance.output for instance in given],
        [list(instance.references) for instance in given],
        model_type=str(model),
        nthreads=0,
        device="cpu",
        **parameters,
    )
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return [dict(zip(("precision", "recall", "f1"), row, strict=True)) for row in rows]


@with_torch
def test_values_equal_those_of_bert_score(model: Path) -> None:
    for num_layers in (0, 2, 3):
        given = [instance for instance in GIVEN if instance.output]
        outcome = evaluate(BertScore, given, model_path=str(model), num_layers=num_layers)
        expected = bert_scores(model, given, num_layers=num_layers)
        assert outcome["results"] == [pytest.approx(scores, abs=1e-6) for scores in expected], (
            num_layers
        )
        assert 0.05 < outcome["results"][0]["f1"] < 0.999, num_layers
        for name, value in outcome["score"].items():
            assert value == pytest.approx(
                sum(scores[name] for scores in expected) / len(given), abs=1e-6
            )


@with_torch
def test_with_idf_rare_words_have_larger_weights(model: Path) -> None:
    given = [instance for instance in GIVEN if instance.output]
    outcome = evaluate(BertScoreIdf, given, model_path=str(model), num_layers=3)
    expected = bert_scores(model, given, num_layers=3, idf=True)
    assert outcome["results"] == [pytest.approx(scores, abs=1e-6) for scores in expected]
    plain = evaluate(BertScore, given, model_path=str(model), num_layers=3)
    assert outcome["score"] != pytest.approx(plain["score"], abs=1e-4)


@with_torch
def test_words_in_every_reference_have_no_weight(model: Path) -> None:
    outcome = evaluate(BertScoreIdf, GIVEN[1:2], model_path=str(model))
    assert outcome["results"] == [None]
    assert outcome["score"] == {"precision": None, "recall": None, "f1": None}


@with_torch
def test_the_best_of_several_references_counts(model: Path) -> None:
    [several] = evaluate(BertScore, GIVEN[:1], model_path=str(model))["results"]
    alone = [
        evaluate(BertScore, [case(GIVEN[0].output, text)], model_path=str(model))["results"][0]
        for text in GIVEN[0].references
    ]
    best = {name: max(scores[name] for scores in alone) for name in several}
    assert several == pytest.approx(best, abs=1e-6)


@with_torch
def test_equal_texts_have_the_highest_value(model: Path, roberta: Path) -> None:
    for folder in (model, roberta):
        [scores] = evaluate(BertScore, [GIVEN[1]], model_path=str(folder))["results"]
        assert scores == pytest.approx({"precision": 1.0, "recall": 1.0, "f1": 1.0}, abs=1e-6)


@with_torch
def test_empty_and_too_long_texts_have_values(model: Path, roberta: Path) -> None:
    for folder in (model, roberta):
        results = evaluate(BertScore, GIVEN, model_path=str(folder))["results"]
        assert results[3] == {"precision": 0.0, "recall": 0.0, "f1": 0.0}
        assert 0 < results[4]["precision"] <= 1.000001


@with_torch
def test_blocks_make_no_noticeable_difference(model: Path) -> None:
    at_once = evaluate(BertScore, GIVEN, model_path=str(model), batch_size=2)["score"]
    apart = score_in_blocks(BertScore, GIVEN, [1, 3], model_path=str(model), batch_size=2)
    assert apart == pytest.approx(at_once, abs=1e-6)


@with_torch
def test_the_last_layer_is_used_unless_the_library_tuned_another(model: Path) -> None:
    default, last, first = (
        evaluate(BertScore, GIVEN, model_path=str(model), **chosen)["score"]
        for chosen in ({}, {"num_layers": 3}, {"num_layers": 1})
    )
    assert default == last != first
    tuned = evaluate(
        BertScore, GIVEN, model_path=str(model), model_type="google/bert_uncased_L-2_H-128_A-2"
    )
    assert tuned["score"] == first


@with_torch
@pytest.mark.filterwarnings("ignore:The given NumPy array is not writable")
def test_rescaling_uses_the_baseline_of_the_model(model: Path) -> None:
    (model / "baseline.tsv").write_text(
        "LAYER,P,R,F\n" + "".join(f"{n},0.5,0.25,0.2\n" for n in range(4))
    )
    plain = evaluate(BertScore, GIVEN[:3], model_path=str(model))["results"]
    rescaled = evaluate(
        BertScore,
        GIVEN[:3],
        model_path=str(model),
        rescale_with_baseline=True,
        baseline_path="baseline.tsv",
    )["results"]
    for before, after in zip(plain, rescaled, strict=True):
        assert after["precision"] == pytest.approx((before["precision"] - 0.5) / 0.5, abs=1e-5)
        assert after["recall"] == pytest.approx((before["recall"] - 0.25) / 0.75, abs=1e-5)
        assert after["f1"] == pytest.approx((before["f1"] - 0.2) / 0.8, abs=1e-5)


@with_torch
def test_a_model_without_a_baseline_is_reported(model: Path) -> None:
    with pytest.raises(Unmeasurable, match="no baseline of tiny-bert"):
        evaluate(BertScore, GIVEN, model_path=str(model), rescale_with_baseline=True, lang="en")


@with_torch
def test_a_model_must_be_given_and_exist(tmp_path: Path) -> None:
    for nothing in ({}, {"model_path": None}, {"model_path": ""}):
        with pytest.raises(Unmeasurable, match=r"model_type: .* lang"):
            evaluate(BertScore, GIVEN, **nothing)
    with pytest.raises(Unmeasurable, match="model_path: "):
        evaluate(BertScore, GIVEN, model_path=str(tmp_path))
    with pytest.raises(Unmeasurable, match="model_path: "):
        evaluate(BertScore, GIVEN, model_path="roberta-large")


@with_torch
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"all_layers": True}, "all_layers: only false"),
        ({"idf": {"cat": 0.5}}, "idf: true or false"),
        ({"num_layers": 4}, "num_layers: 0 to 3"),
        ({"rescale_with_baseline": True}, "rescale_with_baseline: "),
        ({"rescale_with_baseline": True, "lang": "../en"}, "baseline_path: bert-score"),
        ({"baseline_path": "/etc/passwd"}, "baseline_path: "),
        ({"baseline_path": "../n/t.tsv"}, "baseline_path: "),
        ({"model_path": None, "model_type": "no-such"}, "model_type: .* no-such"),
        ({"model_path": None, "model_type": "../tiny-bert"}, "model_type: the model"),
        ({"model_path": None, "lang": "en"}, "lang: .* roberta-large"),
    ],
)
def test_errors_name_what_is_unavailable(
    model: Path, monkeypatch: pytest.MonkeyPatch, parameters: dict[str, Any], message: str
) -> None:
    inside = model.parent / "empty"
    inside.mkdir(exist_ok=True)
    monkeypatch.setenv("MODEL_PATH", str(inside))
    with pytest.raises(Unmeasurable, match=message):
        evaluate(BertScore, GIVEN, **{"model_path": str(model), **parameters})


@with_torch
def test_a_model_is_found_by_its_published_name_and_by_its_language(
    models: Path, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MODEL_PATH", f"/nowhere:{models}")
    expected = evaluate(BertScore, GIVEN, model_path=str(model), num_layers=2)["results"]
    for name in ("tiny-bert", "somebody/tiny-bert"):
        outcome = evaluate(BertScore, GIVEN, model_type=name, num_layers=2)
        assert outcome["results"] == expected
    tiny_bert(models / "bert-base-chinese")
    assert evaluate(BertScore, GIVEN, lang="zh", num_layers=2)["results"] == expected
    tiny_bert(models / "dbmdz" / "bert-base-turkish-cased")
    assert evaluate(BertScore, GIVEN, lang="TR", num_layers=2)["results"] == expected


@with_torch
def test_another_device_is_the_cpu_with_a_warning(model: Path) -> None:
    plain = evaluate(BertScore, GIVEN, model_path=str(model), device=None)
    assert "warning" not in plain["score"]
    elsewhere = evaluate(BertScore, GIVEN, model_path=str(model), device="cuda:0")
    warning = "device: computed on the CPU, as 'cuda:0' cannot be used here"
    assert elsewhere["score"] == {**plain["score"], "warning": warning}
    assert elsewhere["warnings"] == {0: warning}


@with_torch
def test_a_document_with_the_parameters_of_evaluate_is_measured(models: Path, model: Path) -> None:
    """One unavailable metric does not affect the others, and idf is computed over all instances."""
    row = {"id": 1, "actual-output": "the cat sat", "expected-output": ["a cat sat on the mat"]}
    rows = [{**row, "id": at} for at in range(300)] + [{**row, "id": "x", "actual-output": "dog"}]
    base = {**HF_EVALUATE, "lang": None, "model_type": "tiny-bert", "num_layers": 2}
    base |= {"rescale_with_baseline": False}
    given: list[dict[str, Any]] = [
        {},
        {"idf": True},
        {"device": "cuda"},
        {"all_layers": True},
        {"model_type": "none"},
    ]
    metrics = [{"id": "bertscore", "parameters": {**base, **parameters}} for parameters in given]
    body = json.dumps({"instances": rows, "metrics": metrics}).encode()
    with override_settings(MODEL_PATH=[str(models)]):
        close_sandboxes()
        outcomes = [
            answer.ended for answer in answered(question_of(body), lambda done, total: None)
        ]
        close_sandboxes()
    plain, idf, device, layers, missing = outcomes
    assert plain.score, plain.error
    assert idf.score, idf.error
    assert device.score, device.error
    assert list(plain.score) == list(idf.score) == ["f1", "precision", "recall"], "F1 is its value"
    assert idf.score["f1"] != plain.score["f1"]
    assert device.score == {**plain.score, "warning": device.score["warning"]}
    for failed, name in ((layers, "all_layers"), (missing, "model_type")):
        assert failed.score is None
        assert failed.error is not None
        assert failed.error["message"].startswith(f"{name}: ")


@with_torch
def test_the_hub_is_offline_before_it_is_imported(model: Path) -> None:
    code = """
        import sys
        from scorers.text.bertscore import BertScore
        from tests.scorers.text.cases import (assert_wrong, evaluate, case)
        evaluate(BertScore, [case("a cat", "a dog")], model_path=sys.argv[1])
        from huggingface_hub import constants
        print(constants.HF_HUB_OFFLINE)
    """
    done = subprocess.run(
        [sys.executable, "-c", inspect.cleandoc(code), str(model)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "True\n", done.stderr


@pytest.fixture
def sandbox(models: Path) -> Iterator[Sandbox]:
    with Sandbox(text_settings(SandboxSettings(models=(str(models),)))) as made:
        yield made


@with_torch
def test_it_runs_in_the_sandbox(sandbox: Sandbox, model: Path) -> None:
    rows = [
        (str(at), "", [instance.output], list(instance.references))
        for at, instance in enumerate(GIVEN)
    ]
    expected = evaluate(BertScore, GIVEN, model_path=str(model))["results"]
    with sandbox.evaluating("scorers.text.bertscore:BertScore", {"model_path": model.name}) as line:
        for block in (rows[:2], rows[2:]):
            answer = line.evaluate(block, timeout_ms=120_000)
            assert not isinstance(answer, Failure), answer
            assert answer.results is not None
            at = int(block[0][0])
            for result, wanted in zip(answer.results, expected[at:], strict=False):
                assert result == pytest.approx(wanted, abs=1e-5)
