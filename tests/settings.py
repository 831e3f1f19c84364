"""The product's settings for the tests: variables of the shell are ignored."""

import os
import tempfile
from pathlib import Path

from leaderboard.environment.reading import Variables

FOLDER = tempfile.TemporaryDirectory(prefix="podium-tests-")
DATABASE_FILE = Path(FOLDER.name, "db.sqlite3")

for name in Variables.model_fields:
    os.environ.pop(name, None)
os.environ["DATA_DIR"] = FOLDER.name
os.environ["SECRET_KEY"] = "for tests only, as long as a key has to be, and then some"
os.environ["DATABASE_URL"] = os.environ.get("DATABASE_URL_TEST") or f"sqlite:///{DATABASE_FILE}"

from leaderboard.settings import *  # noqa: E402, F403
from leaderboard.settings import DATABASES  # noqa: E402

CACHES = {"default": {"BACKEND": "tests.helpers.caches.CheckedCache"}}

if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    # A file, because threads have to wait for one another as they do in production.
    DATABASES["default"]["TEST"] = {
        "NAME": str(Path(FOLDER.name, "test.sqlite3")),
        "MIGRATE": False,  # tests/conftest.py copies a migrated file
    }
elif template := os.environ.get("DATABASE_TEMPLATE"):
    DATABASES["default"]["TEST"] = {"TEMPLATE": template, "MIGRATE": False}
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
AXES_ENABLED = False
MAIL_IN_BACKGROUND = False
MAX_DELIVERIES = 3
# otherwise each client lists all static files before its first request
WHITENOISE_AUTOREFRESH = True
