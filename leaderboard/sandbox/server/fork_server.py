"""The fork server: a clean interpreter that has imported libraries and forks zygotes.

The zygotes of one worker share its memory and need little of their own. It holds no secret and runs
no plugins except the product's own. It answers one worker process over one socket: for each line,
which is an order of `host/zygote.py` with two descriptors (the zygote's own socket, and where its
errors go), it answers with the process id of the zygote. It ends when the worker ends. Zygotes have
sockets of their own.
"""

import gc
import json
import os
import signal
import socket
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple, NoReturn

from leaderboard.sandbox.server import zygote
from leaderboard.sandbox.server.children import Children
from leaderboard.sandbox.server.preload import preload

_DESCRIPTORS = 2


class Order(NamedTuple):
    """What a zygote is told, its socket, and where its errors go."""

    told: dict[str, Any]
    control: int
    errors: int


def main(order_text: str, children: Children) -> None:
    """Run until the worker closes its end. order_text: JSON written by `host/fork_servers.py`."""
    order = json.loads(order_text)
    control = socket.socket(fileno=order["control"])
    _forget_inherited_signals()
    sys.argv = ["podium-scorer"]
    preload(order["preload"])
    children.import_once()
    gc.collect()
    gc.freeze()  # before the first fork: a collection writes to every object, and none is shared.
    for each in _orders(control):
        pid = os.fork()
        if pid == 0:
            control.close()
            _be_zygote(each, children)
        os.close(each.control)
        os.close(each.errors)
        control.sendall(b"%d\n" % pid)


def _forget_inherited_signals() -> None:
    """Zygotes that end are nobody's concern here, so that the kernel buries them."""
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)


def _orders(control: socket.socket) -> Iterator[Order]:
    """One after the other: the worker waits for the answer before it sends the next."""
    unread, descriptors = b"", list[int]()
    while True:
        try:
            text, received, _, _ = socket.recv_fds(control, 65536, _DESCRIPTORS)
        except ConnectionError:
            return
        if not text:
            return
        unread += text
        descriptors += received
        if unread.endswith(b"\n"):
            yield Order(json.loads(unread), *descriptors)
            unread, descriptors = b"", []


def _be_zygote(order: Order, children: Children) -> NoReturn:
    """Does not return; ends without any of the interpreter's own goodbyes."""
    try:
        os.setsid()
        os.dup2(order.errors, 2)
        os.close(order.errors)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        zygote.main(order.told, socket.socket(fileno=order.control), children)
    except BaseException:
        sys.excepthook(*sys.exc_info())
        sys.stderr.flush()
        os._exit(1)
    os._exit(0)
