"""Tables of people as organisers have them: their separator, encoding and headings.

Comma, semicolon, tab and bar separate cells; UTF-8, UTF-16, Windows-1252 and Excel's own files are
read. Headings may be in several languages. A table without headings has one name, or one address,
a line, or a name and an address.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Final, NamedTuple

from django.utils.translation import gettext as _

from leaderboard.importers import ImportFailed, Source
from leaderboard.importers.tables.sheets import is_workbook, sheet_rows
from leaderboard.importers.tables.texts import DELIMITERS, text_of
from leaderboard.languages.translation import translated
from leaderboard.rules.texts.quoting import sent
from leaderboard.rules.texts.spreadsheet_cells import guarded, unguarded
from leaderboard.services.errors import ServiceError

PEEKED: Final = 50
"""How many lines are read to find the separator."""
SHOWN: Final = 10
"""How many wrong lines an error names."""
_WORDS: Final[Mapping[str, str]] = {
    "username": "username user login account benutzername benutzer anmeldename nutzername konto"
    " nomdutilisateur identifiant usuario usuário nomeutente gebruikersnaam",
    "name": "name fullname displayname student studentname person vollständigername namen nom"
    " nomcomplet nombre nome nomecompleto naam studierende studierender schüler schülerin",
    "first": "firstname givenname forename vorname vornamen prénom voornaam",
    "last": "lastname surname familyname nachname familienname nomdefamille apellidos",
    "email": "email emails mail emailaddress mailaddress emailadresse mailadresse courriel"
    " adresseemail correo correoelectrónico endereçodeemail eposta",
    "participant": "participant participants team teamname teilnehmer equipe équipe equipo",
    "members": "members member mitglieder mitglied teammitglieder membres miembros membros",
    "kind": "kind type art typ",
    "bracket": "bracket section division kategorie sektion klasse gruppe group",
    "status": "status",
}
"""What a heading may be, in lower case and without spaces and signs, by what it is."""
_KNOWN: Final = {word: column for column, words in _WORDS.items() for word in words.split()}
_ADDRESS: Final = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
_SEPARATORS: Final = ",;|\t"

RawRow = tuple[int, Sequence[str]]


class PeopleRow(NamedTuple):
    """A line of a table: its number, and its cells by what they are."""

    line: int
    cells: Mapping[str, str]

    def get(self, column: str) -> str:
        return self.cells.get(column, "")


class PeopleTable(NamedTuple):
    """The rows of a table, and the headings that nothing is made of."""

    rows: Sequence[PeopleRow]
    unused: Sequence[str]


def people_table(data: bytes | str, *, columns: Sequence[str], most: int) -> PeopleTable:
    """The people of a table with 1 to `most` rows.

    columns: those that mean something here. Raises ServiceError.
    """
    raw = data.encode() if isinstance(data, str) else data
    try:
        rows = _raw_rows(raw)
    except ImportFailed as failed:
        raise wrong_table([translated(failed.message)]) from None
    except UnicodeError:
        raise wrong_table([_("must be a text in a known encoding; got another")]) from None
    rows = [(line, [unguarded(cell.strip()) for cell in cells]) for line, cells in rows]
    rows = [(line, cells) for line, cells in rows if any(cells)]
    if not rows:
        raise wrong_table([_rows_wanted(most, 0)])
    headings = [_meaning(cell, columns) for cell in rows[0][1]]
    if any(headings):
        table = _with_headings(headings, rows)
    else:
        table = PeopleTable(_without_headings(rows, columns), ())
    if not 1 <= len(table.rows) <= most:
        raise wrong_table([_rows_wanted(most, len(table.rows))])
    return table


def csv_text(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table to be sent once more, in which no cell is a formula."""
    file = io.StringIO()
    table = csv.writer(file)
    table.writerow(headings)
    table.writerows(map(guarded, row) for row in rows)
    return file.getvalue()


def wrong_table(messages: Sequence[str]) -> ServiceError:
    """The refusal of a table: its first wrong lines, and how many more there are."""
    first_messages = list(messages[:SHOWN])
    return ServiceError(
        "invalid",
        " ".join(first_messages),
        {"file": first_messages},
        more=max(0, len(messages) - SHOWN),
    )


def of_line(number: int, problem: str) -> str:
    return _("Line {line}: {problem}").format(line=number, problem=problem)


def full_name(row: PeopleRow) -> str:
    """The name of a person, of one cell or of two."""
    return row.get("name") or " ".join(filter(None, (row.get("first"), row.get("last"))))


def _raw_rows(data: bytes) -> list[RawRow]:
    with Source.open(data, "table") as source:
        if is_workbook(source):
            _warnings, rows = sheet_rows(source)
            return list(rows)
        if not source.names:
            return []
        text = "".join(text_of(source, source.names[0]).lines).lstrip("\ufeff")
    lines = text.splitlines(keepends=True)
    after = 0
    if lines and (named := re.fullmatch(r'"?sep=(.)"?\s*', lines[0], re.IGNORECASE)):
        delimiter, after = named[1], 1
    else:
        delimiter = _delimiter_of(lines)
    return _parsed(lines[after:], delimiter, after)


def _parsed(lines: Sequence[str], delimiter: str, before: int) -> list[RawRow]:
    """Rows with the numbers of their lines. Raises ServiceError."""
    reader = csv.reader(lines, delimiter=delimiter)
    rows: list[RawRow] = []
    line = before + 1
    try:
        for cells in reader:
            rows.append((line, cells))
            line = before + 1 + reader.line_num
    except csv.Error as error:
        text = _("must be CSV; got a syntax error: {error}").format(error=error)
        raise wrong_table([of_line(line, text)]) from None
    return rows


def _delimiter_of(lines: Sequence[str]) -> str:
    """The one by which the first line has most headings, or else most lines as many cells."""

    filled = [line for line in lines if line.strip(" \t;,|\r\n")][:PEEKED]

    def fit(delimiter: str) -> tuple[int, int]:
        rows: list[list[str]] = []
        with suppress(csv.Error):
            rows.extend(csv.reader(filled, delimiter=delimiter))
        first = rows[0] if rows else []
        if len(first) < 2:
            return 0, 0
        known_headings = sum(_word(cell) in _KNOWN for cell in first)
        return known_headings, sum(len(row) == len(first) for row in rows)

    return max(DELIMITERS, key=fit)


def _word(heading: str) -> str:
    return re.sub(r"[\W_]+", "", heading.casefold())


def _meaning(heading: str, columns: Sequence[str]) -> str:
    """What a heading means here; "" if it means nothing."""
    column = _KNOWN.get(_word(heading), "")
    return column if column in columns else ""


def _with_headings(headings: Sequence[str], rows: Sequence[RawRow]) -> PeopleTable:
    (_line, first), *below = rows
    twice = [name for name in dict.fromkeys(headings) if name and headings.count(name) > 1]
    if twice:
        places = [cell for cell, name in zip(first, headings, strict=True) if name == twice[0]]
        text = _("The first line must name each column once; got {got}.")
        raise wrong_table([text.format(got=", ".join(map(sent, places)))])
    wrong = [
        of_line(line, _("must have as many cells as the first line; got more"))
        for line, cells in below
        if any(cells[len(headings) :])
    ]
    if wrong:
        raise wrong_table(wrong)
    if len(headings) == 1:
        wrong = [of_line(line, _alone(cells[0])) for line, cells in below if _is_split(cells[0])]
        if wrong:
            raise wrong_table(wrong)
    people = [
        PeopleRow(line, {name: cell for name, cell in zip(headings, cells, strict=False) if name})
        for line, cells in below
    ]
    unused = [cell for cell, name in zip(first, headings, strict=True) if cell and not name]
    return PeopleTable(people, unused)


def _without_headings(rows: Sequence[RawRow], columns: Sequence[str]) -> list[PeopleRow]:
    """One name or address a line, or both. Raises ServiceError."""
    people, wrong = [], []
    for line, cells in rows:
        filled = [cell for cell in cells if cell]
        addresses = [cell for cell in filled if _ADDRESS.fullmatch(cell)]
        names = [cell for cell in filled if cell not in addresses]
        if len(names) > 1 or len(addresses) > 1 or (len(cells) > 1 and not addresses):
            raise wrong_table([_headings_wanted(columns, cells)])
        if any("@" in name or _is_split(name) for name in names):
            wrong.append(of_line(line, _alone(names[0])))
        people.append(PeopleRow(line, {"name": "".join(names), "email": "".join(addresses)}))
    if wrong:
        raise wrong_table([*wrong[:SHOWN], _headings_wanted(columns, rows[0][1])])
    return people


def _is_split(name: str) -> bool:
    """Whether a name holds what separates cells in other tables."""
    return not set(_SEPARATORS).isdisjoint(name)


def _alone(name: str) -> str:
    return _("must be a name alone; got {got}").format(got=sent(name))


def _headings_wanted(columns: Sequence[str], cells: Sequence[str]) -> str:
    text = _(
        "The first line must name the columns: {columns}; got {got}. The columns may be separated"
        " by commas, semicolons or tabs. From Excel, save the file as “CSV UTF-8”."
    )
    return text.format(columns=", ".join(columns), got=", ".join(map(sent, cells)) or "–")


def _rows_wanted(most: int, got: int) -> str:
    text = _("The table must have 1 to {most} rows; got {got}.")
    return text.format(most=most, got=got)
