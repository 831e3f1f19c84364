"""Scorers that try to reach what is forbidden. Each scores 1 if it succeeds."""

import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

Json = dict[str, Any]


class ForkBomb:
    def score(self, metrics: Json, config: Json, ctx: Json) -> Json:
        while True:
            os.fork()


class Daemon:
    """Leaves a process behind that has left its session and its parent."""

    def score(self, metrics: Json, config: Json, ctx: Json) -> Json:
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                for number in range(64):
                    try:
                        os.close(number)
                    except OSError:
                        continue
                time.sleep(3600)
            os._exit(0)
        os.wait()
        return {"score": 1}


class RunsProgram:
    def score(self, metrics: Json, config: Json, ctx: Json) -> Json:
        subprocess.run([sys.executable, "-c", ""], check=True)
        return {"score": 1}


class Connects:
    def score(self, metrics: Json, config: Json, ctx: Json) -> Json:
        with socket.socket() as caller:
            caller.settimeout(1)
            caller.connect(("127.0.0.1", 6379))
        return {"score": 1}


class ReadsEnvironment:
    """Returns all environment variables, so that the test can check for forbidden ones."""

    def score(self, metrics: Json, config: Json, ctx: Json) -> Json:
        return {"score": len(os.environ), "details": dict(os.environ)}


class ReadsHostName:
    def score(self, metrics: Json, config: Json, ctx: Json) -> Json:
        return {"score": 1, "details": {"name": socket.gethostname()}}


class ReadsProc:
    def score(self, metrics: Json, config: Json, ctx: Json) -> Json:
        return {"score": 1, "details": {"read": Path("/proc/self/environ").read_text()}}


class ReadsPasswords:
    def score(self, metrics: Json, config: Json, ctx: Json) -> Json:
        return {"score": len(Path("/etc/passwd").read_text())}


class ImportsApplication:
    def score(self, metrics: Json, config: Json, ctx: Json) -> Json:
        import leaderboard.settings  # noqa: F401

        return {"score": 1}


class DeletesFiles:
    """Deletes every file it can reach; it must reach none, its own source included."""

    def score(self, metrics: Json, config: Json, ctx: Json) -> Json:
        for folder in (os.path.dirname(__file__), os.path.dirname(os.__file__)):
            for name in os.listdir(folder):
                path = os.path.join(folder, name)
                if os.path.isfile(path):
                    os.unlink(path)
        return {"score": 1}


class KillsParent:
    def score(self, metrics: Json, config: Json, ctx: Json) -> Json:
        os.kill(os.getppid(), 9)
        return {"score": 1}


class KillsEverybody:
    def score(self, metrics: Json, config: Json, ctx: Json) -> Json:
        os.kill(-1, 9)
        return {"score": 1}
