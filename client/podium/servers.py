"""A server, as Python programs use it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, cast

from podium.challenges import Challenge
from podium.config import Target, clean_url, target_for
from podium.errors import Refused, StillWaiting
from podium.http import Session

if TYPE_CHECKING:
    from podium.types import Challenge as ChallengeFields
    from podium.types import Me


class Server:
    """A server and the account whose token is used. transport: of httpx, for tests."""

    def __init__(self, target: Target, transport: Any = None) -> None:
        self.name = target.name
        self.session = Session(target.url, target.token, transport)

    def me(self) -> Me:
        """Who you are there, and what the token allows."""
        return cast("Me", self.session.json("GET", "me/"))

    def challenges(self, search: str = "") -> list[ChallengeFields]:
        """The challenges that you may see, by name."""
        return list(self.session.pages("challenges/", {"search": search}))

    def challenge(self, slug: str) -> Challenge:
        """A challenge by the last part of its address; nothing is read yet."""
        return Challenge(self.session, slug)


def connect(url: str = "", token: str = "", *, server: str = "") -> Server:
    """The server at an address, or a named one of `podium login`; the current one without either.

    token: by default PODIUM_TOKEN, or what was stored for this address. Raises WrongUse.
    """
    return Server(target_for(server, url, token))


def log_in(
    url: str,
    name: str,
    scopes: Sequence[str],
    show: Callable[[str, str], None],
    transport: Any = None,
) -> str:
    """The token that the user agrees to in a browser.

    name: what the page calls this program. show: is given the address of the page, and the code.
    Raises Refused if the user does not agree, StillWaiting if the code expires.
    """
    session = Session(clean_url(url), transport=transport)
    codes = session.json("POST", "device/", {"name": name, "scopes": list(scopes)})
    show(codes["verification_uri_complete"], codes["user_code"])
    ends = time.monotonic() + codes["expires_in"]
    while time.monotonic() < ends:
        time.sleep(codes["interval"])
        try:
            body = {"device_code": codes["device_code"]}
            return str(session.json("POST", "device/token/", body)["access_token"])
        except Refused as refused:
            if refused.code != "authorization_pending":
                raise
    raise StillWaiting("The login was not confirmed in the browser in time.")
