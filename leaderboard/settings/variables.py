"""What an operator may change: each setting is a variable of the environment.

The table of the variables is in docs/deploy.md.
"""

import os
from pathlib import Path
from tempfile import gettempdir
from urllib.parse import urlsplit

from django.http.request import split_domain_port

from leaderboard.environment.reading import HOST, LOG_LEVELS, ORIGIN, Environment, processors
from leaderboard.rules.plugins.owners import PACKAGE

PACKAGE_DIR = Path(__file__).resolve().parents[1]
BASE_DIR = PACKAGE_DIR.parent
IS_INSTALLED = (PACKAGE_DIR / "_files").is_dir()
"""Whether the product is installed from a wheel, which has templates and static files there."""
FILES_DIR = PACKAGE_DIR / "_files" if IS_INSTALLED else BASE_DIR
ENVIRONMENT = Environment(os.environ)

DEBUG = ENVIRONMENT.flag("DEBUG", "off")
DATA_DIR = ENVIRONMENT.folder(
    "DATA_DIR", Path("~/.local/share/podium") if IS_INSTALLED else BASE_DIR / "var"
)
KEY_DIR = ENVIRONMENT.folder("KEY_DIR", DATA_DIR)
SECRET_KEY = ENVIRONMENT.secret_key("SECRET_KEY", debug=DEBUG, kept_in=KEY_DIR / "secret_key")
SITE_NAME = ENVIRONMENT.text("SITE_NAME", "Podium")
PUBLIC_URL = ENVIRONMENT.public_url("PUBLIC_URL")
SOURCE_URL = ENVIRONMENT.link("SOURCE_URL")
OG_FONTS = ENVIRONMENT.files("OG_FONTS")
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
TRUST_REQUEST_START = ENVIRONMENT.flag("TRUST_REQUEST_START", "off")
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
THROTTLE_BULK = ENVIRONMENT.rate("THROTTLE_BULK", "60000/min")
THROTTLE_MIB = ENVIRONMENT.rate("THROTTLE_MIB", "2000/hour")
THROTTLE_READ = ENVIRONMENT.rate("THROTTLE_READ", "3000/min")
THROTTLE_PAGES = ENVIRONMENT.rate("THROTTLE_PAGES", "1200/min")
THROTTLE_SIGN_IN = ENVIRONMENT.rate("THROTTLE_SIGN_IN", "20/min")
THROTTLE_TRY = ENVIRONMENT.rate("THROTTLE_TRY", "10/min")
MAX_WAITING, _of_tenant = ENVIRONMENT.waiting_limits("MAX_WAITING", 10_000, 50_000)
MAX_WAITING_TENANT = ENVIRONMENT.limit("MAX_WAITING_TENANT", _of_tenant)
SCORING_SLOTS = ENVIRONMENT.integer(
    "SCORING_SLOTS", min(2, processors()), 1, 8, "attempts at a time"
)
SIGN_UP = ENVIRONMENT.choice("SIGN_UP", "invited", ("open", "invited", "off"))
OPENID_CONNECT = ENVIRONMENT.openid_providers("OPENID_CONNECT")
EMAIL_URL = ENVIRONMENT.mail("EMAIL_URL")
DEFAULT_FROM_EMAIL = ENVIRONMENT.mail_address("DEFAULT_FROM_EMAIL", "podium@localhost")
LOG_LEVEL = ENVIRONMENT.choice("LOG_LEVEL", "info", LOG_LEVELS).upper()
SLOW_QUERY_MS = ENVIRONMENT.integer("SLOW_QUERY_MS", 1000, 0, 3_600_000, "milliseconds")
SENTRY_DSN = ENVIRONMENT.text("SENTRY_DSN", "", longest=500)
PROMETHEUS_TOKEN = ENVIRONMENT.text("PROMETHEUS_TOKEN", "", longest=200)
STATIC_ROOT = ENVIRONMENT.text("STATIC_ROOT", "", longest=4096) or None
