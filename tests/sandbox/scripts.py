"""Metric scripts as a table: what is run, and the expected result. It needs no pytest, as
`cases`."""

import os
import sys
from pathlib import Path
from typing import NamedTuple

from leaderboard.sandbox import Failure, Sandbox, SandboxSettings
from leaderboard.sandbox.contract import Isolation

LINES = b'{"reward": 1.0}\nnull\n{"reward": 0.5}\n'

SHORT_MS, LONG_MS = 1500, 20_000

_HEAD = """
import json, os, sys
given, asked = sys.argv[2], sys.argv[4]
rows = [json.loads(line) for line in open(given)]
def answer(value):
    with open(asked, "w") as file:
        file.write(value if isinstance(value, str) else json.dumps(value))
"""


class Script(NamedTuple):
    """`expected` is the script's answer, or the failure codes of which one is expected."""

    name: str
    body: str
    expected: dict[str, float | None] | tuple[str, ...]
    message: str = ""
    timeout_ms: int = LONG_MS

    @property
    def text(self) -> str:
        return _HEAD + self.body

    def __str__(self) -> str:
        return self.name


def _answers(name: str, text: str, message: str) -> Script:
    return Script(f"answers {name}", f"answer({text!r})", ("invalid_result",), message)


GOOD = [
    Script(
        "reads its lines",
        "best = rows[0]['reward']\n"
        "answer({'n': len(rows), 'nulls': rows.count(None), 'best': best, 'no': None})",
        {"n": 3, "nulls": 1, "best": 1.0, "no": None},
    ),
    Script(
        "is alone",
        "answer({'modules': sum('site-packages' in path for path in sys.path), "
        "'isolated': sys.flags.isolated})",
        {"modules": 1, "isolated": 1},
    ),
    Script(
        "uses threads",
        "import threading\n"
        "found = []\n"
        "each = [threading.Thread(target=found.append, args=(1,)) for _ in range(8)]\n"
        "[thread.start() for thread in each]; [thread.join() for thread in each]\n"
        "answer({'n': len(found)})",
        {"n": 8},
    ),
    Script("prints a lot", "print('x' * 10**6)\nanswer({'n': 1})", {"n": 1}),
    Script(
        "has nothing of the worker's",
        "answer({'n': len(set(os.environ) & {'SECRET', 'DATABASE_URL', 'SECRET_KEY'})})",
        {"n": 0},
    ),
    Script(
        "writes where it may",
        "open('beside', 'w').write('x')\nanswer({'n': len(os.listdir('.'))})",
        {"n": 2},
    ),
]
BAD = [
    Script("raises", "raise ValueError('got 2 keys')", ("exception",), "ValueError: got 2 keys"),
    Script(
        "tells a path", "open('/var/secret/key')", ("exception",), "No such file or directory: '…'"
    ),
    Script("leaves silently", "os._exit(3)", ("exception",), "exit code 3 and said nothing"),
    Script("leaves", "sys.exit('no data')", ("exception",), "no data"),
    Script(
        "floods and raises", "sys.stderr.write('x' * 10**6 + '\\n')\n1 / 0", ("exception",), "Zero"
    ),
    Script("aborts", "os.abort()", ("crashed",), "SIGABRT"),
    Script("loops", "while True: pass", ("timeout",), "The script took", SHORT_MS),
    Script("sleeps", "import time\ntime.sleep(600)", ("timeout",), "The script took", SHORT_MS),
    Script("takes memory", "x = bytearray(10**10)", ("out_of_memory",), "more memory"),
    Script("writes nothing", "", ("invalid_result",), "wrote no file"),
    Script("makes a folder", "os.mkdir(asked)", ("invalid_result",), "no regular file"),
    Script(
        "writes too much", "answer('[' + '1,' * 600_000 + '1]')", ("invalid_result",), "than 1 MiB"
    ),
    _answers("a list", "[1]", "an object of 1 to 100 numbers"),
    _answers("a number", "1", "an object of 1 to 100 numbers"),
    _answers("nothing", "{}", "an object of 1 to 100 numbers"),
    _answers("no JSON", "mean: 1", "it must be JSON"),
    _answers("NaN", '{"mean": NaN}', "mean must be a finite number"),
    _answers("infinity", '{"mean": 1e999}', "mean must be a finite number"),
    _answers("a name twice", '{"mean": 1, "mean": 2}', "mean must be there once"),
    _answers("a boolean", '{"mean": true}', "mean is no number"),
    _answers("a text", '{"mean": "1"}', "mean is no number"),
    _answers("a list within", '{"mean": [1]}', "mean is no number"),
    _answers("a name of nothing", '{"": 1}', "A name must be"),
]
INTRUDERS = [
    Script("links its answer", "os.symlink('/etc/passwd', asked)", ("exception", "invalid_result")),
    Script("pipes its answer", "os.mkfifo(asked)", ("exception", "invalid_result")),
    Script("connects", "import socket\nsocket.socket()", ("exception",), "PermissionError"),
    Script("forks", "os.fork()", ("exception",), "PermissionError"),
    Script(
        "starts a program",
        "import subprocess\nsubprocess.run([sys.executable, '-c', ''])",
        ("exception",),
        "PermissionError",
    ),
    Script("becomes a program", "os.execv('/bin/true', ['true'])", ("exception",)),
    Script("reads passwords", "open('/etc/passwd')", ("exception",)),
    Script("reads processes", "open('/proc/self/environ')", ("exception",)),
    Script(
        "reads another script",
        "here = os.path.dirname(__file__)\nopen(os.path.join(here, '..', 'other', 'script.py'))",
        ("exception",),
    ),
    Script("changes itself", "open(__file__, 'a')", ("exception",)),
    Script("writes into its environment", "open(sys.prefix + '/evil.pth', 'w')", ("exception",)),
    Script("kills its parent", "os.kill(os.getppid(), 9)", ("exception",), "PermissionError"),
    Script("kills everybody", "os.kill(-1, 9)", ("exception",), "PermissionError"),
    Script(
        "answers by itself",
        '[os.write(number, b\'{"numbers": {"n": 1}}\\n\') for number in (3, 4)]',
        ("exception",),
        "Bad file descriptor",
    ),
]
GROUPS = {"good": GOOD, "bad": BAD, "intruders": INTRUDERS}
ALL = [*GOOD, *BAD, *INTRUDERS]


def folder_of(parent: Path, name: str, text: str) -> Path:
    """Make a folder with a prepared script in `parent` that another user may read."""
    folder = parent / name
    (folder / "env" / "bin").mkdir(parents=True)
    python = os.path.realpath(sys.executable)
    (folder / "env" / "bin" / "python").symlink_to(python)
    (folder / "env" / "pyvenv.cfg").write_text(
        f"home = {os.path.dirname(python)}\ninclude-system-site-packages = false\n"
    )
    library = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    (folder / "env" / "lib" / library / "site-packages").mkdir(parents=True)
    (folder / "script.py").write_text(text)
    return folder


def settings_for(parent: Path, isolation: Isolation = "prefer") -> SandboxSettings:
    program_paths = (str(parent), os.path.realpath(sys.executable))
    return SandboxSettings(
        packages=(), isolation=isolation, preload=(), program_paths=program_paths
    )


def run(sandbox: Sandbox, parent: Path, script: Script) -> dict[str, float | None] | Failure:
    folder = folder_of(parent, script.name.replace(" ", "-"), script.text)
    return sandbox.run_script(str(folder), LINES, timeout_ms=script.timeout_ms)


def problem_with(answer: dict[str, float | None] | Failure, script: Script) -> str:
    """Describe how the result differs from the expected one; "" if it does not."""
    fits = (
        answer.code in script.expected and script.message in answer.message
        if isinstance(answer, Failure)
        else answer == script.expected
    )
    return "" if fits else f"{answer!r} instead of {script.expected!r}"
