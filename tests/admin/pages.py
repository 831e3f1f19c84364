"""Reading admin pages as a browser does: what a form contains, and what it would post."""

from __future__ import annotations

from typing import Any

from django.contrib.messages import get_messages
from django.test import Client
from django.urls import reverse


def url(row: str, page: str = "changelist", *args: Any) -> str:
    return reverse(f"admin:leaderboard_{row}_{page}", args=args)


def form_of(response: Any) -> Any:
    return response.context["adminform"].form


def typed(response: Any, **changes: Any) -> dict[str, Any]:
    """Return what the challenge form would post with these changes; None unticks a box.

    Dots in names are written as two underscores: `scoring_config__success_bonus`.
    """
    form = form_of(response)
    values = {bound.html_name: bound.value() for bound in form}
    values |= {name.replace("__", "."): value for name, value in changes.items()}
    return {
        name: "on" if value is True else value
        for name, value in values.items()
        if value not in (None, False)
    }


def messages_of(response: Any) -> list[str]:
    return [str(message) for message in get_messages(response.wsgi_request)]


def saved(client: Client, page: str, post: dict[str, Any]) -> Any:
    """Post a form without errors; return the answer."""
    answer = client.post(page, post)
    assert answer.status_code == 302, form_of(answer).errors
    return answer


def check_refused(client: Client, page: str, field: str, value: str, message: str) -> None:
    """Check that a value is refused with a message beside its field, and that there is no other
    error."""
    answer = client.post(page, typed(client.get(page), **{field: value}))
    assert answer.status_code == 200
    assert message in " ".join(form_of(answer).errors[field])
    assert list(form_of(answer).errors) == [field]
