"""Scorers that never return."""

import atexit
import signal
import threading
import time
from typing import Any, NoReturn

Json = dict[str, Any]


class Loop:
    def score(self, metrics: Json, config: Json, ctx: Json) -> Json:
        while True:
            pass


class SwallowingLoop:
    def score(self, metrics: Json, config: Json, ctx: Json) -> Json:
        while True:
            try:
                while True:
                    pass
            except BaseException:
                continue


class LoopInC:
    """Holds the interpreter's lock and never checks for signals."""

    def score(self, metrics: Json, config: Json, ctx: Json) -> Json:
        return {"score": sum(range(10**13))}


class Sleeps:
    def score(self, metrics: Json, config: Json, ctx: Json) -> Json:
        time.sleep(3600)
        return {"score": 1}


class IgnoresSignals:
    def score(self, metrics: Json, config: Json, ctx: Json) -> Json:
        for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
            signal.signal(number, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_SETMASK, signal.valid_signals())
        while True:
            time.sleep(3600)


class StopsItself:
    """Sends itself SIGSTOP: it is alive, but reacts to nothing except SIGKILL."""

    def score(self, metrics: Json, config: Json, ctx: Json) -> Json:
        signal.raise_signal(signal.SIGSTOP)
        while True:
            time.sleep(3600)


class Deadlocks:
    def score(self, metrics: Json, config: Json, ctx: Json) -> Json:
        lock = threading.Lock()
        lock.acquire()
        lock.acquire()
        return {"score": 1}


class HangsWhenBuilt:
    def __init__(self) -> None:
        time.sleep(3600)

    def score(self, metrics: Json, config: Json, ctx: Json) -> Json:
        return {"score": 1}


class HangsAtExit:
    """Returns a score, then blocks at exit: the score must not wait for the exit."""

    def score(self, metrics: Json, config: Json, ctx: Json) -> Json:
        atexit.register(_sleep)
        threading.Thread(target=_sleep).start()
        return {"score": 5}


def _sleep() -> NoReturn:
    while True:
        time.sleep(3600)
