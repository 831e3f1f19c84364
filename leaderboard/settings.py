"""Django's settings. Everything an operator may change is an environment variable.

The table of the variables is in docs/deploy.md.
"""

import os
import re
import sys
from datetime import timedelta
from pathlib import Path
from tempfile import gettempdir
from urllib.parse import urlsplit

from django.http.request import split_domain_port

from leaderboard.database_url import DatabaseEntry
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
"""Whether the product is installed from a wheel, which has templates and static files there."""
FILES_DIR = PACKAGE_DIR / "_files" if IS_INSTALLED else BASE_DIR
ENVIRONMENT = Environment(os.environ)

# Settings of the operator

DEBUG = ENVIRONMENT.flag("DEBUG", "off")
DATA_DIR = ENVIRONMENT.folder(
    "DATA_DIR", Path("~/.local/share/podium") if IS_INSTALLED else BASE_DIR / "var"
)
KEY_DIR = ENVIRONMENT.folder("KEY_DIR", DATA_DIR)
SECRET_KEY = ENVIRONMENT.secret_key("SECRET_KEY", debug=DEBUG, kept_in=KEY_DIR / "secret_key")
SITE_NAME = ENVIRONMENT.text("SITE_NAME", "Podium")
PUBLIC_URL = ENVIRONMENT.public_url("PUBLIC_URL")
PREFIX = urlsplit(PUBLIC_URL).path
"""The path below which the product is served, such as `/podium`; "" for the root of the host."""
FORCE_SCRIPT_NAME = PREFIX or None
ALLOWED_HOSTS = ENVIRONMENT.names_of(
    "ALLOWED_HOSTS", "localhost,127.0.0.1,[::1]", HOST, "host names without port, or *"
)
CSRF_TRUSTED_ORIGINS = ENVIRONMENT.names_of(
    "CSRF_TRUSTED_ORIGINS", "", ORIGIN, "origins such as https://board.example.org"
)
if PUBLIC_URL:
    # Added to the given names, so that health checks by another name still work.
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
SIGN_UP = ENVIRONMENT.choice("SIGN_UP", "invited", ("open", "invited", "off"))
OPENID_CONNECT = ENVIRONMENT.openid_providers("OPENID_CONNECT")
EMAIL_URL = ENVIRONMENT.mail("EMAIL_URL")
DEFAULT_FROM_EMAIL = ENVIRONMENT.mail_address("DEFAULT_FROM_EMAIL", "podium@localhost")
LOG_LEVEL = ENVIRONMENT.choice("LOG_LEVEL", "info", ("debug", "info", "warning", "error")).upper()
SLOW_QUERY_MS = ENVIRONMENT.integer("SLOW_QUERY_MS", 1000, 0, 3_600_000, "milliseconds")
SENTRY_DSN = ENVIRONMENT.text("SENTRY_DSN", "", longest=500)
PROMETHEUS_TOKEN = ENVIRONMENT.text("PROMETHEUS_TOKEN", "", longest=200)

# Storage

DATABASE_FILE = DATA_DIR / "db.sqlite3"
DATABASES: dict[str, DatabaseEntry] = {
    "default": ENVIRONMENT.database("DATABASE_URL", f"sqlite:///{DATABASE_FILE}")
}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    DATABASES["default"]["OPTIONS"] = {
        # A write transaction takes the lock at its start, so that it cannot fail half-way.
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
    }
    if DATABASES["default"]["NAME"] == str(DATABASE_FILE):
        private_file(DATABASE_FILE)
else:
    DATABASES["default"] |= {"CONN_HEALTH_CHECKS": True}
# Opening a connection takes a millisecond, also on SQLite, which reads the schema each time.
DATABASES["default"] |= {"CONN_MAX_AGE": 60}

DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

MEDIA_ROOT = DATA_DIR / "uploads"
FILE_UPLOAD_PERMISSIONS = 0o600
FILE_UPLOAD_DIRECTORY_PERMISSIONS = 0o700

CACHES: dict[str, dict[str, object]] = {
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
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "allauth.usersessions",
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
    "leaderboard.pages.languages.LanguageMiddleware",
    "django.middleware.common.CommonMiddleware",
    "leaderboard.pages.limits.LimitsMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "allauth.account.middleware.AccountMiddleware",
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
            "builtins": ["django.templatetags.i18n", "leaderboard.pages.filters"],
        },
    }
]

TIME_ZONE = "UTC"
USE_TZ = True

# The language of the source, and those that readers may choose from.
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English")]
USE_I18N = True
LOCALE_PATHS = [PACKAGE_DIR / "locale", PACKAGE_DIR / "wording"]
FORMAT_MODULE_PATH = ["leaderboard.formats"]

# Static files: from their source folders, or from STATIC_ROOT after `collectstatic`. In both cases
# their names have a hash, so that browsers may cache them for a year.

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

# Users, sign-in and tokens

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
# By both: a stranger can lock out neither a user everywhere nor all users of a shared address.
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_RESET_ON_SUCCESS = True
AXES_DISABLE_ACCESS_LOG = True
AXES_LOCKOUT_TEMPLATE = "pages/locked.html"

# Accounts: django-allauth behind our own pages, see `leaderboard.pages.accounts`

ACCOUNT_ADAPTER = "leaderboard.pages.accounts.adapter.AccountAdapter"
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email", "password1*", "password2*"]
ACCOUNT_CHANGE_EMAIL = True
ACCOUNT_FORMS = {
    "add_email": "leaderboard.pages.accounts.forms.AddressForm",
    "change_email": "leaderboard.pages.accounts.forms.AddressForm",
    "reauthenticate": "leaderboard.pages.accounts.forms.ConfirmForm",
}
# What `leaderboard.signing_in` decides otherwise, it decides for each sign-in.
ACCOUNT_EMAIL_VERIFICATION = "optional"
ACCOUNT_PREVENT_ENUMERATION = "strict"
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_EMAIL_SUBJECT_PREFIX = f"[{SITE_NAME}] "
# THROTTLE_SIGN_IN limits these pages, and the operator sets it.
ACCOUNT_RATE_LIMITS = {"login": "", "signup": ""}

MFA_ADAPTER = "leaderboard.pages.accounts.second_factor.SecondFactorAdapter"
MFA_FORMS = {
    "add_webauthn": "leaderboard.pages.accounts.forms.KeyForm",
    "activate_totp": "leaderboard.pages.accounts.forms.AppForm",
    "authenticate": "leaderboard.pages.accounts.forms.CodeOfFactorForm",
    "reauthenticate": "leaderboard.pages.accounts.forms.ConfirmByCodeForm",
}
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes", "webauthn"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_ALLOW_UNVERIFIED_EMAIL = True
MFA_TOTP_ISSUER = SITE_NAME

SOCIALACCOUNT_ADAPTER = "leaderboard.pages.accounts.provider_adapter.ProviderAdapter"

SENDS_MAIL = EMAIL_URL is not None
MAIL_IN_BACKGROUND = True
EMAIL_TIMEOUT = 20
if EMAIL_URL is not None:
    EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    EMAIL_HOST, EMAIL_PORT = EMAIL_URL.host, EMAIL_URL.port
    EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = EMAIL_URL.user, EMAIL_URL.password
    EMAIL_USE_TLS, EMAIL_USE_SSL = EMAIL_URL.starttls, EMAIL_URL.ssl
else:
    # One process prints mail where its operator sees it; several have no such place.
    EMAIL_BACKEND = f"django.core.mail.backends.{'dummy' if REDIS_URL else 'console'}.EmailBackend"

# Tokens are in a table of ours, so Knox's own table is not made.
MIGRATION_MODULES: dict[str, str | None] = {"knox": None}
KNOX_TOKEN_MODEL = "leaderboard.ApiToken"  # noqa: S105 - the name of a model
REST_KNOX = {
    "TOKEN_TTL": None,
    "AUTH_HEADER_PREFIX": "Bearer",
    "TOKEN_PREFIX": "pod_",
}

# Cookies and headers for browsers

# PUBLIC_URL decides; without it, CSRF_TRUSTED_ORIGINS.
HTTPS = any(
    origin.startswith("https://")
    for origin in ([PUBLIC_URL] if PUBLIC_URL else CSRF_TRUSTED_ORIGINS)
)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = HTTPS
# Without a slash at the end, so that cookies also apply to the path of the prefix alone.
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
# HSTS for subdomains (W005) and browsers' preload lists (W021) are the operator's decision.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]

# API

# The largest body of one request; each endpoint has its own, smaller limit.
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

SPECTACULAR_SETTINGS: dict[str, object] = {
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
    # Two fields share these choices, so that the enum needs a name.
    "ENUM_NAME_OVERRIDES": {
        "ReferencesVisibilityEnum": [("public", "public"), ("organiser", "organiser")],
        "StatusEnum": [
            (each, each.capitalize()) for each in ("queued", "scoring", "scored", "failed")
        ],
        "RegistrationStatusEnum": [(each, each) for each in ("pending", "accepted", "declined")],
    },
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
}

# Celery. The attempt row is the queue and a message only wakes a worker: a lost message costs
# seconds, so nothing waits for messages.

CELERY_BROKER_URL = REDIS_URL or "memory://localhost"
CELERY_BROKER_TRANSPORT_OPTIONS = (
    {
        "socket_timeout": 1,
        "socket_connect_timeout": 1,
        # A message only wakes a worker, and the sweeper notifies workers again. So Redis need not
        # store which worker has taken which message, in keys that a full Redis would refuse.
        "ack_emulation": False,
        # Sending a message connects if needed, and would retry for four seconds and more. Workers
        # and beat keep trying by CELERY_BROKER_CONNECTION_MAX_RETRIES.
        "max_retries": 0,
    }
    if REDIS_URL
    else {}
)
MAX_DELIVERIES = 3 if REDIS_URL else 10
"""An attempt that lost so many workers ends as `worker_lost`, as it may have caused the losses.
Without Redis the worker is a part of the server, and an operator who restarts the server several
times must not make attempts fail that were being scored, so the number is higher."""
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
# Ends a process that hangs for ever. Plugins have limits of their own, and claims have leases. The
# limit of a text metric that needs all instances at once may be a day.
CELERY_TASK_TIME_LIMIT = 25 * 3600
# Matters only for late acknowledgement, which is off; with False, Celery logs a warning.
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = True
CELERY_TIMEZONE = TIME_ZONE
CELERY_BEAT_SCHEDULE_FILENAME = str(DATA_DIR / "celerybeat-schedule")
CELERY_BEAT_SCHEDULE = {
    "sweep": {
        "task": "leaderboard.tasks.sweep",
        "schedule": SWEEP_SECONDS,
        # So that messages do not accumulate while no worker listens.
        "options": {"expires": 2 * SWEEP_SECONDS},
    }
}

# Logging: lines for people on a terminal, JSON elsewhere

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
            # Local variables and bodies contain answers, keys and submissions.
            include_local_variables=False,
            max_request_body_size="never",
        )
    except BadDsn:
        accepted = "https://key@host/project, as Sentry shows it, or empty"
        raise SettingError("SENTRY_DSN", accepted) from None
