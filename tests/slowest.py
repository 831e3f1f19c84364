"""The slowest tests of several pytest runs, from the files that `--junitxml` writes."""

import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from pathlib import Path

SHOWN = 20


def slowest(reports: Sequence[Path]) -> list[str]:
    """Return a line for each of the twenty slowest tests: its seconds, with fixtures, and name.

    A missing report, of a run that was stopped, counts as empty.
    """
    found = [
        (float(case.get("time", 0)), f"{case.get('classname')}::{case.get('name')} ({report.stem})")
        for report in reports
        if report.is_file()
        for case in ElementTree.parse(report).iter("testcase")
    ]
    return [f"{seconds:7.1f} s  {name}" for seconds, name in sorted(found, reverse=True)[:SHOWN]]
