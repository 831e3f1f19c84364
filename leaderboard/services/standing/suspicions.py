"""Rows of a board that organisers may want to look at: copies, names that look alike, and accounts
that belong together.

Nothing follows from a suspicion, and only those who see the pages of organisers read it: each may
have a good reason.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Final, NamedTuple
from uuid import UUID

from django.core.cache import cache
from django.db.models import Exists, OuterRef

from leaderboard.models import (
    Attempt,
    Board,
    Challenge,
    Entry,
    Membership,
    Participant,
    Standing,
    SubmittedFile,
)
from leaderboard.rules.admission.prints import PrintKind, prints_of
from leaderboard.rules.texts.skeletons import skeleton
from leaderboard.services.standing.judging import Case, stored_cases

MOST_ROWS: Final = 100
"""So many rows are compared: the first ones of the board."""
MOST_COMPARED: Final = 50_000
"""So many samples and outputs are compared; rows behind these are left out."""
MOST_NAMED: Final = 5
"""So many suspicions of a kind are told."""
MOST_ENTRIES: Final = 5000
"""Of so many entries and participants, the newest ones, accounts and names are compared."""
LEAST_SHARE: Final = 0.9
"""The share of its results or outputs that a copy has from another attempt."""
KEPT_SECONDS: Final = 3600
KINDS: Final[frozenset[PrintKind]] = frozenset(("result", "pattern", "output"))

Digest = tuple[str, bytes]


class Copy(NamedTuple):
    """An attempt whose results, outputs or file are those of an earlier one by another account.

    names: of its participant, and of that of the earlier attempt.
    """

    attempt: UUID
    names: tuple[str, str]


def copies_on(board: Board) -> Sequence[Copy]:
    """The copies among the first rows of a board; looked for once in each of its versions."""
    key = f"copies:{board.pk}:{board.version}"
    kept: list[list[str]] | None = cache.get(key)
    if kept is None:
        pairs = islice(_copies(_first_attempts(board)), MOST_NAMED)
        kept = [[str(copy), str(other)] for copy, other in pairs]
        cache.set(key, kept, KEPT_SECONDS)
    # Names are read each time: participants may change them, or have them erased.
    ids = [(UUID(copy), UUID(other)) for copy, other in kept]
    attempts = Attempt.objects.select_related("participant").in_bulk({*chain.from_iterable(ids)})
    names = {pk: attempt.participant.shown_name for pk, attempt in attempts.items()}
    return [
        Copy(copy, (names[copy], names[other]))
        for copy, other in ids
        if copy in names and other in names
    ]


def linked_names(challenge: Challenge) -> Sequence[Sequence[str]]:
    """The names of participants whose accounts may belong to the same person: it is or was in
    several of them, or their addresses differ by no more than what stands behind a `+`.

    Accounts of organisers, who submit for others, are left out.
    """
    role = Membership.Role.ORGANISER
    organisers = Membership.objects.filter(tenant=challenge.tenant_id, role=role).values("user")
    entries = Entry.objects.filter(challenge=challenge).exclude(user__in=organisers)
    newest = entries.select_related("user", "participant").order_by("-pk")[:MOST_ENTRIES]
    people: defaultdict[str, dict[int, str]] = defaultdict(dict)
    for entry in newest:
        person = _mailbox(entry.user.email) or str(entry.user_id)
        people[person][entry.participant_id] = entry.participant.shown_name
    linked = {tuple(sorted(names.values())) for names in people.values() if len(names) > 1}
    return sorted(linked)[:MOST_NAMED]


def alike_names(challenge: Challenge) -> Sequence[Sequence[str]]:
    """The names of participants that differ by no more than signs, spaces and letters that are
    drawn alike, among those who have submitted.
    """
    submitted = Attempt.objects.filter(challenge=challenge, participant=OuterRef("pk"))
    participants = Participant.objects.filter(Exists(submitted)).order_by("-pk")
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for participant in participants[:MOST_ENTRIES]:
        name = participant.shown_name
        drawn = participant.skeleton or skeleton(name)
        letters = "".join(character for character in drawn if character.isalnum())
        groups[letters or name].append(name)
    return sorted(sorted(names) for names in groups.values() if len(names) > 1)[:MOST_NAMED]


def _mailbox(email: str) -> str:
    """The mailbox in which mail to an address arrives at most servers; "" without an address."""
    local, _at, host = email.casefold().rpartition("@")
    return f"{local.partition('+')[0]}@{host}" if local else ""


def _first_attempts(board: Board) -> Iterator[Attempt]:
    """The attempts of the first rows, as long as these have not too much to compare."""
    standings = Standing.objects.filter(board=board).order_by("sort_key")
    ids = list(standings.values_list("attempt", flat=True)[:MOST_ROWS])
    attempts = Attempt.objects.select_related("participant").in_bulk(ids)
    left = MOST_COMPARED
    for attempt in filter(None, map(attempts.get, ids)):
        left -= (attempt.sample_count or 0) + (attempt.instance_count or 0)
        if left < 0:
            return
        yield attempt


def _copies(attempts: Iterator[Attempt]) -> Iterator[tuple[UUID, UUID]]:
    """The attempts that are copies, each with the attempt that was first."""
    ordered = sorted(attempts, key=lambda attempt: attempt.pk)
    files = SubmittedFile.objects.filter(attempt__in=ordered)
    sha256_by_attempt = dict(files.values_list("attempt", "sha256"))
    first: dict[Digest, Case] = {}
    for case in stored_cases(ordered):
        own = _digests(case, sha256_by_attempt.get(case.attempt, ""))
        other = _most_like(case, own, first)
        if other is not None:
            yield case.attempt, other
        for digest in own:
            first.setdefault(digest, case)


def _digests(case: Case, sha256: str) -> set[Digest]:
    prints = prints_of(case.submitted or case.samples, case.outputs, KINDS)
    digests: set[Digest] = {(one.kind, one.digest) for one in prints}
    return digests | {("file", sha256.encode())} if sha256 else digests


def _most_like(case: Case, own: set[Digest], first: Mapping[Digest, Case]) -> UUID | None:
    """The attempt of others that had nearly all digests of one kind first; None without one."""
    totals = Counter(kind for kind, _ in own)
    owners = ((digest[0], first[digest]) for digest in own if digest in first)
    shared = Counter(
        (kind, other.attempt)
        for kind, other in owners
        if other.participant != case.participant
        and (other.account is None or other.account != case.account)
    )
    alike = [
        other for (kind, other), count in shared.items() if count >= LEAST_SHARE * totals[kind]
    ]
    return min(alike, default=None)
