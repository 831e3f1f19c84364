"""The hostile collection as a table: what is asked, and the expected result.

It is plain data without pytest, because an ordinary user's interpreter may have none.
"""

from typing import Any, NamedTuple

SHORT_MS, LONG_MS = 300, 60_000


class Case(NamedTuple):
    """`expected` is a score, or one of several failure codes."""

    scorer: str
    expected: float | tuple[str, ...]
    timeout_ms: int = LONG_MS
    config: dict[str, Any] | None = None

    @property
    def entrypoint(self) -> str:
        return f"hostile.{self.scorer}"

    def __str__(self) -> str:
        return f"{self.scorer} {(self.config or {}).get('what', '')}".strip()


def _returning(*words: str, expected: float | tuple[str, ...]) -> list[Case]:
    return [Case("results:Returns", expected, config={"what": word}) for word in words]


ENDLESS = [
    Case(f"endless:{name}", ("timeout",), SHORT_MS)
    for name in (
        *("Loop", "SwallowingLoop", "LoopInC", "Sleeps", "IgnoresSignals", "StopsItself"),
        *("Deadlocks", "HangsWhenBuilt"),
    )
]
DEATHS = [
    Case("deaths:OsExit", ("crashed",)),
    Case("deaths:SysExit", ("crashed",)),
    Case("deaths:Segfault", ("crashed",)),
    Case("deaths:Aborts", ("crashed",)),
    Case("deaths:KillsItself", ("crashed",)),
    Case("deaths:Interrupts", ("exception",)),
    Case("deaths:Raises", ("exception",)),
    Case("deaths:RaisesNonsense", ("exception",)),
    Case("deaths:Recurses", ("exception",)),
    Case("deaths:MemoryBomb", ("out_of_memory",)),
    Case("deaths:SwallowedMemoryBomb", 2.0),
    Case("deaths:WritesTooMuch", ("exception",)),
]
INTRUDERS = [
    Case(f"intruders:{name}", ("exception",))
    for name in (
        *("ForkBomb", "Daemon", "RunsProgram", "Connects", "ReadsProc", "ReadsPasswords"),
        *("DeletesFiles", "KillsParent", "KillsEverybody"),
    )
]
VANDALS = [
    Case("vandals:ClosesDescriptors", ("crashed",)),
    Case("vandals:ClosesOutput", 4.0),
    Case("vandals:FloodsOutput", 6.0),
    Case("vandals:FloodsAnswers", ("crashed",)),
    Case("vandals:SaysNonsense", ("crashed",)),
    Case("vandals:BreaksJson", 3.0),
    Case("vandals:MutatesInputs", 8.0),
    Case("endless:HangsAtExit", 5.0),
    Case("intruders:ImportsApplication", ("exception", "not_installed")),
    Case("good:UsesItsRights", 9.0),
]
RESULTS = [
    *_returning(
        *("nan", "infinity", "true", "text", "none", "decimal", "huge", "nothing", "number"),
        *("empty", "ordered", "coroutine", "generator"),
        expected=("invalid_result",),
    ),
    *_returning("minus zero", "negative", expected=0.0),
    *_returning("whole", expected=12.0),
    *_returning(
        *("text subclass", "circular", "deep", "set", "nan within", "large", "nul"),
        *("surrogate", "list"),
        expected=1.0,
    ),
]
NAMES = [
    Case("nowhere:Nothing", ("load_error",)),
    Case("good:Missing", ("load_error",)),
    Case("good:Json", ("load_error",)),
    Case("good:Path", ("load_error",)),
    Case("good:_Hidden", ("load_error",)),
]
GROUPS = {
    "endless": ENDLESS,
    "deaths": DEATHS,
    "intruders": INTRUDERS,
    "vandals": VANDALS,
    "results": RESULTS,
    "names": NAMES,
}
ALL = [case for group in GROUPS.values() for case in group]
TEN = [
    case
    for case in ALL
    if case.scorer
    in (
        *("endless:LoopInC", "endless:IgnoresSignals", "deaths:Segfault", "deaths:MemoryBomb"),
        *("intruders:ForkBomb", "intruders:Daemon", "intruders:Connects", "intruders:KillsParent"),
        *("vandals:ClosesDescriptors", "vandals:FloodsAnswers"),
    )
]
"""One for each thing that an attack is after; the others run in make test-all."""
