from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from leaderboard.management.base import ProductCommand
from leaderboard.services.files.store import is_on_disk
from leaderboard.services.operations.backup import WrittenBackup, summary, write_backup
from leaderboard.services.operations.backup_format import BackupError


class Command(ProductCommand):
    help = "Write a snapshot of the database, the uploads and the key into one new file."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", help="A file that does not exist yet.")

    def handle(self, *args: Any, **options: Any) -> None:
        path = Path(options["file"])
        try:
            written = write_backup(path)
        except BackupError as error:
            raise CommandError(str(error)) from None
        size = path.stat().st_size
        self.stdout.write(f"{path}: {summary(written.rows)}, {size / 2**20:,.1f} MiB")
        self.stdout.write(_about_key(written))
        if not is_on_disk():
            self.stdout.write("It does not contain the files in STORAGE_URL: back them up apart.")


def _about_key(written: WrittenBackup) -> str:
    if written.key is not None:
        return f"It contains the secret key of {written.key}."
    return (
        f"It does not contain the secret key: {written.why_no_key}. Keep the key of the web apart."
        " With another key, all sessions end, and no app and no recovery code of a second factor"
        " is accepted."
    )
