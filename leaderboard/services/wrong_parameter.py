"""The error of a page whose address has a parameter that the page cannot use."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from django.http import Http404, QueryDict
from django.utils.translation import gettext as _

from leaderboard.rules.texts.quoting import sent
from leaderboard.services.errors import ServiceError


class WrongParameter(Http404):
    """The page answers 404, and says which parameter is wrong and what it accepts.

    name: the name of the parameter. accepted: the end of the sentence, such as `must be …; got …`.
    options: what it accepts, if that is a list; the page has a link for each.
    """

    def __init__(self, name: str, accepted: str, options: Iterable[str] = ()) -> None:
        super().__init__(f"{name}: {accepted}")
        self.name, self.accepted, self.options = name, accepted, [*filter(None, options)]

    def links(self, query: QueryDict) -> list[tuple[str, str]]:
        """Each option with the query that asks for it. query: that of the wrong address."""
        links = []
        for option in self.options:
            asked = query.copy()
            asked.pop("page", None)
            asked[self.name] = option
            links.append((option, asked.urlencode()))
        return links

    @classmethod
    def one_of(cls, name: str, value: str, names: Iterable[str]) -> WrongParameter:
        """A parameter that accepts some values, and got another one."""
        text, options = _("must be one of {names}; got {sent}"), [*filter(None, names)]
        return cls(name, text.format(names=", ".join(options), sent=sent(value)), options)

    @classmethod
    def refused(
        cls, error: ServiceError, names: Mapping[str, str], options: Mapping[str, Iterable[str]]
    ) -> WrongParameter:
        """The first wrong field of a refused question.

        names: the parameters of fields that have another name in addresses. options: what fields
        accept, if that is a list.
        """
        name, [text, *_rest] = next(iter(error.fields.items()))
        return cls(names.get(name, name), text, options.get(name, ()))


class UnknownParameter(WrongParameter):
    """A parameter that the page does not have. The links give its value to others, or drop it."""

    def __init__(self, name: str, accepted: Iterable[str]) -> None:
        names = [*accepted]
        text = (
            _("is no filter of this board; there are {names}").format(names=", ".join(names))
            if names
            else _("is not known to this page")
        )
        super().__init__(name, text, names)

    def links(self, query: QueryDict) -> list[tuple[str, str]]:
        links = []
        for option in ("", *self.options):
            asked = query.copy()
            value = asked.pop(self.name)[-1]
            if option:
                asked[option] = value
            links.append((option or _("Without it"), asked.urlencode()))
        return links
