"""What a value may be, in words."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.languages.translation import count_text
from leaderboard.pages.api_docs.document import ApiShape

SIZES: Final = {
    ("minLength", "maxLength"): (
        gettext_lazy("{least} to {most} characters"),
        gettext_lazy("at least {least} characters"),
        gettext_lazy("at most {most} characters"),
    ),
    ("minItems", "maxItems"): (
        gettext_lazy("{least} to {most} entries"),
        gettext_lazy("at least {least} entries"),
        gettext_lazy("at most {most} entries"),
    ),
    ("minProperties", "maxProperties"): (
        gettext_lazy("{least} to {most} fields"),
        gettext_lazy("at least {least} fields"),
        gettext_lazy("at most {most} fields"),
    ),
}
"""Sentences about sizes: with both bounds, with the lower one, with the upper one."""

LONGEST_PATTERN: Final = 40
"""Longer patterns are left out, because their descriptions say the same in words."""


def limits_of(shape: ApiShape) -> Iterator[str]:
    """What a value may be, beyond its type and its choices, as HTML."""
    yield from _range(shape)
    for (lower, upper), (both, above, below) in SIZES.items():
        least, most = shape.get(lower) or 0, shape.get(upper)
        texts = {"least": count_text(least), "most": count_text(most or 0)}
        if least and least == most:
            yield _("exactly {count}").format(count=texts["least"])
        elif least and most:
            yield both.format(**texts)
        elif least > 1 or (least and lower != "minLength"):
            yield above.format(**texts)
        elif most:
            yield below.format(**texts)
        elif least:
            yield _("not empty")
    if len(shape.get("pattern", " " * LONGEST_PATTERN)) < LONGEST_PATTERN:
        yield format_html(_("matches {pattern}"), pattern=_code(shape["pattern"]))
    if shape.get("default") not in (None, ""):
        value = json.dumps(shape["default"], ensure_ascii=False)
        yield format_html(_("default {value}"), value=_code(value))


def _range(shape: ApiShape) -> Iterator[str]:
    least, most = shape.get("minimum"), shape.get("maximum")
    texts = {"least": _number(least), "most": _number(most)}
    is_above, is_below = shape.get("exclusiveMinimum"), shape.get("exclusiveMaximum")
    if least is not None and most is not None and not is_above and not is_below:
        yield _("{least} to {most}").format(**texts)
        return
    if least is not None:
        text = _("more than {least}") if is_above else _("at least {least}")
        yield text.format(**texts)
    if most is not None:
        text = _("less than {most}") if is_below else _("at most {most}")
        yield text.format(**texts)


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return count_text(int(value)) if value == int(value) else str(value)


def _code(text: str) -> str:
    return format_html("<code>{}</code>", text)
