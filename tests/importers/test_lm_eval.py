"""lm-evaluation-harness: documents as tasks, filters, and results without samples."""

import json
from typing import Any

import pytest

from leaderboard.importers import ImportFailed
from leaderboard.rules.rewards.evidence import RewardEvidence, Sample
from leaderboard.services.imports.reported_metrics import compared
from tests.importers.uploads import assert_refused, folder, imported, lines, only_attempt, refusal

DATE = "2026-01-01T00-00-00.000000"
RESULTS, SAMPLES = f"results_{DATE}.json", f"samples_set_{DATE}.jsonl"


def results(*sets: str, **fields: Any) -> bytes:
    """Return results of these task sets, with a mean and another metric."""
    listed = [{"metric": "acc", "aggregation": "mean"}, {"metric": "f1", "aggregation": "f1"}]
    whole = {
        "results": {name: {"acc,none": 0.5, "acc_stderr,none": "N/A"} for name in sets},
        "configs": {name: {"metric_list": listed} for name in sets},
        "n-shot": {},
        "n-samples": {},
        "model_name": "m",
        "date": 1795162158.8,
        **fields,
    }
    return json.dumps(whole).encode()


def row(doc: Any = 0, chosen: str = "none", **rewards: Any) -> dict[str, Any]:
    return {"doc_id": doc, "filter": chosen, "metrics": list(rewards), "resps": [], **rewards}


def test_a_real_run_is_read() -> None:
    contents = imported(folder("lm-eval"))
    (attempt,) = contents.attempts
    assert contents.warnings == []
    assert attempt.participant == "fel3guxn"
    assert attempt.meta["harness"] == "lm-eval 0.4.13"
    assert len(attempt.samples) == 12
    assert attempt.samples[0]["task"] == "mc_larger/0"
    assert attempt.samples[0]["rewards"] == {"mc_larger.acc": 1.0, "mc_larger.acc_norm": 1.0}
    assert attempt.values == {}
    assert attempt.file_metrics["mean:mc_larger.acc_norm"] == 0.5833333333333334
    assert attempt.file_metrics["mc_larger.acc_stderr"] == 0.15075567228888181
    assert set(attempt.specs) == {"mean:mc_larger.acc", "mean:mc_larger.acc_norm"}


def test_results_without_samples_become_reported_values() -> None:
    (name,) = (name for name in folder("lm-eval") if name.startswith("results"))
    contents = imported(folder("lm-eval")[name], name)
    (attempt,) = contents.attempts
    assert attempt.samples == []
    assert attempt.values == {"mc_larger.acc": 0.5, "mc_larger.acc_norm": 0.5833333333333334}
    assert attempt.specs == {}
    assert [warning.partition(";")[0] for warning in contents.warnings] == [
        f"{name}: no samples were logged"
    ]


def test_a_value_of_zero_is_kept() -> None:
    upload = results("set", results={"set": {"acc,none": 0.0, "alias": "set", "sample_len": 3}})
    assert only_attempt(upload).values == {"set.acc": 0.0}


def test_samples_without_results_are_refused() -> None:
    with pytest.raises(ImportFailed, match=r"results_.*; got logged samples alone"):
        imported(lines(row(acc=1.0), row(1, acc=0.0)))


def test_each_filter_is_a_separate_reward() -> None:
    logged = lines(row(acc=1.0), row(0, "strict", acc=0.0), row(1, acc=True))
    attempt = only_attempt({RESULTS: results("set"), SAMPLES: logged})
    assert [sample["rewards"] for sample in attempt.samples] == [
        {"set.acc": 1.0, "set.acc.strict": 0.0},
        {"set.acc": 1.0},
    ]


def test_only_means_are_compared() -> None:
    stated = {"set": {"acc,none": 0.5, "f1,none": 0.4}}
    logged = lines(row(acc=1.0, f1=1.0), row(1, acc=0.0, f1=0.0))
    upload = {RESULTS: results("set", results=stated), SAMPLES: logged}
    attempt = only_attempt(upload)
    assert attempt.file_metrics == {"mean:set.acc": 0.5, "set.f1": 0.4}
    assert set(attempt.specs) == {"mean:set.acc"}
    assert [sample["rewards"] for sample in attempt.samples] == [{"set.acc": 1.0}, {"set.acc": 0.0}]
    assert attempt.values == {"set.f1": 0.4}


def test_a_perplexity_is_the_stated_one_and_better_when_it_is_low() -> None:
    """A document of lambada has its log-likelihood under the name of the perplexity."""
    listed = [
        {"metric": "perplexity", "aggregation": "perplexity", "higher_is_better": False},
        {"metric": "acc", "higher_is_better": True},
        {"metric": "custom"},
    ]
    stated = {"sea": {"perplexity,none": 7.39, "acc,none": 0.5, "custom,none": 3.0}}
    upload = {
        RESULTS: results("sea", results=stated, configs={"sea": {"metric_list": listed}}),
        SAMPLES.replace("_set_", "_sea_"): lines(
            row(perplexity=-1.5, acc=1.0, custom=1.0),
            row(1, perplexity=-2.5, acc=0.0, custom=float("nan")),
        ),
    }
    contents = imported(upload)
    (attempt,) = contents.attempts
    assert [sample["rewards"] for sample in attempt.samples] == [{"sea.acc": 1.0}, {"sea.acc": 0.0}]
    assert attempt.values == {"sea.perplexity": 7.39, "sea.custom": 3.0}
    directions = {column["key"]: column["direction"] for column in contents.suggested["columns"]}
    assert directions == {"sea.perplexity": "asc", "sea.custom": "desc"}
    upload[SAMPLES.replace("_set_", "_sea_")] = lines(row(perplexity=-1.5), row(1, perplexity=-2.5))
    assert "mean over the logged samples" in imported(upload).warnings[0]


def test_the_file_says_which_end_is_better() -> None:
    upload = results(
        "set", results={"set": {"gain,none": 0.3}}, higher_is_better={"set": {"gain": False}}
    )
    assert imported(upload).suggested["rank_by"] == [{"key": "set.gain", "direction": "asc"}]


def test_a_group_that_sums_up_nothing_is_valid() -> None:
    stated = {"bench": {"alias": "bench", " ": " "}, "set": {"acc,none": 0.75, " ": " "}}
    assert only_attempt(results("set", results=stated)).values == {"set.acc": 0.75}


def test_a_list_is_an_undefined_reward_and_no_value_a_failure() -> None:
    logged = lines(row(acc=[-0.79, 2]), row(1, acc=1.0), row(2, acc=None), row(3))
    attempt = only_attempt({RESULTS: results("set"), SAMPLES: logged})
    rewards = [sample["rewards"] for sample in attempt.samples]
    assert rewards == [{}, {"set.acc": 1.0}, None, None]
    assert [sample["error"] for sample in attempt.samples] == ["", "", "not scored", "not scored"]


def test_a_group_and_perplexities_of_a_real_run_are_read() -> None:
    attempt = only_attempt(folder("lm-eval-group"))
    by_task = {sample["task"]: sample["rewards"] for sample in attempt.samples}
    assert by_task["toy_both/0"] == {"toy_both.acc": 0.0}
    assert not any(task.startswith("toy_prose") for task in by_task)
    assert attempt.values == {
        "toy_both.f1": 0.0,
        "toy_prose.word_perplexity": 1.0553497705663055,
        "toy_prose.byte_perplexity": 1.0146665811434261,
        "toy.acc": 0.5,
    }
    ours = {value.name: value for value in compared(attempt)}
    assert ours["mean:toy_choice.acc"] == ("mean:toy_choice.acc", 0.5, 0.5, False)
    assert ours["mean:toy_both.acc"].differs is False


def test_documents_without_a_single_number_do_not_count_as_failed() -> None:
    """Two documents of a perplexity once made 0.1667 of an accuracy of 0.25 over four others."""
    other = f"samples_prose_{DATE}.jsonl"
    stated = {"set": {"acc,none": 0.25}, "prose": {"word_perplexity,none": 2.5}}
    uploaded = {
        RESULTS: results("set", "prose", results=stated),
        SAMPLES: lines(*(row(at, acc=float(at == 0)) for at in range(4))),
        other: lines(*(row(at, word_perplexity=[-0.79, 2]) for at in range(2))),
    }
    attempt = only_attempt(uploaded)
    samples = [Sample(sample["task"], 0, sample["rewards"]) for sample in attempt.samples]
    metric_input = RewardEvidence(samples).metric_input("set.acc")
    assert sorted(metric_input.task_rewards) == [[0.0], [0.0], [0.0], [1.0]]
    assert metric_input.failed == 0
    assert attempt.values == {"prose.word_perplexity": 2.5}


def test_samples_of_another_date_or_folder_do_not_count() -> None:
    logged = lines(row(acc=1.0))
    upload = {
        RESULTS: results("set"),
        SAMPLES.replace("2026", "2025"): logged,
        f"other/{SAMPLES}": logged,
        SAMPLES.replace("_set_", "_unknown_"): logged,
    }
    assert only_attempt(upload).samples == []


def test_missing_documents_are_reported() -> None:
    upload = {
        RESULTS: results("set", **{"n-samples": {"set": {"effective": 3}}}),
        SAMPLES: lines(row(acc=1.0)),
    }
    assert "set: 1 of 3 documents" in imported(upload).warnings[0]


def test_each_file_of_results_becomes_an_attempt() -> None:
    upload = {f"{name}/{RESULTS}": results("set", model_name=name) for name in ("a", "b")}
    assert [attempt.participant for attempt in imported(upload).attempts] == ["a", "b"]


def test_errors_name_a_wrong_row() -> None:
    cases: list[tuple[list[Any], str]] = [
        ([row(acc=1.0), row(acc=1.0)], "line 2: document 0 once"),
        ([row("x", acc=1.0)], "line 1, doc_id: a number"),
        ([row(None, acc=1.0)], "line 1, doc_id: a whole number"),
        ([row(acc=float("inf"))], "line 1, acc: a finite number"),
        ([{**row(), "metrics": "acc"}], "line 1, metrics: a list"),
        ([[]], "line 1: an object"),
    ]
    for logged, message in cases:
        assert_refused({RESULTS: results("set"), SAMPLES: lines(*logged)}, f"{SAMPLES}, {message}")


def test_results_without_a_model_need_a_participant() -> None:
    upload = results("set", model_name=None)
    assert "the name in the file is refused" in refusal(upload)
    assert only_attempt(upload, participant="atlas").participant == "atlas"
