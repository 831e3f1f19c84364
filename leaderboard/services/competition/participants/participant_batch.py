"""The participants of a batch of attempts: found by one query, made by one statement."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import starmap
from typing import Any

from django.utils import timezone
from django.utils.text import slugify
from django.utils.translation import gettext as _

from leaderboard.models import Challenge, FormerName, Participant, User
from leaderboard.models.bulk import among, insert_missing
from leaderboard.rules.texts.names import clean_name, name_key, plain_name
from leaderboard.rules.texts.quoting import sent
from leaderboard.rules.texts.skeletons import skeleton
from leaderboard.services.competition.participants.participant_record import (
    FIELDS,
    MADE,
    NAME_QUERIES,
    NO_ID,
    ParticipantRecord,
    row_of,
)
from leaderboard.services.competition.participants.reserved_names import reserved_among
from leaderboard.services.competition.participants.taking_part import RegistrationBatch
from leaderboard.services.errors import ServiceError, invalid


class ParticipantBatch:
    """The participants that a user's attempts name, existing and new.

    Within one transaction: `find` reads the existing ones, `of` finds the participant of a name,
    `make` inserts the new ones. Call `check` once more after that, as other transactions may make
    them at the same time.

    registering: whether the participants are about to be registered, and need not be already.
    has_limits: as of `RegistrationBatch`. only_as: the participant that the token of
    the request is bound to; None: it is bound to none.
    """

    def __init__(
        self,
        challenge: Challenge,
        user: User,
        *,
        organiser: bool,
        registering: bool = False,
        has_limits: bool = False,
        only_as: int | None = None,
    ) -> None:
        self._challenge = challenge
        self._only_as = only_as
        self._is_private = challenge.is_hidden
        self._user = user
        self._organiser = organiser
        self._registrations = RegistrationBatch(
            challenge, user, organiser=organiser or registering, has_limits=has_limits
        )
        self._keys: dict[str, str | ServiceError] = {}
        self._by_key: dict[str, ParticipantRecord] = {}
        self._new: dict[str, ParticipantRecord] = {}
        self._reserved: set[str] = set()
        self._now = timezone.now()

    def find(self, handles: Iterable[str]) -> None:
        """Read the participants that have one of these names."""
        self._keys = {handle: _key_of(handle) for handle in set(handles)}
        keys = {key for key in self._keys.values() if isinstance(key, str)}
        # If two have the same name, the private one counts; it comes last.
        self._by_key = self._existing_by_key(keys)
        if missing := keys - self._by_key.keys():
            self._by_key |= self._renamed(missing)
        missing = keys - self._by_key.keys()
        existing_ids = [participant.id for participant in self._by_key.values()]
        if missing and self._registrations.is_member_of_others(existing_ids):
            # Another request of the user may have made one after the names were read.
            self._by_key |= self._existing_by_key(missing)
        self._registrations.find([participant.id for participant in self._by_key.values()])
        if not self._organiser:
            unknown = keys - self._by_key.keys()
            self._reserved = reserved_among(self._challenge.tenant_id, unknown)

    def of(self, handle: str, name: str = "", kind: str = "") -> ParticipantRecord:
        """The participant with this handle. A new one has no id before `make`.

        Raises ServiceError: `invalid` for a handle that cannot be a name, `permission_denied` when
        the participant belongs to another user, `not_registered` when it may not submit, both
        unless `organiser` is true.
        """
        key = self._keys[handle]
        if isinstance(key, ServiceError):
            raise key
        if existing := self._by_key.get(key):
            self.check(existing)
            return existing
        if key in self._reserved:
            text = _("must be a name that no other participant has or had; got {sent}")
            text = text.format(sent=sent(handle))
            raise ServiceError("conflict", f"participant: {text}", {"participant": [text]})
        planned = self._new.get(key) or self._planned(key, handle, name, kind)
        self._check_token(planned)
        self._registrations.check(planned)
        return planned

    def check(self, participant: ParticipantRecord) -> None:
        """Refuse a participant of others (`permission_denied`) or without a valid registration."""
        self._check_token(participant)
        if not self._organiser and not self._registrations.is_member(participant):
            text = _("must be a participant of yours, or a new one; got {sent}")
            raise ServiceError(
                "permission_denied",
                _("The participant “{handle}” belongs to another user.").format(
                    handle=participant.handle
                ),
                {"participant": [text.format(sent=sent(participant.handle))]},
            )
        self._registrations.check(participant)

    def _check_token(self, participant: ParticipantRecord) -> None:
        if self._only_as in (None, participant.id):
            return
        text = _("must be the participant that the token is bound to; got {sent}")
        raise ServiceError(
            "permission_denied",
            _("The token is bound to another participant than “{handle}”.").format(
                handle=participant.handle
            ),
            {"participant": [text.format(sent=sent(participant.handle))]},
        )

    def register(self, participants: Iterable[ParticipantRecord]) -> set[int]:
        """Register the participants whose first attempt this is; returns the ids of these.

        The caller adds `registered_event`s to the log. Raises ServiceError.
        """
        return self._registrations.register(participants)

    def keep(self, participant: ParticipantRecord) -> None:
        """Note that an attempt of a participant is accepted; a new one will be made."""
        if participant.id == NO_ID:
            self._new[participant.handle_key] = participant
        self._registrations.keep(participant)

    def make(self) -> bool:
        """Insert the new participants; returns whether there were any.

        If another transaction made one in the meantime, it is used unchanged and must be checked.
        Raises ServiceError: `conflict`, when no slug was free.
        """
        # In a fixed order, otherwise two batches with the same names would deadlock.
        waiting = dict(sorted(self._new.items()))
        slugs = {key: slugs_of(record.handle) for key, record in waiting.items()}
        while waiting:
            self._choose_slugs(waiting.values(), slugs)
            inserted = insert_missing(Participant, FIELDS[1:], map(row_of, waiting.values()))
            # Otherwise another transaction has made one, and attempts of it may already wait.
            all_new = inserted == len(waiting)
            for key, pk, handle, slug, owner_id in self._made(waiting):
                participant = waiting.pop(key)
                participant.id, participant.handle, participant.slug = pk, handle, slug
                participant.owner_id, participant.is_new = owner_id, all_new
        return bool(self._new)

    def _existing_by_key(self, keys: Collection[str]) -> dict[str, ParticipantRecord]:
        return {participant.handle_key: participant for participant in self._existing(keys)}

    def _existing(self, keys: Collection[str]) -> Iterable[ParticipantRecord]:
        if len(keys) == 1:
            (key,) = keys
            existing = NAME_QUERIES[self._is_private].existing
            return map(
                ParticipantRecord.of, existing.instances(tenant=self._challenge.tenant_id, key=key)
            )
        rows = Participant.objects.named_at(self._challenge).filter(handle_key__in=among(keys))
        return (
            starmap(ParticipantRecord, rows.order_by("is_private").values_list(*FIELDS))
            if keys
            else ()
        )

    def _renamed(self, keys: Collection[str]) -> dict[str, ParticipantRecord]:
        """The participants that once had these names, by the former name."""
        former = FormerName.objects.filter(
            tenant=self._challenge.tenant_id, handle_key__in=among(keys)
        )
        if not self._is_private:
            former = former.filter(is_private=False)
        rows = former.order_by("is_private").select_related("participant")
        return {row.handle_key: ParticipantRecord.of(row.participant) for row in rows}

    def _taken(self, slugs: Collection[str]) -> set[str]:
        """Which of these slugs are in use, or redirect to renamed participants."""
        tenant = self._challenge.tenant_id
        former = FormerName.objects.filter(tenant=tenant, slug__in=among(slugs))
        redirects = former.values_list("slug", flat=True)
        if len(slugs) == 1:
            (slug,) = slugs
            taken = NAME_QUERIES[self._is_private].taken
            return {slug for (slug,) in taken.all(tenant=tenant, slug=slug)}.union(redirects)
        rows = Participant.objects.named_at(self._challenge).filter(slug__in=among(slugs))
        return set(rows.values_list("slug", flat=True).union(redirects))

    def _made(self, keys: Collection[str]) -> Iterable[tuple[Any, ...]]:
        """The fields of `MADE` of existing participants, by their keys."""
        if len(keys) == 1:
            (key,) = keys
            made = NAME_QUERIES[self._is_private].made
            return made.all(tenant=self._challenge.tenant_id, key=key)
        rows = Participant.objects.filter(
            tenant=self._challenge.tenant_id,
            is_private=self._is_private,
            handle_key__in=among(keys),
        )
        return rows.values_list(*MADE)

    def _planned(self, key: str, handle: str, name: str, kind: str) -> ParticipantRecord:
        try:
            clean = clean_name(handle)
        except ValueError as error:
            raise invalid("participant", error.args[0]) from None
        display_name = clean_display_name(name)
        return ParticipantRecord(
            id=NO_ID,
            tenant_id=self._challenge.tenant_id,
            handle=clean,
            handle_key=key,
            slug="",
            name=display_name,
            skeleton=skeleton(display_name or clean),
            kind=kind or Participant.Kind.SYSTEM.value,
            owner_id=self._user.pk,
            created_at=self._now,
            is_private=self._is_private,
            is_new=True,
        )

    def _choose_slugs(
        self, participants: Collection[ParticipantRecord], slugs: Mapping[str, Iterator[str]]
    ) -> None:
        """Choose the next slug for each; for those that are taken, the one after it, unchecked.

        Raises ServiceError (`conflict`) when a participant has none left.
        """
        for participant in participants:
            participant.slug = next(slugs[participant.handle_key], "")
        chosen = {participant.slug for participant in participants}
        if "" in chosen:
            raise ServiceError("conflict", _("This participant could not be created; try again."))
        taken = self._taken(chosen)
        taken |= reserved_among(self._challenge.tenant_id, chosen)
        for participant in participants:
            if participant.slug in taken:
                participant.slug = next(slugs[participant.handle_key], participant.slug)
            taken.add(participant.slug)


def participant_to_register(
    challenge: Challenge, captain: User, handle: str, *, name: str = "", kind: str = ""
) -> Participant:
    """The participant of this name, made if it is new. Raises ServiceError."""
    participants = ParticipantBatch(challenge, captain, organiser=False, registering=True)
    participants.find([handle])
    participant = participants.of(handle, name, kind)
    participants.keep(participant)
    participants.make()
    participants.check(participant)
    return participant.participant()


def clean_display_name(name: str) -> str:
    if not name:
        return ""
    try:
        return clean_name(name)
    except ValueError as error:
        raise invalid("name", error.args[0]) from None


def _key_of(handle: str) -> str | ServiceError:
    try:
        return name_key(plain_name(handle))
    except ValueError as error:
        return invalid("participant", error.args[0])


def slugs_of(handle: str) -> Iterator[str]:
    """The plain slug, then ones that no other handle has."""
    plain = slugify(handle.casefold())[:100].rstrip("-_")
    if plain:
        yield plain
    digest = hashlib.sha256(name_key(handle).encode()).hexdigest()
    yield from (f"{plain}-{digest[:8]}", digest[:32]) if plain else (f"p-{digest[:12]}",)
