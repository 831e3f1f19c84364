from __future__ import annotations

from collections.abc import Mapping

from django.db import connection, models

Key = tuple[str, str]
"""The name of a counter, and its labels as JSON."""


class TallyQuerySet(models.QuerySet["Tally"]):
    def add(self, amounts: Mapping[Key, float]) -> None:
        """Add to counters in one statement; missing counters begin at 0.

        Rows are always locked in the same order, so that two processes do not block each other.
        """
        if not amounts:
            return
        table = connection.ops.quote_name(Tally._meta.db_table)
        marks = ", ".join(["(%s, %s, %s)"] * len(amounts))
        values = [value for key in sorted(amounts) for value in (*key, float(amounts[key]))]
        with connection.cursor() as cursor:
            cursor.execute(
                f"INSERT INTO {table} (name, labels, value) VALUES {marks} "  # noqa: S608
                "ON CONFLICT (name, labels) DO UPDATE"
                f" SET value = {table}.value + EXCLUDED.value",
                values,
            )


class Tally(models.Model):
    """A counter since the installation began, summed over all processes.

    Deleting rows only makes counters begin at 0 again.
    """

    name = models.CharField(max_length=80)
    labels = models.CharField(max_length=400, help_text="A JSON object, its keys sorted.")
    value = models.FloatField(default=0)

    objects = TallyQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "tallies"
        constraints = [
            models.UniqueConstraint(fields=["name", "labels"], name="one_tally_per_labels")
        ]

    def __str__(self) -> str:
        return f"{self.name}{self.labels}"
