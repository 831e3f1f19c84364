from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.core.management.base import CommandError, CommandParser

from leaderboard.management.base import ProductCommand
from leaderboard.services.operations.backup import summary
from leaderboard.services.operations.backup_format import BackupError
from leaderboard.services.operations.restore import restore_backup


class Command(ProductCommand):
    help = "Replace the database, the uploads and the keys by a backup. Stop all workers first."
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", help="A file that `backup` has written.")
        parser.add_argument(
            "--no-input", action="store_false", dest="interactive", help="Do not ask on a terminal."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["interactive"] and sys.stdin.isatty():
            answer = input("This replaces everything in the database. Type yes to go on: ")
            if answer.strip().lower() != "yes":
                raise CommandError("nothing was changed")
        try:
            restored = restore_backup(Path(options["file"]))
        except BackupError as error:
            raise CommandError(str(error)) from None
        call_command("migrate", verbosity=0, interactive=False)
        files = f"{restored.files} file{'' if restored.files == 1 else 's'}"
        self.stdout.write(f"{summary(restored.rows)} and {files} of version {restored.version}")
        call_command("verify_standings", stdout=self.stdout)
