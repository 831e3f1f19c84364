"""The number of examples that Hypothesis tries in a test that sets it."""

from hypothesis import settings

FEW = 10


def examples(count: int) -> int:
    """Return `count`, or ten in `make check`, whose profile is for quick feedback."""
    return FEW if settings.get_current_profile_name() == "check" else count
