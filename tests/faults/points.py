"""End the worker that loads this by `--include` around the write that FAULT_POINT counts.

Point 2n is just before, 2n + 1 just after the n-th write of a task: a statement that changes the
database outside of a transaction, or a commit. It happens once: the file FAULT_MARK records that it
has happened.
"""

import os
import re
import signal
from collections.abc import Callable
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
_is_counting = False


@task_prerun.connect
def _begin(task: Any = None, **_: Any) -> None:
    global _is_counting
    _is_counting = task is not None and task.name.endswith(TASKS)
    _passed.clear()


def _point(what: str) -> None:
    mark = Path(os.environ["FAULT_MARK"])
    if _is_counting and not mark.exists():
        if len(_passed) == int(os.environ["FAULT_POINT"]):
            mark.write_text(what)
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
