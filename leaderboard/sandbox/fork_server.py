"""The fork server as a program: here the code of the server meets the code of its children.

`host/fork_servers.py` starts it. Nothing else imports both.
"""

from leaderboard.sandbox.child.life import CHILDREN
from leaderboard.sandbox.server import fork_server


def main(order_text: str) -> None:
    """Run until the worker closes its end; see `server.fork_server.main`."""
    fork_server.main(order_text, CHILDREN)
