from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers

from leaderboard.http.links import public_address
from leaderboard.models import Notice
from leaderboard.schemas.choices import NoticeKind
from leaderboard.services.notices.texts import path_of, sentence_of


class NoticeSerializer(serializers.Serializer[Any]):
    """Something that the user is told."""

    id = serializers.UUIDField()
    challenge = serializers.CharField(help_text="Its slug.")
    kind = serializers.ChoiceField([*NoticeKind], help_text="What kind of notice it is.")
    what = serializers.CharField(help_text="What has happened, as a code such as `scored`.")
    text = serializers.CharField(help_text="It in a sentence.")
    url = serializers.CharField(help_text="Where it leads.")
    at = serializers.DateTimeField()
    read_at = serializers.DateTimeField(allow_null=True, help_text="Null while it is unread.")


class NoticePageSerializer(serializers.Serializer[Any]):
    """A page of notices."""

    results = NoticeSerializer(many=True)
    next = serializers.CharField(allow_null=True, help_text="The cursor of the next page.")


class NoticesReadSerializer(serializers.Serializer[Any]):
    """How many notices were marked."""

    read = serializers.IntegerField(help_text="How many were unread until now.")


def notice_json(notice: Notice) -> Mapping[str, object]:
    names = ("id", "kind", "what", "at", "read_at")
    fields = {name: getattr(notice, name) for name in names}
    url = public_address(path_of(notice))
    about = {"challenge": notice.challenge.slug, "text": sentence_of(notice), "url": url}
    return NoticeSerializer(fields | about).data
