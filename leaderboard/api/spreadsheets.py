"""How a spreadsheet program reads a CSV: that depends on the language of its user.

Excel takes a file for UTF-8 only with a byte order mark, and splits it by the list separator of
the system: where numbers have a decimal comma, that is a semicolon. The languages and regions
below are those of Unicode's CLDR, of Windows for the list separator.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from django.utils.translation.trans_real import parse_accept_lang_header

BOM: Final = "\ufeff"

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
    """How a table is written: what it begins with, what is between cells, and in numbers."""

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
    """The style of the language that a reader likes best.

    languages: as in the header `Accept-Language`, or a single one (`de`, `es-MX`). Where it says
    nothing that is known, cells are separated by commas and numbers have points.
    """
    accepted = parse_accept_lang_header(languages.replace("_", "-").lower())
    region = next((name for name, _ in accepted if name != "*"), "")
    language = region.partition("-")[0]
    if region in SEMICOLON_REGIONS:
        return Style(BOM, ";", ".")
    comma = language in DECIMAL_COMMA and region not in POINT_REGIONS
    return Style(BOM, ";", ",") if comma or region in COMMA_REGIONS else Style(BOM)
