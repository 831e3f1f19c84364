"""What scorers ordinarily do, run under the filter: a call that is in no list is named.

A call that is in no list is refused, so a library may have continued without it; the test names it
all the same. Calls that are refused on purpose, and that libraries try, are in `TRIED`.
"""

import os
import struct
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from leaderboard.sandbox.host.fork_servers import ENVIRONMENT
from leaderboard.sandbox.server.layers import bpf, seccomp
from leaderboard.sandbox.server.layers.linux import machine
from tests.sandbox.isolation import refused
from tests.sandbox.isolation.notified import ASK, run_notified

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the layers need Linux")


def unlisted(act: Callable[[], None], folder: Path) -> set[str]:
    """Return names of the calls in no list that `act` makes in a child with this working folder."""
    program = seccomp.make_program(machine(), otherwise=bpf.answer(ASK))

    def work() -> None:
        os.chdir(folder)
        act()

    # No process has the id 2**31 - 1: calls on the own process are refused here, which is harmless
    # below.
    program = program.replace(struct.pack("=I", seccomp._ANY_PID), struct.pack("=I", 2**31 - 1))
    names = refused.names(list(seccomp.AUDIT_ARCH).index(machine()))
    return {names.get(call.number, f"call {call.number}") for call in run_notified(work, program)}


def files() -> None:
    import shutil
    import tarfile
    import tempfile
    import zipfile

    Path("a/b").mkdir(parents=True)
    Path("a/b/text").write_text("text")
    Path("a/b/text").rename("a/text")
    shutil.copy("a/text", "copied")
    shutil.copytree("a", "tree")
    with tarfile.open("all.tar", "w") as archive:
        archive.add("tree")
    with tarfile.open("all.tar") as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", None)  # new in Python 3.11.4
        archive.extractall("untarred")
    with zipfile.ZipFile("all.zip", "w", zipfile.ZIP_DEFLATED) as zipped:
        zipped.write("copied")
    with tempfile.TemporaryDirectory(dir=".") as folder:
        (Path(folder) / "file").write_bytes(bytes(100_000))
    with tempfile.TemporaryFile(dir=".") as file:
        file.write(b"x" * 10)
        file.truncate(5)
        os.fsync(file.fileno())
    assert Path("untarred/tree/text").stat().st_size == 4
    assert [entry.name for entry in os.scandir("untarred")] == ["tree"]
    shutil.rmtree("tree")
    os.statvfs(".")
    os.access("copied", os.R_OK)


def databases() -> None:
    import sqlite3

    with sqlite3.connect("db.sqlite3") as database:
        database.execute("create table t (n integer)")
        database.executemany("insert into t values (?)", [(n,) for n in range(1000)])
    with sqlite3.connect("db.sqlite3") as database:
        assert database.execute("select count(*) from t").fetchone() == (1000,)
        database.execute("pragma journal_mode=wal")
        database.execute("delete from t")
        database.execute("vacuum") if not database.in_transaction else None


def threads() -> None:
    import asyncio
    import queue
    import threading
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(lambda n: n * n, range(100))) == 328350
    with pytest.raises(queue.Empty):
        queue.Queue[int]().get(timeout=0.01)
    waited = threading.Condition()
    with waited:
        waited.wait(0.01)

    async def in_turns() -> list[int]:
        async def slept(n: int) -> int:
            await asyncio.sleep(0.001)
            return n

        loop = asyncio.get_running_loop()
        await loop.run_in_executor(None, sum, [1, 2])
        return list(await asyncio.gather(slept(1), slept(2)))

    assert asyncio.run(in_turns()) == [1, 2]


def signals() -> None:
    import select
    import signal
    import time

    signal.signal(signal.SIGALRM, lambda *_: None)
    signal.setitimer(signal.ITIMER_REAL, 0.001)
    time.sleep(0.005)
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
    signal.sigtimedwait([signal.SIGUSR1], 0.001)
    read, written = os.pipe()
    os.write(written, b"x")
    assert select.select([read], [], [], 0)[0] == [read]
    with select.epoll() as events:
        events.register(read)
        assert events.poll(0)


def knowing() -> None:
    import getpass
    import locale
    import platform
    import random
    import resource
    import secrets
    import time
    import uuid

    platform.platform()
    locale.setlocale(locale.LC_ALL, "C")
    random.SystemRandom().random()
    secrets.token_hex()
    uuid.uuid4()
    resource.getrusage(resource.RUSAGE_SELF)
    resource.getrlimit(resource.RLIMIT_AS)
    os.times()
    os.cpu_count()
    os.getloadavg() if os.access("/proc/loadavg", os.R_OK) else None
    os.sched_getaffinity(0)
    os.getgroups()
    time.localtime()
    time.process_time()
    os.environ["USER"] = "somebody"
    getpass.getuser()
    sys.stdout.isatty()


def modules() -> None:
    """Import all modules of the standard library that a scorer might import."""
    import importlib
    import pkgutil
    import warnings

    unfit = {"antigravity", "this", "idlelib", "turtledemo", "turtle", "tkinter", "lib2to3", "test"}
    warnings.simplefilter("ignore")
    for module in pkgutil.iter_modules([os.path.dirname(os.__file__)]):
        if module.name not in unfit and not module.name.startswith("_"):
            try:
                importlib.import_module(module.name)
            except ImportError:  # not built here, or of another system
                continue


def memory() -> None:
    import mmap

    large = bytearray(200 << 20)
    large[-1] = 1
    mapped = mmap.mmap(-1, 1 << 20)
    mapped[:4] = b"here"
    mapped.close()
    Path("mapped").write_bytes(bytes(1 << 16))
    with Path("mapped").open("r+b") as file, mmap.mmap(file.fileno(), 0) as mapped:
        mapped[:4] = b"here"
        mapped.flush()


def numbers() -> None:
    import numpy

    square = numpy.arange(250_000.0).reshape(500, 500)
    numpy.linalg.svd(square @ square.T)
    numpy.fft.fft(square)
    kept = numpy.memmap("kept", dtype=float, mode="w+", shape=(100,))
    kept[:] = 1
    kept.flush()
    numpy.save("saved.npy", square)
    assert numpy.load("saved.npy", mmap_mode="r")[0, 1] == 1
    numpy.random.default_rng().normal(size=1000)


def models() -> None:
    from pydantic import BaseModel, Field

    class Model(BaseModel):
        weight: float = Field(default=1.0, ge=0)

    assert Model(weight=2).model_dump() == {"weight": 2.0}
    Model.model_json_schema()


def texts() -> None:
    os.environ |= ENVIRONMENT  # without it, scikit-learn, which NLTK imports, tries semaphores
    from xml.etree import ElementTree

    import sacrebleu
    from nltk.translate.bleu_score import sentence_bleu
    from rouge_score import rouge_scorer

    assert ElementTree.fromstring("<a><b/></a>").tag == "a"
    assert sentence_bleu([["a", "b", "c", "d"]], ["a", "b", "c", "d"]) == 1
    sacrebleu.corpus_bleu(["the cat sat on the mat"], [["the cat sat on the mat"]])
    scorer: Any = rouge_scorer.RougeScorer(["rougeL"])
    scorer.score("the cat", "the cat")


TRIED = {
    "socket",  # the C library first asks a daemon for names of users
    "vfork",  # `platform` runs a program to get the name of the processor
}


@pytest.mark.parametrize(
    "act",
    [files, databases, threads, signals, knowing, modules, memory, numbers, models, texts],
    ids=lambda act: act.__name__,
)
def test_ordinary_scorers_use_listed_calls_only(act: Callable[[], None], tmp_path: Path) -> None:
    missing = unlisted(act, tmp_path) - TRIED
    assert missing == set(), "in no list of layers/syscalls.py"


def test_a_missing_call_is_named(tmp_path: Path) -> None:
    def act() -> None:
        with pytest.raises(PermissionError):
            os.truncate("here", 0)

    assert unlisted(act, tmp_path) == {"truncate"}
