"""Requests to one server: its token goes nowhere else, and what is safe to repeat is repeated."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from time import sleep
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urljoin

from podium.errors import Refused, Unreachable, WrongUse
from podium.version import VERSION

if TYPE_CHECKING:
    import httpx2 as httpx

TRIES: Final = 4
LONGEST_PAUSE: Final = 30.0
"""Seconds; a server that asks for a longer pause is not asked again."""
PACKED_FROM: Final = 16 * 1024
"""The bytes from which on a body is compressed."""
JSON: Final = "application/json"
TIMEOUT: Final = 120.0


class Session:
    """The requests to the server at a root address. token: "" for none.

    transport: of httpx, for tests.
    """

    def __init__(self, url: str, token: str = "", transport: Any = None) -> None:
        self.url = url
        self._origin = urljoin(f"{url}/", "/").rstrip("/")
        self._token = token
        self._transport = transport
        self._client: httpx.Client | None = None

    def json(self, method: str, path: str, body: Any = None, **options: Any) -> Any:
        """The answer to a request, with a JSON body if one is given. Raises as `request`."""
        if body is not None:
            options["content"] = json.dumps(body, ensure_ascii=False).encode()
            options["headers"] = {"Content-Type": JSON, **(options.get("headers") or {})}
        answer = self.request(method, path, **options)
        try:
            return answer.json() if answer.content else None
        except ValueError:
            raise Unreachable(f"{answer.url} does not answer as Podium does.") from None

    def request(
        self,
        method: str,
        path: str,
        *,
        content: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        repeat: bool | None = None,
        packs: bool = True,
        **options: Any,
    ) -> httpx.Response:
        """Send a request. path: below `/api/v1/`, or from the root of the host.

        repeat: whether it may be sent twice; None: only if it reads, or has an Idempotency-Key.
        packs: whether a large body is compressed.
        Raises Refused for an answer of 4xx, Unreachable for none and for 5xx.
        """
        sent = dict(headers or {})
        if packs and content is not None and len(content) >= PACKED_FROM:
            import gzip

            content, sent["Content-Encoding"] = gzip.compress(content, 6), "gzip"
        may_repeat = repeat if repeat is not None else method == "GET" or "Idempotency-Key" in sent
        for left in reversed(range(TRIES if may_repeat else 1)):
            try:
                answer = self._once(method, path, content=content, headers=sent, **options)
            except Unreachable:
                if not left:
                    raise
                pause: float | None = 0.5 * (TRIES - left)
            else:
                pause = _pause(answer)
                if answer.status_code < 400 or not left or pause is None:
                    return _checked(answer)
            sleep(pause or 0.0)
        raise AssertionError("a request has at least one try")

    def pages(self, path: str, params: Mapping[str, str], most: int | None = None) -> Iterator[Any]:
        """The rows of a list, page by page, up to a number of them."""
        query, count = {"limit": "100", **params}, 0
        while True:
            page = self.json("GET", path, params=query)
            for row in page["results"]:
                if most is not None and count >= most:
                    return
                count += 1
                yield row
            if not page["next"] or count == most:
                return
            query["cursor"] = page["next"]

    def absolute(self, path: str) -> str:
        """The address of a path from the root of the host."""
        return urljoin(f"{self.url}/", path)

    def _once(self, method: str, path: str, **options: Any) -> httpx.Response:
        import httpx2 as httpx

        is_of_api = not path.startswith("/")
        if self._client is None:
            headers = {"User-Agent": f"podium-client/{VERSION}", "Accept": "*/*"}
            if not self._token.isascii() or not self._token.isprintable():
                raise WrongUse("token: must be letters and digits, as the account page shows it")
            if self._token:
                headers["Authorization"] = f"Bearer {self._token}"
            self._client = httpx.Client(
                headers=headers, timeout=TIMEOUT, transport=self._transport, follow_redirects=False
            )
        url = f"{self.url}/api/v1/{path}" if is_of_api else self.absolute(path)
        if not url.startswith(f"{self._origin}/"):
            raise WrongUse(f"{path} is not an address of {self.url}.")
        try:
            answer = self._client.request(method, url, **options)
        except httpx.RequestError as error:
            raise Unreachable(f"{self.url} does not answer: {error}") from None
        except httpx.InvalidURL as error:
            raise WrongUse(f"url: must be an address; got {url}: {error}") from None
        kind = answer.headers.get("Content-Type", "")
        if is_of_api and answer.is_success and kind.startswith("text/html"):
            raise Unreachable(f"{url} answers with a page, as Podium does not.")
        return answer


def _pause(answer: httpx.Response) -> float | None:
    """The seconds after which a refused request may be sent again; None for never."""
    if answer.status_code not in (429, 502, 503, 504):
        return None
    after = answer.headers.get("Retry-After", "1")
    seconds = float(after) if after.isdecimal() else LONGEST_PAUSE + 1
    return seconds if seconds <= LONGEST_PAUSE else None


def _checked(answer: httpx.Response) -> httpx.Response:
    """The answer. Raises Refused or Unreachable for an error."""
    status = answer.status_code
    if status < 300 or status == 304:
        return answer
    try:
        error = answer.json()["error"]
        code, message, fields = error["code"], error["message"], error.get("fields") or {}
        if status == 404:
            message = f"{message} ({answer.url.path})"
    except (ValueError, KeyError, TypeError):
        code, message, fields = "unavailable", f"{answer.url} answers {status}.", {}
    if status < 400 or status >= 500:
        raise Unreachable(message)
    raise Refused(status, code, message, fields)
