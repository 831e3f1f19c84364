"""EvalAI's evaluation scripts: `evaluate(annotation, submission, phase_codename, **kwargs)`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final

from leaderboard.programs.reading.answers import driver_answer, numbers_in, unusable, value_name
from leaderboard.programs.reading.contract import (
    DRIVER,
    PROGRAM,
    SUBMISSION,
    TRUTH,
    Call,
    Contract,
    ProgramAnswer,
    ProgramRefused,
    ScoringTask,
)
from leaderboard.programs.reading.sources import sources, text_of, tree_of
from leaderboard.rules.texts.messages import message

PACKAGE: Final = "evaluation_script"
_UNPACKS: Final = re.compile(r"\b(zipfile|ZipFile|tarfile|unpack_archive)\b")


class EvalAI(Contract):
    """The package `evaluation_script` of EvalAI."""

    name = "evalai"
    needs = message(
        "a package with evaluate(annotation, submission, phase_codename) in main.py (EvalAI)"
    )

    def recognises(self, program: Path) -> bool:
        return self._package(program) is not None

    def check(self, program: Path) -> None:
        package = self._package(program)
        if package is None:
            raise ProgramRefused(message("must have {what}", what=self.needs))
        for path in sources(package):
            tree_of(path)

    def reads_archives(self, program: Path) -> bool:
        """The platform hands over files as they are; most that are zips are unpacked by somebody.

        A program that names no means to do so gets the one file in a zip.
        """
        package = self._package(program)
        return package is not None and any(
            _UNPACKS.search(text_of(path)) for path in sources(package)
        )

    def call(self, program: Path, task: ScoringTask) -> Call:
        package = self._package(program)
        if package is None:
            raise ProgramRefused(message("must have {what}", what=self.needs))
        if len(task.truth) != 1 or len(task.submission) != 1:
            raise ProgramRefused(
                message("the annotations and the submission must be one file each")
            )
        where = package.relative_to(program).as_posix()
        paths = (
            PROGRAM if where == "." else f"{PROGRAM}/{where}",
            f"{TRUTH}/{task.truth[0]}",
            f"{SUBMISSION}/{task.submission[0]}",
        )
        order = {"phase": task.options.get("phase_codename") or task.phase, "meta": dict(task.meta)}
        arguments = (f"{DRIVER}/podium_evalai.py", *paths, "/app/output", json.dumps(order))
        return Call(arguments, PROGRAM)

    def answer(self, results: Path, task: ScoringTask) -> ProgramAnswer:
        """The values of the splits that count.

        The option `splits` says which part a split belongs to, and splits without an entry are
        public. A value is named like its metric if only one split counts, else `split:metric`.
        """
        answer = driver_answer(results)
        if isinstance(answer, ProgramAnswer):
            return answer
        parts: dict[str, str] = task.options.get("splits") or {}
        splits = {
            name: values
            for name, values in _splits(answer.get("result"))
            if task.part == "all" or parts.get(name, "public") == task.part
        }
        notes: list[str] = []
        values: dict[str, float] = {}
        for split, metrics in splits.items():
            for name, number in numbers_in(metrics, notes).items():
                key = name if len(splits) == 1 else value_name(f"{split}:{name}")
                values[key] = number
        if not values:
            answered = unusable("The evaluation returned no number for a split that counts.")
            return answered._replace(notes=tuple(notes))
        return ProgramAnswer(values, notes=tuple(notes))

    def _package(self, program: Path) -> Path | None:
        """The folder of the package: the one with `main.py` that defines `evaluate`.

        One called `evaluation_script` comes before those of examples beside it.
        """
        files = sorted(sources(program), key=lambda path: path.parent.name != PACKAGE)
        for path in files:
            if path.name in ("main.py", "__init__.py") and "def evaluate(" in path.read_text(
                encoding="utf-8", errors="replace"
            ):
                return path.parent
        return None


def _splits(result: Any) -> list[tuple[str, Any]]:
    lists = result if isinstance(result, list) else [result]
    return [
        (str(name), values)
        for one in lists
        if isinstance(one, dict)
        for name, values in one.items()
    ]


CONTRACT = EvalAI()
