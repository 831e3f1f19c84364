"""Kaggle's metric modules: `score(solution, submission, row_id_column_name, **settings)`."""

from __future__ import annotations

import json
from pathlib import Path

from leaderboard.programs.reading.answers import driver_answer, numbers_in, unusable
from leaderboard.programs.reading.contract import (
    DRIVER,
    PROGRAM,
    SUBMISSION,
    TRUTH,
    Call,
    Contract,
    ProgramAnswer,
    ProgramRefused,
    ProgramSetting,
    ScoringTask,
)
from leaderboard.programs.reading.sources import file_with, function_in, settings_of, tree_of
from leaderboard.rules.texts.messages import message

_GIVEN = 3
"""Parameters that the platform gives: solution, submission, row_id_column_name."""


class Kaggle(Contract):
    """A metric module of Kaggle."""

    name = "kaggle"
    driver_packages = ("pandas",)
    needs = message("a Python file with score(solution, submission, row_id_column_name) (Kaggle)")

    def recognises(self, program: Path) -> bool:
        return file_with(program, "score") is not None

    def check(self, program: Path) -> None:
        file = self._file(program)
        tree_of(file)
        function = function_in(file, "score")
        if function is None or len(function.args.posonlyargs + function.args.args) < _GIVEN:
            raise ProgramRefused(
                message(
                    "{file}: score must take solution, submission and row_id_column_name",
                    file=file.name,
                )
            )

    def settings(self, program: Path) -> tuple[ProgramSetting, ...]:
        function = function_in(self._file(program), "score")
        return () if function is None else settings_of(function, _GIVEN)

    def call(self, program: Path, task: ScoringTask) -> Call:
        options = task.options
        order = {
            "file": f"{PROGRAM}/{self._file(program).relative_to(program).as_posix()}",
            "solution": f"{TRUTH}/{_only(task.truth, 'truth')}",
            "submission": f"{SUBMISSION}/{_only(task.submission, 'submission')}",
            "id_column": options.get("id_column", ""),
            "usage_column": options.get("usage_column") or "",
            "rows_match": options.get("rows_match", True),
            "part": task.part,
            "settings": options.get("settings") or {},
        }
        # The paths are arguments of their own, as a host without a private root changes them.
        paths = (order.pop("file"), order.pop("solution"), order.pop("submission"))
        arguments = (f"{DRIVER}/podium_kaggle.py", *map(str, paths), PROGRAM, "/app/output")
        return Call((*arguments, json.dumps(order)), PROGRAM)

    def answer(self, results: Path, task: ScoringTask) -> ProgramAnswer:
        answer = driver_answer(results)
        if isinstance(answer, ProgramAnswer):
            return answer
        notes: list[str] = []
        values = numbers_in({"score": answer.get("score")}, notes)
        return (
            ProgramAnswer(values) if values else unusable("The metric returned no finite number.")
        )

    def _file(self, program: Path) -> Path:
        file = file_with(program, "score")
        if file is None:
            raise ProgramRefused(message("must have {what}", what=self.needs))
        return file


def _only(names: object, what: str) -> str:
    if not isinstance(names, list | tuple) or len(names) != 1:
        raise ProgramRefused(message("must be one table: {what}", what=what))
    return str(names[0])


CONTRACT = Kaggle()
