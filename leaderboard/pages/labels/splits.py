"""The split of a challenge into public and private tasks, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from leaderboard.languages.translation import count_text, number_text
from leaderboard.models import Phase, ScoringConfig
from leaderboard.rules.json.stored import StoredSplit
from leaderboard.rules.rewards.splits import TaskPart

FINAL: Final[Mapping[str, str | Promise]] = {
    TaskPart.PRIVATE: gettext_lazy("The private ones alone"),
    TaskPart.ALL: gettext_lazy("All"),
    TaskPart.PUBLIC: gettext_lazy("The public ones, as before"),
}
"""The choices of the part that counts at the end of a phase."""

_AT_THE_END: Final[Mapping[str, str | Promise]] = {
    TaskPart.PRIVATE: gettext_lazy(
        "At the end of the phase, scores are computed on the others, which are private until then."
    ),
    TaskPart.ALL: gettext_lazy(
        "At the end of the phase, scores are computed on all of them. The others are private until "
        "then."
    ),
    TaskPart.PUBLIC: gettext_lazy("The others are private and never count in this phase."),
}
_FINAL_BOARD: Final[Mapping[str, str | Promise]] = {
    TaskPart.PRIVATE: gettext_lazy(
        "These are the final scores, on the tasks that were private until the end."
    ),
    TaskPart.ALL: gettext_lazy(
        "These are the final scores, on all tasks, of which some were private until the end."
    ),
}


def split_rules(config: ScoringConfig, phase: Phase) -> Iterator[str]:
    """What a phase of a challenge with private tasks says about them, a sentence each.

    config: the scoring version that readers see.
    """
    if config.parts is None:
        return
    if (part := config.final_parts.get(str(phase.pk))) is not None:
        yield str(_FINAL_BOARD[part])
        yield _("▲ and ▼ show how far each row has moved from its rank on the public tasks.")
        return
    yield _public(config)
    if phase.final_at is not None:
        yield _("The phase has ended, and the final scores are being computed.")
    else:
        yield str(_AT_THE_END[phase.final_part])


def awaited_finals(config: ScoringConfig, phase: Phase, *, frozen: bool) -> str:
    """Why the final scores of a phase are not there yet; "" if they are, or if there are none.

    config: the scoring version that readers see.
    """
    is_final = str(phase.pk) in config.final_parts or phase.final_part == TaskPart.PUBLIC
    if config.parts is None or is_final:
        return ""
    if frozen:
        return _(
            "The final scores count private tasks. They are computed when the board is revealed, "
            "and the order may then change. To see them before the participants do, let only "
            "organisers see the board, reveal it, and show the board again after these steps."
        )
    return _("The phase has ended, and the final scores are being computed.")


def split_as_text(stored: StoredSplit | None) -> str:
    """The split that a scoring config stores, in a few words."""
    if stored is None:
        return _("all")
    if "column" in stored:
        return _("by a column of the truth")
    if names := stored.get("public"):
        return _("{count} listed").format(count=count_text(len(names)))
    share = number_text(f"{stored['share'] * 100:g}%")
    return _("{share}, seed {seed}").format(share=share, seed=stored["seed"] or "–")


def _public(config: ScoringConfig) -> str:
    """How much of a challenge is public."""
    split, tasks = config.parts, config.declared_tasks
    if split is not None and tasks:
        public = sum(split.is_public(task.name) for task in tasks)
        return ngettext(
            "Scores are computed on {public} public task of {total}.",
            "Scores are computed on {public} public tasks of {total}.",
            public,
        ).format(public=count_text(public), total=count_text(len(tasks)))
    if config.prediction_metrics:
        return _("Scores are computed on the public rows.")
    if listed := (config.split or {}).get("public"):
        return ngettext(
            "Scores are computed on {count} public instance.",
            "Scores are computed on {count} public instances.",
            len(listed),
        ).format(count=count_text(len(listed)))
    share = number_text(f"{(config.split or {}).get('share', 0) * 100:g}%")
    return _("Scores are computed on {share} of the instances, which are public.").format(
        share=share
    )
