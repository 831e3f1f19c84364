"""Every text metric of the folder, found automatically: a new file is tested without a new test."""

import inspect
import json
import pkgutil
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from leaderboard.sandbox.child.configs import check, schema_of
from scorers import text
from tests.helpers.examples import examples
from tests.scorers.text.cases import Said, case, evaluate, instances, score_in_blocks

ROOT = Path(__file__).parents[3]
OURS = {
    "BERTSCORE": ["precision", "recall", "f1"],
    "BERTSCORE_IDF": ["precision", "recall", "f1"],
    "BLEU_NLTK": ["mean_of_sentence_bleu", "corpus_bleu"],
    "CHRF": ["corpus_chrf", "mean_of_sentence_chrf", "signature"],
    "EDIT_DISTANCE": ["edit_distance", "similarity"],
    "EXACT_MATCH": ["exact_match"],
    "F1": ["f1"],
    "LENGTH_RATIO": ["length_ratio"],
    "ROUGE": ["rouge1", "rouge2", "rougeL"],
    "SACREBLEU": ["corpus_bleu", "mean_of_sentence_bleu", "signature"],
}
TEXTS = [
    case("the cat sat on the mat", "the cat is on the mat", "there is a cat on the mat"),
    case("", "good morning"),
    case("good morning", ""),
    case("", ""),
    case(" \n ", "x"),
    case("صباح الخير", "صباح الخير جميعا", "بخير"),
    case("早上好", "早上好，大家"),
    case("a" * 3000, "ab " * 1000),
    case("\x00 \u202e 😀", "😀"),
]


def metric_classes() -> list[type[Any]]:
    """Return every public class in the folder's modules that defines `evaluate`."""
    names = [f"scorers.text.{module.name}" for module in pkgutil.iter_modules(text.__path__)]
    return [
        member
        for name in names
        for member in vars(import_module(name)).values()
        if inspect.isclass(member)
        and member.__module__ == name
        and callable(getattr(member, "evaluate", None))
        and hasattr(member, "id")
    ]


def installed(metric: type[Any]) -> bool:
    return all(map(find_spec, getattr(metric, "needs", ())))


ALL = metric_classes()
HERE = [
    metric for metric in ALL if installed(metric) and "model_path" not in str(schema_of(metric))
]
IN_BLOCKS = [metric for metric in HERE if hasattr(metric, "combine") or metric.averaged]


def test_all_shipped_text_metrics_are_found() -> None:
    assert {metric.id for metric in ALL} >= set(OURS)
    assert {metric.id for metric in HERE} >= {name for name in OURS if "BERT" not in name}
    assert len({metric.id for metric in ALL}) == len(ALL)


def test_it_describes_its_parameters() -> None:
    for metric in ALL:
        schema, starts = schema_of(metric)
        assert schema is not None, metric.id
        assert schema["additionalProperties"] is False, metric.id
        json.dumps([schema, starts], allow_nan=False)
        model = getattr(metric, "Config", None)
        if isinstance(model, type) and issubclass(model, BaseModel):
            for name, field in model.model_fields.items():
                assert field.description, f"{name} has no description"
                assert name in (starts or {}), f"{name} has no default"


def test_unknown_parameters_are_refused_by_name() -> None:
    for metric in ALL:
        errors, _ = check(metric, {"no_such_name": 1})
        assert "known field (" in errors["no_such_name"][0], metric.id


def test_it_can_be_described_without_its_library() -> None:
    code = """
        import importlib, json, pkgutil, sys
        missing = "nltk sacrebleu rouge_score bert_score torch transformers".split()
        sys.modules.update(dict.fromkeys(missing))
        from scorers import text
        from leaderboard.sandbox.child.configs import check, schema_of
        for module in pkgutil.iter_modules(text.__path__):
            for member in vars(importlib.import_module(f"scorers.text.{module.name}")).values():
                if isinstance(getattr(member, "id", None), str):
                    print(member.id, len(schema_of(member)), len(check(member, {})[0]))
    """
    done = subprocess.run(
        [sys.executable, "-c", inspect.cleandoc(code)], cwd=ROOT, capture_output=True, text=True
    )
    assert set(done.stdout.splitlines()) >= {f"{name} 2 0" for name in OURS}, done.stderr


def test_it_accepts_any_output() -> None:
    for metric in HERE:
        outcome = evaluate(metric, TEXTS)
        assert list(outcome["score"]) == OURS.get(metric.id, list(outcome["score"])), metric.id
        assert len(outcome["results"]) == len(TEXTS), metric.id
        assert set(outcome.get("warnings") or {}) <= set(range(len(TEXTS))), metric.id
        json.dumps(outcome, allow_nan=False)
        first = next(iter(outcome["score"].values()))
        assert type(first) in (int, float), metric.id
        low, high = getattr(metric, "bounds", (None, None))
        assert low is None or low <= first, metric.id
        assert high is None or first <= high, metric.id


def test_it_changes_no_input_and_keeps_no_state() -> None:
    for metric in HERE:
        kept, parameters = metric(), check(metric, {})[1]
        before = json.dumps([TEXTS, parameters])
        first = kept.evaluate(TEXTS, parameters)
        kept.evaluate(TEXTS[:1], parameters)
        assert kept.evaluate(TEXTS, parameters) == metric().evaluate(TEXTS, parameters) == first
        assert json.dumps([TEXTS, parameters]) == before, metric.id


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(instances, min_size=1, max_size=12), st.sets(st.integers(1, 11)))
def test_blocks_make_no_difference(given: list[Said], cuts: set[int]) -> None:
    for metric in IN_BLOCKS:
        at_once = evaluate(metric, given)["score"]
        apart = score_in_blocks(metric, given, [cut for cut in cuts if cut < len(given)])
        assert list(apart) == list(at_once), metric.id
        for name, value in at_once.items():
            is_text = isinstance(value, str | None)
            expected = value if is_text else pytest.approx(value, rel=1e-12, abs=1e-12)
            assert apart[name] == expected, metric.id


def test_a_perfect_output_has_the_best_value() -> None:
    for metric in HERE:
        perfect = [case("the cat sat on the mat", "a dog", "the cat sat on the mat")]
        best = evaluate(metric, perfect)["score"]
        worse = evaluate(metric, [case("a mat sat", "a dog", "the cat sat on the mat")])["score"]
        name = next(iter(best))
        low, high = getattr(metric, "bounds", (None, None))
        wanted = low if getattr(metric, "direction", "desc") == "asc" else high
        if wanted is not None:
            assert best[name] == pytest.approx(wanted), metric.id
        if low is not None:
            assert best[name] != worse[name], metric.id
