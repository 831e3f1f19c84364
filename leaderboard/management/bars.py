"""A progress bar as one line of text."""

WIDTH = 40


def bar(done: int, total: int) -> str:
    """A bar such as `████···· 120 / 240`."""
    share = done / total if total else 1.0
    return f"{('█' * round(share * WIDTH)).ljust(WIDTH, '·')} {done} / {total}"
