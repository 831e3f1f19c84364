"""The tasks of an entry as a strip of bars: solved, partly, not solved, failed, undefined, not run.

States differ in height and shape, so that they can be told apart without colours. The bars are
links for the mouse alone: on a board of 50 rows they would be 1 200 stops of the Tab key. A text
beside the strip says the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from leaderboard.pages.charts.coordinates import written
from leaderboard.rules.ranking.board_summaries import FAILED, FULL, NOT_RUN, UNDEFINED, Solved

HEIGHT: Final = 16
MOST_LINKS: Final = 24
"""More tasks than this are drawn as one path for each state, without links."""
PITCH: Final = 6.5
"""From one bar to the next, with links."""
BAR: Final = 5.5
WIDEST: Final = 168.0
"""The largest width of a strip of paths."""
_LEAST: Final = 2.5
"""The height of a task that is solved to a small part."""
_STATES: Final = {FAILED: "failed", UNDEFINED: "undefined", NOT_RUN: "not-run"}


class StripTask(NamedTuple):
    """A task of a strip, and where its bar leads to."""

    name: str
    url: str


class Linked:
    """Draws strips whose bars are links; texts that rows share are made once.

    titled: the text of a bar, by the name of its task and how far it is solved.
    """

    def __init__(self, tasks: Sequence[StripTask], titled: Callable[[str, int], str]) -> None:
        self.tasks = tasks
        self._titled = titled
        self._bars: dict[tuple[int, int], SafeString] = {}

    def drawn(self, solved: Solved) -> SafeString:
        """A strip, hidden from screen readers: the numbers of its tasks stand beside it."""
        bars = format_html_join("", "{}", ((self._bar(*bar),) for bar in enumerate(solved)))
        return _framed(written(PITCH * len(solved) - (PITCH - BAR)), bars)

    def _bar(self, at: int, solved: int) -> SafeString:
        bar = self._bars.get((at, solved))
        if bar is None:
            task = self.tasks[at]
            bar = self._bars[at, solved] = format_html(
                '<a href="{}" tabindex="-1"><title>{}</title><use href="#bar-{}" x="{}"/></a>',
                task.url,
                self._titled(task.name, solved),
                shape(solved),
                written(PITCH * at),
            )
        return bar


def shape(solved: int) -> str:
    """The name of a bar's shape: `full`, `7` for about seven tenths, `none`, `failed`, …"""
    if solved in _STATES:
        return _STATES[solved]
    if solved == 0:
        return "none"
    return "full" if solved >= FULL else str(min(9, max(1, round(solved / 10))))


def shapes() -> SafeString:
    """The shapes that linked strips of a page refer to."""
    tenths = [(str(tenth), _box("partly", _height(10 * tenth))) for tenth in range(1, 10)]
    whole_bars = [
        ("full", _box("full", HEIGHT)),
        ("none", _box("none", 1.5)),
        ("failed", mark_safe('<path class="bar-failed" d="M.6 .6h4.3v14.8H.6zM.6 15.4L4.9 .6"/>')),
        ("undefined", mark_safe('<path class="bar-undefined" d="M.75 8h4"/>')),
        ("not-run", mark_safe('<path class="bar-not-run" d="M2.75 14.5h0"/>')),
    ]
    symbols = format_html_join("", '<g id="bar-{}">{}</g>', [*tenths, *whole_bars])
    return format_html(
        '<svg class="strip hidden" aria-hidden="true" width="0" height="0"><defs>{}</defs></svg>',
        symbols,
    )


def sample(solved: int) -> SafeString:
    """One bar that refers to the `shapes` of the page, for a legend."""
    return _framed(written(BAR), format_html('<use href="#bar-{}"/>', shape(solved)))


def width_of_strip(tasks: int) -> float:
    """The width of a strip of so many bars, in pixels."""
    return min(PITCH * tasks, WIDEST)


def paths(solved: Solved) -> SafeString:
    """A strip of any number of bars as one path for each state."""
    pitch = min(PITCH, WIDEST / max(1, len(solved)))
    path_parts: dict[str, list[str]] = {}
    for at, state in enumerate(solved):
        name, bottom, height = _line(state)
        place = written(pitch * (at + 0.5))
        path_parts.setdefault(name, []).append(f"M{place} {written(bottom)}v-{written(height)}")
    drawn = format_html_join(
        "",
        '<path class="line bar-{}" d="{}"/>',
        ((name, "".join(path_parts[name])) for name in _ORDER if name in path_parts),
    )
    width = f"{pitch * (0.86 if pitch > 2.0 else 1.0):.2f}"
    lines = format_html('<g stroke-width="{}">{}</g>', width, drawn)
    return _framed(written(pitch * len(solved)), lines)


_ORDER: Final = ("full", "partly", "none", "failed", "undefined", "not-run")


def _line(solved: int) -> tuple[str, float, float]:
    """The state of a bar, its lower end and its height."""
    match solved:
        case state if state == FAILED:
            return "failed", HEIGHT, HEIGHT
        case state if state == UNDEFINED:
            return "undefined", 9.0, 2.0
        case state if state == NOT_RUN:
            return "not-run", 15.2, 1.2
        case 0:
            return "none", HEIGHT, 1.5
    return ("full", HEIGHT, HEIGHT) if solved >= FULL else ("partly", HEIGHT, _height(solved))


def _height(solved: int) -> float:
    return max(_LEAST, HEIGHT * solved / FULL)


def _box(name: str, height: float) -> SafeString:
    top = written(HEIGHT - height)
    return format_html(
        '<path class="bar-{}" d="M0 {}h{}v{}H0z"/>', name, top, written(BAR), written(height)
    )


def _framed(width: str, content: SafeString) -> SafeString:
    return format_html(
        '<svg class="strip" viewBox="0 0 {} {}" width="{}" height="{}" aria-hidden="true"'
        ' direction="ltr"><path class="track" d="M0 0h{}v{}H0z"/>{}</svg>',
        width,
        HEIGHT,
        width,
        HEIGHT,
        width,
        HEIGHT,
        content,
    )


def counts(solved: Solved) -> Iterator[tuple[str, int]]:
    """How many tasks are in each state, in the order of states; without states of none."""
    names = [_line(state)[0] for state in solved]
    yield from ((name, names.count(name)) for name in _ORDER if name in names)
