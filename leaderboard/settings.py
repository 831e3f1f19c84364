"""Django's settings. Everything an operator may change is an environment variable.

The table of the variables is in docs/deploy.md.
"""

import os
import re
import sys
from datetime import timedelta
from pathlib import Path
from tempfile import gettempdir
from typing import Any
from urllib.parse import urlsplit

from django.http.request import split_domain_port

from leaderboard.environment import (
    HOST,
    ORIGIN,
    Environment,
    SettingError,
    private_file,
    processors,
)
from leaderboard.logs import configure_structlog, logging_config, without_outages
from leaderboard.rules.plugin_owners import PACKAGE

PACKAGE_DIR = Path(__file__).resolve().parent
BASE_DIR = PACKAGE_DIR.parent
IS_INSTALLED = (PACKAGE_DIR / "_files").is_dir()
"""Whether the product comes from a wheel, which keeps its templates and static files there."""
FILES_DIR = PACKAGE_DIR / "_files" if IS_INSTALLED else BASE_DIR
ENVIRONMENT = Environment(os.environ)

# What an operator sets

DEBUG = ENVIRONMENT.flag("DEBUG", "off")
DATA_DIR = ENVIRONMENT.folder(
    "DATA_DIR", Path("~/.local/share/podium") if IS_INSTALLED else BASE_DIR / "var"
)
KEY_DIR = ENVIRONMENT.folder("KEY_DIR", DATA_DIR)
SECRET_KEY = ENVIRONMENT.secret_key("SECRET_KEY", debug=DEBUG, kept_in=KEY_DIR / "secret_key")
SITE_NAME = ENVIRONMENT.text("SITE_NAME", "Podium")
PUBLIC_URL = ENVIRONMENT.public_url("PUBLIC_URL")
PREFIX = urlsplit(PUBLIC_URL).path
"""The path below which the product is, such as `/podium`; "" where it has a host of its own."""
FORCE_SCRIPT_NAME = PREFIX or None
ALLOWED_HOSTS = ENVIRONMENT.names_of(
    "ALLOWED_HOSTS", "localhost,127.0.0.1,[::1]", HOST, "host names without port, or *"
)
CSRF_TRUSTED_ORIGINS = ENVIRONMENT.names_of(
    "CSRF_TRUSTED_ORIGINS", "", ORIGIN, "origins such as https://board.example.org"
)
if PUBLIC_URL:
    # Beside the names that are given, so that health checks by another name still get through.
    ALLOWED_HOSTS = [*ALLOWED_HOSTS, split_domain_port(urlsplit(PUBLIC_URL).netloc)[0]]
    CSRF_TRUSTED_ORIGINS = [*CSRF_TRUSTED_ORIGINS, PUBLIC_URL.removesuffix(PREFIX)]
TRUSTED_PROXIES = ENVIRONMENT.integer("TRUSTED_PROXIES", 0, 0, 10, "proxies in front")
REDIS_URL = ENVIRONMENT.redis("REDIS_URL")
PREPARED_STATEMENTS = ENVIRONMENT.flag("PREPARED_STATEMENTS", "on")
WEB_CONCURRENCY = ENVIRONMENT.integer("WEB_CONCURRENCY", 1, 1, 256, "web processes")
SCORER_PACKAGES = ENVIRONMENT.names_of(
    "SCORER_PACKAGES", "scorers", PACKAGE, "names of top-level packages"
)
SCORER_PATH = ENVIRONMENT.folders("SCORER_PATH")
SCORER_TENANTS = ENVIRONMENT.owners("SCORER_TENANTS", SCORER_PATH)
SCORER_TIMEOUT_MS = ENVIRONMENT.integer("SCORER_TIMEOUT_MS", 5000, 1, 600_000, "milliseconds")
SCORER_ISOLATION = ENVIRONMENT.choice("SCORER_ISOLATION", "prefer", ("require", "prefer", "off"))
SCORER_WORK = ENVIRONMENT.folder("SCORER_WORK", Path(gettempdir()))
MODEL_PATH = ENVIRONMENT.folders("MODEL_PATH", *filter(Path.is_dir, [DATA_DIR / "models"]))
METRIC_SCRIPTS = ENVIRONMENT.flag("METRIC_SCRIPTS", "off")
SWEEP_SECONDS = ENVIRONMENT.number("SWEEP_SECONDS", 5, 0.1, 3600, "seconds")
THROTTLE_SUBMIT = ENVIRONMENT.rate("THROTTLE_SUBMIT", "600/min")
THROTTLE_BULK = ENVIRONMENT.rate("THROTTLE_BULK", "100000/min")
THROTTLE_READ = ENVIRONMENT.rate("THROTTLE_READ", "3000/min")
THROTTLE_PAGES = ENVIRONMENT.rate("THROTTLE_PAGES", "1200/min")
THROTTLE_SIGN_IN = ENVIRONMENT.rate("THROTTLE_SIGN_IN", "20/min")
MAX_WAITING = ENVIRONMENT.integer("MAX_WAITING", 10_000, 1, 10**9, "attempts")
MAX_WAITING_TENANT = ENVIRONMENT.integer("MAX_WAITING_TENANT", 50_000, 1, 10**9, "attempts")
SCORING_SLOTS = ENVIRONMENT.integer(
    "SCORING_SLOTS", min(2, processors()), 1, 8, "attempts at a time"
)
LOG_LEVEL = ENVIRONMENT.choice("LOG_LEVEL", "info", ("debug", "info", "warning", "error")).upper()
SLOW_QUERY_MS = ENVIRONMENT.integer("SLOW_QUERY_MS", 1000, 0, 3_600_000, "milliseconds")
SENTRY_DSN = ENVIRONMENT.text("SENTRY_DSN", "", longest=500)
PROMETHEUS_TOKEN = ENVIRONMENT.text("PROMETHEUS_TOKEN", "", longest=200)

# Storage

DATABASE_FILE = DATA_DIR / "db.sqlite3"
DATABASES: dict[str, Any] = {
    "default": ENVIRONMENT.database("DATABASE_URL", f"sqlite:///{DATABASE_FILE}")
}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    DATABASES["default"]["OPTIONS"] = {
        # A write transaction waits for the lock at its start, where waiting cannot fail half-way.
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
    }
    if DATABASES["default"]["NAME"] == str(DATABASE_FILE):
        private_file(DATABASE_FILE)
else:
    DATABASES["default"] |= {"CONN_HEALTH_CHECKS": True}
# Opening one takes a millisecond, on SQLite as well, which reads the schema each time.
DATABASES["default"] |= {"CONN_MAX_AGE": 60}

DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

MEDIA_ROOT = DATA_DIR / "uploads"
FILE_UPLOAD_PERMISSIONS = 0o600
FILE_UPLOAD_DIRECTORY_PERMISSIONS = 0o700

CACHES: dict[str, Any] = {
    "default": {
        "BACKEND": "leaderboard.cache.ForgivingRedisCache",
        "LOCATION": REDIS_URL,
        "KEY_PREFIX": "podium",
        "OPTIONS": {"socket_timeout": 0.5, "socket_connect_timeout": 0.5},
    }
    if REDIS_URL
    else {"BACKEND": "leaderboard.counters.CountingLocMemCache"}
}

# The application

ROOT_URLCONF = "leaderboard.urls"
WSGI_APPLICATION = "leaderboard.wsgi.application"

INSTALLED_APPS = [
    "leaderboard.apps.LeaderboardConfig",
    "leaderboard.apps.PodiumAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "rest_framework",
    "knox",
    "django_filters",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "django_htmx",
    "csp",
    "axes",
]

MIDDLEWARE = [
    "leaderboard.monitoring.requests.RequestLogMiddleware",
    "leaderboard.proxies.ClientAddressMiddleware",
    "leaderboard.headers.HeadersMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "leaderboard.static_files.CompressionMiddleware",
    "leaderboard.static_files.StaticFilesMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "leaderboard.pages.limits.LimitsMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "axes.middleware.AxesMiddleware",
]

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [FILES_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "leaderboard.pages.site.site",
            ],
        },
    }
]

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_TZ = True
USE_I18N = False

# Static files: straight from their folders, or, with STATIC_ROOT, as `collectstatic` left them
# there; either way by hashed names that browsers may keep for a year.

STATIC_URL = "static/"
STATICFILES_DIRS = [folder for folder in [FILES_DIR / "static"] if folder.is_dir()]
STATIC_ROOT = ENVIRONMENT.text("STATIC_ROOT", "", longest=4096) or None
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"
        if STATIC_ROOT
        else "leaderboard.static_files.HashedNames"
    },
}
WHITENOISE_USE_FINDERS = not STATIC_ROOT
WHITENOISE_AUTOREFRESH = DEBUG

# Who is asking

AUTH_USER_MODEL = "leaderboard.User"
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "account"
LOGOUT_REDIRECT_URL = "challenges"

AXES_FAILURE_LIMIT = 10
AXES_COOLOFF_TIME = timedelta(minutes=15)
# Both together: a stranger can neither lock a user out everywhere nor a shared office.
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_RESET_ON_SUCCESS = True
AXES_DISABLE_ACCESS_LOG = True
AXES_LOCKOUT_TEMPLATE = "pages/locked.html"

# Knox's own table would only be in the way: tokens are rows of ours.
MIGRATION_MODULES: dict[str, str | None] = {"knox": None}
KNOX_TOKEN_MODEL = "leaderboard.ApiToken"  # noqa: S105 - the name of a model
REST_KNOX = {
    "TOKEN_TTL": None,
    "AUTH_HEADER_PREFIX": "Bearer",
    "TOKEN_PREFIX": "pod_",
}

# What browsers are told

# The public address decides; without one, the origins that are trusted.
HTTPS = any(
    origin.startswith("https://")
    for origin in ([PUBLIC_URL] if PUBLIC_URL else CSRF_TRUSTED_ORIGINS)
)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = HTTPS
# Without a slash at the end, so that the prefix alone is a page of the same session.
SESSION_COOKIE_PATH = CSRF_COOKIE_PATH = PREFIX or "/"
SECURE_HSTS_SECONDS = 30 * 24 * 3600 if HTTPS else 0
SECURE_SSL_HOST = urlsplit(PUBLIC_URL).netloc if HTTPS and PUBLIC_URL else None
SECURE_REDIRECT_EXEMPT = [
    "^" + re.escape(f"{PREFIX}/{name}".lstrip("/")) + "$"
    for name in ("healthz", "readyz", "status.json")
]
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if TRUSTED_PROXIES else None
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'self'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "object-src": ["'none'"],
        "base-uri": ["'none'"],
        "form-action": ["'self'"],
        "frame-ancestors": ["'none'"],
    }
}
# Other names of the operator's domain, and browsers' own lists, are not ours to decide about.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]

# API

# The largest body of one request; each endpoint holds its own, smaller limit.
DATA_UPLOAD_MAX_MEMORY_SIZE = 65 * 1024 * 1024

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "leaderboard.api.auth.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticatedOrReadOnly"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "DEFAULT_THROTTLE_RATES": {"submit": THROTTLE_SUBMIT, "read": THROTTLE_READ},
    "EXCEPTION_HANDLER": "leaderboard.api.errors.exception_handler",
    "URL_FORMAT_OVERRIDE": None,  # another format is another path
    "NUM_PROXIES": 0,  # REMOTE_ADDR is the client: ClientAddressMiddleware
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
}

SPECTACULAR_SETTINGS: dict[str, Any] = {
    "TITLE": f"{SITE_NAME} API",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": r"/api/v1",
    "SERVERS": [{"url": PREFIX}] if PREFIX else [],
    "COMPONENT_SPLIT_REQUEST": True,
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "leaderboard.api.schema.without_nul",
    ],
    # Two fields have these choices.
    "ENUM_NAME_OVERRIDES": {
        "ReferencesVisibilityEnum": [("public", "Public"), ("organiser", "Organiser")]
    },
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
}

# Celery. The attempt row is the queue and a message only wakes a worker: a lost message costs
# seconds, and none is worth waiting for.

CELERY_BROKER_URL = REDIS_URL or "memory://localhost"
CELERY_BROKER_TRANSPORT_OPTIONS = (
    {
        "socket_timeout": 1,
        "socket_connect_timeout": 1,
        # A message only wakes a worker, and the sweeper notifies workers again. So Redis need not
        # remember who has taken which message, in keys that a full Redis would refuse.
        "ack_emulation": False,
        # Sending connects by itself, and would try again for four seconds and more. Workers and
        # beat go on trying by CELERY_BROKER_CONNECTION_MAX_RETRIES.
        "max_retries": 0,
    }
    if REDIS_URL
    else {}
)
MAX_DELIVERIES = 3 if REDIS_URL else 10
"""An attempt that lost so many workers ends as `worker_lost`: it may be what they died of. Without
Redis the worker is a part of the server, so whoever kills the server again and again would be taken
for a fault of the attempts that happened to be scored."""
CELERY_BROKER_TRANSPORT = None if REDIS_URL else "leaderboard.broker:Transport"
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_SERIALIZER = "json"
CELERY_TASK_DEFAULT_QUEUE = "podium"
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = False
CELERY_TASK_PUBLISH_RETRY = False
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_MAX_TASKS_PER_CHILD = 5000
# For a process that hangs for ever. Plugins have limits of their own, and a claim has its lease. A
# text metric that needs all instances at once may be allowed a day.
CELERY_TASK_TIME_LIMIT = 25 * 3600
# Concerns late acknowledgement, which there is none of; as False it is warned of.
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = True
CELERY_TIMEZONE = TIME_ZONE
CELERY_BEAT_SCHEDULE_FILENAME = str(DATA_DIR / "celerybeat-schedule")
CELERY_BEAT_SCHEDULE = {
    "sweep": {
        "task": "leaderboard.tasks.sweep",
        "schedule": SWEEP_SECONDS,
        # While no worker listens, calls to sweep do not pile up.
        "options": {"expires": 2 * SWEEP_SECONDS},
    }
}

# Logging: to be read on a terminal, to be collected anywhere else

configure_structlog()
LOGGING = logging_config(LOG_LEVEL, readable=sys.stderr.isatty())

# Extras

if SENTRY_DSN:
    import sentry_sdk
    from sentry_sdk.utils import BadDsn

    try:
        sentry_sdk.init(
            dsn=SENTRY_DSN,
            send_default_pii=False,
            before_send=without_outages,
            # Local variables and bodies hold answers, keys and what participants sent.
            include_local_variables=False,
            max_request_body_size="never",
        )
    except BadDsn:
        accepted = "https://key@host/project, as Sentry shows it, or empty"
        raise SettingError("SENTRY_DSN", accepted) from None
