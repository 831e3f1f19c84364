"""Files of predictions as they arrive: checked within seconds, before anything is stored.

So a file with a wrong header uses up no attempt. The request checks it in the sandbox against the
form of the truth, which takes a second for a million rows, then writes and syncs it, and the
transaction of the attempt names it. If the attempt is refused, the file is deleted; a crash in
between leaves a file without a row, which the sweeper deletes after a day. If the truth is replaced
in this second, the worker checks the attempt again, which may fail there.
"""

from __future__ import annotations

from typing import IO

from django.utils.translation import gettext as _

from leaderboard.models import ScoringConfig, SubmittedFile, Truth
from leaderboard.predictions.checking import Predictions
from leaderboard.predictions.problems import BadTable
from leaderboard.sandbox import Failure, SandboxError
from leaderboard.services.errors import invalid
from leaderboard.services.files.store import open_file
from leaderboard.services.plugins import predictions
from leaderboard.services.predictions.truths import bad_table, unavailable


def checked_predictions(config: ScoringConfig, file: IO[bytes]) -> bytes:
    """The packed predictions in a file for a config. Raises ServiceError with the wrong lines.

    What it says about private rows is the same as about public ones, and holds no answer.
    """
    if config.truth_id is None:
        raise invalid("file", _("must wait: the challenge has no truth yet"))
    form = Truth.objects.values_list("form", flat=True).get(pk=config.truth_id)
    file.seek(0)
    try:
        checked = predictions.check_predictions(file.read(), bytes(form))
    except BadTable as error:
        raise bad_table(error, "file") from None
    except SandboxError:
        raise unavailable() from None
    return _packed(checked)


def packed_for(truth_id: int | None) -> str:
    """What `SubmittedFile.packed_for` says of predictions in the order of a truth."""
    return f"truth: {truth_id}"


def packed_predictions(config: ScoringConfig, submitted: SubmittedFile) -> bytes:
    """The predictions of an attempt for a config; packed again if its truth is another one.

    Raises ServiceError if the file does not fit the truth.
    """
    wanted = packed_for(config.truth_id)
    if submitted.packed_for == wanted and submitted.predictions is not None:
        return bytes(submitted.predictions)
    with open_file(submitted.path) as file:
        packed = checked_predictions(config, file)
    rows = SubmittedFile.objects.filter(pk=submitted.pk)
    rows.update(predictions=packed, packed_for=wanted)
    return packed


def _packed(checked: Predictions | Failure) -> bytes:
    if isinstance(checked, Failure):
        raise invalid("file", checked.message)
    return checked.packed
