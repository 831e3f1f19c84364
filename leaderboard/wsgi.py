"""The web application for gunicorn: `gunicorn leaderboard.wsgi`."""

import logging
import os

from django.core.exceptions import ImproperlyConfigured
from django.core.wsgi import get_wsgi_application

from leaderboard.http.form_encodings import reading_utf_8
from leaderboard.http.head_requests import without_bodies
from leaderboard.http.prefix import below_prefix
from leaderboard.http.unread_bodies import closing_after_refusals
from leaderboard.http.whole_bodies import reading_whole_bodies
from leaderboard.operating.heap import collect_less_often

collect_less_often()
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")

application = closing_after_refusals(
    without_bodies(reading_whole_bodies(below_prefix(reading_utf_8(get_wsgi_application()))))
)

from leaderboard.checks import addresses_agree, check_deployment  # noqa: E402 - needs Django
from leaderboard.operating.preload import load_pages  # noqa: E402
from leaderboard.services.operations import tallies  # noqa: E402

load_pages()

# Django runs its checks only in management commands, so gunicorn needs this.
if problems := check_deployment():
    raise ImproperlyConfigured("\n".join(f"{problem.msg} {problem.hint}" for problem in problems))
for warning in addresses_agree():
    logging.getLogger(__name__).warning("%s %s", warning.msg, warning.hint)

tallies.keep_flushing()
