"""A submitted file in the body of a request, with the other fields of its attempt beside it."""

from __future__ import annotations

import base64
import binascii
import re
from typing import Any, Final
from uuid import UUID

from django.core.files.uploadedfile import UploadedFile
from django.http import QueryDict
from django.utils.translation import gettext as _
from rest_framework.request import Request

from leaderboard.api.bodies import json_value
from leaderboard.api.permissions import user_of
from leaderboard.rules.json.strict import MAX_PARTS
from leaderboard.rules.json.values import JsonObject
from leaderboard.services.attempts.submit import SentFile
from leaderboard.services.errors import invalid
from leaderboard.services.files.uploads import open_upload, own_upload

META: Final = "meta"
FILE: Final = "file"
_DIGEST: Final = re.compile(r"sha-256=:([A-Za-z0-9+/=]{44}):")


def sent_attempt(request: Request) -> tuple[object, SentFile | None]:
    """The fields of an attempt and its file; a body of JSON has no file. Raises ServiceError."""
    body: Any = request.data
    if not isinstance(body, QueryDict):
        return _with_upload(request, body)
    fields: JsonObject = {name: body[name] for name in body if name != FILE}
    if META in fields:
        fields[META] = json_value(str(fields[META]).encode(), MAX_PARTS, field=META)[0]
    file: object = body.get(FILE)
    if not isinstance(file, UploadedFile):
        raise invalid(FILE, _("must be a file"))
    return fields, SentFile(file, file.name or FILE, stated_digest(request))


def _with_upload(request: Request, body: Any) -> tuple[object, SentFile | None]:
    """The fields of a JSON body, and the upload that its `file` names, if it names one."""
    if not isinstance(body, dict) or FILE not in body:
        return body, None
    try:
        upload = own_upload(user_of(request), UUID(str(body[FILE])))
    except ValueError:
        raise invalid(FILE, _("must be the id of an upload"), got=body[FILE]) from None
    fields = {name: value for name, value in body.items() if name != FILE}
    return fields, SentFile(open_upload(upload), upload.name)


def stated_digest(request: Request) -> str:
    """The SHA-256 that the header `Content-Digest` states of a file or piece; "" without one."""
    header = request.headers.get("Content-Digest", "")
    if not header:
        return ""
    match = _DIGEST.fullmatch(header.strip())
    try:
        digest = base64.b64decode(match[1], validate=True) if match else b""
    except binascii.Error:
        digest = b""
    if len(digest) != 32:
        raise invalid("Content-Digest", _("must be sha-256=:BASE64:"), got=header)
    return digest.hex()
