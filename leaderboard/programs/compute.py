"""A function `compute(predictions=…, references=…)` that returns a number or an object of them."""

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

_GIVEN = ("predictions", "references")


class Compute(Contract):
    """A function of lists, as metrics of Hugging Face have."""

    name = "compute"
    needs = message("a Python file with compute(predictions, references)")
    rank = 2

    def recognises(self, program: Path) -> bool:
        return file_with(program, "compute") is not None

    def check(self, program: Path) -> None:
        file = self._file(program)
        tree_of(file)
        if {"predictions", "references"} - {setting.name for setting in self._all(program)}:
            raise ProgramRefused(
                message("{file}: compute must take predictions and references", file=file.name)
            )

    def settings(self, program: Path) -> tuple[ProgramSetting, ...]:
        return tuple(setting for setting in self._all(program) if setting.name not in _GIVEN)

    def call(self, program: Path, task: ScoringTask) -> Call:
        if len(task.truth) != 1 or len(task.submission) != 1:
            raise ProgramRefused(message("the truth and the submission must be one table each"))
        options = task.options
        order = {
            "id_column": options.get("id_column", ""),
            "target_column": options.get("target_column") or "",
            "usage_column": options.get("usage_column") or "",
            "part": task.part,
            "settings": options.get("settings") or {},
        }
        file = f"{PROGRAM}/{self._file(program).relative_to(program).as_posix()}"
        paths = (f"{TRUTH}/{task.truth[0]}", f"{SUBMISSION}/{task.submission[0]}")
        arguments = (f"{DRIVER}/podium_compute.py", file, *paths, PROGRAM, "/app/output")
        return Call((*arguments, json.dumps(order)), PROGRAM)

    def answer(self, results: Path, task: ScoringTask) -> ProgramAnswer:
        answer = driver_answer(results)
        if isinstance(answer, ProgramAnswer):
            return answer
        notes: list[str] = []
        values = numbers_in(answer.get("values"), notes)
        if not values:
            return unusable("The function returned no finite number.")._replace(notes=tuple(notes))
        return ProgramAnswer(values, notes=tuple(notes))

    def _file(self, program: Path) -> Path:
        file = file_with(program, "compute")
        if file is None:
            raise ProgramRefused(message("must have {what}", what=self.needs))
        return file

    def _all(self, program: Path) -> tuple[ProgramSetting, ...]:
        function = function_in(self._file(program), "compute")
        return () if function is None else settings_of(function, 0)


CONTRACT = Compute()
