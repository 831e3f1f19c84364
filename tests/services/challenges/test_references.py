"""The references of a challenge: named by a scoring config, stored once, and removable."""

from __future__ import annotations

from typing import Any

from leaderboard.models import Challenge, ReferenceBlock, References, Tenant, User
from leaderboard.rules.rewards.instances import ROWS_PER_BLOCK
from leaderboard.schemas.documents import parse_document, parse_outputs
from leaderboard.services.attempts.submit import NewAttempt, submit_attempt
from leaderboard.services.challenges.challenges import (
    change_challenge,
    create_challenge,
    delete_challenge,
)
from leaderboard.services.challenges.references import (
    release_references,
    store_references,
    stored_count,
    stored_instances,
)
from tests.services.evaluation.text import document, instances, shared_task, translation
from tests.services.refusals import refusal


def held(rows: list[dict[str, Any]], **more: Any) -> Any:
    return parse_document({"instances": rows, **more})


def test_new_references_make_a_new_config(tenant: Tenant, alice: User) -> None:
    challenge = translation(tenant, alice)
    before = challenge.newest
    stored = store_references(challenge, user=alice, document=held(instances()))
    challenge.refresh_from_db()
    assert (stored.config.number, stored.config.created_by) == (2, alice)
    assert (challenge.newest, challenge.shown) == (stored.config, stored.config)
    assert stored.references.instance_count == stored_count(challenge.newest) == 3
    assert stored.warnings == []
    assert before.references_id is None
    assert stored.config.frozen_fields() == {
        **before.frozen_fields(),
        "references_id": stored.references.pk,
    }


def test_the_board_waits_for_a_rescore(tenant: Tenant, alice: User) -> None:
    challenge = shared_task(tenant, alice)
    new = NewAttempt(participant="atlas", outputs=parse_outputs({"1": "hello"}))
    submit_attempt(challenge=challenge, user=alice, new=new)
    store_references(challenge, user=alice, document=held(instances()[:2]))
    challenge.refresh_from_db()
    assert (challenge.newest.number, challenge.shown.number) == (3, 2)
    assert (stored_count(challenge.newest), stored_count(challenge.shown)) == (2, 3)


def test_the_same_references_change_nothing(tenant: Tenant, alice: User) -> None:
    challenge = shared_task(tenant, alice)
    again = store_references(challenge, user=None, document=held(instances()))
    assert again.config == challenge.newest
    assert References.objects.count() == 1


def test_earlier_references_are_not_stored_again(tenant: Tenant, alice: User) -> None:
    challenge = shared_task(tenant, alice)
    first = challenge.newest.references
    store_references(challenge, user=alice, document=held(instances()[:2]))
    back = store_references(challenge, user=alice, document=held(instances()))
    assert (back.config.number, back.references) == (4, first)
    assert References.objects.count() == 2
    store_references(challenge, user=alice, document=held(instances()[::-1]))
    assert References.objects.count() == 3, "another order makes other references"


def test_references_are_stored_in_blocks_with_their_ids(tenant: Tenant, alice: User) -> None:
    rows = [{"id": number, "expected-output": "a"} for number in range(ROWS_PER_BLOCK + 1)]
    challenge = translation(tenant, alice)
    store_references(challenge, user=alice, document=held(rows))
    blocks = ReferenceBlock.objects.order_by("number")
    assert [(block.number, block.count) for block in blocks] == [(0, ROWS_PER_BLOCK), (1, 1)]
    challenge.refresh_from_db()
    stored_rows = stored_instances(challenge.newest, with_expected=False)
    assert [instance["id"] for instance in stored_rows] == list(range(ROWS_PER_BLOCK + 1))


def test_outputs_are_not_stored_with_references(tenant: Tenant, alice: User) -> None:
    challenge = translation(tenant, alice)
    rows = [*instances(**{"1": "hello"}), {"id": 4, "input": "?"}]
    stored = store_references(
        challenge, user=alice, document=held(rows, metrics=["F1"], author="alice")
    )
    words = ("text_metrics", "author", "actual-output", "expected-output (4)")
    for warning, word in zip(stored.warnings, words, strict=True):
        assert word in warning
    assert stored.references.instance_count == 4
    assert "actual-output" not in str(list(stored_instances(stored.config, with_expected=True)))
    same = store_references(challenge, user=alice, document=held([*instances(), rows[-1]]))
    assert same.references == stored.references


def test_only_ids_and_inputs_are_public(tenant: Tenant, alice: User) -> None:
    rows = [{"id": 1, "input": "Bom dia", "expected-output": "good morning", "gold": "secret"}]
    challenge = translation(tenant, alice)
    config = store_references(challenge, user=alice, document=held(rows)).config
    assert list(stored_instances(config, with_expected=False)) == [{"id": 1, "input": "Bom dia"}]
    assert list(stored_instances(config, with_expected=True)) == [
        {"id": 1, "input": "Bom dia", "expected-output": ["good morning"], "gold": "secret"}
    ]


def test_a_new_config_removes_the_references(tenant: Tenant, alice: User) -> None:
    challenge = shared_task(tenant, alice)
    config = release_references(challenge, user=alice)
    assert (config.number, config.references_id, stored_count(config)) == (3, None, None)
    assert list(stored_instances(config, with_expected=True)) == []
    error = refusal(lambda: release_references(challenge, user=alice))
    assert error.code == "not_found"


def test_other_changes_keep_the_references(tenant: Tenant, alice: User) -> None:
    challenge = shared_task(tenant, alice)
    change_challenge(challenge, user=alice, fields={"text_timeout_ms": 1000})
    assert stored_count(challenge.newest) == 3


def test_references_and_another_change_make_one_config(tenant: Tenant, alice: User) -> None:
    challenge = shared_task(tenant, alice)
    fields = {"text_metrics": ["exact_match", "f1"], "summary": "Said anew"}
    changed = change_challenge(challenge, user=alice, fields=fields, hold=held(instances()[:2]))
    config = changed.newest
    assert (config.number, stored_count(config), config.created_by) == (3, 2, alice)
    assert (config.text_metrics, changed.summary) == (["EXACT_MATCH", "F1"], "Said anew")
    again = change_challenge(changed, user=alice, fields=fields, hold=held(instances()[:2]))
    assert again.newest.number == 3


def test_references_are_removed_with_another_change_in_one_config(
    tenant: Tenant, alice: User
) -> None:
    challenge = shared_task(tenant, alice)
    fields = {"text_timeout_ms": 1000}
    changed = change_challenge(challenge, user=alice, fields=fields, release=True)
    assert (changed.newest.number, changed.newest.references_id) == (3, None)
    assert changed.newest.text_timeout_ms == 1000
    anew = {"summary": "Anew"}
    error = refusal(lambda: change_challenge(changed, user=alice, fields=anew, release=True))
    assert error.code == "not_found"
    changed.refresh_from_db()
    assert changed.summary == "", "all of it or nothing"


def test_a_new_challenge_with_references_has_one_config(tenant: Tenant, alice: User) -> None:
    fields = {
        "name": "Summaries",
        "scoring_strategy": "metric",
        "text_metrics": ["f1"],
        "rank_by": [{"key": "F1"}],
    }
    challenge = create_challenge(tenant=tenant, user=alice, fields=fields, hold=held(instances()))
    assert challenge.newest == challenge.shown
    assert (challenge.newest.number, stored_count(challenge.newest)) == (1, 3)


def test_every_document_of_references_belongs_to_a_config(tenant: Tenant, alice: User) -> None:
    """Configs are never deleted, so every stored document stays in use."""
    challenge = shared_task(tenant, alice)
    store_references(challenge, user=alice, document=held(instances()[:2]))
    release_references(challenge, user=alice)
    challenge.refresh_from_db()
    change_challenge(challenge, user=alice, fields={}, hold=held(instances()[1:]))
    wrong, third = {"slug": "?"}, held(instances()[2:])
    refusal(lambda: change_challenge(challenge, user=alice, fields=wrong, hold=third))
    assert References.objects.count() == 3
    assert not References.objects.filter(configs=None).exists()


def test_references_are_deleted_with_their_challenge(tenant: Tenant, alice: User) -> None:
    delete_challenge(shared_task(tenant, alice))
    assert not Challenge.objects.exists()
    assert not References.objects.exists()
    assert not ReferenceBlock.objects.exists()


def test_an_evaluation_stores_no_references_of_the_challenge(tenant: Tenant, alice: User) -> None:
    """An evaluation has its own references; those of the challenge do not change."""
    challenge = translation(tenant, alice)
    new = NewAttempt(participant="atlas", evaluation=document())
    attempt, _ = submit_attempt(challenge=challenge, user=alice, new=new)
    assert attempt.instance_count == 3
    assert not References.objects.exists()
