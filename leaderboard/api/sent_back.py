"""A challenge that a client sends back as it read it: unchanged fields are ignored.

So a program can read a challenge, change one field and send all of it, or send a challenge to make
a similar one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.urls import Resolver404, get_script_prefix, resolve
from django.utils.translation import gettext as _
from rest_framework.exceptions import ValidationError

from leaderboard.api.serializers.challenge import ChallengeSerializer, NewChallengeBody
from leaderboard.models import Challenge, User
from leaderboard.rules.json.canonical import same_value
from leaderboard.rules.json.untyped_dicts import SentFields
from leaderboard.schemas.scoring import SCORING_ROWS
from leaderboard.services.challenges.fields import checked_change

READ_ONLY: Final = frozenset(ChallengeSerializer().fields) - frozenset(
    NewChallengeBody.model_fields
)
MAX_SHOWN = 80


def of_itself(body: Any, challenge: Challenge) -> Any:
    """The body of a change without unchanged read-only fields.

    Raises ValidationError for those that differ, by name.
    """
    return _without(body, _whole(challenge), READ_ONLY | {"tenant"})


def of_another(body: Any, user: User | None) -> Any:
    """The body of a new challenge without the read-only fields of the one that its `url` names.

    Raises ValidationError for those that differ from it, and for all of them without a `url` of a
    challenge that the user can see.
    """
    if not isinstance(body, dict) or not READ_ONLY & body.keys():
        return body
    original = Challenge.objects.called(_slug_in(body.get("url")), user)
    if original is None:
        wrong = _(
            "is read-only: must be left out, or sent with all fields of a challenge and its url;"
            " got {sent}"
        )
        raise ValidationError(
            {name: [wrong.format(sent=_repr(body[name]))] for name in body if name in READ_ONLY}
        )
    current = _whole(original)
    if body.get("instances") and current["instances"]:
        wrong = _(
            "is not copied: must be left out, and references held for the new challenge; got {sent}"
        )
        raise ValidationError({"instances": [wrong.format(sent=_repr(body["instances"]))]})
    return _without(body, current, READ_ONLY)


def changes_in(body: Any, challenge: Challenge) -> SentFields:
    """The changed fields of a body, not checked yet.

    If one field of the scoring differs, all sent ones are kept, because they are checked together.
    Raises ServiceError for a body that is not an object.
    """
    if not isinstance(body, dict):
        checked_change(body)
        return {}
    current = _whole(challenge)
    changed = {
        name for name in body if name not in current or not same_value(body[name], current[name])
    }
    if changed & SCORING_ROWS.keys():
        changed |= SCORING_ROWS.keys()
    return {name: body[name] for name in body if name in changed}


def _whole(challenge: Challenge) -> Mapping[str, object]:
    """A challenge as its organisers read it."""
    return ChallengeSerializer(challenge, context={"sees_config": True}).data


def _without(body: Any, current: Mapping[str, object], read_only: frozenset[str]) -> Any:
    if not isinstance(body, dict):
        return body
    sent_names = read_only & body.keys()
    wrong = {name for name in sent_names if not same_value(body[name], current.get(name))}
    if wrong:
        raise ValidationError({name: [_differs(current.get(name), body[name])] for name in wrong})
    return {name: body[name] for name in body if name not in sent_names}


def _differs(current: Any, sent: Any) -> str:
    text = _("is read-only: must be {shown} or left out; got {sent}")
    return text.format(shown=_repr(current), sent=_repr(sent))


def _slug_in(url: Any) -> str:
    """The slug of the challenge whose address in the API this is; "" if it is none."""
    prefix = get_script_prefix()
    if not isinstance(url, str) or not url.startswith(prefix):
        return ""
    try:
        route = resolve(f"/{url.removeprefix(prefix)}")
    except Resolver404:
        return ""
    return str(route.kwargs["slug"]) if route.view_name == "api:challenge" else ""


def _repr(value: Any) -> str:
    return repr(value)[:MAX_SHOWN]
