"""The YAML configuration of a bundle, read strictly, with a record of the keys that were used."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, date, datetime
from typing import Any, Final

import yaml

from leaderboard.importers.reading.errors import ImportFailed
from leaderboard.importers.reading.source import Source
from leaderboard.rules.texts.messages import message
from leaderboard.rules.texts.quoting import sent

MAX_BYTES: Final = 1 << 20
MAX_NODES: Final = 50_000
DATES: Final = (
    "%m-%d-%Y",
    "%m/%d/%Y",
    "%Y-%m-%d %H:%M:%S",
    "%Y-%m-%d %H:%M",
    "%Y-%m-%d",
    "%B %d, %Y",
    "%B %d %Y",
)
"""Besides ISO 8601. Dates of digits alone begin with the month, as the platforms read them."""


class _Loader(yaml.SafeLoader):
    """Also reads the texts that CodaLab's exports have marked as those of Python 2."""


def _text(loader: _Loader, node: yaml.ScalarNode) -> str:
    return str(loader.construct_scalar(node))


for _kind in ("unicode", "str"):
    _Loader.add_constructor(f"tag:yaml.org,2002:python/{_kind}", _text)


def configuration(source: Source, path: str) -> YamlPart:
    """The configuration of a bundle. Raises ImportFailed, which names the line."""
    text = source.read(path)
    if len(text) > MAX_BYTES:
        raise ImportFailed(message("must be at most 1 MiB; got more"), file=path)
    try:
        value = yaml.load(text, _Loader)  # noqa: S506 - it is a safe one
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", "") or message("it cannot be read")
        raise ImportFailed(
            message("must be YAML; line {line}: {problem}", line=mark.line + 1, problem=problem)
            if mark
            else message("must be YAML; {problem}", problem=problem),
            file=path,
        ) from None
    if not isinstance(value, dict) or _size(value) > MAX_NODES:
        raise ImportFailed(
            message("must be an object with at most {most} values", most=MAX_NODES), file=path
        )
    return YamlPart(value, path)


def keys_that_stand_twice(source: Source, path: str) -> list[str]:
    """The keys that one object has several times; the last one counts, as on the platforms."""
    twice: list[str] = []
    waiting = [yaml.compose(source.read(path), yaml.SafeLoader)]
    visited: set[int] = set()
    while waiting:
        node = waiting.pop()
        if node is None or id(node) in visited:
            continue
        visited.add(id(node))
        if isinstance(node, yaml.MappingNode):
            names = [str(key.value) for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
            twice += (name for name, count in Counter(names).items() if count > 1 and name != "<<")
            waiting += (value for _, value in node.value)
        elif isinstance(node, yaml.SequenceNode):
            waiting += node.value
    return twice


def _size(value: Any) -> int:
    """How many values there are with all aliases written out, up to the limit."""
    count, waiting = 0, [value]
    while waiting and count <= MAX_NODES:
        part = waiting.pop()
        count += 1
        if isinstance(part, dict):
            waiting += part.values()
        elif isinstance(part, list):
            waiting += part
    return count


class YamlPart:
    """An object of the configuration. path: where it is; used: the keys that were asked for."""

    def __init__(self, value: Any, file: str, path: str = "") -> None:
        self.value: dict[Any, Any] = value if isinstance(value, dict) else {}
        self.file, self.path = file, path
        self.used: set[str] = set()
        self.parts: list[YamlPart] = []

    def key(self, name: str) -> str:
        return f"{self.path}.{name}" if self.path else name

    def get(self, name: str) -> Any:
        self.used.add(name)
        return self.value.get(name)

    def text(self, name: str, most: int = 500) -> str:
        value = self.get(name)
        if value is None or isinstance(value, dict | list):
            return ""
        return str(value).strip()[:most]

    def whole(self, name: str) -> int | None:
        value = self.get(name)
        try:
            return None if value is None or value == "" else int(value)
        except (TypeError, ValueError):
            raise self.wrong(name, message("must be a whole number")) from None

    def is_true(self, name: str, otherwise: bool = False) -> bool:
        value = self.get(name)
        return (
            otherwise if value is None else value is True or str(value).lower() in ("true", "yes")
        )

    def moment(self, name: str) -> datetime | None:
        """A date; without a zone it is in UTC."""
        value = self.get(name)
        if value is None or value == "":
            return None
        if isinstance(value, datetime):
            return value if value.tzinfo else value.replace(tzinfo=UTC)
        if isinstance(value, date):
            return datetime(value.year, value.month, value.day, tzinfo=UTC)
        text = str(value).strip()
        try:
            moment = datetime.fromisoformat(text)
        except ValueError:
            moment = next(filter(None, (_parsed(text, form) for form in DATES)), None)  # type: ignore[assignment]
            if moment is None:
                raise self.wrong(
                    name, message("must be a date such as 2026-11-28 or 11-28-2026")
                ) from None
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)

    def part(self, name: str) -> YamlPart:
        return self._inner(self.get(name), name)

    def objects(self, name: str) -> Iterator[YamlPart]:
        """The objects of a list, or of an object by its keys, in their order."""
        value = self.get(name)
        pairs = value.items() if isinstance(value, dict) else enumerate(value or ())
        if not isinstance(value, dict | list | None):
            raise self.wrong(name, message("must be a list"))
        for key, inner in pairs:
            yield self._inner(inner, f"{name}.{key}")

    def unused(self) -> Iterator[str]:
        """The paths of the keys that nobody has asked for, here and in the parts that were."""
        for name in self.value:
            if name not in self.used:
                yield self.key(str(name))
        for part in self.parts:
            yield from part.unused()

    def wrong(self, name: str, text: str) -> ImportFailed:
        return ImportFailed(
            message(
                "{key}: {problem}; got {got}",
                key=self.key(name),
                problem=text,
                got=sent(self.value.get(name)),
            ),
            file=self.file,
        )

    def _inner(self, value: Any, name: str) -> YamlPart:
        part = YamlPart(value, self.file, self.key(name))
        self.parts.append(part)
        return part


def _parsed(text: str, form: str) -> datetime | None:
    try:
        return datetime.strptime(text, form).replace(tzinfo=UTC)
    except ValueError:
        return None
