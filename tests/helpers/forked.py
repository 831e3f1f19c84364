"""Commands, settings, functions and servers in processes of their own, as a start of the product
has.

They are forked from one that has imported the libraries, but no settings: a start then takes a
fraction of a second. The environment of each is exactly what is given.
"""

import atexit
import os
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import NamedTuple

from tests.processes import ROOT, Process

LIBRARIES = [
    *("django.conf", "django.contrib.postgres.fields", "django.core.management"),
    *("django.db.models", "django.db.migrations.executor", "django.test"),
    *("celery.app", "celery.app.amqp", "celery.apps.worker", "celery.bin.celery"),
    *("csp.constants", "fido2.webauthn", "gunicorn.app.wsgiapp", "gunicorn.workers.gthread"),
    *("jwt", "kombu.transport.redis", "numpy", "prometheus_client", "psycopg", "redis"),
    *("requests", "structlog", "waitress"),
    *("leaderboard.sandbox.contract", "leaderboard.schemas.attempts"),
    *("leaderboard.schemas.challenges", "leaderboard.schemas.samples", "tests.helpers.forked"),
]
"""What commands import and what does not depend on settings."""
SETTING_SECONDS = 60
COMMAND_SECONDS = 300


class Started(NamedTuple):
    """`setting` is its value as Python writes it; `error` is a traceback, "" if there is none."""

    setting: str
    error: str


def setting_read(name: str, environment: Mapping[str, str]) -> Started:
    """Read `settings.NAME` with these variables alone."""
    here, child_end = get_context("forkserver").Pipe(duplex=False)
    process = _forked(_read, name, dict(environment), child_end)
    child_end.close()
    try:
        assert here.poll(SETTING_SECONDS), f"{name} was not read within {SETTING_SECONDS} s"
        return Started(*here.recv())
    finally:
        process.kill()
        process.join()


def command_output(words: Sequence[str], environment: Mapping[str, str]) -> str:
    """Return what `manage.py WORDS` prints, which must succeed."""
    return _printed(_run, list(words), environment)[0]


def script_output(script: str, environment: Mapping[str, str]) -> tuple[str, str]:
    """Return what a script prints and its errors; it must succeed."""
    return _printed(_execute, script, environment)


def _printed(
    target: Callable[..., None], given: object, environment: Mapping[str, str]
) -> tuple[str, str]:
    with tempfile.TemporaryDirectory(prefix="podium-command-") as folder:
        output, errors = Path(folder, "output"), Path(folder, "errors")
        process = _forked(target, given, dict(environment), str(output), str(errors))
        process.join(COMMAND_SECONDS)
        if process.exitcode is None:
            process.kill()
        assert process.exitcode == 0, output.read_text() + errors.read_text()
        return output.read_text(), errors.read_text()


def exit_code(work: Callable[..., None], environment: Mapping[str, str], *given: object) -> int:
    """Call a function of a module in a process with these variables alone; return how it ended."""
    process = _forked(_call, work, dict(environment), *given)
    process.join()
    assert process.exitcode is not None
    return process.exitcode


class Forked:
    """A forked process, with those methods of `subprocess.Popen` that tests use."""

    def __init__(self, process: ForkServerProcess) -> None:
        assert process.pid is not None
        self.pid = process.pid
        self._process = process

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        self._process.join(timeout)
        if self._process.exitcode is None:
            raise subprocess.TimeoutExpired(str(self.pid), timeout or 0)
        return self._process.exitcode

    def send_signal(self, sig: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, sig)

    def terminate(self) -> None:
        self._process.terminate()

    def kill(self) -> None:
        self._process.kill()


def started_by_fork(
    command: Sequence[str], environment: Mapping[str, str], log: Path, errors: Path, cwd: Path
) -> Process:
    """Start celery, gunicorn or `manage.py`, as `tests.processes.started` does."""
    words = [word for word in command if word != sys.executable]
    return Forked(_forked(_serve, words, dict(environment), str(log), str(errors), str(cwd)))


def _forked(target: Callable[..., None], *given: object) -> ForkServerProcess:
    context = get_context("forkserver")
    context.set_forkserver_preload(LIBRARIES)
    process = context.Process(target=target, args=given)
    process.start()
    return process


def _read(name: str, environment: dict[str, str], answer: Connection) -> None:
    _begin(environment)
    try:
        from django.conf import settings

        answer.send((repr(getattr(settings, name)), ""))
    except Exception:  # any error of a setting: the test gets its traceback
        answer.send(("", traceback.format_exc()))


def _run(words: list[str], environment: dict[str, str], output: str, errors: str) -> None:
    _begin(environment)
    os.chdir(ROOT)
    _write_to(output, errors)
    sys.argv = [str(ROOT / "manage.py"), *words]
    from leaderboard.management.command_line import main

    main()
    with suppress(BrokenPipeError):
        sys.stdout.flush()


def _execute(script: str, environment: dict[str, str], output: str, errors: str) -> None:
    _begin(environment)
    os.chdir(ROOT)
    _write_to(output, errors)
    exec(script, {"__name__": "__main__"})


def _serve(
    words: list[str], environment: dict[str, str], output: str, errors: str, folder: str
) -> None:
    _begin(environment)
    os.chdir(folder)
    _write_to(output, errors)
    sys.argv = words
    module, function = MAINS[Path(words[0]).name]
    try:
        getattr(import_module(module), function)()
    finally:
        atexit._run_exitfuncs()  # a forked process ends without them


MAINS = {
    "celery": ("celery.__main__", "main"),
    "gunicorn": ("gunicorn.app.wsgiapp", "run"),
    "manage.py": ("leaderboard.management.command_line", "main"),
}
"""The module and the function that each program calls."""


def _write_to(output: str, errors: str) -> None:
    for file, stream in ((output, sys.stdout), (errors, sys.stderr)):
        number = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.dup2(number, stream.fileno())


def _call(work: Callable[..., None], environment: dict[str, str], *given: object) -> None:
    _begin(environment)
    work(*given)


def _begin(environment: dict[str, str]) -> None:
    os.environ.clear()
    os.environ.update(environment)
