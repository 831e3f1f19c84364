"""A process that reads the file of one job: `python -m leaderboard.services.imports.apart ID`."""

from __future__ import annotations

import os
import sys
from uuid import UUID

import django


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")
    django.setup()
    from leaderboard.services.imports.jobs import work_on

    work_on(UUID(sys.argv[1]))


if __name__ == "__main__":
    main()
