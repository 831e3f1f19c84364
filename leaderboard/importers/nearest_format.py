"""Finds the formats that a file of unknown format resembles.

It compares the file with the names and keys in each importer's source, weighted by how few
importers use them.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from math import log
from typing import Any, Final

from leaderboard.importers.reading.errors import ImportFailed
from leaderboard.importers.reading.imports import Importer
from leaderboard.importers.reading.source import Source
from leaderboard.rules.texts.python_sources import parsed

MOST: Final = 2
MAX_KEYS: Final = 500
MAX_NAMES: Final = 500
MAX_TEXT: Final = 80
"""Longer texts of an importer are sentences for people."""
_DEPTH: Final = 3
_WORD: Final = re.compile(r"[A-Za-z0-9_@-]{3,}")


def nearest(source: Source, importers: Sequence[Importer]) -> list[Importer]:
    """Up to two importers, the nearest first; those with nothing in common are left out."""
    evidence = set(_evidence(source))
    words = {importer.key: _words_of(importer) for importer in importers}
    weights = {
        word: log(1 + len(importers) / sum(word in names for names in words.values()))
        for word in evidence
        if any(word in names for names in words.values())
    }
    near = {
        importer.key: sum(weights.get(word, 0.0) for word in words[importer.key])
        for importer in importers
    }
    ordered = sorted(importers, key=lambda importer: (-near[importer.key], importer.key))
    return [importer for importer in ordered[:MOST] if near[importer.key] > 0]


@cache
def _words_of(importer: Importer) -> frozenset[str]:
    """What an importer's file names: its key, what it accepts, and each text in its code."""
    module = sys.modules[importer.reads.__module__]
    texts = [importer.key, importer.label, importer.accepts]
    nodes = ast.walk(parsed(inspect.getsource(module)))
    constants = (node.value for node in nodes if isinstance(node, ast.Constant))
    texts.extend(text for text in constants if isinstance(text, str) and len(text) < MAX_TEXT)
    return frozenset(_words(texts))


def _evidence(source: Source) -> Iterator[str]:
    """Words of the names of files and folders, and the keys of JSON in them.

    For a single file only the ending counts, because clients may choose any name.
    """
    if source.single:
        yield source.label.rpartition(".")[2].casefold()
    else:
        yield from _words(source.names[:MAX_NAMES])
    for part in _documents(source):
        yield from _words(_keys(part, _DEPTH))


def _documents(source: Source) -> Iterator[Any]:
    """JSON values of the file, or of the first file of each kind."""
    if source.single:
        yield from (part.value for part in ([source.document] if source.document else source.rows))
        return
    for ending in (".json", ".jsonl"):
        name = next((file for file in source.names if file.endswith(ending)), "")
        try:
            if name:
                yield from (part.value for part in source.peek(name))
            if name and (part := source.try_json(name)):
                yield part.value
        except ImportFailed:
            continue


def _keys(value: Any, depth: int) -> Iterator[str]:
    """The keys of objects within a value, down to some depth."""
    if isinstance(value, list):
        for item in value[:3]:
            yield from _keys(item, depth)
    elif isinstance(value, dict):
        for key in list(value)[:MAX_KEYS]:
            yield str(key)
            if depth > 1:
                yield from _keys(value[key], depth - 1)


def _words(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        for match in _WORD.finditer(text):
            yield match[0].casefold().replace("_", "-")
        if "." in text:
            yield text.rpartition(".")[2].casefold()
