"""Scorers that end or break their process."""

import ctypes
import os
import signal
import sys
from typing import Any

Json = dict[str, Any]


class OsExit:
    def score(self, metrics: Json, config: Json, ctx: Json) -> Json:
        os._exit(0)


class SysExit:
    def score(self, metrics: Json, config: Json, ctx: Json) -> Json:
        sys.exit(3)


class Segfault:
    def score(self, metrics: Json, config: Json, ctx: Json) -> Json:
        ctypes.string_at(0)
        return {"score": 1}


class Aborts:
    def score(self, metrics: Json, config: Json, ctx: Json) -> Json:
        os.abort()


class KillsItself:
    def score(self, metrics: Json, config: Json, ctx: Json) -> Json:
        os.kill(os.getpid(), signal.SIGKILL)
        return {"score": 1}


class Interrupts:
    def score(self, metrics: Json, config: Json, ctx: Json) -> Json:
        raise KeyboardInterrupt


class Raises:
    """Raises an error whose text has a path and a secret, which participants must not see."""

    def score(self, metrics: Json, config: Json, ctx: Json) -> Json:
        raise FileNotFoundError("/srv/secret/token=hunter2")


class RaisesNonsense:
    """An exception whose text cannot be read: `str()` of it fails."""

    def score(self, metrics: Json, config: Json, ctx: Json) -> Json:
        raise Unprintable


class Unprintable(BaseException):
    def __str__(self) -> str:
        raise SystemExit

    __repr__ = __str__


class Recurses:
    def score(self, metrics: Json, config: Json, ctx: Json) -> Json:
        return self.score(metrics, config, ctx)


class MemoryBomb:
    def score(self, metrics: Json, config: Json, ctx: Json) -> Json:
        held = []
        while True:
            held.append(bytearray(50_000_000))


class SwallowedMemoryBomb:
    """Uses up all memory, swallows the error, and goes on."""

    def score(self, metrics: Json, config: Json, ctx: Json) -> Json:
        held: list[bytearray] = []
        try:
            while True:
                held.append(bytearray(10_000_000))
        except MemoryError:
            held.clear()
        return {"score": 2}


class WritesTooMuch:
    def score(self, metrics: Json, config: Json, ctx: Json) -> Json:
        with open("big", "wb") as file:
            for _ in range(200):
                file.write(bytes(1 << 20))
        return {"score": 1}
