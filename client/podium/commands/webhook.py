"""Receiving events where no webhook can call: `podium webhook listen`."""

from __future__ import annotations

import json
import time

import click

from podium.commands.output import challenge_of, common, in_challenge, say


@click.group()
def webhook() -> None:
    """Receive the events of a challenge, behind any firewall."""


@webhook.command()
@in_challenge
@click.option("--after", default=0, help="The number of the last event that you have had.")
@click.option("--once", is_flag=True, help="Stop when there are no more, instead of waiting.")
@click.option("--every", default=5.0, help="How many seconds to wait before asking again.")
@click.option("--to", "receiver", default="", help="Also send each event to this address.")
@common
def listen(
    context: click.Context, slug: str, after: int, once: bool, every: float, receiver: str
) -> None:
    """Write the events of a challenge as they happen, one a line, as JSON.

    With --to, each is also sent by POST to an address such as http://127.0.0.1:9000/, without a
    token. An event that the receiver refuses ends the command.
    """
    challenge = challenge_of(context, slug)
    if not once:
        say(f"Waiting for events of {slug}. Stop with Ctrl-C.")
    while True:
        events, after = challenge.events(after)
        for event in events:
            if receiver:
                _forward(receiver, event)
            click.echo(json.dumps(event, ensure_ascii=False))
        if not events:
            if once:
                return
            time.sleep(every)


def _forward(receiver: str, event: object) -> None:
    from urllib.parse import urlsplit

    from podium.http import Session

    parts = urlsplit(receiver)
    path = f"{parts.path or '/'}{'?' * bool(parts.query)}{parts.query}"
    Session(f"{parts.scheme}://{parts.netloc}").request(
        "POST",
        path,
        content=json.dumps(event).encode(),
        headers={"Content-Type": "application/json"},
    )
