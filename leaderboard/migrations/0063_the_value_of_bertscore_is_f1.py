"""The value of BERTSCORE was its precision, and is its F1 now, as papers report it.

Boards that ranked by `BERTSCORE:f1`, or had a column for it, use the value of the metric. Scores of
before have the precision there until they are computed anew.
"""

from django.db import migrations

IDS = ("bertscore", "bertscore_idf")
PART = ":f1"


def names_of(text_metrics):
    """The names under which a config has BERTSCORE."""
    entries = [each for each in text_metrics or () if isinstance(each, dict)]
    return {
        str(each.get("name") or each["id"])
        for each in entries
        if str(each.get("id", "")).casefold() in IDS
    }


def renamed(keys, names):
    """Ranked keys or columns, where the F1 of these metrics is their value."""
    return [
        {**each, "key": each["key"].removesuffix(PART)}
        if isinstance(each, dict) and each.get("key") in {f"{name}{PART}" for name in names}
        else each
        for each in keys
    ]


def rank_by_the_value(apps, schema_editor):
    ScoringConfig = apps.get_model("leaderboard", "ScoringConfig")
    Challenge = apps.get_model("leaderboard", "Challenge")
    configs = ScoringConfig.objects.exclude(text_metrics=[])
    rows = configs.values_list("pk", "challenge_id", "text_metrics", "rank_by")
    of_challenges = {}
    for pk, challenge, text_metrics, rank_by in rows.iterator():
        if names := names_of(text_metrics):
            of_challenges.setdefault(challenge, set()).update(names)
            if (keys := renamed(rank_by, names)) != rank_by:
                ScoringConfig.objects.filter(pk=pk).update(rank_by=keys)
    for pk, names in of_challenges.items():
        columns = Challenge.objects.values_list("columns", flat=True).get(pk=pk)
        if (keys := renamed(columns, names)) != columns:
            Challenge.objects.filter(pk=pk).update(columns=keys)


class Migration(migrations.Migration):

    dependencies = [
        ("leaderboard", "0062_pending_entries_of_searched_names"),
    ]

    operations = [migrations.RunPython(rank_by_the_value, migrations.RunPython.noop)]
