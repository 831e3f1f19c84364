"""The error of a page whose address has a parameter that the page cannot use."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from django.http import Http404
from django.utils.translation import gettext as _

from leaderboard.rules.sent import sent
from leaderboard.services.errors import ServiceError


class WrongParameter(Http404):
    """The page answers 404, and says which parameter is wrong and what it accepts.

    name: the name of the parameter. accepted: the end of the sentence, such as `must be …; got …`.
    """

    def __init__(self, name: str, accepted: str) -> None:
        super().__init__(f"{name}: {accepted}")
        self.name, self.accepted = name, accepted

    @classmethod
    def one_of(cls, name: str, value: str, names: Iterable[str]) -> WrongParameter:
        """A parameter that accepts some values, and got another one."""
        said = _("must be one of {names}; got {sent}")
        return cls(name, said.format(names=", ".join(filter(None, names)), sent=sent(value)))

    @classmethod
    def refused(cls, error: ServiceError, names: Mapping[str, str]) -> WrongParameter:
        """The first wrong field of a refused question.

        names: the parameters of fields that have another name in addresses.
        """
        name, [said, *_others] = next(iter(error.fields.items()))
        return cls(names.get(name, name), said)
