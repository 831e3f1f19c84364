"""End the worker process that loads this by `--include` at the point that a test chooses.

Point 2n is just before, 2n + 1 just after the n-th write of a task: a statement that changes the
database outside of a transaction, or a commit. The folder FAULT_POINTS holds a file named like the
chosen point. The process that reaches the point removes the file, so that it happens once.
"""

import os
import re
import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from celery.signals import task_prerun
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper

TASKS = ("score_attempt", "score_waiting")
WRITE = re.compile(
    r"\s*(INSERT|UPDATE|DELETE)\b|\s*WITH\b.*\b(INSERT INTO|UPDATE leaderboard_|DELETE FROM)",
    re.DOTALL,
)
_passed: list[str] = []
_chosen: Path | None = None


@task_prerun.connect
def _begin(task: Any = None, **_: Any) -> None:
    global _chosen
    is_counted = task is not None and task.name.endswith(TASKS)
    _chosen = next(Path(os.environ["FAULT_POINTS"]).iterdir(), None) if is_counted else None
    _passed.clear()


def _point(what: str) -> None:
    if _chosen is None:
        return
    if len(_passed) == int(_chosen.name):
        with suppress(FileNotFoundError):  # another process was here first
            _chosen.unlink()
            os.kill(os.getpid(), signal.SIGKILL)
    _passed.append(what)


def _around(what: str, call: Callable[..., Any], *given: Any) -> Any:
    _point(f"before {what}")
    answer = call(*given)
    _point(f"after {what}")
    return answer


def _commit(self: BaseDatabaseWrapper) -> None:
    _around("commit", _real_commit, self)


def _execute(self: CursorWrapper, sql: Any, params: Any = None) -> Any:
    if not self.db.in_atomic_block and (write := WRITE.match(str(sql))):
        return _around(write[1] or write[2], _real_execute, self, sql, params)
    return _real_execute(self, sql, params)


_real_commit = BaseDatabaseWrapper.commit
_real_execute = CursorWrapper.execute
BaseDatabaseWrapper.commit = _commit  # type: ignore[method-assign]
CursorWrapper.execute = _execute  # type: ignore[method-assign]
