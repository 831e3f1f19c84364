"""Types of JSON that somebody else defines."""

from collections.abc import Mapping
from typing import Any

JsonObject = dict[str, object]
"""An object with names and values of somebody's own choice; a reader checks a value's type."""

JsonSchema = Mapping[str, Any]
"""The JSON schema of a plugin's config, as the plugin gives it."""
