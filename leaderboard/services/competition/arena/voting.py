"""Storing votes: many by organisers, or one by an account about a pair that it was shown."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Final, NamedTuple

from cryptography.fernet import InvalidToken
from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _

from leaderboard.models import Arena, Challenge, Participant, User, Vote
from leaderboard.operating.sealing import sealed, unsealed
from leaderboard.rules.json.strict import InvalidJSON, parse_json
from leaderboard.rules.texts.quoting import sent
from leaderboard.schemas.choices import VotesFrom
from leaderboard.schemas.votes import NEW_VOTES, OUTCOMES, NewVote, Winner
from leaderboard.services.competition.participants.participant_batch import ParticipantBatch
from leaderboard.services.errors import ServiceError, invalid, validated

PURPOSE: Final = "arena pair"
SHOWN_FOR: Final = timedelta(hours=1)
"""How long an account may think about a pair."""
PER_MINUTE: Final = 20
"""Votes of one account. Nobody reads two texts in less than three seconds."""
COLUMNS: Final = ("first", "second", "winner", "voter", "prompt")


class ShownPair(NamedTuple):
    """Two participants whose outputs for a prompt a user was shown, by their ids."""

    left: int
    right: int
    prompt: str


def store_votes(challenge: Challenge, sent_votes: object, *, user: User) -> int:
    """Store votes that an organiser sends, as in `NewVotes`; returns how many.

    Participants that do not exist are made. Raises ServiceError with every wrong field.
    """
    votes = validated(NEW_VOTES, sent_votes).votes
    with transaction.atomic():
        ids = _participants(challenge, votes, user)
        rows = [_row(challenge, vote, ids, f"votes.{at}") for at, vote in enumerate(votes)]
        _save(challenge, rows)
    return len(rows)


def votes_in(text: str) -> object:
    """The votes of a file: a JSON list or object, or a CSV with the columns of a vote.

    Raises ServiceError for a file that is neither.
    """
    if text.lstrip()[:1] in ("[", "{"):
        try:
            value = parse_json(text.encode())
        except InvalidJSON as error:
            raise invalid("file", str(error)) from None
        return {"votes": value} if isinstance(value, list) else value
    rows = csv.DictReader(text.removeprefix("\ufeff").splitlines())
    if not set(COLUMNS[:4]) <= set(rows.fieldnames or ()):
        wrong = _("must have the columns {names} in its first line; got {sent}")
        header = ", ".join(rows.fieldnames or ())
        raise invalid("file", wrong.format(names=", ".join(COLUMNS), sent=sent(header)))
    return {"votes": [{name: row.get(name) or "" for name in COLUMNS} for row in rows]}


def token_for(challenge: Challenge, user: User, pair: ShownPair) -> str:
    """An encrypted text that says which pair a user is shown, so that no other can be voted on.

    A signature alone would let voters read whose outputs they compare.
    """
    return sealed(json.dumps([challenge.pk.hex, user.pk, *pair]), PURPOSE)


def vote(challenge: Challenge, user: User, token: str, winner: Winner) -> None:
    """Store the vote of an account. winner: `first` for the left one. Raises ServiceError."""
    check_may_vote(challenge, user)
    try:
        text = unsealed(token, PURPOSE, seconds=int(SHOWN_FOR.total_seconds()))
    except (InvalidToken, ValueError):
        raise _wrong_token() from None
    challenge_id, voter, left, right, prompt = json.loads(text)
    if (challenge_id, voter) != (challenge.pk.hex, user.pk):
        raise _wrong_token()
    row = _ordered(challenge, left, right, OUTCOMES[winner])
    row.voter, row.prompt, row.user = _voter(user), prompt, user
    with transaction.atomic():
        _save(challenge, [row])


def check_may_vote(challenge: Challenge, user: User) -> None:
    """Raise ServiceError unless accounts vote here and this one has not voted too often."""
    if challenge.votes_from != VotesFrom.ACCOUNTS:
        raise ServiceError("permission_denied", _("Accounts do not vote in this challenge."))
    since = timezone.now() - timedelta(minutes=1)
    mine = Vote.objects.filter(challenge=challenge, voter=_voter(user), at__gt=since)
    if mine.count() >= PER_MINUTE:
        raise ServiceError("throttled", _("You have voted very often. Wait a minute."))


def _wrong_token() -> ServiceError:
    text = _("must be of a pair that you were shown within an hour; got another one")
    return invalid("token", text)


def _participants(challenge: Challenge, votes: Sequence[NewVote], user: User) -> Mapping[str, int]:
    """The ids of the participants by their names in the votes."""
    batch = ParticipantBatch(challenge, user, organiser=True, registering=True)
    places: dict[str, str] = {}
    for at, vote in enumerate(votes):
        places.setdefault(vote.first, f"votes.{at}.first")
        places.setdefault(vote.second, f"votes.{at}.second")
    names = list(places)
    batch.find(names)
    for name, place in places.items():
        try:
            batch.keep(batch.of(name, "", Participant.Kind.SYSTEM))
        except ServiceError as error:
            if texts := error.fields.get("participant"):
                raise invalid(place, texts[0]) from None
            raise
    batch.make()
    return {name: batch.of(name).id for name in names}


def _row(challenge: Challenge, vote: NewVote, ids: Mapping[str, int], path: str) -> Vote:
    first, second = ids[vote.first], ids[vote.second]
    if first == second:
        wrong = _("must be another participant than the first one; got {sent}")
        raise invalid(f"{path}.second", wrong.format(sent=sent(vote.second)))
    row = _ordered(challenge, first, second, OUTCOMES[vote.winner])
    row.voter, row.prompt = f"sent:{vote.voter}", vote.prompt
    return row


def _ordered(challenge: Challenge, first: int, second: int, outcome: float) -> Vote:
    if first > second:
        first, second, outcome = second, first, 1.0 - outcome
    return Vote(challenge=challenge, first_id=first, second_id=second, outcome=outcome)


def _save(challenge: Challenge, rows: Sequence[Vote]) -> None:
    """Save votes; of a voter's votes about a pair and a prompt the last one counts."""
    by_key = {(row.voter, row.prompt, row.first_id, row.second_id): row for row in rows}
    named = [row for row in by_key.values() if row.prompt]
    now = timezone.now()
    for row in rows:
        row.at = now
    Vote.objects.bulk_create([row for row in rows if not row.prompt])
    for voter in {row.voter for row in named}:
        mine = [row for row in named if row.voter == voter]
        existing = Vote.objects.filter(
            challenge=challenge, voter=voter, prompt__in={row.prompt for row in mine}
        )
        pairs = {(row.prompt, row.first_id, row.second_id) for row in mine}
        replaced = [
            old.pk for old in existing if (old.prompt, old.first_id, old.second_id) in pairs
        ]
        Vote.objects.filter(pk__in=replaced).delete()
    Vote.objects.bulk_create(named)
    Arena.objects.get_or_create(challenge=challenge)
    Arena.objects.filter(challenge=challenge).update(version=F("version") + 1)


def _voter(user: User) -> str:
    return f"account:{user.pk}"
