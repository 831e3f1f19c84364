"""How to cite a board, in BibTeX and in the style of APA."""

from __future__ import annotations

from datetime import datetime
from typing import Final, NamedTuple

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse
from django.utils import translation
from django.utils.dateformat import format as dated

from leaderboard.http.links import absolute
from leaderboard.models import Challenge

DEFAULT_TENANT: Final = "default"
"""The tenant of a site with only one, whose name says nothing."""
_SPECIAL: Final = frozenset("&%$#_{}")
_WORDS: Final = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}


class Citation(NamedTuple):
    """The texts of a citation, for people to copy."""

    bibtex: str
    apa: str


def citation_of(request: HttpRequest, challenge: Challenge, changed_at: datetime) -> Citation:
    """How to cite the board of a challenge as it was at its last change."""
    url = absolute(request, reverse("board", args=[challenge.slug]))
    tenant, version = challenge.tenant, challenge.shown.number
    author = settings.SITE_NAME if tenant.slug == DEFAULT_TENANT else tenant.name
    with translation.override("en"):
        day = dated(changed_at, "Y, F j")
    fields = {
        "author": f"{{{in_bibtex(author)}}}",
        "title": f"{{{in_bibtex(challenge.name)}}}: Leaderboard",
        "year": str(changed_at.year),
        "month": changed_at.strftime("%b").lower(),
        "note": f"Scoring version {version}, board of {changed_at:%Y-%m-%d}",
        "url": url,
    }
    lines = [
        f"  {name} = {value if name == 'month' else f'{{{value}}}'}"
        for name, value in fields.items()
    ]
    key = f"{challenge.slug.replace('-', '_')}_{changed_at.year}"
    bibtex = "\n".join(["@misc{" + key + ",", ",\n".join(lines), "}"])
    apa = f"{author}. ({day}). {challenge.name} [Leaderboard, scoring version {version}]. {url}"
    return Citation(bibtex, apa)


def in_bibtex(text: str) -> str:
    """A text without characters that mean something to TeX."""
    return "".join(_WORDS.get(char, rf"\{char}" if char in _SPECIAL else char) for char in text)
