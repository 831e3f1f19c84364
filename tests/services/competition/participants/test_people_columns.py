"""Tables of people as spreadsheet programs save them in several countries."""

from __future__ import annotations

import io

import pytest
from openpyxl import Workbook

from leaderboard.services.competition.participants.people_columns import (
    PeopleRow,
    full_name,
    people_table,
)
from tests.services.refusals import refusal

COLUMNS = ("username", "name", "first", "last", "email")
ADA = ("Ada Müller", "ada@example.org")


def read(data: bytes | str) -> list[tuple[str, str]]:
    table = people_table(data, columns=COLUMNS, most=9)
    return [(full_name(row), row.get("email")) for row in table.rows]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16", "utf-16-le"])
@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_common_separators_and_encodings_are_read(encoding: str, separator: str, end: str) -> None:
    lines = [["Name", "E-Mail"], list(ADA), ["Zoë Weiß", "zoe@example.org"]]
    table = end.join(map(separator.join, lines)) + end
    assert read(table.encode(encoding)) == [ADA, ("Zoë Weiß", "zoe@example.org")]


@pytest.mark.parametrize(
    "table",
    [
        "name,email\nAda Müller,ada@example.org",
        "E-mail address;Vollständiger Name\nada@example.org;Ada Müller",
        "Vorname;Nachname;E-Mail-Adresse\nAda;Müller;ada@example.org",
        "First name\tLast name\tMail\nAda\tMüller\tada@example.org",
        "Nom,Prénom,Courriel\nAda Müller,,ada@example.org",
        "sep=;\nName;E-Mail\nAda Müller;ada@example.org",
        '"Name";"E-Mail"\n"Ada Müller";"ada@example.org"',
        "Ada Müller;ada@example.org\n",
        "ada@example.org,Ada Müller\n",
        "name;email;note\nAda Müller;ada@example.org;a, b, c, d",
        "\n\nName;E-Mail\n\n ;\nAda Müller;ada@example.org\n\n",
    ],
)
def test_columns_are_known_by_many_headings(table: str) -> None:
    assert read(table) == [ADA]


def test_without_headings_a_line_is_a_name_or_an_address() -> None:
    assert read("Ada Müller\nZoë\n") == [("Ada Müller", ""), ("Zoë", "")]
    assert read("ada@example.org\nzoe@example.org") == [
        ("", "ada@example.org"),
        ("", "zoe@example.org"),
    ]


def test_a_workbook_of_excel_is_read() -> None:
    book, file = Workbook(), io.BytesIO()
    for row in (("Name", "E-Mail"), ADA, ("Zoë", "zoe@example.org")):
        book.active.append(row)
    book.save(file)
    assert read(file.getvalue()) == [ADA, ("Zoë", "zoe@example.org")]


def test_an_apostrophe_before_a_formula_is_no_part_of_the_name() -> None:
    table = people_table("name\n'=Sum\n'-x\nO'Brien\n", columns=COLUMNS, most=9)
    assert [row.get("name") for row in table.rows] == ["=Sum", "-x", "O'Brien"]


def test_lines_are_numbered_and_unused_headings_are_told() -> None:
    table = people_table('name,shoe\n"Ada\nMüller",1\n\nZoë,2\n', columns=COLUMNS, most=9)
    assert table.unused == ["shoe"]
    assert table.rows[1] == PeopleRow(5, {"name": "Zoë"})


@pytest.mark.parametrize(
    "table",
    [
        b"",
        b"\n",
        b"name\n",
        b"x\n" * 10,
        "Müller, Ada\nWeiß, Zoë\n".encode(),
        b"Ada <ada@example.org>\n",
        b"Ada;female\nBob;male\n",
        b"a@example.org;b@example.org\n",
        b"name;name\nA;B",
        b"name\nA,B\n",
        b"PK\x03\x04 broken",
        b"\x00\x01\x02",
    ],
)
def test_tables_that_name_no_people_are_refused(table: bytes) -> None:
    assert refusal(lambda: read(table)).fields["file"]
