"""Reads a setting in a process of its own, as a start of the product does.

The processes are forked from one that has imported the libraries, but no settings: that takes some
milliseconds instead of half a second.
"""

import os
import traceback
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import NamedTuple

LIBRARIES = ["structlog", "django.conf", "django.db.models", "csp.constants", "tests.settings_read"]
SECONDS = 60


class Started(NamedTuple):
    """`shown` is the setting as Python writes it; `error` is a traceback, "" if there is none."""

    shown: str
    error: str


def setting_read(name: str, environment: dict[str, str]) -> Started:
    """Read `settings.NAME` with these variables alone."""
    context = get_context("forkserver")
    context.set_forkserver_preload(LIBRARIES)
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_read, args=(name, environment, there))
    process.start()
    there.close()
    try:
        assert here.poll(SECONDS), f"{name} was not read within {SECONDS} s"
        return Started(*here.recv())
    finally:
        process.kill()
        process.join()


def _read(name: str, environment: dict[str, str], answer: Connection) -> None:
    os.environ.clear()
    os.environ.update(environment)
    try:
        from django.conf import settings

        answer.send((repr(getattr(settings, name)), ""))
    except Exception:  # any error of a setting: the test gets its traceback
        answer.send(("", traceback.format_exc()))
