"""The changes of phases become entries of the audit log. Their rows stay in their table."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0032_former_names")]

    operations = [
        migrations.RemoveIndex(model_name="phaseevent", name="phase_events_newest"),
        migrations.RenameModel("PhaseEvent", "AuditEntry"),
        migrations.RenameField("auditentry", "phase", "object"),
        migrations.AddField(
            "auditentry",
            "kind",
            models.CharField(default="phase", max_length=12),
            preserve_default=False,
        ),
        migrations.AddField("auditentry", "public", models.BooleanField(default=True)),
        # From here on the rows that are there keep what the operations above gave them.
        migrations.AlterModelOptions(
            name="auditentry",
            options={
                "ordering": ["-at", "-pk"],
                "verbose_name": "change of a challenge",
                "verbose_name_plural": "changes of challenges",
            },
        ),
        migrations.AddField(
            model_name="auditentry",
            name="participant",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="audit_entries",
                to="leaderboard.participant",
                verbose_name="participant",
            ),
        ),
        migrations.AlterField(
            model_name="auditentry",
            name="challenge",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="audit_entries",
                to="leaderboard.challenge",
                verbose_name="challenge",
            ),
        ),
        migrations.AlterField(
            model_name="auditentry",
            name="kind",
            field=models.CharField(
                choices=[
                    ("announcement", "Announcement"),
                    ("challenge", "Challenge"),
                    ("grant", "Extra attempts"),
                    ("participant", "Participant"),
                    ("phase", "Phase"),
                    ("registration", "Registration"),
                    ("rules", "Rules of registration"),
                    ("scoring", "Scoring"),
                ],
                max_length=12,
                verbose_name="kind",
            ),
        ),
        migrations.AlterField(
            model_name="auditentry",
            name="object",
            field=models.CharField(blank=True, max_length=200, verbose_name="object"),
        ),
        migrations.AlterField(
            model_name="auditentry",
            name="public",
            field=models.BooleanField(default=False, verbose_name="public"),
        ),
        migrations.AddIndex(
            model_name="auditentry",
            index=models.Index(fields=["challenge", "-at", "-id"], name="audit_newest"),
        ),
        migrations.AddIndex(
            model_name="auditentry",
            index=models.Index(
                fields=["challenge", "kind", "-at", "-id"], name="audit_newest_of_kind"
            ),
        ),
    ]
