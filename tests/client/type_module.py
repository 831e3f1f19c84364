"""Writes `client/podium/types.py` from the OpenAPI schema: `python -m tests.client.type_module`."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

TYPES: Final = Path(__file__).parents[2] / "client" / "podium" / "types.py"
WANTED: Final = ("Me", "Attempt", "Challenge", "Comparison", "Gate", "Import", "Quota")
"""The answers that the client names; what they refer to comes along."""
PLAIN: Final = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}
HEAD: Final = '''"""The JSON of the server. `python -m tests.client.type_module` writes it."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict
'''


def type_module(schemas: Mapping[str, Any]) -> str:
    """The module for the components of an OpenAPI document."""
    names = sorted(_reachable(WANTED, schemas))
    return HEAD + "".join(_class(name, schemas) for name in names)


def _reachable(names: tuple[str, ...], schemas: Mapping[str, Any]) -> set[str]:
    names_so_far: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in names_so_far:
            names_so_far.add(name)
            waiting += _references(schemas[name])
    return {name for name in names_so_far if "properties" in schemas[name]}


def _references(shape: Any) -> Iterator[str]:
    if isinstance(shape, dict):
        if "$ref" in shape:
            yield shape["$ref"].rpartition("/")[2]
        for part in shape.values():
            yield from _references(part)
    elif isinstance(shape, list):
        for part in shape:
            yield from _references(part)


def _class(name: str, schemas: Mapping[str, Any]) -> str:
    shape = schemas[name]
    required = shape.get("required", ())
    fields = {
        field: _type(of, schemas) if field in required else f"NotRequired[{_type(of, schemas)}]"
        for field, of in shape["properties"].items()
    }
    if not all(field.isidentifier() for field in fields):
        raise ValueError(f"{name}: {', '.join(fields)} are no names")
    lines = [f"    {field}: {of}" for field, of in fields.items()]
    about = shape.get("description", "").partition("\n")[0] or "A part of an answer."
    head = f'\n\nclass {name}(TypedDict):\n    """{about}"""\n\n'
    return head + "\n".join(lines) + "\n"


def _type(shape: Mapping[str, Any], schemas: Mapping[str, Any]) -> str:
    options = shape.get("anyOf") or shape.get("oneOf") or shape.get("allOf")
    if "$ref" in shape:
        text = shape["$ref"].rpartition("/")[2]
        text = text if "properties" in schemas[text] else _type(schemas[text], schemas)
    elif options:
        text = " | ".join(dict.fromkeys(_type(option, schemas) for option in options))
    elif "enum" in shape:
        values = [json.dumps(value) for value in shape["enum"] if value is not None]
        text = f"Literal[{', '.join(values)}]" if values else "None"
    elif shape.get("type") == "array":
        text = f"list[{_type(shape.get('items', {}), schemas)}]"
    elif shape.get("type") == "object":
        additional = shape.get("additionalProperties")
        text = f"dict[str, {_type(additional, schemas) if isinstance(additional, dict) else 'Any'}]"
    else:
        text = PLAIN.get(shape.get("type", ""), "Any")
    is_optional = shape.get("nullable") and text != "Any" and not text.endswith("None")
    return f"{text} | None" if is_optional else text


def written_schemas() -> Any:
    """The components of the server's OpenAPI document, as it sends them."""
    from drf_spectacular.generators import SchemaGenerator
    from drf_spectacular.renderers import OpenApiJsonRenderer

    schema = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    return json.loads(OpenApiJsonRenderer().render(schema))["components"]["schemas"]


def write() -> None:
    """Write the module anew, also where Django is not set up."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    import django

    django.setup()
    TYPES.write_text(type_module(written_schemas()), "utf-8")


if __name__ == "__main__":
    write()
