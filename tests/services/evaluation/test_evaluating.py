"""Attempts with outputs: the results of each kind of metric, and the values of the attempt."""

from __future__ import annotations

import pytest
from django.core.cache import cache
from django.test import override_settings

from leaderboard.models import MetricRun, ResultBlock, Tenant, User
from leaderboard.rules.rewards.evidence import Sample
from leaderboard.schemas.documents import parse_outputs
from leaderboard.services.board.boards import board_at
from leaderboard.services.board.reading.ranking import columns_of, page_after
from leaderboard.services.board.standings.counting import verify_standings
from leaderboard.services.plugins.sandboxes import close_sandboxes
from tests.services.conftest import Bring
from tests.services.evaluation.evaluating import Make, documents, nine, scored
from tests.services.evaluation.text import document, shared_task, translation

pytestmark = pytest.mark.usefixtures("in_house")

FOLDED = {"ignore_case": True}


def test_a_document_is_evaluated_and_ranked(make: Make, bring: Bring) -> None:
    challenge = make("exact_match", "bleu_nltk")
    attempt = bring(challenge, evaluation=document())
    values = scored(attempt).metric_values
    assert set(values) == {"EXACT_MATCH", "BLEU_NLTK", "BLEU_NLTK:corpus_bleu"}
    exact = values["EXACT_MATCH"]
    assert exact["value"] == pytest.approx(2 / 3)
    assert (exact["defined"], exact["total"], exact["failed"]) == (3, 3, 1)
    assert (exact["interval"], exact["interval_reason"]) == (None, "few_tasks")
    assert values["BLEU_NLTK"]["standard_error"] is not None, "it is the mean of the instances'"
    assert values["BLEU_NLTK:corpus_bleu"]["standard_error"] is None
    assert values["BLEU_NLTK:corpus_bleu"]["interval_reason"] == "not_estimated"
    challenge.refresh_from_db()
    (row,) = page_after(board_at(challenge)).rows
    assert (row.rank, row.values["EXACT_MATCH"]) == (1, exact["value"])
    assert row.cells["EXACT_MATCH"]["defined"] == 3
    assert [column.key for column in columns_of(challenge)[:3]] == [
        "EXACT_MATCH",
        "BLEU_NLTK",
        "elapsed_ms",
    ]
    assert verify_standings(challenge) == []


def test_outputs_are_compared_with_the_references(
    tenant: Tenant, alice: User, bring: Bring
) -> None:
    challenge = shared_task(tenant, alice)
    attempt = bring(challenge, outputs=parse_outputs({"3": "the cat sleeps", "1": "hello"}))
    assert scored(attempt).metric_values["EXACT_MATCH"]["value"] == pytest.approx(2 / 3)
    output, log = documents(attempt)
    assert output == [
        {"id": "EXACT_MATCH", "parameters": {}, "score": {"exact_match": pytest.approx(2 / 3)}}
    ]
    assert [line.partition(', "id"')[0] for line in log] == [
        '{"instance_id": "1"',
        '{"instance_id": "2"',
        '{"instance_id": "3"',
    ]


@pytest.mark.usefixtures("small_blocks")
def test_every_kind_of_metric_gives_the_same_value_in_blocks(make: Make, bring: Bring) -> None:
    challenge = make("words", "longest", "twice")
    attempt = bring(challenge, evaluation=nine("words", "longest", "twice"))
    values = scored(attempt).metric_values
    assert {key: value["value"] for key, value in values.items()} == {
        "WORDS": 5.0,
        "LONGEST": 9.0,
        "LONGEST:of": 9.0,
        "TWICE": 9.0,
        "TWICE:least": 1.0,
    }
    assert values["WORDS"]["method"] == "t"
    assert values["LONGEST"]["interval"] is None
    output, log = documents(attempt)
    assert [list(entry["score"]) for entry in output] == [
        ["words"],
        ["words", "of", "how"],
        ["most", "least"],
    ]
    assert len(log) == 18, "a metric without results for instances has no lines"
    assert '{"most": 1.0, "half": 0.5}' in log[9]
    assert "the first of a block" in log[9]
    challenge.refresh_from_db()
    directions = {column.key: column.direction for column in columns_of(challenge)}
    assert directions["LONGEST"] == "asc"
    assert directions["TWICE"] == "desc"
    assert "TWICE:least" not in directions


@pytest.mark.usefixtures("small_blocks")
def test_a_metric_that_hangs_or_fails_does_not_affect_the_others(make: Make, bring: Bring) -> None:
    challenge = make("words", "hangs", "fails", text_timeout_ms=10_000)
    brought = nine("words", "hangs", "fails")
    brought.instances[4] = brought.instances[4]._replace(outputs=("secret",))
    attempt = bring(challenge, evaluation=brought)
    values = scored(attempt).metric_values
    assert values["WORDS"]["value"] == pytest.approx(41 / 9)
    assert values["HANGS"]["error"]["code"] == "timeout"
    assert "10 s" in values["HANGS"]["error"]["message"]
    assert values["FAILS"]["error"]["code"] == "exception"
    assert "ValueError" in values["FAILS"]["error"]["message"]
    assert "secret" not in values["FAILS"]["error"]["message"]
    output, log = documents(attempt)
    assert [(entry["score"], "error" in entry) for entry in output[1:]] == [(None, True)] * 2
    assert [line for line in log if '"error"' in line] == log[-2:]
    (row,) = page_after(board_at(challenge)).rows
    assert row.cells["HANGS"]["reason"] == "failed"
    assert not ResultBlock.objects.exclude(run__key="WORDS").exists()


def test_an_attempt_may_have_samples_and_instances(make: Make, bring: Bring) -> None:
    challenge = make("words", metrics=["mean"])
    samples = [Sample("task", 0, {"reward": 0.5})]
    attempt = bring(challenge, evaluation=nine(), samples=samples)
    values = scored(attempt).metric_values
    assert {key: value["value"] for key, value in values.items()} == {"WORDS": 5.0, "mean": 0.5}


def test_a_scorer_sees_the_values(tenant: Tenant, alice: User, bring: Bring) -> None:
    custom = {
        "scoring_strategy": "custom",
        "scoring_entrypoint": "house.scorers:Sums",
        "rank_by": [],
    }
    challenge = translation(tenant, alice, text_metrics=["words", "twice"], **custom)
    assert scored(bring(challenge, evaluation=nine())).value == 5.0 + 9.0 + 1.0


def test_a_metric_of_a_document_never_replaces_one_of_the_challenge(
    make: Make, bring: Bring
) -> None:
    challenge = make("words", "twice")
    own = {"id": "words", "parameters": {"times": 7.0}, "colour": "red"}
    same = {"id": "Words", "parameters": {"times": 1.0}}
    attempt = bring(challenge, evaluation=nine(own, same, {"id": "f1", "enable": False}, "LONGEST"))
    assert {key: value["value"] for key, value in scored(attempt).metric_values.items()} == {
        "WORDS": 5.0,
        "TWICE": 9.0,
        "TWICE:least": 1.0,
    }
    output, _ = documents(attempt)
    assert [(entry["id"], entry["parameters"]) for entry in output] == [
        ("words", {"times": 7.0}),
        ("Words", {"times": 1.0}),
        ("LONGEST", {}),
    ]
    assert output[0]["score"] == {"words": 35.0}
    keys = list(MetricRun.objects.values_list("key", flat=True))
    assert keys == ["WORDS (document)", "WORDS", "LONGEST", "TWICE"]
    challenge.refresh_from_db()
    assert [column.key for column in columns_of(challenge)][:2] == ["WORDS", "TWICE"]


def test_metrics_of_a_document_have_keys_of_their_own(make: Make, bring: Bring) -> None:
    times = [{"id": "words", "parameters": {"times": number}} for number in (2, 3, 2, 4)]
    scored(bring(make("words"), evaluation=nine(*times, "f1", {"id": "F1", "parameters": FOLDED})))
    assert list(MetricRun.objects.values_list("key", flat=True)) == [
        "WORDS (document)",
        "WORDS (document)-2",
        "WORDS (document)-3",
        "F1",
        "F1-2",
        "WORDS",
    ]


def test_a_metric_of_a_document_never_has_the_key_of_a_metric_of_samples(
    make: Make, bring: Bring
) -> None:
    challenge = make("words", metrics=["pass_rate", "pass@1:unbiased"])
    own = [
        {"id": "words", "name": name, "parameters": {"times": times}}
        for times, name in enumerate(("pass_rate", "pass@1", "mean"), start=2)
    ]
    scored(bring(challenge, evaluation=nine(*own)))
    keys = list(MetricRun.objects.values_list("key", flat=True))
    assert keys == ["pass_rate (document)", "pass@1 (document)", "mean", "WORDS"]


def test_the_output_document_has_the_metrics_that_the_document_enables(
    make: Make, bring: Bring
) -> None:
    """The challenge's own metrics are values of the attempt and are not in the document, nor are
    their errors."""
    challenge = make("words", "fails")
    evaluation = nine({"id": "words", "enable": False}, "longest")
    evaluation.instances[4] = evaluation.instances[4]._replace(outputs=("secret",))
    attempt = bring(challenge, evaluation=evaluation)
    values = scored(attempt).metric_values
    assert set(values) == {"WORDS", "FAILS"}
    assert values["FAILS"]["error"]["code"] == "exception"
    output, log = documents(attempt)
    assert [(entry["id"], "error" in entry) for entry in output] == [("longest", False)]
    assert log == []


def test_a_document_that_enables_no_metric_has_an_empty_output(make: Make, bring: Bring) -> None:
    challenge = make("words")
    for evaluation in (nine(), nine({"id": "words", "enable": False})):
        attempt = bring(challenge, evaluation=evaluation)
        assert scored(attempt).metric_values["WORDS"]["value"] == 5.0
        assert documents(attempt) == ([], [])


def test_the_same_metric_with_the_same_parameters_is_computed_once(
    make: Make, bring: Bring, asked: list[int]
) -> None:
    """Each entry of the document has its own entry in the output, under the id that it gives."""
    twice = {"id": "words", "parameters": {"times": 2.0}}
    attempt = bring(make("words"), evaluation=nine(twice, "Words", twice | {"id": "WORDS"}))
    scored(attempt)
    assert len(asked) == 2
    output, log = documents(attempt)
    assert [(entry["id"], entry["score"]["words"]) for entry in output] == [
        ("words", 10.0),
        ("Words", 5.0),
        ("WORDS", 10.0),
    ]
    assert len(log) == 27
    assert log[18] == log[0].replace('"words"', '"WORDS"')


def test_runs_of_older_releases_can_be_read(make: Make, bring: Bring) -> None:
    """Older releases stored a run for each entry of a document, and the challenge's metrics
    last."""
    challenge = make("words", "twice")
    same = {"id": "words", "parameters": {"times": 2.0}}
    attempt = bring(challenge, evaluation=nine(same, same))
    keys = (
        ("WORDS-2", same),
        ("WORDS-3", same),
        ("WORDS", {"id": "WORDS"}),
        ("TWICE", {"id": "TWICE"}),
    )
    for position, (key, entry) in enumerate(keys):
        MetricRun.objects.create(
            evaluation=attempt.evaluation,
            config=attempt.scoring_config,
            position=position,
            key=key,
            given=entry,
        )
    assert set(scored(attempt).metric_values) == {"WORDS", "TWICE", "TWICE:least"}
    output, _ = documents(attempt)
    assert [entry["score"] for entry in output] == [{"words": 10.0}, {"words": 10.0}]


def test_a_challenge_may_leave_all_metrics_to_the_document(make: Make, bring: Bring) -> None:
    challenge = make("f1", text_metrics=[], scoring_strategy="first", rank_by=[])
    attempt = bring(challenge, evaluation=document("exact_match", "exact_match"))
    assert scored(attempt).metric_values == {}
    output, log = documents(attempt)
    assert [entry["id"] for entry in output] == ["exact_match", "exact_match"]
    assert len(log) == 6


def test_a_removed_metric_is_reported_as_not_installed(make: Make, bring: Bring) -> None:
    challenge = make("exact_match", "words")
    attempt = bring(challenge, evaluation=nine())
    close_sandboxes()
    cache.clear()
    with override_settings(SCORER_PATH=[], SCORER_PACKAGES=["scorers"]):
        values = scored(attempt).metric_values
        close_sandboxes()
    assert values["EXACT_MATCH"]["value"] == 0.0
    assert values["WORDS"]["error"]["code"] == "not_installed"
    (row,) = page_after(board_at(challenge)).rows
    assert row.cells["WORDS"]["reason"] == "not_installed"
