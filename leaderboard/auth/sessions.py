"""Sessions in the database, as Django stores them, read by a query that is built only once."""

from __future__ import annotations

from typing import Any

from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.utils import timezone

from leaderboard.models.built_once import Lookup

_SESSION = Lookup(lambda key: Session.objects.filter(session_key=key), key=str)


class SessionStore(db.SessionStore):
    """The session of one browser.

    Each request of a signed-in user reads one. The ORM takes several times as long to build that
    query as the database takes to answer it.
    """

    def _get_session_from_db(self) -> Any:
        session = _SESSION.first(key=self.session_key)
        if session is not None and session.expire_date > timezone.now():
            return session
        self._session_key = None
        return None
