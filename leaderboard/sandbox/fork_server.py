"""The fork server as a program: it combines the code of the server and of its children.

`host/fork_servers.py` starts it. Nothing else imports both.
"""

from leaderboard.sandbox.child.life import CHILDREN
from leaderboard.sandbox.server import fork_server


def main(order_text: str) -> None:
    """Run until the worker closes its end of the socket; see `server.fork_server.main`."""
    fork_server.main(order_text, CHILDREN)
