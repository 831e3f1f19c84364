"""Taking the rows of a participant out of the ranking of a challenge, and putting them back.

Baselines, human references and participants out of competition stand in their places on boards,
without a rank. The ranks of the others are as if these rows were not there.
"""

from __future__ import annotations

from functools import partial

from django.db import transaction

from leaderboard.models import Challenge, Registration, User
from leaderboard.rules.json.values import JsonObject
from leaderboard.schemas.choices import RowKind
from leaderboard.schemas.row_kinds import PARTICIPANT_ROW
from leaderboard.services.board.boards import add_boards
from leaderboard.services.board.standings.counting import recount_participants
from leaderboard.services.board.standings.filling import fill_boards
from leaderboard.services.competition.audit import AuditKind, record
from leaderboard.services.competition.decisions import DecisionKind, decide
from leaderboard.services.errors import validated
from leaderboard.services.events.record import EventKind, record_event
from leaderboard.services.transactions import retried


def set_row_kind(registration: Registration, fields: object, *, by: User | None) -> Registration:
    """Set the kind of a participant's row. fields: as in `ParticipantRow`. Raises ServiceError."""
    kind = validated(PARTICIPANT_ROW, fields).row
    return retried(partial(_set, registration, kind, by))


def _set(registration: Registration, kind: RowKind, by: User | None) -> Registration:
    challenge = Challenge.objects.lock_challenge(registration.challenge_id)
    locked = Registration.objects.select_for_update().get(pk=registration.pk)
    before, locked.row_kind = locked.row_kind, kind.value
    if before == kind:
        return locked
    locked.save(update_fields=["row_kind"])
    record(
        challenge.pk,
        AuditKind.REGISTRATION,
        by=by,
        before={"row": before},
        after={"row": locked.row_kind},
        participant=locked.participant,
        public=True,
    )
    decide(
        DecisionKind.ROW_KIND,
        registration=locked,
        by=by,
        before={"row": before},
        after={"row": locked.row_kind},
    )
    if any(not board.is_complete for board in add_boards(challenge)):
        transaction.on_commit(partial(fill_boards, challenge))
    recount_participants(challenge, [locked.participant_id])
    Challenge.objects.bump(challenge.pk)
    body: JsonObject = {"before": before, "row": locked.row_kind}
    record_event(challenge.pk, EventKind.ROW_KIND, body, participant=locked.participant_id)
    return locked
