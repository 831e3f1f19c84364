"""Limits count processor time, and what costs most is rendered once per version."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import LazySettings

from leaderboard.cache import rates
from leaderboard.cache.rates import COUNTED_MS, LEAST_MS, MS_OF_REQUEST, add_cost, wait_for
from leaderboard.http import kept_files
from leaderboard.http.kept_files import LEAST_BYTES, forget_files, kept

WHOLE = [b"a" * LEAST_BYTES, b"b" * 10, b"c"]


@pytest.fixture(autouse=True)
def _now(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leaderboard.cache.rates.time.time", lambda: 1_000_000_000.0)


@pytest.mark.parametrize("rate", ["1200/min", "3/min"])
def test_costs_exhaust_a_limit_that_few_requests_do_not(rate: str) -> None:
    name = f"page:of-{rate}"
    budget = max(rates.parsed(rate)[0] * MS_OF_REQUEST, LEAST_MS)
    for _ in range(5):
        add_cost(rate, name, budget / 5)
    add_cost(rate, name, COUNTED_MS - 1)
    assert wait_for(rate, name) is None
    add_cost(rate, name, COUNTED_MS)
    assert wait_for(rate, name) is not None
    assert wait_for(rate, f"{name}-other") is None
    add_cost(None, name, 10 * budget)


class Rendering:
    """Counts how often it is rendered."""

    times = 0

    def __iter__(self) -> Iterator[bytes]:
        self.times += 1
        yield from WHOLE


@pytest.fixture
def folder(tmp_path: Path, settings: LazySettings) -> Path:
    settings.DATA_DIR = tmp_path
    return tmp_path / "rendered"


def test_a_file_is_rendered_once_per_version(folder: Path) -> None:
    file = Rendering()
    for name, times in (("v1", 1), ("v1", 1), ("v2", 2)):
        assert b"".join(kept(name, file)) == b"".join(WHOLE)
        assert file.times == times
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}
    forget_files()
    assert not list(folder.iterdir())


def test_what_is_not_whole_or_small_is_not_kept(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = kept("v1", iter(WHOLE))
    assert next(iter(left)) == WHOLE[0]
    assert len(next(iter(left))) == 10
    left.close()  # type: ignore[attr-defined]
    assert list(kept("v2", [b"small"])) == [b"small"]
    monkeypatch.setattr(kept_files, "MOST_BYTES", LEAST_BYTES + 1)
    assert b"".join(kept("v3", iter(WHOLE))) == b"".join(WHOLE)
    assert not folder.exists() or not list(folder.iterdir())


def test_without_a_disk_files_are_rendered_each_time(
    tmp_path: Path, settings: LazySettings
) -> None:
    (tmp_path / "rendered").write_text("not a folder")
    settings.DATA_DIR = tmp_path
    file = Rendering()
    for _ in range(2):
        assert b"".join(kept("v1", file)) == b"".join(WHOLE)
    assert file.times == 2
    assert list(kept("v2", iter([]))) == []


def test_the_oldest_files_make_room(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_files, "MOST_BYTES", 2 * (LEAST_BYTES + 100))
    for number in range(4):
        list(kept(f"v{number}", iter(WHOLE)))
    assert len(list(folder.iterdir())) == 2
