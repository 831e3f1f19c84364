from django.db import migrations


def mask(apps, schema_editor):
    """Replace registration codes in the audit log; services.competition.audit does so from now on."""
    entries = apps.get_model("leaderboard", "AuditEntry").objects.filter(kind="rules")
    for entry in entries.only("before", "after").iterator(chunk_size=500):
        changed = [
            fields
            for fields in (entry.before, entry.after)
            if fields and fields.get("code") and fields["code"] != "•••"
        ]
        for fields in changed:
            fields["code"] = "•••"
        if changed:
            entry.save(update_fields=["before", "after"])


class Migration(migrations.Migration):

    dependencies = [
        ("leaderboard", "0080_strips_by_declared_bounds"),
    ]

    operations = [
        migrations.RunPython(mask, migrations.RunPython.noop, elidable=True),
    ]
