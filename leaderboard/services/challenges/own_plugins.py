"""The plugins that a challenge has of its own: uploaded, listed, replaced and removed.

A challenge has one upload at a time. Another one takes its place as a changed file on the server
does: `on_code_change` says what becomes of the board (`code_changes`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from leaderboard.models import Challenge, ChallengeFile, ScoringConfig, User
from leaderboard.rules.plugins.own import is_own, own_package, written
from leaderboard.rules.texts.messages import message
from leaderboard.sandbox import Failure, PluginDescription, SandboxError
from leaderboard.schemas.text_metrics import enabled
from leaderboard.services.challenge_code.packages import (
    package_of,
    readable_package,
    stored_upload,
    unpacked_package,
)
from leaderboard.services.challenge_code.uploads import (
    PluginFiles,
    name_upload,
    stored_files,
    write_upload,
)
from leaderboard.services.challenges.scoring_configs import check_again
from leaderboard.services.challenges.shared_plugins import not_sharing
from leaderboard.services.challenges.truths import record_file
from leaderboard.services.competition.audit import AuditKind, record
from leaderboard.services.errors import ServiceError, invalid
from leaderboard.services.evaluation.metrics import plugin_specs
from leaderboard.services.files.challenge_files import remove_file
from leaderboard.services.files.store import WrittenFile, delete_files
from leaderboard.services.plugins import metric_registry, sandboxes
from leaderboard.services.plugins.descriptions import described
from leaderboard.services.plugins.own import OwnKind, OwnPlugin, own_plugins, without_places
from leaderboard.services.plugins.text_metrics import UnknownTextMetric, find_text_metric

_TAKEN = message("A plugin of this name exists already, so this one is never used.")


class PluginFile(NamedTuple):
    """A file of an upload: its path and its bytes."""

    name: str
    size: int


class OwnUpload(NamedTuple):
    """The plugins of a challenge: their stored file, what is in it, and the plugins with the entry
    points by which the challenge names them."""

    file: ChallengeFile
    contents: Sequence[PluginFile]
    plugins: Sequence[OwnPlugin]


def own_package_of(challenge: Challenge) -> str:
    """The package of a challenge's own plugins; "" without any. Raises ServiceError."""
    try:
        return package_of(challenge.pk)
    except SandboxError:
        raise sandboxes.unavailable() from None


def described_scorer(
    entrypoint: str, challenge_id: UUID | None, *, now: bool = False
) -> PluginDescription:
    """The description of a scorer that a challenge names, or its error. now: ignore the cache."""
    package = readable_package(challenge_id) if challenge_id and is_own(entrypoint) else ""
    return replace(described(entrypoint, now=now, package=package), entrypoint=entrypoint)


def upload_of(challenge: Challenge) -> OwnUpload | None:
    """The plugins that a challenge has of its own. Raises ServiceError."""
    file = stored_upload(challenge.pk)
    if file is None:
        return None
    contents = [PluginFile(name, len(content)) for name, content in stored_files(file).items()]
    return OwnUpload(file, contents, list(_listed(own_package_of(challenge))))


def usable_own(challenge: Challenge, kind: OwnKind) -> list[PluginDescription]:
    """The plugins of a kind that a challenge has of its own; none while they cannot be asked."""
    plugins = _listed(readable_package(challenge.pk))
    of_kind = [plugin.description for plugin in plugins if plugin.kind == kind]
    return [description for description in of_kind if description.error is None]


def _listed(package: str) -> Iterator[OwnPlugin]:
    """The plugins as challenges name them. One whose name is taken has that error."""
    used: set[tuple[OwnKind, str]] = set()
    for kind, plugin in own_plugins(package):
        if plugin.error is not None:
            detail = without_places(plugin.error.detail, package)
            plugin = replace(plugin, error=plugin.error._replace(detail=detail))
        key = kind, plugin.name.casefold()
        if plugin.error is None and kind != "scorer":
            if key in used or _is_on_server(kind, plugin.name):
                plugin = replace(plugin, error=Failure("load_error", _TAKEN))
            used.add(key)
        yield OwnPlugin(kind, replace(plugin, entrypoint=written(plugin.entrypoint)))


def _is_on_server(kind: OwnKind, name: str) -> bool:
    if kind == "metric":
        return not metric_registry.why_unknown(name)
    return _text_entrypoint(name, "") != ""


def put_own_plugins(
    challenge: Challenge,
    files: PluginFiles,
    *,
    user: User | None,
    also: Sequence[Challenge] = (),
) -> None:
    """Store files as the plugins of a challenge, in place of those before.

    also: other challenges with the same plugins, in which they are replaced too: in all, or in
    none. Raises ServiceError: also if the newest scoring version of one of them names a plugin that
    would be missing.
    """
    before, package = stored_upload(challenge.pk), own_package_of(challenge)
    shared = before.sha256 if before else ""
    check = partial(_check_newest, challenge, before=package)
    stored = write_upload(challenge, files, check=check)
    if stored is None:
        return
    written = {challenge.pk: (challenge, stored)}
    try:
        for other in also:
            # By the packages of this challenge: they hold the same files, and have been asked.
            new = partial(_check_newest, other, unpacked_package(stored.path), before=package)
            written[other.pk] = other, _write_too(other, files, new)
        with transaction.atomic():
            for pk in sorted(written):
                Challenge.objects.lock_challenge(pk)
            for pk, (target, file) in written.items():
                replaced = stored_upload(pk)
                if target is not challenge and (replaced and replaced.sha256) != shared:
                    raise not_sharing(target.slug)
                _record(target, replaced, name_upload(target, file, user=user), user)
    except ServiceError:
        delete_files(file.path for _target, file in written.values())
        raise


def _write_too(other: Challenge, files: PluginFiles, check: Callable[[], None]) -> WrittenFile:
    """Write the files for another challenge. Raises ServiceError, which names it."""
    try:
        stored = write_upload(other, files, check=lambda _package: check())
    except ServiceError as refused:
        text = _("must be challenges that can have the new plugins; {challenge}: {why}")
        text = text.format(challenge=other.slug, why=refused.message)
        raise ServiceError(refused.code, f"also: {text}", {"also": [text]}) from None
    if stored is None:  # It has these files already, so another request replaced the former ones.
        raise not_sharing(other.slug)
    return stored


def remove_own_plugins(challenge: Challenge, *, user: User | None) -> None:
    """Remove the plugins of a challenge. Raises ServiceError: `conflict` while it is scored by
    them."""
    package = own_package_of(challenge)
    with transaction.atomic():
        locked = Challenge.objects.lock_challenge(challenge.pk)
        file = stored_upload(challenge.pk)
        if file is None:
            raise ServiceError("not_found", _("This challenge has no plugins of its own."))
        if any(_uses(config, package) for config in {locked.newest, locked.shown}):
            text = _("The challenge is scored by these plugins. Change its scoring first.")
            raise ServiceError("conflict", text)
        remove_file(file)
        _record(challenge, file, None, user)


def remove_challenge_file(file: ChallengeFile, *, user: User | None) -> None:
    """Delete a file of a challenge. Raises RestrictedError, ServiceError: `conflict`."""
    if file.role == ChallengeFile.Role.PLUGINS:
        remove_own_plugins(file.challenge, user=user)
    else:
        with transaction.atomic():
            remove_file(file)
            record_file(file, is_new=False, user=user)


def check_own_plugins(challenge: Challenge, before: ChallengeFile | None) -> None:
    """Check the newest scoring version by the plugins now, if they are others than before.

    Raises ServiceError.
    """
    if stored_upload(challenge.pk) != before:
        package = own_package_of(challenge)
        check_again(challenge.newest, tenant=challenge.tenant.slug, package=package)


def _check_newest(challenge: Challenge, package: str, *, before: str) -> None:
    """Refuse an upload by which the newest scoring version could not score. Raises ServiceError."""
    if _uses(challenge.newest, before):
        try:
            check_again(challenge.newest, tenant=challenge.tenant.slug, package=package)
        except ServiceError as refused:
            text = _("must hold the plugins that the challenge is scored by; got others. {why}")
            raise invalid("file", text.format(why=refused.message)) from None


def _uses(config: ScoringConfig, package: str) -> bool:
    """Whether a config names plugins of an upload."""
    names = [metric_registry.entrypoint_of(spec.type, package) for spec in plugin_specs(config)]
    names += [_text_entrypoint(spec.id, package) for spec in enabled(config.text_specs)]
    return (config.runs_scorer and is_own(config.entrypoint)) or any(map(own_package, names))


def _text_entrypoint(metric_id: str, package: str) -> str:
    try:
        return find_text_metric(metric_id, package).entrypoint
    except UnknownTextMetric:
        return ""


def _record(
    challenge: Challenge,
    before: ChallengeFile | None,
    after: ChallengeFile | None,
    user: User | None,
) -> None:
    digests = [{"plugins": file.sha256 if file else ""} for file in (before, after)]
    record(challenge.pk, AuditKind.CHALLENGE, by=user, before=digests[0], after=digests[1])
    Challenge.objects.bump(challenge.pk)
