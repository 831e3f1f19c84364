"""What the operator has set of the site's look: a text, a colour, a logo, and what comes first."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Final, NamedTuple

from django.core.cache import cache
from django.db import DatabaseError
from django.utils.translation import gettext as _

from leaderboard.models import Challenge, SiteLook
from leaderboard.rules.colours import (
    CODE,
    DARK,
    LIGHT,
    READABLE,
    Theme,
    lowest_contrast,
    nearest_readable,
)
from leaderboard.services.errors import ServiceError, invalid

MOST_TEXT: Final = 2_000
MOST_LOGO: Final = 128 * 1024
MOST_PINNED: Final = 12
KEPT_SECONDS: Final = 60
_KEY: Final = "site-look"
_ONLY_ROW: Final = 1


class Look(NamedTuple):
    """The look of the site. light, dark: the accent in each theme, "" for that of the product.

    logo: names its bytes, "" for none. pinned: ids. digest: names all of it.
    """

    text: str = ""
    light: str = ""
    dark: str = ""
    logo: str = ""
    pinned: tuple[str, ...] = ()
    digest: str = ""


NO_LOOK: Final = Look()


def site_look() -> Look:
    """The look, read once a minute. An unavailable database means that of the product."""
    kept = cache.get(_KEY)
    if kept is not None:
        return Look(*kept)
    try:
        look = _look(SiteLook.objects.filter(pk=_ONLY_ROW).first())
    except DatabaseError:
        return NO_LOOK
    keep_look(look)
    return look


def keep_look(look: Look) -> None:
    """Let all processes use this look for a minute."""
    cache.set(_KEY, tuple(look), KEPT_SECONDS)


def stored_logo() -> tuple[bytes, str]:
    """The bytes of the logo and their type; none of either without a logo."""
    row = SiteLook.objects.filter(pk=_ONLY_ROW).first()
    return (bytes(row.logo), row.logo_type) if row else (b"", "")


def pinned_slugs() -> list[str]:
    """The addresses of the pinned challenges, in their order."""
    pinned = site_look().pinned
    rows = Challenge.objects.filter(pk__in=pinned).values_list("pk", "slug")
    slugs = {str(key): slug for key, slug in rows}
    return [slugs[key] for key in pinned if key in slugs]


def change_site_look(
    *,
    text: str,
    accent_light: str,
    accent_dark: str,
    logo: bytes | None,
    pinned: Sequence[str],
) -> None:
    """Store the look. logo: None leaves it as it is, no bytes remove it. pinned: slugs.

    A colour for one theme only makes the nearest one that can be read in the other. Raises
    ServiceError.
    """
    light = _checked("accent_light", accent_light, LIGHT)
    dark = _checked("accent_dark", accent_dark, DARK)
    row = SiteLook.objects.filter(pk=_ONLY_ROW).first() or SiteLook(pk=_ONLY_ROW)
    row.text = text.strip()
    row.accent_light = light or (nearest_readable(LIGHT, dark) if dark else "")
    row.accent_dark = dark or (nearest_readable(DARK, light) if light else "")
    row.pinned = _pinned(pinned)
    if logo is not None:
        row.logo, row.logo_type = logo, _type_of(logo) if logo else ""
    row.save()
    keep_look(_look(row))


def _look(row: SiteLook | None) -> Look:
    if row is None:
        return NO_LOOK
    logo = sha256(row.logo).hexdigest()[:16] if row.logo else ""
    stored = (row.text, row.accent_light, row.accent_dark, logo, tuple(row.pinned))
    return Look(*stored, digest=sha256(repr(stored).encode()).hexdigest()[:16])


def _checked(field: str, colour: str, theme: Theme) -> str:
    """A colour that can be read in the theme; "" for none."""
    colour = colour.strip().lower()
    if not colour:
        return ""
    if not CODE.fullmatch(colour):
        raise invalid(field, _("must be a colour such as #17614a"), colour)
    lowest = lowest_contrast(theme, colour)
    if lowest < READABLE:
        text = _(
            "its contrast with text or backgrounds of this theme is {contrast} : 1, and at least"
            " {least} : 1 is needed; the nearest colour that has it is {nearest}"
        )
        nearest = nearest_readable(theme, colour)
        # Rounded down, so that no colour that is refused seems to have what is needed.
        figure = f"{int(lowest * 100) / 100:.2f}"
        raise invalid(field, text.format(contrast=figure, least=READABLE, nearest=nearest), colour)
    return colour


def _pinned(slugs: Sequence[str]) -> list[str]:
    """The ids of the challenges with these slugs, each once."""
    if len(slugs) > MOST_PINNED:
        text = _("at most {most} challenges can come first").format(most=MOST_PINNED)
        raise invalid("pinned", text, len(slugs))
    keys = dict(Challenge.objects.filter(slug__in=slugs).values_list("slug", "pk"))
    missing = [slug for slug in slugs if slug not in keys]
    if missing:
        raise invalid("pinned", _("there is no challenge of this address"), missing[0])
    return [str(keys[slug]) for slug in dict.fromkeys(slugs)]


def _type_of(logo: bytes) -> str:
    """The type of an image by its first bytes. SVG is refused, because it may hold scripts."""
    if len(logo) > MOST_LOGO:
        text = _("must have at most {most} KiB").format(most=MOST_LOGO // 1024)
        raise ServiceError("too_large", text, {"logo": [text]})
    if logo.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if logo.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if logo[:4] == b"RIFF" and logo[8:12] == b"WEBP":
        return "image/webp"
    raise invalid("logo", _("must be a PNG, JPEG or WebP image"))
