"""The board as CSV: its intervals, and the variant for Excel."""

from __future__ import annotations

import csv
from collections.abc import Iterator

import pytest

from leaderboard.api.files.spreadsheets import PLAIN, Style, excel
from tests.api.boards.test_metric_boards import BOARD, CHEMISTRY, PHYSICS, domains, prof, submit
from tests.api.conftest import Api, refused

__all__ = ["prof"]

CSV = "challenges/prof/leaderboard.csv"

pytestmark = pytest.mark.django_db


def read(api: Api, path: str = CSV, **headers: str) -> str:
    return str(api.get(path, **headers).getvalue().decode())


def language(name: str) -> dict[str, str]:
    return {"Accept-Language": name}


def rows(text: str, delimiter: str = ",") -> Iterator[dict[str, str]]:
    yield from csv.DictReader(text.splitlines(), delimiter=delimiter)


def test_intervals_are_the_last_columns(prof: Api) -> None:
    cell = submit(prof, "atlas", samples=domains(PHYSICS, CHEMISTRY))["cells"]["physics"]
    low, high = cell["interval"]
    assert cell["margin"] == pytest.approx((high - low) / 2)
    text = read(prof)
    (atlas,) = rows(text)
    assert [float(atlas[f"physics ({part})"]) for part in ("low", "high", "margin")] == [
        *(low, high, cell["margin"])
    ]
    assert [atlas[f"chemistry ({part})"] for part in ("low", "high", "margin")] == ["", "", ""]
    header = text.splitlines()[0].split(",")
    first = header.index("physics (defined)")
    assert header[first : first + 5] == [
        *("physics (defined)", "physics (total)", "physics (low)"),
        *("physics (high)", "physics (margin)"),
    ]
    levels = [name for name in header if name.endswith(" (level)")]
    assert [*levels, "provenance"] == header[-len(levels) - 1 :]
    assert header[: -len(levels) - 1][-1].endswith(" (margin)")
    assert (atlas["physics (level)"], cell["level"]) == ("computed", "computed")
    attempt = prof.get(f"attempts/{atlas['attempt']}/").json()["metric_values"]
    assert (attempt["physics"]["margin"], attempt["physics"]["interval_reason"]) == (
        cell["margin"],
        None,
    )
    assert (attempt["chemistry"]["margin"], attempt["chemistry"]["interval_reason"]) == (
        None,
        "few_tasks",
    )


def test_a_metric_named_like_an_interval_keeps_its_column(prof: Api) -> None:
    metrics = ["mean", {"type": "max", "name": "mean (low)"}]
    changes = {"metrics": metrics, "rank_by": [{"key": "mean"}], "columns": []}
    assert prof.patch("challenges/prof/", changes).status_code == 200
    submit(prof, "atlas", task_rewards={f"t{at}": [at] for at in range(6)})
    header = read(prof).splitlines()[0].split(",")
    assert len(header) == len(set(header))
    assert {"mean (low)", "mean (low)-2"} <= set(header)


def test_the_csv_is_plain_utf_8_by_default(prof: Api) -> None:
    submit(prof, "Ångström", samples=domains(PHYSICS, CHEMISTRY))
    response = prof.get(CSV, **language("de"))
    assert response.getvalue().startswith(b"rank,")
    assert "Accept-Language" not in response.get("Vary", "")


def test_the_variant_for_excel_uses_the_users_number_format(prof: Api) -> None:
    submit(prof, "=SUM(A1)", samples=domains(PHYSICS, CHEMISTRY))
    for query, accepted, delimiter, value in (
        ("", "de-DE,de;q=0.9,en;q=0.8", ";", "66,2"),
        ("", "en-US,en;q=0.9", ",", "66.2"),
        ("&locale=fr", "en-US", ";", "66,2"),
        ("&locale=de_CH", "", ";", "66.2"),
        ("", "", ",", "66.2"),
    ):
        text = read(prof, f"{CSV}?for=excel{query}", **language(accepted))
        assert text.startswith("\ufeffrank")
        (row,) = rows(text.removeprefix("\ufeff"), delimiter)
        assert (row["physics"], row["participant"], row["rank"]) == (value, "'=SUM(A1)", "1")
        low = row["physics (low)"].replace(",", ".")
        assert float(low) == pytest.approx(58.5, abs=0.5)


def test_caches_distinguish_languages(prof: Api) -> None:
    german = prof.get(f"{CSV}?for=excel", **language("de"))
    english = prof.get(f"{CSV}?for=excel", **language("en"))
    assert german["ETag"] != english["ETag"]
    assert "Accept-Language" in german["Vary"]
    headers = {"If-None-Match": german["ETag"]}
    assert prof.get(f"{CSV}?for=excel", **headers, **language("de")).status_code == 304
    assert prof.get(f"{CSV}?for=excel", **headers, **language("en")).status_code == 200


def test_an_unknown_variant_is_refused(prof: Api) -> None:
    for query, field, value in (
        ("for=calc", "for", "calc"),
        ("locale=de", "locale", "de"),
        ("for=excel&locale=%25", "locale", "%"),
        ("for=excel&locale=d", "locale", "d"),
    ):
        error = refused(prof.get(f"{CSV}?{query}"), 400, "invalid", field)
        assert error["message"].endswith(f'; got "{value}"')


def test_json_lines_have_intervals(prof: Api) -> None:
    submit(prof, "atlas", samples=domains(PHYSICS, CHEMISTRY))
    board = prof.get(BOARD).json()["rows"][0]["cells"]["physics"]
    assert f'"margin": {board["margin"]}' in read(prof, "challenges/prof/leaderboard.jsonl")


def test_each_language_has_its_number_format() -> None:
    for languages, style in (
        ("es", Style("\ufeff", ";", ",")),
        ("es-MX,es;q=0.8", Style("\ufeff")),
        ("pt-br", Style("\ufeff", ";", ",")),
        ("en-ZA", Style("\ufeff", ";", ",")),
        ("en;q=0.5, nl;q=0.9", Style("\ufeff", ";", ",")),
        ("*", Style("\ufeff")),
        ("ja", Style("\ufeff")),
        ("xx-yy-zz; nonsense", Style("\ufeff")),
    ):
        assert excel(languages) == style, languages


def test_only_numbers_are_reformatted() -> None:
    german = excel("de")
    assert [german.number(value) for value in (1.5, 1e-7, 3, "1.5", None)] == [
        *("1,5", "1e-07", 3, "1.5", None)
    ]
    assert PLAIN.number(1.5) == 1.5
