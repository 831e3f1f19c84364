"""YAML 1.2 with its core schema: `no` and `12:30` are texts, and a name is given once."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

import yaml

from podium.errors import WrongUse

TAG: Final = "tag:yaml.org,2002:"
CORE: Final = (
    ("null", r"~|null|Null|NULL|", "~nN"),
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("int", r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+", "-+0123456789"),
    ("float", r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", "-+.0123456789"),
)
"""The plain scalars of the core schema, the first match counts; infinity and NaN are texts."""


class _Loader(yaml.SafeLoader):
    yaml_implicit_resolvers: dict[Any, Any] = {}

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        """A mapping whose names are texts, each given once."""
        names: set[Any] = set()
        for key, _value in node.value:
            name = self.construct_object(key, deep=True)
            line = key.start_mark.line + 1
            if not isinstance(name, str):
                raise WrongUse(f"line {line}: must be a text, in quotes; got {name!r}")
            if name in names:
                raise WrongUse(f"line {line}: must be given once; got another {name}")
            names.add(name)
        mapping: dict[Any, Any] = super().construct_mapping(node, deep)
        return mapping

    def whole_number(self, node: Any) -> int:
        text = node.value.lower()
        return int(text, {"0o": 8, "0x": 16}.get(text[:2], 10))

    def number(self, node: Any) -> float:
        return float(node.value)


class _Dumper(yaml.SafeDumper):
    """Quotes what YAML 1.1 or 1.2 would read as something else than a text."""

    yaml_implicit_resolvers = {
        key: list(value) for key, value in yaml.SafeDumper.yaml_implicit_resolvers.items()
    }

    def ignore_aliases(self, data: Any) -> bool:
        return True

    def text(self, data: str) -> Any:
        style = "|" if "\n" in data and not re.search(r"[ \t]\n|[^\S\n]$", data) else None
        return self.represent_scalar(f"{TAG}str", data, style)


for _name, _pattern, _first in CORE:
    for _kind in (_Loader, _Dumper):
        _kind.add_implicit_resolver(
            TAG + _name, re.compile(rf"^(?:{_pattern})$"), [*_first, ""][: len(_first) + 1]
        )
_Loader.add_constructor(f"{TAG}int", _Loader.whole_number)
_Loader.add_constructor(f"{TAG}float", _Loader.number)
_Dumper.add_representer(str, _Dumper.text)


def read_yaml(path: Path) -> dict[str, Any]:
    """The mapping in a file. Raises WrongUse with the line of what is wrong."""
    try:
        value = yaml.load(path.read_text("utf-8"), _Loader)  # noqa: S506 - a SafeLoader
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise WrongUse(f"{path.name}: {' '.join(str(error).split())}") from None
    except WrongUse as error:
        raise WrongUse(f"{path.name}: {error}") from None
    if not isinstance(value, dict):
        raise WrongUse(f"{path.name}: must be names with values; got {type(value).__name__}")
    return value


def yaml_text(value: Any) -> str:
    """A value as YAML, with its names in their order."""
    text: str = yaml.dump(
        value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100, indent=2
    )
    return text
