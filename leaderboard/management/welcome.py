"""What `manage.py up` prints once it answers: a box on a terminal, a plain line elsewhere."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urljoin

from django.urls import reverse

PASSWORD_FILE = "admin-password"  # noqa: S105 - the name of a file


def box(lines: Sequence[str]) -> str:
    """The lines in a frame."""
    width = max(map(len, lines))
    inside = [f"│ {line:<{width}} │" for line in lines]
    return "\n".join([f"╭{'─' * (width + 2)}╮", *inside, f"╰{'─' * (width + 2)}╯"])


def on_a_terminal(url: str, folder: Path, password: str | None) -> str:
    """Address, sign-in, data folder and how to stop; also the password of `admin` if it is new."""
    lines = [f"Open      {url}"]
    if password:
        lines += [f"Sign in   {sign_in(url)}", f"          admin / {password}", ""]
        lines += ["The password is shown only now; manage.py changepassword sets another one.", ""]
    else:
        lines += [f"Sign in   {sign_in(url)}"]
    return box([*lines, f"Data      {folder}", "Ctrl-C stops. Attempts that wait go on next time."])


def in_a_log(url: str, password_file: Path) -> str:
    """How to sign in, without the password, as not all readers of the log may sign in."""
    return f"Sign in at {sign_in(url)} as admin with the password in {password_file}"


def sign_in(url: str) -> str:
    """The address at which organisers sign in. url: the server's address."""
    return urljoin(url, reverse("admin:index"))


def keep_password(folder: Path, password: str) -> Path:
    """Write the password into a file of the data folder that only its owner can read."""
    path = folder / PASSWORD_FILE
    path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(f"{password}\n")
    return path
