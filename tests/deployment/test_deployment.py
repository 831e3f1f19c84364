"""The processes of an installation: proxies, checks, broker, how they start, and what is locked."""

import os
import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from django.core.cache import caches
from django.core.checks import run_checks
from django.db import connections
from django.http import HttpResponse
from django.test import RequestFactory
from gunicorn.config import Config
from gunicorn.http.parser import RequestParser
from gunicorn.http.wsgi import create

from leaderboard import checks
from leaderboard.celery import app
from leaderboard.checks import check_deployment
from leaderboard.http.proxies import ClientAddressMiddleware
from leaderboard.models import Tenant
from tests.helpers.bertscore import too_large
from tests.processes import BIN

pytestmark = pytest.mark.once

ROOT = Path(__file__).parents[2]
VERSIONED = f".venv-{sys.version_info.major}.{sys.version_info.minor}"


def test_the_client_address_is_taken_from_trusted_proxies(settings: Any) -> None:
    cases: list[tuple[int, str, str]] = [
        (1, "198.51.100.7", "198.51.100.7"),
        (1, "6.6.6.6, 198.51.100.7", "198.51.100.7"),
        (2, "6.6.6.6, 198.51.100.7, 10.0.0.1", "198.51.100.7"),
        (2, "198.51.100.7", "198.51.100.7"),
        (1, "", "127.0.0.1"),
        (1, "10.0.0.1, 203.0.113.7:40312", "203.0.113.7"),
        (1, "[2001:db8::7]:40312", "2001:db8::7"),
        (1, "[2001:db8::7]", "2001:db8::7"),
        (1, "2001:db8::7", "2001:db8::7"),
    ]
    for trusted, forwarded, address in cases:
        settings.TRUSTED_PROXIES = trusted
        middleware = ClientAddressMiddleware(
            lambda request: HttpResponse(request.META["REMOTE_ADDR"])
        )
        request = RequestFactory().get("/", headers={"X-Forwarded-For": forwarded})
        assert middleware(request).content.decode() == address, trusted


def test_the_broker_in_memory_serves_one_process(settings: Any) -> None:
    cases: list[tuple[str, int, list[str]]] = [
        ("", 1, []),
        ("", 2, ["podium.E001"]),
        ("redis://127.0.0.1/0", 2, []),
    ]
    for redis, processes, ids in cases:
        settings.REDIS_URL = redis
        settings.WEB_CONCURRENCY = processes
        assert [problem.id for problem in check_deployment()] == ids, redis


def test_an_empty_static_root_is_an_error(settings: Any, tmp_path: Path) -> None:
    settings.STATIC_ROOT = str(tmp_path)
    assert [problem.id for problem in check_deployment()] == ["podium.E002"]
    (tmp_path / "staticfiles.json").write_text("{}")
    assert check_deployment() == []


@pytest.mark.parametrize(
    ("owners", "ids"),
    [
        ({}, []),
        ({"acme": "a"}, []),
        ({"first": "a", "second": "a"}, []),
        ({"first": "a", "second": "b"}, ["podium.W012"]),
        ({"second": "b"}, ["podium.W012"]),
    ],
)
def test_a_package_that_another_tenants_package_hides_is_reported(
    settings: Any, tmp_path: Path, owners: dict[str, str], ids: list[str]
) -> None:
    folders = {name: str(tmp_path / name) for name in ("first", "second")}
    for folder in folders.values():
        Path(folder, "acme").mkdir(parents=True)
    settings.SCORER_PACKAGES = ["scorers", "acme"]
    settings.SCORER_PATH = [*folders.values()]
    settings.SCORER_TENANTS = {
        folders.get(name, name): frozenset({tenant}) for name, tenant in owners.items()
    }
    problems = checks.packages_of_tenants_differ()
    assert [problem.id for problem in problems] == ids
    assert all(folder in problem.msg for problem in problems for folder in folders.values())


@pytest.mark.django_db
def test_misspelt_owners_of_plugins_are_errors(settings: Any, tmp_path: Path) -> None:
    settings.SCORER_PACKAGES = ["scorers", "acme"]
    settings.SCORER_PATH = [str(tmp_path)]

    def problems(owners: dict[str, str]) -> list[str]:
        settings.SCORER_TENANTS = {
            name: frozenset(tenant.split("|")) for name, tenant in owners.items()
        }
        all_problems = run_checks(tags=["podium"])
        ids = [
            problem.id for problem in all_problems if problem.id in ("podium.E003", "podium.E004")
        ]
        assert {problem.id for problem in check_deployment()}.issuperset(ids)
        return ids

    assert problems({"acme": "a"}) == [], "before the first tenant exists"
    Tenant.objects.create(slug="a", name="A")
    assert problems({"acme": "a", str(tmp_path): "a", "scorers": "a"}) == []
    assert problems({"amce": "a", "Acme": "a"}) == ["podium.E003", "podium.E003"]
    assert problems({"acme": "a|b"}) == ["podium.E004"]
    assert problems({str(tmp_path): "A"}) == ["podium.E004"]
    assert problems({}) == []


def test_another_owner_of_the_plugin_folder_is_reported(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    cases: list[tuple[bool, list[str], list[str]]] = [
        (True, ["podium"], []),
        (True, ["podium", "ranking-tools", "podium"], ["podium.W011"]),
        (False, ["ranking-tools"], []),
    ]
    for installed, owners, ids in cases:
        settings.IS_INSTALLED = installed
        monkeypatch.setattr(
            checks, "packages_distributions", lambda owners=owners: {"scorers": owners}
        )
        problems = checks.plugin_folder_is_ours()
        assert [problem.id for problem in problems] == ids, installed
        assert all("ranking-tools" in problem.msg for problem in problems), installed


@pytest.mark.once
@pytest.mark.parametrize(
    ("variables", "error"),
    [
        ({}, "REDIS_URL is empty and WEB_CONCURRENCY=3: "),
        ({"MAX_WAITING": "many"}, "MAX_WAITING='many' is not accepted. "),
        ({"LOG_LEVEL": "loud"}, "LOG_LEVEL='loud' is not accepted. "),
    ],
)
def test_gunicorn_ends_with_one_line_where_a_setting_is_wrong(
    tmp_path: Path, variables: dict[str, str], error: str
) -> None:
    """The line also shows that the settings know the number of processes of `gunicorn -w`."""
    ended = subprocess.run(
        [str(BIN / "gunicorn"), "-w", "3", "leaderboard.wsgi"],
        cwd=ROOT,
        env={"DATA_DIR": str(tmp_path), "PORT": "0", **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 1
    [line] = [line for line in ended.stderr.splitlines() if not line.startswith("{")]
    assert line.startswith(f"error: {error}")


@pytest.mark.once
@pytest.mark.parametrize("part", ["worker", "beat"])
def test_celery_ends_with_one_line_where_a_setting_is_wrong(tmp_path: Path, part: str) -> None:
    ended = subprocess.run(
        [str(BIN / "celery"), "-A", "leaderboard.celery", part],
        cwd=ROOT,
        env={"DATA_DIR": str(tmp_path), "MAX_WAITING": "many"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 1
    (line,) = ended.stderr.splitlines()
    assert line.startswith("error: MAX_WAITING='many' is not accepted. ")


def test_no_web_process_shares_a_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    closed = []
    monkeypatch.setattr(connections, "close_all", lambda: closed.append("databases"))
    monkeypatch.setattr(caches, "close_all", lambda: closed.append("caches"))
    runpy.run_path(str(ROOT / "gunicorn.conf.py"))["pre_fork"](None, None)
    assert closed == ["databases", "caches"]


def test_no_process_controls_gunicorn_by_a_socket() -> None:
    assert runpy.run_path(str(ROOT / "gunicorn.conf.py"))["control_socket_disable"]


def test_django_sets_up_celery() -> None:
    app.loader.import_default_modules()
    assert app.conf.task_ignore_result
    assert not app.conf.task_acks_late
    assert not app.conf.task_publish_retry
    assert app.conf.accept_content == ["json"]
    assert app.conf.beat_schedule["sweep"]["task"] in app.tasks


def test_locks_name_no_host() -> None:
    locks = sorted(ROOT.glob("*.lock"))
    assert [lock.name for lock in locks] == [
        "requirements-bertscore.lock",
        "requirements-dev.lock",
        "requirements-predictions.lock",
        "requirements-s3.lock",
        "requirements.lock",
    ]
    for lock in locks:
        assert "://" not in lock.read_text()


def pins(name: str) -> dict[str, set[str]]:
    """Return the versions of each package in a lock; several if they depend on Python's version."""
    versions: dict[str, set[str]] = {}
    for line in (ROOT / name).read_text().splitlines():
        package, is_pin, version = line.partition(" ")[0].partition("==")
        if is_pin:
            versions.setdefault(package, set()).add(version)
    return versions


OTHER_LOCKS = (
    "requirements-bertscore.lock",
    "requirements-predictions.lock",
    "requirements-s3.lock",
)


def test_the_core_lock_is_part_of_the_others() -> None:
    core = pins("requirements.lock").items()
    for name in ("requirements-dev.lock", *OTHER_LOCKS):
        assert core < pins(name).items(), name


def test_the_tests_use_the_versions_of_the_other_locks() -> None:
    tests = pins("requirements-dev.lock")
    for name in OTHER_LOCKS:
        locked = pins(name)
        for package in tests.keys() & locked.keys():
            assert tests[package] == locked[package], package


def test_pytorch_is_pinned_by_its_version_only() -> None:
    assert re.fullmatch(r"torch==[\d.]+\n", (ROOT / "requirements-torch.txt").read_text())
    assert "torch" not in pins("requirements-bertscore.lock")
    assert not too_large(list(pins("requirements-bertscore.lock")))
    assert "TORCH=any" in too_large(["torch", "sympy", "nvidia-cudnn-cu13"])


def test_another_python_version_has_its_own_environment() -> None:
    cases: list[tuple[list[str], str]] = [
        (["test"], ".venv"),
        (["up", "PYTHON=python3"], ".venv"),
        (["test", "PYTHON=python3"], VERSIONED),
        (["check", "PYTHON=python3"], VERSIONED),
        (["test", "PYTHON=python3", "VENV=mine"], "mine"),
    ]
    for words, environment in cases:
        done = subprocess.run(
            ["make", "--dry-run", "--always-make", *words],
            cwd=ROOT,
            env={"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
            capture_output=True,
            text=True,
            check=True,
        )
        programs = [line.split()[0] for line in done.stdout.splitlines() if "python " in line]
        assert f"{environment}/bin/python" in programs, words
        assert {*programs} <= {f"{environment}/bin/python", "python3", "echo", "exec"}, words


@pytest.mark.slow
def test_a_web_process_has_loaded_its_pages_before_its_first_reader(tmp_path: Path) -> None:
    code = (
        "import sys, leaderboard.wsgi; from leaderboard import version;"
        "assert 'leaderboard.pages.board.page' in sys.modules;"
        "assert version.build.cache_info().currsize"
    )
    database = f"sqlite:///{tmp_path / 'db.sqlite3'}"
    variables = {"DATA_DIR": str(tmp_path), "DATABASE_URL": database, "DEBUG": "1"}
    environment = {"PATH": os.environ["PATH"], **variables, "SECRET_KEY": "x" * 50}
    ran = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr


def test_gunicorn_takes_no_path_from_a_header() -> None:
    """A proxy may pass on what the client sent, and have rules for the path `/admin/`."""
    config = Config()
    for name, value in runpy.run_path(str(ROOT / "gunicorn.conf.py")).items():
        if name in config.settings:
            config.set(name, value)
    sent = b"GET /below/admin/ HTTP/1.1\r\nHost: localhost\r\nSCRIPT_NAME: /below\r\n\r\n"
    local = ("127.0.0.1", 40312)
    request = next(RequestParser(config, iter([sent]), local))
    _, environ = create(request, Mock(), local, local, config)
    assert (environ["SCRIPT_NAME"], environ["PATH_INFO"]) == ("", "/below/admin/")
