"""Which tests use the database, and which of them run on each database."""

import pytest

FIXTURES = {"db", "transactional_db", "live_server", "admin_client"}


def uses_database(item: pytest.Item) -> bool:
    fixtures: set[str] = set(getattr(item, "fixturenames", ()))
    return item.get_closest_marker("django_db") is not None or bool(fixtures & FIXTURES)


def runs_on_each_database(item: pytest.Item) -> bool:
    return uses_database(item) and not item.get_closest_marker("once")
