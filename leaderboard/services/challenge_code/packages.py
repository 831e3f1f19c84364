"""The package of a challenge's own plugins, unpacked on this host.

Its name is random, and the server puts it in place of `challenge` in `challenge.module:Class`. So a
name leads to the upload of its own challenge only, and two versions of a file are never mixed.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import closing, suppress
from datetime import datetime
from pathlib import Path
from uuid import UUID

from leaderboard.importers import ImportFailed, Zip
from leaderboard.importers.reading.unpacking import unpack
from leaderboard.models import ChallengeFile, ScoringConfig
from leaderboard.rules.plugins.own import is_own, package_named, placed
from leaderboard.sandbox import SandboxError
from leaderboard.services.errors import ServiceError
from leaderboard.services.files.store import open_file
from leaderboard.services.plugins.sandboxes import uploads_folder


def stored_upload(challenge_id: UUID) -> ChallengeFile | None:
    """The file with a challenge's own plugins; None without one."""
    files = ChallengeFile.objects.filter(challenge=challenge_id, role=ChallengeFile.Role.PLUGINS)
    return files.order_by("-pk").first()


def package_of(challenge_id: UUID) -> str:
    """The package of a challenge's own plugins, for the sandbox; "" without any.

    Raises SandboxError if it cannot be read at present.
    """
    file = stored_upload(challenge_id)
    return unpacked_package(file.path) if file else ""


def readable_package(challenge_id: UUID) -> str:
    """The package of a challenge's own plugins; "" also if it cannot be read at present."""
    try:
        return package_of(challenge_id)
    except SandboxError:
        return ""


def unpacked_package(path: str) -> str:
    """The package of a stored upload. Unpacks it on the first use. Raises SandboxError."""
    package = package_named(Path(path).name)
    folder = uploads_folder() / package
    if not folder.exists():
        aside = Path(tempfile.mkdtemp(prefix=".unpacking-", dir=uploads_folder()))
        try:
            inside = aside / package
            inside.mkdir()
            with closing(Zip(open_file(path))) as archive:
                unpack(archive, inside)
            aside.chmod(0o755)
            with suppress(OSError):  # another process was quicker
                os.rename(aside, folder)
        except (ServiceError, ImportFailed, OSError) as error:
            raise SandboxError(f"plugins of a challenge cannot be unpacked: {error}") from error
        finally:
            shutil.rmtree(aside, ignore_errors=True)
    return package


def scorer_of(config: ScoringConfig) -> str:
    """The entry point of a config's scorer, as the sandbox loads it. Raises SandboxError."""
    if not is_own(config.entrypoint):
        return config.entrypoint
    return placed(config.entrypoint, package_of(config.challenge_id))


def delete_unused_packages(older_than: datetime) -> None:
    """Delete the old folders of uploads that no challenge has any more."""
    latest = older_than.timestamp()
    with os.scandir(uploads_folder()) as entries:
        old = {entry.name for entry in entries if entry.stat().st_mtime < latest}
    if old:
        paths = ChallengeFile.objects.filter(role=ChallengeFile.Role.PLUGINS)
        old -= {package_named(Path(path).name) for path in paths.values_list("path", flat=True)}
    for name in old:
        shutil.rmtree(uploads_folder() / name, ignore_errors=True)
