"""Names of the plugins that a challenge has of its own, from files that its organisers upload.

A challenge names them `challenge.module:Class`. Each upload is a package with a name of its own,
`challenge_…`, which only this product makes up: so a sandbox that is asked for such a name loads
this upload and no other, and no name that somebody sends can lead to the upload of another
challenge.
"""

from __future__ import annotations

import re
from typing import Final

OWN: Final = "challenge"
"""The package of a challenge's own plugins, as the challenge names it."""
_PACKAGE: Final = re.compile(r"challenge_[0-9a-f]{32}")


def package_named(key: str) -> str:
    """The package of an upload. key: 32 hexadecimal digits that belong to this upload alone."""
    package = f"{OWN}_{key}"
    if not _PACKAGE.fullmatch(package):
        raise ValueError(f"no key of an upload: {key}")
    return package


def own_package(name: str) -> str:
    """The package of an upload that a module or an entry point is in; "" if it is in none."""
    top = name.partition(":")[0].partition(".")[0]
    return top if _PACKAGE.fullmatch(top) else ""


def is_own(entrypoint: str) -> bool:
    """Whether a challenge names a plugin of its own by this entry point."""
    return entrypoint.startswith(f"{OWN}.")


def written(name: str) -> str:
    """A module or an entry point as challenges name it: without the key of an upload."""
    package = own_package(name)
    return f"{OWN}{name.removeprefix(package)}" if package else name


def placed(entrypoint: str, package: str) -> str:
    """An entry point as the sandbox loads it. package: of the challenge that names it; "" without.

    The package of an upload that somebody has written into the name does not count.
    """
    name = written(entrypoint)
    return f"{package}{name.removeprefix(OWN)}" if package and is_own(name) else name
