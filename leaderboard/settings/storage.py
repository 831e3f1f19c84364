"""The database, uploaded files and the cache."""

from leaderboard.environment.database_url import DatabaseEntry
from leaderboard.environment.reading import private_file
from leaderboard.settings.variables import DATA_DIR, OPERATOR, REDIS_URL

VANISHED = {
    "connect_timeout": 10,
    "tcp_user_timeout": 20_000,
    "keepalives_idle": 20,
    "keepalives_interval": 5,
    "keepalives_count": 3,
}
"""Limits of libpq, in seconds, but `tcp_user_timeout` in milliseconds. Without them, each thread
would wait for minutes when the host of PostgreSQL disappears from the network. DATABASE_URL can set
others."""

DATABASE_FILE = DATA_DIR / "db.sqlite3"
DATABASES: dict[str, DatabaseEntry] = {"default": OPERATOR.DATABASE_URL}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    DATABASES["default"]["OPTIONS"] = {
        # A write transaction takes the lock at its start, so that it cannot fail half-way.
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        # Without a limit, the log would stay as large as the largest transaction has made it.
        "init_command": (
            "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
            " PRAGMA journal_size_limit=67108864;"
        ),
    }
    if DATABASES["default"]["NAME"] == str(DATABASE_FILE):
        private_file(DATABASE_FILE)
else:
    given = DATABASES["default"].get("OPTIONS", {})
    DATABASES["default"] |= {"CONN_HEALTH_CHECKS": True, "OPTIONS": {**VANISHED, **given}}
# Opening a connection takes a millisecond, also on SQLite, which reads the schema each time.
DATABASES["default"] |= {"CONN_MAX_AGE": 60}

DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

MEDIA_ROOT = DATA_DIR / "uploads"
FILE_UPLOAD_PERMISSIONS = 0o600
FILE_UPLOAD_DIRECTORY_PERMISSIONS = 0o700
FILE_STORAGE: dict[str, object] = (
    {"BACKEND": "storages.backends.s3.S3Storage", "OPTIONS": OPERATOR.STORAGE_URL}
    if OPERATOR.STORAGE_URL
    else {"BACKEND": "leaderboard.services.files.disk.DurableStorage"}
)

CACHES: dict[str, dict[str, object]] = {
    "default": {
        "BACKEND": "leaderboard.cache.redis.ForgivingRedisCache",
        "LOCATION": REDIS_URL,
        "KEY_PREFIX": "podium",
        "OPTIONS": {"socket_timeout": 0.5, "socket_connect_timeout": 0.5},
    }
    if REDIS_URL
    else {"BACKEND": "leaderboard.cache.counters.CountingLocMemCache"}
}
