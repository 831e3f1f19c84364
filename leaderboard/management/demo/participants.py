from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple


class DemoParticipant(NamedTuple):
    """A participant of the demo; `skill`, from 0 to 1, says how well its attempts usually go."""

    handle: str
    name: str
    kind: str
    skill: float
    meta: Mapping[str, str]


OPEN: Final = {
    "kestrel-70b": ("70", "Apache-2.0", "2026-03-18"),
    "kestrel-8b": ("8", "Apache-2.0", "2026-03-18"),
    "sundew": ("3", "MIT", "2025-11-04"),
    "cairn": ("7", "MIT", "2026-01-22"),
    "tern": ("13", "CC-BY-NC-4.0", "2025-08-30"),
    "palimpsest": ("32", "Apache-2.0", "2026-06-09"),
    "baseline-echo": ("", "MIT", ""),
    "baseline-retrieval": ("", "MIT", ""),
}
"""The size in thousand millions of parameters, licence and release of systems with open weights."""

FAMILIES: Final = {"larch": "Larch 3", "juniper": "Juniper", "kestrel": "Kestrel"}
"""The families of systems with several configurations, by the beginning of their handles."""


def _system(handle: str, name: str, skill: float, model: str) -> DemoParticipant:
    size, licence, released = OPEN.get(handle, ("", "proprietary", ""))
    fields = {
        "model": model,
        "open": "yes" if handle in OPEN else "no",
        "size": size,
        "license": licence,
        "released": released,
        "code": f"https://example.org/{handle}" if handle in OPEN else "",
        "command": f"harbour-desk run --model {model} --tries 3" if handle in OPEN else "",
        "family": FAMILIES.get(handle.partition("-")[0], ""),
    }
    meta = {key: value for key, value in fields.items() if value}
    return DemoParticipant(handle, name, "system", skill, meta)


def _person(handle: str, name: str, skill: float) -> DemoParticipant:
    return DemoParticipant(handle, name, "person", skill, {})


def _team(handle: str, name: str, skill: float) -> DemoParticipant:
    return DemoParticipant(handle, name, "team", skill, {})


PARTICIPANTS = [
    _system("larch-3", "Larch 3", 0.92, "larch-3-large"),
    _system("larch-3-mini", "Larch 3 mini", 0.71, "larch-3-mini"),
    _system("juniper", "Juniper", 0.88, "juniper-2"),
    _system("juniper-flash", "Juniper Flash", 0.66, "juniper-2-flash"),
    _system("kestrel-70b", "Kestrel 70B", 0.79, "kestrel-70b"),
    _system("kestrel-8b", "Kestrel 8B", 0.47, "kestrel-8b"),
    _system("foehn", "Föhn", 0.74, "foehn-1"),
    _system("basalt", "Basalt", 0.83, "basalt-4"),
    _system("basalt-lite", "Basalt Lite", 0.52, "basalt-4-lite"),
    _system("quill", "Quill", 0.69, "quill-code"),
    _system("harbour-light", "Harbour Light", 0.61, "hl-1.5"),
    _system("tern", "Tern", 0.58, "tern-13b"),
    _system("orrery", "Orrery", 0.86, "orrery-reason"),
    _system("orrery-fast", "Orrery Fast", 0.64, "orrery-fast"),
    _system("sundew", "Sundew", 0.42, "sundew-3b"),
    _system("palimpsest", "Palimpsest", 0.77, "palimpsest-32k"),
    _system("cairn", "Cairn", 0.55, "cairn-7b"),
    _system("moth-and-flame", "Moth & Flame", 0.49, "mf-experimental"),
    _system("baseline-echo", "Echo (baseline)", 0.12, "echo"),
    _system("baseline-retrieval", "Retrieval (baseline)", 0.35, "bm25"),
    _person("ada.w", "Ada Wrona", 0.81),
    _person("bruno", "Bruno Castellane", 0.57),
    _person("chidi", "Chidi Okonjo", 0.72),
    _person("dagny", "Dagny Solberg", 0.68),
    _person("eszter", "Eszter Halmos", 0.76),
    _person("farid", "Farid Nouri", 0.44),
    _person("gwen", "Gwen Pryce", 0.63),
    _person("hiro", "森田 浩", 0.85),
    _person("ines", "Inês Tavares", 0.59),
    _person("jonas", "Jonas Lindqvist", 0.38),
    _person("leila", "ليلى حداد", 0.73),
    _person("mateus", "Mateus Figueira", 0.51),
    _team("night-shift", "Night Shift", 0.78),
    _team("paper-cuts", "Paper Cuts", 0.46),
    _team("three-sigma", "Three Sigma", 0.84),
    _team("gradient-descenders", "Gradient Descenders", 0.67),
    _team("oak-street-lab", "Oak Street Lab", 0.7),
    _team("null-hypothesis", "Null Hypothesis", 0.33),
    _team("second-breakfast", "Second Breakfast", 0.56),
    _team("blue-notebook", "Blue Notebook", 0.62),
]
