from __future__ import annotations

from typing import Any

from rest_framework import serializers

from leaderboard.api.fields import JsonText, StrictSerializer
from leaderboard.api.serializers.files import ChallengeFileSerializer
from leaderboard.api.serializers.plugin import PluginErrorSerializer


class NewPluginsSerializer(StrictSerializer):
    """The plugins of a challenge, as organisers upload them or take them from another one."""

    file = serializers.FileField(
        required=False, help_text="A Python file, or a zip file of up to 1 MiB."
    )
    source = JsonText(  # type: ignore[assignment]
        required=False,
        help_text="In place of `file`: the slug of a challenge whose plugins are taken over.",
    )
    also = JsonText(
        required=False,
        allow_blank=True,
        help_text="Slugs of challenges with the same plugins, which get the new ones too; with"
        " commas between them.",
    )


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


class OtherPluginsSerializer(serializers.Serializer[Any]):
    """The plugins of another challenge of the tenant."""

    challenge = serializers.CharField(source="challenge.slug", help_text="Its slug.")
    name = serializers.CharField(source="challenge.name", help_text="Its name.")
    file = ChallengeFileSerializer()
    contents = serializers.ListField(
        source="names",
        child=serializers.CharField(),
        help_text="The paths of its files; empty while they cannot be read.",
    )
    same = serializers.BooleanField(
        help_text="Whether they are the same files as those of the challenge itself."
    )


class OtherPluginsListSerializer(serializers.Serializer[Any]):
    """The plugins of the other challenges of the tenant that the reader may configure."""

    results = OtherPluginsSerializer(many=True)
