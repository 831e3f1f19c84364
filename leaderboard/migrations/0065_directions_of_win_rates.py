"""Win rates whose values had no direction took higher values as better, and go on doing so.

From now on a value without a direction has its own one. This writes `desc` where that differs.
"""

from django.db import migrations

LOWER_IS_BETTER = {
    "cost_per_task",
    "cost_usd",
    "elapsed_ms",
    "submitted_at",
    "time_per_task",
    "tokens_per_task",
    "tokens_total",
}
LOW_METRICS = {"std", "losses"}


def say_directions(apps, schema_editor):
    configs = apps.get_model("leaderboard", "ScoringConfig")
    for config in configs.objects.exclude(metrics=[]).iterator():
        metrics = [explicit(config, entry) for entry in config.metrics]
        if metrics != config.metrics:
            configs.objects.filter(pk=config.pk).update(metrics=metrics)


def explicit(config, entry):
    if not isinstance(entry, dict) or entry.get("type") != "mean_win_rate":
        return entry
    return {**entry, "of": [with_direction(config, each) for each in entry.get("of", ())]}


def with_direction(config, compared):
    given = {"key": compared} if isinstance(compared, str) else compared
    if "direction" in given or not is_low(config, given["key"]):
        return compared
    return {**given, "direction": "desc"}


def is_low(config, key):
    if key in LOWER_IS_BETTER:
        return True
    name, _colon, further = key.partition(":")
    for entry in config.metrics:
        given = {"type": entry} if isinstance(entry, str) else entry
        if name == (given.get("name") or given["type"]):
            note = config.metric_notes.get(given["type"], {})
            return given["type"] in LOW_METRICS or note.get("direction") == "asc"
    for entry in config.text_metrics:
        given = {"id": entry} if isinstance(entry, str) else entry
        if name == (given.get("name") or given["id"]):
            note = config.metric_notes.get(f"text:{given['id']}", {})
            own = note.get("direction", "desc")
            return note.get("directions", {}).get(further, own) == "asc"
    return False


class Migration(migrations.Migration):

    dependencies = [
        ("leaderboard", "0064_max_outputs"),
    ]

    operations = [migrations.RunPython(say_directions, migrations.RunPython.noop)]
