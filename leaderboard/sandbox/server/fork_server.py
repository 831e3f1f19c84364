"""The fork server: a clean interpreter that has imported libraries and forks zygotes.

The zygotes of one worker share its memory and need little of their own. It holds no secret and runs
no plugins except the product's own. It answers one worker process over one socket: each line is an
order of `host/zygote.py` with two descriptors (the zygote's own socket, and a file for its errors),
and the answer is the process id of the zygote. It ends when the worker ends. Zygotes have sockets
of their own.
"""

import gc
import json
import os
import signal
import socket
import sys
from collections.abc import Iterator
from typing import NamedTuple, NoReturn

from leaderboard.sandbox.jobs import ZygoteOrder
from leaderboard.sandbox.server import zygote
from leaderboard.sandbox.server.children import Children
from leaderboard.sandbox.server.preload import preload

_DESCRIPTORS = 2


class Order(NamedTuple):
    """The order to a zygote, its socket, and the descriptor for its errors."""

    zygote_order: ZygoteOrder
    control: int
    errors: int


def main(order_text: str, children: Children) -> None:
    """Run until the worker closes the socket. order_text: JSON, see `host/fork_servers.py`."""
    order = json.loads(order_text)
    control = socket.socket(fileno=order["control"])
    _forget_inherited_signals()
    sys.argv = ["podium-scorer"]
    preload(order["preload"])
    children.import_once()
    gc.collect()
    # Before the first fork: a collection would write to every object, so none would stay shared.
    gc.freeze()
    for order in _orders(control):
        pid = os.fork()
        if pid == 0:
            control.close()
            _be_zygote(order, children)
        os.close(order.control)
        os.close(order.errors)
        control.sendall(b"%d\n" % pid)


def _forget_inherited_signals() -> None:
    """Restore the default signals, and ignore ended zygotes, so that the kernel reaps them."""
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)


def _orders(control: socket.socket) -> Iterator[Order]:
    """Yield one order after another: the worker waits for an answer before it sends the next."""
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
    """Run a zygote. Does not return; the process ends without the interpreter's own cleanup."""
    try:
        os.setsid()
        os.dup2(order.errors, 2)
        os.close(order.errors)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        zygote.main(order.zygote_order, socket.socket(fileno=order.control), children)
    except BaseException:
        sys.excepthook(*sys.exc_info())
        sys.stderr.flush()
        os._exit(1)
    os._exit(0)
