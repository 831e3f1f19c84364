"""Plugins that several challenges of a tenant have: taken over from one, and replaced in several.

Each challenge has its own copy, so that nothing changes in one without its organisers. What is said
here of other challenges is said only to those who may configure them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Final, NamedTuple

from django.core.files import File
from django.utils.translation import gettext as _

from leaderboard.models import Challenge, ChallengeFile, User
from leaderboard.services.challenge_code.packages import stored_upload
from leaderboard.services.challenge_code.uploads import (
    PluginFiles,
    checked_files,
    read_upload,
    stored_files,
)
from leaderboard.services.competition.roles import organised_beside
from leaderboard.services.errors import ServiceError, invalid

MOST_AT_ONCE: Final = 20
"""In so many other challenges plugins are replaced at once, because each is checked by them."""


class OtherUpload(NamedTuple):
    """The plugins of another challenge of the tenant. names: of its files; none while they cannot
    be read. same: whether they are the same files as those of the challenge itself."""

    challenge: Challenge
    file: ChallengeFile
    names: Sequence[str]
    same: bool


def other_uploads(challenge: Challenge, *, organiser: User | None) -> list[OtherUpload]:
    """The plugins of the other challenges of the tenant that `organiser` may configure, by name.

    organiser: None for a request that may configure no other challenge.
    """
    own = stored_upload(challenge.pk)
    files = ChallengeFile.objects.filter(
        role=ChallengeFile.Role.PLUGINS, challenge__in=organised_beside(challenge, organiser)
    )
    latest = {
        file.challenge_id: file
        for file in files.select_related("challenge").order_by("challenge__name", "challenge", "pk")
    }
    # The same files are read once, however many challenges have them.
    different = {file.sha256: file for file in latest.values()}
    names = {sha256: _names(file) for sha256, file in different.items()}
    same = own.sha256 if own else ""
    return [
        OtherUpload(file.challenge, file, names[file.sha256], file.sha256 == same)
        for file in latest.values()
    ]


def sent_plugins(
    challenge: Challenge, file: File[Any] | None, source: str, *, organiser: User | None
) -> PluginFiles:
    """The files of an upload, or else those that another challenge has as its plugins.

    source: its slug; "" for none. Raises ServiceError.
    """
    if file is not None:
        if source:
            text = _("must be left out if the plugins of another challenge are taken; got both")
            raise invalid("file", text)
        return read_upload(file.name or "", file)
    if not source:
        text = _(
            "must be a Python file or a zip file unless another challenge is the source; got none"
        )
        raise invalid("file", text)
    other = organised_beside(challenge, organiser).filter(slug=source).first()
    upload = stored_upload(other.pk) if other else None
    if upload is None:
        text = _("must be another challenge of the tenant that you organise and that has plugins")
        raise invalid("source", text, got=source)
    return checked_files(stored_files(upload))


def sharing_challenges(
    challenge: Challenge, slugs: Collection[str], *, organiser: User | None
) -> list[Challenge]:
    """The other challenges with these slugs, which have the same plugins as the challenge.

    Raises ServiceError if one has not, or if `organiser` may not configure it.
    """
    if len(set(slugs)) > MOST_AT_ONCE:
        text = _("must be at most {most} challenges; got {count}")
        raise invalid("also", text.format(most=MOST_AT_ONCE, count=len(set(slugs))))
    own = stored_upload(challenge.pk)
    same = ChallengeFile.objects.filter(
        role=ChallengeFile.Role.PLUGINS, sha256=own.sha256 if own else None
    )
    named_challenges = organised_beside(challenge, organiser).filter(
        slug__in=slugs, pk__in=same.values("challenge")
    )
    sharing = list(named_challenges.select_related("tenant", "newest_config"))
    if wrong := set(slugs) - {other.slug for other in sharing}:
        raise not_sharing(min(wrong))
    return sharing


def not_sharing(slug: str) -> ServiceError:
    """The error for a challenge that has other plugins than the one whose are replaced."""
    text = _("must be challenges that you organise and that have the same plugins as this one")
    return invalid("also", text, got=slug)


def _names(file: ChallengeFile) -> Sequence[str]:
    try:
        return list(stored_files(file))
    except ServiceError:
        return ()
