"""Threads that run one text metric at the same time, each in its own sandbox."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, Protocol

from leaderboard.rules.json.untyped_dicts import PluginSettings
from leaderboard.sandbox import PluginDescription, Sandbox
from leaderboard.services.plugins.text_clients import TextMetricClient

TICK_SECONDS = 0.25
"""How often a run that computes reports, even without a result."""
QUICK = 0.02
"""A child that answers in fewer seconds is sent its next question before it has answered. After a
slower answer, the next question goes to the first free session."""


class MetricQuestion(Protocol):
    """A question that may be sent before the previous one on the same session has its answer."""

    def ask(self, client: TextMetricClient) -> None: ...

    def answer(self, client: TextMetricClient) -> Any:
        """Wait for the answer."""


class MetricThreads:
    """Threads that each have a session with a text metric. Starts with one thread.

    The threads communicate only with sandboxes. A thread takes no question before it has its
    sandbox: another run may hold that sandbox while it waits for one that this run holds. Closing
    the threads cancels a question that is being computed.
    """

    def __init__(
        self, metric: PluginDescription, parameters: PluginSettings, sandboxes: Sequence[Sandbox]
    ) -> None:
        self.count = 0
        self.pending = 0
        self._sandboxes = sandboxes
        self._about = metric.entrypoint, parameters
        self._is_closed = False
        self._is_quick = False
        self._clients: list[TextMetricClient] = []
        self._questions: SimpleQueue[MetricQuestion | None] = SimpleQueue()
        self._answers: SimpleQueue[Any] = SimpleQueue()
        self._open(1)

    def open_all(self) -> None:
        self._open(len(self._sandboxes))

    def _open(self, count: int) -> None:
        for sandbox in self._sandboxes[self.count : count]:
            threading.Thread(target=self._serve, args=(sandbox,), daemon=True).start()
            self.count += 1

    def room(self) -> int:
        """How many more requests fit: those sent to threads, and one that is ready."""
        return max(0, self.count * (2 if self._is_quick else 1) + 1 - self.pending)

    def ask(self, question: MetricQuestion) -> None:
        self.pending += 1
        self._questions.put(question)

    def answer(self) -> Any:
        """Wait for the answer to any pending question; None after TICK_SECONDS without one.

        Raises the exception of a thread that failed.
        """
        try:
            answer = self._answers.get(timeout=TICK_SECONDS)
        except Empty:
            return None
        self.pending -= 1
        if isinstance(answer, BaseException):
            raise answer
        return answer

    def close(self) -> None:
        self._is_closed = True
        for client in self._clients:
            client.interrupt()
        for _ in range(self.count):
            self._questions.put(None)

    def _serve(self, sandbox: Sandbox) -> None:
        try:
            with sandbox.evaluating(*self._about) as client:
                self._clients.append(client)
                self._answer_all(client)
        except BaseException as error:
            self._answers.put(error)

    def _answer_all(self, client: TextMetricClient) -> None:
        question = self._asked(client)
        while question is not None:
            following = self._asked(client, wait=False) if self._is_quick else None
            start = time.perf_counter()
            self._answers.put(question.answer(client))
            self._is_quick = time.perf_counter() - start < QUICK
            question = following or self._asked(client)

    def _asked(self, client: TextMetricClient, *, wait: bool = True) -> MetricQuestion | None:
        """Take a question and send it; None if there is none, or if the threads are closed."""
        with suppress(Empty):
            question = None if self._is_closed else self._questions.get(block=wait)
            if question is not None and not self._is_closed:
                question.ask(client)
                return question
        return None
