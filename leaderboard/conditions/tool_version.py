from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, Literal

from packaging.version import InvalidVersion, Version
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
        elif tool != self.tool or is_older(version, self.least_version):
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


def is_older(version: str, least: str) -> bool:
    """Whether a version comes before another one, by PEP 440: `0.20rc1` comes before `0.20`.

    If one of them is no version of PEP 440, their numbers are compared.
    """
    try:
        return Version(version) < Version(least)
    except InvalidVersion:
        return numbers_of(version) < numbers_of(least)


def numbers_of(version: str) -> tuple[int, ...]:
    """The numbers of a version, for comparing: `0.24-nightly-3` is (0, 24, 3)."""
    return tuple(int(digits) for digits in re.findall(r"\d{1,9}", version))


CONDITION = ToolVersion
