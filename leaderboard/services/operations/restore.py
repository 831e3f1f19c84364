"""`restore`: replaces the database by that of a backup, then the uploads and keys."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple

from django.core.cache import cache
from django.core.management.color import no_style
from django.db import DataError, connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.graph import MigrationGraph
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.state import StateApps
from django.db.models import F, Max, Model

from leaderboard.database.empty import create_tables
from leaderboard.http.kept_files import forget_files
from leaderboard.models import Attempt, Board, Challenge, Worker
from leaderboard.operating.outages import one_line
from leaderboard.schemas.backups import Manifest
from leaderboard.services.operations import workers
from leaderboard.services.operations.backup_file import (
    check_members,
    opened,
    read_end,
    read_manifest,
    read_names,
)
from leaderboard.services.operations.backup_format import (
    TABLES,
    AnyField,
    BackupError,
    columns_of,
    row_of,
)
from leaderboard.services.operations.restored_files import drafts_of, errors_named, places_of

ROWS_AT_ONCE = 500
BYTES_AT_ONCE = 8 * 2**20
FORMER = {
    ("leaderboard", "0001_squashed_0025_labels_that_are_translated"),
    ("leaderboard", "0001_squashed_0052_movements"),
}
"""Squashed migrations of earlier versions that no longer exist. Databases also list the migrations
that these replaced."""


class Restored(NamedTuple):
    """The contents of a backup: the version that made it, rows by table, and how many files."""

    version: str
    rows: dict[str, int]
    files: int


def restore_backup(path: Path) -> Restored:
    """Replace everything in the database, and uploads and keys, by the contents of a backup.

    The files are first written beside their places, then the database changes in one transaction,
    and then the files are renamed: if anything before that fails, nothing has changed. A backup of
    an older version is loaded into the tables of that version, which are then migrated. Raises
    BackupError if workers are alive, the file is incomplete, a newer version made it, or a file
    cannot be written.
    """
    with opened(path) as file:
        check_members(file)
        manifest, end = read_manifest(file), read_end(file)
        targets, places = _targets(manifest), places_of(file)
        if alive := _living():
            raise BackupError(f"stop every worker first: {alive[0]} (of {len(alive)} found alive)")
        with drafts_of(file, places) as drafts:
            rows = _replace_database(file, manifest, targets, end["rows"])
            for draft, place in drafts.items():
                with errors_named(place):
                    draft.replace(place)
        return Restored(manifest["version"], rows, len(places))


def _replace_database(
    file: zipfile.ZipFile,
    manifest: Manifest,
    targets: Sequence[tuple[str, str]],
    expected: Mapping[str, int],
) -> dict[str, int]:
    """Load the tables and migrate them; returns their numbers of rows, which must be `expected`."""
    highest = _highest_version()
    with _all_or_nothing():
        _drop_everything()
        rows = _load(file, manifest, targets)
        if rows != expected:
            raise BackupError("the file does not hold the rows that it counts at its end")
        connection.check_constraints()  # before migrations change the loaded tables
        _migrate(None)
        # Readers may know later versions of these boards, with other rows.
        Challenge.objects.update(board_version=F("board_version") + highest)
        Worker.objects.all().delete()  # Those of the backup do not live here.
    cache.clear()
    forget_files()
    return rows


def _highest_version() -> int:
    """A number above the version of each board that the database has now; 0 if it has none."""
    highest = 0
    for model, column in ((Challenge, "board_version"), (Board, "version")):
        table = model._meta.db_table
        with connection.cursor() as cursor:
            if table not in connection.introspection.table_names(cursor):
                return 0
            columns = connection.introspection.get_table_description(cursor, table)
            if column not in [described.name for described in columns]:  # of an older version
                return 0
        version = model._base_manager.aggregate(highest=Max(column))["highest"]
        if version is None:
            return 0
        highest += version
    return highest + 1


def _living() -> list[str]:
    """Signs that workers are alive; none in a database without Podium's tables."""
    tables = set(connection.introspection.table_names())
    needed = {Worker._meta.db_table, Attempt._meta.db_table}
    return workers.living() if needed <= tables else []


def _targets(manifest: Manifest) -> list[tuple[str, str]]:
    """The newest migrations that the backup's tables had. Raises BackupError for unknown ones."""
    loader = MigrationLoader(None)
    recorded = {(app, name) for app, name in (key.split(".", 1) for key in manifest["migrations"])}
    applied = _with_replacements(recorded - FORMER, loader, manifest["version"])
    if unknown := sorted(applied - loader.graph.nodes.keys()):
        raise BackupError(
            f"version {manifest['version']} made it, which knows more than this one:"
            f" {'.'.join(unknown[0])}; install that version or a newer one"
        )
    return sorted(key for key in applied if not applied & {*_children(loader.graph, key)})


def _with_replacements(
    applied: set[tuple[str, str]], loader: MigrationLoader, version: str
) -> set[tuple[str, str]]:
    """The same migrations, with one migration in place of all that it replaces."""
    for key, migration in loader.replacements.items():
        replaced = set(migration.replaces)
        if applied.isdisjoint(replaced):
            continue
        if missing := sorted(replaced - applied):
            raise BackupError(
                f"version {version} made it, which is too old: its tables lack"
                f" {'.'.join(missing[0])}; let a version in between restore it and back it up"
            )
        applied = applied - replaced | {key}
    return applied


def _children(graph: MigrationGraph, key: tuple[str, str]) -> Iterator[tuple[str, str]]:
    """The migrations of the same app that depend on the given one."""
    return (child.key for child in graph.node_map[key].children if child.key[0] == key[0])


@contextmanager
def _all_or_nothing() -> Iterator[None]:
    """Run the block in one transaction, in which tables may be dropped, created and filled."""
    sqlite = connection.vendor == "sqlite"
    if sqlite:
        connection.disable_constraint_checking()
    try:
        with transaction.atomic():
            yield
    finally:
        if sqlite:
            connection.enable_constraint_checking()


def _drop_everything() -> None:
    """Drop every table of the database that Django sees, also tables of other versions."""
    tables = connection.introspection.table_names()
    cascade = " CASCADE" if connection.vendor == "postgresql" else ""
    with connection.cursor() as cursor:
        for table in tables:
            cursor.execute(f"DROP TABLE {connection.ops.quote_name(table)}{cascade}")


def _migrate(targets: Sequence[tuple[str, str]] | None) -> StateApps:
    """Migrate the tables to some migrations, or to the newest; returns the models at that point."""
    executor = MigrationExecutor(connection)
    newest = executor.loader.graph.leaf_nodes()
    goals = list(targets if targets is not None else newest)
    if set(goals) == set(newest) and not connection.introspection.table_names():
        create_tables(connection)
    else:
        executor.migrate(goals)
    executor.loader.build_graph()
    return executor.loader.project_state(goals).apps


def _load(
    file: zipfile.ZipFile, manifest: Manifest, targets: Sequence[tuple[str, str]]
) -> dict[str, int]:
    state = _migrate(targets)
    models = [_model(state, label) for label in manifest["tables"]]
    for model in models:
        model._base_manager.all()._raw_delete(connection.alias)
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:  # migrations set some constraints to be immediate
            cursor.execute("SET CONSTRAINTS ALL DEFERRED")
    counts = {model._meta.label_lower: _load_table(file, model) for model in models}
    with connection.cursor() as cursor:
        for sql in connection.ops.sequence_reset_sql(no_style(), models):
            cursor.execute(sql)
    return counts


def _model(state: StateApps, label: str) -> type[Model]:
    app, name = label.split(".")
    try:
        return state.get_model(app, name)
    except LookupError:
        raise BackupError(f"tables: {label} is not known to this version") from None


def _table(file: zipfile.ZipFile, model: type[Model]) -> IO[bytes]:
    name = f"{TABLES}{model._meta.label_lower}.jsonl"
    try:
        return file.open(name)
    except KeyError:
        raise BackupError(f"{name} is missing: this is no whole backup") from None


def _load_table(file: zipfile.ZipFile, model: type[Model]) -> int:
    with _table(file, model) as lines:
        names = read_names(lines, model._meta.label_lower)
        fields_by_name = {field.name: field for field in columns_of(model)}
        if missing := [name for name in names if name not in fields_by_name]:
            raise BackupError(f"{model._meta.label_lower}: column {missing[0]} is not known")
        fields = [fields_by_name[name] for name in names]
        statement, count = _insert(model, fields), 0
        for some in _chunks(lines):
            rows = [_prepared(fields, row_of(fields, line)) for line in some]
            try:
                with connection.cursor() as cursor:
                    cursor.executemany(statement, rows)
            except DataError as error:  # SQLite does not limit the length of texts
                raise BackupError(f"{model._meta.label_lower}: {one_line(error)}") from None
            count += len(some)
    return count


def _chunks(lines: Iterable[bytes]) -> Iterator[list[bytes]]:
    """Yield lines in lists of at most 500 lines; a list that reaches 8 MiB ends."""
    some: list[bytes] = []
    size = 0
    for line in lines:
        some.append(line)
        size += len(line)
        if len(some) == ROWS_AT_ONCE or size >= BYTES_AT_ONCE:
            yield some
            some, size = [], 0
    if some:
        yield some


def _insert(model: type[Model], fields: Sequence[AnyField]) -> str:
    quote = connection.ops.quote_name
    names = ", ".join(quote(field.column or "") for field in fields)
    holes = ", ".join(["%s"] * len(fields))
    return f"INSERT INTO {quote(model._meta.db_table)} ({names}) VALUES ({holes})"  # noqa: S608


def _prepared(fields: Sequence[AnyField], row: Sequence[Any]) -> list[Any]:
    return [
        field.get_db_prep_save(value, connection) for field, value in zip(fields, row, strict=True)
    ]
