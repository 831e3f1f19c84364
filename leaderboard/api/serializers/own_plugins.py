from __future__ import annotations

from typing import Any

from rest_framework import serializers

from leaderboard.api.fields import StrictSerializer
from leaderboard.api.serializers.files import ChallengeFileSerializer
from leaderboard.api.serializers.plugin import PluginErrorSerializer


class NewPluginsSerializer(StrictSerializer):
    """The plugins of a challenge, as organisers upload them."""

    file = serializers.FileField(help_text="A Python file, or a zip file of up to 1 MiB.")


class OwnPluginErrorSerializer(PluginErrorSerializer):
    """Why a plugin of the challenge cannot be used."""

    detail = serializers.CharField(help_text="The traceback; empty without one.")


class OwnPluginSerializer(serializers.Serializer[Any]):
    """A plugin of the challenge, or a module that cannot be loaded."""

    kind = serializers.ChoiceField(choices=["scorer", "metric", "text_metric"])
    name = serializers.CharField(
        source="description.name", help_text="How `metrics` and `text_metrics` name it."
    )
    entrypoint = serializers.CharField(
        source="description.entrypoint", help_text="How `scoring_entrypoint` names a scorer."
    )
    doc = serializers.CharField(source="description.doc", help_text="Markdown.")
    error = OwnPluginErrorSerializer(source="description.error", allow_null=True)


class PluginFileSerializer(serializers.Serializer[Any]):
    """A file of an upload."""

    name = serializers.CharField(help_text="Its path.")
    size = serializers.IntegerField(help_text="Bytes.")


class OwnPluginsSerializer(serializers.Serializer[Any]):
    """The plugins that a challenge has of its own."""

    file = ChallengeFileSerializer()
    contents = PluginFileSerializer(many=True, help_text="What is in the file.")
    plugins = OwnPluginSerializer(many=True, help_text="Those that its modules define.")
