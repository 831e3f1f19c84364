"""The function that does nothing, for callbacks that nobody needs."""


def noop(*ignored: object) -> None:
    """Do nothing."""
