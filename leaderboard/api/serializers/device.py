from __future__ import annotations

from typing import Any

from django.core.validators import RegexValidator
from rest_framework import serializers

from leaderboard.api.fields import JsonText, StrictSerializer
from leaderboard.models.api_token import SCOPES
from leaderboard.services.tokens import MAX_NAME


class NewDeviceSerializer(StrictSerializer):
    """A program that asks for a token."""

    name = JsonText(
        max_length=MAX_NAME,
        allow_blank=True,
        validators=[RegexValidator(r"^[^\x00-\x1f\x7f]*$")],
        default="",
        help_text="What the program calls itself.",
    )
    scopes = serializers.ListField(
        child=serializers.ChoiceField(choices=SCOPES),
        default=["read", "submit"],
        min_length=1,
        max_length=len(SCOPES),
        help_text="What it asks for; its user may allow less.",
    )


class DeviceSerializer(serializers.Serializer[Any]):
    """The codes of a login, as RFC 8628 names them."""

    device_code = serializers.CharField(help_text="For the program; keep it secret.")
    user_code = serializers.CharField(help_text="For the user, who types it into the page.")
    verification_uri = serializers.CharField(help_text="The address of the page.")
    verification_uri_complete = serializers.CharField(help_text="The same with the code.")
    expires_in = serializers.IntegerField(help_text="The seconds until the codes expire.")
    interval = serializers.IntegerField(help_text="The seconds to wait between two questions.")


class DeviceCodeSerializer(StrictSerializer):
    """A question whether the user has agreed."""

    device_code = JsonText(max_length=100, help_text="That of the login.")


class DeviceTokenSerializer(serializers.Serializer[Any]):
    """The token, which is shown only once."""

    access_token = serializers.CharField(help_text="The text of the token.")
    token_type = serializers.CharField(help_text="`Bearer`.")
    scopes = serializers.ListField(child=serializers.CharField(), help_text="What it allows.")
