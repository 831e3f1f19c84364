"""Fixtures of all tests. Fixtures of one part of the product are in that part's folder."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import hypothesis
import pytest
from django.conf import settings
from django.contrib.staticfiles.handlers import StaticFilesHandler
from django.core.cache import cache
from django.db import connection
from django.template.base import Template
from django.test import TransactionTestCase
from django.test.utils import instrumented_test_render  # type: ignore[attr-defined]
from pytest_django import DjangoDbBlocker

from leaderboard.cache import rates
from leaderboard.database import session_limits
from leaderboard.operating import outages
from leaderboard.operating.heap import collect_less_often
from leaderboard.pages.board.own_rows import clear_own_slots
from leaderboard.pages.board.section import KEPT
from leaderboard.sandbox import PluginDescription, SandboxSettings, text_settings
from leaderboard.sandbox.host import fork_servers
from leaderboard.services.board.certainty import computing
from leaderboard.services.board.reading.ranks import forget_bucket_bounds
from leaderboard.services.operations.site_look import NO_LOOK, keep_look
from leaderboard.services.operations.status import forget_status
from leaderboard.services.plugins import predictions, sandboxes
from leaderboard.services.scoring import history, rescoring, single
from tests.databases import migrated_sqlite, rows_taken_back
from tests.helpers.chromium import OneChromium, installed
from tests.helpers.emptying import empty_tables, remember_rows
from tests.helpers.examples import FEW
from tests.helpers.marks import LONG, SUITES, is_in_suite
from tests.metric_scripts import scripts_turned_on
from tests.servers import running_redis
from tests.services.house import house

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytest_plugins = ["tests.costs"]

# Playwright's synchronous interface runs an event loop in the thread that also uses the database.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"

collect_less_often()

# A busy machine holds a lock for longer than a reader would wait.
session_limits.wait_for_locks(60)

# Time limits for single examples depend more on a busy machine than on the code. In CI the examples
# are the same in each run, so that a failure belongs to the change that is tested.
hypothesis.settings.register_profile("here", deadline=None)
hypothesis.settings.register_profile("ci", deadline=None, derandomize=True)
hypothesis.settings.register_profile("check", deadline=None, max_examples=FEW)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "here")


PLAIN_RENDER = Template._render  # type: ignore[attr-defined]
"""What Django's test environment replaces for the whole session."""
PASSING = ("timeout", "crashed")
"""Errors of plugins that may be due to a busy machine."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--suite",
        choices=SUITES,
        help="run only what this target of make runs on the database of the settings",
    )


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if suite := config.getoption("--suite"):
        left_out = [item for item in items if not is_in_suite(item, suite, connection.vendor)]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if is_in_suite(item, suite, connection.vendor)]
    # Files that mostly wait start first: they would keep one process busy at the end.
    slow = {item.path for item in items if any(map(item.get_closest_marker, LONG))}
    items.sort(key=lambda item: item.path not in slow)


@pytest.fixture(scope="session")
def django_db_keepdb(request: pytest.FixtureRequest) -> bool:
    """On SQLite the database is a copy of the migrated file, deleted with its folder."""
    return connection.vendor == "sqlite" or bool(request.config.getvalue("reuse_db"))


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings: None) -> None:
    if connection.vendor == "sqlite":
        shutil.copy(migrated_sqlite(), connection.settings_dict["TEST"]["NAME"])


@pytest.fixture(scope="module")
def module_rows(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """Let fixtures of a module make rows once for all of its tests, each of which changes nothing.

    The database stays open meanwhile. A test that uses it still needs the mark `django_db`, which
    rolls back what the test does.
    """
    with django_db_blocker.unblock(), rows_taken_back():
        yield


@pytest.fixture(autouse=True)
def _empty_cache() -> Iterator[None]:
    """Throttles, cached pages and a full disk of one test do not affect the next one."""
    disk, outages.disk = outages.disk, copy(outages.disk)
    keep_look(NO_LOOK)
    yield
    outages.disk = disk
    cache.clear()
    forget_bucket_bounds()
    forget_status()
    KEPT.clear()
    clear_own_slots()


@pytest.fixture(scope="session", autouse=True)
def _plain_templates(django_test_environment: None) -> Iterator[None]:
    """Render templates as a server does, without a copy of the context of each of them.

    So `response.context` is None, but for a test that uses `contexts`.
    """
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Template, "_render", PLAIN_RENDER)
        yield


@pytest.fixture
def contexts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the test read the contexts of templates in `response.context`."""
    monkeypatch.setattr(Template, "_render", instrumented_test_render)


@pytest.fixture(scope="session", autouse=True)
def _quick_flush() -> Iterator[None]:
    """After a test that commits, delete only the rows that are there."""
    setup = TransactionTestCase._fixture_setup  # type: ignore[attr-defined]

    def remember(kind: type[TransactionTestCase]) -> None:
        remember_rows()
        setup()

    def flush(case: TransactionTestCase) -> None:
        empty_tables()

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(TransactionTestCase, "_fixture_setup", classmethod(remember))
        patched.setattr(TransactionTestCase, "_fixture_teardown", flush)
        yield


@pytest.fixture(scope="session", autouse=True)
def _long_turns() -> Iterator[None]:
    """On a busy machine a worker gets as far in its turn as on a quiet one."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(single, "SECONDS_PER_NOTIFICATION", 600.0)
        patched.setattr(history, "SECONDS_PER_BATCH", 600.0)
        patched.setattr(history, "SECONDS_OF_MEASURING", 600.0)
        patched.setattr(rescoring, "SECONDS_TOGETHER", 600.0)
        patched.setattr(computing, "SHORT", 600.0)
        yield


@pytest.fixture(scope="session", autouse=True)
def _a_day_begins() -> Iterator[None]:
    """Rates such as `3/day` count in windows; no test runs at the end of one."""
    before = time.time() % 86_400
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(rates, "time", SimpleNamespace(time=lambda: time.time() - before))
        yield


_asked: dict[tuple[Any, ...], list[PluginDescription]] = {}
Discover = Callable[..., list[PluginDescription]]


@pytest.fixture(scope="session", autouse=True)
def _ours_are_asked_once() -> Iterator[None]:
    """Cache the lists of shipped plugins; other packages are searched each time.

    Each search starts a child for each module. A list in which a module could not be read in time
    is not kept.
    """
    with pytest.MonkeyPatch.context() as patched:
        for module, name in (
            (sandboxes, "discover"),
            (sandboxes, "discover_text_metrics"),
            (sandboxes, "discover_metrics"),
            (predictions, "discover_prediction_metrics"),
        ):
            patched.setattr(module, name, _asked_once(getattr(module, name)))
        yield


def _asked_once(ask: Discover) -> Discover:
    def discovered(**options: Any) -> list[PluginDescription]:
        key = (ask.__name__, *sorted(options.items()))
        ours = settings.SCORER_PACKAGES == ["scorers"] and not settings.SCORER_PATH
        if ours and key in _asked:
            return _asked[key]
        plugins = ask(**options)
        if ours and not any(plugin.error and plugin.error.code in PASSING for plugin in plugins):
            _asked[key] = plugins
        return plugins

    return discovered


@pytest.fixture(scope="session", autouse=True)
def _fork_servers_are_kept() -> Iterator[None]:
    """Let all sandboxes of the session share two fork servers, for scorers and text metrics.

    Otherwise one ends with the last sandbox of a test, and the next one imports the libraries
    again, which takes a second.
    """
    scorers = SandboxSettings()
    shared = scorers.preload, text_settings(scorers).preload
    borrow = fork_servers.borrow
    kept: list[fork_servers.ForkServer] = []

    def borrowed(preload: Sequence[str]) -> fork_servers.ForkServer:
        server = borrow(preload)
        if server.preload in shared and server not in kept:
            server.users += 1
            kept.append(server)
        return server

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(fork_servers, "borrow", borrowed)
        yield
    for server in kept:
        fork_servers.give_back(server)


@pytest.fixture(scope="session", autouse=True)
def _the_product_serves_its_files() -> Iterator[None]:
    """Live servers of tests leave static files to our middleware, which knows hashed names."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(StaticFilesHandler, "_should_handle", lambda self, path: False)
        yield


@pytest.fixture
def scripts_dir(settings: Any) -> Iterator[Path]:
    """Turn metric scripts on, with none prepared. Yields DATA_DIR."""
    with scripts_turned_on(settings) as folder:
        yield folder


@pytest.fixture(scope="module")
def in_house() -> Iterator[None]:
    """Install the package `house` of text metrics and a scorer."""
    with house():
        yield


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    """The URL of a Redis server whose contents are shared by the tests of one process."""
    if not shutil.which("redis-server"):
        pytest.skip("redis-server is not on PATH: apt-get install redis-server")
    with running_redis() as url:
        yield url


@pytest.fixture(scope="session")
def one_chromium() -> Iterator[OneChromium]:
    """The browser of a process, which starts when the first test needs it."""
    path = installed()
    if path is None:
        pytest.skip("Chromium is not on PATH: apt-get install chromium-headless-shell")
    with OneChromium(path) as one:
        yield one


@pytest.fixture(scope="module")
def chromium(one_chromium: OneChromium) -> Iterator[Browser]:
    """The browser of the process; pages that a module has opened are closed at its end."""
    with one_chromium.lent() as browser:
        yield browser
