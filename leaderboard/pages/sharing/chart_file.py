"""A chart of a page as a file: `?download=svg` or `?download=png`."""

from __future__ import annotations

from typing import Final

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.text import slugify

from leaderboard.http.links import absolute
from leaderboard.pages.sharing.glyphs import FAMILY
from leaderboard.pages.sharing.rendering import rendered
from leaderboard.rules.json.untyped_dicts import PageContext
from leaderboard.services.wrong_parameter import WrongParameter

TYPES: Final = {"svg": "image/svg+xml", "png": "image/png"}
STYLE: Final = (
    ".grid path{stroke:#e5e6e0;fill:none}.axis{stroke:#c6c9c0;fill:none}.ticks{fill:#656b66}"
    ".title{fill:#4b514d}.line{fill:none;stroke:#17614a;stroke-width:2}"
    ".interval{fill:none;stroke:#4b514d;stroke-width:1.25}.faint-mark{stroke:#c6c9c0}"
    ".best .dot{fill:#17614a;stroke:#17614a}.dominated .dot{fill:#ffffff;stroke:#656b66}"
    ".dominated text{fill:#656b66}.cloud{fill:none;stroke:#b9bdb3;stroke-width:4;"
    "stroke-linecap:round}.rule-changes path{fill:none;stroke:#656b66;stroke-dasharray:4 4}"
    ".full{fill:#17614a}.partly{fill:#8bb0a4}.empty{fill:#c6c9c0}"
    ".failed{fill:none;stroke:#a8281c}.missing{fill:none;stroke:#c6c9c0;stroke-width:2.5;"
    "stroke-linecap:round}a rect{fill:none}"
)
"""The light theme: a file has no style sheet beside it."""


def chart_file(
    request: HttpRequest, template: str, context: PageContext, name: str
) -> HttpResponse | None:
    """The file that the URL asks for; None if it asks for the page.

    template: of the chart. name: of the file, without an ending. Raises WrongParameter.
    """
    kind = request.GET.get("download", "")
    if not kind:
        return None
    if kind not in TYPES:
        raise WrongParameter.one_of("download", kind, TYPES)
    drawing = render_to_string(template, context, request)
    attributes = f'xmlns="http://www.w3.org/2000/svg" font-family="{FAMILY}" font-size="12"'
    paper = f'<rect width="100%" height="100%" fill="#ffffff"/><style>{STYLE}</style>'
    opening, _, rest = drawing.partition(">")
    svg = f"{opening.replace('<svg', f'<svg {attributes}', 1)}>{paper}{rest}"
    svg = svg[svg.index("<svg") :].replace('href="/', f'href="{absolute(request, "/")}')
    response = HttpResponse(rendered(svg) if kind == "png" else svg, content_type=TYPES[kind])
    response["Content-Disposition"] = f'attachment; filename="{slugify(name)}.{kind}"'
    return response
