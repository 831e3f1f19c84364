"""`manage.py makemessages`: collect every text to translate into the catalogues."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

from django.core.management.commands import makemessages
from django.utils.translation import to_locale

IGNORED: Final = (
    ".venv*",
    "benchmarks",
    "build",
    "dist",
    "docs",
    "node_modules",
    "scorers",
    "tests",
    "var",
)


CREATED: Final = re.compile(rb'^"POT-Creation-Date: .*\n', re.MULTILINE)


class Command(makemessages.Command):
    help = "Collect every text to translate into leaderboard/locale; needs GNU gettext."
    # Code that may not import Django marks texts with these two of leaderboard/rules/messages.py.
    xgettext_options = [
        *makemessages.Command.xgettext_options,
        "--keyword=message",
        "--keyword=counted:1,2",
    ]

    def handle(self, *args: Any, **options: Any) -> None:
        """Omit line numbers from catalogues, because they would change with every edit."""
        options["ignore_patterns"] = [*options["ignore_patterns"], *IGNORED]
        options |= {"no_location": True, "no_wrap": True, "no_obsolete": True}
        options["all"] = options["all"] or not options["locale"]
        super().handle(*args, **options)

    def write_po_file(self, potfile: str, locale: str) -> None:
        """Omit the creation date, because any two branches would conflict in it."""
        super().write_po_file(potfile, locale)
        for folder in self.locale_paths:
            written = Path(folder, to_locale(locale), "LC_MESSAGES", f"{self.domain}.po")
            written.write_bytes(CREATED.sub(b"", written.read_bytes()))
