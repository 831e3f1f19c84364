"""Teams: users who take part in a challenge as one participant.

Each change locks the registration of the team, so that simultaneous changes cannot violate the
limits of its size. Attempts stay with the team when a member leaves. Where organisers approve
registrations, a new member of an accepted team waits alone (`is_waiting`): with no rights, but with
the person's one place in the challenge.
"""

from __future__ import annotations

from collections.abc import Sequence

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from leaderboard.models import (
    Attempt,
    Challenge,
    Entry,
    OneTimeLink,
    Participant,
    Registration,
    RegistrationRules,
    TeamMerge,
    User,
)
from leaderboard.schemas.choices import RegistrationMode, RegistrationStatus
from leaderboard.schemas.registration import RegistrationAnswers
from leaderboard.services.competition.audit import AuditKind, record
from leaderboard.services.competition.clock import received_now
from leaderboard.services.competition.mail.decisions import tell_of_waiting
from leaderboard.services.competition.participants.barred import check_not_barred
from leaderboard.services.competition.participants.creating import change_participant
from leaderboard.services.competition.participants.names import rename
from leaderboard.services.competition.participants.ownership import owns_name
from leaderboard.services.competition.participants.registration import needs_approval
from leaderboard.services.competition.participants.registration_answers import checked_answers
from leaderboard.services.competition.participants.registration_rules import questions_of
from leaderboard.services.competition.participants.succession import CAPTAIN, MEMBER, hand_over
from leaderboard.services.competition.participants.taking_part import rules_of
from leaderboard.services.competition.participants.who_may_register import check_listed
from leaderboard.services.errors import ServiceError


def own_entry(challenge: Challenge, user: User) -> Entry | None:
    """The entry of a user, if they take part as one participant; the captain's one first."""
    mine = Entry.objects.of(user, challenge).select_related("participant")
    return mine.order_by("-is_sole", "role", "pk").first()


def members_of(challenge: Challenge, participant: Participant) -> Sequence[Entry]:
    """The current members, the captain first, then those who joined earlier."""
    entries = Entry.objects.current().filter(challenge=challenge, participant=participant)
    return list(entries.select_related("user").order_by("role", "joined_at", "pk"))


def check_may_invite(challenge: Challenge, captain: User) -> Entry:
    """The captain's entry. Raises ServiceError unless the team may have a further member."""
    entry = captain_of(challenge, captain)
    rules = current_rules(challenge)
    _check_members_change(rules, _registration(challenge, entry.participant))
    _check_size(rules, challenge, entry.participant)
    return entry


def join(
    challenge: Challenge,
    participant: Participant,
    user: User,
    answers: RegistrationAnswers | None = None,
) -> Entry:
    """Make the user a member of the team, for example with a captain's link.

    The link replaces the code of a challenge; domains, lists of invited people and questions apply
    to every member. Where organisers decide who takes part, and have accepted the team, the new
    member waits for their decision.

    Raises ServiceError: `closed` (too late), `conflict` (the team is full, or the user takes part
    already), `permission_denied`, `invalid` with the wrong answers.
    """
    try:
        with transaction.atomic():
            registration = lock_registration(challenge, participant)
            rules = current_rules(challenge)
            if registration.status == RegistrationStatus.DECLINED:
                raise ServiceError("permission_denied", _("The team was declined."))
            if registration.disqualified_at is not None:
                raise ServiceError("permission_denied", _("The team is disqualified."))
            check_changes(rules)
            check_not_barred(challenge, user)
            if rules is not None and rules.mode != RegistrationMode.CODE:
                check_listed(rules, user)
            if Entry.objects.of(user, challenge).exists():
                raise _takes_part_already()
            _check_size(rules, challenge, participant)
            is_decided = registration.status == RegistrationStatus.ACCEPTED
            entry = Entry.objects.create(
                challenge=challenge,
                user=user,
                participant=participant,
                role=MEMBER,
                is_sole=True,
                answers=checked_answers(questions_of(rules), answers or {}),
                is_waiting=is_decided and needs_approval(rules),
            )
            if entry.is_waiting:
                tell_of_waiting(challenge)
            return entry
    except IntegrityError:
        raise _takes_part_already() from None


def leave(challenge: Challenge, user: User) -> None:
    """End the user's membership. A captain of other members has to hand over the role first.

    The last member of a team with attempts cannot leave: another name would have its own limits. A
    team without attempts whose last member leaves takes part no longer. Raises ServiceError.
    """
    with transaction.atomic():
        registration = _lock_to_end(challenge, user)
        entry = _entry_of(challenge, user)
        members = members_of(challenge, entry.participant)
        if why := why_not_leave(entry, members):
            raise ServiceError("conflict", why)
        _end(entry)
        if len(members) == 1:
            _end_registration(registration, by=user)


def why_members_stay(challenge: Challenge, entry: Entry) -> str:
    """The reason why nobody may join or leave the team of an entry; "" if there is none."""
    try:
        registration = _registration(challenge, entry.participant)
        _check_members_change(current_rules(challenge), registration)
    except ServiceError as refused:
        return refused.message
    return ""


def why_not_leave(entry: Entry, members: Sequence[Entry]) -> str:
    """The reason why one of the members cannot leave a team whose members may change; "" if there
    is none.
    """
    is_last = len(members) == 1
    if entry.role == CAPTAIN and not is_last:
        return _("Make another member the captain before you leave.")
    mine = Attempt.objects.filter(challenge=entry.challenge_id, participant=entry.participant_id)
    if is_last and mine.exists():
        return _("The last member of a team with attempts cannot leave it.")
    return ""


def remove_member(challenge: Challenge, captain: User, username: str) -> None:
    """Let a captain end the membership of another member. Raises ServiceError."""
    with transaction.atomic():
        _lock_to_end(challenge, captain)
        own = captain_of(challenge, captain)
        entry = _member(own, username)
        if entry.pk == own.pk:
            raise ServiceError("conflict", _("You leave the team; you do not remove yourself."))
        _end(entry)


def make_captain(challenge: Challenge, captain: User, username: str) -> None:
    """Make another member captain, who then also owns the name if the captain owned it.

    Raises ServiceError.
    """
    with transaction.atomic():
        _lock_team(challenge, captain)
        own = captain_of(challenge, captain)
        entry = _member(own, username)
        if entry.is_waiting:
            text = _("An organiser has not accepted this member yet.")
            raise ServiceError("conflict", text)
        if entry.pk != own.pk:
            hand_over(own, entry)


def change_team(
    challenge: Challenge, captain: User, *, handle: str | None = None, name: str | None = None
) -> Participant:
    """Let a captain rename the team, in all challenges of the tenant. Raises ServiceError.

    handle: the name to submit under. name: what is shown instead of it, "" for nothing.
    """
    with transaction.atomic():
        participant = captain_of(challenge, captain).participant
        if not owns_name(participant, captain):
            text = _("Only the captain who owns this name may change it.")
            raise ServiceError("permission_denied", text)
        if handle is not None:
            participant = rename(participant, handle)
        if name is not None:
            change_participant(
                participant, name=name, kind=participant.kind, owner=participant.owner
            )
        return participant


def _end_registration(registration: Registration, *, by: User) -> None:
    """Delete the registration of a team that has no member and no attempt any more."""
    here = {"challenge": registration.challenge_id, "participant": registration.participant_id}
    OneTimeLink.objects.filter(**here).delete()
    merges = TeamMerge.objects.waiting().filter(challenge=registration.challenge_id)
    merges.filter(team=registration.participant_id).delete()
    merges.filter(into=registration.participant_id).update(into=None)
    record(
        registration.challenge_id,
        AuditKind.REGISTRATION,
        by=by,
        before={"status": registration.status, "members": 1},
        after=None,
        participant=registration.participant,
    )
    registration.delete()


def _end(entry: Entry) -> None:
    Entry.objects.filter(pk=entry.pk).update(left_at=received_now())


def _entry_of(challenge: Challenge, user: User) -> Entry:
    entry = own_entry(challenge, user)
    if entry is None:
        raise ServiceError("not_found", _("You do not take part in this challenge."))
    return entry


def captain_of(challenge: Challenge, user: User) -> Entry:
    """The entry of the captain of a team. Raises ServiceError for others."""
    entry = _entry_of(challenge, user)
    if entry.role != CAPTAIN:
        raise ServiceError("permission_denied", _("Only the captain of a team may do this."))
    return entry


def _member(own: Entry, username: str) -> Entry:
    mine = Entry.objects.current().filter(
        challenge=own.challenge_id, participant=own.participant_id, user__username=username
    )
    entry = mine.select_related("participant").first()
    if entry is None:
        raise ServiceError("not_found", _("Your team has no member of this name."))
    return entry


def _lock_team(challenge: Challenge, user: User) -> Registration:
    """The registration of the user's team. Read the roles after this call: they may have changed.

    Raises ServiceError.
    """
    return lock_registration(challenge, _entry_of(challenge, user).participant)


def _lock_to_end(challenge: Challenge, user: User) -> Registration:
    """Lock the user's team before a membership ends. Raises ServiceError if members stay."""
    registration = _lock_team(challenge, user)
    _check_members_change(current_rules(challenge), registration)
    return registration


def lock_registration(challenge: Challenge, participant: Participant) -> Registration:
    """Lock the challenge and then the registration, before anything else of the team is locked.

    Raises ServiceError (`not_found`).
    """
    return _registration(challenge, participant, locked=True)


def _registration(
    challenge: Challenge, participant: Participant, *, locked: bool = False
) -> Registration:
    """Raises ServiceError for a team that has become a part of another one."""
    stored = Registration.objects.all()
    if locked:
        Challenge.objects.lock_challenge_shared(challenge.pk)  # everybody locks the challenge first
        stored = stored.select_for_update()
    registration = stored.filter(challenge=challenge, participant=participant).first()
    if registration is None:
        raise ServiceError("not_found", _("This team takes part no longer."))
    return registration


def current_rules(challenge: Challenge) -> RegistrationRules | None:
    """The rules as they are stored now."""
    stored = Challenge.objects.select_related("registration_rules").get(pk=challenge.pk)
    return rules_of(stored)


def _check_members_change(rules: RegistrationRules | None, registration: Registration) -> None:
    """Whether members may join or leave a team now. Raises ServiceError: `closed`, `conflict`.

    Members of a declined or disqualified team could otherwise continue under another name.
    """
    check_changes(rules)
    is_declined = registration.status == RegistrationStatus.DECLINED
    if is_declined or registration.disqualified_at is not None:
        text = _("Nobody can join or leave a team that is declined or disqualified.")
        raise ServiceError("conflict", text)


def check_changes(rules: RegistrationRules | None) -> None:
    """Whether members may still change. Raises ServiceError (`closed`)."""
    if rules and rules.teams_fixed_at and rules.teams_fixed_at <= received_now():
        raise ServiceError("closed", _("The members of teams cannot change any more."))


def _check_size(
    rules: RegistrationRules | None, challenge: Challenge, participant: Participant
) -> None:
    most = rules.largest_team if rules else 1
    if len(members_of(challenge, participant)) >= most:
        text = _("A team in this challenge has at most {most}; yours has that many.")
        raise ServiceError("conflict", text.format(most=most))


def _takes_part_already() -> ServiceError:
    return ServiceError("conflict", _("You take part in this challenge already."))
