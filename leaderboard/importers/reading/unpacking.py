"""Write the files of a tree into a folder, where programs read them."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from leaderboard.importers.reading.errors import Unsafe
from leaderboard.importers.reading.trees import MAX_BYTES, Tree
from leaderboard.rules.texts.messages import message

NOT_WANTED: Final = ("__MACOSX", ".DS_Store", ".git", "__pycache__")


def unpack(tree: Tree, folder: Path, *, most_bytes: int = MAX_BYTES) -> list[str]:
    """Write all files into an existing, empty folder that every user may read.

    Returns their names. Leaves out what macOS, git and Python add to archives. Raises Unsafe for
    more than `most_bytes` in all, and for names that contradict each other.
    """
    left = most_bytes
    names = [name for name in tree.names if not set(NOT_WANTED) & set(name.split("/"))]
    for name in names:
        path = folder / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with open(path, "xb") as file:
                for piece in tree.pieces(name):
                    left -= len(piece)
                    if left < 0:
                        raise Unsafe(_too_large(most_bytes))
                    file.write(piece)
        except (FileExistsError, NotADirectoryError, IsADirectoryError):
            text = message("must not be both a file and a folder; got it as both")
            raise Unsafe(text, file=name) from None
    make_readable(folder)
    return names


def make_readable(folder: Path) -> None:
    """Let every user read the files in a folder, and write none of them."""
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)


def root_of(folder: Path) -> Path:
    """The folder that holds the files: the only one in it, if it holds nothing else."""
    entries = list(folder.iterdir())
    return root_of(entries[0]) if len(entries) == 1 and entries[0].is_dir() else folder


def _too_large(most_bytes: int) -> str:
    return message(
        "must hold at most {most} MiB when it is unpacked; got more", most=most_bytes >> 20
    )
