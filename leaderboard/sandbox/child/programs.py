"""The verb `script`: run a prepared metric script on the rewards of one attempt.

The script runs as a program of its own, in the Python that was prepared for it. It has the rights
of this child and a filter of system calls like that of a scorer, so it can start no process and use
no network. This process only waits for it and reads its output.
"""

import os
import signal
import stat
import sys
from collections.abc import Callable
from contextlib import suppress
from time import monotonic, sleep
from typing import BinaryIO, NoReturn

from leaderboard.rules.json.strict import InvalidJSON, parse_json
from leaderboard.rules.plugins.endings import problem_of_ending
from leaderboard.rules.plugins.results import encode_json
from leaderboard.rules.texts.plugin_output import MAX_DETAIL_BYTES, clean_output
from leaderboard.sandbox.contract import Failure
from leaderboard.sandbox.jobs import ScriptJob
from leaderboard.sandbox.server.layers import family, seccomp
from leaderboard.sandbox.server.layers.linux import LayerRefused, is_linux
from leaderboard.sandbox.server.places import interpreter_of

MAX_NUMBERS = 100
MAX_NAME = 120
MAX_FILE_BYTES = 1 << 20

_REWARDS, _METRIC = "rewards.jsonl", "metric.json"
_SECONDS_TO_ABORT = 0.1

OPTIONS = ("-B", "-X", "faulthandler")
"""Options of the interpreter: it writes no compiled files, and says where it is when it aborts."""

_Write = Callable[[str], None]
ScriptNumbers = dict[str, float | None]


class _WrongAnswer(Exception):
    """The output file of the script cannot be used; the text is for the participant."""


def answer_script(job: ScriptJob, requests: BinaryIO, write: _Write) -> None:
    """Run the script once and answer `{"numbers": {...}}` or `{"failure": [...]}`."""
    with open(_REWARDS, "xb") as file:
        file.write(requests.read(int.from_bytes(requests.read(4), "little")))
    errors = os.open("errors", os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
    os.unlink("errors")
    pid = os.fork()
    if pid == 0:
        _become_script(job, errors)
    status = status_of(pid, job["seconds"])
    outcome = _outcome(status, _last_of(errors), job["seconds"])
    answer = {"failure": list(outcome)} if isinstance(outcome, Failure) else {"numbers": outcome}
    write(encode_json(answer))


def status_of(pid: int, seconds: float) -> int | None:
    """The exit status of a process; None if it is aborted because its time is nearly over."""
    deadline = monotonic() + seconds - min(0.5, seconds / 10)
    pause = 0.001
    while monotonic() < deadline:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        sleep(pause)
        pause = min(pause * 2, 0.05)
    os.kill(pid, signal.SIGABRT)  # faulthandler then writes where the program is
    sleep(_SECONDS_TO_ABORT)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return None


def _become_script(job: ScriptJob, errors: int) -> NoReturn:
    """Replace this process by the script."""
    os.dup2(errors, 2)
    here, script = os.getcwd(), os.path.join(job["folder"], "script.py")
    files = ["-i", os.path.join(here, _REWARDS), "-o", os.path.join(here, _METRIC)]
    python = interpreter_of(job["folder"])
    become([python, "-I", *OPTIONS, script, *files], dict(os.environ), filtered=job["filtered"])


def become(command: list[str], environment: dict[str, str], *, filtered: bool) -> NoReturn:
    """Replace this process by a program that can start no other one. It keeps descriptors 0 to 2.

    filtered: whether its system calls are filtered.
    """
    try:
        for descriptor in (0, 1, 2):
            os.set_inheritable(descriptor, True)
        for number in (signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)
        family.die_with_parent()
        if filtered and is_linux():
            with suppress(LayerRefused):  # the isolation report lists missing layers
                seccomp.install_filter(programs=True)
        os.execve(command[0], command, environment)  # noqa: S606 - no shell is what is wanted
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        os._exit(1)


def _last_of(errors: int) -> str:
    """The end of the script's standard error."""
    size = os.fstat(errors).st_size
    text = os.pread(errors, MAX_DETAIL_BYTES, max(size - MAX_DETAIL_BYTES, 0))
    return clean_output(text, MAX_DETAIL_BYTES)


def _outcome(status: int | None, errors: str, seconds: float) -> ScriptNumbers | Failure:
    if problem := problem_of_ending("script", status, errors, seconds):
        return Failure(*problem, errors)
    try:
        return _numbers(_written())
    except _WrongAnswer as error:
        return Failure("invalid_result", str(error), errors)


def _written() -> bytes:
    """The contents of the file given with `-o`. Raises _WrongAnswer if it is no regular file."""
    try:
        # Not blocking: opening a named pipe in its place would wait.
        descriptor = os.open(_METRIC, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        raise _WrongAnswer("The script wrote no file at the path given with -o.") from None
    except OSError:
        raise _WrongAnswer("What the script wrote with -o is no regular file.") from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        raise _WrongAnswer("What the script wrote with -o is no regular file.")
    with open(descriptor, "rb") as file:
        text = file.read(MAX_FILE_BYTES + 1)
    if len(text) > MAX_FILE_BYTES:
        raise _WrongAnswer("The script wrote more than 1 MiB.")
    return text


def _numbers(text: bytes) -> ScriptNumbers:
    try:
        answer = parse_json(text)
    except InvalidJSON as error:
        reason = f"What the script wrote cannot be used: {error.place or 'it'} {error.message}."
        raise _WrongAnswer(reason) from None
    if not isinstance(answer, dict) or not 1 <= len(answer) <= MAX_NUMBERS:
        raise _WrongAnswer(f"The script must write an object of 1 to {MAX_NUMBERS} numbers.")
    for name, value in answer.items():
        _check_number(name, value)
    return answer


def _check_number(name: str, value: object) -> None:
    if not (1 <= len(name) <= MAX_NAME and name.isprintable()):
        raise _WrongAnswer(f"A name must be a text of 1 to {MAX_NAME} characters.")
    if value is not None and type(value) not in (int, float):
        raise _WrongAnswer(f"The value of {name} is no number.")
