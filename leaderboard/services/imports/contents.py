"""What a result file holds, read for a challenge and for the user who sends it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from django.utils.translation import gettext as _

from leaderboard.importers import ColumnMap, Import, ImportFailed, Source, read, under_name
from leaderboard.importers.formats import harpia, outputs
from leaderboard.models import Challenge
from leaderboard.rules.texts.messages import listed, message
from leaderboard.services.attempts.evidence import may_report
from leaderboard.services.competition.participants.own_names import OwnName
from leaderboard.services.errors import ServiceError, invalid
from leaderboard.services.imports.readings import read_once
from leaderboard.services.imports.refusals import failed


@dataclass(frozen=True)
class SentResults:
    """A result file and how its user wants it to be read.

    participant: of all attempts, "" to take names from the file. format: a key of
    `importers.known_importers()`, "" to recognise it. columns: uses of a table's columns,
    `COLUMN=USE` each; the others are guessed. own: the name under which the user takes part.
    """

    challenge: Challenge
    source: Source
    participant: str
    format: str
    columns: Sequence[str]
    own: OwnName | None

    def contents(self, remember: Path | None, *, organiser: bool) -> Import:
        """The attempts in the file, with at least one. Raises ServiceError.

        remember: a file to store them in, so that the import after a preview does not read the
        source again. A user who takes part under one name only gives it to a file of one agent.
        """
        own = self.own
        newest = self.challenge.newest.pk
        asked = [self.participant, self.format, newest, own.handle if own else ""]
        contents = read_once(remember, asked, self.columns, self._read)
        if own and own.is_sole and not organiser:
            return under_name(contents, own.handle)
        return contents

    def _read(self) -> Import:
        """Read the file; under the user's own name if it needs one and has none."""
        try:
            return self._read_as(self.participant)
        except ServiceError as refused:
            if self.own is None or "participant" not in refused.fields:
                raise
            contents = self._read_as(self.own.handle)
            if any(attempt.sent for attempt in contents.attempts):
                raise  # Only some of its attempts name nobody.
            return contents

    def _read_as(self, participant: str) -> Import:
        try:
            contents = read(
                self.source,
                format=self.format,
                participant=participant,
                otherwise=self._likely_format(),
                columns=ColumnMap(self.columns, partial(_is_computed, self.challenge)),
            )
        except ImportFailed as error:
            raise failed(error) from None
        if contents.challenges:
            raise invalid("file", _("must contain attempts; got a registry of challenges"))
        if not contents.attempts:
            problem = message("must contain attempts; got a file without any")
            raise invalid("file", listed([problem, *contents.warnings], by="; "))
        return contents

    def _likely_format(self) -> str:
        """The format of a file that fits none, if the challenge evaluates texts."""
        config = self.challenge.newest
        if config.references_id is not None:
            return outputs.KEY
        return harpia.KEY if config.text_metrics and self.source.document else ""


def _is_computed(challenge: Challenge, key: str) -> bool:
    """Whether the challenge computes the value of this name, so that no table can report it."""
    return not may_report(challenge.newest, key, challenge.values)
