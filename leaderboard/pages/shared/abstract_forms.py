"""Forms that a subclass has to complete."""

from __future__ import annotations

from abc import ABCMeta

from django.forms.forms import DeclarativeFieldsMetaclass

from leaderboard.forms.errors import FormWithSent


class AbstractFormMeta(DeclarativeFieldsMetaclass, ABCMeta):
    """Joins the metaclass of Django's forms with that of abstract classes."""


class AbstractForm(FormWithSent, metaclass=AbstractFormMeta):
    """A form that cannot be made while one of its abstract methods is missing."""
