"""Which tests run where; CONTRIBUTING.md lists the marks."""

import pytest

SUITES = ("test", "test-all")
"""The targets of make that run tests."""
FIXTURES = {"db", "transactional_db", "live_server", "admin_client"}
LONG = ("slow", "redis", "browser", "embedded", "faults")
"""Marks of tests that take long or start a part of an installation."""
IN_A_BROWSER = [
    pytest.mark.browser,
    pytest.mark.once,
    pytest.mark.slow,
    pytest.mark.django_db(transaction=True),
]
"""The marks of a way through the pages in Chromium."""
DIFFERENT_ON_POSTGRES = (
    *("services/attempts", "services/board", "services/challenges", "services/competition"),
    *("services/scoring", "models", "queries"),
)
"""Folders of tests about SQL, locks and constraints; others reach the database by services."""


def uses_database(item: pytest.Item) -> bool:
    fixtures: set[str] = set(getattr(item, "fixturenames", ()))
    return item.get_closest_marker("django_db") is not None or bool(fixtures & FIXTURES)


def runs_on_each_database(item: pytest.Item) -> bool:
    return uses_database(item) and not item.get_closest_marker("once")


def is_in_suite(item: pytest.Item, suite: str, database: str) -> bool:
    """Whether a target of make runs this test on `sqlite` or `postgresql`."""
    if database == "postgresql" and not runs_on_each_database(item):
        return False
    return suite == "test-all" or is_in_make_test(item, database)


def is_in_make_test(item: pytest.Item, database: str) -> bool:
    """Whether `make test` runs this test on a database; it leaves out what others cover or try."""
    is_long = any(map(item.get_closest_marker, LONG))
    if database == "sqlite":
        return not is_long or item.get_closest_marker("journey") is not None
    return runs_on_each_database(item) and not is_long and is_different_on_postgres(item)


def is_different_on_postgres(item: pytest.Item) -> bool:
    folders = tuple(f"tests/{folder}/" for folder in DIFFERENT_ON_POSTGRES)
    return item.nodeid.startswith(folders) or item.get_closest_marker("postgres") is not None
