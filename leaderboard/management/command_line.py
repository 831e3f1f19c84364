"""The command line: `manage.py` in a checkout, `podium-server` where the product is installed."""

import os
import sys

from leaderboard.operating.heap import collect_less_often
from leaderboard.version import VERSION


def main() -> None:
    """Run the Django command that the arguments name.

    End with one line, and without a traceback, if a setting is wrong or something fails that the
    command needs. Django's option `--traceback` shows the traceback.
    """
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
    try:
        execute_from_command_line(sys.argv)
        sys.stdout.flush()
    except (Exception, KeyboardInterrupt) as error:
        if "--traceback" in sys.argv:
            raise
        _end(error)
        raise


def _end(error: BaseException) -> None:
    """Exit with a line about an error; return if there is none."""
    from leaderboard.management.failures import INTERRUPTED, line_about

    _let_go_of_output()
    if isinstance(error, BrokenPipeError):  # nobody reads on, as behind `| head`
        sys.exit(1)
    if isinstance(error, KeyboardInterrupt):
        sys.stderr.write("interrupted\n")
        sys.exit(INTERRUPTED)
    if line := line_about(error):
        sys.exit(f"error: {line}")


def _let_go_of_output() -> None:
    """Write what is left, or forget it if that fails, so that the exit does not fail as well."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
