"""Dicts whose names and values this code cannot know: each kind, with the reason.

Every other dict says what it holds: a TypedDict, a model, `dict[str, float]`, or a `JsonObject` if
it is only written. A test refuses `dict[str, Any]` elsewhere.
"""

from typing import Any

PluginSettings = dict[str, Any]
"""The config of a scorer or the parameters of a metric: the plugin declares them."""

SentFields = dict[str, Any]
"""Fields by their names in the API as a client, a form or a file sends them: a schema checks them
afterwards, and its errors name them."""

ColumnValues = dict[str, Any]
"""New values of some columns of a row, by column: whoever sends a change chooses which."""

FormValues = dict[str, Any]
"""The values of a form by its fields, which may depend on a plugin or on the number of rows."""

PageContext = dict[str, Any]
"""What a template reads. Templates are not typed."""

FieldOptions = dict[str, Any]
"""Keyword arguments for a field of a form or for a library, which differ by its class."""

OpenApiShape = dict[str, Any]
"""A part of an OpenAPI document, which drf-spectacular makes and changes."""

FrameworkDict = dict[str, Any]
"""A dict in the signature of a method that Django, Django REST framework, django-allauth, Celery or
Sentry calls."""

ForeignObject = dict[str, Any]
"""An object that another program wrote, such as the claims of a provider, or that a person typed:
its reader checks each value."""
