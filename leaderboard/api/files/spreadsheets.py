"""The form of CSV that a spreadsheet program expects, which depends on its user's language.

Excel reads a file as UTF-8 only with a byte order mark, and splits it by the list separator of the
system, which is a semicolon where numbers have a decimal comma. The languages and regions below
come from Unicode's CLDR, the list separators from Windows.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from io import StringIO
from typing import Any, Final, NamedTuple

from django.http import HttpResponse
from django.utils.cache import patch_vary_headers
from django.utils.translation import gettext as _
from django.utils.translation.trans_real import parse_accept_lang_header
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from leaderboard.rules.texts.quoting import sent
from leaderboard.rules.texts.spreadsheet_cells import guarded
from leaderboard.services.errors import invalid

BOM: Final = "\ufeff"
FOR: Final = OpenApiParameter("for", str, enum=["excel"], description="The form that Excel opens.")
LOCALE: Final = OpenApiParameter(
    "locale", str, description="With `for=excel`: a language, instead of `Accept-Language`."
)

_COMMA: Final = (
    "af az be bg br bs ca cs da de el eo es et eu fi fo fr fy gl hr hu hy id is it ka kk kl ky lb"
    " lt lv mk nb nl nn no pl pt ro ru sk sl sq sr sv tg tk tr tt uk uz vi"
)
_POINT: Final = "es-cu es-do es-gt es-hn es-mx es-ni es-pa es-pe es-pr es-sv es-us"

DECIMAL_COMMA: Final = frozenset(_COMMA.split())
"""Languages that write 66,2."""
COMMA_REGIONS: Final = frozenset({"en-za"})
POINT_REGIONS: Final = frozenset(_POINT.split())
"""Regions of such languages that write 66.2."""
SEMICOLON_REGIONS: Final = frozenset({"de-ch", "de-li", "it-ch"})
"""Regions that write 66.2 and separate lists by semicolons."""


class Style(NamedTuple):
    """The format of a table: its beginning, its separator and its decimal sign."""

    start: str = ""
    delimiter: str = ","
    decimal: str = "."

    def number(self, value: Any) -> Any:
        """A number with the decimal sign of the style; other values as they are."""
        if self.decimal == "." or not isinstance(value, float):
            return value
        return str(value).replace(".", self.decimal)


PLAIN: Final = Style()
"""For programs: UTF-8 without a byte order mark, commas and points."""


def excel(languages: str) -> Style:
    """The style of the reader's preferred language.

    languages: as in the header `Accept-Language`, or a single one (`de`, `es-MX`). Without a known
    language, cells are separated by commas and numbers have points.
    """
    accepted = parse_accept_lang_header(languages.replace("_", "-").lower())
    region = next((name for name, _ in accepted if name != "*"), "")
    language = region.partition("-")[0]
    if region in SEMICOLON_REGIONS:
        return Style(BOM, ";", ".")
    comma = language in DECIMAL_COMMA and region not in POINT_REGIONS
    return Style(BOM, ";", ",") if comma or region in COMMA_REGIONS else Style(BOM)


def csv_file(request: Request, name: str, rows: Iterable[Sequence[Any]]) -> HttpResponse:
    """A table as a file in the form that the request asks for by `FOR` and `LOCALE`.

    rows: the names of the columns first. No text in a cell begins a formula. Raises ServiceError.
    """
    query, style = request.query_params, PLAIN
    language = query.get("locale") or request.headers.get("Accept-Language", "")
    if "\0" in language:
        problem = _("must not hold the NUL character; got {sent}")
        raise invalid("locale", problem.format(sent=sent(language)))
    if form := query.get("for"):
        if form != "excel":
            raise invalid("for", _("must be {option}").format(option="excel"), got=form)
        style = excel(language)
    text = StringIO()
    text.write(style.start)
    table = csv.writer(text, delimiter=style.delimiter)
    table.writerows([style.number(guarded(value)) for value in row] for row in rows)
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    kind = "text/csv; charset=utf-8"
    response = HttpResponse(text.getvalue(), content_type=kind, headers=headers)
    if style is not PLAIN:
        patch_vary_headers(response, ["Accept-Language"])
    return response
