from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from leaderboard.services.plugins import PluginDescription

JSON_OBJECT = {"type": "object", "nullable": True, "additionalProperties": True}


class PluginErrorSerializer(serializers.Serializer[Any]):
    code = serializers.CharField()
    message = serializers.CharField()


class PluginSerializer(serializers.Serializer[Any]):
    """A plugin as it describes itself, or the error that keeps it from being used."""

    name = serializers.CharField()
    entrypoint = serializers.CharField()
    doc = serializers.CharField(help_text="Markdown.")
    config_schema = serializers.SerializerMethodField()
    defaults = serializers.SerializerMethodField()
    public_details = serializers.BooleanField()
    installed = serializers.SerializerMethodField()
    error = PluginErrorSerializer(allow_null=True)

    @extend_schema_field(JSON_OBJECT)
    def get_config_schema(self, plugin: PluginDescription) -> dict[str, Any] | None:
        """A JSON schema; null for a plugin that does not describe its config."""
        return plugin.config_schema

    @extend_schema_field(JSON_OBJECT)
    def get_defaults(self, plugin: PluginDescription) -> dict[str, Any] | None:
        return plugin.defaults

    def get_installed(self, plugin: PluginDescription) -> bool:
        return plugin.error is None


class PluginsSerializer(serializers.Serializer[Any]):
    scorers = PluginSerializer(many=True)
