"""Who follows a captain of a team, and the owner of a name (docs/decisions/0208)."""

from __future__ import annotations

from django.db import transaction

from leaderboard.models import Challenge, Entry, Participant, Registration, User
from leaderboard.services.competition.clock import received_now
from leaderboard.services.competition.participants.ownership import owns_name

CAPTAIN, MEMBER = Entry.Role.CAPTAIN, Entry.Role.MEMBER
_ORDER = ("is_waiting", "-user__is_active", "joined_at", "pk")
"""Users with a deactivated account, and those who wait for an organiser's decision, come last: they
can do nothing for a team."""


def hand_over(captain: Entry, member: Entry) -> None:
    """Make a member the captain, and the owner of the name if the captain owned it."""
    _make_captain(captain, member)
    if owns_name(member.participant, captain.user):
        Participant.objects.filter(pk=member.participant_id).update(owner=member.user_id)


def hand_over_teams(user: User) -> None:
    """Give each team of a departing user another captain: the member who joined first.

    If the user owns a name that only teams of others use, the captain who joined first becomes
    its owner.
    """
    current = Entry.objects.current().select_related("participant", "user")
    leads = current.filter(user=user, role=CAPTAIN).order_by("joined_at", "pk")
    for own in leads:  # the oldest one decides who owns the name
        with transaction.atomic():
            team = current.filter(challenge=own.challenge_id, participant=own.participant_id)
            first = team.exclude(user=user).order_by(*_ORDER).first()
            if first is not None:
                hand_over(own, first)
    led_by_others = current.filter(participant__owner=user, role=CAPTAIN).exclude(user=user)
    for captain in led_by_others.order_by(*_ORDER):
        Participant.objects.filter(pk=captain.participant_id, owner=user).update(
            owner=captain.user_id
        )


def hand_over_places(participant: Participant, former: User, owner: User) -> None:
    """Let the new owner of a name take the former owner's place in each challenge.

    If the new owner is a member there already, they become captain in place of the former owner.
    If they take part under another name where each user has one name, nothing changes there.
    """
    places = Registration.objects.filter(participant=participant).order_by("challenge")
    for challenge in places.values_list("challenge", flat=True):
        Challenge.objects.lock_challenge_shared(challenge)
    registrations = Registration.objects.select_for_update().filter(participant=participant)
    list(registrations.order_by("pk"))  # locked, so that no other request changes the members
    current = Entry.objects.current()
    for place in current.filter(participant=participant, user=former):
        here = current.filter(challenge=place.challenge_id, user=owner)
        mine = here.filter(participant=participant).first()
        if mine is not None:
            if place.role == CAPTAIN:
                _make_captain(place, mine)
        elif not (place.is_sole and here.exists()):
            Entry.objects.filter(pk=place.pk).update(left_at=received_now())
            place.pk, place.user, place.joined_at = None, owner, received_now()
            place.is_waiting = False
            place.save(force_insert=True)


def _make_captain(captain: Entry, member: Entry) -> None:
    """Swap two roles: the old captain's first, because a team never has two captains."""
    Entry.objects.filter(pk=captain.pk).update(role=MEMBER)
    Entry.objects.filter(pk=member.pk).update(role=CAPTAIN)
