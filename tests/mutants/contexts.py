"""A plugin of pytest: which tests execute which lines, measured by coverage in each process.

`python -m tests.mutants measure` loads it. CONTEXTS names the folder for the files of all
processes, CONTEXTS_DATABASE the database of this run, CONTEXTS_OF the folders to measure. Code that
runs in other processes, such as plugins in the sandbox, is not measured.
"""

import os
from collections.abc import Generator
from pathlib import Path

import pytest
from coverage import Coverage

FOLDER = Path(os.environ["CONTEXTS"])
DATABASE = os.environ["CONTEXTS_DATABASE"]
measured = Coverage(
    data_file=FOLDER / "lines",
    data_suffix=True,
    include=[f"{folder}/*" for folder in os.environ["CONTEXTS_OF"].split(":")],
    config_file=False,
)
measured.start()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    measured.switch_context(f"{DATABASE} {item.nodeid}")
    try:
        return (yield)
    finally:
        measured.switch_context("")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Note each test that passed: one that fails without a mutant proves nothing."""
    report = yield
    if report.when == "call" and report.passed:
        with (FOLDER / f"passed-{os.getpid()}").open("a") as file:
            file.write(f"{DATABASE} {report.duration:.3f} {item.nodeid}\n")
    return report


def pytest_unconfigure() -> None:
    measured.stop()
    measured.save()
