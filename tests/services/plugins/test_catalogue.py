"""The list of plugins is returned from a cache, and renewed in the background."""

from __future__ import annotations

import threading
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.core.cache import cache
from django.test import override_settings

from leaderboard.cache.values import Serializer
from leaderboard.sandbox import PluginDescription
from leaderboard.services.plugins import catalogue, stamps
from leaderboard.services.plugins.catalogue import PluginList, known_plugins

pytestmark = pytest.mark.django_db


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list to which each search for plugins adds the name of its thread."""
    names: list[str] = []

    def list_plugins() -> list[PluginDescription]:
        names.append(threading.current_thread().name)
        return [PluginDescription(f"ours:Number{len(names)}")]

    # The background thread closes its own connection; here that would be the connection of the
    # test.
    monkeypatch.setattr(catalogue, "connection", SimpleNamespace(close=lambda: None))
    monkeypatch.setattr(catalogue, "known_scorers", list_plugins)
    monkeypatch.setattr(catalogue, "known_metrics", list)
    monkeypatch.setattr(catalogue, "known_text_metrics", list)
    return names


def test_a_new_list_is_returned_without_a_search(looks: list[str]) -> None:
    assert known_plugins() == known_plugins()
    assert len(looks) == 1


def test_an_old_list_is_returned_and_renewed_in_the_background(
    looks: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    old = known_plugins()._replace(at=0.0)
    cache.set(catalogue.KEY, old)
    started: list[threading.Thread] = []
    monkeypatch.setattr(threading.Thread, "start", lambda self: started.append(self))
    assert known_plugins() == old
    assert known_plugins() == old
    [thread] = started  # for any number of calls
    thread.run()
    assert known_plugins().scorers[0].entrypoint == "ours:Number2"


def test_a_new_file_renews_the_list_of_its_kind(
    looks: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stamps, "SECONDS", 0.0)
    metrics: list[PluginDescription] = []
    monkeypatch.setattr(catalogue, "known_metrics", lambda: [*metrics])
    (tmp_path / "mine" / "metrics").mkdir(parents=True)
    with override_settings(SCORER_PATH=[str(tmp_path)], SCORER_PACKAGES=["mine"]):
        assert known_plugins().metrics == []
        metrics.append(PluginDescription("mine.metrics.new:New"))
        assert known_plugins().metrics == []
        (tmp_path / "mine" / "metrics" / "new.py").write_text("class New: ...")
        assert known_plugins().metrics == metrics
        assert len(looks) == 1, "no file of a scorer has changed"
        (tmp_path / "mine" / "other.py").write_text("class Other: ...")
        assert known_plugins().scorers[0].entrypoint == "ours:Number2"


def test_concurrent_first_calls_share_one_search(looks: list[str]) -> None:
    with catalogue._one_at_a_time:
        reader = threading.Thread(target=known_plugins)
        reader.start()
        catalogue._search()
    reader.join()
    assert len(looks) == 1


def test_a_failed_search_keeps_the_old_list(
    looks: list[str], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fails() -> PluginList:
        raise RuntimeError("broken")

    old = known_plugins()
    monkeypatch.setattr(catalogue, "_search", fails)
    catalogue._search_in_background()
    assert known_plugins() == old
    assert "plugins failed" in caplog.text


def test_the_list_is_in_the_shared_cache(looks: list[str]) -> None:
    kept = Serializer()
    written = kept.dumps(known_plugins())
    assert isinstance(written, bytes)
    assert kept.loads(written) == known_plugins()


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(catalogue, "_file", None)
    return tmp_path / "plugins.list"


def restart(file: Path) -> None:
    """Reset the module as in a new process."""
    cache.clear()
    catalogue.keep_in(file)


def test_a_new_process_reads_the_stored_list(looks: list[str], file: Path) -> None:
    catalogue.keep_in(file)
    plugins = known_plugins()
    restart(file)
    assert known_plugins() == plugins
    assert len(looks) == 1
    assert file.stat().st_size > 0
    assert [path.name for path in file.parent.iterdir()] == [file.name]


def test_a_new_process_searches_again_after_a_change_of_files(
    looks: list[str], file: Path, tmp_path: Path
) -> None:
    catalogue.keep_in(file)
    known_plugins()
    package = tmp_path / "path" / "scorers"
    package.mkdir(parents=True)
    with override_settings(SCORER_PATH=[str(tmp_path / "path")]):
        restart(file)
        known_plugins()
        assert len(looks) == 2
        restart(file)
        known_plugins()
        assert len(looks) == 2
        (package / "new.py").write_text("")
        restart(file)
        known_plugins()
    assert len(looks) == 3


def test_a_corrupt_file_is_ignored(looks: list[str], file: Path) -> None:
    for searches, content in enumerate((b"", b"j{", b"jnull", b"t", b"j[1, 2]"), start=1):
        file.write_bytes(content)
        for _process in range(2):
            restart(file)
            assert known_plugins().scorers, content
        assert len(looks) == searches, content


def test_an_unwritable_folder_is_no_error(looks: list[str], file: Path) -> None:
    catalogue.keep_in(file / "not" / "there")
    assert known_plugins().scorers
