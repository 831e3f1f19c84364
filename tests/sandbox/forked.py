"""Run code in a forked child, which may give up rights."""

import os
import traceback
from collections.abc import Callable


def in_child(act: Callable[[], None]) -> int:
    """Run `act` in a forked child; return 0 if it returned, else as subprocess.returncode."""
    pid = os.fork()
    if pid == 0:
        try:
            act()
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
