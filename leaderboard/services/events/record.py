"""Adds events to the log of a challenge, in the transaction of what happened.

Adding locks the end of the log until the transaction ends. So events are the last thing that a
transaction writes, where another one might wait for what it writes later.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import datetime
from typing import Final, NamedTuple
from uuid import UUID

from django.db import connection

from leaderboard.models import Event, EventLog
from leaderboard.models.bulk import insert_rows
from leaderboard.models.clock import moment, now_sql
from leaderboard.models.prepared import changed, rows_of
from leaderboard.rules.event_chain import (
    BLIND_BYTES,
    FIRST_LINK,
    SALT_BYTES,
    alias,
    blind_of,
    body_text,
    commitment,
    next_link,
    written_at,
)
from leaderboard.rules.json.values import JsonObject

EventKind = Event.Kind

FIELDS: Final = (
    "challenge",
    "seq",
    "at",
    "kind",
    "participant",
    "body",
    "secret",
    "salt",
    "blind",
    "link",
)
_CODES: Final = {kind: kind.label for kind in EventKind}
_END: Final = "UPDATE leaderboard_eventlog SET seq = %s, at = %s, link = %s WHERE challenge_id = %s"
_ADD: Final = f"""
WITH added AS (
    INSERT INTO leaderboard_event
        (challenge_id, seq, at, kind, participant_id, body, secret, salt, blind, link)
    SELECT %s, %s + n, %s, kind, nullif(participant, 0), body, coalesce(secret, ''),
        nullif(decode(salt, 'hex'), ''),
        substr(%s::bytea, ((n - 1) * 32)::int + 1, 32),
        substr(%s::bytea, ((n - 1) * 32)::int + 1, 32)
    FROM unnest(%s::smallint[], %s::bigint[], string_to_array(%s, E'\\n'),
        string_to_array(%s, E'\\n'), string_to_array(%s, E'\\n'))
        WITH ORDINALITY AS new (kind, participant, body, secret, salt, n)
)
{_END}"""  # noqa: S608 - texts of ours
"""Adds the events and moves the end of the log, in one statement of PostgreSQL. Texts that have no
line feeds, as JSON has none, arrive as one text: arrays of texts would cost more."""


class NewEvent(NamedTuple):
    """An event that is not in the log yet.

    body: numbers and codes, never names or free text, which belong into `secret`. attempt,
    participant: what it is about; the log adds them to the body, the participant under an alias.
    into: another participant, of which the first one became a part.
    """

    kind: Event.Kind
    body: JsonObject
    attempt: UUID | None = None
    participant: int | None = None
    secret: JsonObject | None = None
    into: int | None = None


class LogEnd(NamedTuple):
    """The locked end of a log."""

    seq: int
    link: bytes
    key: bytes
    at: datetime


class Aliases(dict[int, str]):
    """The aliases of participants in a log, each computed once."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def __missing__(self, participant: int) -> str:
        self[participant] = name = alias(self._key, participant)
        return name


class LogLine(NamedTuple):
    """An event with its place in the chain."""

    kind: int
    participant: int | None
    body: str
    secret: str
    salt: bytes | None
    blind: bytes
    link: bytes


def record_event(
    challenge: UUID,
    kind: Event.Kind,
    body: JsonObject,
    *,
    attempt: UUID | None = None,
    participant: int | None = None,
    secret: JsonObject | None = None,
    into: int | None = None,
) -> None:
    """Add an event to the log of a challenge, if its log has begun: that of a draft has not.

    The arguments are as in `NewEvent`. Call it in the transaction of the change, at its end.
    """
    record_events(challenge, [NewEvent(kind, body, attempt, participant, secret, into)])


def record_events(challenge: UUID, events: Sequence[NewEvent]) -> None:
    """Add several events in their order, with two statements for any number of them."""
    end = _locked_end(challenge) if events else None
    if end is None:
        return
    lines = chained(end, events)
    last = end.seq + len(lines), end.at, lines[-1].link
    if connection.vendor == "postgresql":
        columns = list(zip(*lines, strict=True))
        changed(_ADD, [challenge, end.seq, end.at, *_joined(columns), *last, challenge])
    else:
        rows = ((challenge, seq, end.at, *line) for seq, line in enumerate(lines, end.seq + 1))
        insert_rows(Event, FIELDS, rows)
        at = str(end.at.replace(tzinfo=None))
        changed(_END, [last[0], at, last[2], challenge.hex])


def forget_secrets(participant: int) -> None:
    """Erase what events about a participant say of people. The chains still verify."""
    Event.objects.filter(participant=participant).exclude(secret="").update(secret="", salt=None)


def begin_log(challenge: UUID, body: JsonObject) -> None:
    """Begin the log of a challenge that is shown from now on. body: of its first event."""
    now = moment(rows_of(f"SELECT {now_sql().replace('%%', '%')}", [])[0][0])
    EventLog.objects.get_or_create(
        challenge_id=challenge,
        defaults={"at": now, "link": FIRST_LINK, "key": os.urandom(BLIND_BYTES)},
    )
    record_event(challenge, EventKind.PUBLISHED, body)


def chained(end: LogEnd, events: Sequence[NewEvent]) -> list[LogLine]:
    """The lines that follow the end of a log."""
    link, at = end.link, written_at(end.at)
    aliases = Aliases(end.key)
    blinds = os.urandom(BLIND_BYTES * len(events))
    lines = []
    for index, (kind, body, attempt, participant, secret, into) in enumerate(events):
        about = body.copy()
        if attempt is not None:
            about["attempt"] = str(attempt)
        if participant is not None:
            about["participant"] = aliases[participant]
        if into is not None:
            about["into"] = aliases[into]
        text = body_text(about)
        hidden, salt = _hidden(secret)
        place = BLIND_BYTES * index
        blind = blind_of(salt, hidden) if salt else blinds[place : place + BLIND_BYTES]
        seq, committed = end.seq + 1 + index, commitment(blind, text)
        link = next_link(link, seq, at, _CODES[kind], committed)
        lines.append(LogLine(kind.value, participant, text, hidden, salt, blind, link))
    return lines


_LOCK: Final = """
WITH challenge AS (SELECT 1 FROM leaderboard_challenge WHERE id = %s FOR KEY SHARE)
SELECT seq, link, key, at, {now} FROM leaderboard_eventlog, challenge WHERE challenge_id = %s
FOR UPDATE OF leaderboard_eventlog"""
"""Locks the challenge first and its log second, in the order of all transactions. The other order
would end in a deadlock: a change of the challenge holds the challenge and waits for the log, and
this transaction holds the log and needs the challenge when it is committed."""
_READ: Final = "SELECT seq, link, key, at, {now} FROM leaderboard_eventlog WHERE challenge_id = %s"


def _locked_end(challenge: UUID) -> LogEnd | None:
    """The end of the log, locked; its time is now, but never before that of the last event."""
    if connection.vendor == "postgresql":
        rows = rows_of(_LOCK.format(now=now_sql()), [challenge, challenge])
    else:
        rows = rows_of(_READ.format(now=now_sql()), [challenge.hex])
    if not rows:
        return None
    ((seq, link, key, last_at, now),) = rows
    return LogEnd(seq, bytes(link), bytes(key), max(moment(last_at), moment(now)))


def _hidden(secret: JsonObject | None) -> tuple[str, bytes | None]:
    """The secret as a text, and its salt; "" and None without one."""
    return (body_text(secret), os.urandom(SALT_BYTES)) if secret else ("", None)


def _joined(columns: Sequence[Sequence[object]]) -> list[object]:
    """The columns of `LogLine`s as parameters of `_ADD`."""
    kinds, participants, bodies, secrets, salts, blinds, links = columns
    return [
        b"".join(blinds),  # type: ignore[arg-type]
        b"".join(links),  # type: ignore[arg-type]
        f"{{{','.join(map(str, kinds))}}}",
        f"{{{','.join(str(pk or 0) for pk in participants)}}}",
        "\n".join(bodies),  # type: ignore[arg-type]
        "\n".join(secrets),  # type: ignore[arg-type]
        "\n".join(salt.hex() if salt else "" for salt in salts),  # type: ignore[attr-defined]
    ]
