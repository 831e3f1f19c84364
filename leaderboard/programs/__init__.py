"""Scoring programs of other platforms, run unchanged: one contract per file.

A contract knows how a platform lays out its folders, how it calls a program, and what the program
answers. `reading` has what contracts share, `drivers` the scripts that call functions inside the
sandbox. A new contract is one file with a `CONTRACT`; no list has to be edited.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from leaderboard.programs.reading.contract import Contract, ProgramRefused
from leaderboard.rules.texts.messages import listed, message

__all__ = ["Contract", "ProgramRefused", "contract_of", "known_contracts", "recognised"]


@cache
def known_contracts() -> dict[str, Contract]:
    """The contracts by their names, in the order in which `recognised` asks them."""
    modules = (
        import_module(f"{__name__}.{info.name}")
        for info in iter_modules(__path__)
        if not info.ispkg
    )
    contracts = sorted(
        (module.CONTRACT for module in modules), key=lambda one: (one.rank, one.name)
    )
    return {contract.name: contract for contract in contracts}


def contract_of(name: str) -> Contract:
    """The contract with a name. Raises KeyError."""
    return known_contracts()[name]


def recognised(program: Path) -> Contract:
    """The contract that an unpacked program follows. Raises ProgramRefused if there is none."""
    for contract in known_contracts().values():
        if contract.recognises(program):
            return contract
    needed = listed((contract.needs for contract in known_contracts().values()), by="; ")
    raise ProgramRefused(
        message("must be a program of one of these kinds: {needed}", needed=needed)
    )
