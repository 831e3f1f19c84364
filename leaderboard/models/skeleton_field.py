from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from django.db import models

from leaderboard.rules.texts.skeletons import skeleton

if TYPE_CHECKING:
    TextField = models.CharField[str, str]
else:
    TextField = models.CharField


SOURCE: Final = "username"


class SkeletonField(TextField):
    """The skeleton of the username, written whenever a user is saved.

    Users are also made by code of Django, which knows nothing of skeletons.
    """

    def deconstruct(self) -> Any:
        name, _path, args, kwargs = super().deconstruct()
        # In a migration it is a plain column.
        return name, "django.db.models.CharField", args, kwargs

    def pre_save(self, model_instance: models.Model, add: bool) -> str:
        value = skeleton(getattr(model_instance, SOURCE))
        setattr(model_instance, self.attname, value)
        return value
