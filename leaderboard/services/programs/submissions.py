"""Check the files that participants submit for a program, before they are stored."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO

from leaderboard.importers.reading.errors import ImportFailed, Unsafe
from leaderboard.importers.reading.unpacking import unpack
from leaderboard.languages.translation import translated
from leaderboard.rules.texts.messages import message
from leaderboard.services.errors import invalid
from leaderboard.services.programs.folders import MAX_UNPACKED, programs_folder, tree_of


def check_submission(name: str, content: IO[bytes]) -> None:
    """Refuse a zip that cannot be unpacked safely. Raises ServiceError with the field `file`."""
    try:
        content.seek(0)
        with TemporaryDirectory(prefix="check-", dir=programs_folder()) as folder:
            tree = tree_of(name, content)
            unpack(tree, Path(folder), most_bytes=MAX_UNPACKED)
            if tree.skipped:
                text = message("must hold files only; got links. Put copies in their place")
                raise Unsafe(text)
    except ImportFailed as error:
        raise invalid("file", translated(error.text)) from None
