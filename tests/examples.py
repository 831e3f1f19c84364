"""How many examples Hypothesis tries where a test says so itself."""

from hypothesis import settings

FEW = 10


def examples(count: int) -> int:
    """`count`, or ten in `make check`, whose profile is for a first look."""
    return FEW if settings.get_current_profile_name() == "check" else count
