"""The columns of a table: guessed or given uses, and tables in long form."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from leaderboard.importers import ImportFailed
from leaderboard.importers.reading.imports import ColumnMap
from leaderboard.importers.reading.samples import reward_names
from tests.importers.tables import EXAMPLES, TABLE, mapped, read_as, text
from tests.importers.uploads import imported, refusal


def test_the_guessed_mapping_is_reported_for_each_column() -> None:
    uses = {use.column: use for use in mapped(TABLE, "Team=note").map}
    assert {label: use.use for label, use in uses.items()} == {
        "Model": "participant",
        "Team": "note",
        "Acc (%)": "value:Acc",
        "Votes": "value:Votes",
        "Day": "submitted_at",
    }
    assert [label for label, use in uses.items() if not use.guessed] == ["Team"]
    assert uses["Acc (%)"].examples == ("71.2%", "3%")
    assert uses["Votes"].note == "1,234 is read as 1234"


def test_another_column_may_be_the_participant() -> None:
    contents = mapped(TABLE, "team=participant", "Model=meta", "Votes=ignore", "Acc (%)=value:acc")
    assert read_as(contents) == {"x": {"acc": 71.2}, "y": {"acc": 3}}
    assert contents.attempts[0].meta == {"Model": "a"}
    assert contents.attempts[0].submitted_at == datetime(2025, 1, 5, tzinfo=UTC)


def test_a_column_may_be_a_task() -> None:
    contents = mapped(TABLE, "Acc (%)=reward", "Votes=reward:votes")
    assert contents.attempts[0].samples == [
        {"task": "Acc (%)", "sample": 0, "rewards": {"reward": 71.2}, "usage": {}, "error": ""},
        {"task": "Votes", "sample": 0, "rewards": {"votes": 1234.0}, "usage": {}, "error": ""},
    ]


def test_labels_of_columns_are_kept_for_the_board() -> None:
    contents = imported(EXAMPLES["a paper's table"][0])
    assert contents.suggested["columns"][1:] == [
        {"key": "MMLU_5-shot", "label": "MMLU (5-shot)", "direction": "desc"},
        {"key": "ARC-C", "label": "ARC-C", "direction": "desc"},
        {"key": "WER", "label": "WER", "direction": "asc"},
    ]


def test_errors_name_a_wrong_mapping() -> None:
    cases: list[tuple[str, str]] = [
        ("Modle=participant", "the columns 'Model', 'Team', "),
        ("Model", "COLUMN=USE; got 'Model'"),
        ("Model=who", "one of participant, value[:NAME]"),
        ("Votes=value:a b", "a b': the key of a value must have 1 to 80"),
        ("Votes=task:x", "'Votes=task:x': the use must be one of"),
        ("Votes=reward:", "'Votes=reward:': the name must have 1 to"),
        ("Team=value", "value:Team; got 'Team'"),
        ("Votes=sample", "task beside sample"),
        ("Team=task", "rewards in a table of samples"),
    ]
    for entry, message in cases:
        columns = ColumnMap((entry, "Acc (%)=value:acc"))
        assert message in refusal(TABLE, "a.csv", columns=columns)


def test_the_same_use_of_two_columns_is_refused() -> None:
    with pytest.raises(ImportFailed, match=r"value:a; got 'Acc \(%\)' and 'Votes'"):
        mapped(TABLE, "Votes=value:a", "Acc (%)=value:a")
    with pytest.raises(ImportFailed, match="got 'Votes' twice"):
        mapped(TABLE, "Votes=value:a", "votes=value:b")


def test_only_tables_are_mapped() -> None:
    assert "map: must be absent" in refusal(
        b"a,b\n", format="podium-jsonl", columns=ColumnMap(("a=value",))
    )


def test_a_table_of_one_participant_needs_no_column_for_it() -> None:
    contents = mapped(text("acc,f1", "0.5,0.25"), participant="atlas")
    assert read_as(contents) == {"atlas": {"acc": 0.5, "f1": 0.25}}


def test_the_error_for_a_missing_participant_names_the_columns() -> None:
    assert "COLUMN=participant" in refusal(text("acc,f1", "0.5,0.25", "0.1,0.2"), format="table")


def test_a_table_in_long_form_has_samples() -> None:
    rows = "model,question,correct,seconds", "a,q1,True,1.5", "a,q2,False,2", "b,q1,1,", "b,q1,,"
    a, b = imported(text(*rows)).attempts
    assert [(sample["task"], sample["sample"], sample["rewards"]) for sample in a.samples] == [
        ("q1", 0, {"correct": 1.0, "seconds": 1.5}),
        ("q2", 0, {"correct": 0.0, "seconds": 2.0}),
    ]
    assert [sample["rewards"] for sample in b.samples] == [{"correct": 1.0}, None]
    assert reward_names(a.samples) == ["correct", "seconds"]


def test_a_table_in_long_form_may_have_other_columns() -> None:
    rows = (
        "model,task,trial,reward,tokens_total,error,version",
        "a,t1,0,1,10,,v1",
        "a,t1,1,null,20,died,v1",
        "b,t1,0,0,5,,v2",
        "b,t2,0,0,5,,v3",
    )
    a, b = imported(text(*rows), format="table").attempts
    assert a.samples[1] == {
        "task": "t1",
        "sample": 1,
        "rewards": {"reward": None},
        "usage": {"tokens_total": 20},
        "error": "died",
    }
    assert a.metrics == {"tokens_total": 30}
    assert (a.meta, b.meta) == ({"version": "v1"}, {})


def test_a_repeated_sample_is_refused() -> None:
    with pytest.raises(ImportFailed, match=r"line 3, task: .* twice"):
        imported(text("model,task,sample,r", "a,t,0,1", "a,t,0,1"), format="table")


def test_names_of_computed_values_are_changed() -> None:
    computed = {"acc"}.__contains__
    contents = imported(text("model,acc", "a,1"), columns=ColumnMap((), computed))
    assert read_as(contents) == {"a": {"reported_acc": 1.0}}
    (warning,) = contents.warnings
    assert warning.startswith("acc ")
    assert warning.endswith(" reported_acc")


def test_task_columns_may_have_one_reward_name() -> None:
    columns = ColumnMap(("NQ=reward:dps", "STS=reward:dps"), lambda _: False)
    contents = imported(text("model,NQ,STS", "a,1,2"), columns=columns)
    assert [(sample["task"], sample["rewards"]) for sample in contents.attempts[0].samples] == [
        ("NQ", {"dps": 1.0}),
        ("STS", {"dps": 2.0}),
    ]
    assert "one column as reward:dps" in refusal(
        text("model,task,NQ,STS", "a,t,1,2", "a,u,1,2"), columns=columns
    )
