"""The command `podium`."""

from __future__ import annotations

from importlib import import_module
from typing import Final

import click

from podium.version import VERSION

MODULES: Final = {
    **dict.fromkeys(("login", "logout", "whoami", "use"), "accounts"),
    **dict.fromkeys(("submit", "check", "attempts", "attempt", "quota"), "attempts"),
    **dict.fromkeys(("leaderboard", "download", "export", "compare"), "boards"),
    "gate": "gate",
    "challenge": "challenge",
    "webhook": "webhook",
}
"""Where each command is; a module is imported when one of its commands runs."""
SUMMARIES: Final = {
    "login": "Sign in to a server.",
    "logout": "Forget a server and its token.",
    "whoami": "Say who you are, and what you may do.",
    "use": "Choose the server that commands are for.",
    "submit": "Submit a file, a folder or numbers.",
    "check": "Check a submission and send nothing.",
    "attempts": "List attempts.",
    "attempt": "Show an attempt.",
    "quota": "Say how many attempts are left.",
    "leaderboard": "Show the board.",
    "download": "Download files of a challenge or an attempt.",
    "export": "Write the board in a format of the exchange.",
    "compare": "Compare two attempts task by task.",
    "gate": "Compare a candidate with a baseline, for CI.",
    "challenge": "Keep a challenge as a folder.",
    "webhook": "Receive the events of a challenge.",
}
CODES: Final = """\b
Exit codes: 0 done · 1 refused · 2 wrong use · 3 no answer, safe to repeat ·
4 the attempt failed, or the gate cannot decide · 5 still waiting."""


class Lazy(click.Group):
    """A group that imports a command when it runs."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(MODULES)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in MODULES:
            return None
        command: click.Command = getattr(
            import_module(f"podium.commands.{MODULES[name]}"), name.replace("-", "_")
        )
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([*SUMMARIES.items()])


@click.group(cls=Lazy, epilog=CODES, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, prog_name="podium")
def main() -> None:
    """Submit to a leaderboard, read it, and keep challenges as folders.

    Data goes to the standard output, everything else to the standard error. PODIUM_URL and
    PODIUM_TOKEN, PODIUM_SERVER and PODIUM_CHALLENGE stand for options.
    """


if __name__ == "__main__":
    main()
