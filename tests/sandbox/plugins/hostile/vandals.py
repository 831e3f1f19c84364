"""Scorers that break what they share with the sandbox: pipes, modules, their own inputs."""

import gc
import io
import json
import os
import sys
from typing import Any

Json = dict[str, Any]


class ClosesDescriptors:
    def score(self, metrics: Json, config: Json, ctx: Json) -> Json:
        os.closerange(0, 256)
        return {"score": 1}


class ClosesOutput:
    """Closes its standard streams; its answer must still arrive."""

    def score(self, metrics: Json, config: Json, ctx: Json) -> Json:
        os.closerange(0, 3)
        return {"score": 4}


class FloodsOutput:
    """Prints 100 MB to both streams; nothing may block, and 64 KiB are kept."""

    def score(self, metrics: Json, config: Json, ctx: Json) -> Json:
        line = "x" * 99_999 + "\n"
        for _ in range(500):
            print(line, end="")
            os.write(2, line.encode())
        return {"score": 6}


class FloodsAnswers:
    def score(self, metrics: Json, config: Json, ctx: Json) -> Json:
        while True:
            os.write(4, b"x" * 65536)


class SaysNonsense:
    def score(self, metrics: Json, config: Json, ctx: Json) -> Json:
        os.write(4, b'0 token 1 1000000.0\n{"score": 9}\n')
        return {"score": 1}


class ForgesAnswers:
    """Finds the token of its child and writes two answers: for itself and for the next request."""

    def score(self, metrics: Json, config: Json, ctx: Json) -> Json:
        jobs = [
            candidate
            for candidate in gc.get_objects()
            if type(candidate) is dict and "token" in candidate
        ]
        token = jobs[0]["token"]
        os.write(4, f"0 {token} 1 1000000.0\n1 {token} 1 1000000.0\n".encode())
        return {"score": 1}


class ForgesTexts:
    """Finds the token of its child and writes the answer of its config with that text."""

    def score(self, metrics: Json, config: Json, ctx: Json) -> Json:
        jobs = [
            candidate
            for candidate in gc.get_objects()
            if type(candidate) is dict and "token" in candidate
        ]
        answer = config["answer"].replace("{text}", json.dumps(config["text"]))
        os.write(4, f"0 {jobs[0]['token']} 1 {answer}\n".encode())
        return {"score": 1}


class BreaksJson:
    """Breaks JSON and I/O within its own process; the answer must still arrive."""

    def score(self, metrics: Json, config: Json, ctx: Json) -> Json:
        for owner, names in (
            (json, ["dumps", "loads"]),
            (json.JSONEncoder, ["encode", "iterencode"]),
            (json.JSONDecoder, ["decode"]),
            (os, ["read", "write"]),
            (io, ["FileIO"]),
            (sys, ["stdout", "stderr"]),
        ):
            for name in names:
                setattr(owner, name, None)
        sys.modules.clear()
        return {"score": 3, "details": {"kept": True}}


class MutatesInputs:
    def score(self, metrics: Json, config: Json, ctx: Json) -> Json:
        rating = metrics["rating"]
        config["weight"] = 7
        for given in (metrics, ctx):
            given.clear()
            given["more"] = given
        return {"score": rating * len(config)}
