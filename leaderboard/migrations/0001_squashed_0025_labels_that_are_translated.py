"""The tables as the first 25 migrations leave them, for a database that has none yet.

A database that has some of the 25 goes on with the others, one by one. `tests/models` compares both
ways.
"""

import logging

import django.contrib.auth.models
import django.contrib.auth.validators
import django.db.models.deletion
import django.db.models.functions.datetime
import django.utils.timezone
import leaderboard.rules.ids
import leaderboard.schemas.choices
from django.conf import settings
from django.db import DatabaseError, migrations, models, transaction

logger = logging.getLogger(__name__)

NAMES = {
    "participants_handle_part": "USING gin (handle_key gin_trgm_ops)",
    "participants_name_part": "USING gin (upper(name) gin_trgm_ops) WHERE name <> ''",
}
FACTS = ("score", "elapsed_ms", "tokens_total", "rating", "cost_usd")
STORAGE = {
    "leaderboard_bucket": "fillfactor = 50",
    "leaderboard_standing": "autovacuum_vacuum_scale_factor = 0.02",
    "leaderboard_sortedvalue": "autovacuum_vacuum_scale_factor = 0.02",
}


def index_names(apps, schema_editor):
    """Index names for search, as migration 0013 does where PostgreSQL offers the extension."""
    connection = schema_editor.connection
    if connection.vendor != "postgresql":
        return
    try:
        with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
            cursor.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")
            for name, what in NAMES.items():
                cursor.execute(
                    f"CREATE INDEX IF NOT EXISTS {name} ON leaderboard_participant {what}"
                )
    except DatabaseError as error:
        logger.warning("search by name goes without an index: %s", str(error).strip())


def index_facts(apps, schema_editor):
    """Index standings by the facts of every board, as migration 0014 does."""
    value = "json_extract(\"values\", '$.{}')"
    if schema_editor.connection.vendor == "postgresql":
        value = "((\"values\" ->> '{}')::double precision)"
    by_fact = {f"standings_by_{name}": value.format(name) for name in FACTS}
    for name, expression in (by_fact | {"standings_by_time": "reached_at"}).items():
        schema_editor.execute(
            f"CREATE INDEX {name} ON leaderboard_standing (config_id, {expression}, sort_key)"
        )


def set_storage(apps, schema_editor):
    """Set the storage parameters of migrations 0012, 0019 and 0022."""
    if schema_editor.connection.vendor == "postgresql":
        for table, parameter in STORAGE.items():
            schema_editor.execute(f"ALTER TABLE {table} SET ({parameter})")


class Migration(migrations.Migration):
    replaces = [
        ("leaderboard", "0001_initial"),
        ("leaderboard", "0002_text_evaluation"),
        ("leaderboard", "0003_workers"),
        ("leaderboard", "0004_metric_rules"),
        ("leaderboard", "0005_strictness"),
        ("leaderboard", "0006_reward_bounds"),
        ("leaderboard", "0007_scorer_editions"),
        ("leaderboard", "0008_slugs_of_private_challenges"),
        ("leaderboard", "0009_tallies"),
        ("leaderboard", "0010_private_configs"),
        ("leaderboard", "0011_private_participants"),
        ("leaderboard", "0012_rank_buckets"),
        ("leaderboard", "0013_search_by_name"),
        ("leaderboard", "0014_standings_by_facts"),
        ("leaderboard", "0015_fair_queue"),
        ("leaderboard", "0016_queue_by_age"),
        ("leaderboard", "0017_text_secrets"),
        ("leaderboard", "0018_strategies_are_files"),
        ("leaderboard", "0019_sorted_columns"),
        ("leaderboard", "0020_columns_are_built_in_pieces"),
        ("leaderboard", "0021_columns_know_who_writes_them"),
        ("leaderboard", "0022_foreign_keys_with_an_index"),
        ("leaderboard", "0023_request_ids"),
        ("leaderboard", "0024_one_time_links"),
        ("leaderboard", "0025_labels_that_are_translated"),
    ]

    initial = True

    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
    ]

    operations = [
        migrations.CreateModel(
            name="Attempt",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=leaderboard.rules.ids.uuid7,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                        verbose_name="id",
                    ),
                ),
                (
                    "submitted_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(),
                        verbose_name="submitted at",
                    ),
                ),
                (
                    "priority",
                    models.PositiveSmallIntegerField(
                        choices=[(0, "Fresh"), (1, "History")],
                        db_default=0,
                        editable=False,
                        verbose_name="priority",
                    ),
                ),
                (
                    "queued_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(),
                        editable=False,
                        help_text="When it began to wait, by the database's clock.",
                        verbose_name="queued at",
                    ),
                ),
                (
                    "due_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(),
                        editable=False,
                        help_text="Its place among the attempts of its tenant that wait.",
                        verbose_name="due at",
                    ),
                ),
                ("succeeded", models.BooleanField(blank=True, null=True)),
                ("tokens_total", models.BigIntegerField(blank=True, null=True)),
                ("elapsed_ms", models.BigIntegerField(blank=True, null=True)),
                ("rating", models.FloatField(blank=True, null=True)),
                (
                    "reported_created_at",
                    models.BigIntegerField(
                        blank=True,
                        help_text="`created_at` as reported, in epoch milliseconds.",
                        null=True,
                    ),
                ),
                ("cost_usd", models.FloatField(blank=True, null=True)),
                ("input_tokens", models.BigIntegerField(blank=True, null=True)),
                ("output_tokens", models.BigIntegerField(blank=True, null=True)),
                (
                    "values",
                    models.JSONField(
                        blank=True,
                        default=dict,
                        help_text="Numbers by name, as the participant reported them.",
                        verbose_name="values",
                    ),
                ),
                (
                    "sample_count",
                    models.PositiveIntegerField(
                        editable=False,
                        help_text="How many samples of tasks it brought; empty: it has no evidence of that kind.",
                        null=True,
                        verbose_name="sample count",
                    ),
                ),
                (
                    "instance_count",
                    models.PositiveIntegerField(
                        editable=False,
                        help_text="How many instances it is evaluated on; empty: it has no evidence of that kind.",
                        null=True,
                        verbose_name="instance count",
                    ),
                ),
                ("meta", models.JSONField(blank=True, default=dict, verbose_name="meta")),
                ("note", models.TextField(blank=True, verbose_name="note")),
                (
                    "idempotency_key",
                    models.CharField(
                        blank=True, editable=False, max_length=200, verbose_name="idempotency key"
                    ),
                ),
                (
                    "body_hash",
                    models.CharField(
                        blank=True, editable=False, max_length=64, verbose_name="body hash"
                    ),
                ),
                (
                    "request_id",
                    models.CharField(
                        blank=True,
                        db_default="",
                        default="",
                        editable=False,
                        help_text="Of the request that queued it last; empty: no request did.",
                        max_length=64,
                        verbose_name="request id",
                    ),
                ),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("queued", "Queued"),
                            ("held", "Held"),
                            ("scoring", "Scoring"),
                            ("scored", "Scored"),
                            ("failed", "Failed"),
                        ],
                        default="queued",
                        max_length=8,
                        verbose_name="status",
                    ),
                ),
                (
                    "deliveries",
                    models.PositiveSmallIntegerField(
                        default=0, editable=False, verbose_name="deliveries"
                    ),
                ),
                (
                    "lease_token",
                    models.UUIDField(editable=False, null=True, verbose_name="lease token"),
                ),
                (
                    "lease_until",
                    models.DateTimeField(editable=False, null=True, verbose_name="lease until"),
                ),
                (
                    "finished_at",
                    models.DateTimeField(editable=False, null=True, verbose_name="finished at"),
                ),
                (
                    "withdrawn_at",
                    models.DateTimeField(blank=True, null=True, verbose_name="withdrawn at"),
                ),
                (
                    "withdrawn_reason",
                    models.CharField(blank=True, max_length=300, verbose_name="withdrawn reason"),
                ),
            ],
            options={
                "verbose_name": "attempt",
                "verbose_name_plural": "attempts",
            },
        ),
        migrations.CreateModel(
            name="Challenge",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=leaderboard.rules.ids.uuid7,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                        verbose_name="id",
                    ),
                ),
                ("slug", models.SlugField(max_length=80, verbose_name="slug")),
                ("name", models.CharField(max_length=120, verbose_name="name")),
                (
                    "summary",
                    models.CharField(
                        blank=True,
                        help_text="One line for lists.",
                        max_length=300,
                        verbose_name="summary",
                    ),
                ),
                (
                    "description",
                    models.TextField(blank=True, help_text="Markdown.", verbose_name="description"),
                ),
                (
                    "goal",
                    models.TextField(
                        blank=True,
                        help_text="What counts as success. Markdown.",
                        verbose_name="goal",
                    ),
                ),
                ("app_id", models.CharField(blank=True, max_length=120, verbose_name="app id")),
                (
                    "workflow_id",
                    models.CharField(blank=True, max_length=120, verbose_name="workflow id"),
                ),
                (
                    "visibility",
                    models.CharField(
                        choices=[
                            ("public", "Public"),
                            ("unlisted", "Unlisted"),
                            ("private", "Private"),
                        ],
                        default=leaderboard.schemas.choices.Visibility["PUBLIC"],
                        max_length=8,
                        verbose_name="visibility",
                    ),
                ),
                (
                    "is_active",
                    models.BooleanField(
                        default=True, help_text="Accepts attempts.", verbose_name="is active"
                    ),
                ),
                (
                    "details_visibility",
                    models.CharField(
                        choices=[
                            ("auto", "Auto"),
                            ("public", "Public"),
                            ("participant", "Participant"),
                            ("organiser", "Organiser"),
                        ],
                        default=leaderboard.schemas.choices.DetailsVisibility["AUTO"],
                        max_length=11,
                        verbose_name="details visibility",
                    ),
                ),
                (
                    "references_visibility",
                    models.CharField(
                        choices=[("public", "Public"), ("organiser", "Organiser")],
                        default=leaderboard.schemas.choices.ReferencesVisibility["ORGANISER"],
                        help_text="Who sees what is expected of a model, and what gives it away.",
                        max_length=9,
                        verbose_name="references visibility",
                    ),
                ),
                (
                    "config_visibility",
                    models.CharField(
                        choices=[("public", "Public"), ("organiser", "Organiser")],
                        db_default=leaderboard.schemas.choices.ConfigVisibility["PUBLIC"],
                        default=leaderboard.schemas.choices.ConfigVisibility["PUBLIC"],
                        help_text="Who sees the settings of the scorer and of metrics, and the text of scripts.",
                        max_length=9,
                        verbose_name="config visibility",
                    ),
                ),
                (
                    "on_code_change",
                    models.CharField(
                        choices=[("warn", "Warn"), ("hold", "Hold"), ("rescore", "Rescore")],
                        default=leaderboard.schemas.choices.OnCodeChange["WARN"],
                        help_text="What happens when the source of the scorer, or of a metric, has changed.",
                        max_length=7,
                        verbose_name="on code change",
                    ),
                ),
                ("columns", models.JSONField(blank=True, default=list, verbose_name="columns")),
                (
                    "values",
                    models.JSONField(
                        blank=True,
                        default=list,
                        help_text='Names of values that participants report: ["solved", "penalty_minutes"].',
                        verbose_name="values",
                    ),
                ),
                (
                    "board_version",
                    models.PositiveBigIntegerField(
                        default=0, editable=False, verbose_name="board version"
                    ),
                ),
                (
                    "version_with_columns",
                    models.PositiveBigIntegerField(
                        db_default=0,
                        default=0,
                        editable=False,
                        help_text="Moves with the board's version, unless a release before sorted columns writes.",
                        verbose_name="version with columns",
                    ),
                ),
                (
                    "board_changed_at",
                    models.DateTimeField(
                        editable=False, null=True, verbose_name="board changed at"
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True, verbose_name="created at")),
            ],
            options={
                "verbose_name": "challenge",
                "verbose_name_plural": "challenges",
                "ordering": ["name"],
            },
        ),
        migrations.CreateModel(
            name="MetricRun",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "position",
                    models.PositiveSmallIntegerField(help_text="Its place in the output document."),
                ),
                ("key", models.CharField(max_length=120)),
                ("given", models.JSONField()),
                ("score", models.JSONField(null=True)),
                ("names", models.JSONField(default=list)),
                (
                    "value",
                    models.JSONField(
                        help_text="`rules.reductions.MetricValue`s by key.", null=True
                    ),
                ),
                ("error_code", models.CharField(blank=True, max_length=20)),
                ("error_message", models.CharField(blank=True, max_length=500)),
                (
                    "error_detail",
                    models.TextField(blank=True, help_text="For the organiser: the traceback."),
                ),
                ("elapsed", models.FloatField(default=0.0)),
                ("finished_at", models.DateTimeField(null=True)),
            ],
            options={
                "ordering": ["position"],
            },
        ),
        migrations.CreateModel(
            name="Tenant",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("slug", models.SlugField(max_length=60, unique=True, verbose_name="slug")),
                ("name", models.CharField(max_length=120, verbose_name="name")),
                ("created_at", models.DateTimeField(auto_now_add=True, verbose_name="created at")),
                (
                    "served_at",
                    models.DateTimeField(
                        editable=False,
                        help_text="When a worker last took one of its attempts.",
                        null=True,
                        verbose_name="served at",
                    ),
                ),
            ],
            options={
                "verbose_name": "tenant",
                "verbose_name_plural": "tenants",
                "ordering": ["slug"],
            },
        ),
        migrations.CreateModel(
            name="Worker",
            fields=[
                (
                    "name",
                    models.CharField(
                        help_text="host:process:start",
                        max_length=200,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("version", models.CharField(max_length=40)),
                (
                    "started_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                (
                    "seen_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
            ],
            options={
                "ordering": ["-seen_at"],
            },
        ),
        migrations.CreateModel(
            name="User",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("password", models.CharField(max_length=128, verbose_name="password")),
                (
                    "last_login",
                    models.DateTimeField(blank=True, null=True, verbose_name="last login"),
                ),
                (
                    "is_superuser",
                    models.BooleanField(
                        default=False,
                        help_text="Designates that this user has all permissions without explicitly assigning them.",
                        verbose_name="superuser status",
                    ),
                ),
                (
                    "username",
                    models.CharField(
                        error_messages={"unique": "A user with that username already exists."},
                        help_text="Required. 150 characters or fewer. Letters, digits and @/./+/-/_ only.",
                        max_length=150,
                        unique=True,
                        validators=[django.contrib.auth.validators.UnicodeUsernameValidator()],
                        verbose_name="username",
                    ),
                ),
                (
                    "first_name",
                    models.CharField(blank=True, max_length=150, verbose_name="first name"),
                ),
                (
                    "last_name",
                    models.CharField(blank=True, max_length=150, verbose_name="last name"),
                ),
                (
                    "email",
                    models.EmailField(blank=True, max_length=254, verbose_name="email address"),
                ),
                (
                    "is_staff",
                    models.BooleanField(
                        default=False,
                        help_text="Designates whether the user can log into this admin site.",
                        verbose_name="staff status",
                    ),
                ),
                (
                    "is_active",
                    models.BooleanField(
                        default=True,
                        help_text="Designates whether this user should be treated as active. Unselect this instead of deleting accounts.",
                        verbose_name="active",
                    ),
                ),
                (
                    "date_joined",
                    models.DateTimeField(
                        default=django.utils.timezone.now, verbose_name="date joined"
                    ),
                ),
                (
                    "groups",
                    models.ManyToManyField(
                        blank=True,
                        help_text="The groups this user belongs to. A user will get all permissions granted to each of their groups.",
                        related_name="user_set",
                        related_query_name="user",
                        to="auth.group",
                        verbose_name="groups",
                    ),
                ),
                (
                    "user_permissions",
                    models.ManyToManyField(
                        blank=True,
                        help_text="Specific permissions for this user.",
                        related_name="user_set",
                        related_query_name="user",
                        to="auth.permission",
                        verbose_name="user permissions",
                    ),
                ),
                (
                    "managed_by",
                    models.ForeignKey(
                        blank=True,
                        editable=False,
                        help_text="The tenant whose organisers made the account: they may make links for it.",
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="managed_users",
                        to="leaderboard.tenant",
                    ),
                ),
            ],
            options={
                "verbose_name": "user",
                "verbose_name_plural": "users",
                "abstract": False,
            },
            managers=[
                ("objects", django.contrib.auth.models.UserManager()),
            ],
        ),
        migrations.CreateModel(
            name="Evaluation",
            fields=[
                (
                    "attempt",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="evaluation",
                        serialize=False,
                        to="leaderboard.attempt",
                    ),
                ),
                ("outputs_only", models.BooleanField(default=False)),
                ("metrics", models.JSONField(default=list)),
                ("extra", models.JSONField(default=dict)),
            ],
        ),
        migrations.CreateModel(
            name="Evidence",
            fields=[
                (
                    "attempt",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="evidence",
                        serialize=False,
                        to="leaderboard.attempt",
                    ),
                ),
                ("samples", models.BinaryField()),
                ("stated", models.JSONField(default=list, editable=False)),
            ],
            options={
                "verbose_name_plural": "evidence",
            },
        ),
        migrations.AddField(
            model_name="attempt",
            name="submitted_by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="attempts",
                to=settings.AUTH_USER_MODEL,
                verbose_name="submitted by",
            ),
        ),
        migrations.AddField(
            model_name="attempt",
            name="challenge",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="attempts",
                to="leaderboard.challenge",
                verbose_name="challenge",
            ),
        ),
        migrations.CreateModel(
            name="Participant",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "handle",
                    models.CharField(
                        help_text="The name as first submitted.",
                        max_length=120,
                        verbose_name="handle",
                    ),
                ),
                (
                    "handle_key",
                    models.CharField(editable=False, max_length=400, verbose_name="handle key"),
                ),
                ("slug", models.SlugField(max_length=140, verbose_name="slug")),
                (
                    "name",
                    models.CharField(
                        blank=True,
                        help_text="Shown instead of the handle.",
                        max_length=120,
                        verbose_name="name",
                    ),
                ),
                (
                    "skeleton",
                    models.CharField(
                        blank=True,
                        editable=False,
                        help_text="Equal for names that are drawn alike: `rules.skeletons` of the shown name.",
                        max_length=400,
                        verbose_name="skeleton",
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[("system", "System"), ("person", "Person"), ("team", "Team")],
                        default="system",
                        max_length=8,
                        verbose_name="kind",
                    ),
                ),
                (
                    "is_private",
                    models.BooleanField(
                        db_default=False,
                        default=False,
                        editable=False,
                        help_text="Made at a private challenge: elsewhere its name is free, and tells nothing.",
                        verbose_name="is private",
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True, verbose_name="created at")),
                (
                    "owner",
                    models.ForeignKey(
                        blank=True,
                        help_text="The user who first submitted as it; only they and organisers may go on.",
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="participants",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="owner",
                    ),
                ),
                (
                    "tenant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="participants",
                        to="leaderboard.tenant",
                        verbose_name="tenant",
                    ),
                ),
            ],
            options={
                "verbose_name": "participant",
                "verbose_name_plural": "participants",
            },
        ),
        migrations.AddField(
            model_name="attempt",
            name="participant",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="attempts",
                to="leaderboard.participant",
                verbose_name="participant",
            ),
        ),
        migrations.CreateModel(
            name="References",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("instance_count", models.PositiveIntegerField()),
                (
                    "digest",
                    models.CharField(
                        help_text="SHA-256 of the instances, in their order.", max_length=64
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "challenge",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="references",
                        to="leaderboard.challenge",
                    ),
                ),
                (
                    "created_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "references",
            },
        ),
        migrations.CreateModel(
            name="ReferenceBlock",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("count", models.PositiveIntegerField()),
                ("content", models.BinaryField()),
                ("ids", models.BinaryField()),
                (
                    "references",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="blocks",
                        to="leaderboard.references",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ResultBlock",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("count", models.PositiveIntegerField()),
                ("content", models.BinaryField()),
                ("part", models.BinaryField()),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="blocks",
                        to="leaderboard.metricrun",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ScoringConfig",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("strategy", models.CharField(max_length=40)),
                ("plugin_id", models.CharField(blank=True, max_length=120)),
                ("entrypoint", models.CharField(blank=True, max_length=255)),
                ("config", models.JSONField(blank=True, default=dict)),
                (
                    "secrets",
                    models.JSONField(
                        blank=True,
                        db_default=models.Value({}, output_field=models.JSONField()),
                        default=dict,
                        editable=False,
                        help_text="Values that the config has a mask for, by their place in it.",
                    ),
                ),
                ("rank_by", models.JSONField(blank=True, default=list)),
                ("only_succeeded", models.BooleanField(default=False)),
                (
                    "counting",
                    models.CharField(
                        choices=[("best", "Best"), ("latest", "Latest")],
                        default=leaderboard.schemas.choices.Counting["BEST"],
                        max_length=6,
                    ),
                ),
                ("timeout_ms", models.PositiveIntegerField(default=5000)),
                ("metrics", models.JSONField(blank=True, default=list)),
                ("tasks", models.JSONField(blank=True, default=list)),
                (
                    "rewards",
                    models.JSONField(
                        blank=True,
                        default=list,
                        help_text="The bounds of rewards, as far as they are known.",
                    ),
                ),
                (
                    "num_samples",
                    models.PositiveIntegerField(
                        blank=True,
                        help_text="How many samples of a task an attempt may bring.",
                        null=True,
                    ),
                ),
                (
                    "min_coverage",
                    models.FloatField(
                        blank=True,
                        help_text="The share of the tasks that a ranked attempt covers.",
                        null=True,
                    ),
                ),
                (
                    "unknown_tasks",
                    models.CharField(
                        choices=[("refuse", "Refuse"), ("keep", "Keep")],
                        default=leaderboard.schemas.choices.UnknownTasks["REFUSE"],
                        max_length=6,
                    ),
                ),
                (
                    "text_metrics",
                    models.JSONField(
                        blank=True,
                        default=list,
                        help_text="What is made of model outputs, as in an evaluation.",
                    ),
                ),
                (
                    "text_secrets",
                    models.JSONField(
                        blank=True,
                        db_default=models.Value({}, output_field=models.JSONField()),
                        default=dict,
                        editable=False,
                        help_text="Values that parameters of text metrics have a mask for, by metric and place.",
                    ),
                ),
                (
                    "text_timeout_ms",
                    models.PositiveIntegerField(
                        default=600000,
                        help_text="How long one text metric may take for all instances.",
                    ),
                ),
                (
                    "metric_notes",
                    models.JSONField(
                        default=dict,
                        editable=False,
                        help_text="What the metrics of plugins say of themselves.",
                    ),
                ),
                (
                    "metric_keys",
                    models.JSONField(
                        default=list,
                        editable=False,
                        help_text="Keys of the metric values that attempts have had.",
                    ),
                ),
                (
                    "public_details",
                    models.BooleanField(
                        default=False,
                        help_text="Whether the scorer declares its details fit for everyone.",
                    ),
                ),
                (
                    "code",
                    models.CharField(
                        blank=True,
                        default="",
                        editable=False,
                        help_text="The hash of the source of its plugins when it was made; empty: not known.",
                        max_length=64,
                    ),
                ),
                (
                    "accepted_codes",
                    models.JSONField(
                        default=list,
                        editable=False,
                        help_text="Other codes that an organiser lets score under it.",
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "keeps_state",
                    models.BooleanField(
                        default=False,
                        help_text="The scorer gave another result in a used process: it is run one by one.",
                    ),
                ),
                ("rescore_started_at", models.DateTimeField(editable=False, null=True)),
                ("rescore_finished_at", models.DateTimeField(editable=False, null=True)),
                ("rescore_total", models.PositiveIntegerField(default=0, editable=False)),
                (
                    "rescore_request_id",
                    models.CharField(
                        blank=True, db_default="", default="", editable=False, max_length=64
                    ),
                ),
                (
                    "challenge",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="configs",
                        to="leaderboard.challenge",
                    ),
                ),
                (
                    "created_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "references",
                    models.ForeignKey(
                        blank=True,
                        help_text="The instances with their expected outputs, if the challenge holds them.",
                        null=True,
                        on_delete=django.db.models.deletion.RESTRICT,
                        related_name="configs",
                        to="leaderboard.references",
                    ),
                ),
            ],
            options={
                "ordering": ["challenge", "-number"],
            },
        ),
        migrations.CreateModel(
            name="Score",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("value", models.FloatField(blank=True, null=True)),
                ("raw_value", models.FloatField(blank=True, null=True)),
                ("metric_values", models.JSONField(blank=True, default=dict)),
                ("details", models.JSONField(blank=True, null=True)),
                ("details_note", models.CharField(blank=True, max_length=200)),
                ("error_code", models.CharField(blank=True, max_length=20)),
                ("error_message", models.CharField(blank=True, max_length=500)),
                (
                    "error_detail",
                    models.TextField(blank=True, help_text="For the organiser: the traceback."),
                ),
                (
                    "output",
                    models.TextField(
                        blank=True, help_text="For the organiser: what the scorer printed."
                    ),
                ),
                ("duration_ms", models.PositiveIntegerField(default=0)),
                ("code", models.CharField(blank=True, default="", editable=False, max_length=64)),
                (
                    "created_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                (
                    "attempt",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="scores",
                        to="leaderboard.attempt",
                    ),
                ),
                (
                    "config",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="scores",
                        to="leaderboard.scoringconfig",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="RescoreSlice",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("first", models.UUIDField()),
                ("last", models.UUIDField()),
                ("attempts", models.PositiveIntegerField()),
                ("done", models.BooleanField(default=False)),
                ("deliveries", models.PositiveSmallIntegerField(default=0)),
                ("lease_token", models.UUIDField(null=True)),
                ("lease_until", models.DateTimeField(null=True)),
                (
                    "config",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="slices",
                        to="leaderboard.scoringconfig",
                    ),
                ),
            ],
        ),
        migrations.AddField(
            model_name="metricrun",
            name="config",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="leaderboard.scoringconfig",
            ),
        ),
        migrations.CreateModel(
            name="Edition",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("code", models.CharField(max_length=64)),
                ("scores", models.PositiveIntegerField(default=0)),
                (
                    "first_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                (
                    "config",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="editions",
                        to="leaderboard.scoringconfig",
                    ),
                ),
            ],
            options={
                "ordering": ["config", "first_at", "pk"],
            },
        ),
        migrations.AddField(
            model_name="challenge",
            name="newest_config",
            field=models.ForeignKey(
                editable=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="leaderboard.scoringconfig",
                verbose_name="newest config",
            ),
        ),
        migrations.AddField(
            model_name="challenge",
            name="shown_config",
            field=models.ForeignKey(
                editable=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="leaderboard.scoringconfig",
                verbose_name="shown config",
            ),
        ),
        migrations.CreateModel(
            name="Bucket",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("low", models.BinaryField()),
                ("n", models.PositiveIntegerField(editable=False)),
                (
                    "config",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="buckets",
                        to="leaderboard.scoringconfig",
                    ),
                ),
            ],
        ),
        migrations.AddField(
            model_name="attempt",
            name="scoring_config",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="attempts",
                to="leaderboard.scoringconfig",
                verbose_name="scoring config",
            ),
        ),
        migrations.CreateModel(
            name="SortedColumn",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.TextField(editable=False)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("building", "Building"),
                            ("ready", "Ready"),
                            ("dropped", "Dropped"),
                        ],
                        db_default="ready",
                        default="building",
                        editable=False,
                        max_length=8,
                    ),
                ),
                ("unwritten", models.BigIntegerField(db_default=0, default=0, editable=False)),
                ("done_to", models.BigIntegerField(db_default=0, default=0, editable=False)),
                (
                    "config",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="sorted_columns",
                        to="leaderboard.scoringconfig",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="SortedValue",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "participant_id",
                        "column_id",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("up", models.FloatField(editable=False)),
                ("down", models.FloatField(editable=False)),
                ("sort_key", models.BinaryField()),
                (
                    "column",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="leaderboard.sortedcolumn",
                    ),
                ),
                (
                    "participant",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="leaderboard.participant",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Standing",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("sort_key", models.BinaryField()),
                ("pick_key", models.BinaryField()),
                ("unranked", models.CharField(blank=True, editable=False, max_length=13)),
                ("values", models.JSONField(default=dict, editable=False)),
                ("cells", models.JSONField(default=dict, editable=False)),
                ("attempts", models.PositiveIntegerField(default=0, editable=False)),
                ("reached_at", models.DateTimeField(editable=False)),
                (
                    "attempt",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="leaderboard.attempt",
                    ),
                ),
                (
                    "config",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="standings",
                        to="leaderboard.scoringconfig",
                    ),
                ),
                (
                    "participant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="standings",
                        to="leaderboard.participant",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Tally",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=80)),
                (
                    "labels",
                    models.CharField(help_text="A JSON object, its keys sorted.", max_length=400),
                ),
                ("value", models.FloatField(default=0)),
            ],
            options={
                "verbose_name_plural": "tallies",
                "constraints": [
                    models.UniqueConstraint(fields=("name", "labels"), name="one_tally_per_labels")
                ],
            },
        ),
        migrations.CreateModel(
            name="OneTimeLink",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("digest", models.CharField(editable=False, max_length=64, unique=True)),
                (
                    "purpose",
                    models.CharField(
                        choices=[
                            ("invitation", "Invitation"),
                            ("sign_in", "Sign In"),
                            ("password", "Password"),
                        ],
                        max_length=12,
                    ),
                ),
                (
                    "role",
                    models.CharField(
                        choices=[("member", "Member"), ("organiser", "Organiser")],
                        default="member",
                        help_text="What the invited person becomes in the tenant.",
                        max_length=12,
                    ),
                ),
                (
                    "label",
                    models.CharField(blank=True, help_text="For whom it was made.", max_length=254),
                ),
                ("made_at", models.DateTimeField(auto_now_add=True)),
                ("expires_at", models.DateTimeField()),
                ("used_at", models.DateTimeField(blank=True, null=True)),
                (
                    "made_by",
                    models.ForeignKey(
                        blank=True,
                        help_text="Nobody: a command. What they may no longer do, the link no longer does.",
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        blank=True,
                        help_text="Whom it lets in; an invitation has nobody yet.",
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="one_time_links",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "tenant",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="invitations",
                        to="leaderboard.tenant",
                    ),
                ),
            ],
            options={
                "ordering": ["-made_at", "-pk"],
            },
        ),
        migrations.CreateModel(
            name="Membership",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "role",
                    models.CharField(
                        choices=[("member", "Member"), ("organiser", "Organiser")],
                        default="member",
                        max_length=12,
                        verbose_name="role",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="memberships",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="user",
                    ),
                ),
                (
                    "tenant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="memberships",
                        to="leaderboard.tenant",
                        verbose_name="tenant",
                    ),
                ),
            ],
            options={
                "verbose_name": "membership",
                "verbose_name_plural": "memberships",
            },
        ),
        migrations.AddField(
            model_name="challenge",
            name="tenant",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="challenges",
                to="leaderboard.tenant",
                verbose_name="tenant",
            ),
        ),
        migrations.AddField(
            model_name="attempt",
            name="tenant",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                editable=False,
                help_text="That of the challenge, kept here for the order of the queue.",
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="attempts",
                to="leaderboard.tenant",
                verbose_name="tenant",
            ),
        ),
        migrations.CreateModel(
            name="ApiToken",
            fields=[
                ("digest", models.CharField(max_length=128, primary_key=True, serialize=False)),
                ("token_key", models.CharField(db_index=True, max_length=25)),
                ("created", models.DateTimeField(auto_now_add=True)),
                ("expiry", models.DateTimeField(blank=True, null=True)),
                ("name", models.CharField(blank=True, max_length=80, verbose_name="name")),
                ("scopes", models.JSONField(default=list, verbose_name="scopes")),
                (
                    "last_used_at",
                    models.DateTimeField(
                        blank=True, editable=False, null=True, verbose_name="last used at"
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="auth_token_set",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "tenant",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="tokens",
                        to="leaderboard.tenant",
                        verbose_name="tenant",
                    ),
                ),
            ],
            options={
                "verbose_name": "api token",
                "verbose_name_plural": "api tokens",
                "ordering": ["-created"],
            },
        ),
        migrations.AddField(
            model_name="metricrun",
            name="evaluation",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="runs",
                to="leaderboard.evaluation",
            ),
        ),
        migrations.CreateModel(
            name="InstanceBlock",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("count", models.PositiveIntegerField()),
                ("content", models.BinaryField()),
                (
                    "evaluation",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="blocks",
                        to="leaderboard.evaluation",
                    ),
                ),
            ],
        ),
        migrations.AddConstraint(
            model_name="references",
            constraint=models.UniqueConstraint(
                fields=("challenge", "digest"), name="references_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="referenceblock",
            constraint=models.UniqueConstraint(
                fields=("references", "number"), name="one_reference_block"
            ),
        ),
        migrations.AddConstraint(
            model_name="resultblock",
            constraint=models.UniqueConstraint(fields=("run", "number"), name="one_result_block"),
        ),
        migrations.AddConstraint(
            model_name="scoringconfig",
            constraint=models.UniqueConstraint(
                fields=("challenge", "number"), name="one_config_per_number"
            ),
        ),
        migrations.AddConstraint(
            model_name="scoringconfig",
            constraint=models.CheckConstraint(
                condition=models.Q(("strategy", ""), _negated=True), name="a_config_has_a_strategy"
            ),
        ),
        migrations.AddIndex(
            model_name="score",
            index=models.Index(
                condition=models.Q(("error_code", ""), _negated=True),
                fields=["error_code"],
                name="scores_with_an_error",
            ),
        ),
        migrations.AddConstraint(
            model_name="score",
            constraint=models.UniqueConstraint(
                fields=("attempt", "config"), name="one_score_per_attempt_and_config"
            ),
        ),
        migrations.AddConstraint(
            model_name="score",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("value__isnull", True),
                    models.Q(("value__gte", 0), ("value__lte", 1.7976931348623157e308)),
                    _connector="OR",
                ),
                name="score_finite_and_not_negative",
            ),
        ),
        migrations.AddConstraint(
            model_name="score",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("raw_value__isnull", True),
                    models.Q(
                        ("raw_value__gte", -1.7976931348623157e308),
                        ("raw_value__lte", 1.7976931348623157e308),
                    ),
                    _connector="OR",
                ),
                name="raw_score_finite",
            ),
        ),
        migrations.AddConstraint(
            model_name="score",
            constraint=models.CheckConstraint(
                condition=models.Q(("error_code", ""), ("value__isnull", True), _connector="OR"),
                name="no_score_with_an_error",
            ),
        ),
        migrations.AddIndex(
            model_name="rescoreslice",
            index=models.Index(fields=["config", "done"], name="slices_to_do"),
        ),
        migrations.AddConstraint(
            model_name="rescoreslice",
            constraint=models.UniqueConstraint(
                fields=("config", "first"), name="one_slice_per_range"
            ),
        ),
        migrations.AddConstraint(
            model_name="edition",
            constraint=models.UniqueConstraint(
                fields=("config", "code"), name="one_edition_per_code"
            ),
        ),
        migrations.AddConstraint(
            model_name="bucket",
            constraint=models.UniqueConstraint(fields=("config", "low"), name="one_bucket_per_key"),
        ),
        migrations.AddConstraint(
            model_name="sortedcolumn",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state", "dropped"), _negated=True),
                fields=("config", "key"),
                name="one_sorted_column_per_key",
            ),
        ),
        migrations.AddIndex(
            model_name="sortedvalue",
            index=models.Index(
                fields=["column", "up", "sort_key", "participant"], name="values_upwards"
            ),
        ),
        migrations.AddIndex(
            model_name="sortedvalue",
            index=models.Index(
                fields=["column", "down", "sort_key", "participant"], name="values_downwards"
            ),
        ),
        migrations.AddIndex(
            model_name="standing",
            index=models.Index(fields=["config", "sort_key"], name="standings_in_order"),
        ),
        migrations.AddIndex(
            model_name="standing",
            index=models.Index(fields=["attempt"], name="standings_of_attempt"),
        ),
        migrations.AddConstraint(
            model_name="standing",
            constraint=models.UniqueConstraint(
                fields=("config", "participant"), name="one_standing_per_participant"
            ),
        ),
        migrations.AddConstraint(
            model_name="standing",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("unranked__in", ["", "not_succeeded", "no_value", "failed"]),
                    ("unranked__in", ["low_coverage", "withdrawn"]),
                    _connector="OR",
                ),
                name="unranked_for_a_known_reason",
            ),
        ),
        migrations.AddIndex(
            model_name="participant",
            index=models.Index(fields=["tenant", "skeleton"], name="participants_alike"),
        ),
        migrations.AddConstraint(
            model_name="participant",
            constraint=models.UniqueConstraint(
                fields=("tenant", "handle_key", "is_private"), name="one_participant_per_handle"
            ),
        ),
        migrations.AddConstraint(
            model_name="participant",
            constraint=models.UniqueConstraint(
                fields=("tenant", "slug", "is_private"), name="one_participant_per_slug"
            ),
        ),
        migrations.AddConstraint(
            model_name="membership",
            constraint=models.UniqueConstraint(
                fields=("tenant", "user"), name="one_membership_per_tenant"
            ),
        ),
        migrations.AddConstraint(
            model_name="challenge",
            constraint=models.UniqueConstraint(
                condition=models.Q(("visibility", "private"), _negated=True),
                fields=("slug",),
                name="one_open_challenge_per_slug",
            ),
        ),
        migrations.AddConstraint(
            model_name="challenge",
            constraint=models.UniqueConstraint(
                fields=("tenant", "slug"), name="one_challenge_of_a_tenant_per_slug"
            ),
        ),
        migrations.AddIndex(
            model_name="attempt",
            index=models.Index(
                fields=["challenge", "-submitted_at", "-id"], name="attempts_newest"
            ),
        ),
        migrations.AddIndex(
            model_name="attempt",
            index=models.Index(
                fields=["participant", "challenge", "-submitted_at"], name="attempts_of_one"
            ),
        ),
        migrations.AddIndex(
            model_name="attempt",
            index=models.Index(fields=["challenge", "finished_at"], name="attempts_finished"),
        ),
        migrations.AddIndex(
            model_name="attempt",
            index=models.Index(fields=["scoring_config"], name="attempts_of_config"),
        ),
        migrations.AddIndex(
            model_name="attempt",
            index=models.Index(
                condition=models.Q(
                    ("instance_count__isnull", True), ("status__in", ("queued", "scoring"))
                ),
                fields=["tenant", "priority", "due_at"],
                name="attempts_short",
            ),
        ),
        migrations.AddIndex(
            model_name="attempt",
            index=models.Index(
                condition=models.Q(
                    ("instance_count__isnull", False), ("status__in", ("queued", "scoring"))
                ),
                fields=["tenant", "priority", "due_at"],
                name="attempts_long",
            ),
        ),
        migrations.AddIndex(
            model_name="attempt",
            index=models.Index(
                condition=models.Q(("status__in", ("queued", "scoring"))),
                fields=["participant", "priority", "due_at"],
                name="attempts_waiting_of_one",
            ),
        ),
        migrations.AddIndex(
            model_name="attempt",
            index=models.Index(
                condition=models.Q(("status__in", ("queued", "scoring"))),
                fields=["priority", "queued_at"],
                name="attempts_by_age",
            ),
        ),
        migrations.AddIndex(
            model_name="attempt",
            index=models.Index(
                condition=models.Q(("finished_at__isnull", False)),
                fields=["finished_at"],
                name="attempts_by_end",
            ),
        ),
        migrations.AddIndex(
            model_name="attempt",
            index=models.Index(
                condition=models.Q(("lease_until__isnull", False)),
                fields=["lease_until"],
                name="attempts_leased",
            ),
        ),
        migrations.AddIndex(
            model_name="attempt",
            index=models.Index(
                condition=models.Q(("status", "held")), fields=["challenge"], name="attempts_held"
            ),
        ),
        migrations.AddConstraint(
            model_name="attempt",
            constraint=models.UniqueConstraint(
                condition=models.Q(("idempotency_key", ""), _negated=True),
                fields=("challenge", "submitted_by", "idempotency_key"),
                name="one_use_per_idempotency_key",
            ),
        ),
        migrations.AddConstraint(
            model_name="attempt",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("tokens_total__isnull", True),
                    models.Q(("tokens_total__gte", 0), ("tokens_total__lte", 1000000000000000)),
                    _connector="OR",
                ),
                name="tokens_total_in_range",
            ),
        ),
        migrations.AddConstraint(
            model_name="attempt",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("elapsed_ms__isnull", True),
                    models.Q(("elapsed_ms__gte", 0), ("elapsed_ms__lte", 1000000000000000)),
                    _connector="OR",
                ),
                name="elapsed_ms_in_range",
            ),
        ),
        migrations.AddConstraint(
            model_name="attempt",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("rating__isnull", True),
                    models.Q(("rating__gte", 0), ("rating__lte", 10)),
                    _connector="OR",
                ),
                name="rating_in_range",
            ),
        ),
        migrations.AddConstraint(
            model_name="attempt",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("cost_usd__isnull", True),
                    models.Q(("cost_usd__gte", 0), ("cost_usd__lte", 1000000000000000)),
                    _connector="OR",
                ),
                name="cost_usd_in_range",
            ),
        ),
        migrations.AddConstraint(
            model_name="attempt",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("input_tokens__isnull", True),
                    models.Q(("input_tokens__gte", 0), ("input_tokens__lte", 1000000000000000)),
                    _connector="OR",
                ),
                name="input_tokens_in_range",
            ),
        ),
        migrations.AddConstraint(
            model_name="attempt",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("output_tokens__isnull", True),
                    models.Q(("output_tokens__gte", 0), ("output_tokens__lte", 1000000000000000)),
                    _connector="OR",
                ),
                name="output_tokens_in_range",
            ),
        ),
        migrations.AddConstraint(
            model_name="metricrun",
            constraint=models.UniqueConstraint(
                fields=("evaluation", "config", "position"), name="one_run_per_position"
            ),
        ),
        migrations.AddConstraint(
            model_name="instanceblock",
            constraint=models.UniqueConstraint(
                fields=("evaluation", "number"), name="one_instance_block"
            ),
        ),
        migrations.RunPython(index_names, migrations.RunPython.noop),
        migrations.RunPython(index_facts, migrations.RunPython.noop),
        migrations.RunPython(set_storage, migrations.RunPython.noop),
    ]
