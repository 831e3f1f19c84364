"""Files with outputs of models become attempts, with a preview before."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from leaderboard.importers import Source
from leaderboard.models import Attempt, Challenge, InstanceBlock, Tenant, User
from leaderboard.schemas.documents import parse_document
from leaderboard.services.challenges.references import store_references, stored_instances
from leaderboard.services.imports.importing import import_file
from leaderboard.services.imports.previews import ImportResult
from tests.importers.uploads import folder, lines
from tests.services.evaluation.text import instances, shared_task, translation
from tests.services.refusals import check_refusals, refusal

Bring = Callable[..., ImportResult]


@pytest.fixture
def bring(alice: User) -> Bring:
    def imported_file(challenge: Challenge, content: Any, **options: Any) -> ImportResult:
        upload = content if isinstance(content, bytes) else json.dumps(content).encode()
        options = {"participant": "atlas", **options}
        with Source.open(upload, "results") as source:
            return import_file(challenge=challenge, user=alice, source=source, **options)

    return imported_file


@pytest.fixture
def task(tenant: Tenant, alice: User) -> Challenge:
    return shared_task(tenant, alice, max_outputs=2)


def test_a_document_becomes_an_attempt(tenant: Tenant, alice: User, bring: Bring) -> None:
    (content,) = folder("harpia.json").values()
    imported = bring(translation(tenant, alice), content, participant="")
    (row,) = imported.rows
    attempt = Attempt.objects.get()
    assert imported.attempts == [attempt.pk]
    assert (imported.format, row.participant, row.instances) == ("harpia", "atlas-2", 3)
    assert row.recognised.text == "3 instances, 1 without an output (3)"
    assert attempt.participant.handle == "atlas-2"
    assert attempt.instance_count == 3
    assert imported.suggested == {
        "text_metrics": attempt.evaluation.metrics,
        "scoring_strategy": "metric",
        "rank_by": [{"key": "BLEU_NLTK", "direction": "desc"}],
    }


def test_files_of_outputs_become_attempts(task: Challenge, bring: Bring) -> None:
    names = ("outputs.json", "outputs-list.json", "outputs.jsonl", "outputs.csv")
    for number, name in enumerate(names):
        (content,) = folder(name).values()
        asked = {"participant": f"atlas {number}"}
        (row,) = bring(task, content, **asked).rows
        assert row.recognised.text == "2 outputs for 3 instances, 1 missing (3)", name
        block = InstanceBlock.objects.get(evaluation=row.attempt)
        assert [len(line) > 1 for line in block.rows()] == [True, True, False], name
        (again,) = bring(task, content, **asked).rows
        assert again.known, name
        assert again.recognised.text == "2 outputs for 3 instances, 1 missing", name
        assert Attempt.objects.count() == number + 1, name


def test_a_preview_stores_nothing(task: Challenge, bring: Bring) -> None:
    imported = bring(task, {"1": "a", "2": "b", "3": "c"}, dry_run=True)
    assert imported.attempts == []
    assert imported.rows[0].recognised == ("3 outputs for 3 instances", ([], 0))
    assert not Attempt.objects.exists()
    assert not InstanceBlock.objects.exists()


def test_attempts_of_the_api_may_have_outputs(task: Challenge, bring: Bring) -> None:
    rows = [{"participant": name, "outputs": {"1": name}} for name in ("atlas", "borealis")]
    imported = bring(task, lines(*rows), participant="")
    assert {row.recognised.words for row in imported.rows} == {
        "1 output for 3 instances, 2 missing"
    }
    assert [row.participant for row in imported.rows] == ["atlas", "borealis"]


def test_errors_describe_an_almost_valid_file_of_outputs(task: Challenge, bring: Bring) -> None:
    cases: list[tuple[Any, ...]] = [
        (b'{"1": 3, "2": "x"}', "results, 1: ", "text"),
        (b'{"1": NaN}', "results, 1: ", "finite"),
        (b'[{"id": 1, "output": "x"}]', "results, 0.actual-output: ", "required"),
        (
            b'[{"id": 1, "actual-output": "x"}, {"id": 2}]',
            "results, 1.actual-output: ",
            "required",
        ),
        (
            b'[{"id": 1, "actual-output": "x"}, {"id": "1", "actual-output": "y"}]',
            "results, 1.id: ",
        ),
        (b'[["1", "x"]]', "results, 0: ", "object"),
        (b"[]", "results: ", "at least one"),
        (lines({"id": 1, "actual_output": "x"}), "results, line 1, actual_output: ", "known field"),
        (
            lines({"id": 1, "output": "x"}, {"id": 2}),
            "results, line 1, actual-output: ",
            "required",
        ),
        (b'{"id": 1, "actual-output": "x"}\n{"id": 2,}\n', "results, line 2: ", "JSON"),
        *(
            (text, "results, line 1: ", "header")
            for text in (b"id,output\n1,x\n", b"1,x\n2,y\n", b" \n")
        ),
        ("id,actual-output\n1,x\n".encode("utf-16"), "results, line 1: ", "UTF-8"),
    ]
    check_refusals(
        lambda content: bring(task, content),
        [(content, "file", *parts) for content, *parts in cases],
    )


def test_errors_describe_an_almost_valid_document(
    tenant: Tenant, alice: User, bring: Bring
) -> None:
    challenge = translation(tenant, alice)
    rows = instances(**{"1": "a"})
    cases = [
        ({"instances": {"1": "x"}}, "file", "results, instances: ", "1 to 100000"),
        (b"1,x\n2,y\n", "file", "results: ", "known format"),
        (
            {"instances": rows, "metrics": ["METEOR"]},
            "file",
            "evaluation.metrics.0.id: ",
            "F1",
            'got "METEOR"',
        ),
    ]
    check_refusals(lambda content: bring(challenge, content), cases)


def test_a_missing_participant_is_reported_once(task: Challenge, bring: Bring) -> None:
    error = refusal(lambda: bring(task, {"1": "x"}, participant=""))
    assert error.message == f"participant: {error.fields['participant'][0]}"


def test_errors_name_each_unknown_id_with_its_line(task: Challenge, bring: Bring) -> None:
    contents: list[tuple[Any, tuple[str, str]]] = [
        ({"1": "a", "nr-8": "b", "nr-9": "c"}, ("outputs.nr-8", "outputs.nr-9")),
        (b'id,actual-output\n1,"a\nb"\n\nnr-8,x\nnr-9,y\n', ("line 5", "line 6")),
        (
            b'{"id": 1, "actual-output": "a"}\n\n\n\n'
            b'{"id": "nr-8", "actual-output": "x"}\n{"id": "nr-9", "actual-output": "y"}\n',
            ("line 5", "line 6"),
        ),
    ]
    for content, places in contents:
        error = refusal(partial(bring, task, content))
        for text, place, name in zip(error.fields["file"], places, ("nr-8", "nr-9"), strict=True):
            assert text.startswith(f"atlas: {place}: ")
            assert text.endswith(f'got "{name}"')
    assert not Attempt.objects.exists()


def test_a_preview_names_the_first_missing_ids(tenant: Tenant, alice: User, bring: Bring) -> None:
    """Only these are named; an instance without an output counts as missing, too."""
    rows = [{"id": at, "expected-output": "gold"} for at in range(20)]
    challenge = translation(tenant, alice)
    store_references(challenge, user=alice, document=parse_document({"instances": rows}))
    challenge.refresh_from_db()
    outputs = {str(at): None if at == 5 else "a" for at in range(0, 20, 5)}
    recognised = bring(challenge, outputs, dry_run=True).rows[0].recognised
    assert recognised.words == "3 outputs for 20 instances, 17 missing"
    assert recognised.missing == (["1", "2", "3", "4", "5", "6", "7", "8", "9", "11"], 7)
    visible = {
        str(stored_instance["id"])
        for stored_instance in stored_instances(challenge.newest, with_expected=False)
    }
    assert {*recognised.missing.ids} <= visible, "nothing is named that nobody could read anyway"


def test_missing_ids_are_found_in_the_current_references(
    task: Challenge, alice: User, bring: Bring
) -> None:
    bring(task, {"1": "a"})
    rows = [*instances(), {"id": "new", "expected-output": "gold"}]
    store_references(task, user=alice, document=parse_document({"instances": rows}))
    task.refresh_from_db()
    (row,) = bring(task, {"1": "a"}).rows
    assert (row.known, row.recognised.missing.ids) == (True, [])
    (fresh,) = bring(task, {"1": "b"}).rows
    assert fresh.recognised.missing.ids == ["2", "3", "new"]


def test_many_unknown_ids_are_counted(task: Challenge, bring: Bring) -> None:
    error = refusal(lambda: bring(task, {f"nr-{at}": "a" for at in range(500)}))
    *named, last = error.fields["file"]
    assert len(named) == 10
    assert named[0].endswith('got "nr-0"')
    assert last == "and 490 more"


def test_all_wrong_lines_are_reported_together(task: Challenge, bring: Bring) -> None:
    rows = [{"id": 1, "actual-output": 1}, {"id": 2, "actual-output": "a"}, {"id": 2}]
    error = refusal(lambda: bring(task, lines(*rows)))
    assert "line 1, actual-output: " in error.message
    assert error.message.endswith("(and 1 more)")
    assert error.fields["file"][1].startswith("results, line 3, actual-output: ")


def test_errors_do_not_reveal_the_references(task: Challenge, bring: Bring) -> None:
    error = refusal(lambda: bring(task, {"instances": instances(**{"1": "a"})}))
    assert "evaluation.instances.0.expected-output: " in error.message
    assert "hello" not in str(error.fields)
