"""Ragas. The fixtures are one evaluation by ragas 0.4.3 in five forms.

Its `faithfulness` is a metric of the same name that needs no model and raises for one row.
"""

import json

import pytest

from leaderboard.importers import ImportedAttempt, ImportFailed
from tests.importers.arithmetic import value_of
from tests.importers.uploads import (
    FIXTURES,
    assert_refused,
    imported,
    lines,
    only_attempt,
    refusal,
    rewards_of,
)

MEANS: dict[str, float] = json.loads((FIXTURES / "ragas-means.json").read_text())
FORMS = ("ragas.csv", "ragas.jsonl", "ragas-columns.json", "ragas-scores.json")
HEADER = "user_input,response,faithfulness\n"


def atlas_attempt(upload: bytes) -> ImportedAttempt:
    return only_attempt(upload, participant="atlas")


def test_every_form_gives_the_tools_own_means() -> None:
    for name in FORMS:
        contents = imported(FIXTURES / name, participant="atlas")
        (attempt,) = contents.attempts
        specs = {metric["reward"]: metric for metric in contents.suggested["metrics"]}
        # pandas writes ten decimals into JSON
        values = {reward: value_of(attempt, spec) for reward, spec in specs.items()}
        assert values == pytest.approx(MEANS, abs=1e-10), name
        assert list(specs) == list(MEANS), name
        assert [sample["task"] for sample in attempt.samples] == ["0", "1", "2"], name
        assert rewards_of(attempt.samples[2])["faithfulness"] is None, name
        assert contents.warnings == [], name


def test_means_without_rows_become_reported_values() -> None:
    contents = imported(FIXTURES / "ragas-means.json", participant="atlas")
    assert contents.attempts[0].values == MEANS
    assert contents.suggested["rank_by"] == [{"key": "faithfulness", "direction": "desc"}]


def test_the_columns_of_ragas_0_1_are_read() -> None:
    text = "question,answer,contexts,ground_truth,faithfulness\nq,a,['c'],t,0.5\n"
    assert atlas_attempt(text.encode()).samples[0]["rewards"] == {"faithfulness": 0.5}


def test_an_index_and_other_columns_do_not_matter() -> None:
    text = ',user_input,response,verdict,mine,x\n0,q,a,True,"n/a",\n1,q,a,False,0.5,\n'
    contents = imported(text.encode(), participant="atlas")
    rewards = [sample["rewards"] for sample in contents.attempts[0].samples]
    assert rewards == [{"verdict": 1.0, "mine": None}, {"verdict": 0.0, "mine": 0.5}]


def test_ids_are_no_rewards() -> None:
    text = "id,user_input,response,faithfulness\n7,q,a,0.5\n"
    assert atlas_attempt(text.encode()).samples[0]["rewards"] == {"faithfulness": 0.5}
    assert "got none" in refusal(b"id,user_input,reference\n7,q,a\n")


def test_a_table_that_excel_saved_is_read() -> None:
    text = "\ufeff" + HEADER.replace("\n", "\r\n") + "q,a,0.5\r\n"
    assert atlas_attempt(text.encode()).samples[0]["rewards"] == {"faithfulness": 0.5}


def test_a_column_with_a_text_is_skipped_and_the_text_not_shown() -> None:
    text = f"{HEADER.strip()},tone\nq,a,1,0.5\nq,a,1,secret\n"
    contents = imported(text.encode(), participant="atlas")
    assert [warning.split()[:3] for warning in contents.warnings] == [["the", "column", "tone"]]
    assert contents.attempts[0].samples[0]["rewards"] == {"faithfulness": 1.0}


def test_a_row_without_any_number_has_failed() -> None:
    failed = atlas_attempt(f"{HEADER}q,a,1\nq,a,nan\n".encode()).samples[1]
    assert failed["rewards"] is None
    assert failed["error"] == "not scored"


def test_cells_may_span_lines_and_rows_may_differ() -> None:
    assert len(atlas_attempt(f'{HEADER}"a\n\nb","c\n",1\n'.encode()).samples) == 1
    rows = lines({"user_input": "q", "response": "a", "m": 1}, {"user_input": "q", "response": "a"})
    assert [sample["rewards"] for sample in atlas_attempt(rows).samples] == [{"m": 1.0}, None]


def test_equal_scores_of_two_participants_are_two_attempts() -> None:
    upload = f"{HEADER}q,a,1\n".encode()
    ids = {only_attempt(upload, participant=name).source_id for name in ("a", "b")}
    assert len(ids) == 2


def test_other_tables_are_not_recognised() -> None:
    for text in (
        "question,answer\nq,a\n",
        "question,answer,stars\nq,a,5\n",
        "user_input,rating\nq,5\n",
        "participant,faithfulness\natlas,0.5\n",
        '[{"question": "q", "answer": "a"}]',
        '{"accuracy": 0.5}',
    ):
        assert_refused(text.encode(), "file: results of Ragas", participant="atlas", format="ragas")


def test_errors_name_a_wrong_file() -> None:
    cases: list[tuple[str, str]] = [
        (f"{HEADER}q,a\n", "line 2: 3 cells"),
        (f'{HEADER}q,a,1\n"q,a,1\n', "line 3: CSV"),
        (f"{HEADER}q,a,\n", "file: a row with a number"),
        (f"{HEADER}", "file: a row with a number"),
        ("user_input,response,m,m\nq,a,1,1\n", "line 1: column 'm' once"),
        ('[{"user_input": "q", "response": "a", "m": 1e999}]', "[0].m: finite"),
        ('{"user_input": "q", "response": "a", "m": 1}\n{"m": 1\n', "line 2: JSON"),
    ]
    for text, message in cases:
        assert_refused(text.encode(), message, format="ragas", participant="atlas")


def test_a_new_column_in_every_row_is_refused() -> None:
    rows = ({"user_input": "q", "response": "a", f"m{at}": 1} for at in range(300))
    with pytest.raises(ImportFailed, match=r"line 201, m200: .* 200 columns"):
        imported(lines(*rows), participant="atlas")
