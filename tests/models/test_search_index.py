"""The index of names has few unsorted entries after many participants are new at once."""

from __future__ import annotations

from importlib import import_module

import pytest
from django.apps import apps
from django.db import connection

from leaderboard.models import Participant, Tenant
from tests.people import tenant

__all__ = ["tenant"]

pytestmark = pytest.mark.django_db

INDEX = "participants_handle_part"
MOST_PAGES = 40
"""256 kB in pages of 8 kB, and those of the last few entries."""


def test_few_entries_stay_unsorted(tenant: Tenant) -> None:
    migration = import_module("leaderboard.migrations.0062_pending_entries_of_searched_names")
    editor = connection.schema_editor()
    if connection.vendor == "sqlite":
        migration.limit_pending_entries(apps, editor)  # It has no such index.
        return
    _index_without_a_limit()
    _participants(tenant, "first")
    assert _unsorted_pages() > 2 * MOST_PAGES
    migration.limit_pending_entries(apps, editor)
    _participants(tenant, "second")
    assert _unsorted_pages() < MOST_PAGES


def _index_without_a_limit() -> None:
    """An index of that name and kind. The PostgreSQL of tests may not have `pg_trgm`."""
    with connection.cursor() as cursor:
        cursor.execute(f"DROP INDEX IF EXISTS {INDEX}")
        cursor.execute(
            f"CREATE INDEX {INDEX} ON {Participant._meta.db_table}"
            " USING gin (regexp_split_to_array(handle_key, ''))"
        )


def _participants(tenant: Tenant, prefix: str) -> None:
    names = (f"{prefix} participant {at}" for at in range(5000))
    Participant.objects.bulk_create(
        Participant(tenant=tenant, handle=name, handle_key=name, slug=name.replace(" ", "-"))
        for name in names
    )


def _unsorted_pages() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT gin_clean_pending_list(%s)", [INDEX])
        [pages] = cursor.fetchone()
    return int(pages)
