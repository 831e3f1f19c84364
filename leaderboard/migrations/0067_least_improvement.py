"""Boards of phases that round scores rank by the rounded ones: they are counted again."""

from django.db import migrations, models


def count_again(apps, schema_editor):
    board, bucket, column = (
        apps.get_model("leaderboard", name) for name in ("Board", "Bucket", "SortedColumn")
    )
    rounded = board.objects.filter(phase__decimals__isnull=False)
    boards = list(rounded.values_list("pk", flat=True))
    bucket.objects.filter(board__in=boards).delete()
    columns = column.objects.filter(board__in=boards).exclude(state="dropped")
    columns.update(state="dropped", done_to=0)
    board.objects.filter(pk__in=boards).update(filled_to=0, version=models.F("version") + 1)


class Migration(migrations.Migration):

    dependencies = [
        ("leaderboard", "0066_attempts_that_ended_before"),
    ]

    operations = [
        migrations.AddField(
            model_name="phase",
            name="least_improvement",
            field=models.FloatField(
                blank=True,
                help_text="By how much an attempt has to improve the score that counts; empty: any improvement.",
                null=True,
                verbose_name="least improvement",
            ),
        ),
        migrations.AddConstraint(
            model_name="phase",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("least_improvement__isnull", True),
                    ("least_improvement__gt", 0),
                    _connector="OR",
                ),
                name="phases_need_an_improvement",
            ),
        ),
        migrations.RunPython(count_again, migrations.RunPython.noop),
    ]
