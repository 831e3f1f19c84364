"""Trying a scorer from the page of a challenge before anything is saved."""

from __future__ import annotations

from collections.abc import Mapping

from leaderboard.admin.challenge_form import ChallengeForm
from leaderboard.facts import FactValue, scored_facts
from leaderboard.forms.errors import FormWithSent
from leaderboard.forms.setting_fields import fact_field
from leaderboard.models import Challenge, Score, Tenant
from leaderboard.services.challenges.fields import checked_scoring_fields
from leaderboard.services.challenges.own_plugins import own_package_of
from leaderboard.services.challenges.scoring_configs import Inherited, checked_scoring
from leaderboard.services.errors import ServiceError
from leaderboard.services.scoring.trials import trial_score


class TryForm(FormWithSent):
    """The facts of an invented attempt."""

    vars().update(
        {fact.key: fact_field(fact) for fact in scored_facts() if fact.example is not None}
    )

    prefix = "try"
    use_required_attribute = False


def try_unsaved(form: ChallengeForm, facts: TryForm) -> Score | None:
    """The score that a worker would store for these facts under the current input of the form.

    Runs the scorer in the sandbox and saves nothing. Returns None if the input is invalid; the
    forms then have the errors.
    """
    form.forget_errors(but_of_scorer=True)
    if form.errors or not facts.is_valid():
        return None
    try:
        return _scored(form, facts.cleaned_data)
    except ServiceError as refused:
        form.refuse(refused)
        return None


def _scored(form: ChallengeForm, facts: Mapping[str, FactValue | None]) -> Score:
    challenge = _challenge(form)
    fields = checked_scoring_fields(
        {
            "scoring_strategy": "custom",
            "scoring_entrypoint": form.cleaned_data["scoring_entrypoint"],
            "scoring_config": form.config(),
            **form.typed_values(["timeout_ms"]),
        }
    )
    before = form.config_before
    kept = Inherited(before.secrets if before and not form.is_new_scorer else {})
    package = own_package_of(form.instance) if before else ""
    config = checked_scoring(fields, tenant=challenge.tenant.slug, kept=kept, package=package)
    config.challenge, config.number = challenge, 0
    return trial_score(config, facts)


def _challenge(form: ChallengeForm) -> Challenge:
    """The challenge as entered in the form, for the scoring context."""
    typed = form.cleaned_data
    tenant = typed.get("tenant") or (form.instance.tenant if form.config_before else Tenant())
    names = ("slug", "app_id", "workflow_id")
    fields = {name: typed.get(name, "") for name in names}
    return Challenge(pk=form.instance.pk, tenant=tenant, **fields)
