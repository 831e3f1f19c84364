"""Signing in, and which server is used."""

from __future__ import annotations

import socket
import sys

import click

from podium.commands.output import common, say, server_of, show, table
from podium.config import Target, clean_url, read_config, write_config
from podium.errors import PodiumError, WrongUse
from podium.servers import Server, log_in


@click.command()
@click.argument("url")
@click.option("--name", default="", help="What to call the server here; by default its host.")
@click.option("--token-stdin", is_flag=True, help="Read the token from the standard input.")
@click.option(
    "--scope",
    "scopes",
    multiple=True,
    default=("read", "submit"),
    type=click.Choice(("read", "submit", "organise")),
    help="What to ask for; may be repeated.",
)
@common
def login(
    context: click.Context, url: str, name: str, token_stdin: bool, scopes: tuple[str, ...]
) -> None:
    """Sign in to the server at URL, by a code that you confirm in a browser.

    Without a browser: make a token on the account page, and give it with --token-stdin.
    """
    url = clean_url(url)
    if token_stdin:
        token = sys.stdin.readline().strip()
        if not token:
            raise WrongUse("token: must be the first line of the standard input; got none")
    else:
        token = log_in(url, f"podium on {socket.gethostname()}"[:80], scopes, _ask)
    target = Target(name or url.partition("://")[2], url, token)
    me = Server(target).me()
    if me["user"] is None:
        raise PodiumError("This token is no user's.")
    config = read_config()
    config.servers[target.name] = target
    config.current = target.name
    write_config(config)
    say(f"Signed in to {url} as {me['user']}.")
    show({"name": target.name, "url": url, "user": me["user"]}, "")


@click.command()
@click.argument("name", default="")
@common
def logout(context: click.Context, name: str) -> None:
    """Forget the server NAME, or the current one. The account page revokes its token."""
    config = read_config()
    name = name or context.obj["server"] or config.current
    if name not in config.servers:
        raise WrongUse(f"name: must be one of {', '.join(config.servers) or 'none'}; got {name}")
    target = config.servers.pop(name)
    if config.current == name:
        config.current = next(iter(config.servers), "")
    write_config(config)
    show({"name": name, "url": target.url}, "")
    say(f"Forgot {name}. Its token is valid until you revoke it: {target.url}/account/")


@click.command()
@common
def whoami(context: click.Context) -> None:
    """Say who you are at the current server, and what the token allows."""
    server = server_of(context)
    me = server.me()
    if me["user"] is None:
        raise PodiumError(f"Not signed in at {server.session.url}.")
    lines = {
        "user": me["user"],
        "server": server.session.url,
        "scopes": ", ".join(me["scopes"]),
        "tenant": me["tenant"],
        "challenge": me["challenge"],
        "participant": me["participant"],
        "expires": me["expires_at"],
        "participants": ", ".join(own["handle"] for own in me["participants"]),
    }
    width = max(map(len, lines))
    show(me, "\n".join(f"{name:{width}}  {text}" for name, text in lines.items() if text))


@click.command()
@click.argument("name", default="")
@common
def use(context: click.Context, name: str) -> None:
    """Let commands be for the server NAME; without it, list the servers."""
    config = read_config()
    if not name:
        rows = [
            {"name": name, "url": target.url, "current": "*" * (name == config.current)}
            for name, target in config.servers.items()
        ]
        show(rows, table(rows, ("name", "url", "current")))
        return
    if name not in config.servers:
        raise WrongUse(f"name: must be one of {', '.join(config.servers) or 'none'}; got {name}")
    config.current = name
    write_config(config)
    show({"name": name, "url": config.servers[name].url}, "")


def _ask(page: str, code: str) -> None:
    say(f"Open {page}\nand agree to the code {code}")
