"""Commands and workers start without the pages."""

import os
import subprocess
import sys

import pytest
from django.core.management import get_commands, load_command_class

from leaderboard import celery
from tests.processes import ROOT

pytestmark = pytest.mark.once

SERVES = {"up", "makemigrations", "migrate"}
"""Commands that serve pages, so that all of Django's checks cost them nothing, and Django's own."""

CHECKED = """
import sys
import django
django.setup()
from django.core.management import load_command_class
command = load_command_class("leaderboard", "sweep")
command.check(tags=command.requires_system_checks)
print(sorted({f"leaderboard.{each}urls" for each in ("", "pages.", "api.")} & {*sys.modules}))
"""

OURS = sorted(name for name, app in get_commands().items() if app == "leaderboard")


def test_a_command_checks_no_pages() -> None:
    cases = [name for name in OURS if name not in SERVES]
    for name in cases:
        command = load_command_class("leaderboard", name)
        assert command.requires_system_checks in ([], ["podium"]), name


def test_the_check_of_settings_loads_no_pages() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", CHECKED],
        cwd=ROOT,
        env=os.environ | {"DJANGO_SETTINGS_MODULE": "tests.settings"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout == "[]\n", ran.stderr


def test_a_worker_makes_no_checks_of_pages() -> None:
    assert celery.app.main == "leaderboard"
    assert os.environ["CELERY_SKIP_CHECKS"] == "true"
