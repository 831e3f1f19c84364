"""`manage.py makemessages`: collect every text to translate into the catalogues."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Any, Final

from django.core.management.commands import makemessages
from django.utils.translation import to_locale

from leaderboard.rules.plugins.descriptions import templates

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
PERCENTAGE: Final = re.compile(rb"^(#, )(?:no-)?python-format, (?=python-brace)", re.MULTILINE)
"""xgettext takes the percentage in `95% interval {interval}` for a placeholder."""


class Command(makemessages.Command):
    help = "Collect every text to translate into leaderboard/locale; needs GNU gettext."
    # Code that may not import Django marks texts with these two of `rules.texts.messages`.
    xgettext_options = [
        *makemessages.Command.xgettext_options,
        "--keyword=message",
        "--keyword=counted:1,2",
    ]
    # A new text has no translation yet; that of a similar text would be a guess.
    msgmerge_options = [*makemessages.Command.msgmerge_options, "--no-fuzzy-matching"]

    def handle(self, *args: Any, **options: Any) -> None:
        """Omit line numbers from catalogues, because they would change with every edit."""
        options["ignore_patterns"] = [*options["ignore_patterns"], *IGNORED]
        options |= {"no_location": True, "no_wrap": True, "no_obsolete": True}
        options["all"] = options["all"] or not options["locale"]
        with tempfile.TemporaryDirectory(prefix="podium-messages-") as folder:
            self.plugin_messages = Path(folder, "plugin_messages.py")
            calls = (f"message({text!r})\n" for text in templates())
            self.plugin_messages.write_text("".join(calls), encoding="utf-8")
            super().handle(*args, **options)

    def find_files(self, root: str) -> list[makemessages.TranslatableFile]:
        """The files of the product, and one with the texts of its plugins."""
        folder, name = str(self.plugin_messages.parent), self.plugin_messages.name
        of_plugins = makemessages.TranslatableFile(folder, name, self.default_locale_path)
        return [*super().find_files(root), of_plugins]

    def write_po_file(self, potfile: str, locale: str) -> None:
        """Omit the creation date, because any two branches would conflict in it."""
        template = Path(potfile)
        template.write_bytes(PERCENTAGE.sub(rb"\1", template.read_bytes()))
        super().write_po_file(potfile, locale)
        for folder in self.locale_paths:
            written = Path(folder, to_locale(locale), "LC_MESSAGES", f"{self.domain}.po")
            if written.exists():
                written.write_bytes(CREATED.sub(b"", written.read_bytes()))
