"""Files with outputs of models become attempts, with a preview before."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from leaderboard.importers import Source
from leaderboard.models import Attempt, Challenge, InstanceBlock, Tenant, User
from leaderboard.schemas.documents import parse_document
from leaderboard.services.challenges.references import store_references, stored_instances
from leaderboard.services.errors import ServiceError
from leaderboard.services.imports.importing import import_file
from leaderboard.services.imports.previews import ImportResult
from tests.importers.uploads import folder, lines
from tests.services.evaluation.text import instances, shared_task, translation

Bring = Callable[..., ImportResult]


@pytest.fixture
def bring(alice: User) -> Bring:
    def imported(challenge: Challenge, content: Any, **options: Any) -> ImportResult:
        upload = content if isinstance(content, bytes) else json.dumps(content).encode()
        given = {"participant": "atlas", **options}
        with Source.open(upload, "results") as source:
            return import_file(challenge=challenge, user=alice, source=source, **given)

    return imported


@pytest.fixture
def task(tenant: Tenant, alice: User) -> Challenge:
    return shared_task(tenant, alice)


def test_a_document_becomes_an_attempt(tenant: Tenant, alice: User, bring: Bring) -> None:
    (content,) = folder("harpia.json").values()
    result = bring(translation(tenant, alice), content, participant="")
    (row,) = result.rows
    attempt = Attempt.objects.get()
    assert result.attempts == [attempt.pk]
    assert (result.format, row.participant, row.instances) == ("harpia", "atlas-2", 3)
    assert row.recognised.text == "3 instances, 1 without an output (3)"
    assert attempt.participant.handle == "atlas-2"
    assert attempt.instance_count == 3
    assert result.suggested == {
        "text_metrics": attempt.evaluation.metrics,
        "scoring_strategy": "metric",
        "rank_by": [{"key": "BLEU_NLTK", "direction": "desc"}],
    }


@pytest.mark.parametrize(
    "name", ["outputs.json", "outputs-list.json", "outputs.jsonl", "outputs.csv"]
)
def test_a_file_of_outputs_becomes_an_attempt(task: Challenge, bring: Bring, name: str) -> None:
    (content,) = folder(name).values()
    result = bring(task, content)
    assert result.rows[0].recognised.text == "2 outputs for 3 instances, 1 missing (3)"
    (block,) = InstanceBlock.objects.all()
    assert [len(row) > 1 for row in block.rows()] == [True, True, False]
    again = bring(task, content)
    assert again.rows[0].known
    assert again.rows[0].recognised.text == "2 outputs for 3 instances, 1 missing"
    assert Attempt.objects.count() == 1


def test_a_preview_stores_nothing(task: Challenge, bring: Bring) -> None:
    result = bring(task, {"1": "a", "2": "b", "3": "c"}, dry_run=True)
    assert result.attempts == []
    assert result.rows[0].recognised == ("3 outputs for 3 instances", ([], 0))
    assert not Attempt.objects.exists()
    assert not InstanceBlock.objects.exists()


def test_attempts_of_the_api_may_have_outputs(task: Challenge, bring: Bring) -> None:
    rows = [{"participant": name, "outputs": {"1": name}} for name in ("atlas", "borealis")]
    result = bring(task, lines(*rows), participant="")
    assert {row.recognised.words for row in result.rows} == {"1 output for 3 instances, 2 missing"}
    assert [row.participant for row in result.rows] == ["atlas", "borealis"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"1": 3, "2": "x"}', "results, 1: must be a text of at most"),
        (b'{"1": NaN}', "results, 1: must be a finite number"),
        (b'[{"id": 1, "output": "x"}]', "results, 0.actual-output: is required"),
        (b'[{"id": 1, "actual-output": "x"}, {"id": 2}]', "results, 1.actual-output: is required"),
        (
            b'[{"id": 1, "actual-output": "x"}, {"id": "1", "actual-output": "y"}]',
            "results, 1.id: ",
        ),
        (b'[["1", "x"]]', "results, 0: must be an object with id, input"),
        (b"[]", "results: must have at least one output"),
        (
            lines({"id": 1, "actual_output": "x"}),
            "results, line 1, actual_output: must be a known field",
        ),
        (lines({"id": 1, "output": "x"}, {"id": 2}), "results, line 1, actual-output: is required"),
        (b'{"id": 1, "actual-output": "x"}\n{"id": 2,}\n', "results, line 2: must be JSON"),
        (b"id,output\n1,x\n", "results, line 1: must begin with a header that has the columns"),
        (b"1,x\n2,y\n", "results, line 1: must begin with a header that has the columns id and"),
        (b" \n", "results, line 1: must begin with a header that has the columns id and"),
        (
            "id,actual-output\n1,x\n".encode("utf-16"),
            "results, line 1: must be UTF-8; got another encoding",
        ),
    ],
)
def test_errors_describe_an_almost_valid_file_of_outputs(
    task: Challenge, bring: Bring, content: bytes, message: str
) -> None:
    with pytest.raises(ServiceError) as caught:
        bring(task, content)
    assert caught.value.fields["file"][0].startswith(message)


def test_errors_describe_an_almost_valid_document(
    tenant: Tenant, alice: User, bring: Bring
) -> None:
    challenge = translation(tenant, alice)
    with pytest.raises(
        ServiceError, match="results, instances: must be a list of 1 to 100000 instances"
    ):
        bring(challenge, {"instances": {"1": "x"}})
    with pytest.raises(ServiceError, match="results: must be of a known format"):
        bring(challenge, b"1,x\n2,y\n")


def test_a_missing_participant_is_reported_once(task: Challenge, bring: Bring) -> None:
    with pytest.raises(ServiceError) as caught:
        bring(task, {"1": "x"}, participant="")
    assert caught.value.message == f"participant: {caught.value.fields['participant'][0]}"
    assert caught.value.fields["participant"][0].startswith("must be given, because")


def test_errors_name_each_unknown_id(task: Challenge, bring: Bring) -> None:
    with pytest.raises(ServiceError) as caught:
        bring(task, {"1": "a", "nr-8": "b", "nr-9": "c"})
    assert caught.value.fields == {
        "file": [
            'atlas: outputs.nr-8: must be an instance of this challenge; got "nr-8"',
            'atlas: outputs.nr-9: must be an instance of this challenge; got "nr-9"',
        ]
    }
    assert not Attempt.objects.exists()


@pytest.mark.parametrize(
    "content",
    [
        b'id,actual-output\n1,"a\nb"\n\nnr-8,x\nnr-9,y\n',
        b'{"id": 1, "actual-output": "a"}\n\n\n\n'
        b'{"id": "nr-8", "actual-output": "x"}\n{"id": "nr-9", "actual-output": "y"}\n',
    ],
)
def test_errors_name_unknown_ids_with_their_lines(
    task: Challenge, bring: Bring, content: bytes
) -> None:
    with pytest.raises(ServiceError) as caught:
        bring(task, content)
    assert caught.value.fields == {
        "file": [
            'atlas: line 5: must be an instance of this challenge; got "nr-8"',
            'atlas: line 6: must be an instance of this challenge; got "nr-9"',
        ]
    }
    with pytest.raises(ServiceError, match='this challenge; got "nr-8"'):
        bring(task, content[: content.rindex(b"\n", 0, -1)])


def test_a_preview_names_the_first_missing_ids(tenant: Tenant, alice: User, bring: Bring) -> None:
    """Only these are named; an instance without an output counts as missing, too."""
    rows = [{"id": at, "expected-output": "gold"} for at in range(20)]
    challenge = translation(tenant, alice)
    store_references(challenge, user=alice, document=parse_document({"instances": rows}))
    challenge.refresh_from_db()
    given = {str(at): None if at == 5 else "a" for at in range(0, 20, 5)}
    found = bring(challenge, given, dry_run=True).rows[0].recognised
    assert found.words == "3 outputs for 20 instances, 17 missing"
    assert found.missing == (["1", "2", "3", "4", "5", "6", "7", "8", "9", "11"], 7)
    visible = {str(each["id"]) for each in stored_instances(challenge.newest, with_expected=False)}
    assert {*found.missing.ids} <= visible, "nothing is named that nobody could read anyway"


def test_missing_ids_are_found_in_the_current_references(
    task: Challenge, alice: User, bring: Bring
) -> None:
    bring(task, {"1": "a"})
    rows = [*instances(), {"id": "new", "expected-output": "gold"}]
    store_references(task, user=alice, document=parse_document({"instances": rows}))
    task.refresh_from_db()
    (known,) = bring(task, {"1": "a"}).rows
    assert (known.known, known.recognised.missing.ids) == (True, [])
    (fresh,) = bring(task, {"1": "b"}).rows
    assert fresh.recognised.missing.ids == ["2", "3", "new"]


def test_many_unknown_ids_are_counted(task: Challenge, bring: Bring) -> None:
    with pytest.raises(ServiceError) as caught:
        bring(task, {f"nr-{at}": "a" for at in range(500)})
    *told, last = caught.value.fields["file"]
    assert len(told) == 10
    assert told[0].endswith('must be an instance of this challenge; got "nr-0"')
    assert last == "and 490 more"


def test_all_wrong_lines_are_reported_together(task: Challenge, bring: Bring) -> None:
    rows = [{"id": 1, "actual-output": 1}, {"id": 2, "actual-output": "a"}, {"id": 2}]
    with pytest.raises(ServiceError, match=r"line 1, actual-output: .* \(and 1 more\)") as caught:
        bring(task, lines(*rows))
    assert caught.value.fields["file"][1].startswith("results, line 3, actual-output: is required")


def test_the_metrics_of_a_document_are_checked(tenant: Tenant, alice: User, bring: Bring) -> None:
    rows = instances(**{"1": "a"})
    challenge = translation(tenant, alice)
    with pytest.raises(
        ServiceError, match=r'evaluation\.metrics\.0\.id: .*F1.*; got "METEOR"'
    ) as caught:
        bring(challenge, {"instances": rows, "metrics": ["METEOR"]})
    assert list(caught.value.fields) == ["file"]


def test_errors_do_not_reveal_the_references(task: Challenge, bring: Bring) -> None:
    rows = instances(**{"1": "a"})
    with pytest.raises(ServiceError) as caught:
        bring(task, {"instances": rows})
    assert "evaluation.instances.0.expected-output: must be absent" in caught.value.message
    assert "hello" not in str(caught.value.fields)
