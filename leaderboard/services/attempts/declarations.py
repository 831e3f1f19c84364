"""What attempts declare in fields of meta that are choices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from django.utils.translation import gettext as _

from leaderboard.rules.json.stored import StoredMetaField
from leaderboard.rules.texts.quoting import sent
from leaderboard.rules.visibility.meta_values import choice_in, fields_of
from leaderboard.services.errors import invalid


def check_declarations(declared: Sequence[StoredMetaField], meta: Mapping[str, str]) -> None:
    """Refuse a value that is no choice of its field. Raises ServiceError.

    An empty one declares nothing; whether something must be declared is a rule of admission.
    """
    for field in fields_of(declared):
        text = meta.get(field.name, "")
        if field.choices and text and choice_in(text) not in field.choices:
            wrong = _("must be one of {names}, perhaps with a colon and words; got {sent}")
            names = ", ".join(field.choices)
            raise invalid(f"meta.{field.name}", wrong.format(names=names, sent=sent(text)))
