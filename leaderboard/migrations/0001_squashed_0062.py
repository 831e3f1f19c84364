"""The tables as of version 0062, for a new database.

A database that has run the 62 migrations listed in `REPLACED` has these tables already, and Django
counts this migration as applied. None of the 62 exists any more: a database that has run only some
of them cannot be upgraded.

So 0.1.0 has few migrations: this one, `0063` with all newer columns and tables, and `0064` with
what happens to the rows of a database at 0062. A database or backup at an earlier migration needs a
version of 0062 in between. Models stand in the order in which they refer to each other, with
constraints and indexes inside, because Django renders all models again after each further
operation. At the end is what Django does not generate: indexes for search by name and by facts,
storage parameters of PostgreSQL.

The names of former squashed migrations, which some databases have recorded, are not in `REPLACED`:
other databases lack them, and Django would then take none of the 62 as applied. A test restores a
backup of 0062 (`tests/management/rows_of_0062.json`) and compares all values.
"""

import logging
import uuid

import django.contrib.auth.models
import django.contrib.auth.validators
import django.core.validators
import django.db.models.deletion
import django.db.models.functions.datetime
import django.utils.timezone
import leaderboard.rules.ids
import leaderboard.schemas.choices
from django.conf import settings
from django.db import DatabaseError, migrations, models, transaction

logger = logging.getLogger(__name__)

REPLACED = [
    "0001_initial", "0002_text_evaluation", "0003_workers", "0004_metric_rules", "0005_strictness",
    "0006_reward_bounds", "0007_scorer_editions", "0008_slugs_of_private_challenges",
    "0009_tallies", "0010_private_configs", "0011_private_participants", "0012_rank_buckets",
    "0013_search_by_name", "0014_standings_by_facts", "0015_fair_queue", "0016_queue_by_age",
    "0017_text_secrets", "0018_strategies_are_files", "0019_sorted_columns",
    "0020_columns_are_built_in_pieces", "0021_columns_know_who_writes_them",
    "0022_foreign_keys_with_an_index", "0023_request_ids", "0024_one_time_links",
    "0025_labels_that_are_translated", "0026_phases", "0027_default_phases", "0028_registrations",
    "0029_registrations_of_attempts", "0030_quotas", "0031_team_links", "0032_former_names",
    "0033_audit_entries", "0034_announcements", "0035_boards", "0036_phase_visibility",
    "0037_freezes", "0038_disqualifications", "0039_drafts", "0040_bound_tokens", "0041_marks",
    "0042_withholding", "0043_samples", "0044_counting_modes", "0045_challenge_roles",
    "0046_advances", "0047_overlaps", "0048_team_merges", "0049_rows_out_of_ranking",
    "0050_board_certainties", "0051_splits", "0052_movements", "0053_board_summaries",
    "0054_embedding", "0055_languages_of_users", "0056_meta_fields", "0057_help_of_sample_count",
    "0058_help_of_links_and_teams", "0059_attempts_held_of_one", "0060_failing_parts_of_workers",
    "0061_places_of_new_owners", "0062_pending_entries_of_searched_names",
]

PENDING = "WITH (gin_pending_list_limit = 256)"
"""In kB. PostgreSQL collects new entries in a list, which every search reads as a whole. By default
autovacuum sorts them in at 4 MB."""
NAMES = {
    "participants_handle_part": f"USING gin (handle_key gin_trgm_ops) {PENDING}",
    "participants_name_part": f"USING gin (upper(name) gin_trgm_ops) {PENDING} WHERE name <> ''",
}
FACTS = ("score", "elapsed_ms", "tokens_total", "rating", "cost_usd")
STORAGE = {
    "leaderboard_board": "fillfactor = 50",
    "leaderboard_bucket": "fillfactor = 50",
    "leaderboard_standing": "autovacuum_vacuum_scale_factor = 0.02",
    "leaderboard_sortedvalue": "autovacuum_vacuum_scale_factor = 0.02",
}


def index_names(apps, schema_editor):
    """Index names for search where PostgreSQL offers the extension. Without it a search reads all
    names of a tenant; docs/deploy.md says how to have it later."""
    connection = schema_editor.connection
    if connection.vendor != "postgresql":
        return
    try:
        with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
            cursor.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")
            for name, what in NAMES.items():
                cursor.execute(f"CREATE INDEX {name} ON leaderboard_participant {what}")
    except DatabaseError as error:
        logger.warning("search by name goes without an index: %s", str(error).strip())


def index_facts(apps, schema_editor):
    """Index standings by the facts of every board."""
    value = "json_extract(\"values\", '$.{}')"
    if schema_editor.connection.vendor == "postgresql":
        value = "((\"values\" ->> '{}')::double precision)"
    by_fact = {f"standings_by_{name}": value.format(name) for name in FACTS}
    for name, expression in (by_fact | {"standings_by_time": "reached_at"}).items():
        schema_editor.execute(
            f"CREATE INDEX {name} ON leaderboard_standing (board_id, {expression}, sort_key)"
        )


def set_storage(apps, schema_editor):
    """Keep room for updates in rows, and vacuum large tables earlier than PostgreSQL does."""
    if schema_editor.connection.vendor == "postgresql":
        for table, parameter in STORAGE.items():
            schema_editor.execute(f"ALTER TABLE {table} SET ({parameter})")


class Migration(migrations.Migration):
    replaces = [("leaderboard", name) for name in REPLACED]

    initial = True

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
    ]

    operations = [
        migrations.CreateModel(
            name='Tenant',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.SlugField(max_length=60, unique=True, verbose_name='slug')),
                ('name', models.CharField(max_length=120, verbose_name='name')),
                ('created_at', models.DateTimeField(auto_now_add=True, verbose_name='created at')),
                ('served_at', models.DateTimeField(editable=False, help_text='When a worker last took one of its attempts.', null=True, verbose_name='served at')),
            ],
            options={
                'verbose_name': 'tenant',
                'verbose_name_plural': 'tenants',
                'ordering': ['slug'],
            },
        ),
        migrations.CreateModel(
            name='Challenge',
            fields=[
                ('id', models.UUIDField(default=leaderboard.rules.ids.uuid7, editable=False, primary_key=True, serialize=False, verbose_name='id')),
                ('slug', models.SlugField(max_length=80, verbose_name='slug')),
                ('name', models.CharField(max_length=120, verbose_name='name')),
                ('summary', models.CharField(blank=True, help_text='One line for lists.', max_length=300, verbose_name='summary')),
                ('description', models.TextField(blank=True, help_text='Markdown.', verbose_name='description')),
                ('goal', models.TextField(blank=True, help_text='What counts as success. Markdown.', verbose_name='goal')),
                ('app_id', models.CharField(blank=True, max_length=120, verbose_name='app id')),
                ('workflow_id', models.CharField(blank=True, max_length=120, verbose_name='workflow id')),
                ('visibility', models.CharField(choices=[('public', 'Public'), ('unlisted', 'Unlisted'), ('private', 'Private')], default=leaderboard.schemas.choices.Visibility['PUBLIC'], max_length=8, verbose_name='visibility')),
                ('is_draft', models.BooleanField(db_default=False, default=False, help_text='Only its organisers see it and can submit to it.', verbose_name='is draft')),
                ('is_active', models.BooleanField(default=True, help_text='Accepts attempts.', verbose_name='is active')),
                ('details_visibility', models.CharField(choices=[('auto', 'Auto'), ('public', 'Public'), ('participant', 'Participant'), ('organiser', 'Organiser')], default=leaderboard.schemas.choices.DetailsVisibility['AUTO'], max_length=11, verbose_name='details visibility')),
                ('references_visibility', models.CharField(choices=[('public', 'Public'), ('organiser', 'Organiser')], default=leaderboard.schemas.choices.ReferencesVisibility['ORGANISER'], help_text='Who sees what is expected of a model, and what gives it away.', max_length=9, verbose_name='references visibility')),
                ('config_visibility', models.CharField(choices=[('public', 'Public'), ('organiser', 'Organiser')], db_default=leaderboard.schemas.choices.ConfigVisibility['PUBLIC'], default=leaderboard.schemas.choices.ConfigVisibility['PUBLIC'], help_text='Who sees the settings of the scorer and of metrics, and the text of scripts.', max_length=9, verbose_name='config visibility')),
                ('on_code_change', models.CharField(choices=[('warn', 'Warn'), ('hold', 'Hold'), ('rescore', 'Rescore')], default=leaderboard.schemas.choices.OnCodeChange['WARN'], help_text='What happens when the source of the scorer, or of a metric, has changed.', max_length=7, verbose_name='on code change')),
                ('columns', models.JSONField(blank=True, default=list, verbose_name='columns')),
                ('values', models.JSONField(blank=True, default=list, help_text='Names of values that participants report: ["solved", "penalty_minutes"].', verbose_name='values')),
                ('is_restricted', models.BooleanField(db_default=False, default=False, editable=False, help_text='Whether a phase hides something from some readers.', verbose_name='is restricted')),
                ('has_marks', models.BooleanField(db_default=False, default=False, editable=False, help_text='Whether organisers have verified or annotated an attempt.', verbose_name='has marks')),
                ('board_version', models.PositiveBigIntegerField(default=0, editable=False, help_text='How often its boards have changed, other than by scores.', verbose_name='board version')),
                ('created_at', models.DateTimeField(auto_now_add=True, verbose_name='created at')),
                ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='challenges', to='leaderboard.tenant', verbose_name='tenant')),
                ('is_embeddable', models.BooleanField(db_default=False, default=False, help_text='Other sites may show the first rows of its board in a frame.', verbose_name='is embeddable')),
                ('meta_fields', models.JSONField(blank=True, db_default=[], default=list, help_text='Fields of the meta of attempts that the board shows and filters by: [{"name": "size", "type": "number", "unit": "B"}].', verbose_name='meta fields')),
            ],
            options={
                'verbose_name': 'challenge',
                'verbose_name_plural': 'challenges',
                'ordering': ['name'],
                'constraints': [models.UniqueConstraint(condition=models.Q(models.Q(('visibility', 'private'), _negated=True), ('is_draft', False)), fields=('slug',), name='one_open_challenge_per_slug'), models.UniqueConstraint(fields=('tenant', 'slug'), name='one_challenge_of_a_tenant_per_slug')],
            },
        ),
        migrations.CreateModel(
            name='User',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('password', models.CharField(max_length=128, verbose_name='password')),
                ('last_login', models.DateTimeField(blank=True, null=True, verbose_name='last login')),
                ('is_superuser', models.BooleanField(default=False, help_text='Designates that this user has all permissions without explicitly assigning them.', verbose_name='superuser status')),
                ('username', models.CharField(error_messages={'unique': 'A user with that username already exists.'}, help_text='Required. 150 characters or fewer. Letters, digits and @/./+/-/_ only.', max_length=150, unique=True, validators=[django.contrib.auth.validators.UnicodeUsernameValidator()], verbose_name='username')),
                ('first_name', models.CharField(blank=True, max_length=150, verbose_name='first name')),
                ('last_name', models.CharField(blank=True, max_length=150, verbose_name='last name')),
                ('email', models.EmailField(blank=True, max_length=254, verbose_name='email address')),
                ('is_staff', models.BooleanField(default=False, help_text='Designates whether the user can log into this admin site.', verbose_name='staff status')),
                ('is_active', models.BooleanField(default=True, help_text='Designates whether this user should be treated as active. Unselect this instead of deleting accounts.', verbose_name='active')),
                ('date_joined', models.DateTimeField(default=django.utils.timezone.now, verbose_name='date joined')),
                ('groups', models.ManyToManyField(blank=True, help_text='The groups this user belongs to. A user will get all permissions granted to each of their groups.', related_name='user_set', related_query_name='user', to='auth.group', verbose_name='groups')),
                ('user_permissions', models.ManyToManyField(blank=True, help_text='Specific permissions for this user.', related_name='user_set', related_query_name='user', to='auth.permission', verbose_name='user permissions')),
                ('managed_by', models.ForeignKey(blank=True, editable=False, help_text='The tenant whose organisers made the account: they may make links for it.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='managed_users', to='leaderboard.tenant')),
                ('language', models.CharField(blank=True, editable=False, help_text='That of the pages when the user last signed in or chose one; of mail to them.', max_length=12)),
            ],
            options={
                'verbose_name': 'user',
                'verbose_name_plural': 'users',
                'abstract': False,
            },
            managers=[
                ('objects', django.contrib.auth.models.UserManager()),
            ],
        ),
        migrations.CreateModel(
            name='Participant',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('handle', models.CharField(help_text='The name as first submitted.', max_length=120, verbose_name='handle')),
                ('handle_key', models.CharField(editable=False, max_length=400, verbose_name='handle key')),
                ('slug', models.SlugField(max_length=140, verbose_name='slug')),
                ('name', models.CharField(blank=True, help_text='Shown instead of the handle.', max_length=120, verbose_name='name')),
                ('skeleton', models.CharField(blank=True, editable=False, help_text='Equal for names that are drawn alike: `rules.skeletons` of the shown name.', max_length=400, verbose_name='skeleton')),
                ('kind', models.CharField(choices=[('system', 'System'), ('person', 'Person'), ('team', 'Team')], default='system', max_length=8, verbose_name='kind')),
                ('is_private', models.BooleanField(db_default=False, default=False, editable=False, help_text='Made at a private challenge: elsewhere its name is free, and tells nothing.', verbose_name='is private')),
                ('created_at', models.DateTimeField(auto_now_add=True, verbose_name='created at')),
                ('owner', models.ForeignKey(blank=True, help_text='The user who first submitted as it; only they and organisers may go on.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='participants', to=settings.AUTH_USER_MODEL, verbose_name='owner')),
                ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='participants', to='leaderboard.tenant', verbose_name='tenant')),
            ],
            options={
                'verbose_name': 'participant',
                'verbose_name_plural': 'participants',
                'indexes': [models.Index(fields=['tenant', 'skeleton'], name='participants_alike')],
                'constraints': [models.UniqueConstraint(fields=('tenant', 'handle_key', 'is_private'), name='one_participant_per_handle'), models.UniqueConstraint(fields=('tenant', 'slug', 'is_private'), name='one_participant_per_slug')],
            },
        ),
        migrations.CreateModel(
            name='Phase',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.SlugField(default='main', max_length=80, verbose_name='slug')),
                ('name', models.CharField(blank=True, max_length=120, verbose_name='name')),
                ('position', models.PositiveSmallIntegerField(default=0, help_text='Its place among the phases of the challenge.', verbose_name='position')),
                ('opens_at', models.DateTimeField(blank=True, help_text='The first moment that belongs to it; empty: it was always open.', null=True, verbose_name='opens at')),
                ('closes_at', models.DateTimeField(blank=True, help_text='The first moment after it; empty: it never closes.', null=True, verbose_name='closes at')),
                ('time_zone', models.CharField(default='UTC', max_length=64, verbose_name='time zone')),
                ('per_day', models.PositiveIntegerField(blank=True, help_text='Attempts of a participant on a calendar day.', null=True, validators=[django.core.validators.MinValueValidator(1)], verbose_name='per day')),
                ('per_week', models.PositiveIntegerField(blank=True, help_text='Attempts of a participant in a week, from Monday to Sunday.', null=True, validators=[django.core.validators.MinValueValidator(1)], verbose_name='per week')),
                ('total', models.PositiveIntegerField(blank=True, help_text='Attempts of a participant in the whole phase.', null=True, validators=[django.core.validators.MinValueValidator(1)], verbose_name='total')),
                ('at_once', models.PositiveIntegerField(blank=True, help_text='Attempts of a participant that wait to be scored.', null=True, validators=[django.core.validators.MinValueValidator(1)], verbose_name='at once')),
                ('count_failed', models.BooleanField(default=True, help_text='Whether attempts that fail count towards the limits.', verbose_name='count failed')),
                ('board_visibility', models.CharField(choices=[('public', 'Public'), ('participants', 'Participants'), ('own', 'Own'), ('organisers', 'Organisers')], db_default='public', default='public', help_text='Who sees the board.', max_length=12, verbose_name='board visibility')),
                ('scores_visibility', models.CharField(choices=[('shown', 'Shown'), ('own', 'Own'), ('hidden', 'Hidden')], db_default='shown', default='shown', help_text='Whose scores readers see.', max_length=12, verbose_name='scores visibility')),
                ('attempts_visibility', models.CharField(choices=[('public', 'Public'), ('own', 'Own'), ('after_end', 'After the end')], db_default='public', default='public', help_text='Whose attempts readers can open.', max_length=12, verbose_name='attempts visibility')),
                ('names_visibility', models.CharField(choices=[('shown', 'Shown'), ('anonymous', 'Anonymous')], db_default='shown', default='shown', help_text='Whether participants are named before the end.', max_length=12, verbose_name='names visibility')),
                ('notes_visibility', models.CharField(choices=[('auto', 'Auto'), ('public', 'Public'), ('own', 'Own')], db_default='auto', default='auto', help_text='Who sees the notes and the meta of attempts.', max_length=12, verbose_name='notes visibility')),
                ('counting', models.CharField(blank=True, choices=[('best', 'Best'), ('latest', 'Latest'), ('first', 'First'), ('chosen', 'Chosen'), ('mean', 'Mean'), ('all', 'All')], db_default='', default='', help_text='Which attempts count; empty: as the scoring of the challenge says.', max_length=6, verbose_name='counting')),
                ('counted', models.PositiveSmallIntegerField(blank=True, help_text='How many attempts a participant may choose, or of how many the mean counts.', null=True, verbose_name='counted')),
                ('choose_until', models.DateTimeField(blank=True, help_text='Until when participants choose attempts; empty: until the phase closes.', null=True, verbose_name='choose until')),
                ('freezes_at', models.DateTimeField(blank=True, help_text='From then on, the public sees the board of the attempts before.', null=True, verbose_name='freezes at')),
                ('reveals_at', models.DateTimeField(blank=True, help_text='When a frozen board ends; empty: when organisers reveal it.', null=True, verbose_name='reveals at')),
                ('own_while_frozen', models.BooleanField(db_default=True, default=True, help_text='Whether participants see their own results of a frozen board.', verbose_name='own while frozen')),
                ('decimals', models.PositiveSmallIntegerField(blank=True, help_text='Digits after the point of shown scores; empty: exact scores.', null=True, validators=[django.core.validators.MaxValueValidator(10)], verbose_name='decimals')),
                ('scores_delayed', models.BooleanField(db_default=False, default=False, help_text='Whether scores are hidden until the phase has ended.', verbose_name='scores delayed')),
                ('least_coverage', models.FloatField(blank=True, help_text='The share of the tasks that an attempt with a score covers.', null=True, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(1)], verbose_name='least coverage')),
                ('final_part', models.CharField(choices=[('private', 'Private'), ('all', 'All'), ('public', 'Public')], db_default='private', default='private', help_text='The tasks that count at the end, where some tasks of the challenge are private.', max_length=7, verbose_name='final part')),
                ('final_at', models.DateTimeField(editable=False, help_text='When the computation of the final scores began.', null=True, verbose_name='final at')),
                ('overlaps', models.BooleanField(db_default=False, default=False, help_text='Whether other phases may be open at the same time.', verbose_name='overlaps')),
                ('advanced_at', models.DateTimeField(editable=False, help_text='When its best attempts were moved into the next phase.', null=True, verbose_name='advanced at')),
                ('advanced', models.PositiveIntegerField(editable=False, help_text='How many attempts were moved into the next phase.', null=True, verbose_name='advanced')),
                ('challenge', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='phases', to='leaderboard.challenge', verbose_name='challenge')),
            ],
            options={
                'verbose_name': 'phase',
                'verbose_name_plural': 'phases',
                'ordering': ['position', 'pk'],
                'constraints': [models.UniqueConstraint(fields=('challenge', 'slug'), name='one_phase_of_a_challenge_per_slug'), models.CheckConstraint(condition=models.Q(('opens_at__isnull', True), ('closes_at__isnull', True), ('opens_at__lt', models.F('closes_at')), _connector='OR'), name='phases_open_before_they_close'), models.CheckConstraint(condition=models.Q(('reveals_at__isnull', True), ('freezes_at__lt', models.F('reveals_at')), _connector='OR'), name='phases_freeze_before_they_are_revealed'), models.CheckConstraint(condition=models.Q(('decimals__isnull', True), ('decimals__lte', 10), _connector='OR'), name='phases_round_to_few_decimals'), models.CheckConstraint(condition=models.Q(('least_coverage__isnull', True), models.Q(('least_coverage__gte', 0), ('least_coverage__lte', 1)), _connector='OR'), name='phases_need_a_share_of_the_tasks'), models.CheckConstraint(condition=models.Q(('per_day__isnull', True), ('per_day__gte', 1), _connector='OR'), name='phase_limit_per_day'), models.CheckConstraint(condition=models.Q(('per_week__isnull', True), ('per_week__gte', 1), _connector='OR'), name='phase_limit_per_week'), models.CheckConstraint(condition=models.Q(('total__isnull', True), ('total__gte', 1), _connector='OR'), name='phase_limit_total'), models.CheckConstraint(condition=models.Q(('at_once__isnull', True), ('at_once__gte', 1), _connector='OR'), name='phase_limit_at_once')],
            },
        ),
        migrations.CreateModel(
            name='References',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('instance_count', models.PositiveIntegerField()),
                ('digest', models.CharField(help_text='SHA-256 of the instances, in their order.', max_length=64)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('challenge', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='references', to='leaderboard.challenge')),
                ('created_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name_plural': 'references',
                'constraints': [models.UniqueConstraint(fields=('challenge', 'digest'), name='references_once')],
            },
        ),
        migrations.CreateModel(
            name='ScoringConfig',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('strategy', models.CharField(max_length=40)),
                ('plugin_id', models.CharField(blank=True, max_length=120)),
                ('entrypoint', models.CharField(blank=True, max_length=255)),
                ('config', models.JSONField(blank=True, default=dict)),
                ('secrets', models.JSONField(blank=True, db_default=models.Value({}, output_field=models.JSONField()), default=dict, editable=False, help_text='Values that the config has a mask for, by their place in it.')),
                ('rank_by', models.JSONField(blank=True, default=list)),
                ('only_succeeded', models.BooleanField(default=False)),
                ('counting', models.CharField(choices=[('best', 'Best'), ('latest', 'Latest'), ('first', 'First'), ('chosen', 'Chosen'), ('mean', 'Mean'), ('all', 'All')], default=leaderboard.schemas.choices.Counting['BEST'], max_length=6)),
                ('timeout_ms', models.PositiveIntegerField(default=5000)),
                ('metrics', models.JSONField(blank=True, default=list)),
                ('tasks', models.JSONField(blank=True, default=list)),
                ('rewards', models.JSONField(blank=True, default=list, help_text='The bounds of rewards, as far as they are known.')),
                ('num_samples', models.PositiveIntegerField(blank=True, help_text='How many samples of a task an attempt may bring.', null=True)),
                ('min_coverage', models.FloatField(blank=True, help_text='The share of the tasks that a ranked attempt covers.', null=True)),
                ('unknown_tasks', models.CharField(choices=[('refuse', 'Refuse'), ('keep', 'Keep')], default=leaderboard.schemas.choices.UnknownTasks['REFUSE'], max_length=6)),
                ('split', models.JSONField(blank=True, help_text='Which tasks or instances are public.', null=True)),
                ('split_below', models.PositiveBigIntegerField(editable=False, help_text='The hash below which a task is public, for a share.', null=True)),
                ('final_parts', models.JSONField(db_default=models.Value({}, output_field=models.JSONField()), default=dict, editable=False, help_text='The part of the tasks that counts in each phase that has ended, by its id.')),
                ('text_metrics', models.JSONField(blank=True, default=list, help_text='What is made of model outputs, as in an evaluation.')),
                ('text_secrets', models.JSONField(blank=True, db_default=models.Value({}, output_field=models.JSONField()), default=dict, editable=False, help_text='Values that parameters of text metrics have a mask for, by metric and place.')),
                ('text_timeout_ms', models.PositiveIntegerField(default=600000, help_text='How long one text metric may take for all instances.')),
                ('number', models.PositiveIntegerField()),
                ('metric_notes', models.JSONField(default=dict, editable=False, help_text='What the metrics of plugins say of themselves.')),
                ('metric_keys', models.JSONField(default=list, editable=False, help_text='Keys of the metric values that attempts have had.')),
                ('public_details', models.BooleanField(default=False, help_text='Whether the scorer declares its details fit for everyone.')),
                ('code', models.CharField(blank=True, default='', editable=False, help_text='The hash of the source of its plugins when it was made; empty: not known.', max_length=64)),
                ('accepted_codes', models.JSONField(default=list, editable=False, help_text='Other codes that an organiser lets score under it.')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('keeps_state', models.BooleanField(default=False, help_text='The scorer gave another result in a used process: it is run one by one.')),
                ('rescore_started_at', models.DateTimeField(editable=False, null=True)),
                ('rescore_finished_at', models.DateTimeField(editable=False, null=True)),
                ('rescore_total', models.PositiveIntegerField(default=0, editable=False)),
                ('rescore_request_id', models.CharField(blank=True, db_default='', default='', editable=False, max_length=64)),
                ('challenge', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='configs', to='leaderboard.challenge')),
                ('created_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('references', models.ForeignKey(blank=True, help_text='The instances with their expected outputs, if the challenge holds them.', null=True, on_delete=django.db.models.deletion.RESTRICT, related_name='configs', to='leaderboard.references')),
            ],
            options={
                'ordering': ['challenge', '-number'],
                'indexes': [models.Index(condition=models.Q(('split__isnull', False)), fields=['challenge'], name='configs_with_a_split')],
                'constraints': [models.UniqueConstraint(fields=('challenge', 'number'), name='one_config_per_number'), models.CheckConstraint(condition=models.Q(('strategy', ''), _negated=True), name='a_config_has_a_strategy')],
            },
        ),
        migrations.CreateModel(
            name='Attempt',
            fields=[
                ('id', models.UUIDField(default=leaderboard.rules.ids.uuid7, editable=False, primary_key=True, serialize=False, verbose_name='id')),
                ('charged_day', models.DateField(editable=False, help_text="Whose limits it counts towards, in the phase's zone; empty: none.", null=True, verbose_name='charged day')),
                ('submitted_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), verbose_name='submitted at')),
                ('priority', models.PositiveSmallIntegerField(choices=[(0, 'Fresh'), (1, 'History')], db_default=0, editable=False, verbose_name='priority')),
                ('queued_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, help_text="When it began to wait, by the database's clock.", verbose_name='queued at')),
                ('due_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, help_text='Its place among the attempts of its tenant that wait.', verbose_name='due at')),
                ('succeeded', models.BooleanField(blank=True, null=True)),
                ('tokens_total', models.BigIntegerField(blank=True, null=True)),
                ('elapsed_ms', models.BigIntegerField(blank=True, null=True)),
                ('rating', models.FloatField(blank=True, null=True)),
                ('reported_created_at', models.BigIntegerField(blank=True, help_text='`created_at` as reported, in epoch milliseconds.', null=True)),
                ('cost_usd', models.FloatField(blank=True, null=True)),
                ('input_tokens', models.BigIntegerField(blank=True, null=True)),
                ('output_tokens', models.BigIntegerField(blank=True, null=True)),
                ('values', models.JSONField(blank=True, default=dict, help_text='Numbers by name, as the participant reported them.', verbose_name='values')),
                ('sample_count', models.PositiveIntegerField(editable=False, help_text='The number of samples in the attempt; empty: none.', null=True, verbose_name='sample count')),
                ('instance_count', models.PositiveIntegerField(editable=False, help_text='How many instances it is evaluated on; empty: it has no evidence of that kind.', null=True, verbose_name='instance count')),
                ('meta', models.JSONField(blank=True, default=dict, verbose_name='meta')),
                ('note', models.TextField(blank=True, verbose_name='note')),
                ('idempotency_key', models.CharField(blank=True, editable=False, max_length=200, verbose_name='idempotency key')),
                ('body_hash', models.CharField(blank=True, editable=False, max_length=64, verbose_name='body hash')),
                ('request_id', models.CharField(blank=True, db_default='', default='', editable=False, help_text='Of the request that queued it last; empty: no request did.', max_length=64, verbose_name='request id')),
                ('status', models.CharField(choices=[('queued', 'Queued'), ('held', 'Held'), ('scoring', 'Scoring'), ('scored', 'Scored'), ('failed', 'Failed')], default='queued', max_length=8, verbose_name='status')),
                ('deliveries', models.PositiveSmallIntegerField(default=0, editable=False, verbose_name='deliveries')),
                ('lease_token', models.UUIDField(editable=False, null=True, verbose_name='lease token')),
                ('lease_until', models.DateTimeField(editable=False, null=True, verbose_name='lease until')),
                ('finished_at', models.DateTimeField(editable=False, null=True, verbose_name='finished at')),
                ('withdrawn_at', models.DateTimeField(blank=True, null=True, verbose_name='withdrawn at')),
                ('chosen_at', models.DateTimeField(editable=False, help_text='When the participant chose it to count; empty: it is not chosen.', null=True, verbose_name='chosen at')),
                ('withdrawn_reason', models.CharField(blank=True, max_length=300, verbose_name='withdrawn reason')),
                ('copied_from', models.ForeignKey(blank=True, db_index=False, editable=False, help_text='The attempt of an earlier phase that it is a copy of.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='copies', to='leaderboard.attempt', verbose_name='copied from')),
                ('submitted_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='attempts', to=settings.AUTH_USER_MODEL, verbose_name='submitted by')),
                ('challenge', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='attempts', to='leaderboard.challenge', verbose_name='challenge')),
                ('participant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='attempts', to='leaderboard.participant', verbose_name='participant')),
                ('phase', models.ForeignKey(db_index=False, editable=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='attempts', to='leaderboard.phase', verbose_name='phase')),
                ('scoring_config', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='attempts', to='leaderboard.scoringconfig', verbose_name='scoring config')),
                ('tenant', models.ForeignKey(db_constraint=False, db_index=False, editable=False, help_text='That of the challenge, kept here for the order of the queue.', on_delete=django.db.models.deletion.DO_NOTHING, related_name='attempts', to='leaderboard.tenant', verbose_name='tenant')),
            ],
            options={
                'verbose_name': 'attempt',
                'verbose_name_plural': 'attempts',
                'indexes': [models.Index(fields=['challenge', '-submitted_at', '-id'], name='attempts_newest'), models.Index(fields=['participant', 'challenge', '-submitted_at'], name='attempts_of_one'), models.Index(fields=['challenge', 'finished_at'], name='attempts_finished'), models.Index(fields=['phase', 'participant'], name='attempts_of_phase'), models.Index(fields=['scoring_config'], name='attempts_of_config'), models.Index(condition=models.Q(('instance_count__isnull', True), ('status__in', ('queued', 'scoring'))), fields=['tenant', 'priority', 'due_at'], name='attempts_short'), models.Index(condition=models.Q(('instance_count__isnull', False), ('status__in', ('queued', 'scoring'))), fields=['tenant', 'priority', 'due_at'], name='attempts_long'), models.Index(condition=models.Q(('status__in', ('queued', 'scoring'))), fields=['participant', 'priority', 'due_at'], name='attempts_waiting_of_one'), models.Index(condition=models.Q(('status__in', ('queued', 'scoring'))), fields=['priority', 'queued_at'], name='attempts_by_age'), models.Index(condition=models.Q(('finished_at__isnull', False)), fields=['finished_at'], name='attempts_by_end'), models.Index(condition=models.Q(('lease_until__isnull', False)), fields=['lease_until'], name='attempts_leased'), models.Index(condition=models.Q(('status', 'held')), fields=['challenge'], name='attempts_held'), models.Index(condition=models.Q(('status', 'held')), fields=['tenant', 'participant'], name='attempts_held_of_one')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('idempotency_key', ''), _negated=True), fields=('challenge', 'submitted_by', 'idempotency_key'), name='one_use_per_idempotency_key'), models.UniqueConstraint(condition=models.Q(('copied_from__isnull', False)), fields=('copied_from', 'phase'), name='one_copy_in_a_phase'), models.CheckConstraint(condition=models.Q(('tokens_total__isnull', True), models.Q(('tokens_total__gte', 0), ('tokens_total__lte', 1000000000000000)), _connector='OR'), name='tokens_total_in_range'), models.CheckConstraint(condition=models.Q(('elapsed_ms__isnull', True), models.Q(('elapsed_ms__gte', 0), ('elapsed_ms__lte', 1000000000000000)), _connector='OR'), name='elapsed_ms_in_range'), models.CheckConstraint(condition=models.Q(('rating__isnull', True), models.Q(('rating__gte', 0), ('rating__lte', 10)), _connector='OR'), name='rating_in_range'), models.CheckConstraint(condition=models.Q(('cost_usd__isnull', True), models.Q(('cost_usd__gte', 0), ('cost_usd__lte', 1000000000000000)), _connector='OR'), name='cost_usd_in_range'), models.CheckConstraint(condition=models.Q(('input_tokens__isnull', True), models.Q(('input_tokens__gte', 0), ('input_tokens__lte', 1000000000000000)), _connector='OR'), name='input_tokens_in_range'), models.CheckConstraint(condition=models.Q(('output_tokens__isnull', True), models.Q(('output_tokens__gte', 0), ('output_tokens__lte', 1000000000000000)), _connector='OR'), name='output_tokens_in_range')],
            },
        ),
        migrations.CreateModel(
            name='Annotation',
            fields=[
                ('id', models.UUIDField(default=leaderboard.rules.ids.uuid7, editable=False, primary_key=True, serialize=False, verbose_name='id')),
                ('text', models.TextField(verbose_name='text')),
                ('is_public', models.BooleanField(default=False, verbose_name='is public')),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), verbose_name='at')),
                ('by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='by')),
                ('attempt', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='annotations', to='leaderboard.attempt', verbose_name='attempt')),
            ],
            options={
                'verbose_name': 'annotation',
                'verbose_name_plural': 'annotations',
                'ordering': ['at', 'pk'],
            },
        ),
        migrations.CreateModel(
            name='Announcement',
            fields=[
                ('id', models.UUIDField(default=leaderboard.rules.ids.uuid7, editable=False, primary_key=True, serialize=False, verbose_name='id')),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), verbose_name='at')),
                ('changed_at', models.DateTimeField(blank=True, null=True, verbose_name='changed at')),
                ('title', models.CharField(max_length=200, verbose_name='title')),
                ('text', models.TextField(blank=True, help_text='Markdown.', verbose_name='text')),
                ('by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='by')),
                ('challenge', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='announcements', to='leaderboard.challenge', verbose_name='challenge')),
            ],
            options={
                'verbose_name': 'announcement',
                'verbose_name_plural': 'announcements',
                'ordering': ['-at', '-pk'],
                'indexes': [models.Index(fields=['challenge', '-at', '-id'], name='announcements_newest')],
            },
        ),
        migrations.CreateModel(
            name='ApiToken',
            fields=[
                ('digest', models.CharField(max_length=128, primary_key=True, serialize=False)),
                ('token_key', models.CharField(db_index=True, max_length=25)),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('expiry', models.DateTimeField(blank=True, null=True)),
                ('name', models.CharField(blank=True, max_length=80, verbose_name='name')),
                ('scopes', models.JSONField(default=list, verbose_name='scopes')),
                ('last_used_at', models.DateTimeField(blank=True, editable=False, null=True, verbose_name='last used at')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='auth_token_set', to=settings.AUTH_USER_MODEL)),
                ('challenge', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='leaderboard.challenge', verbose_name='challenge')),
                ('participant', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='leaderboard.participant', verbose_name='participant')),
                ('tenant', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='tokens', to='leaderboard.tenant', verbose_name='tenant')),
            ],
            options={
                'verbose_name': 'api token',
                'verbose_name_plural': 'api tokens',
                'ordering': ['-created'],
            },
        ),
        migrations.CreateModel(
            name='AuditEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), verbose_name='at')),
                ('kind', models.CharField(choices=[('announcement', 'Announcement'), ('attempt', 'Attempt'), ('challenge', 'Challenge'), ('grant', 'Extra attempts'), ('participant', 'Participant'), ('phase', 'Phase'), ('registration', 'Registration'), ('role', 'Role'), ('rules', 'Rules of registration'), ('scoring', 'Scoring')], max_length=12, verbose_name='kind')),
                ('object', models.CharField(blank=True, max_length=200, verbose_name='object')),
                ('before', models.JSONField(null=True, verbose_name='before')),
                ('after', models.JSONField(null=True, verbose_name='after')),
                ('public', models.BooleanField(default=False, verbose_name='public')),
                ('actor', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='actor')),
                ('challenge', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='audit_entries', to='leaderboard.challenge', verbose_name='challenge')),
                ('participant', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='audit_entries', to='leaderboard.participant', verbose_name='participant')),
            ],
            options={
                'verbose_name': 'change of a challenge',
                'verbose_name_plural': 'changes of challenges',
                'ordering': ['-at', '-pk'],
                'indexes': [models.Index(fields=['challenge', '-at', '-id'], name='audit_newest'), models.Index(fields=['challenge', 'kind', '-at', '-id'], name='audit_newest_of_kind')],
            },
        ),
        migrations.CreateModel(
            name='Board',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('until', models.DateTimeField(editable=False, null=True)),
                ('outside', models.BooleanField(db_default=False, default=False, editable=False)),
                ('version', models.PositiveBigIntegerField(db_default=0, default=0, editable=False)),
                ('changed_at', models.DateTimeField(editable=False, null=True)),
                ('filled_to', models.BigIntegerField(editable=False, null=True)),
                ('judged_version', models.PositiveBigIntegerField(editable=False, null=True)),
                ('phase', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='boards', to='leaderboard.phase')),
                ('config', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='boards', to='leaderboard.scoringconfig')),
            ],
            options={
                'indexes': [models.Index(fields=['config', 'phase'], name='boards_of_a_config')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('until__isnull', True)), fields=('config', 'phase', 'outside'), name='one_board_of_a_phase'), models.UniqueConstraint(condition=models.Q(('until__isnull', False)), fields=('config', 'phase', 'until', 'outside'), name='one_board_of_a_phase_until')],
            },
        ),
        migrations.CreateModel(
            name='Bucket',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('low', models.BinaryField()),
                ('n', models.PositiveIntegerField(editable=False)),
                ('board', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='buckets', to='leaderboard.board')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('board', 'low'), name='one_bucket_per_key')],
            },
        ),
        migrations.CreateModel(
            name='ChallengeRole',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('role', models.CharField(choices=[('organiser', 'Organiser'), ('reviewer', 'Reviewer')], max_length=9, verbose_name='role')),
                ('added_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), verbose_name='added at')),
                ('added_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='added by')),
                ('challenge', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='roles', to='leaderboard.challenge', verbose_name='challenge')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='challenge_roles', to=settings.AUTH_USER_MODEL, verbose_name='user')),
            ],
            options={
                'verbose_name': 'role in a challenge',
                'verbose_name_plural': 'roles in challenges',
                'constraints': [models.UniqueConstraint(fields=('challenge', 'user'), name='one_role_per_challenge')],
            },
        ),
        migrations.CreateModel(
            name='Edition',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('code', models.CharField(max_length=64)),
                ('scores', models.PositiveIntegerField(default=0)),
                ('first_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('config', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='editions', to='leaderboard.scoringconfig')),
            ],
            options={
                'ordering': ['config', 'first_at', 'pk'],
                'constraints': [models.UniqueConstraint(fields=('config', 'code'), name='one_edition_per_code')],
            },
        ),
        migrations.CreateModel(
            name='Entry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('role', models.CharField(choices=[('captain', 'Captain'), ('member', 'Member')], default='member', max_length=7, verbose_name='role')),
                ('is_sole', models.BooleanField(default=False, verbose_name='is sole')),
                ('joined_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), verbose_name='joined at')),
                ('left_at', models.DateTimeField(blank=True, null=True, verbose_name='left at')),
                ('challenge', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='entries', to='leaderboard.challenge', verbose_name='challenge')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='entries', to=settings.AUTH_USER_MODEL, verbose_name='user')),
                ('participant', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='entries', to='leaderboard.participant', verbose_name='participant')),
            ],
            options={
                'verbose_name': 'entry',
                'verbose_name_plural': 'entries',
                'indexes': [models.Index(fields=['challenge', 'participant'], name='entries_of_participant')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('is_sole', True), ('left_at__isnull', True)), fields=('challenge', 'user'), name='one_team_per_user_and_challenge'), models.UniqueConstraint(condition=models.Q(('left_at__isnull', True), ('role', 'captain')), fields=('challenge', 'participant'), name='one_captain_per_participant'), models.UniqueConstraint(condition=models.Q(('left_at__isnull', True)), fields=('challenge', 'participant', 'user'), name='one_entry_per_member')],
            },
        ),
        migrations.CreateModel(
            name='Evaluation',
            fields=[
                ('attempt', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='evaluation', serialize=False, to='leaderboard.attempt')),
                ('outputs_only', models.BooleanField(default=False)),
                ('metrics', models.JSONField(default=list)),
                ('extra', models.JSONField(default=dict)),
            ],
        ),
        migrations.CreateModel(
            name='Evidence',
            fields=[
                ('attempt', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='evidence', serialize=False, to='leaderboard.attempt')),
                ('samples', models.BinaryField()),
                ('stated', models.JSONField(default=list, editable=False)),
            ],
            options={
                'verbose_name_plural': 'evidence',
            },
        ),
        migrations.CreateModel(
            name='FormerName',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('is_private', models.BooleanField(default=False, verbose_name='is private')),
                ('handle_key', models.CharField(max_length=400, verbose_name='handle key')),
                ('slug', models.SlugField(db_index=False, max_length=140, verbose_name='slug')),
                ('until', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), verbose_name='until')),
                ('participant', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='former_names', to='leaderboard.participant', verbose_name='participant')),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='former_names', to='leaderboard.tenant', verbose_name='tenant')),
            ],
            options={
                'verbose_name': 'former name',
                'verbose_name_plural': 'former names',
                'constraints': [models.UniqueConstraint(fields=('tenant', 'handle_key', 'is_private'), name='one_former_name_per_handle'), models.UniqueConstraint(fields=('tenant', 'slug', 'is_private'), name='one_former_name_per_slug')],
            },
        ),
        migrations.CreateModel(
            name='Grant',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('extra', models.PositiveIntegerField(help_text='Attempts on top of each limit per day, per week and in total.', validators=[django.core.validators.MinValueValidator(1)], verbose_name='extra')),
                ('until', models.DateTimeField(blank=True, help_text='The first moment at which it ends; empty: it does not end.', null=True, verbose_name='until')),
                ('reason', models.CharField(max_length=300, verbose_name='reason')),
                ('given_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='given at')),
                ('given_by', models.ForeignKey(blank=True, editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='given by')),
                ('participant', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='grants', to='leaderboard.participant', verbose_name='participant')),
                ('phase', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='grants', to='leaderboard.phase', verbose_name='phase')),
            ],
            options={
                'verbose_name': 'grant',
                'verbose_name_plural': 'grants',
                'ordering': ['-given_at', '-pk'],
                'indexes': [models.Index(fields=['phase', 'participant'], name='grants_of_one')],
                'constraints': [models.CheckConstraint(condition=models.Q(('extra__gte', 1)), name='grants_give_some')],
            },
        ),
        migrations.CreateModel(
            name='InstanceBlock',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('count', models.PositiveIntegerField()),
                ('content', models.BinaryField()),
                ('evaluation', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='blocks', to='leaderboard.evaluation')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('evaluation', 'number'), name='one_instance_block')],
            },
        ),
        migrations.CreateModel(
            name='Membership',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('role', models.CharField(choices=[('member', 'Member'), ('organiser', 'Organiser')], default='member', max_length=12, verbose_name='role')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to=settings.AUTH_USER_MODEL, verbose_name='user')),
                ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to='leaderboard.tenant', verbose_name='tenant')),
            ],
            options={
                'verbose_name': 'membership',
                'verbose_name_plural': 'memberships',
                'constraints': [models.UniqueConstraint(fields=('tenant', 'user'), name='one_membership_per_tenant')],
            },
        ),
        migrations.CreateModel(
            name='MetricRun',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveSmallIntegerField(help_text='Its place in the output document.')),
                ('key', models.CharField(max_length=120)),
                ('given', models.JSONField()),
                ('score', models.JSONField(null=True)),
                ('names', models.JSONField(default=list)),
                ('value', models.JSONField(help_text='`rules.rewards.reductions.MetricValue`s by key.', null=True)),
                ('error_code', models.CharField(blank=True, max_length=20)),
                ('error_message', models.CharField(blank=True, max_length=500)),
                ('error_detail', models.TextField(blank=True, help_text='For the organiser: the traceback.')),
                ('elapsed', models.FloatField(default=0.0)),
                ('finished_at', models.DateTimeField(null=True)),
                ('config', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='leaderboard.scoringconfig')),
                ('evaluation', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='runs', to='leaderboard.evaluation')),
            ],
            options={
                'ordering': ['position'],
                'constraints': [models.UniqueConstraint(fields=('evaluation', 'config', 'position'), name='one_run_per_position')],
            },
        ),
        migrations.CreateModel(
            name='PublicRank',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slot', models.UUIDField(db_default=uuid.UUID('00000000-0000-0000-0000-000000000000'), default=uuid.UUID('00000000-0000-0000-0000-000000000000'))),
                ('rank', models.PositiveIntegerField()),
                ('value', models.FloatField(null=True)),
                ('participant', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='leaderboard.participant')),
                ('phase', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='public_ranks', to='leaderboard.phase')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('phase', 'participant', 'slot'), name='one_public_rank_per_row')],
            },
        ),
        migrations.CreateModel(
            name='QuotaUse',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=5, verbose_name='kind')),
                ('period', models.CharField(blank=True, max_length=10, verbose_name='period')),
                ('used', models.PositiveIntegerField(verbose_name='used')),
                ('participant', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='quota_uses', to='leaderboard.participant', verbose_name='participant')),
                ('phase', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='quota_uses', to='leaderboard.phase', verbose_name='phase')),
            ],
            options={
                'verbose_name': 'use of a quota',
                'verbose_name_plural': 'uses of quotas',
                'constraints': [models.UniqueConstraint(fields=('phase', 'participant', 'kind', 'period'), name='one_use_per_period'), models.CheckConstraint(condition=models.Q(('used__gte', 0)), name='uses_are_not_negative')],
            },
        ),
        migrations.CreateModel(
            name='ReferenceBlock',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('count', models.PositiveIntegerField()),
                ('content', models.BinaryField()),
                ('ids', models.BinaryField()),
                ('references', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='blocks', to='leaderboard.references')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('references', 'number'), name='one_reference_block')],
            },
        ),
        migrations.CreateModel(
            name='Registration',
            fields=[
                ('id', models.UUIDField(default=leaderboard.rules.ids.uuid7, editable=False, primary_key=True, serialize=False, verbose_name='id')),
                ('status', models.CharField(choices=[('pending', 'Pending'), ('accepted', 'Accepted'), ('declined', 'Declined')], default=leaderboard.schemas.choices.RegistrationStatus['ACCEPTED'], max_length=8, verbose_name='status')),
                ('answers', models.JSONField(blank=True, default=dict, verbose_name='answers')),
                ('terms_version', models.PositiveIntegerField(default=0, verbose_name='terms version')),
                ('bracket', models.CharField(blank=True, max_length=80, verbose_name='bracket')),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), verbose_name='created at')),
                ('decided_at', models.DateTimeField(blank=True, null=True, verbose_name='decided at')),
                ('reason', models.CharField(blank=True, max_length=300, verbose_name='reason')),
                ('row_kind', models.CharField(choices=[('ranked', 'Ranked'), ('baseline', 'Baseline'), ('human', 'Human reference'), ('out_of_competition', 'Out of competition')], db_default=leaderboard.schemas.choices.RowKind['RANKED'], default=leaderboard.schemas.choices.RowKind['RANKED'], help_text='Whether its row competes, or is out of the ranking.', max_length=20, verbose_name='row kind')),
                ('disqualified_at', models.DateTimeField(blank=True, null=True, verbose_name='disqualified at')),
                ('disqualified_reason', models.CharField(blank=True, db_default='', max_length=300, verbose_name='disqualified reason')),
                ('appeal', models.TextField(blank=True, db_default='', verbose_name='appeal')),
                ('appealed_at', models.DateTimeField(blank=True, null=True, verbose_name='appealed at')),
                ('challenge', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='registrations', to='leaderboard.challenge', verbose_name='challenge')),
                ('decided_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='decided by')),
                ('disqualified_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='disqualified by')),
                ('participant', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='registrations', to='leaderboard.participant', verbose_name='participant')),
            ],
            options={
                'verbose_name': 'registration',
                'verbose_name_plural': 'registrations',
                'indexes': [models.Index(fields=['challenge', '-created_at', '-id'], name='registrations_newest'), models.Index(condition=models.Q(('disqualified_at__isnull', False)), fields=['challenge', 'participant'], name='disqualified_participants')],
                'constraints': [models.UniqueConstraint(fields=('challenge', 'participant'), name='one_registration_per_participant')],
            },
        ),
        migrations.CreateModel(
            name='RescoreSlice',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('first', models.UUIDField()),
                ('last', models.UUIDField()),
                ('attempts', models.PositiveIntegerField()),
                ('done', models.BooleanField(default=False)),
                ('deliveries', models.PositiveSmallIntegerField(default=0)),
                ('lease_token', models.UUIDField(null=True)),
                ('lease_until', models.DateTimeField(null=True)),
                ('config', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='slices', to='leaderboard.scoringconfig')),
            ],
            options={
                'indexes': [models.Index(fields=['config', 'done'], name='slices_to_do')],
                'constraints': [models.UniqueConstraint(fields=('config', 'first'), name='one_slice_per_range')],
            },
        ),
        migrations.CreateModel(
            name='ResultBlock',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('count', models.PositiveIntegerField()),
                ('content', models.BinaryField()),
                ('part', models.BinaryField()),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='blocks', to='leaderboard.metricrun')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('run', 'number'), name='one_result_block')],
            },
        ),
        migrations.CreateModel(
            name='Score',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('value', models.FloatField(blank=True, null=True)),
                ('raw_value', models.FloatField(blank=True, null=True)),
                ('metric_values', models.JSONField(blank=True, default=dict)),
                ('details', models.JSONField(blank=True, null=True)),
                ('details_note', models.CharField(blank=True, max_length=200)),
                ('error_code', models.CharField(blank=True, max_length=20)),
                ('error_message', models.CharField(blank=True, max_length=500)),
                ('error_detail', models.TextField(blank=True, help_text='For the organiser: the traceback.')),
                ('output', models.TextField(blank=True, help_text='For the organiser: what the scorer printed.')),
                ('duration_ms', models.PositiveIntegerField(default=0)),
                ('code', models.CharField(blank=True, default='', editable=False, max_length=64)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('attempt', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='scores', to='leaderboard.attempt')),
                ('config', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='scores', to='leaderboard.scoringconfig')),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('error_code', ''), _negated=True), fields=['error_code'], name='scores_with_an_error')],
                'constraints': [models.UniqueConstraint(fields=('attempt', 'config'), name='one_score_per_attempt_and_config'), models.CheckConstraint(condition=models.Q(('value__isnull', True), models.Q(('value__gte', 0), ('value__lte', 1.7976931348623157e+308)), _connector='OR'), name='score_finite_and_not_negative'), models.CheckConstraint(condition=models.Q(('raw_value__isnull', True), models.Q(('raw_value__gte', -1.7976931348623157e+308), ('raw_value__lte', 1.7976931348623157e+308)), _connector='OR'), name='raw_score_finite'), models.CheckConstraint(condition=models.Q(('error_code', ''), ('value__isnull', True), _connector='OR'), name='no_score_with_an_error')],
            },
        ),
        migrations.CreateModel(
            name='SortedColumn',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.TextField(editable=False)),
                ('state', models.CharField(choices=[('building', 'Building'), ('ready', 'Ready'), ('dropped', 'Dropped')], db_default='ready', default='building', editable=False, max_length=8)),
                ('done_to', models.BigIntegerField(db_default=0, default=0, editable=False)),
                ('board', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='sorted_columns', to='leaderboard.board')),
            ],
            options={
                'constraints': [models.UniqueConstraint(condition=models.Q(('state', 'dropped'), _negated=True), fields=('board', 'key'), name='one_sorted_column_per_key')],
            },
        ),
        migrations.CreateModel(
            name='SortedValue',
            fields=[
                ('pk', models.CompositePrimaryKey('participant_id', 'column_id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('up', models.FloatField(editable=False)),
                ('down', models.FloatField(editable=False)),
                ('sort_key', models.BinaryField()),
                ('column', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='leaderboard.sortedcolumn')),
                ('participant', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='leaderboard.participant')),
            ],
            options={
                'indexes': [models.Index(fields=['column', 'up', 'sort_key', 'participant'], name='values_upwards'), models.Index(fields=['column', 'down', 'sort_key', 'participant'], name='values_downwards')],
            },
        ),
        migrations.CreateModel(
            name='Standing',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slot', models.UUIDField(db_default=uuid.UUID('00000000-0000-0000-0000-000000000000'), default=uuid.UUID('00000000-0000-0000-0000-000000000000'), editable=False)),
                ('sort_key', models.BinaryField()),
                ('pick_key', models.BinaryField()),
                ('unranked', models.CharField(blank=True, editable=False, max_length=13)),
                ('values', models.JSONField(default=dict, editable=False)),
                ('cells', models.JSONField(default=dict, editable=False)),
                ('attempts', models.PositiveIntegerField(default=0, editable=False)),
                ('reached_at', models.DateTimeField(editable=False)),
                ('attempt', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='leaderboard.attempt')),
                ('board', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='standings', to='leaderboard.board')),
                ('participant', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='standings', to='leaderboard.participant')),
            ],
            options={
                'indexes': [models.Index(fields=['board', 'sort_key'], name='standings_in_order'), models.Index(fields=['attempt'], name='standings_of_attempt')],
                'constraints': [models.UniqueConstraint(fields=('board', 'participant', 'slot'), name='one_standing_per_slot'), models.CheckConstraint(condition=models.Q(('unranked__in', ['', 'not_succeeded', 'no_value', 'failed']), ('unranked__in', ['low_coverage', 'withdrawn', 'disqualified']), _connector='OR'), name='unranked_for_a_known_reason')],
            },
        ),
        migrations.CreateModel(
            name='Tally',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=80)),
                ('labels', models.CharField(help_text='A JSON object, its keys sorted.', max_length=400)),
                ('value', models.FloatField(default=0)),
            ],
            options={
                'verbose_name_plural': 'tallies',
                'constraints': [models.UniqueConstraint(fields=('name', 'labels'), name='one_tally_per_labels')],
            },
        ),
        migrations.CreateModel(
            name='TeamMerge',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('asked_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), verbose_name='asked at')),
                ('merged_at', models.DateTimeField(blank=True, null=True, verbose_name='merged at')),
                ('asked_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='asked by')),
                ('challenge', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='team_merges', to='leaderboard.challenge', verbose_name='challenge')),
                ('into', models.ForeignKey(help_text='The team that gets its members and attempts.', on_delete=django.db.models.deletion.CASCADE, related_name='merges_into', to='leaderboard.participant', verbose_name='into')),
                ('team', models.ForeignKey(help_text='The team that gives up its name in this challenge.', on_delete=django.db.models.deletion.CASCADE, related_name='merges', to='leaderboard.participant', verbose_name='team')),
            ],
            options={
                'verbose_name': 'merge of teams',
                'verbose_name_plural': 'merges of teams',
                'constraints': [models.UniqueConstraint(fields=('challenge', 'team'), name='one_merge_per_team'), models.CheckConstraint(condition=models.Q(('team', models.F('into')), _negated=True), name='teams_merge_into_others')],
            },
        ),
        migrations.CreateModel(
            name='Verification',
            fields=[
                ('attempt', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='verification', serialize=False, to='leaderboard.attempt', verbose_name='attempt')),
                ('name', models.CharField(max_length=120, verbose_name='name')),
                ('link', models.CharField(blank=True, max_length=500, verbose_name='link')),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), verbose_name='at')),
                ('by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='by')),
            ],
            options={
                'verbose_name': 'verification',
                'verbose_name_plural': 'verifications',
            },
        ),
        migrations.CreateModel(
            name='Worker',
            fields=[
                ('name', models.CharField(help_text='host:process:start', max_length=200, primary_key=True, serialize=False)),
                ('version', models.CharField(max_length=40)),
                ('started_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('seen_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('failing', models.JSONField(db_default=models.Value([], output_field=models.JSONField()), default=list)),
            ],
            options={
                'ordering': ['-seen_at'],
            },
        ),
        migrations.CreateModel(
            name='BoardCertainty',
            fields=[
                ('board', models.OneToOneField(editable=False, on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='certainty', serialize=False, to='leaderboard.board')),
                ('version', models.PositiveBigIntegerField(editable=False)),
                ('computed_at', models.DateTimeField(editable=False)),
                ('verdict', models.JSONField(editable=False, null=True)),
                ('ranked', models.PositiveIntegerField(default=0, editable=False)),
                ('rows', models.BinaryField(default=b'')),
                ('moves', models.JSONField(db_default=models.Value({}, output_field=models.JSONField()), default=dict, editable=False)),
                ('in_a_week', models.PositiveIntegerField(db_default=0, default=0, editable=False)),
                ('summary', models.BinaryField(null=True)),
            ],
            options={
                'verbose_name_plural': 'board certainties',
            },
        ),
        migrations.CreateModel(
            name='OneTimeLink',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('digest', models.CharField(editable=False, max_length=64, unique=True)),
                ('purpose', models.CharField(choices=[('invitation', 'Invitation'), ('sign_in', 'Sign In'), ('password', 'Password'), ('team', 'Team')], max_length=12)),
                ('role', models.CharField(choices=[('member', 'Member'), ('organiser', 'Organiser')], default='member', help_text='What the invited person becomes in the tenant.', max_length=12)),
                ('label', models.CharField(blank=True, help_text='For whom it was made.', max_length=254)),
                ('made_at', models.DateTimeField(auto_now_add=True)),
                ('expires_at', models.DateTimeField()),
                ('used_at', models.DateTimeField(blank=True, null=True)),
                ('challenge', models.ForeignKey(blank=True, help_text='Where the team takes part.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='team_links', to='leaderboard.challenge')),
                ('made_by', models.ForeignKey(blank=True, help_text='Who made it; empty: a command. It permits only what this user may still do.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('user', models.ForeignKey(blank=True, help_text='The user who may sign in with it; empty for an invitation.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='one_time_links', to=settings.AUTH_USER_MODEL)),
                ('participant', models.ForeignKey(blank=True, help_text='The team that its holder joins.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='team_links', to='leaderboard.participant')),
                ('tenant', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='invitations', to='leaderboard.tenant')),
            ],
            options={
                'ordering': ['-made_at', '-pk'],
            },
        ),
        migrations.CreateModel(
            name='RegistrationRules',
            fields=[
                ('challenge', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='registration_rules', serialize=False, to='leaderboard.challenge', verbose_name='challenge')),
                ('mode', models.CharField(choices=[('open', 'Open'), ('code', 'Code'), ('domain', 'Domain'), ('approval', 'Approval'), ('invited', 'Invited')], default=leaderboard.schemas.choices.RegistrationMode['OPEN'], max_length=8, verbose_name='mode')),
                ('code', models.CharField(blank=True, max_length=100, verbose_name='code')),
                ('domains', models.JSONField(blank=True, default=list, verbose_name='domains')),
                ('invited', models.JSONField(blank=True, default=list, help_text='Usernames and e-mail addresses.', verbose_name='invited')),
                ('questions', models.JSONField(blank=True, default=list, verbose_name='questions')),
                ('terms', models.TextField(blank=True, help_text='Markdown.', verbose_name='terms')),
                ('terms_version', models.PositiveIntegerField(default=0, editable=False, help_text='Counts the changes of the terms.', verbose_name='terms version')),
                ('brackets', models.JSONField(blank=True, default=list, verbose_name='brackets')),
                ('bracket_choice', models.CharField(choices=[('chosen', 'Chosen'), ('assigned', 'Assigned')], default=leaderboard.schemas.choices.BracketChoice['CHOSEN'], max_length=8, verbose_name='bracket choice')),
                ('smallest_team', models.PositiveSmallIntegerField(default=1, verbose_name='smallest team')),
                ('largest_team', models.PositiveSmallIntegerField(default=1, verbose_name='largest team')),
                ('teams_fixed_at', models.DateTimeField(blank=True, help_text='From this moment on, the members of teams cannot change.', null=True, verbose_name='teams fixed at')),
            ],
            options={
                'verbose_name': 'registration rules',
                'verbose_name_plural': 'registration rules',
                'constraints': [models.CheckConstraint(condition=models.Q(('largest_team__gte', models.F('smallest_team')), ('smallest_team__gte', 1)), name='teams_have_a_size')],
            },
        ),
        migrations.AddField(
            model_name='challenge',
            name='sample',
            field=models.OneToOneField(editable=False, help_text='The example that its organisers sent through a draft.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='leaderboard.attempt', verbose_name='sample'),
        ),
        migrations.AddField(
            model_name='challenge',
            name='newest_config',
            field=models.ForeignKey(editable=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='leaderboard.scoringconfig', verbose_name='newest config'),
        ),
        migrations.AddField(
            model_name='challenge',
            name='shown_config',
            field=models.ForeignKey(editable=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='leaderboard.scoringconfig', verbose_name='shown config'),
        ),
        migrations.RunPython(index_names, migrations.RunPython.noop),
        migrations.RunPython(index_facts, migrations.RunPython.noop),
        migrations.RunPython(set_storage, migrations.RunPython.noop),
    ]
