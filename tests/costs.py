"""What each test costs: its processor time and that of the processes that ended during it.

A plugin of pytest. The report that `--junitxml` writes has the seconds as the property `processor`;
unlike the time on the clock, they hardly depend on what else the machine does.
`python -m tests.costs REPORT.xml …` lists the tests that cost most.
"""

import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Generator, Sequence
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage

import pytest

SHOWN = 20

started = pytest.StashKey[float]()


def used_seconds() -> float:
    """The processor time of this process and of its children that have ended, in seconds."""
    usages = getrusage(RUSAGE_SELF), getrusage(RUSAGE_CHILDREN)
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    item.stash[started] = used_seconds()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    if call.when == "teardown" and started in item.stash:
        seconds = used_seconds() - item.stash[started]
        item.user_properties.append(("processor", f"{seconds:.3f}"))
    return (yield)


def dearest(reports: Sequence[Path]) -> list[str]:
    """Return a line for each of the twenty tests that used most processor time.

    It has the seconds of processor time with fixtures, those on the clock, and the name. A missing
    report, of a run that was stopped, counts as empty.
    """
    costs = [
        (processor_seconds(case), float(case.get("time", 0)), f"{name_of(case)} ({report.stem})")
        for report in reports
        if report.is_file()
        for case in ElementTree.parse(report).iter("testcase")
    ]
    lines = [
        f"{processor:7.1f} s of processor time, {clock:5.1f} s in all: {name}"
        for processor, clock, name in sorted(costs, reverse=True)[:SHOWN]
    ]
    total = sum(processor for processor, *_ in costs)
    return [*lines, f"{total:7.1f} s of processor time: {len(costs)} tests"]


def processor_seconds(case: ElementTree.Element) -> float:
    costs = case.find("properties/property[@name='processor']")
    return 0.0 if costs is None else float(costs.get("value", 0))


def name_of(case: ElementTree.Element) -> str:
    return f"{case.get('classname')}::{case.get('name')}"


if __name__ == "__main__":
    print(*dearest([Path(report) for report in sys.argv[1:]]), sep="\n")
