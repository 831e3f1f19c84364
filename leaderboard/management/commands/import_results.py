"""`manage.py import_results CHALLENGE FILE [--participant P] [--map COLUMN=USE …] [--dry-run]`."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from leaderboard.importers import ColumnUse, known_importers
from leaderboard.importers.tables.uses import ACCEPTED
from leaderboard.management.arguments import challenge_named, opened, user_named
from leaderboard.management.base import ProductCommand
from leaderboard.services.errors import ServiceError
from leaderboard.services.imports.importing import import_file
from leaderboard.services.imports.previews import ImportResult, Preview, verdict_in_words

USERNAME = "import"
"""The user who submits imported attempts if no user is named."""


class Command(ProductCommand):
    help = "Import a result file of any supported format as attempts: all of them or none."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("challenge", help="The challenge's slug.")
        parser.add_argument("file", help="A file, an archive or a folder.")
        parser.add_argument("--participant", default="", help="Whose attempts they are.")
        parser.add_argument("--format", default="", choices=known_importers(), metavar="FORMAT")
        parser.add_argument(
            "--map",
            nargs="+",
            action="extend",
            default=[],
            metavar="COLUMN=USE",
            help=f"The use of a table's column; others are guessed. USE: {ACCEPTED}.",
        )
        parser.add_argument(
            "--show-columns",
            action="store_true",
            help="Let the board show each value of a table.",
        )
        parser.add_argument(
            "--user", default=USERNAME, help="The user who submits; created if missing."
        )
        parser.add_argument(
            "--dry-run", action="store_true", help="Show what would be imported, and save nothing."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        challenge = challenge_named(options["challenge"])
        with opened(options["file"]) as source:
            user, is_new = user_named(options["user"], "--user")
            is_needed = False
            try:
                result = import_file(
                    challenge=challenge,
                    user=user,
                    source=source,
                    participant=options["participant"],
                    format=options["format"],
                    organiser=True,
                    dry_run=options["dry_run"],
                    columns=options["map"],
                    show_columns=options["show_columns"],
                )
                is_needed = not options["dry_run"]
            except ServiceError as refused:
                several = refused.fields.get("file", ())[1:]
                raise CommandError("\n".join([refused.message, *several])) from None
            finally:
                if is_new and not is_needed:
                    user.delete()
        self._tell(result)

    def _tell(self, result: ImportResult) -> None:
        for row in result.rows:
            self.stdout.write(_preview_line(row))
        for use in result.map:
            self.stderr.write(_use(use))
        for line in [*result.warnings, *result.differences]:
            self.stderr.write(line)


def _preview_line(row: Preview) -> str:
    """A line such as `atlas: 12 samples of 4 tasks, 1 failed, attempt 0197…`."""
    samples = f"{row.samples} samples of {row.tasks} tasks" if row.samples else ""
    parts = [part for part in (samples, row.recognised.text) if part] or ["no samples"]
    if row.failed:
        parts.append(f"{row.failed} failed")
    if row.known:
        parts.append("here already")
    parts.append(f"attempt {row.attempt}" if row.attempt else "not kept")
    if verdict := verdict_in_words(row):
        parts.append(verdict)
    return f"{row.participant}: {', '.join(parts)}"


def _use(use: ColumnUse) -> str:
    """A line such as `MMLU (5-shot)=value:MMLU_5-shot (71.2%, 68.0%; in %)`."""
    about = "; ".join(part for part in (", ".join(use.examples), use.note) if part)
    return f"{use.column}={use.use}" + (f" ({about})" if about else "")
