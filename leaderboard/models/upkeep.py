"""What a table needs after most of its rows were written anew."""

from __future__ import annotations

from django.db import connection, models


def vacuum(model: type[models.Model]) -> None:
    """Have PostgreSQL vacuum and analyse a table now instead of some minutes later.

    Until then counting an index range looks at every row. Does nothing inside a transaction, where
    vacuuming is not possible, and on SQLite, which has no need of it.
    """
    if connection.vendor == "postgresql" and not connection.in_atomic_block:
        table = connection.ops.quote_name(model._meta.db_table)
        with connection.cursor() as cursor:
            cursor.execute(f"VACUUM (ANALYZE) {table}")
