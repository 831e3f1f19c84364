"""What the forms of several pages share."""

from __future__ import annotations

from django import forms

from leaderboard.services.refused import Refused


def explain(form: forms.Form, refused: Refused) -> None:
    """Put a refusal beside the fields that it names."""
    for path, messages in refused.fields.items():
        name = next((part for part in path.split(".") if part in form.fields), None)
        for message in messages:
            said = f"{message[:1].upper()}{message[1:]}"
            form.add_error(name, said if said.endswith(".") else f"{said}.")
    if not refused.fields:
        form.add_error(None, refused.message)
