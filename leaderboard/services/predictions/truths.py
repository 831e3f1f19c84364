"""The truth of a challenge: read from its file by the columns that a scoring config names."""

from __future__ import annotations

import hashlib
from dataclasses import asdict
from io import BytesIO
from typing import IO, Final

from django.utils.translation import gettext as _

from leaderboard.languages.translation import translated
from leaderboard.models import Challenge, ChallengeFile, ScoringConfig
from leaderboard.models import Truth as StoredTruth
from leaderboard.predictions.layouts import TruthSettings
from leaderboard.predictions.previews import Preview
from leaderboard.predictions.problems import BadTable
from leaderboard.predictions.truths import Truth
from leaderboard.rules.json.canonical import canonical
from leaderboard.sandbox import Failure, SandboxError
from leaderboard.services.errors import ServiceError, invalid
from leaderboard.services.files.challenge_files import add_file, remove_file
from leaderboard.services.files.store import open_file
from leaderboard.services.plugins import predictions
from leaderboard.services.predictions.metrics import least_prediction

SAMPLE_NAME: Final = "sample_submission.csv"


def truth_settings(config: ScoringConfig) -> TruthSettings:
    """How a config, stored or not, reads a truth."""
    split = config.split or {}
    return TruthSettings(
        id_column=config.id_column,
        targets=tuple(config.targets),
        kind=config.prediction_kind,  # type: ignore[arg-type]
        positive=config.positive_label,
        usage_column=split.get("column", ""),
        share=split.get("share"),
        seed=split.get("seed", ""),
        above=least_prediction(config.prediction_specs),
    )


def stored_truth(file: ChallengeFile, settings: TruthSettings) -> StoredTruth:
    """The truth in a file of a challenge, read unless it was read in the same way before.

    Takes seconds, so call it outside of transactions. Raises ServiceError with the lines of the
    table that are wrong.
    """
    digest = hashlib.sha256(canonical(asdict(settings))).hexdigest()
    if (existing := StoredTruth.objects.filter(file=file, digest=digest).first()) is not None:
        return existing
    with open_file(file.path) as opened:
        truth = read_truth(opened, settings)
    _offer_sample(file.challenge, truth.sample)
    public, private, ignored = truth.counts
    stored, _is_new = StoredTruth.objects.get_or_create(
        file=file,
        digest=digest,
        defaults={
            "layout": truth.layout.as_json(),
            "form": truth.form,
            "key": truth.key,
            "public_rows": public,
            "private_rows": private,
            "ignored_rows": ignored,
        },
    )
    return stored


def _offer_sample(challenge: Challenge, sample: bytes) -> None:
    """Let participants download a file that looks as theirs must, in place of an older one."""
    role = ChallengeFile.Role.SAMPLE_SUBMISSION
    added = add_file(challenge, BytesIO(sample), name=SAMPLE_NAME, role=role, user=None)
    older = ChallengeFile.objects.filter(challenge=challenge, role=role, name=SAMPLE_NAME)
    for file in older.exclude(pk=added.pk):
        remove_file(file)


def read_truth(file: IO[bytes], settings: TruthSettings) -> Truth:
    """A truth in a file. Raises ServiceError with the lines that are wrong."""
    try:
        truth = predictions.read_truth(file.read(), settings)
    except BadTable as error:
        raise bad_table(error, "truth") from None
    except SandboxError:
        raise unavailable() from None
    if isinstance(truth, Failure):
        raise invalid("truth", truth.message)
    if not truth.counts[0]:
        raise invalid("truth", _("must have public rows; got none"))
    if (settings.usage_column or settings.share) and not truth.counts[1]:
        raise invalid("truth", _("must have private rows; got none"))
    return truth


def preview_of(file: IO[bytes]) -> Preview:
    """The first rows of a table. Raises ServiceError."""
    try:
        preview = predictions.preview_table(file.read())
    except BadTable as error:
        raise bad_table(error, "file") from None
    except SandboxError:
        raise unavailable() from None
    if isinstance(preview, Failure):
        raise invalid("file", preview.message)
    return preview


def bad_table(error: BadTable, field: str) -> ServiceError:
    """The error for a table that is not accepted: its first problems by line."""
    texts = [translated(problem.placed) for problem in error.problems]
    return ServiceError("invalid", f"{field}: {texts[0]}", {field: texts}, more=error.more)


def unavailable() -> ServiceError:
    """The error for a sandbox that cannot read tables on this host."""
    return ServiceError("unavailable", _("Tables cannot be read on this server at the moment."))
