"""What the fork server has to know of the code that runs in children, without importing it."""

from collections.abc import Callable, Mapping
from importlib.machinery import ModuleSpec
from typing import NamedTuple, NoReturn

from leaderboard.sandbox.server.confinement import Confinement

Live = Callable[[Confinement, str, list[int], int, str | None], NoReturn]


class Children(NamedTuple):
    """The steps of a child's code, in the order in which they are run.

    import_once: in the fork server, after the libraries. find_plugins: in a zygote, once it knows
    where packages are, given those that are not on the import path; the last thing before it forks.
    live: in a child, from its fork to its end, with its confinement, its working folder, its three
    pipes, its seconds on the processor and the folder of the one program that it may start.
    """

    import_once: Callable[[], None]
    find_plugins: Callable[[Mapping[str, ModuleSpec]], None]
    live: Live
