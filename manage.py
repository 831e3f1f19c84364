#!/usr/bin/env python3
"""Django's command line for this project."""

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")
    from django.conf import settings
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    try:
        settings.DEBUG  # noqa: B018 - reads all settings
    except ImproperlyConfigured as error:
        sys.exit(f"error: {error}")
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
