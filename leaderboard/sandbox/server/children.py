"""The functions of the children's code that the fork server calls without importing it."""

from collections.abc import Callable
from typing import NamedTuple, NoReturn

from leaderboard.sandbox.server.confinement import Confinement

Live = Callable[[Confinement, str, list[int], int, str | None], NoReturn]


class Children(NamedTuple):
    """The steps of a child's code, in the order in which they run.

    import_once: runs in the fork server, after the import of the libraries.
    find_plugins: runs in a zygote before its first fork, when the zygote knows where packages are.
    live: runs in a child, from its fork to its end; takes its confinement, its working folder, its
    three pipes, its limit of processor time in seconds, and the folder of the one program that it
    may start (or None).
    """

    import_once: Callable[[], None]
    find_plugins: Callable[[], None]
    live: Live
