"""One benchmark, in a process that has no other."""

from __future__ import annotations

from importlib import import_module


def run_and_print(name: str, attempts: int | None, rounds: int) -> None:
    """Run a benchmark with the settings of the environment, and print its table."""
    import django

    django.setup()
    from benchmarks.parts import measure

    measure.most_rounds = rounds
    given = {"attempts": attempts} if attempts else {}
    print(import_module(f"benchmarks.{name}").run(**given), end="\n\n", flush=True)
