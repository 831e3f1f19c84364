"""What the forms of several pages share."""

from __future__ import annotations

from django import forms

from leaderboard.models import Challenge, Participant, User
from leaderboard.services.errors import ServiceError

SUGGESTED = 50


def explain(form: forms.Form, refused: ServiceError) -> None:
    """Put a refusal beside the fields that it names."""
    for path, messages in refused.fields.items():
        name = next((part for part in path.split(".") if part in form.fields), None)
        for message in messages:
            form.add_error(name, _sentence(message.removeprefix(f"{name}: ")))
    if not refused.fields:
        form.add_error(None, refused.message)


def _sentence(message: str) -> str:
    """The message with a capital, unless it begins with the name of a file or field, and a stop."""
    first = message.partition(" ")[0]
    said = f"{message[:1].upper()}{message[1:]}" if first.isalpha() else message
    return said if said.endswith(".") else f"{said}."


def own_participants(challenge: Challenge, user: User) -> list[Participant]:
    """The participants that a form suggests."""
    mine = Participant.objects.named_at(challenge).filter(owner=user)
    return list(mine.order_by("handle")[:SUGGESTED])
