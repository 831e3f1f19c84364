"""A child of the zygote, from its fork to its end: it drops its rights, then does one job.

The first line of the request pipe is the job, `{"verb": ...}`; the rest depends on the verb. The
first line of the answer pipe names the layers in force; after it the host starts its clock.
"""

import _signal  # type: ignore[import-not-found]
import fcntl
import gc
import json
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from types import ModuleType
from typing import Any, BinaryIO, NoReturn

from leaderboard.sandbox.child import (
    attacks,
    commands,
    evaluating,
    measuring,
    plugins,
    positions,
    predicting,
    programs,
    scoring,
    shipped,
)
from leaderboard.sandbox.child.challenge_services import ServicesFinder
from leaderboard.sandbox.child.rehearsal import rehearse
from leaderboard.sandbox.server.children import Children
from leaderboard.sandbox.server.confinement import Confinement

REQUESTS, ANSWERS = 3, 4
_MORE_THAN_THE_ZYGOTE_HAS = 1024

_forgotten: list[ModuleType] = []
"""Modules that are hidden from plugins. They stay referenced, as other modules still use them."""

_Write = Callable[[str], None]

VERBS: dict[str, Callable[[Any, BinaryIO, _Write], None]] = {
    "score": scoring.answer_scores,
    "modules": plugins.answer_modules,
    "describe": plugins.answer_descriptions,
    "check_config": plugins.answer_config_check,
    "estimate": measuring.answer_estimate,
    "evaluate": evaluating.answer_evaluations,
    "table": predicting.answer_table,
    "predict": predicting.answer_predictions,
    "script": programs.answer_script,
    "command": commands.answer_command,
    "attack": attacks.answer_attack,
}
"""The functions that do the jobs of `sandbox.jobs`, by the verb of the job."""

# Exit codes: an error before the job; an error in our code during the job, caused by the plugin.
_HOST_FAULT, _BROKEN = 70, 71


def import_once() -> None:
    """In the fork server: import the product's modules that children need, and note their files."""
    with suppress(ImportError):
        measuring.intervals()
    with suppress(ImportError, plugins.LoadFailed):
        predicting.tools()
    shipped.note_stamps()
    rehearse()


def find_plugins() -> None:
    """In a zygote: leave no module of the product imported that a plugin could find."""
    sys.meta_path.append(ServicesFinder())
    shipped.forget_unless_found()
    own = [name for name in sys.modules if name.partition(".")[0] == "leaderboard"]
    _forgotten.extend(map(sys.modules.pop, own))


def live(
    confinement: Confinement,
    work: str,
    pipes: list[int],
    cpu_seconds: int,
    program: str | None,
) -> NoReturn:
    """Run the child. Does not return; the process ends without the interpreter's own cleanup.

    program: the folder of the one program that it may start, if any.
    """
    end = os._exit
    try:
        confinement.join_group()
        _prepare(pipes, confinement.ruleset)
        confinement.confine(work, cpu_seconds, program)
        write_line(confinement.ready_line())
    except BaseException:
        sys.excepthook(*sys.exc_info())
        end(_HOST_FAULT)
    try:
        _do_job()
    except BaseException:
        end(_BROKEN)
    end(0)


def _prepare(pipes: list[int], ruleset: int | None) -> None:
    _arrange_descriptors(pipes, ruleset or _MORE_THAN_THE_ZYGOTE_HAS)
    _forget_zygote()


def _arrange_descriptors(pipes: list[int], kept: int) -> None:
    """Set the descriptors: 0 is empty, 1 and 2 output, 3 requests, 4 answers.

    Closes all others except `kept`.
    """
    requests, answers, output = (fcntl.fcntl(pipe, fcntl.F_DUPFD, ANSWERS + 1) for pipe in pipes)
    null = os.open(os.devnull, os.O_RDONLY)
    for source, target in (
        (null, 0),
        (output, 1),
        (output, 2),
        (requests, REQUESTS),
        (answers, ANSWERS),
    ):
        os.dup2(source, target, inheritable=False)
    os.closerange(ANSWERS + 1, kept)
    os.closerange(kept + 1, _MORE_THAN_THE_ZYGOTE_HAS)


def _forget_zygote() -> None:
    os.setsid()
    _signal.set_wakeup_fd(-1)
    _signal.signal(_signal.SIGCHLD, _signal.SIG_DFL)  # without the enumerations of `signal`
    gc.enable()


def _do_job() -> None:
    requests = os.fdopen(REQUESTS, "rb", closefd=False)
    job = json.loads(requests.readline())
    if job["verb"] not in ("script", "command"):  # these are processes of their own
        positions.watch(job.get("seconds"))
    VERBS[job["verb"]](job, requests, write_line)


def write_line(text: str, write: Callable[[int, memoryview], int] = os.write) -> None:
    """Write a whole line to the answer pipe.

    Keeps its own `write`: a plugin may replace it in `os`.
    """
    rest = memoryview(text.encode() + b"\n")
    while rest:
        rest = rest[write(ANSWERS, rest) :]


CHILDREN = Children(import_once, find_plugins, live)
