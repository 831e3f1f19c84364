"""The queries of boards: rows, columns, an order, and the form of a file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NotRequired, TypedDict

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework import serializers

from leaderboard.api.fields import AskedSerializer, JsonChoice
from leaderboard.api.queries import Cursor, Limit
from leaderboard.languages.translation import translated_lazy
from leaderboard.models import Participant
from leaderboard.rules.json.untyped_dicts import FrameworkDict
from leaderboard.rules.texts.messages import message
from leaderboard.rules.texts.quoting import sent
from leaderboard.rules.visibility.families import LONGEST
from leaderboard.services.board.reading.ranking import MAX_LIMIT
from leaderboard.services.board.reading.row_filter import ALL_KINDS

MAX_SEARCH = 120


class Kinds(serializers.RegexField):
    """Kinds of rows, with commas between them."""

    def __init__(self) -> None:
        kind = f"({'|'.join(ALL_KINDS)})"
        accepted = message("must be among {names}, with commas", names=", ".join(ALL_KINDS))
        super().__init__(
            rf"^({kind}(,{kind})*)?$",
            error_messages={"invalid": translated_lazy(accepted)},
            default="",
            allow_blank=True,
            max_length=80,
            help_text=f"The kinds of rows, with commas, of {', '.join(ALL_KINDS)}; all without it. "
            "Rows out of the ranking stand in their places, without a rank.",
        )


class RowsGiven(TypedDict):
    """The checked values of a `RowsQuery`; "" for those that are not given.

    by_field: the parameters that filter by a declared field of meta.
    """

    search: str
    sort: str
    kinds: str
    participant_kind: str
    bracket: str
    meta: str
    verified: str
    complete: str
    families: str
    family: str
    columns: str
    phase: str
    by_field: Mapping[str, str]


class PageGiven(RowsGiven):
    """The checked values of a `BoardQuery`."""

    limit: int
    cursor: str


class ExportGiven(RowsGiven):
    """The checked values of an `ExportQuery`. There is also `for`, for a spreadsheet."""

    locale: NotRequired[str]


class RowsQuery(AskedSerializer):
    """Which rows of a board are asked for, in which order, and with which columns."""

    by_field = True
    search = serializers.CharField(
        default="",
        allow_blank=True,
        max_length=MAX_SEARCH,
        help_text="Only participants whose name holds this.",
    )
    sort = serializers.CharField(
        default="",
        allow_blank=True,
        max_length=160,
        help_text="A column's key, or `meta.` and the name of a declared field; with `-` before it "
        "from the highest. Ranks stay the board's.",
    )
    kinds = Kinds()
    participant_kind = JsonChoice(
        choices=["", *Participant.Kind.values],
        default="",
        help_text="Only participants of this kind.",
    )
    bracket = serializers.CharField(
        default="",
        allow_blank=True,
        max_length=80,
        help_text="Only participants that are registered in this bracket.",
    )
    meta = serializers.CharField(
        default="",
        allow_blank=True,
        max_length=4000,
        help_text="What declared fields of the meta of attempts must be, as a JSON object: "
        '`{"license": "MIT", "open": true, "size": {"max": 7}, "released": {"min": "2026-01-01"}}`.'
        " `true` for a link: there is one. Each field is a parameter as well, as on the page:"
        " `meta.license=MIT`, `meta.size.max=7`; a choice also without `meta.`: `openness=open`.",
    )
    verified = JsonChoice(
        choices=["0", "1"], default="0", help_text="`1`: only rows whose attempt is verified."
    )
    complete = serializers.CharField(
        default="",
        allow_blank=True,
        max_length=2000,
        help_text="Keys of columns, with commas: only rows with a value over all tasks in each.",
    )
    families = JsonChoice(
        choices=["", "best", "all"],
        default="",
        help_text="`best`: of the rows of a family only the best; `rank_here` is the rank among "
        "these. All rows without it.",
    )
    family = serializers.CharField(
        default="",
        allow_blank=True,
        max_length=LONGEST,
        help_text="Only rows of this family.",
    )
    columns = serializers.CharField(
        default="", allow_blank=True, help_text="Keys of the columns to show, with commas."
    )
    phase = serializers.CharField(
        default="",
        allow_blank=True,
        max_length=80,
        help_text="The slug of a phase; without it, the current phase's board.",
    )

    def validate(self, attrs: FrameworkDict) -> FrameworkDict:
        given: Mapping[str, str] = self.initial_data
        by_field = {name: given[name] for name in given if name not in self.fields}
        return {**attrs, "by_field": by_field}


class BoardQuery(RowsQuery):
    """The query of a page of a board."""

    limit = Limit(most=MAX_LIMIT, default=50)
    cursor = Cursor()


class ExportQuery(RowsQuery):
    """The query of an export."""


class CsvQuery(ExportQuery):
    """The query of an export as CSV."""

    locale = serializers.RegexField(
        r"^([A-Za-z]{2,3}([-_][A-Za-z0-9]{1,8})*)?$",
        required=False,
        allow_blank=True,
        max_length=35,
        error_messages={"invalid": gettext_lazy("must be a language such as de, en-GB or es-MX")},
        help_text="With `for=excel`: the language instead of the one of `Accept-Language`.",
    )

    def get_fields(self) -> FrameworkDict:
        """The fields with `for`, which cannot be an attribute in Python."""
        wanted = JsonChoice(
            choices=["excel"],
            required=False,
            help_text="`excel`: with a byte order mark, and with semicolons and decimal commas "
            "where the language of the reader (`Accept-Language`) writes numbers so.",
        )
        return {**super().get_fields(), "for": wanted}

    def validate(self, attrs: FrameworkDict) -> FrameworkDict:
        if (locale := attrs.get("locale")) and "for" not in attrs:
            text = _("must be left out, or sent with for=excel; got {sent}")
            raise serializers.ValidationError({"locale": text.format(sent=sent(locale))})
        return super().validate(attrs)
