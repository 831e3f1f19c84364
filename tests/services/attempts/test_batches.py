"""Batches of attempts: they are saved in groups, each in a transaction, whatever fails in
between."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

import pytest
from django.db import IntegrityError, OperationalError

from leaderboard.models import Attempt, Challenge, Evidence, Participant, User
from leaderboard.models.bulk import insert_missing
from leaderboard.services.attempts import batches, drafts
from leaderboard.services.attempts.drafts import save_drafts
from leaderboard.services.attempts.new_attempts import BulkResult, NewAttempt, UseKey
from leaderboard.services.attempts.submit import submit_many
from leaderboard.services.challenges.challenges import change_challenge
from leaderboard.services.competition.participants import participant_batch
from tests.people import participant_named
from tests.services.refusals import refusal

FACTS = {"succeeded": True, "elapsed_ms": 5}


def named(*names: str, **fields: Any) -> list[NewAttempt]:
    return [NewAttempt(participant=name, metrics=FACTS, **fields) for name in names]


def handles() -> list[str]:
    return sorted(Attempt.objects.values_list("participant__handle", flat=True))


@pytest.fixture
def groups_of_two(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drafts, "MAX_LINES", 2)


class InBetween:
    """Run something before the second group is saved."""

    def __init__(self, work: Any) -> None:
        self.work = work
        self.groups: list[int] = []

    def __call__(self, drafting: Any, some: Sequence[Any]) -> None:
        self.groups.append(len(some))
        if len(self.groups) == 2:
            self.work()
        save_drafts(drafting, some)


@pytest.mark.usefixtures("groups_of_two")
class TestGroups:
    def test_each_group_is_a_transaction(
        self, sprint: Challenge, alice: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """An error of the database leaves the groups that were saved before it, and nothing
        else."""

        def fail() -> None:
            raise OperationalError("the disk is full")

        monkeypatch.setattr(batches, "save_drafts", InBetween(fail))
        with pytest.raises(OperationalError):
            submit_many(challenge=sprint, user=alice, news=named(*"abcde"))
        assert handles() == ["a", "b"]
        assert set(Participant.objects.values_list("handle", flat=True)) == {"a", "b"}

    def test_an_atomic_batch_is_one_transaction(
        self, sprint: Challenge, alice: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        saved = InBetween(lambda: None)
        monkeypatch.setattr(batches, "save_drafts", saved)
        submit_many(challenge=sprint, user=alice, news=named(*"abcde"), atomic=True)
        assert saved.groups == [5]

    def test_a_challenge_that_closes_between_groups_accepts_no_more(
        self, sprint: Challenge, alice: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def close() -> None:
            change_challenge(sprint, user=None, fields={"is_active": False})

        monkeypatch.setattr(batches, "save_drafts", InBetween(close))
        bulk = submit_many(challenge=sprint, user=alice, news=named(*"abcde"))
        assert len(bulk.accepted) == 4
        assert [(at, refused.code) for at, refused in bulk.rejected] == [(4, "closed")]

    def test_positions_count_in_the_whole_batch(self, sprint: Challenge, alice: User) -> None:
        news = named("a", "", "B", "b", "", "a", "A")
        bulk = submit_many(challenge=sprint, user=alice, news=news)
        assert [accepted.handle for accepted in bulk.accepted] == ["a", "B", "B", "a", "a"]
        assert [position for position, _ in bulk.rejected] == [1, 4]
        renamed = [(renaming.position, renaming.sent, renaming.kept) for renaming in bulk.renamed]
        assert renamed == [(3, "b", "B"), (6, "A", "a")]

    def test_large_evidence_makes_small_groups(
        self, sprint: Challenge, alice: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        saved = InBetween(lambda: None)
        monkeypatch.setattr(batches, "save_drafts", saved)
        monkeypatch.setattr(drafts, "MAX_LINES", 1000)
        monkeypatch.setattr(drafts, "MAX_BYTES", 1000)
        news = [NewAttempt(participant=name, task_rewards={name * 240: [0.5]}) for name in "abc"]
        news += [NewAttempt(participant="d", task_rewards={str(at): [at] for at in range(999)})]
        submit_many(challenge=sprint, user=alice, news=[news[3], *news])
        assert saved.groups == [1, 4]
        assert Evidence.objects.count() == 5


@pytest.mark.usefixtures("groups_of_two")
def test_all_lines_of_an_organiser_are_history_wherever_the_groups_end(
    sprint: Challenge, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drafts, "MAX_LINES", 1)
    submit_many(challenge=sprint, user=alice, news=named("a", "b", "c"), organiser=True)
    assert set(Attempt.objects.values_list("priority", flat=True)) == {Attempt.Priority.HISTORY}
    submit_many(challenge=sprint, user=alice, news=named("d"), organiser=True)
    assert Attempt.objects.filter(priority=Attempt.Priority.FRESH).count() == 1


def taken_at_first(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Let the first try to save find a key taken; returns the number of drafts of each try."""
    tries: list[int] = []

    def late(drafting: Any, some: Sequence[Any]) -> None:
        tries.append(len(some))
        if len(tries) == 1:
            raise IntegrityError("one_use_per_idempotency_key")
        save_drafts(drafting, some)

    monkeypatch.setattr(batches, "save_drafts", late)
    return tries


def test_a_try_that_was_rolled_back_takes_no_places(
    sprint: Challenge, alice: User, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    participant_named(challenge=sprint, handle="a", user=alice, organiser=False)
    settings.MAX_WAITING = 3
    tries = taken_at_first(monkeypatch)
    submit_many(challenge=sprint, user=alice, news=named("a", "a", "a"))
    assert tries == [3, 3]
    assert handles() == ["a", "a", "a"]


def test_drafts_are_made_again_if_the_scoring_changes_before_they_are_saved(
    sprint: Challenge, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Drafts made under the old config are made again, and checked by the new one."""
    batch = batches.Batch(sprint, alice, organiser=False)
    made = [batch.drafting.draft(at, new) for at, new in enumerate(named("a", "b"))]
    change_challenge(sprint, user=None, fields={"scoring_strategy": "fewest_tokens"})
    batch.save(made, atomic=False)
    sprint.refresh_from_db()
    assert set(Attempt.objects.values_list("scoring_config", flat=True)) == {sprint.newest.pk}


def test_only_accepted_attempts_create_participants(sprint: Challenge, alice: User) -> None:
    wrong = NewAttempt(participant="a", task_rewards={"": [1.0]}, name="Wrong")
    right = NewAttempt(participant="a", metrics=FACTS, name="Right")
    bulk = submit_many(challenge=sprint, user=alice, news=[wrong, right])
    assert [position for position, _ in bulk.rejected] == [0]
    assert Participant.objects.get().name == "Right"
    submit_many(challenge=sprint, user=alice, news=[NewAttempt("b", task_rewards={"": [1.0]})])
    assert Participant.objects.count() == 1


def test_two_names_with_the_same_slug_in_one_batch(sprint: Challenge, alice: User) -> None:
    participant_named(challenge=sprint, handle="a_b", user=alice, organiser=False)
    submit_many(challenge=sprint, user=alice, news=named("a b", "a  b", "A-B", "a-b", "森", "森田"))
    slugs = list(Participant.objects.values_list("slug", flat=True))
    assert len(set(slugs)) == 5


def test_another_request_creates_the_participant_at_the_same_time(
    sprint: Challenge, alice: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def late(model: Any, names: Sequence[str], rows: Iterable[Any]) -> None:
        Participant.objects.create(
            tenant=sprint.tenant, handle="Nova", handle_key="nova", slug="other", owner=bob
        )
        insert_missing(model, names, rows)

    monkeypatch.setattr(participant_batch, "insert_missing", late)
    bulk = submit_many(challenge=sprint, user=alice, news=named("atlas", "nova"))
    assert [accepted.handle for accepted in bulk.accepted] == ["atlas"]
    assert [(at, refused.code) for at, refused in bulk.rejected] == [(1, "permission_denied")]
    assert handles() == ["atlas"]


def test_another_request_takes_the_slug_at_the_same_time(
    sprint: Challenge, alice: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def late(model: Any, names: Sequence[str], rows: Iterable[Any]) -> None:
        monkeypatch.setattr(participant_batch, "insert_missing", insert_missing)
        Participant.objects.create(
            tenant=sprint.tenant, handle="No va", handle_key="no va", slug="no-va", owner=bob
        )
        insert_missing(model, names, rows)

    monkeypatch.setattr(participant_batch, "insert_missing", late)
    submit_many(challenge=sprint, user=alice, news=named("no-va"))
    slugs = set(Participant.objects.values_list("slug", flat=True))
    assert len(slugs) == 2
    assert "no-va" in slugs


class TestKeys:
    """An attempt with a key is saved once, however often it is sent."""

    USES = (UseKey("k1", "one"), UseKey("k2", "two"), UseKey("k3", "three"))

    def test_a_batch_that_is_sent_again_saves_only_what_is_new(
        self, sprint: Challenge, alice: User
    ) -> None:
        news = named("a", "b", "c")
        first = submit_many(challenge=sprint, user=alice, news=news[:2], uses=self.USES[:2])
        again = submit_many(challenge=sprint, user=alice, news=news, uses=self.USES)
        assert again.accepted[:2] == first.accepted
        assert len(again.accepted) == 3
        assert handles() == ["a", "b", "c"]

    def test_a_used_key_with_another_body_is_refused(self, sprint: Challenge, alice: User) -> None:
        submit_many(challenge=sprint, user=alice, news=named("a"), uses=self.USES[:1])
        other = [UseKey("k1", "another"), self.USES[1]]
        bulk = submit_many(challenge=sprint, user=alice, news=named("x", "b"), uses=other)
        assert [(at, refused.code) for at, refused in bulk.rejected] == [(0, "conflict")]
        assert handles() == ["a", "b"]
        all_or_none = submit_many(
            challenge=sprint, user=alice, news=named("x", "y"), uses=other, atomic=True
        )
        assert all_or_none.accepted == []

    def test_a_batch_that_is_sent_twice_at_a_time_is_saved_once(
        self, sprint: Challenge, alice: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The second request finds the key taken when it inserts, and looks the attempt up."""
        tries = taken_at_first(monkeypatch)
        submit_many(challenge=sprint, user=alice, news=named("a", "b"), uses=self.USES[:2])
        assert tries == [2, 2]
        assert handles() == ["a", "b"]


def test_a_closed_challenge_refuses_a_batch_as_a_whole(sprint: Challenge, alice: User) -> None:
    change_challenge(sprint, user=None, fields={"is_active": False})
    act = partial(submit_many, challenge=sprint, user=alice, news=named("a"))
    assert refusal(act).code == "closed"


@pytest.mark.parametrize("atomic", [False, True])
def test_a_request_that_is_repeated_after_the_end_finds_its_attempts(
    sprint: Challenge, alice: User, atomic: bool
) -> None:
    """As a single attempt does: the first answer may have been lost just before the end."""
    uses = [UseKey(f"key:{number}", "hash") for number in range(3)]
    first = submit_many(challenge=sprint, user=alice, news=named("a", "b"), uses=uses)
    change_challenge(sprint, user=None, fields={"is_active": False})

    def again(*names: str) -> BulkResult:
        return submit_many(
            challenge=sprint, user=alice, news=named(*names), uses=uses, atomic=atomic
        )

    assert again("a", "b") == first
    if atomic:
        assert refusal(lambda: again("a", "b", "c")).code == "closed"
    else:
        bulk = again("a", "b", "c")
        assert bulk.accepted == first.accepted
        assert [(at, refused.code) for at, refused in bulk.rejected] == [(2, "closed")]
    new = partial(submit_many, challenge=sprint, user=alice, news=named("c"), uses=uses[2:])
    assert refusal(lambda: new(atomic=atomic)).code == "closed"
    assert handles() == ["a", "b"]
