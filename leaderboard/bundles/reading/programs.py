"""What the phases of Codabench and CodaLab give the program of a challenge: files and limits."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from leaderboard.bundles.reading.configuration import YamlPart
from leaderboard.bundles.reading.draft import Bundle
from leaderboard.bundles.reading.files import BundleFiles
from leaderboard.rules.json.values import JsonObject
from leaderboard.rules.texts.messages import message

SECONDS: Final = 600
MOST_SECONDS: Final = 1800
ROLES: Final = (
    ("scoring_program", "scoring_program", "scoring"),
    ("reference_data", "truth", "truth"),
    ("ingestion_program", "ingestion_program", "ingestion"),
    ("input_data", "input_data", "input"),
)
"""A key of a bundle, the role of its file, and the field of the program that names it."""


def take_files(part: YamlPart, files: BundleFiles, bundle: Bundle, slug: str) -> None:
    """Take the programs and data of a phase. Raises ImportFailed.

    Those of the first phase are those of the challenge; a later phase may have others.
    """
    digests = {}
    for key, role, field in ROLES:
        path = part.text(key)
        file = files.file(path, role) if path else None
        if path and file is None:
            raise part.wrong(key, message("must be a file or a folder of the bundle"))
        if file is not None:
            digests[field] = bundle.add(file)
    program = bundle.program
    if not program.scoring and "scoring" not in digests:
        raise part.wrong("scoring_program", message("must be a file or a folder of the bundle"))
    if not program.scoring:
        for field, digest in digests.items():
            setattr(program, field, digest)
    if ("ingestion" in digests) != bool(program.ingestion):
        raise part.wrong(
            "ingestion_program", message("must be there in all phases, or in none of them")
        )
    own = {field: digest for field, digest in digests.items() if digest != getattr(program, field)}
    if own:
        program.phases[slug] = own


def take_downloads(phase: YamlPart, files: BundleFiles, bundle: Bundle, slug: str) -> None:
    """Take what participants of a phase may download."""
    for role in ("starting_kit", "public_data"):
        path = phase.text(role)
        if path and (file := files.file(path, role, slug)):
            bundle.add(file)
        elif path:
            bundle.left_out(phase.key(role), message("The bundle has no such file."))


def take_seconds(phase: YamlPart, bundle: Bundle) -> None:
    """The longest limit of the phases is that of the program."""
    seconds = phase.whole("execution_time_limit") or SECONDS
    bundle.program.seconds = max(bundle.program.seconds, min(seconds, MOST_SECONDS))
    if seconds > MOST_SECONDS:
        bundle.differently(
            phase.key("execution_time_limit"),
            message("At most {most} seconds.", most=MOST_SECONDS),
        )


def tell_of_migration(phase: YamlPart, bundle: Bundle, key: str) -> None:
    if phase.is_true(key):
        bundle.differently(
            phase.key(key), message("Advance the best attempts on the page of the phase before it.")
        )


def phase_fields(
    phase: YamlPart,
    bundle: Bundle,
    names: tuple[str, str],
    opens: datetime | None,
    closes: datetime | None,
) -> JsonObject:
    """A phase by the names of the API, with its dates and limits. names: its slug and its name."""
    slug, name = names
    if opens and closes and closes <= opens:
        bundle.differently(phase.path, message("It has no end, which lies before its beginning."))
        closes = None
    return {
        "slug": slug,
        "name": name,
        "opens_at": opens.isoformat() if opens else None,
        "closes_at": closes.isoformat() if closes else None,
        "per_day": phase.whole("max_submissions_per_day") or None,
        "per_month": phase.whole("max_submissions_per_month") or None,
        "total": phase.whole("max_submissions") or None,
    }
