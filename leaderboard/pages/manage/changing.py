"""The pages on which organisers change a part of a challenge: what they share.

Each page first shows the board that would result, and whether saving makes a new scoring version.
Saving also starts a rescore, if the organiser asks for it.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from typing import Final, NamedTuple

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from leaderboard.columns import Column
from leaderboard.languages.translation import count_text
from leaderboard.models import Challenge
from leaderboard.pages.charts.axes import TIME
from leaderboard.pages.labels import row_labels
from leaderboard.pages.shared.abstract_forms import AbstractForm
from leaderboard.pages.shared.access import (
    board_for,
    is_organiser,
    organised_or_404,
    signed_in,
)
from leaderboard.pages.shared.forms import explain
from leaderboard.pages.tables.board_table import TableCell, cells
from leaderboard.pages.tables.cell_texts import texts_of
from leaderboard.rules.json.canonical import canonical
from leaderboard.rules.json.untyped_dicts import SentFields
from leaderboard.rules.rewards.documents import Document
from leaderboard.schemas.challenges import PLAIN_FIELDS
from leaderboard.services.board.boards import current_board, shown_boards
from leaderboard.services.board.reading.ranking import columns_of
from leaderboard.services.board.reading.rows import BoardRow
from leaderboard.services.challenges.challenges import change_challenge
from leaderboard.services.challenges.changes import planned_change
from leaderboard.services.challenges.directions import direction_warnings
from leaderboard.services.errors import ServiceError
from leaderboard.services.scoring.rescoring import start_rescore

ROWS = range(1, 4)
PREVIEWED: Final = 3
MOST_ROWS: Final = 200
"""The rows of the board that are put into the new order."""


class PreviewRow(NamedTuple):
    """A row with the values that its attempt has now; a value that is new is missing."""

    name: str
    cells: list[TableCell]


class ChangePreview(NamedTuple):
    """The board as the form would make it: its columns, or why there is none, and the effect.

    warnings: sentences about what may be a mistake.
    """

    columns: list[Column]
    why_not: str
    effect: str
    warnings: Sequence[str] = ()


class ChangeForm(AbstractForm):
    """Some fields of a challenge. The service checks them, so that errors are those of the API."""

    rescore = forms.BooleanField(
        label=gettext_lazy("Score all attempts again if the scoring changes"),
        required=False,
        initial=True,
        help_text=gettext_lazy(
            "Until then the board shows the scores of the version before, and only new attempts"
            " are scored under the new one."
        ),
    )
    state = forms.CharField(widget=forms.HiddenInput, required=False)

    challenge: Challenge
    is_kept = False
    """Whether the form only changes its rows: it is shown again and nothing is saved."""

    @abstractmethod
    def changes(self) -> SentFields:
        """The fields that differ from the stored ones. Call it after `is_valid`."""

    def filled_rows(self) -> Mapping[str, Sequence[int]]:
        """The numbers of the rows of each list that are not empty."""
        return {}

    def hold(self) -> Document | None:
        """The references that the challenge is to hold from now on. Raises ServiceError."""
        return None

    @property
    def releases(self) -> bool:
        """Whether the challenge is to release its references."""
        return False

    def notes(self) -> Sequence[str]:
        """The messages for organisers after the change is saved."""
        return ()

    @property
    def again(self) -> list[forms.BoundField]:
        return [self["rescore"]]

    def forget_errors(self) -> None:
        """Drop all errors: in a preview, the organiser is still filling in the fields."""
        self.errors.clear()

    def disable(self) -> None:
        """Show the fields to reviewers, who change nothing."""
        for field in self.fields.values():
            field.disabled = True

    def placed(self, refused: ServiceError) -> ServiceError:
        """An error with the rows of this form, which may have empty ones between."""
        fields = {self.placed_path(path): texts for path, texts in refused.fields.items()}
        return ServiceError(refused.code, refused.message, fields)

    def placed_path(self, path: str) -> str:
        """The path of a field of this form for a path of the API."""
        name, _dot, rest = path.partition(".")
        place, _dot, field = rest.partition(".")
        filled = self.filled_rows().get(name)
        if filled is None or not place.isdecimal():
            return path
        return f"{name}.{filled[int(place)]}.{field}" if int(place) < len(filled) else name


MakeForm = Callable[[], ChangeForm]
"""Makes a new form from the request, because checking a form changes it."""
FormOf = Callable[[Challenge, HttpRequest, QueryDict | None], ChangeForm]
"""The form about a challenge, with what was sent; None if nothing was."""


def change_view(part: str, form_of: FormOf) -> Callable[[HttpRequest, str], HttpResponse]:
    """The view of a page that changes a part of a challenge."""

    @login_required
    @never_cache
    @require_http_methods(["GET", "HEAD", "POST"])
    def view(request: HttpRequest, slug: str) -> HttpResponse:
        challenge = organised_or_404(request, slug)
        data = request.POST if request.method == "POST" else None
        return change_page(request, challenge, lambda: form_of(challenge, request, data), part=part)

    return view


def change_page(
    request: HttpRequest,
    challenge: Challenge,
    make: MakeForm,
    *,
    part: str,
    further: Mapping[str, object] | None = None,
) -> HttpResponse:
    """Show the form with its preview, or save it. part: of the page's address and template.

    further: what else the template gets.
    """
    form = make()
    # htmx also sends the button that has the focus, though it asks only for the preview.
    saves = request.POST.get("action") == "save" and "HX-Request" not in request.headers
    if saves and not form.is_kept and (changed := _saved(request, challenge, form)):
        return redirect(f"manage-{part}", slug=changed.slug)
    if not is_organiser(request, challenge):
        form.disable()
    preview = _preview(challenge, make())
    if not saves and form.is_bound:
        form.forget_errors()  # a preview refuses nothing
    context = {
        "challenge": challenge,
        "tab": "manage",
        "part": part,
        "view": f"manage-{part}",
        "form": form,
        "preview": preview,
        "rows": preview_rows(request, challenge, preview.columns),
        "places": ROWS,
        **(further or {}),
    }
    return render(request, f"pages/manage/{part}.html", context, status=422 if saves else 200)


def state_of(challenge: Challenge) -> str:
    """A digest of the scoring and of each field of the challenge, to notice changes by others."""
    newest = challenge.newest
    state = [newest.number, newest.tasks, *(getattr(challenge, name) for name in PLAIN_FIELDS)]
    return sha256(canonical(state)).hexdigest()[:16]


def effect_of(challenge: Challenge, attempts: int) -> str:
    """A sentence about the next version. attempts: how many are to be scored again under it."""
    number = challenge.newest.number + 1
    if attempts == 0:
        return _("Saving makes version {number} of the scoring.").format(number=number)
    text = ngettext(
        "Saving makes version {number} of the scoring, under which {count} attempt is to be scored"
        " again.",
        "Saving makes version {number} of the scoring, under which {count} attempts are to be"
        " scored again.",
        attempts,
    )
    return text.format(number=number, count=count_text(attempts))


def _saved(request: HttpRequest, challenge: Challenge, form: ChangeForm) -> Challenge | None:
    """Save a valid form, and begin a rescore if that is asked for."""
    if not form.is_valid():
        return None
    if form.cleaned_data["state"] != state_of(challenge):
        text = _("Somebody else has changed this challenge. Load the page again.")
        form.add_error(None, text)
        return None
    before = challenge.newest.number
    try:
        changes, hold = form.changes(), form.hold()
        if changes or hold is not None or form.releases:
            challenge = change_challenge(
                challenge,
                user=signed_in(request),
                fields=changes,
                hold=hold,
                release=form.releases,
            )
            messages.success(request, _("The changes are saved."))
            for note in form.notes():
                messages.info(request, note)
        else:
            messages.success(request, _("Nothing has changed."))
    except ServiceError as refused:
        explain(form, form.placed(refused))
        return None
    _rescored(request, challenge, before, asked=form.cleaned_data["rescore"])
    return challenge


def _rescored(request: HttpRequest, challenge: Challenge, before: int, *, asked: bool) -> None:
    """Start a rescore if the organiser asks for it and the board shows an older version."""
    is_behind = challenge.newest.number > before and challenge.shown_config_id != (
        challenge.newest_config_id
    )
    if not (is_behind and asked):
        return
    _config, attempts = start_rescore(challenge, user=signed_in(request))
    text = ngettext(
        "{count} attempt is scored again. The board shows the new version when it is done.",
        "{count} attempts are scored again. The board shows the new version when all are done.",
        attempts,
    )
    messages.success(request, text.format(count=count_text(attempts)))


def _preview(challenge: Challenge, form: ChangeForm) -> ChangePreview:
    if not form.is_bound:
        warnings = direction_warnings(challenge.newest, challenge.columns)
        return ChangePreview(row_labels.spoken(columns_of(challenge)), "", "", warnings)
    if not form.is_valid():
        problems = (f"{_label(form, name)}: {texts[0]}" for name, texts in form.errors.items())
        return ChangePreview([], " ".join(problems), "")
    try:
        planned = planned_change(challenge, form.changes())
    except ServiceError as refused:
        return ChangePreview([], refused.message, "")
    return ChangePreview(
        row_labels.spoken(planned.columns),
        "",
        effect_of(challenge, planned.attempts) if planned.makes_version else "",
        planned.warnings,
    )


def _label(form: ChangeForm, name: str) -> str:
    return str(form[name].label) if name in form.fields else name


def preview_rows(
    request: HttpRequest, challenge: Challenge, columns: Sequence[Column]
) -> list[PreviewRow]:
    """The first rows by the columns that the board would rank by."""
    board = board_for(request, current_board(shown_boards(challenge)))
    rows = [row for row in board.page_from(0, limit=MOST_ROWS).rows if row.rank is not None]
    ranked = [column for column in columns if column.ranked]
    for column in reversed(ranked):
        rows.sort(key=lambda row, by=column: _place(by, row))  # type: ignore[misc]
    texts = texts_of(columns)
    return [
        PreviewRow(row.participant.shown_name, cells(texts, row.values, row.reached_at, row.cells))
        for row in rows[:PREVIEWED]
    ]


def _place(column: Column, row: BoardRow) -> tuple[bool, float]:
    """The place of a row by a column: missing values last."""
    value = row.reached_at.timestamp() if column.key == TIME else column.value(row.values)
    if value is None:
        return True, 0.0
    return False, value if column.direction == "asc" else -value
