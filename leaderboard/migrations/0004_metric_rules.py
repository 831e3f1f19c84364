"""Challenges declare the values that participants report.

Until now any key that nothing here computes was taken for a reported value. What existing boards
rank by or name in their columns in this way is declared, so that they go on as they are.
"""

from django.db import migrations, models

FACTS = {
    "score",
    "submitted_at",
    "succeeded",
    "tokens_total",
    "elapsed_ms",
    "rating",
    "created_at",
    "cost_usd",
    "input_tokens",
    "output_tokens",
    "time_per_task",
    "tokens_per_task",
    "cost_per_task",
}
"""Keys of facts and of what comes by itself, as they were at this revision."""


def declare_reported_values(apps, schema_editor):
    Challenge = apps.get_model("leaderboard", "Challenge")
    rows = Challenge.objects.select_related("newest_config", "shown_config")
    for challenge in rows.iterator(chunk_size=500):
        configs = [each for each in (challenge.newest_config, challenge.shown_config) if each]
        keys = [key["key"] for config in configs for key in config.rank_by]
        keys += [entry.get("key") for entry in challenge.columns if isinstance(entry, dict)]
        computed = {name for config in configs for name in _computed(config)}
        values = [key for key in dict.fromkeys(keys) if key and not _is_computed(key, computed)]
        if values:
            challenge.values = values
            challenge.save(update_fields=["values"])


def _computed(config):
    """The names of the metrics of a scoring config; their keys are `name` and `name:other`."""
    for entry in config.metrics:
        yield entry if isinstance(entry, str) else entry.get("name") or entry.get("type")
    for entry in config.text_metrics:
        yield entry if isinstance(entry, str) else entry.get("name") or entry.get("id")


def _is_computed(key, computed):
    return key in FACTS or any(key == name or key.startswith(f"{name}:") for name in computed)


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0003_workers")]

    operations = [
        migrations.AddField(
            model_name="challenge",
            name="values",
            field=models.JSONField(
                blank=True,
                default=list,
                help_text='Names of values that participants report: ["solved", "penalty_minutes"].',
            ),
        ),
        migrations.RunPython(declare_reported_values, migrations.RunPython.noop),
    ]
