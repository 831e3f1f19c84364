"""Submitted outputs of models: how they are stored, and how errors name their place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection

from leaderboard.models import Attempt, Challenge, InstanceBlock, Tenant, User
from leaderboard.rules.rewards.instances import ROWS_PER_BLOCK, Instance
from leaderboard.schemas.documents import parse_document, parse_outputs
from leaderboard.schemas.errors import MAX_ERRORS
from leaderboard.services.attempts import submit
from leaderboard.services.attempts.submit import NewAttempt, submit_many
from leaderboard.services.challenges.challenges import change_challenge, create_challenge
from leaderboard.services.challenges.references import release_references, store_references
from leaderboard.services.evaluation import submitted_outputs
from tests.helpers.statements import statements
from tests.services.conftest import Bring
from tests.services.evaluation.text import document, instances, shared_task, translation
from tests.services.refusals import check_refusals, refusal


@pytest.fixture
def translated(tenant: Tenant, alice: User) -> Challenge:
    """A challenge without references."""
    return translation(tenant, alice)


@pytest.fixture
def shared(tenant: Tenant, alice: User) -> Challenge:
    """A challenge with references."""
    return shared_task(tenant, alice)


def stored(attempt: Attempt) -> list[list[Instance]]:
    blocks = InstanceBlock.objects.filter(evaluation=attempt.pk).order_by("number")
    return [[Instance.of(row) for row in block.rows()] for block in blocks]


def refused(call: Callable[[], Any]) -> dict[str, list[str]]:
    error = refusal(call)
    assert error.code == "invalid"
    return error.fields


def test_a_document_is_stored_unchanged(translated: Challenge, bring: Bring) -> None:
    brought = document({"id": "f1", "colour": "red"}, model="atlas-2")
    attempt = bring(translated, evaluation=brought)
    attempt.refresh_from_db()
    assert attempt.instance_count == 3
    assert not attempt.evaluation.outputs_only
    assert attempt.evaluation.metrics == [{"id": "f1", "colour": "red"}]
    assert attempt.evaluation.extra == {"model": "atlas-2"}
    assert stored(attempt) == [
        [
            instance._replace(outputs=list(instance.outputs), references=list(instance.references))
            for instance in brought.instances
        ]
    ]


def test_outputs_are_stored_in_the_order_of_the_references(
    tenant: Tenant, alice: User, bring: Bring
) -> None:
    outputs = parse_outputs({"3": None, "2": ["thanks", "thank you"]})
    attempt = bring(shared_task(tenant, alice, max_outputs=2), outputs=outputs)
    attempt.refresh_from_db()
    assert attempt.instance_count == 3
    assert attempt.evaluation.outputs_only
    assert stored(attempt) == [
        [Instance("1"), Instance("2", outputs=["thanks", "thank you"]), Instance("3")]
    ]


def test_outputs_may_be_sent_in_a_document(shared: Challenge, bring: Bring) -> None:
    rows = [{"id": 2, "input": "whatever", "actual-output": "a", "took": 3}]
    brought = parse_document({"instances": rows, "model": "atlas-2"})
    attempt = bring(shared, evaluation=brought)
    attempt.refresh_from_db()
    assert attempt.evaluation.extra == {"model": "atlas-2"}
    assert stored(attempt)[0][1] == Instance("2", "", ["a"], [], {"took": 3})


def test_outputs_have_the_blocks_of_the_references(
    translated: Challenge, alice: User, bring: Bring
) -> None:
    many = ROWS_PER_BLOCK + 10
    rows = [{"id": number, "expected-output": "a"} for number in range(many)]
    store_references(translated, user=alice, document=parse_document({"instances": rows}))
    outputs = parse_outputs({str(number): "b" for number in reversed(range(many))})
    blocks = stored(bring(translated, outputs=outputs))
    assert [len(block) for block in blocks] == [ROWS_PER_BLOCK, 10]
    assert [instance.id for block in blocks for instance in block] == list(range(many))
    assert all(instance.outputs == ["b"] for block in blocks for instance in block)


def test_many_attempts_read_the_references_once(
    shared: Challenge, alice: User, django_assert_max_num_queries: Any
) -> None:

    def news(*keys: str) -> list[NewAttempt]:
        return [NewAttempt(participant="atlas", outputs=parse_outputs({key: "a"})) for key in keys]

    with statements() as of_three:
        batch = submit_many(challenge=shared, user=alice, news=news("1", "9", "3"))
    assert [position for position, _ in batch.rejected] == [1]
    assert [
        stored(Attempt.objects.get(pk=attempt.pk))[0][0].outputs for attempt in batch.accepted
    ] == [
        ["a"],
        (),
    ]
    with django_assert_max_num_queries(len(of_three)):
        submit_many(challenge=shared, user=alice, news=news(*"1313131313"))
    of_the_log = [text for text in of_three if "_event" in text]
    # Read where the event log ends, add all events, say where it ends.
    assert len(of_the_log) == (2 if connection.vendor == "postgresql" else 3)
    assert len(of_three) - len(of_the_log) <= 22


def test_a_wrong_document_rejects_one_line_of_a_batch(translated: Challenge, alice: User) -> None:
    news = [
        NewAttempt(participant="atlas", evaluation=document(*metrics))
        for metrics in ([], ["NONE_SUCH"], ["f1"])
    ]
    batch = submit_many(challenge=translated, user=alice, news=news)
    assert len(batch.accepted) == 2
    ((position, why),) = batch.rejected
    assert (position, list(why.fields)) == (1, ["evaluation.metrics.0.id"])
    assert not submit_many(challenge=translated, user=alice, news=news, atomic=True).accepted


def test_the_number_of_different_metric_checks_is_limited(
    translated: Challenge, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(submit, "MAX_ASKED", 2)
    metrics: list[list[Any]] = [[{"id": "f1", "note": note}] for note in "abcab"]
    news = [
        NewAttempt(participant="a", evaluation=document(*text_metrics))
        for text_metrics in [*metrics, []]
    ]
    batch = submit_many(challenge=translated, user=alice, news=news)
    assert len(batch.accepted) == 5
    ((position, why),) = batch.rejected
    assert (position, list(why.fields)) == (2, ["evaluation.metrics"])


def test_an_evaluation_needs_a_metric(tenant: Tenant, alice: User, bring: Bring) -> None:
    fields = {"name": "Plain", "scoring_strategy": "first"}
    plain = create_challenge(tenant=tenant, user=alice, fields=fields)
    without_a_list = parse_document({"instances": instances()})
    assert list(refused(lambda: bring(plain, evaluation=without_a_list))) == ["evaluation.metrics"]
    for metrics in ([], [{"id": "F1", "enable": False}], ["F1"]):
        assert bring(plain, evaluation=document(*metrics)).instance_count == 3


def test_errors_name_the_wrong_metrics_of_a_document(translated: Challenge, bring: Bring) -> None:
    def bleu(parameters: Any) -> dict[str, Any]:
        return {"id": "bleu_nltk", "parameters": parameters}

    cases: list[tuple[Any, ...]] = [
        (["f1", "none_such"], "evaluation.metrics.1.id", 'got "none_such"'),
        ([{"id": "f1", "enable": 1}], "evaluation.metrics.0.enable", "got 1"),
        ([7], "evaluation.metrics.0", "got 7"),
        (["f1", bleu({"weights": "equal"})], "evaluation.metrics.1.parameters.weights"),
        ([bleu({"wheight": [1]})], "evaluation.metrics.0.parameters.wheight", "weights"),
    ]
    check_refusals(lambda metrics: bring(translated, evaluation=document(*metrics)), cases)
    assert not Attempt.objects.exists()


def test_disabled_metrics_of_a_document_are_not_checked(
    translated: Challenge, bring: Bring
) -> None:
    off = {"id": "NONE_SUCH", "enable": False, "parameters": {"what": "ever"}}
    assert bring(translated, evaluation=document(off)).instance_count == 3


def test_outputs_need_references(translated: Challenge, bring: Bring) -> None:
    wrong = refused(lambda: bring(translated, outputs=parse_outputs({"1": "a"})))
    assert "holds no expected outputs" in wrong["outputs"][0]


def test_outputs_and_a_document_together_are_refused(shared: Challenge, bring: Bring) -> None:
    evidence = {"evaluation": document(), "outputs": parse_outputs({"1": "a"})}
    assert list(refused(lambda: bring(shared, **evidence))) == ["outputs"]


def test_outputs_are_refused_without_text_metrics(
    shared: Challenge, alice: User, bring: Bring
) -> None:
    fields = {"scoring_strategy": "first", "text_metrics": []}
    change_challenge(shared, user=alice, fields=fields)
    wrong = refused(lambda: bring(shared, outputs=parse_outputs({"1": "a"})))
    assert "has no text metrics" in wrong["outputs"][0]


def test_an_evaluation_must_not_have_references_of_its_own(shared: Challenge, bring: Bring) -> None:
    assert list(refused(lambda: bring(shared, evaluation=document("f1")))) == ["evaluation.metrics"]
    wrong = refused(lambda: bring(shared, evaluation=document()))
    assert list(wrong) == [f"evaluation.instances.{at}.expected-output" for at in range(3)]
    assert "hello" not in str(wrong)


def test_errors_name_the_unknown_ids(shared: Challenge, bring: Bring) -> None:
    outputs = parse_outputs({"1": "a", "nr-9": "b", "x" * 200: "c"})
    wrong = refused(lambda: bring(shared, outputs=outputs))
    assert list(wrong) == ["outputs.nr-9", "outputs." + "x" * 79 + "…"]
    assert wrong["outputs.nr-9"][0].endswith('got "nr-9"')
    brought = parse_document({"instances": [{"id": 1}, {"id": "nr-9", "actual-output": "b"}]})
    check_refusals(
        lambda evaluation: bring(shared, evaluation=evaluation),
        [(brought, "evaluation.instances.1.id", 'got "nr-9"')],
    )
    many = parse_outputs({str(number): "a" for number in range(100, 200)})
    assert len(refused(lambda: bring(shared, outputs=many))) == MAX_ERRORS


def test_removed_references_are_no_longer_used(
    shared: Challenge, alice: User, bring: Bring
) -> None:
    release_references(shared, user=alice)
    assert bring(shared, evaluation=document()).instance_count == 3
    assert list(refused(lambda: bring(shared, outputs=parse_outputs({"1": "a"})))) == ["outputs"]


def test_the_size_of_other_fields_of_a_document_is_limited(
    translated: Challenge, bring: Bring, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(submitted_outputs, "MAX_EXTRA", 50)
    wrong = refused(lambda: bring(translated, evaluation=document(note="x" * 60)))
    assert list(wrong) == ["evaluation"]
    wrong = refused(lambda: bring(translated, evaluation=document({"id": "f1", "note": "x" * 60})))
    assert list(wrong) == ["evaluation.metrics"]
    assert bring(translated, evaluation=document(note="x")).instance_count == len(instances())


def test_the_size_of_parameters_is_limited(translated: Challenge, bring: Bring) -> None:
    """The metric would accept these parameters, but they are too long."""
    metric = {"id": "sacrebleu", "parameters": {"trg_lang": "x" * submitted_outputs.MAX_PARAMETERS}}
    check_refusals(
        lambda evaluation: bring(translated, evaluation=evaluation),
        [(document("f1", metric), "evaluation.metrics.1.parameters", "at most 16384", "got 16400")],
    )


def test_a_value_of_a_text_metric_cannot_be_reported(translated: Challenge, bring: Bring) -> None:
    for name in ("EXACT_MATCH", "EXACT_MATCH:other", "F1"):
        assert list(refused(lambda: bring(translated, values={name: 1.0}))) == [f"values.{name}"]  # noqa: B023
    assert bring(translated, values={"fluency": 1.0}).values == {"fluency": 1.0}
