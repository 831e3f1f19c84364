"""What organisers are told about the files of a submission before a program reads them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from leaderboard.rules.texts.messages import Message, message

COMPILED: Final = (".so", ".pyd", ".pyc", ".dll", ".dylib", ".exe", ".o", ".a")
PICKLES: Final = (".pkl", ".pickle", ".joblib", ".pt", ".pth", ".ckpt", ".sav")
_PATTERNS: Final = {
    "pickle": re.compile(r"\b(c?[pP]ickle|dill|cloudpickle)\b"),
    "torch.load": re.compile(r"\btorch\.load\b"),
    "joblib.load": re.compile(r"\bjoblib\b"),
    "allow_pickle": re.compile(r"\ballow_pickle\s*=\s*True"),
    "importlib": re.compile(r"\b(importlib|__import__)\b"),
}
_MOST = 20
_MAX_BYTES = 1 << 20


def dangers(folder: Path) -> list[Message]:
    """A sentence for each file whose reading may run code of the participant, up to 20."""
    return [text for _, text in zip(range(_MOST), _dangers_in(folder), strict=False)]


def _dangers_in(folder: Path) -> Iterator[Message]:
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if not path.is_file():
            continue
        if path.suffix.lower() in COMPILED:
            yield message("{file} is a compiled file, which nobody can read", file=name)
        elif path.suffix.lower() in PICKLES:
            yield message("{file} runs code of the participant when it is loaded", file=name)
        elif path.suffix in (".py", ".ipynb") and path.stat().st_size <= _MAX_BYTES:
            text = path.read_text(encoding="utf-8", errors="replace")
            for what, pattern in _PATTERNS.items():
                if pattern.search(text):
                    yield message("{file} uses {what}", file=name, what=what)
