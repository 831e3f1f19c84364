"""Common parts of the forms of several pages."""

from __future__ import annotations

from django import forms
from django.db.models import Q
from django.http import HttpResponse

from leaderboard.forms.errors import FormWithSent, field_at
from leaderboard.models import Challenge, Entry, Participant, User
from leaderboard.services.errors import ServiceError

SUGGESTED = 50


def explain(form: forms.Form, refused: ServiceError) -> None:
    """Add the messages of an error to the fields that it names."""
    for path, messages in refused.fields.items():
        name = field_at(form, path)
        for message in messages:
            form.add_error(name, as_sentence(message.removeprefix(f"{name}: ")))
    if not refused.fields:
        form.add_error(None, refused.message)
    if isinstance(form, FormWithSent) and refused.code == "throttled":
        form.retry_after = refused.retry_after


def with_status(response: HttpResponse, form: FormWithSent) -> HttpResponse:
    """The page of a form: 422 with errors, or 429 if the client has to wait."""
    if form.retry_after is not None:
        response.status_code = 429
        response["Retry-After"] = str(form.retry_after)
    elif form.errors:
        response.status_code = 422
    return response


def as_sentence(message: str) -> str:
    """The message with a full stop and, unless it begins with a file or field name, a capital."""
    first = message.partition(" ")[0]
    sentence = f"{message[:1].upper()}{message[1:]}" if first.isalpha() else message
    return sentence if sentence.endswith((".", "?", "!")) else f"{sentence}."


def own_participants(challenge: Challenge, user: User) -> list[Participant]:
    """The participants that a form suggests."""
    teams = Entry.objects.of(user, challenge).values("participant")
    mine = Participant.objects.of(user).named_at(challenge)
    here = mine.filter(Q(owner=user) | Q(pk__in=teams))
    return list(here.order_by("handle")[:SUGGESTED])
