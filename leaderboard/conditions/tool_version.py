from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from leaderboard.conditions.condition import Condition, JudgedAttempt
from leaderboard.rules.admission.verdicts import Finding
from leaderboard.rules.texts.messages import Message, message


class ToolVersion(Condition):
    """The results come from a certain tool, in a version that is new enough."""

    key = "tool_version"
    label = message("Tool and version")

    rule: Literal["tool_version"]
    tool: Annotated[
        str, Field(min_length=1, max_length=80, description="As `run` names it: `harbor`.")
    ]
    least_version: Annotated[
        str, Field(max_length=40, description="Its oldest version; empty: any.")
    ] = ""

    def judge(self, attempt: JudgedAttempt) -> Iterator[Finding]:
        tool, version = attempt.run.get("tool", ""), attempt.run.get("tool_version", "")
        if not tool or (tool == self.tool and self.least_version and not version):
            yield from self.about_unknown(message("the files do not say which tool made them"))
        elif tool != self.tool or numbers_of(version) < numbers_of(self.least_version):
            text = message("the results come from {tool} {version}", tool=tool, version=version)
            yield from self.against(text)

    def sentence(self) -> Message:
        if not self.least_version:
            return message("Results come from {tool}.", tool=self.tool)
        return message(
            "Results come from {tool}, version {version} or newer.",
            tool=self.tool,
            version=self.least_version,
        )


def numbers_of(version: str) -> tuple[int, ...]:
    """The numbers of a version, for comparing: `v0.24.0rc1` is (0, 24, 0, 1)."""
    return tuple(int(digits) for digits in re.findall(r"\d{1,9}", version))


CONDITION = ToolVersion
