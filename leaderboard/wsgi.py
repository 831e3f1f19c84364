"""The web application for gunicorn: `gunicorn leaderboard.wsgi`."""

import os

from django.core.exceptions import ImproperlyConfigured
from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")

application = get_wsgi_application()

from leaderboard.checks import check_deployment  # noqa: E402 - needs Django to be set up

# Django runs its checks in management commands only, and gunicorn is none.
if problems := check_deployment():
    raise ImproperlyConfigured("\n".join(f"{problem.msg} {problem.hint}" for problem in problems))
