from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib.admin.widgets import AdminTextInputWidget
from django.forms import ModelChoiceField
from django.utils.translation import gettext_lazy

from leaderboard.models import User

if TYPE_CHECKING:
    UserChoiceField = ModelChoiceField[User]
else:
    UserChoiceField = ModelChoiceField


class UsernameField(UserChoiceField):
    """A user, entered by name, so that organisers do not see the users of other tenants."""

    widget = AdminTextInputWidget
    default_error_messages = {"invalid_choice": gettext_lazy("must be the name of a user")}

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(
            User.objects.filter(is_active=True),
            to_field_name="username",
            **{"help_text": gettext_lazy("The name that the user signs in with."), **kwargs},
        )

    def prepare_value(self, value: Any) -> Any:
        """Show the name of a user; a row's initial value is the user's key."""
        if isinstance(value, int):
            value = User.objects.filter(pk=value).first()
        return super().prepare_value(value)

    def has_changed(self, initial: Any, data: Any) -> bool:
        return str(self.prepare_value(initial) or "") != str(data or "").strip()
