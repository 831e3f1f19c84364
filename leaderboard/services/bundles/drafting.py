"""Make a draft of a competition that another platform describes."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import IO, Final, NamedTuple

from django.conf import settings
from django.db import transaction

from leaderboard.bundles import Bundle, BundledFile, KeyReport, read_bundle
from leaderboard.importers import ImportFailed, Source
from leaderboard.languages.translation import translated
from leaderboard.models import Challenge, ChallengeFile, Tenant, User
from leaderboard.programs.reading.packages import completed, missing
from leaderboard.rules.texts.messages import message
from leaderboard.services.attempts.new_attempts import SentFile
from leaderboard.services.challenges.challenges import change_challenge
from leaderboard.services.challenges.drafts import create_draft
from leaderboard.services.competition.participants.registration_rules import declare_rules
from leaderboard.services.errors import ServiceError, invalid
from leaderboard.services.files.challenge_files import add_file
from leaderboard.services.imports.samples import send_sample
from leaderboard.services.programs.environments import header_for
from leaderboard.services.programs.reading import (
    packages_of_code,
    read_content,
    require_code_allowed,
)
from leaderboard.services.scripts.prepare import ScriptRefused, locked_script

SCORING: Final[Sequence[str]] = ("rank_by", "columns", "scoring_strategy", "counting")
"""What needs the files of the challenge, which exist once the draft does."""

UNTIL_THEN: Final = "first"
"""A strategy that needs none of it."""


class ImportedBundle(NamedTuple):
    """A draft, and what became of each key of its bundle. sample: whether one is being scored."""

    challenge: Challenge
    platform: str
    report: Sequence[KeyReport]
    has_sample: bool


def prepared_bundle(file: IO[bytes], name: str, *, without_gpu: bool = False) -> Bundle:
    """Read a zip of another platform, and install the packages of its programs.

    It may take minutes, so that no transaction waits for it. without_gpu: whether to try a bundle
    that asks for a GPU. Raises ServiceError.
    """
    require_code_allowed()
    try:
        with Source.open(file, name) as source:
            bundle = read_bundle(source, without_gpu=without_gpu)
    except ImportFailed as error:
        raise invalid("file", error.text) from None
    _prepare_packages(bundle)
    return bundle


def import_bundle(bundle: Bundle, *, tenant: Tenant, user: User) -> ImportedBundle:
    """Make a draft of a prepared bundle, and score its sample submission.

    All or nothing: nothing is left of a bundle that cannot be held here. Raises ServiceError.
    """
    with transaction.atomic():
        challenge = _draft(tenant, user, bundle)
    has_sample = _send_sample(challenge, user, bundle)
    report = sorted(bundle.report, key=lambda line: line.outcome != "left_out")
    return ImportedBundle(challenge, bundle.platform, report, has_sample)


def _draft(tenant: Tenant, user: User, bundle: Bundle) -> Challenge:
    plain = {name: value for name, value in bundle.fields.items() if name not in SCORING}
    challenge = create_draft(
        tenant=tenant, user=user, fields={**plain, "scoring_strategy": UNTIL_THEN}
    )
    phases = {phase.slug: phase for phase in challenge.phases.all()}
    for file in bundle.files:
        add_file(
            challenge,
            io.BytesIO(file.content),
            name=file.name,
            role=ChallengeFile.Role(file.role),
            user=user,
            phase=phases.get(file.phase),
        )
    scoring = {name: bundle.fields[name] for name in SCORING if name in bundle.fields}
    scoring["program"] = bundle.program.as_json()
    if bundle.rules:
        declare_rules(challenge, bundle.rules, by=user)
    return change_challenge(challenge, user=user, fields=scoring)


def _prepare_packages(bundle: Bundle) -> None:
    """Give the program the packages that its files import, and install them.

    Raises ServiceError.
    """
    packages: tuple[str, ...] = ()
    for file in bundle.programs(ChallengeFile.Role.SCORING_PROGRAM):
        reading = read_content(file.name, io.BytesIO(file.content), bundle.program.kind)
        packages = completed(packages, reading.packages)
        for text in reading.warnings:
            bundle.differently("scoring_program", text)
    further = _further_packages(bundle)
    every = completed(packages, further)
    if not settings.METRIC_SCRIPTS:
        if lacking := missing(every):
            bundle.left_out(
                "packages",
                message(
                    "{wanted}: the operator prepares packages with METRIC_SCRIPTS=on.",
                    wanted=", ".join(lacking),
                ),
            )
        return
    if missing(further) and _is_prepared(every):
        packages = every
    elif missing(further):
        _prepare(packages)
        bundle.left_out(
            "packages",
            message(
                "{wanted}: these cannot be installed together; name others on the page of the "
                "program.",
                wanted=", ".join(missing(further)),
            ),
        )
    elif packages:
        _prepare(packages)
    if packages:
        bundle.program.packages = list(packages)
        bundle.differently("packages", ", ".join(packages))


def _further_packages(bundle: Bundle) -> tuple[str, ...]:
    """What the ingestion program and the sample need, which the image of the platform has had."""
    if not bundle.program.ingestion:
        return ()
    code = bundle.programs(ChallengeFile.Role.INGESTION_PROGRAM)
    if bundle.sample is not None:
        code.append(bundle.sample)
    return packages_of_code([(file.name, io.BytesIO(file.content)) for file in code])


def _is_prepared(packages: Sequence[str]) -> bool:
    try:
        _prepare(packages)
    except ServiceError:
        return False
    return True


def _prepare(packages: Sequence[str]) -> None:
    """Raises ServiceError."""
    try:
        locked_script(header_for(packages))
    except ScriptRefused as error:
        detail = error.detail.strip()
        raise invalid("packages", f"{translated(error.message)} {detail}".strip()) from None


def _send_sample(challenge: Challenge, user: User, bundle: Bundle) -> bool:
    """Whether the sample of the bundle is being scored; the report says why it is not."""
    sample: BundledFile | None = bundle.sample
    if sample is None:
        return False
    try:
        send_sample(challenge, user=user, file=SentFile(io.BytesIO(sample.content), sample.name))
    except ServiceError as error:
        bundle.left_out("solutions", translated(error.message))
        return False
    return True
