"""A challenge as a document: read, and put in one transaction.

The document is the rules of a challenge. It has neither people nor attempts, and no state: that a
challenge is published, frozen or revealed. References go beside it.

The server takes and gives JSON in a zip file; the client turns it into strict YAML, Markdown and
JSON lines that people edit. What has changed is the difference between the documents before and
after, so a dry run is the same code, rolled back. A field that is absent is reset to its default,
so a document written by hand has to be complete.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from django.db import transaction
from django.utils.translation import gettext as _

from leaderboard.models import Attempt, Challenge, ChallengeFile, RegistrationRules, Tenant, User
from leaderboard.rules.json.canonical import same_value
from leaderboard.rules.json.values import JsonObject
from leaderboard.rules.rewards.documents import Document
from leaderboard.schemas.admission import AdmissionRules
from leaderboard.schemas.challenges import PLAIN_FIELDS
from leaderboard.schemas.folders import (
    CHALLENGE_FOLDER,
    DEFAULTS,
    RULES_DEFAULTS,
    STATE,
    sparse,
    sparse_phases,
)
from leaderboard.schemas.phases import written
from leaderboard.schemas.scoring import SCORING_ROWS
from leaderboard.services.challenge_code.packages import stored_upload
from leaderboard.services.challenges.challenges import (
    change_challenge,
    create_challenge,
    default_coverage,
)
from leaderboard.services.challenges.fields import scoring_fields_of
from leaderboard.services.challenges.folder_files import (
    FolderFile,
    add_files,
    described,
    files_of,
    settle_files,
)
from leaderboard.services.challenges.own_plugins import check_own_plugins
from leaderboard.services.challenges.samples import hold_sample
from leaderboard.services.competition.organisers.announcements import (
    announce,
    announcements_of,
    remove_announcement,
)
from leaderboard.services.competition.participants.registration_rules import (
    declare_rules,
    withdraw_rules,
)
from leaderboard.services.competition.schedule.change_phases import phase_as_json
from leaderboard.services.errors import ServiceError, validated
from leaderboard.services.standing.condition_sets import condition_set_of, preset, publish_rules

BESIDE: frozenset[str] = frozenset({"registration", "admission", "announcements"})
"""The parts of a document that are no fields of a challenge."""


class PutFolder(NamedTuple):
    """What a document has changed: names of its fields, `references` and `files`.

    attempts: how many there are to score again under a new scoring version; 0 without one.
    """

    challenge: Challenge
    is_new: bool
    changed: list[str]
    scoring_version: int
    attempts: int


def document_of(challenge: Challenge) -> JsonObject:
    """The document of a challenge, without fields that have their defaults."""
    own = {name: getattr(challenge, name) for name in PLAIN_FIELDS if name not in STATE}
    phases = [phase_as_json(phase) for phase in challenge.phases.order_by("position", "pk")]
    announcements = [
        {"title": announcement.title, "text": announcement.text}
        for announcement in reversed(announcements_of(challenge))
    ]
    fields = {
        **own,
        **scoring_fields_of(challenge.newest),
        "phases": sparse_phases(phases),
        "registration": _rules_of(challenge),
        "admission": _admission_of(challenge),
        "announcements": announcements,
    }
    return sparse(fields, _defaults(fields))


def _defaults(fields: Mapping[str, Any]) -> JsonObject:
    least = default_coverage(fields.get("scoring_strategy"), fields.get("tasks"))
    return {**DEFAULTS, "min_coverage": least}


def tag_fields(challenge: Challenge) -> JsonObject:
    """What the tag of a challenge's document depends on: also its references and files."""
    references = challenge.newest.references
    return {
        **document_of(challenge),
        "references": references.digest if references else "",
        "files": [described(file) for file in files_of(challenge)],
    }


def put_folder(
    challenge: Challenge | None,
    document: Mapping[str, Any],
    references: Document | None,
    files: Sequence[FolderFile] = (),
    *,
    slug: str,
    tenant: Callable[[], Tenant],
    user: User | None,
    guard: Callable[[Challenge], None] | None = None,
) -> PutFolder:
    """Make a challenge what a document says, in one transaction.

    challenge: None for a new one, which becomes a draft with this slug of `tenant()`. references:
    those that it holds from now on; None: none. files: all that it has from now on, beside those
    that scoring versions name. guard: a check of the challenge once it is locked. Raises
    ServiceError with every wrong field, and what the guard raises.
    """
    folder = validated(CHALLENGE_FOLDER, dict(document))
    fields = {name: value for name, value in document.items() if name not in STATE | BESIDE}
    with transaction.atomic():
        before: JsonObject = {}
        version, plugins_before = 0, None
        if challenge is None:
            # Files belong to a challenge, and its scoring may name them.
            made, added = _created(tenant(), slug, fields, references, files, user)
        else:
            hold_sample(challenge)
            made = Challenge.objects.lock_challenge(challenge.pk)
            if guard is not None:
                guard(made)
            before, version = tag_fields(made), made.newest.number
            plugins_before = stored_upload(made.pk)
            added = add_files(made, files, user)
            made = _changed(made, fields, references, user)
        settle_files(made, files, added, user)
        check_own_plugins(made, plugins_before)
        _put_rules(made, document.get("registration"), user)
        _put_admission(made, folder.admission, user)
        _put_announcements(made, document.get("announcements", ()), user)
        made.refresh_from_db()
        return _put(made, before, version)


def _created(
    tenant: Tenant,
    slug: str,
    fields: JsonObject,
    references: Document | None,
    files: Sequence[FolderFile],
    user: User | None,
) -> tuple[Challenge, list[ChallengeFile]]:
    """A draft, and its files. These belong to a challenge, and its scoring may name them, so the
    fields come after them.
    """
    plain = {"name": fields.get("name"), "scoring_strategy": "first"} if files else fields
    made = create_challenge(
        tenant=tenant,
        user=user,
        fields={**plain, "slug": slug, "is_draft": True},
        hold=None if files else references,
    )
    added = add_files(made, files, user)
    return _changed(made, fields, references, user) if files else made, added


def _put(challenge: Challenge, before: JsonObject, version: int) -> PutFolder:
    """What has changed. before, version: the fields before, and their scoring version; 0 for a new
    challenge.
    """
    after, number = tag_fields(challenge), challenge.newest.number
    attempts = Attempt.objects.filter(challenge=challenge).without_sample(challenge)
    return PutFolder(
        challenge,
        version == 0,
        sorted(name for name in before.keys() | after.keys() if not _same(before, after, name)),
        number,
        attempts.count() if version not in (0, number) else 0,
    )


def _changed(
    challenge: Challenge, fields: Mapping[str, Any], references: Document | None, user: User | None
) -> Challenge:
    """Change the fields that differ. If one of the scoring differs, all of them are sent."""
    current = document_of(challenge)
    names = DEFAULTS.keys() - BESIDE
    wanted = {name: {**_defaults(fields), **fields}[name] for name in names}
    stored = {name: {**_defaults(current), **current}[name] for name in names}
    compared = {**wanted, "phases": sparse_phases(wanted["phases"])}
    changes = {name for name in names if not same_value(compared[name], stored[name])}
    if changes & SCORING_ROWS.keys():
        changes |= SCORING_ROWS.keys()
    if wanted.get("timeout_ms") is None:
        changes -= {"timeout_ms"}
    release = references is None and challenge.newest.references_id is not None
    if not (changes or references or release):
        return challenge
    return change_challenge(
        challenge,
        user=user,
        fields={name: wanted[name] for name in changes},
        hold=references,
        release=release,
    )


def _put_rules(challenge: Challenge, rules: JsonObject | None, user: User | None) -> None:
    current = _rules_of(challenge)
    if rules is None:
        if current is not None:
            withdraw_rules(challenge, by=user)
    elif current is None or not same_value(sparse(rules, RULES_DEFAULTS), current):
        declare_rules(challenge, rules, by=user)


def _admission_of(challenge: Challenge) -> JsonObject | None:
    """The rules of admission; None without any."""
    current = condition_set_of(challenge)
    if current is None or not current.rules:
        return None
    since = {"since": written(current.since)} if current.since else {}
    return {"rules": current.rules, **since}


def _put_admission(challenge: Challenge, wanted: AdmissionRules | None, user: User | None) -> None:
    if wanted is None and _admission_of(challenge) is None:
        return
    if user is None:
        raise ServiceError("permission_denied", _("admission: needs a user."))
    rules = [] if wanted is None else wanted.rules
    if wanted is not None and wanted.preset is not None:
        rules = preset(wanted.preset)
    publish_rules(challenge, rules, by=user, since=wanted.since if wanted else None)


def _put_announcements(
    challenge: Challenge, wanted: Sequence[JsonObject], user: User | None
) -> None:
    """Announce what is new, and remove what is no longer in the document."""
    kept = [(row["title"], row.get("text", "")) for row in wanted]
    stored = {(row.title, row.text): row for row in announcements_of(challenge)}
    for pair, row in stored.items():
        if pair not in kept:
            remove_announcement(row, by=user)
    for title, text in dict.fromkeys(kept):
        if (title, text) not in stored:
            announce(challenge, {"title": title, "text": text}, by=user)


def _rules_of(challenge: Challenge) -> JsonObject | None:
    """The rules of registration, without fields that have their defaults; None without any."""
    rules = RegistrationRules.objects.filter(challenge=challenge).first()
    if rules is None:
        return None
    fields = {name: getattr(rules, name) for name in RULES_DEFAULTS}
    fixed = rules.teams_fixed_at
    return sparse({**fields, "teams_fixed_at": written(fixed) if fixed else None}, RULES_DEFAULTS)


def _same(before: JsonObject, after: JsonObject, name: str) -> bool:
    return name in before and name in after and same_value(before[name], after[name])
