"""Put a metric script and the packages of its header into a folder."""

from pathlib import Path

from leaderboard.rules.failures import FailureCode
from leaderboard.rules.noop import noop
from leaderboard.sandbox.scripts.headers import HeaderError, ScriptHeader, read_header
from leaderboard.sandbox.scripts.uv import ReportLine, UvFailed, UvMissing, environment_with


class NotPrepared(Exception):
    """A script that cannot be prepared. `messages` has uv's messages."""

    def __init__(self, code: FailureCode, message: str, messages: str = "") -> None:
        super().__init__(message)
        self.code, self.message, self.messages = code, message, messages


def prepared_in(parent: Path, text: str, downloads: Path) -> Path:
    """Prepare a script in a new folder of `parent`; returns this folder. Raises NotPrepared."""
    plain = text.replace("\r\n", "\n")
    try:
        header = read_header(plain)
    except HeaderError as error:
        raise NotPrepared(error.code, error.message) from None
    folder = parent / "prepared"
    folder.mkdir()
    parent.chmod(0o755)  # The user that runs scripts may read it.
    fill(folder, plain, header, downloads)
    return folder


def fill(
    folder: Path, text: str, header: ScriptHeader, downloads: Path, tell: ReportLine = noop
) -> str:
    """Fill a folder with the script and its packages; returns uv's messages. Raises NotPrepared."""
    try:
        messages = environment_with(
            header.dependencies, at=folder / "env", cache=downloads, tell=tell, pins=header.pins
        )
    except UvMissing as error:
        raise NotPrepared("not_installed", error.message) from None
    except UvFailed as error:
        raise NotPrepared("not_installed", error.message, error.messages) from None
    for name, content in (("script.py", text), ("said", messages)):
        (folder / name).write_text(content, encoding="utf-8")
        (folder / name).chmod(0o644)
    folder.chmod(0o755)
    return messages
