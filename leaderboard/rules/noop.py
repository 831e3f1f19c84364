"""A function that does nothing: the default of optional callbacks."""


def noop(*ignored: object) -> None:
    """Do nothing."""
