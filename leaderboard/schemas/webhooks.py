"""The webhooks of a challenge."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import Field, TypeAdapter

from leaderboard.schemas.base import NotNull, Strict
from leaderboard.schemas.choices import WebhookFormat, WebhookReader

LONGEST_ADDRESS: Final = 2_000
MOST_TYPES: Final = 50

_Address = Annotated[str, Field(min_length=1, max_length=LONGEST_ADDRESS)]
_Types = Annotated[list[Annotated[str, Field(max_length=60)]], Field(max_length=MOST_TYPES)]
_View = Annotated[WebhookReader, Field(strict=False)]
_Format = Annotated[WebhookFormat, Field(strict=False)]


class NewWebhook(Strict):
    """An address to call with the events of a challenge."""

    url: _Address = Field(description="An https address. Matrix: with `access_token` as parameter.")
    format: _Format = WebhookFormat.STANDARD
    view: _View = Field(default=WebhookReader.PUBLIC, description="Whose view the messages have.")
    types: _Types = Field(default=[], description="Such as `attempt.scored`; empty: all.")
    whole_tenant: bool = Field(
        default=False,
        description="For organisers of the tenant: also events of its other challenges.",
    )


class WebhookChange(Strict):
    """A change of a webhook: the fields that are sent."""

    url: Annotated[_Address | None, NotNull()] = None
    view: Annotated[_View | None, NotNull()] = None
    types: Annotated[_Types | None, NotNull()] = None
    enabled: Annotated[bool | None, NotNull()] = Field(
        default=None, description="True: call it again after it was disabled."
    )


NEW_WEBHOOK: Final = TypeAdapter(NewWebhook)
WEBHOOK_CHANGE: Final = TypeAdapter(WebhookChange)
