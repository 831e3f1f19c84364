"""Full disks: the disk of the workers' scratch folders, and the disk of the database."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.faults.world import World
from tests.processes import eventually

SMALL = 2 * 1024 * 1024
"""Size in bytes."""


@pytest.fixture
def small_disk() -> Iterator[Path]:
    """Yield a folder on a disk of 2 MiB that every user may enter."""
    folder = Path(tempfile.mkdtemp(prefix="podium-disk-"))
    command = ["mount", "-t", "tmpfs", "-o", f"size={SMALL},mode=1777", "tmpfs", str(folder)]
    if not shutil.which("mount") or subprocess.run(command, check=False).returncode:
        pytest.skip("a small disk cannot be mounted here: that takes root and CAP_SYS_ADMIN")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)
        folder.rmdir()


def fill(folder: Path) -> Path:
    file = folder / "filler"
    with file.open("wb") as written:
        try:
            while True:
                os.write(written.fileno(), b"x" * 4096)
        except OSError:
            return file


def test_the_scratch_disk_is_full(world: World, small_disk: Path) -> None:
    """The folder for temporary files, which sandboxes use, is on a full disk."""
    slug = world.challenge("Scratch full")
    stack = world.stack
    stack.stop("worker")
    stack.environment["TMPDIR"] = str(small_disk)
    try:
        filler = fill(small_disk)
        stack.start("worker")
        for _ in range(10):
            world.submit(slug)
        eventually(lambda: stack.rows("SELECT 1 FROM leaderboard_attempt WHERE deliveries >= 0"))
        filler.unlink()
        world.check_everything_ended("disk full: scratch")
    finally:
        stack.environment.pop("TMPDIR")
        stack.stop("worker")
        stack.start("worker")


def test_the_database_disk_is_full(world: World, small_disk: Path) -> None:
    """Attempts and scores are in a tablespace whose disk is full for a while."""
    slug = world.challenge("Database full", seconds=0.02)
    stack = world.stack
    place = small_disk / "space"
    place.mkdir()
    owner = Path(_data_folder(world)).stat()
    os.chown(place, owner.st_uid, owner.st_gid)
    _run(world, f"CREATE TABLESPACE small LOCATION '{place}'")
    tables = ("leaderboard_score", "leaderboard_attempt", "leaderboard_standing")
    _enlarge(small_disk, sum(_size(world, table) for table in tables))
    try:
        for table in tables:
            _run(world, f"ALTER TABLE {table} SET TABLESPACE small")
        with world.clients(slug) as sent:
            eventually(lambda: len(sent) > 10)
            filler = fill(small_disk)
            # The disk stays full until the free pages of the tables are used, and for a while
            # longer.
            eventually(lambda: _is_refused(world))
            filler.unlink()
            sent_before = len(sent)
            eventually(lambda: len(sent) > sent_before + 10)
        world.check_everything_ended("disk full: database")
    finally:
        for table in tables:
            _run(world, f"ALTER TABLE {table} SET TABLESPACE pg_default")
        _run(world, "DROP TABLESPACE small")
    assert stack.site.ask("GET", "/readyz").status == 200


def _size(world: World, table: str) -> int:
    """Return the bytes of a table without its indexes: other faults have left attempts in it."""
    [(size,)] = world.stack.rows("SELECT pg_table_size(%s::regclass)", table)
    return int(size)


def _enlarge(folder: Path, by: int) -> None:
    size = f"remount,size={SMALL + by}"
    subprocess.run(["mount", "-o", size, str(folder)], check=True)


def _is_refused(world: World) -> bool:
    """Return whether the database reports that its disk is full."""
    try:
        with psycopg.connect(world.stack.environment["DATABASE_URL"]) as connection:
            connection.execute("CREATE TABLE fills TABLESPACE small AS SELECT repeat('x', 8000) t")
            connection.rollback()
    except psycopg.errors.DiskFull:
        return True
    return False


def _data_folder(world: World) -> str:
    [(folder,)] = world.stack.rows("SHOW data_directory")
    return str(folder)


def _run(world: World, statement: str) -> None:
    with psycopg.connect(world.stack.environment["DATABASE_URL"], autocommit=True) as connection:
        connection.execute(statement)
