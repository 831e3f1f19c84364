"""Rows of a database at 0062 become as 0.1.0 would have written them.

Each step says what changed for users. On a new database none finds a row.
"""

from collections import Counter
from datetime import timedelta

from django.db import migrations
from django.db.models import Count, F, OuterRef, Q, Subquery

from leaderboard.rules.texts.skeletons import skeleton

BERTSCORES = ("bertscore", "bertscore_idf")
PART = ":f1"
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
AT_ONCE = timedelta(milliseconds=100)


def rank_by_f1(apps, schema_editor):
    """The value of BERTSCORE was its precision, and is its F1 now, as papers report it.

    Boards that ranked by `BERTSCORE:f1`, or had a column for it, use the value of the metric.
    Scores of before have the precision there until they are computed anew.
    """
    ScoringConfig = apps.get_model("leaderboard", "ScoringConfig")
    Challenge = apps.get_model("leaderboard", "Challenge")
    configs = ScoringConfig.objects.exclude(text_metrics=[])
    rows = configs.values_list("pk", "challenge_id", "text_metrics", "rank_by")
    of_challenges = {}
    for pk, challenge, text_metrics, rank_by in rows.iterator():
        if names := bertscore_names(text_metrics):
            of_challenges.setdefault(challenge, set()).update(names)
            if (keys := without_part(rank_by, names)) != rank_by:
                ScoringConfig.objects.filter(pk=pk).update(rank_by=keys)
    for pk, names in of_challenges.items():
        columns = Challenge.objects.values_list("columns", flat=True).get(pk=pk)
        if (keys := without_part(columns, names)) != columns:
            Challenge.objects.filter(pk=pk).update(columns=keys)


def bertscore_names(text_metrics):
    """The names under which a config has BERTSCORE."""
    entries = [entry for entry in text_metrics or () if isinstance(entry, dict)]
    return {
        str(entry.get("name") or entry["id"])
        for entry in entries
        if str(entry.get("id", "")).casefold() in BERTSCORES
    }


def without_part(keys, names):
    """Ranked keys or columns, where the F1 of these metrics is their value."""
    return [
        {**key, "key": key["key"].removesuffix(PART)}
        if isinstance(key, dict) and key.get("key") in {f"{name}{PART}" for name in names}
        else key
        for key in keys
    ]


def write_directions(apps, schema_editor):
    """Win rates whose values had no direction took higher values as better, and go on doing so.

    From now on a value without a direction has its own one. This writes `desc` where that differs.
    """
    configs = apps.get_model("leaderboard", "ScoringConfig")
    for config in configs.objects.exclude(metrics=[]).iterator():
        metrics = [explicit(config, entry) for entry in config.metrics]
        if metrics != config.metrics:
            configs.objects.filter(pk=config.pk).update(metrics=metrics)


def explicit(config, entry):
    if not isinstance(entry, dict) or entry.get("type") != "mean_win_rate":
        return entry
    return {**entry, "of": [with_direction(config, value) for value in entry.get("of", ())]}


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


def forget_runs_of_cancelled(apps, schema_editor):
    """Nothing of a cancelled attempt is readable, also of one that was cancelled before."""
    scores = apps.get_model("leaderboard", "Score").objects.filter(error_code="cancelled")
    runs = apps.get_model("leaderboard", "MetricRun").objects
    runs.filter(evaluation__in=scores.values("attempt")).delete()


def count_rounded_boards_again(apps, schema_editor):
    """Boards of phases that round scores rank by the rounded ones."""
    board, bucket, column = (
        apps.get_model("leaderboard", name) for name in ("Board", "Bucket", "SortedColumn")
    )
    rounded = board.objects.filter(phase__decimals__isnull=False)
    boards = list(rounded.values_list("pk", flat=True))
    bucket.objects.filter(board__in=boards).delete()
    columns = column.objects.filter(board__in=boards).exclude(state="dropped")
    columns.update(state="dropped", done_to=0)
    board.objects.filter(pk__in=boards).update(filled_to=0, version=F("version") + 1)


def find_switched_versions(apps, schema_editor):
    """Which scoring versions a board has begun to show after a rescore.

    A rescore that another one replaced ended at the moment when that one began.
    """
    configs = apps.get_model("leaderboard", "ScoringConfig").objects
    began = {}
    for challenge, pk, at in configs.filter(rescore_started_at__isnull=False).values_list(
        "challenge", "pk", "rescore_started_at"
    ):
        began.setdefault(challenge, []).append((pk, at))
    ended = configs.filter(
        rescore_finished_at__isnull=False, number__lte=F("challenge__shown_config__number")
    )
    switched = [
        pk
        for pk, challenge, at in ended.values_list("pk", "challenge", "rescore_finished_at")
        if not any(other != pk and abs(at - start) < AT_ONCE for other, start in began[challenge])
    ]
    configs.filter(pk__in=switched).update(switched_at=F("rescore_finished_at"))


def count_accounts(apps, schema_editor):
    """Limits count for accounts: their counters are made from the attempts so far.

    A phase in which an account has counted attempts under several names keeps its limits per name.
    """
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


def _period(kind, day):
    if kind == "week":
        year, week, _ = day.isocalendar()
        return f"{year:04}-W{week:02}"
    return day.isoformat() if kind == "day" else ""


def mark_users(apps, schema_editor):
    """Who chose their username at sign-up, and which usernames look alike.

    Nothing says how older accounts were made. One that has a password or a provider, and that
    neither an organiser made nor an operator gave rights, counts as a sign-up.
    """
    User = apps.get_model("leaderboard", "User")
    SocialAccount = apps.get_model("socialaccount", "SocialAccount")
    no_password = Q(password__startswith="!")  # noqa: S106 - Django's mark of an unusable one
    has_way_in = ~no_password | Q(pk__in=SocialAccount.objects.values("user"))
    User.objects.filter(
        has_way_in, managed_by=None, is_staff=False, is_superuser=False
    ).update(is_self_named=True)
    rows = [(skeleton(name), pk) for pk, name in User.objects.values_list("pk", "username")]
    with schema_editor.connection.cursor() as cursor:
        cursor.executemany("UPDATE leaderboard_user SET skeleton = %s WHERE id = %s", rows)


def name_asked_teams(apps, schema_editor):
    """Requests to merge keep the name that was asked for."""
    TeamMerge = apps.get_model("leaderboard", "TeamMerge")
    Participant = apps.get_model("leaderboard", "Participant")
    slug = Participant.objects.filter(pk=OuterRef("into")).values("slug")
    TeamMerge.objects.filter(merged_at=None).update(asked_name=Subquery(slug))


def name_all_phases(apps, schema_editor):
    """Challenges with several phases go on showing the current one where none is named."""
    Phase = apps.get_model("leaderboard", "Phase")
    several = Phase.objects.order_by().values("challenge").annotate(phases=Count("pk"))
    ids = [row["challenge"] for row in several.filter(phases__gt=1)]
    for start in range(0, len(ids), 500):
        Phase.objects.filter(challenge__in=ids[start : start + 500]).update(face=True)


def compute_boards_again(apps, schema_editor):
    """Let workers compute what is stored of boards again: strips follow declared bounds now."""
    apps.get_model("leaderboard", "Board").objects.exclude(judged_version=None).update(
        judged_version=None
    )


def mask_codes(apps, schema_editor):
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


STEPS = (
    rank_by_f1,
    write_directions,
    forget_runs_of_cancelled,
    count_rounded_boards_again,
    find_switched_versions,
    count_accounts,
    mark_users,
    name_asked_teams,
    name_all_phases,
    compute_boards_again,
    mask_codes,
)


def bring_up_to_date(apps, schema_editor):
    """One operation, because Django makes all models anew for each."""
    for step in STEPS:
        step(apps, schema_editor)
    if schema_editor.connection.vendor == "postgresql":
        # A restore runs all migrations in one transaction, and later ones change these tables.
        schema_editor.connection.check_constraints()


class Migration(migrations.Migration):

    dependencies = [
        ("leaderboard", "0063_columns_and_tables_of_0_1_0"),
        ("socialaccount", "0006_alter_socialaccount_extra_data"),
    ]

    operations = [migrations.RunPython(bring_up_to_date, migrations.RunPython.noop)]
