from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from leaderboard.predictions.layouts import KINDS
from leaderboard.rules.json.values import JsonObject, JsonSchema
from leaderboard.services.plugins.descriptions import PluginDescription

JSON_OBJECT = {"type": "object", "nullable": True, "additionalProperties": True}


class PluginErrorSerializer(serializers.Serializer[Any]):
    code = serializers.CharField()
    message = serializers.CharField()


class _DescribedSerializer(serializers.Serializer[Any]):
    """What is computed of a plugin, for serializers that name the fields."""

    @extend_schema_field(JSON_OBJECT)
    def get_config_schema(self, plugin: PluginDescription) -> JsonSchema | None:
        """A JSON schema; null for a plugin that does not describe its config."""
        return plugin.config_schema

    @extend_schema_field(JSON_OBJECT)
    def get_defaults(self, plugin: PluginDescription) -> JsonObject | None:
        return plugin.defaults

    def get_installed(self, plugin: PluginDescription) -> bool:
        return plugin.error is None


class PluginSerializer(_DescribedSerializer):
    """A plugin as it describes itself, or the error that keeps it from being used."""

    name = serializers.CharField()
    entrypoint = serializers.CharField()
    doc = serializers.CharField(help_text="Markdown.")
    config_schema = serializers.SerializerMethodField()
    defaults = serializers.SerializerMethodField()
    public_details = serializers.BooleanField()
    installed = serializers.SerializerMethodField()
    error = PluginErrorSerializer(allow_null=True)


class MetricSerializer(_DescribedSerializer):
    """A metric that challenges may name; a K in its name stands for every number."""

    name = serializers.CharField()
    entrypoint = serializers.CharField()
    doc = serializers.CharField(help_text="Markdown.")
    over = serializers.CharField(help_text="What it goes through: `tasks` or `samples`.")
    direction = serializers.ChoiceField(choices=["asc", "desc"], help_text="The better end.")
    unit = serializers.CharField()
    installed = serializers.SerializerMethodField()
    error = PluginErrorSerializer(allow_null=True)


class TextMetricSerializer(_DescribedSerializer):
    """A text metric that challenges and documents may name, with the parameters that it takes."""

    name = serializers.CharField(help_text="Its id, which is matched without regard to case.")
    entrypoint = serializers.CharField()
    doc = serializers.CharField(help_text="Markdown.")
    config_schema = serializers.SerializerMethodField()
    defaults = serializers.SerializerMethodField()
    bounds = serializers.ListField(
        child=serializers.FloatField(allow_null=True),
        allow_null=True,
        help_text="The lowest and the highest value, null where there is none.",
    )
    direction = serializers.ChoiceField(choices=["asc", "desc"], help_text="The better end.")
    directions = serializers.DictField(
        child=serializers.CharField(), help_text="Those of its further numbers."
    )
    ranges = serializers.DictField(
        child=serializers.ListField(child=serializers.FloatField(allow_null=True)),
        help_text="The bounds of further numbers, where they are others.",
    )
    unit = serializers.CharField()
    notes = serializers.DictField(
        child=serializers.DictField(child=serializers.CharField()),
        help_text="What stands beside its values, by parameter and the parameter's value.",
    )
    supervised = serializers.BooleanField(help_text="Whether it compares with references.")
    install = serializers.CharField(help_text="The line that installs what it needs, if any.")
    installed = serializers.SerializerMethodField()
    error = PluginErrorSerializer(allow_null=True)


class PredictionMetricSerializer(_DescribedSerializer):
    """A metric that compares predictions with a truth, with the parameters that it takes."""

    name = serializers.CharField(help_text="Its id, which is matched without regard to case.")
    entrypoint = serializers.CharField()
    doc = serializers.CharField(help_text="Markdown.")
    rows = serializers.CharField(help_text="What a row of predictions is: " + ", ".join(KINDS))
    config_schema = serializers.SerializerMethodField()
    defaults = serializers.SerializerMethodField()
    bounds = serializers.ListField(
        child=serializers.FloatField(allow_null=True),
        allow_null=True,
        help_text="The lowest and the highest value, null where there is none.",
    )
    direction = serializers.ChoiceField(choices=["asc", "desc"], help_text="The better end.")
    unit = serializers.CharField()
    install = serializers.CharField(help_text="The line that installs what it needs, if any.")
    installed = serializers.SerializerMethodField()
    error = PluginErrorSerializer(allow_null=True)


class ImporterSerializer(serializers.Serializer[Any]):
    """A format of result files."""

    name = serializers.CharField(source="key")
    label = serializers.CharField()  # type: ignore[assignment]
    doc = serializers.CharField(source="accepts", help_text="Which files it is made for.")
    installed = serializers.BooleanField(default=True)


class PluginsSerializer(serializers.Serializer[Any]):
    scorers = PluginSerializer(many=True)
    metrics = MetricSerializer(many=True)
    text_metrics = TextMetricSerializer(many=True)
    prediction_metrics = PredictionMetricSerializer(many=True)
    importers = ImporterSerializer(many=True)
