"""Computes what each kind of reader sees of a phase, from the organisers' settings."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import Final, NamedTuple

from leaderboard.rules.visibility.withholding import Withholding


class Extent(IntEnum):
    """Whose data a reader sees: no one's, their own, everyone's."""

    NONE = 0
    OWN = 1
    ALL = 2


class Actor(IntEnum):
    """The kind of a reader: anyone, someone who takes part, an organiser or a reviewer."""

    ANYONE = 0
    PARTICIPANT = 1
    ORGANISER = 2


class ViewSettings(NamedTuple):
    """The settings of a phase, by the names and values of the API."""

    board: str = "public"
    scores: str = "shown"
    attempts: str = "public"
    names: str = "shown"
    notes: str = "auto"

    @property
    def hides_nothing_else(self) -> bool:
        """Whether everybody sees everything, notes and meta apart."""
        return self == ViewSettings(notes=self.notes)

    @property
    def hides_something(self) -> bool:
        """Whether some readers see less than organisers do."""
        return self.notes == "own" or not self.hides_nothing_else


class PhaseView(NamedTuple):
    """What a reader sees of a phase.

    board: its rows; ALL: also its order, ranks and counts. scores: the scores of attempts, with
    everything from which one could compute them. attempts: that they exist. names: of participants.
    notes: of attempts, with their meta. decimals: to how many digits scores are rounded, and None
    for exact ones. least_coverage: the share of the tasks below which a score is hidden.
    least_improvement: by how much an attempt has to improve the score that counts, so that the
    reader sees its score.
    """

    board: Extent
    scores: Extent
    attempts: Extent
    names: Extent
    notes: Extent
    decimals: int | None = None
    least_coverage: float | None = None
    least_improvement: float | None = None

    @property
    def counted_only(self) -> bool:
        """Whether the reader sees scores of those attempts alone that participants stand with."""
        return self.least_improvement is not None

    @property
    def is_exact(self) -> bool:
        """Whether scores are neither rounded nor hidden because of their coverage."""
        return self.decimals is None and self.least_coverage is None


EXTENTS: Final = 5
"""How many of the fields of a view are extents; these are the first."""
EVERYTHING: Final = PhaseView(*[Extent.ALL] * EXTENTS)

NOTHING_WITHHELD: Final = Withholding()
_SCORES: Final = {"shown": Extent.ALL, "own": Extent.OWN, "hidden": Extent.NONE}


def view_of(
    settings: ViewSettings,
    actor: Actor,
    *,
    ended: bool,
    withheld: Withholding = NOTHING_WITHHELD,
) -> PhaseView:
    """What a reader sees. ended: whether the end of the phase has passed.

    A board is in the order of scores, so its rows are hidden from whoever may not see the scores,
    and the scores of others from whoever may not see the board. One's own attempts, and one's own
    name and notes, are never hidden. Delayed scores are hidden until the end.
    """
    if actor is Actor.ORGANISER:
        return EVERYTHING
    board, scores = _board(settings.board, actor), _SCORES[settings.scores]
    if withheld.scores_delayed and not ended:
        scores = Extent.NONE
    is_anonymous = settings.names == "anonymous" and not ended
    is_revealed = settings.attempts == "after_end" and ended
    return PhaseView(
        board=min(board, scores),
        scores=min(max(board, Extent.OWN), scores),
        attempts=_all_if(settings.attempts == "public" or is_revealed),
        names=_all_if(not is_anonymous),
        notes=_all_if(_are_notes_public(settings) and not is_anonymous),
        decimals=withheld.shown_decimals,
        least_coverage=withheld.least_coverage,
        least_improvement=withheld.least_improvement,
    )


def narrowest(views: Iterable[PhaseView]) -> PhaseView:
    """What is visible in each of some phases."""
    all_views = [EVERYTHING, *views]
    extents = map(min, zip(*(view[:EXTENTS] for view in all_views), strict=True))
    decimals = [view.decimals for view in all_views if view.decimals is not None]
    shares = [view.least_coverage for view in all_views if view.least_coverage is not None]
    steps = [view.least_improvement for view in all_views if view.least_improvement is not None]
    decimal, share = min(decimals, default=None), max(shares, default=None)
    return PhaseView(*extents)._replace(
        decimals=decimal,
        least_coverage=share,
        least_improvement=max(steps, default=None),
    )


def _board(setting: str, actor: Actor) -> Extent:
    if setting == "public" or (setting == "participants" and actor is Actor.PARTICIPANT):
        return Extent.ALL
    return Extent.OWN if setting == "own" else Extent.NONE


def _are_notes_public(settings: ViewSettings) -> bool:
    """`auto` means everyone in a phase that hides nothing else."""
    is_auto = settings.notes == "auto" and settings.hides_nothing_else
    return is_auto or settings.notes == "public"


def _all_if(is_public: bool) -> Extent:
    return Extent.ALL if is_public else Extent.OWN
