"""Parsers of request bodies: strict JSON or files, within size limits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO, Any

from django.utils.translation import gettext as _
from rest_framework.parsers import BaseParser, MultiPartParser

from leaderboard.api.bodies import (
    MAX_BYTES,
    MAX_BYTES_OF_TEXTS,
    MAX_LARGE_BYTES,
    MAX_PARTS_OF_LARGE,
    attempt_value,
    check_declared_length,
    json_value,
    read_body,
)
from leaderboard.rules.json.strict import MAX_PARTS
from leaderboard.services.errors import invalid

MAX_BYTES_OF_CHALLENGE = 2 * 1024 * 1024
MAX_FILE_BYTES = 64 * 1024 * 1024


class DocumentParser(BaseParser):
    """`application/json` of at most 16 MiB, unparsed, because an importer reads it."""

    media_type = "application/json"
    most = MAX_LARGE_BYTES

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        return self.value_of(read_body(stream, media_type, parser_context, self.most))

    def value_of(self, body: bytes) -> Any:
        return body


class StrictJSONParser(DocumentParser):
    """`application/json`: a value as `parse_json` accepts it, of at most 256 KiB."""

    most = MAX_BYTES

    def value_of(self, body: bytes) -> Any:
        return json_value(body, MAX_PARTS)[0]


class ChallengeParser(StrictJSONParser):
    """`application/json` of at most 2 MiB, because a challenge may have thousands of tasks."""

    most = MAX_BYTES_OF_CHALLENGE


class ManyParser(StrictJSONParser):
    """`application/json` of at most 16 MiB, for a list of thousands of small objects."""

    most = MAX_LARGE_BYTES


class AttemptParser(DocumentParser):
    """`application/json`: an attempt of at most 256 KiB, 16 MiB with samples, 64 with texts."""

    most = MAX_BYTES_OF_TEXTS

    def value_of(self, body: bytes) -> Any:
        return attempt_value(body, MAX_PARTS_OF_LARGE)[0]


class InstancesParser(DocumentParser):
    """`application/json` of at most 64 MiB, unparsed."""

    most = MAX_BYTES_OF_TEXTS


class InstanceLinesParser(InstancesParser):
    """Instances, one per line, of at most 64 MiB, unparsed."""

    media_type = "application/x-ndjson"


class InstanceTableParser(InstancesParser):
    """Instances as a table of at most 64 MiB, unparsed."""

    media_type = "text/csv"


class PieceParser(DocumentParser):
    """A piece of a large file, of at most 32 MiB."""

    media_type = "application/octet-stream"
    most = 32 * 1024 * 1024


class FileParser(MultiPartParser):
    """`multipart/form-data` with files of at most 64 MiB together."""

    def parse(
        self,
        stream: Any,
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        check_declared_length(parser_context, MAX_FILE_BYTES + MAX_BYTES)
        parsed = super().parse(stream, media_type, parser_context)
        for name, parts in (*parsed.data.lists(), *parsed.files.lists()):
            if len(parts) > 1:
                text = _("must be given once; got {count} parts")
                raise invalid(name, text.format(count=len(parts)))
        return parsed
