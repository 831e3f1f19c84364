"""Maintenance of a table after most of its rows were rewritten."""

from __future__ import annotations

from django.db import connection, models


def vacuum(model: type[models.Model]) -> None:
    """Have PostgreSQL vacuum and analyse a table now instead of some minutes later.

    Until then, counting an index range reads every row. Does nothing inside a transaction, where
    PostgreSQL cannot vacuum, and on SQLite, which does not need it.
    """
    if connection.vendor == "postgresql" and not connection.in_atomic_block:
        table = connection.ops.quote_name(model._meta.db_table)
        with connection.cursor() as cursor:
            cursor.execute(f"VACUUM (ANALYZE) {table}")
