"""The command line: `manage.py` in a checkout, `podium-server` where the product is installed."""

import os
import sys

from leaderboard.heap import collect_less_often
from leaderboard.version import VERSION


def main() -> None:
    """Run the Django command that the arguments name; end with one line if a setting is wrong."""
    if sys.argv[1:] in (["version"], ["--version"]):  # Django would print its own version
        sys.stdout.write(f"{VERSION}\n")
        return
    collect_less_often()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")
    from django.conf import settings
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    try:
        settings.DEBUG  # noqa: B018 - reads all settings
    except ImproperlyConfigured as error:
        sys.exit(f"error: {error}")
    execute_from_command_line(sys.argv)
