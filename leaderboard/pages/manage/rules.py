"""`/c/{slug}/manage/rules/`: organisers change what a challenge says, scores and shows."""

from __future__ import annotations

from leaderboard.pages.manage.changing import change_view
from leaderboard.pages.manage.forms.rules_form import RulesForm
from leaderboard.pages.shared.access import signed_in

manage_rules = change_view(
    "rules", lambda challenge, request, data: RulesForm(challenge, signed_in(request), data)
)
