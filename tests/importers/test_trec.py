"""TREC runs, against the numbers of trec_eval.

The fixture is a random run and random judgements, with ties, scores that are equal as 32-bit
numbers, negative judgements, a query without any relevant document, one that the run lacks and
one that nobody judged. `trec-expected.json` is what pytrec_eval (its fork pytrec-eval-terrier
0.5.11, which runs trec_eval's own code) gives for the same two files.
"""

import json
from typing import Any

import pytest

from leaderboard.importers.formats.trec import REWARDS
from leaderboard.schemas.metrics import parse_metrics
from tests.importers.uploads import (
    FIXTURES,
    assert_refused,
    imported,
    only_attempt,
    refusal,
    rewards_of,
)

EXPECTED: dict[str, dict[str, float]] = json.loads((FIXTURES / "trec-expected.json").read_text())
THEIRS = dict(zip(REWARDS, ("map", "P_10", "ndcg_cut_10", "recip_rank"), strict=True))
QRELS = b"1 0 a 1\n1 0 b 0\n2 0 a 2\n"
RUN = b"1 Q0 a 1 9.5 bm25\n1 Q0 b 2 9.25 bm25\n2 Q0 c 1 3 bm25\n"


def rewards(run: bytes, qrels: bytes = QRELS) -> list[Any]:
    attempt = only_attempt({"qrels.txt": qrels, "bm25.run": run})
    return [sample["rewards"] for sample in attempt.samples]


def test_every_query_has_the_values_of_trec_eval() -> None:
    attempt = only_attempt(FIXTURES / "trec")
    assert attempt.participant == "bm25"
    assert {sample["task"] for sample in attempt.samples} == set(EXPECTED)
    for sample in attempt.samples:
        for ours, theirs in THEIRS.items():
            assert rewards_of(sample)[ours] == pytest.approx(
                EXPECTED[sample["task"]][theirs], abs=1e-12
            )


def test_the_mean_over_queries_is_suggested_first() -> None:
    contents = imported(FIXTURES / "trec")
    assert parse_metrics(contents.suggested["metrics"])[0].name == "mean:AP"
    assert {task["name"] for task in contents.suggested["tasks"]} == {f"q{at}" for at in range(12)}
    missing, unjudged = contents.warnings
    assert missing.startswith("bm25.run: 1 of 12 judged")
    assert unjudged.startswith("bm25.run: 1 queries")


def test_ranks_in_the_file_are_ignored() -> None:
    turned = b"1 Q0 b 1 9.25 x\n1 Q0 a 2 9.5 x\n"
    assert rewards(turned)[0]["recip_rank"] == 1.0


def test_equal_scores_are_in_descending_order_of_documents() -> None:
    assert rewards(b"1 Q0 a 1 1 x\n1 Q0 b 2 1 x\n")[0]["recip_rank"] == 0.5


def test_scores_beyond_32_bits_are_still_ordered() -> None:
    run = b"1 Q0 b 1 -1e300 x\n1 Q0 a 2 1e300 x\n"
    assert rewards(run)[0]["recip_rank"] == 1.0


def test_each_run_is_an_attempt() -> None:
    files = {"qrels.txt": QRELS, "a.run": RUN, "b.run": RUN.replace(b"bm25", b"dense")}
    assert [attempt.participant for attempt in imported(files).attempts] == ["bm25", "dense"]


def test_a_run_without_qrels_is_refused() -> None:
    assert "got one file" in refusal(RUN, format="trec")
    assert "got 0 of qrels and 2 of runs" in refusal({"a.run": RUN, "b.run": RUN}, format="trec")


def test_a_run_is_never_taken_for_a_table_or_dropped() -> None:
    assert "got one file" in refusal(RUN, "bm25.run")
    assert "got one file" in refusal(b"qid,docid,rel\n1,a,1\n2,b,0\n", "qrels.csv")
    files = {"bm25.run": RUN, "qrels.tsv": b"query\tdoc\tgood\n1\ta\t0.5\n2\tb\t0.7\n"}
    assert "got 0 of qrels and 1 of runs" in refusal(files)
    odd = {"qrels.tsv": b"query-id\tcorpus-id\tscore\n1\ta\t1\n", "a.run": b"1 Q0 a 1 9.5\n"}
    assert "got 1 of qrels and 0 of runs" in refusal(odd)


def test_qrels_may_have_a_header_three_columns_and_comments() -> None:
    expected = rewards(RUN)
    for qrels in (
        b"query-id\tcorpus-id\tscore\n1\ta\t1\n1\tb\t0\n2\ta\t2\n",
        b"1\ta\t1\n1\tb\t0\n2\ta\t2\n",
        b"# judged in spring\n1 0 a 1\n1 0 b 0\n# by two people\n2 0 a 2\n",
        b"query-id,corpus-id,score\n1,a,1.0\n1,b,0.0\n2,a,2.0\n",
        b"qid iter docid rel\n1 0 a 1\n1 0 b 0\n2 0 a 2\n",
    ):
        assert rewards(b"# bm25\n" + RUN, qrels) == expected, qrels


def test_errors_name_a_wrong_run() -> None:
    cases: list[tuple[bytes, str]] = [
        (RUN + b"2 Q0 d\n", "line 4: 6 columns"),
        (RUN + b"2 Q0 d 1 high x\n", 'bm25.run, line 4: a number as its score; got "high"'),
        (RUN + b"2 Q0 d 1 nan x\n", 'bm25.run, line 4: a number as its score; got "nan"'),
        (RUN + b"2 Q0 c 1 1 x\n", "line 4: got c for 2 twice"),
        (RUN + b"1 Q0 c 1 1 x\n", "line 4: got 1 in two places"),
        (RUN + b"\xff Q0 c 1 1 x\n", "line 4: UTF-8"),
        (b"7 Q0 c 1 1 x\n", "bm25.run: a query"),
    ]
    for run, message in cases:
        assert_refused({"qrels.txt": QRELS, "bm25.run": run}, message, format="trec")


def test_errors_name_wrong_qrels() -> None:
    cases: list[tuple[bytes, str]] = [
        (b"1 0 a 1", "got two judgements of a for 1"),
        (b"1 0 z yes", 'end with a whole number; got "yes"'),
        (b"1 0 z " + b"9" * 4000, 'end with a whole number; got "' + "9" * 80 + '"'),
        (b"1 0 z", "4 columns; got 3"),
    ]
    for line, message in cases:
        upload = {"qrels.txt": QRELS + line + b"\n", "bm25.run": RUN}
        assert_refused(upload, f"qrels.txt, line 4: {message}", format="trec")


def test_other_tables_of_numbers_are_not_recognised() -> None:
    files = {"a.txt": b"1 2 3 4\n", "b.txt": b"1 2 3 4\n"}
    assert "known format" in refusal(files)
