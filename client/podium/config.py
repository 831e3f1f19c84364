"""Which server is meant, and with which token: the environment first, then the user's file.

A stored token is sent only to the address that it was stored for.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from podium.errors import WrongUse


class Target(NamedTuple):
    """A server. name: in the file, "" for none of it. token: "" for none."""

    name: str
    url: str
    token: str


@dataclass
class Config:
    """The servers by name, and which one is used."""

    current: str = ""
    servers: dict[str, Target] = field(default_factory=dict)


def config_path() -> Path:
    """Where the file is: `$XDG_CONFIG_HOME/podium/config.toml`."""
    home = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(home) / "podium" / "config.toml"


def read_config() -> Config:
    """The file; an empty one if it does not exist. Raises WrongUse."""
    import tomllib

    try:
        stored = tomllib.loads(config_path().read_text("utf-8"))
    except FileNotFoundError:
        return Config()
    except (OSError, ValueError) as error:
        raise WrongUse(f"{config_path()}: {error}") from None
    try:
        servers = {
            name: Target(name, str(server.get("url", "")), str(server.get("token", "")))
            for name, server in stored.get("servers", {}).items()
        }
    except AttributeError:
        text = "servers: must be tables such as [servers.lab] with url and token"
        raise WrongUse(f"{config_path()}: {text}") from None
    return Config(str(stored.get("current", "")), servers)


def write_config(config: Config) -> None:
    """Replace the file at once; only its owner may read it."""
    import tempfile

    import tomli_w

    path = config_path()
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    servers = {
        name: {"url": target.url, "token": target.token} for name, target in config.servers.items()
    }
    text = tomli_w.dumps({"current": config.current, "servers": servers})
    descriptor, temporary = tempfile.mkstemp(dir=path.parent)  # 0600
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(temporary, path)


def clean_url(url: str) -> str:
    """The root of a server, without a slash at its end. Raises WrongUse."""
    try:
        parts = urlsplit(url)
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname)
        is_address = is_address and parts.username is None and parts.port != 0
    except ValueError:
        is_address = False
    if not is_address or any(c.isspace() for c in url):
        raise WrongUse(f"url: must begin with https:// or http:// and a host; got {url}")
    return f"{parts.scheme}://{parts.netloc.lower()}{parts.path.rstrip('/')}"


def target_for(
    name: str = "", url: str = "", token: str = "", environ: Mapping[str, str] = os.environ
) -> Target:
    """The server that is meant. Raises WrongUse if none is.

    name: one of the file; url, token: of another. What is not given comes from PODIUM_SERVER,
    PODIUM_URL and PODIUM_TOKEN, then from the file.
    """
    config = read_config()
    name = name or ("" if url else environ.get("PODIUM_SERVER", ""))
    token = token or environ.get("PODIUM_TOKEN", "")
    url = url or ("" if name else environ.get("PODIUM_URL", ""))
    if url:
        url = clean_url(url)
        stored = [target for target in config.servers.values() if target.url == url]
        own = stored[0] if stored else Target("", url, "")
        return own._replace(token=token or own.token)
    target = config.servers.get(name or config.current)
    if target is None:
        if name:
            raise WrongUse(f"server: must be one of {', '.join(config.servers)}; got {name}")
        raise WrongUse("No server is known: run `podium login URL`, or set PODIUM_URL.")
    return target._replace(token=token or target.token)
