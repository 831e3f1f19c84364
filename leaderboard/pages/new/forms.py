"""The forms for a new challenge: one for each kind, which asks only for what this kind needs."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from typing import ClassVar, Final

from django import forms
from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from leaderboard.forms.challenge_inputs import FIELDS, title_of
from leaderboard.forms.choice_labels import labels_of, strategy_labels
from leaderboard.forms.metric_choice import with_k
from leaderboard.forms.plugin_choices import described, usable_plugins
from leaderboard.forms.rank_rows import DIRECTIONS, DIRECTIONS_OF_METRICS
from leaderboard.forms.schema_fields import form_field
from leaderboard.forms.setting_fields import SETTINGS_OF, ScorerSettings
from leaderboard.languages.translation import translated
from leaderboard.models import Tenant, User
from leaderboard.pages.manage.forms.task_rows import listed_tasks
from leaderboard.pages.shared.abstract_forms import AbstractForm
from leaderboard.rules.json.untyped_dicts import FormValues, SentFields
from leaderboard.schemas.choices import Visibility
from leaderboard.services.challenges.templates import TEMPLATES
from leaderboard.services.plugins.catalogue import known_plugins
from leaderboard.strategies import known_strategies

NAMELESS: Final = "…"
"""The name of a challenge in a preview before it has one."""


UNCHECKED: Final = gettext_lazy(
    "Participants report these values themselves, and nothing here checks them. To compare what "
    "they submit with labels that only you have, choose Texts."
)


class KindForm(AbstractForm):
    """The fields that every kind has. The service checks them, so that errors are the API's."""

    label: ClassVar[str | Promise]
    about: ClassVar[str | Promise]
    notice: ClassVar[str | Promise] = ""
    """What organisers should know before they choose it."""
    strategy: ClassVar[str] = "metric"

    name = form_field(FIELDS["name"])
    summary = form_field(FIELDS["summary"])
    description = form_field(FIELDS["description"])
    visibility = form_field(FIELDS["visibility"], labels_of("visibility"))
    template = forms.ChoiceField(
        label=gettext_lazy("Template"), required=False, widget=forms.RadioSelect
    )

    def __init__(
        self,
        user: User,
        tenants: Iterable[Tenant],
        data: QueryDict | None = None,
        template: str = "",
    ) -> None:
        super().__init__(data, initial={"template": template, "visibility": Visibility.PUBLIC})
        self.tenants = {tenant.slug: tenant for tenant in tenants}
        if len(self.tenants) > 1:
            choices = [(slug, tenant.name) for slug, tenant in self.tenants.items()]
            self.fields["tenant"] = forms.ChoiceField(label=gettext_lazy("Tenant"), choices=choices)
        offer(self, "template", _templates())
        self.offer(user)
        self.order_fields(["tenant", "name", *type(self).own])

    own: ClassVar[tuple[str, ...]] = ()
    """The fields of the kind, which come after the name."""

    @property
    def setting_names(self) -> list[str]:
        """The names of the fields that depend on a choice in this form."""
        return []

    @property
    def parts(self) -> tuple[list[forms.BoundField], ...]:
        """The fields in their order: up to those of the kind, then those of settings, the rest."""
        settings = [*self.setting_names]
        first = [name for name in ("tenant", "name", *self.own) if name in self.fields]
        last = [name for name in self.fields if name not in (*first, *settings)]
        return tuple([self[name] for name in names] for names in (first, settings, last))

    def offer(self, user: User) -> None:
        """Set the choices that depend on the user."""

    @abstractmethod
    def scoring(self, given: FormValues) -> SentFields:
        """The fields of the kind as the API would be sent them; `given`: those that are valid."""

    @property
    def tenant(self) -> Tenant:
        """The tenant of the challenge: the chosen one, or the only one."""
        chosen = self.cleaned_data.get("tenant")
        return self.tenants[chosen] if chosen else next(iter(self.tenants.values()))

    def body(self) -> SentFields:
        """The challenge as the API would be sent it. Call it after `is_valid`."""
        given = self.cleaned_data
        texts = {"summary": given.get("summary", ""), "description": given.get("description", "")}
        return {
            "name": given.get("name") or NAMELESS,
            **texts,
            "visibility": given.get("visibility") or Visibility.PUBLIC,
            "scoring_strategy": self.strategy,
            **self.scoring(given),
        }


class FactsKind(KindForm):
    label = gettext_lazy("Game by facts")
    about = gettext_lazy(
        "Attempts report how long they took, how many tokens they used or how they were rated."
    )
    notice = UNCHECKED
    own = ("scoring_strategy",)

    scoring_strategy = forms.ChoiceField(
        label=title_of("scoring_strategy"), widget=forms.RadioSelect
    )

    def offer(self, user: User) -> None:
        strategies, labels = known_strategies().values(), strategy_labels()
        of_facts = [
            strategy for strategy in strategies if strategy.keys and not strategy.runs_scorer
        ]
        offer(
            self,
            "scoring_strategy",
            [(strategy.key, labels[strategy.key]) for strategy in of_facts],
        )

    def scoring(self, given: FormValues) -> SentFields:
        return {"scoring_strategy": given.get("scoring_strategy", "")}


class ScorerKind(ScorerSettings, KindForm):
    label = gettext_lazy("Scorer")
    about = gettext_lazy("A plugin of this server computes the score of each attempt.")
    strategy = "custom"
    own = ("scoring_entrypoint",)

    scoring_entrypoint = forms.ChoiceField(
        label=title_of("scoring_entrypoint"),
        widget=forms.RadioSelect,
        help_text=gettext_lazy("Its settings appear below once you have chosen one."),
    )

    def offer(self, user: User) -> None:
        usable = usable_plugins(user, known_plugins().scorers)
        choices = [(plugin.entrypoint, described(plugin.entrypoint, plugin)) for plugin in usable]
        offer(self, "scoring_entrypoint", choices)
        chosen = str(self.data.get("scoring_entrypoint", "")) if self.is_bound else ""
        schemas = {plugin.entrypoint: plugin.config_schema or {} for plugin in usable}
        self.add_settings(chosen if chosen in schemas else "", schemas.get(chosen, {}), None)

    @property
    def setting_names(self) -> list[str]:
        return [SETTINGS_OF, *self.setting_fields]

    def scoring(self, given: FormValues) -> SentFields:
        chosen = given.get("scoring_entrypoint", "")
        return {"scoring_entrypoint": chosen, "scoring_config": self.config()}


class TasksKind(KindForm):
    label = gettext_lazy("Benchmark tasks")
    about = gettext_lazy("Attempts bring rewards for samples of tasks, and metrics sum them up.")
    own = ("metrics", "k", "rank_by", "direction", "tasks")

    metrics = forms.MultipleChoiceField(
        label=title_of("metrics"), widget=forms.CheckboxSelectMultiple
    )
    k = forms.IntegerField(
        label=gettext_lazy("K"),
        required=False,
        min_value=1,
        help_text=gettext_lazy("Of metrics with a K in their name. Empty: 1."),
    )
    rank_by = forms.CharField(
        label=title_of("rank_by"),
        required=False,
        help_text=gettext_lazy("A value of the board. Empty: the first metric."),
    )
    direction = forms.ChoiceField(
        label=gettext_lazy("Order"), choices=DIRECTIONS_OF_METRICS, required=False
    )
    tasks = forms.CharField(
        label=title_of("tasks"),
        required=False,
        help_text=gettext_lazy(
            "One per line: a name, or a name and its rewards, such as"
            " “task-1: accuracy, style”. Empty: the tasks that attempts contain."
        ),
        widget=forms.Textarea(attrs={"rows": 4}),
    )

    def offer(self, user: User) -> None:
        usable = usable_plugins(user, known_plugins().metrics)
        offer(self, "metrics", [(plugin.name, described(plugin.name, plugin)) for plugin in usable])

    def scoring(self, given: FormValues) -> SentFields:
        metrics = with_k(given.get("metrics", ()), given.get("k"))
        tasks = listed_tasks(given.get("tasks", ""))
        return {"metrics": metrics, "tasks": tasks, "rank_by": ranked(given, metrics)}


class TextsKind(KindForm):
    label = gettext_lazy("Texts")
    about = gettext_lazy(
        "Attempts bring outputs of a model, which text metrics compare with what is expected."
    )
    notice = gettext_lazy(
        "Once the draft is made, store the inputs and what is expected under References: a table "
        "with an id, an input and an expected output, such as a label, in each row. Participants "
        "then submit outputs only, and do not see what is expected."
    )
    own = ("text_metrics", "rank_by", "direction")

    text_metrics = forms.MultipleChoiceField(
        label=title_of("text_metrics"), widget=forms.CheckboxSelectMultiple
    )
    rank_by = forms.CharField(
        label=title_of("rank_by"),
        required=False,
        help_text=gettext_lazy("A value of the board. Empty: the first metric."),
    )
    direction = forms.ChoiceField(
        label=gettext_lazy("Order"), choices=DIRECTIONS_OF_METRICS, required=False
    )

    def offer(self, user: User) -> None:
        usable = usable_plugins(user, known_plugins().text_metrics)
        offer(
            self,
            "text_metrics",
            [(plugin.name, described(plugin.name, plugin)) for plugin in usable],
        )
        if self.initial.get("template") == "class":
            self.initial["text_metrics"] = ["EXACT_MATCH"]

    def scoring(self, given: FormValues) -> SentFields:
        metrics = given.get("text_metrics", [])
        return {"text_metrics": metrics, "rank_by": ranked(given, metrics)}


class FilesKind(KindForm):
    label = gettext_lazy("Result files")
    about = gettext_lazy("Attempts report values that were computed elsewhere, such as a table.")
    notice = UNCHECKED
    own = ("values", "direction")

    values = forms.CharField(
        label=title_of("values"),
        help_text=gettext_lazy("One name per line. The board ranks by the first."),
        widget=forms.Textarea(attrs={"rows": 4}),
    )
    direction = forms.ChoiceField(label=gettext_lazy("Order"), choices=DIRECTIONS)

    def scoring(self, given: FormValues) -> SentFields:
        lines = given.get("values", "").splitlines()
        values = [line.strip() for line in lines if line.strip()]
        return {"values": values, "rank_by": ranked(given, values)}


OF_TEMPLATE: Final[Mapping[str, Mapping[str, str | Promise]]] = {
    "class": {
        "texts": gettext_lazy("Texts with labels: you store the labels, Podium compares."),
        "facts": gettext_lazy("Facts such as time, tokens or cost: nothing checks them."),
        "files": gettext_lazy("Values that students compute themselves: nothing checks them."),
    },
    "shared_task": {"texts": TextsKind.label},
    "agent_benchmark": {"tasks": TasksKind.label},
}
"""The kinds that a template is offered with, each with its label; others may be chosen too."""


def _templates() -> list[tuple[str, str | Promise]]:
    described = (
        (key, f"{translated(template.label)}: {translated(template.summary)}")
        for key, template in TEMPLATES.items()
    )
    return [("", gettext_lazy("None: always open to everyone, without limits")), *described]


def offer(form: forms.Form, name: str, choices: Iterable[tuple[str, str | Promise]]) -> None:
    """Set the choices of a field."""
    form.fields[name].choices = list(choices)  # type: ignore[attr-defined]


def ranked(given: FormValues, keys: Iterable[str]) -> list[dict[str, str]]:
    """What the board ranks by: the value that was named, else the first of the keys."""
    key = given.get("rank_by") or next(iter(keys), "")
    if not key:
        return []
    direction = given.get("direction")
    return [{"key": key, "direction": direction} if direction else {"key": key}]
