from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy


class SiteLook(models.Model):
    """How the operator wants the site to look: one row, or none.

    text: Markdown, for the front page. accent_light, accent_dark: `#rrggbb` in each theme; "" for
    the colours of the product. logo: an image, of `logo_type`; empty for that of the product.
    pinned: the ids of the challenges that the front page shows first.
    """

    text = models.TextField(blank=True, default="")
    accent_light = models.CharField(max_length=7, blank=True, default="")
    accent_dark = models.CharField(max_length=7, blank=True, default="")
    logo = models.BinaryField(default=b"")
    logo_type = models.CharField(max_length=20, blank=True, default="")
    pinned = models.JSONField(default=list)

    class Meta:
        verbose_name = gettext_lazy("look of the site")
        verbose_name_plural = gettext_lazy("looks of the site")

    def __str__(self) -> str:
        return "look of the site"
