"""Each variable is read strictly: the error for a wrong value names it and what is accepted."""

import errno
import os
import re
import stat
import subprocess
import sys
import tempfile
from ast import literal_eval
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from leaderboard.checks import dropped_settings_are_not_set
from leaderboard.environment.database_url import database_config
from leaderboard.environment.reading import (
    DROPPED,
    SettingError,
    Variables,
    generated_key,
    read_variables,
)
from tests.helpers.forked import Started, setting_read

pytestmark = pytest.mark.once

ROOT = Path(__file__).parents[2]
GOOD_KEY = "0123456789abcdefghijklmnopqrstuvwxyz-0123456789-abcdef"


def started_with(tmp_path: Path, name: str, **variables: str) -> Started:
    environment = {
        "PATH": os.environ["PATH"],
        "DATA_DIR": str(tmp_path / "var"),
        "DJANGO_SETTINGS_MODULE": "leaderboard.settings",
        **variables,
    }
    return setting_read(name, environment)


WRONG = [
    ("DEBUG", "maybe", "true"),
    ("DATABASE_URL", "mysql://user:hunter2@host/name", "postgresql://"),
    ("DATABASE_URL", "sqlite://", "sqlite:////absolute"),
    ("DATABASE_URL", "postgresql://host:port/name", "postgresql://"),
    ("STORAGE_URL", "https://bucket", "s3://bucket"),
    ("STORAGE_URL", "s3://bucket?secret=1", "s3://bucket"),
    ("PARTICIPANT_FILES_MIB", "0", "from 1 to 10000000 MiB"),
    ("CHALLENGE_FILES_MIB", "0", "from 1 to 10000000 MiB"),
    ("REDIS_URL", "http://localhost", "redis://"),
    ("DATA_DIR", "/dev/null/var", "written to"),
    ("KEY_DIR", "/dev/null/keys", "written to"),
    ("SECRET_KEY", "short", "50 characters"),
    ("SECRET_KEY", "a" * 60, "5 of them different"),
    ("SECRET_KEY", "django-insecure-" + GOOD_KEY, "django-insecure-"),
    ("PUBLIC_URL", "board.example.org", "https://board.example.org"),
    ("PUBLIC_URL", "https://board.example.org/podium/../up", "https://example.org/podium"),
    ("PUBLIC_URL", "https://board.example.org/podium?a=1", "https://example.org/podium"),
    ("PUBLIC_URL", "https://...", "https://example.org/podium"),
    ("PUBLIC_URL", "https://board..example.org", "https://example.org/podium"),
    ("PUBLIC_URL", "https://board.example.org:65536", "https://example.org/podium"),
    ("SOURCE_URL", "javascript:alert(1)", "https://example.org/source"),
    ("OG_FONTS", "/not/there.ttf", "existing files"),
    ("ALLOWED_HOSTS", "https://board.example.org", "host names without port"),
    ("CSRF_TRUSTED_ORIGINS", "board.example.org", "https://board.example.org"),
    ("WEBHOOK_ALLOW", "10.0.0.0/99", "networks and host names"),
    ("TRUSTED_PROXIES", "-1", "from 0 to 10"),
    ("TRUST_REQUEST_START", "maybe", "1, true, yes, on or 0, false, no, off"),
    ("PREPARED_STATEMENTS", "maybe", "1, true, yes, on or 0, false, no, off"),
    ("WEB_CONCURRENCY", "0", "from 1 to 256"),
    ("SCORER_PACKAGES", "scorers.weighted", "top-level packages"),
    ("SCORER_PATH", "relative/folder", "absolute folders"),
    ("SCORER_PATH", "/not/there", "existing"),
    ("SCORER_WORK", "/dev/null/work", "written to"),
    ("SCORER_TENANTS", "acme", "package=tenant"),
    ("SCORER_TENANTS", "acme=a b", "package=tenant"),
    ("SCORER_TENANTS", "/not/in/the/path=acme", "a folder of SCORER_PATH"),
    ("MODEL_PATH", "models", "absolute folders"),
    ("SCORER_TIMEOUT_MS", "5s", "from 1 to 600000 milliseconds"),
    ("SCORER_TIMEOUT_MS", "0", "from 1 to 600000 milliseconds"),
    ("SCORER_ISOLATION", "strict", "require or prefer or off"),
    ("THROTTLE_SUBMIT", "600", "600/min"),
    ("THROTTLE_BULK", "many", "600/min"),
    ("THROTTLE_MIB", "2 GiB", "600/min"),
    ("THROTTLE_READ", "0/min", "off"),
    ("THROTTLE_PAGES", "-1/min", "600/min"),
    ("THROTTLE_SIGN_IN", "20", "600/min"),
    ("MAX_WAITING", "0", "1000/participant,10000/tenant"),
    ("MAX_WAITING", "5/user", "or one of them"),
    ("MAX_WAITING", "5,6/participant", "or one of them"),
    ("SWEEP_SECONDS", "nan", "from 0.1 to 3600 seconds"),
    ("SCORING_SLOTS", "0", "from 1 to 8 attempts at a time"),
    ("METRIC_SCRIPTS", "2", "on"),
    ("CHALLENGE_CODE", "2", "on"),
    ("PROGRAM_MEMORY_MIB", "128", "from 256 to 65536 MiB"),
    ("PROGRAM_SLOTS", "-1", "from 0 to 64 programs at a time"),
    ("SIGN_UP", "closed", "open or invited or off"),
    ("OPENID_CONNECT", '[{"id": "uni", "client_secret": "hunter2"}]', "client_id"),
    ("EMAIL_URL", "http://user:hunter2@mail.example.org", "smtp+tls://"),
    ("EMAIL_URL", "smtp://user:hunter2@mail.example.org:port", "smtps://"),
    ("DEFAULT_FROM_EMAIL", "board", "board@example.org"),
    ("SITE_NAME", "x" * 61, "at most 60 characters"),
    ("STATIC_ROOT", "a\nb", "one line"),
    ("LOG_LEVEL", "loud", "debug or info or warning or error"),
    ("SLOW_QUERY_MS", "soon", "from 0 to 3600000 milliseconds"),
    ("SENTRY_DSN", "hunter2", "https://key@host/project"),
    ("PROMETHEUS_TOKEN", "a\nb", "one line"),
]


def test_each_variable_is_tested_with_a_wrong_value() -> None:
    assert {name for name, _, _ in WRONG} == set(Variables.model_fields)


def test_a_wrong_value_stops_the_start(tmp_path: Path) -> None:
    for name, value, accepted in WRONG:
        started = started_with(tmp_path, name, **{name: value})
        message = started.error.strip().rpartition("SettingError: ")[2]
        assert name in message, value
        assert accepted in message, value
        assert "hunter2" not in message


def test_the_command_line_prints_a_line_for_each_wrong_value(tmp_path: Path) -> None:
    variables = {"LOG_LEVEL": "loud", "KEY_DIR": "/dev/null/keys", "DEBUG": "on"}
    stopped = subprocess.run(
        [sys.executable, "manage.py", "check"],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "DATA_DIR": str(tmp_path), **variables},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert stopped.returncode == 1
    first, second = stopped.stderr.splitlines()
    assert first.startswith("error: KEY_DIR='/dev/null/keys'")
    assert second.startswith("LOG_LEVEL='loud'")


def test_what_depends_on_a_wrong_value_is_not_wrong_itself() -> None:
    with pytest.raises(SettingError) as refused:
        read_variables({"DATA_DIR": "/dev/null/var"})
    [line] = str(refused.value).splitlines()
    assert line.startswith("DATA_DIR='/dev/null/var'")


def test_a_dropped_setting_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in DROPPED:
        monkeypatch.setenv(name, "1")
    assert [warning.id for warning in dropped_settings_are_not_set()] == ["podium.W013"] * 2


def test_every_variable_is_documented() -> None:
    page = (ROOT / "docs" / "deploy.md").read_text().partition("\n## Settings\n")[2]
    documented = {
        name
        for row in re.findall(r"^\|(.*?)\|", page, re.MULTILINE)
        for name in re.findall(r"`([A-Z_]+)`", row)
    }
    assert documented == set(Variables.model_fields)


def test_a_right_value_is_used(tmp_path: Path) -> None:
    cases: list[tuple[str, str, str]] = [
        ("DEBUG", "", "False"),
        ("SITE_NAME", "Ring toss", "'Ring toss'"),
        ("PUBLIC_URL", "https://Board.example.org:443/", "'https://board.example.org'"),
        ("PUBLIC_URL", "http://[::1]:8000", "'http://[::1]:8000'"),
        ("PUBLIC_URL", "http://b.org:65535", "'http://b.org:65535'"),
        ("PUBLIC_URL", "https://B.org:443/Podium/", "'https://b.org/Podium'"),
        ("ALLOWED_HOSTS", "", "['localhost', '127.0.0.1', '[::1]']"),
        ("ALLOWED_HOSTS", "a.example.org, .example.com", "['a.example.org', '.example.com']"),
        ("SCORER_TIMEOUT_MS", "250", "250"),
        ("SCORER_ISOLATION", "Require", "'require'"),
        ("THROTTLE_SUBMIT", "off", "None"),
        ("THROTTLE_READ", "", "'3000/min'"),
        ("SWEEP_SECONDS", "0.5", "0.5"),
        ("SCORING_SLOTS", "3", "3"),
        ("METRIC_SCRIPTS", "on", "True"),
        ("SCORER_PACKAGES", "scorers,ours", "['scorers', 'ours']"),
        ("SCORER_PATH", "/tmp:/usr", "['/tmp', '/usr']"),
        ("SCORER_PATH", "/tmp/:/usr/../usr", "['/tmp', '/usr']"),
        ("SCORER_TENANTS", "acme=ring-toss, ", "{'acme': frozenset({'ring-toss'})}"),
        ("MODEL_PATH", "", "[]"),
        ("MODEL_PATH", "/usr", "['/usr']"),
    ]
    for name, value, expected in cases:
        assert started_with(tmp_path, name, **{name: value}).setting == expected, (name, value)


def test_the_limits_of_waiting_attempts_may_be_set_alone(tmp_path: Path) -> None:
    for text, *expected in (
        ("20/participant, 30/tenant", "20", "30"),
        ("30/tenant,20/participant", "20", "30"),
        ("20/tenant", "10000", "20"),
        ("off", "None", "None"),
        ("", "10000", "50000"),
        ("20", "20", "50000"),
        ("1000000000", "1000000000", "50000"),
    ):
        limits = [
            started_with(tmp_path, name, MAX_WAITING=text).setting
            for name in ("MAX_WAITING", "MAX_WAITING_TENANT")
        ]
        assert limits == expected, text


def test_models_are_in_the_data_folder_by_default(tmp_path: Path) -> None:
    models = tmp_path / "var" / "models"
    models.mkdir(parents=True)
    assert started_with(tmp_path, "MODEL_PATH").setting == f"['{models}']"


def test_the_key_is_generated_once_and_readable_by_the_owner_only(tmp_path: Path) -> None:
    first = started_with(tmp_path, "SECRET_KEY")
    second = started_with(tmp_path, "SECRET_KEY")
    assert first.setting == second.setting
    assert len(first.setting) > 60
    file = tmp_path / "var" / "secret_key"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in file.parent.iterdir() if "secret" in path.name] == [file.name]


def test_the_key_may_have_a_folder_of_its_own(tmp_path: Path) -> None:
    keys = tmp_path / "keys"
    first = started_with(tmp_path, "SECRET_KEY", KEY_DIR=str(keys))
    assert first.setting == started_with(tmp_path, "SECRET_KEY", KEY_DIR=str(keys)).setting
    assert (keys / "secret_key").is_file()
    assert not (tmp_path / "var" / "secret_key").exists()


def test_a_key_that_cannot_be_written_is_an_error_of_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*paths: Path) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "link", full)
    key = tmp_path / "secret_key"
    with pytest.raises(ImproperlyConfigured, match=f"^{key}: No space left on device$"):
        generated_key(key)
    assert not [*tmp_path.iterdir()]


def test_a_weak_key_is_accepted_in_debug_mode_only(tmp_path: Path) -> None:
    assert started_with(tmp_path, "SECRET_KEY", SECRET_KEY="x", DEBUG="1").setting == "'x'"
    assert "SettingError" in started_with(tmp_path, "SECRET_KEY", SECRET_KEY="x", DEBUG="0").error


def test_a_data_folder_in_an_unknown_home_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless(path: Path) -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "expanduser", homeless)
    with pytest.raises(SettingError, match="DATA_DIR"):
        read_variables({"DATA_DIR": "~/.local/share/podium"})


def test_a_connection_to_a_host_that_vanishes_is_given_up(tmp_path: Path) -> None:
    """Without limits, each thread of the web would wait for minutes instead of answering 503."""
    url = "postgresql://podium@db/board?sslmode=require&connect_timeout=3"
    value = started_with(tmp_path, "DATABASES", DATABASE_URL=url, WEB_CONCURRENCY="1").setting
    options = literal_eval(value)["default"]["OPTIONS"]
    assert (options["sslmode"], options["connect_timeout"]) == ("require", 3)
    assert options["tcp_user_timeout"] == 20_000
    silent = ["keepalives_idle", "keepalives_interval", "keepalives_count"]
    idle, interval, count = (options[name] for name in silent)
    assert idle + interval * count <= 40


def test_the_database_file_is_readable_by_the_owner_only(tmp_path: Path) -> None:
    value = started_with(tmp_path, "DATABASES").setting
    file = tmp_path / "var" / "db.sqlite3"
    assert str(file) in value
    assert "'transaction_mode': 'IMMEDIATE'" in value
    assert "PRAGMA journal_size_limit=67108864;" in value, "a large import leaves no large file"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_postgresql_urls_are_parsed() -> None:
    cases: list[tuple[str, dict[str, object]]] = [
        ("postgresql://u:p%40@db:5433/board", {"NAME": "board", "HOST": "db", "PORT": 5433}),
        ("postgresql://u:p%40@db/board", {"USER": "u", "PASSWORD": "p@"}),
        ("postgresql://u@/board?host=/run/pg", {"HOST": "", "OPTIONS": {"host": "/run/pg"}}),
        ("postgresql://u@%2Frun%2FPg/board", {"HOST": "/run/Pg"}),
        ("postgresql:////run/pg/board", {"HOST": "/run/pg", "NAME": "board", "PORT": ""}),
        ("postgres://a:1,b:2/board", {"HOST": "a,b", "PORT": "1,2", "PASSWORD": ""}),
        ("postgres://[::1]/a%2Bb+c", {"HOST": "::1", "NAME": "a+b+c"}),
        (
            "postgres://db/board?sslmode=require&connect_timeout=3&disable_server_side_cursors=true",
            {
                "ENGINE": "django.db.backends.postgresql",
                "OPTIONS": {"sslmode": "require", "connect_timeout": 3},
                "DISABLE_SERVER_SIDE_CURSORS": True,
            },
        ),
        ("postgres://db/board?conn_max_age=none&autocommit=0", {"CONN_MAX_AGE": None}),
    ]
    for url, expected in cases:
        config = database_config(url)
        assert expected.items() <= config.items(), url


def test_sqlite_urls_are_parsed() -> None:
    cases: list[tuple[str, str]] = [
        ("sqlite:////srv/a+b%20c.sqlite3", "/srv/a+b c.sqlite3"),
        ("sqlite:///here.sqlite3?timeout=3", "here.sqlite3"),
    ]
    for url, name in cases:
        config = database_config(url)
        assert (config["ENGINE"], config["NAME"]) == ("django.db.backends.sqlite3", name), url


def test_other_database_urls_are_refused() -> None:
    cases: list[str] = [
        "board",
        "sqlite:///:memory:",
        "sqlite:///",
        "postgresql://db",
        "postgresql://u@db/",
        "postgresql://[::1/board",
        "postgresql://db:1,b:x/board",
        "postgresql://db/%zz",
        "postgresql://db/board?conn_max_age=long",
        "postgresql://db/board?autocommit=perhaps",
    ]
    for url in cases:
        with pytest.raises(SettingError, match="DATABASE_URL is not accepted"):
            read_variables({"DATABASE_URL": url})


def test_broker_and_cache_follow_redis(tmp_path: Path) -> None:
    cases: list[tuple[str, str, str]] = [
        ("", "memory://", "LocMemCache"),
        ("redis://127.0.0.1:1/0", "redis://127.0.0.1:1/0", "ForgivingRedisCache"),
    ]
    for redis, broker, cache in cases:
        value = started_with(tmp_path, "CELERY_BROKER_URL", REDIS_URL=redis).setting
        assert value.startswith(f"'{broker}"), redis
        assert cache in started_with(tmp_path, "CACHES", REDIS_URL=redis).setting, redis


def test_cookies_are_secure_if_the_site_is(tmp_path: Path) -> None:
    cases: list[tuple[str, str]] = [
        ("", "False"),
        ("http://lan", "False"),
        ("https://b.org", "True"),
    ]
    for origins, secure in cases:
        for name in ("SESSION_COOKIE_SECURE", "CSRF_COOKIE_SECURE", "SECURE_SSL_REDIRECT"):
            value = started_with(tmp_path, name, CSRF_TRUSTED_ORIGINS=origins).setting
            assert value.strip() == secure, origins


def test_lists_are_checked_by_patterns() -> None:
    lists = read_variables(
        {
            "DATA_DIR": tempfile.gettempdir(),
            "ALLOWED_HOSTS": "[::1],*",
            "CSRF_TRUSTED_ORIGINS": "http://[::1]:8000",
        }
    )
    assert lists.ALLOWED_HOSTS == ["[::1]", "*"]
    assert lists.CSRF_TRUSTED_ORIGINS == ["http://[::1]:8000"]
    with pytest.raises(SettingError):
        read_variables({"SCORER_PACKAGES": "_private"})
