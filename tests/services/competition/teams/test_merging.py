"""Merging of teams: who may, what moves, and what is counted again."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.utils import timezone

from leaderboard.models import (
    AskedMerge,
    Attempt,
    AuditEntry,
    Challenge,
    Entry,
    OneTimeLink,
    Participant,
    QuotaUse,
    Registration,
    Standing,
    TeamMerge,
    User,
)
from leaderboard.services.accounts.team_links import make_team_link
from leaderboard.services.attempts.submit import NewAttempt, submit_attempt
from leaderboard.services.board.standings.counting import verify_standings
from leaderboard.services.board.standings.filling import fill_boards
from leaderboard.services.challenges.challenges import change_challenge
from leaderboard.services.competition.participants.disqualification import disqualify
from leaderboard.services.competition.participants.names import merged_into
from leaderboard.services.competition.participants.registration_decisions import decide
from leaderboard.services.competition.participants.registration_rules import declare_rules
from leaderboard.services.competition.quotas.grants import give_extra
from leaderboard.services.competition.quotas.recount import recount_quotas, verify_quotas
from leaderboard.services.competition.schedule.choosing import choose, unchoose
from leaderboard.services.competition.teams.membership import members_of, own_entry
from leaderboard.services.competition.teams.merge_requests import (
    ask_to_merge,
    merge_asked,
    merges_offered,
    take_back_request,
)
from leaderboard.services.competition.teams.merging import accept_merge, refuse_merge
from leaderboard.services.errors import ServiceError
from leaderboard.services.scoring import single
from leaderboard.services.scoring.rescoring import start_rescore, work_on
from tests.services.competition.relays import code_of
from tests.services.refusals import check_refusals, refusal
from tests.services.threads import at_once

pytestmark = pytest.mark.django_db

WHY = {"reason": "It read the answers."}


def scored_attempt(challenge: Challenge, user: User, name: str, elapsed_ms: int = 5) -> Attempt:
    new = NewAttempt(name, {"elapsed_ms": elapsed_ms, "succeeded": True})
    stored = Challenge.objects.get(pk=challenge.pk)
    attempt = submit_attempt(challenge=stored, user=user, new=new)[0]
    single.score_waiting()
    return attempt


def merged(challenge: Challenge, captain: User, other: User) -> Participant:
    """The captain's team becomes a part of the team of the other one."""
    into = own_entry(challenge, other)
    assert into is not None
    merge = ask_to_merge(challenge, captain, into.participant.handle)
    return accept_merge(challenge, other, merge.team.slug)


def merged_from(challenge: Challenge, slug: str) -> Participant | None:
    return merged_into(challenge, Participant.objects.get(slug=slug))


def test_members_attempts_and_uses_of_quotas_move(
    two_teams: Challenge, bob: User, eve: User, dan: User
) -> None:
    mine = scored_attempt(two_teams, bob, "Tulips", 3)
    for user in (eve, dan):
        scored_attempt(two_teams, user, "Roses", 9)
    board_version = Challenge.objects.get().board_version
    into = merged(two_teams, bob, eve)
    assert into.slug == "roses"
    members = [(member.user.username, member.role) for member in members_of(two_teams, into)]
    assert members == [("eve", "captain"), ("dan", "member"), ("bob", "member")]
    assert set(Attempt.objects.values_list("participant__slug", flat=True)) == {"roses"}
    mine.refresh_from_db()
    assert mine.submitted_by == bob
    uses = QuotaUse.objects.values_list("participant__slug", "kind", "used")
    assert set(uses) == {("roses", "day", 3), ("roses", "total", 3)}
    (standing,) = Standing.objects.all()
    assert (standing.participant, standing.attempts, standing.attempt_id) == (into, 3, mine.pk)
    assert verify_standings(two_teams) == verify_quotas(two_teams) == []
    assert Challenge.objects.get().board_version > board_version
    assert list(Registration.objects.values_list("participant__slug", flat=True)) == ["roses"]


def test_the_merged_team_takes_part_no_longer(two_teams: Challenge, bob: User, eve: User) -> None:
    scored_attempt(two_teams, bob, "Tulips")
    make_team_link(two_teams, bob)
    into = merged(two_teams, bob, eve)
    assert merged_from(two_teams, "tulips") == into
    assert merged_from(two_teams, "roses") is None
    assert not OneTimeLink.objects.filter(participant__slug="tulips").exists()
    assert code_of(lambda: scored_attempt(two_teams, bob, "Tulips")) == "not_registered"
    assert scored_attempt(two_teams, bob, "Roses").participant == into
    tulips = Participant.objects.get(slug="tulips")
    assert tulips.owner == bob
    assert Entry.objects.filter(participant=tulips, left_at=None).count() == 0


def test_grants_move_as_well(two_teams: Challenge, ann: User, bob: User, eve: User) -> None:
    for _ in range(3):
        scored_attempt(two_teams, bob, "Tulips")
        scored_attempt(two_teams, eve, "Roses")
    error = refusal(lambda: merged(two_teams, bob, eve))
    assert error.code == "conflict"
    assert "limit of 4 attempts" in error.message
    assert "6 attempts" not in error.message, "it tells how many attempts the other team has"
    AskedMerge.objects.all().delete()
    grant = {"participant": "tulips", "phase": "main", "extra": 2, "reason": "Outage"}
    give_extra(two_teams, grant, by=ann)
    into = merged(two_teams, bob, eve)
    assert into.grants.count() == 1
    assert verify_quotas(two_teams) == []
    assert code_of(lambda: scored_attempt(two_teams, bob, "Roses")) == "quota"


def test_every_limit_of_every_phase_counts(
    two_teams: Challenge, ann: User, bob: User, eve: User
) -> None:
    for user, name in ((bob, "Tulips"), (eve, "Roses")):
        scored_attempt(two_teams, user, name)
    fits: dict[str, Any] = {"slug": "main", "per_day": 2, "per_week": 2, "total": 2, "at_once": 1}
    for wrong in ({"per_day": 1}, {"per_week": 1}, {"total": 1}):
        change_challenge(two_teams, user=ann, fields={"phases": [fits | wrong]})
        recount_quotas(two_teams)
        assert code_of(lambda: merged(two_teams, bob, eve)) == "conflict"
    change_challenge(two_teams, user=ann, fields={"phases": [fits]})
    merged(two_teams, bob, eve)


def test_chosen_attempts_count_together(
    two_teams: Challenge, ann: User, bob: User, eve: User
) -> None:
    phase = {"slug": "main", "counting": "chosen", "counted": 1}
    change_challenge(two_teams, user=ann, fields={"phases": [phase]})
    for user, name in ((bob, "Tulips"), (eve, "Roses")):
        choose(scored_attempt(two_teams, user, name), user=user, organiser=False)
    two_teams.refresh_from_db()
    assert "too many attempts" in refusal(lambda: merged(two_teams, bob, eve)).message
    unchoose(Attempt.objects.get(participant__slug="tulips"), user=bob, organiser=False)
    merged(two_teams, bob, eve)
    assert verify_standings(two_teams) == []


def test_a_team_that_is_too_large_or_too_late_does_not_merge(
    two_teams: Challenge, bob: User, eve: User
) -> None:
    merge = ask_to_merge(two_teams, bob, "Roses")
    fixed = {"largest_team": 3, "teams_fixed_at": "2024-01-01T00:00:00Z"}
    for rules, code in (({"largest_team": 2}, "conflict"), (fixed, "closed")):
        declare_rules(two_teams, rules)
        assert code_of(lambda: accept_merge(two_teams, eve, merge.team.slug)) == code
    assert code_of(lambda: ask_to_merge(two_teams, bob, "Roses")) == "closed"
    assert Registration.objects.count() == 2


def test_teams_that_are_out_of_the_ranking_do_not_merge(
    two_teams: Challenge, ann: User, bob: User, eve: User
) -> None:
    tulips, roses = Registration.objects.order_by("created_at", "pk")
    disqualify(tulips, {"reason": "It read the answers."}, by=ann)
    assert code_of(lambda: merged(two_teams, bob, eve)) == "conflict"
    assert code_of(lambda: merged(two_teams, eve, bob)) == "conflict"
    Registration.objects.update(disqualified_at=None)
    decide(roses, by=ann, fields={"status": "declined", "reason": "Twice."})
    assert code_of(lambda: merged(two_teams, bob, eve)) == "conflict"
    decide(roses, by=ann, fields={"status": "accepted"})
    Registration.objects.filter(pk=tulips.pk).update(row_kind="out_of_competition")
    assert code_of(lambda: merged(two_teams, bob, eve)) == "conflict"


def test_attempts_without_a_result_do_not_move(two_teams: Challenge, bob: User, eve: User) -> None:
    attempt = scored_attempt(two_teams, bob, "Tulips")
    for status in ("queued", "held"):
        Attempt.objects.filter(pk=attempt.pk).update(status=status)
        assert "without a result" in refusal(lambda: merged(two_teams, bob, eve)).message
    config = two_teams.newest
    type(config).objects.filter(pk=config.pk).update(rescore_started_at=timezone.now())
    Attempt.objects.filter(pk=attempt.pk).update(status="scored")
    stored = Challenge.objects.get()
    assert "scored again" in refusal(lambda: ask_to_merge(stored, bob, "Roses")).message


def test_teams_do_not_merge_during_the_rescore_of_an_older_config(
    two_teams: Challenge, bob: User, eve: User
) -> None:
    """Its workers know attempts by the team that made them, and its board is shown at the end."""
    scored_attempt(two_teams, bob, "Tulips")
    changed = change_challenge(two_teams, user=None, fields={"scoring_strategy": "fewest_tokens"})
    config, _attempts = start_rescore(changed)
    changed = change_challenge(changed, user=None, fields={"scoring_strategy": "first"})
    assert "scored again" in refusal(lambda: merged(changed, bob, eve)).message
    work_on(config.pk)
    merged(changed, bob, eve)
    assert verify_standings(Challenge.objects.get()) == []


def test_only_captains_ask_and_answer(
    two_teams: Challenge, bob: User, eve: User, dan: User, ann: User
) -> None:
    assert code_of(lambda: ask_to_merge(two_teams, dan, "Tulips")) == "permission_denied"
    assert code_of(lambda: ask_to_merge(two_teams, ann, "Tulips")) == "not_found"
    ask_to_merge(two_teams, bob, "Roses")
    for act in (accept_merge, refuse_merge):
        assert code_of(partial(act, two_teams, dan, "tulips")) == "permission_denied"
        assert code_of(partial(act, two_teams, bob, "tulips")) == "not_found"
    assert code_of(lambda: take_back_request(two_teams, dan)) == "permission_denied"


def test_a_merge_needs_a_name_of_another_team(two_teams: Challenge, bob: User) -> None:
    check_refusals(
        lambda name: ask_to_merge(two_teams, bob, name),
        [(name, "participant") for name in ("Tulips", "tulips", "", "a\0b")],
    )


def test_a_request_is_replaced_taken_back_and_refused(
    two_teams: Challenge, bob: User, eve: User
) -> None:
    tulips = Participant.objects.get(slug="tulips")
    roses = Participant.objects.get(slug="roses")
    ask_to_merge(two_teams, bob, "roses")
    ask_to_merge(two_teams, bob, "ROSES")
    assert merge_asked(two_teams, tulips) == TeamMerge.objects.get()
    assert [merge.team for merge in merges_offered(two_teams, roses)] == [tulips]
    take_back_request(two_teams, bob)
    assert code_of(lambda: take_back_request(two_teams, bob)) == "not_found"
    assert code_of(lambda: accept_merge(two_teams, eve, "tulips")) == "not_found"
    AskedMerge.objects.update(asked_at=timezone.now() - timedelta(days=1))
    ask_to_merge(two_teams, bob, "roses")
    refuse_merge(two_teams, eve, "tulips")
    assert merges_offered(two_teams, roses) == []
    assert merged_from(two_teams, "tulips") is None


def test_the_answer_tells_nothing_about_the_other_team(
    two_teams: Challenge, ann: User, bob: User, eve: User, dan: User
) -> None:
    """Whether it exists, is too large, is out, or has too many attempts; by each of its names."""
    for _ in range(4):
        scored_attempt(two_teams, eve, "Roses")
    scored_attempt(two_teams, bob, "Tulips")
    tulips, roses = Participant.objects.order_by("pk")
    states: dict[str, Callable[[], object]] = {
        "nobody": lambda: None,
        "Roses": lambda: None,
        "roses": lambda: Registration.objects.filter(participant=roses).update(status="declined"),
        "ROSES": lambda: disqualify(Registration.objects.get(participant=roses), WHY, by=ann),
        "Rosen": lambda: declare_rules(two_teams, {"largest_team": 2}),
    }
    for name, change in states.items():
        AskedMerge.objects.all().delete()
        TeamMerge.objects.all().delete()
        change()
        answers = [ask_to_merge(two_teams, bob, name) for _ in range(2)]
        answers.append(merge_asked(two_teams, tulips) or answers[0])
        assert {answer.asked_name for answer in answers} == {name}
        take_back_request(two_teams, bob)
        again = refusal(partial(ask_to_merge, two_teams, bob, name))
        assert (again.code, again.facts, again.retry_after is None) == ("throttled", {}, False)


def test_a_team_asks_few_teams_a_day(two_teams: Challenge, bob: User) -> None:
    for number in range(10):
        ask_to_merge(two_teams, bob, f"team {number}")
    assert code_of(lambda: ask_to_merge(two_teams, bob, "one more")) == "throttled"
    assert code_of(lambda: ask_to_merge(two_teams, bob, "Roses")) == "throttled"
    AskedMerge.objects.update(asked_at=timezone.now() - timedelta(days=1))
    ask_to_merge(two_teams, bob, "Roses")


def test_the_log_keeps_both_teams(two_teams: Challenge, bob: User, eve: User) -> None:
    scored_attempt(two_teams, bob, "Tulips")
    AuditEntry.objects.all().delete()
    merged(two_teams, bob, eve)
    entries = AuditEntry.objects.filter(kind="registration", actor=eve).order_by("pk")
    assert [
        (entry.participant and entry.participant.slug, entry.before, entry.after)
        for entry in entries
    ] == [
        ("tulips", {"attempts": 1, "members": 1}, None),
        ("roses", {"attempts": 0, "members": 2}, {"attempts": 1, "members": 3}),
    ]


def test_a_frozen_board_counts_the_team_together(
    two_teams: Challenge, ann: User, bob: User, eve: User
) -> None:
    freeze = (timezone.now() + timedelta(hours=1)).isoformat()
    phase = {"slug": "main", "total": 4, "per_day": 4, "freezes_at": freeze}
    change_challenge(two_teams, user=ann, fields={"phases": [phase]})
    fill_boards(Challenge.objects.get())
    scored_attempt(two_teams, bob, "Tulips", 3)
    scored_attempt(two_teams, eve, "Roses", 9)
    assert Standing.objects.count() == 4
    into = merged(two_teams, bob, eve)
    assert [standing.participant for standing in Standing.objects.all()] == [into, into]
    assert verify_standings(Challenge.objects.get()) == []


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("attempts", [1, 2, 3])
def test_no_attempt_stays_with_a_merged_team(
    two_teams: Challenge, bob: User, eve: User, attempts: int
) -> None:
    """Attempts that are submitted during a merge come before it, and then delay it, or after it."""
    ask_to_merge(two_teams, bob, "Roses")
    new = NewAttempt("Tulips", {"elapsed_ms": 5, "succeeded": True})

    def submits() -> bool:
        try:
            stored = Challenge.objects.get(pk=two_teams.pk)
            submit_attempt(challenge=stored, user=bob, new=new)
        except ServiceError as refused:
            return refused.code != "not_registered"
        return True

    def accepts() -> bool:
        try:
            accept_merge(two_teams, eve, "tulips")
        except ServiceError as refused:
            return "without a result" not in refused.message
        return True

    *submitted, accepted = at_once([submits] * attempts + [accepts])
    attempts_left = Attempt.objects.filter(participant__slug="tulips").count()
    assert attempts_left == (0 if accepted else sum(submitted))
    assert Registration.objects.filter(participant__slug="tulips").exists() is not accepted
    assert not (accepted and any(submitted)) or Attempt.objects.count() == sum(submitted)
    assert verify_quotas(two_teams) == []
