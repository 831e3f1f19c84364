"""Webhooks: addresses that are called with the events of a challenge."""

import django.db.models.deletion
import django.db.models.functions.datetime
import leaderboard.rules.ids
import leaderboard.schemas.choices
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ('leaderboard', '0075_uploads_in_pieces'),
    ]

    operations = [
        migrations.CreateModel(
            name="Webhook",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=leaderboard.rules.ids.uuid7,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                (
                    "created_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                ("address", models.TextField()),
                ("host", models.CharField(max_length=255)),
                (
                    "view",
                    models.CharField(
                        choices=[
                            (
                                leaderboard.schemas.choices.WebhookReader["PUBLIC"],
                                leaderboard.schemas.choices.WebhookReader["PUBLIC"],
                            ),
                            (
                                leaderboard.schemas.choices.WebhookReader["ORGANISER"],
                                leaderboard.schemas.choices.WebhookReader["ORGANISER"],
                            ),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "format",
                    models.CharField(
                        choices=[
                            (
                                leaderboard.schemas.choices.WebhookFormat["STANDARD"],
                                leaderboard.schemas.choices.WebhookFormat["STANDARD"],
                            ),
                            (
                                leaderboard.schemas.choices.WebhookFormat["SLACK"],
                                leaderboard.schemas.choices.WebhookFormat["SLACK"],
                            ),
                            (
                                leaderboard.schemas.choices.WebhookFormat["DISCORD"],
                                leaderboard.schemas.choices.WebhookFormat["DISCORD"],
                            ),
                            (
                                leaderboard.schemas.choices.WebhookFormat["TEAMS"],
                                leaderboard.schemas.choices.WebhookFormat["TEAMS"],
                            ),
                            (
                                leaderboard.schemas.choices.WebhookFormat["MATRIX"],
                                leaderboard.schemas.choices.WebhookFormat["MATRIX"],
                            ),
                        ],
                        max_length=10,
                    ),
                ),
                ("types", models.JSONField(default=list)),
                ("secret", models.TextField()),
                ("old_secret", models.TextField(blank=True, default="")),
                ("old_secret_until", models.DateTimeField(null=True)),
                ("after", models.PositiveBigIntegerField(default=0)),
                ("failing_since", models.DateTimeField(null=True)),
                ("disabled_reason", models.CharField(blank=True, default="", max_length=20)),
                (
                    "challenge",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="webhooks",
                        to="leaderboard.challenge",
                    ),
                ),
                (
                    "created_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "webhook",
                "verbose_name_plural": "webhooks",
                "ordering": ["created_at", "id"],
            },
        ),
        migrations.CreateModel(
            name="WebhookDelivery",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=leaderboard.rules.ids.uuid7,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("event_id", models.CharField(max_length=64)),
                ("type", models.CharField(max_length=60)),
                ("body", models.TextField()),
                (
                    "created_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                (
                    "due_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), null=True
                    ),
                ),
                ("lease_until", models.DateTimeField(null=True)),
                ("tries", models.PositiveSmallIntegerField(default=0)),
                ("is_replay", models.BooleanField(default=False)),
                ("done_at", models.DateTimeField(null=True)),
                ("status", models.PositiveSmallIntegerField(null=True)),
                ("error", models.CharField(blank=True, default="", max_length=200)),
                ("answer", models.CharField(blank=True, default="", max_length=1024)),
                ("took_ms", models.PositiveIntegerField(null=True)),
                (
                    "webhook",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="deliveries",
                        to="leaderboard.webhook",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("due_at__isnull", False)),
                        fields=["due_at"],
                        name="deliveries_due",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("webhook", "event_id"), name="one_delivery_of_an_event"
                    )
                ],
            },
        ),
    ]
