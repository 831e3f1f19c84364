"""Well-behaved scorers, to be called right after a hostile one."""

import asyncio
import os
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any, ClassVar

Json = dict[str, Any]


class Good:
    """Scores ten times the rating."""

    def score(self, metrics: Json, config: Json, ctx: Json) -> Json:
        return {"score": metrics["rating"] * 10, "details": {"rating": metrics["rating"]}}


class Counts:
    """Scores how often this process has scored: it keeps state, as a scorer should not."""

    calls = 0

    def score(self, metrics: Json, config: Json, ctx: Json) -> Json:
        Counts.calls += 1
        return {"score": Counts.calls}


class Prints:
    """Prints the text in its config to both streams, then scores."""

    def score(self, metrics: Json, config: Json, ctx: Json) -> Json:
        print("out", metrics["rating"])
        print("err", metrics["rating"], file=sys.stderr)
        return {"score": metrics["rating"]}


class Echoes:
    """Returns what it was called with."""

    def score(self, metrics: Json, config: Json, ctx: Json) -> Json:
        return {"score": 1, "details": {"metrics": metrics, "config": config, "ctx": ctx}}


class UsesItsRights:
    """Uses all that a scorer may use: threads, an event loop, temporary files, late imports."""

    def score(self, metrics: Json, config: Json, ctx: Json) -> Json:
        numbers: list[int] = []
        thread = threading.Thread(target=numbers.append, args=[asyncio.run(_two())])
        thread.start()
        thread.join()
        with tempfile.NamedTemporaryFile("w+", encoding="utf-8") as file:
            file.write("3")
            file.seek(0)
            numbers.append(int(file.read()))
        Path("kept").mkdir()
        import sqlite3
        import zoneinfo

        numbers.append(sqlite3.connect(":memory:").execute("select 4").fetchone()[0])
        zoneinfo.ZoneInfo("Europe/Berlin")
        return {"score": sum(numbers), "details": {"cwd": os.getcwd(), "files": os.listdir()}}


async def _two() -> int:
    await asyncio.sleep(0)
    return 2


class Declares:
    """Describes its config by defaults."""

    name = "A scorer with defaults"
    public_details = True
    defaults: ClassVar[Json] = {
        "weight": 1.5,
        "rounds": 3,
        "strict": False,
        "word": "a",
        "any": None,
    }

    def score(self, metrics: Json, config: Json, ctx: Json) -> Json:
        return {"score": config["weight"] * config["rounds"], "details": config}


class _Hidden:
    def score(self, metrics: Json, config: Json, ctx: Json) -> Json:
        return {"score": 1}
