"""Types of JSON whose fields Podium does not define."""

from collections.abc import Mapping
from typing import Any

JsonObject = dict[str, object]
"""An object with arbitrary names and values. Code that reads a value has to check its type."""

JsonSchema = Mapping[str, Any]
"""The JSON schema of a plugin's config, as the plugin gives it."""
