"""What each test costs: its processor time and that of the processes that ended during it.

A plugin of pytest. The report that `--junitxml` writes has the seconds as the property `processor`,
which `tests/slowest.py` reads; unlike the time on the clock, they hardly depend on what else the
machine does.
"""

from collections.abc import Generator
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage

import pytest

started = pytest.StashKey[float]()


def processor_seconds() -> float:
    usages = getrusage(RUSAGE_SELF), getrusage(RUSAGE_CHILDREN)
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    item.stash[started] = processor_seconds()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    if call.when == "teardown" and started in item.stash:
        seconds = processor_seconds() - item.stash[started]
        item.user_properties.append(("processor", f"{seconds:.3f}"))
    return (yield)
