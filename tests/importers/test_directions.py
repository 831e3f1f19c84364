"""The better end of a column by its label, and the column that a board is suggested to rank by."""

from __future__ import annotations

import pytest

from leaderboard.importers.reading.directions import direction_of
from tests.importers.tables import text
from tests.importers.uploads import imported

ASC = """
Hallucination Rate|Cost per task|Attack success rate|FID|EER|DER|NLL|Brier|ECE|SMAPE|sMAPE|WIL
Toxicity|LPIPS|Timeouts|Violations|Emissions|Cost (USD)|CO2 emissions (kg)|Brier score
Toxicity score|Error rate|test-clean WER|Rate of hallucinations|Number of errors
Time to first token|avg_latency_ms|eval_loss|WikiText-2 PPL|nRMSE|MAE (eV)|ASR
Jailbreak success rate|False positive rate|FPR@95TPR|FPR95|Mean Rank|Accuracy drop
Score (lower is better)|minFDE|total_cost|Energy (kWh)|Edit distance|Bits per byte|Log loss
Fehlerrate|Kosten (€)|Speech (WER)|Cost per 1M tokens|costPerTask|HallucinationRate|Loss ↓
Accuracy ↓|PER|Negative log-likelihood|hd95|Memory (GB)|failure_rate|Unsafe responses
mean_absolute_error|time_s|Refusals|Over-refusal rate|p95 (ms)|Wall-clock|wall_clock_s|kWh|Wh/query
$ per task|$/task|JER|MedAE|AbsRel|wQL|Neg. log likelihood|Edit dist|Self-BLEU|Equalized odds diff
# turns|API calls|Disk usage|peak_rss|Illegal moves|Unfaithfulness|Repetition rate|Tour length
Fehlerquote|Wortfehlerrate|Verstöße|Toxizität|Perplexität|Rechenzeit (s)|Energieverbrauch|Latenz
Speicher (MB)|Ablehnungen|Zeitüberschreitungen|Standardabweichung|Halluz.-Rate|GPU-Stunden
mittl. Rang|Toxicity (max)|NLPD|KLD|Jitter (ms)|FP|Undetected faults|Time (min)
"""
DESC = """
Win rate|Accuracy|Score|MMLU|Success rate|Pass^1|F1 (error detection)|Toxicity detection F1
Hallucination detection accuracy|Tokens per second|Tokens/s|Cost efficiency|Cost savings
Error reduction|Non-toxicity|Win/loss|Attack detection rate|Robustness to attacks|Loss ↑
Toxicity AUC|1 - WER|Safety|der Beste|Accuracy on false premise|accuracy per dollar|mAP@0.5
Solved per hour|Kids|Score (higher is better)|Overall
Refusal rate (harmful)|Tokens per $|Explained variance|Time to failure|Survival time|Bugs fixed
time horizon (min)|Battery life (h)|Profit ($)|Not toxic|on-time deliveries|cost-aware score
Fehlererkennung|fehlerfrei (%)|Erfolgsquote|Spearman's rho|Memory score
Accuracy (min)|CostBench|Latency-Bench|Zero-error rate|Cost-effectiveness
"""


def labels(lines: str) -> list[str]:
    return [label for line in lines.split("\n") for label in line.split("|") if label]


def test_labels_say_which_end_is_better() -> None:
    assert [label for label in labels(ASC) if direction_of(label) != "asc"] == []
    assert [label for label in labels(DESC) if direction_of(label) != "desc"] == []


RANKED: list[tuple[list[str], str | None]] = [
    (["model,N_Size,Acc,Total Puzzles", "a,1,92,1000", "b,1,91,1000"], "Acc desc"),
    (["team,Entries,RMSE ↓", "a,3,0.5", "b,5,0.4"], "RMSE asc"),
    (["model,Params,Time (s),Acc", "a,7B,1.2,3", "b,8B,1.4,4"], "Acc desc"),
    (["model,Errors,Timeouts,Error rate", "a,3,1,0.1", "b,2,0,0.2"], "Error_rate asc"),
    (["model,Acc,WER ↓", "a,3,1", "b,2,2"], "WER asc"),
    (["model,Year,Votes,Elo,95% CI", "a,2024,10,1200,5", "b,2025,20,1300,6"], "Elo desc"),
    (["model,Std,Mean Acc", "a,0.1,3", "b,0.2,4"], "Mean_Acc desc"),
    (["team,Tasks solved,Total score", "a,3,10", "b,4,11"], "Tasks_solved desc"),
    (["model,rare,acc", "a,1,3", "b,,4", "c,,5"], "acc desc"),
    (["model,Votes", "a,3", "b,4"], None),
    (["model,Support,Folds,k,Tries,F1", "a,3,5,1,2,3", "b,4,7,2,3,4"], "F1 desc"),
    (["model,#Params (B),Acc", "a,7.6,3", "b,70.6,4"], "Acc desc"),
    (["model,Modellgröße (GB),Punkte", "a,7.6,3", "b,70.6,4"], "Punkte desc"),
    (["model,Datum,Verstöße,Acc", "a,20240101,1,3", "b,20240102,2,4"], "Acc desc"),
    (["team,Lfd. Nr.,Abgaben,Kennung,Note", "a,7,3,91,3", "b,9,4,92,4"], "Note desc"),
    (["model,Version,Temperature,Acc", "a,1.5,0.2,3", "b,2,0.7,4"], "Acc desc"),
    (["model,Question answering", "a,61,", "b,70,"], "Question_answering desc"),
    (["model,Task 1,Task 2", "a,61,5", "b,70,6"], "Task_1 desc"),
    (["model,Context recall", "a,61", "b,70"], "Context_recall desc"),
    (["model,#Params (B)", "a,7.6", "b,70.6"], None),
    (["model,Acc", "a,3", "b,3"], None),
    (["model,Acc", "a,3"], "Acc desc"),
]


@pytest.mark.parametrize(("rows", "key"), RANKED)
def test_a_table_ranks_by_a_column_of_results(rows: list[str], key: str | None) -> None:
    suggested = imported(text(*rows), "t.csv").suggested
    ranked = [
        f"{rank_key['key']} {rank_key['direction']}" for rank_key in suggested.get("rank_by", ())
    ]
    assert ranked == ([key] if key else [])
    assert ("scoring_strategy" in suggested) == bool(key)


def test_other_formats_rank_by_a_result_too() -> None:
    for rows, key in (
        (["participant,Entries,WER", "a,3,0.5", "b,4,0.6"], "WER asc"),
        (["participant,params,n,year,loss", "a,3,7,2020,1", "b,4,7,2021,2"], "loss asc"),
        (["participant,task,n_tokens,wer", "a,t,3,1", "b,t,4,2"], "mean_reward:wer asc"),
    ):
        (ranked,) = imported(text(*rows), "t.csv").suggested["rank_by"]
        assert f"{ranked['key']} {ranked['direction']}" == key
    scores = b'{"duration": 12.5, "n_samples": 10, "accuracy": 0.5}'
    ranked = imported(scores, "scores.json", participant="a").suggested["rank_by"][0]
    assert ranked == {"key": "accuracy", "direction": "desc"}
