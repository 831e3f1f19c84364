"""Limits count for accounts: their counters are made from the attempts so far.

A phase in which an account has counted attempts under several names keeps its limits per name.
"""

from collections import Counter

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models import Count


def _period(kind, day):
    if kind == "week":
        year, week, _ = day.isocalendar()
        return f"{year:04}-W{week:02}"
    return day.isoformat() if kind == "day" else ""


def count_accounts(apps, schema_editor):
    Phase = apps.get_model("leaderboard", "Phase")
    Attempt = apps.get_model("leaderboard", "Attempt")
    AccountUse = apps.get_model("leaderboard", "AccountUse")
    for phase in Phase.objects.all():
        limits = {
            "day": phase.per_day,
            "total": phase.total or phase.at_once,
            "week": phase.per_week,
        }
        kinds = [kind for kind, limit in limits.items() if limit is not None]
        if not kinds:
            continue
        counted = Attempt.objects.filter(
            phase=phase, charged_day__isnull=False, submitted_by__isnull=False
        ).order_by()
        names = counted.values("submitted_by").annotate(names=Count("participant", distinct=True))
        if names.filter(names__gt=1).exists():
            phase.limits_per = "name"
            phase.save(update_fields=["limits_per"])
            continue
        uses = Counter()
        days = counted.values_list("submitted_by", "charged_day").annotate(Count("pk"))
        for user, day, number in days.iterator():
            for kind in kinds:
                uses[user, kind, _period(kind, day)] += number
        AccountUse.objects.bulk_create(
            (
                AccountUse(phase=phase, user_id=user, kind=kind, period=period, used=used)
                for (user, kind, period), used in uses.items()
            ),
            batch_size=2000,
        )


class Migration(migrations.Migration):

    dependencies = [
        ("leaderboard", "0071_registrations_by_status"),
    ]

    operations = [
        migrations.AddField(
            model_name="phase",
            name="limits_per",
            field=models.CharField(
                choices=[("account", "Account"), ("name", "Name")],
                db_default="account",
                default="account",
                help_text="For whom the limits count.",
                max_length=7,
                verbose_name="limits per",
            ),
        ),
        migrations.CreateModel(
            name="AccountUse",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("kind", models.CharField(max_length=5, verbose_name="kind")),
                (
                    "period",
                    models.CharField(blank=True, max_length=10, verbose_name="period"),
                ),
                ("used", models.PositiveIntegerField(verbose_name="used")),
                (
                    "phase",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="account_uses",
                        to="leaderboard.phase",
                        verbose_name="phase",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="user",
                    ),
                ),
            ],
            options={
                "verbose_name": "use of a quota by an account",
                "verbose_name_plural": "uses of quotas by accounts",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("phase", "user", "kind", "period"),
                        name="one_account_use_per_period",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("used__gte", 0)),
                        name="account_uses_are_not_negative",
                    ),
                ],
            },
        ),
        migrations.RunPython(count_accounts, migrations.RunPython.noop),
    ]
