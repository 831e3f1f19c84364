"""A crawler that follows the links of pages and of API answers, as a browser would."""

from __future__ import annotations

import json
import re
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from email.message import Message
from html import unescape
from http.cookiejar import CookieJar
from typing import Any
from urllib.error import HTTPError
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit

LINKS = re.compile(r"""\b(?:href|src|action|formaction|hx-get|hx-post)=["']([^"'#]+)""")
ONE = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}|(?<=/c/)[^/]+|(?<=challenges/)[^/]+|(?<=/p/)[^/]+|\d+")


@dataclass
class Answer:
    url: str
    status: int
    headers: Message[str, str]
    text: str


@dataclass
class Crawler:
    """A crawler that stays on one host. `links_out` lists links out of the path, each with its
    page."""

    root: str
    cookies: CookieJar = field(default_factory=CookieJar)
    answers: dict[str, Answer] = field(default_factory=dict)
    links_out: list[tuple[str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        cookies = urllib.request.HTTPCookieProcessor(self.cookies)
        self.opener = urllib.request.build_opener(cookies)
        self.kinds: set[str] = set()

    def ask(
        self, url: str, body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> Answer:
        request = urllib.request.Request(url, body, headers or {})
        try:
            with self.opener.open(request, timeout=60) as response:
                text = response.read().decode(errors="replace")
                return Answer(response.url, response.status, response.headers, text)
        except HTTPError as error:
            return Answer(error.url, error.code, error.headers, error.read().decode())

    def crawl(self, url: str) -> None:
        """Read each kind of address that can be reached, and each parameter of it, once."""
        waiting = [url]
        while waiting:
            url = waiting.pop(0)
            if url in self.answers:
                continue
            answer = self.answers[url] = self.ask(url)
            links = [answer.url, *self._links(answer)]
            waiting.extend(link for link in links if self._leads_on(link, url))

    def sign_in(self, username: str, password: str) -> Answer:
        page = self.ask(f"{self.root}/sign-in/")
        token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page.text)
        assert token
        typed = {"username": username, "password": password, "csrfmiddlewaretoken": token[1]}
        return self.ask(page.url, urlencode(typed).encode())

    def _leads_on(self, link: str, page: str) -> bool:
        here, target = urlsplit(self.root), urlsplit(link)
        if target.netloc != here.netloc:
            return False
        if target.path != here.path and not target.path.startswith(f"{here.path}/"):
            self.links_out.append((page, link))
            return False
        path = ONE.sub("*", target.path)
        kinds = {f"{path}?{key}" for key, _ in parse_qsl(target.query)} or {path}
        is_new = not kinds <= self.kinds
        self.kinds |= kinds
        return is_new

    def _links(self, answer: Answer) -> Iterator[str]:
        kind = answer.headers.get("Content-Type", "")
        if kind.startswith("text/html"):
            links: list[str] = [unescape(href) for href in LINKS.findall(answer.text)]
        elif kind.startswith("application/json"):
            links = list(urls_in(json.loads(answer.text)))
        else:
            links = []
        for link in links:
            yield urljoin(answer.url, link)


def urls_in(value: Any) -> Iterator[str]:
    """Yield the texts of JSON that have the names `url` and `html_url`."""
    if isinstance(value, dict):
        for key, part in value.items():
            if key in ("url", "html_url") and isinstance(part, str):
                yield part
            else:
                yield from urls_in(part)
    elif isinstance(value, list):
        for part in value:
            yield from urls_in(part)
