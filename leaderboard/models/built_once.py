"""Statements of the ORM whose SQL is built only once.

For a worker, building the SQL takes longer than the rest of scoring an attempt. This depends on
parts of Django's compiler that are no public interface (`klass_info`, `get_related_populators`), so
tests compare the instances with those of the ORM.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any, Final, Generic, NamedTuple, TypeVar
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS, connections, models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models.query import get_related_populators
from django.db.models.sql import UpdateQuery

from leaderboard.models.prepared import changed, rows_of

M = TypeVar("M", bound=models.Model)

_EXAMPLES: Final[Mapping[type, Callable[[int], Any]]] = {
    UUID: lambda number: UUID(int=0x9D2C_5680_9908_B0DF_6C07_8965_0000 + number),
    int: lambda number: 12_433 + number,
    str: lambda number: f"1812433253 {number}",
    timedelta: lambda number: timedelta(days=1812, microseconds=433253 + number),
}
"""Makes unique values that stand for the parameters while SQL is built. The numbers fit every kind
of column, because the ORM leaves out a comparison with a number that does not fit."""
_KINDS: Final = tuple(_EXAMPLES)
_UUIDS: Final[models.Field[Any, Any]] = models.UUIDField()
_DURATIONS: Final[models.Field[Any, Any]] = models.DurationField()


class Slot(NamedTuple):
    """The place of a named parameter among the parameters of a statement."""

    name: str


class Built(NamedTuple):
    sql: str
    params: Sequence[Any]
    compiler: Any


class _Statement(ABC):
    """A statement with named parameters. kinds: the type of each parameter, by its name."""

    def __init__(self, **kinds: type) -> None:
        self._kinds = kinds
        self._examples = {
            name: _EXAMPLES[kind](number) for number, (name, kind) in enumerate(kinds.items())
        }
        self._built: dict[str, Built] = {}

    @abstractmethod
    def _compiler(self, connection: BaseDatabaseWrapper, examples: Mapping[str, Any]) -> Any:
        """Return what builds the SQL with `examples` in the place of the parameters."""

    def _for(self, connection: BaseDatabaseWrapper) -> Built:
        built = self._built.get(connection.vendor)
        if built is None:
            built = self._built[connection.vendor] = self._build(connection)
        return built

    def _build(self, connection: BaseDatabaseWrapper) -> Built:
        compiler = self._compiler(connection, self._examples)
        sql, params = compiler.as_sql()
        slots = {
            _adapted(connection, example): Slot(name) for name, example in self._examples.items()
        }
        slotted = [
            slots.get(param, param) if isinstance(param, _KINDS) else param for param in params
        ]
        if missing := set(self._kinds) - {slot.name for slot in slotted if isinstance(slot, Slot)}:
            raise ValueError(f"{sql} has no parameter {', '.join(missing)}")
        return Built(sql, slotted, compiler)

    def _rows(
        self, connection: BaseDatabaseWrapper, values: Mapping[str, Any]
    ) -> list[tuple[Any, ...]]:
        built = self._for(connection)
        return rows_of(built.sql, self._params(connection, built, values))

    def _params(
        self, connection: BaseDatabaseWrapper, built: Built, values: Mapping[str, Any]
    ) -> list[Any]:
        adapted = {name: _adapted(connection, value) for name, value in values.items()}
        return [adapted[param.name] if isinstance(param, Slot) else param for param in built.params]


class _Reader(Generic[M]):
    """Makes instances from rows, as `django.db.models.query.ModelIterable` does."""

    def __init__(self, compiler: Any) -> None:
        select, klass_info = compiler.select, compiler.klass_info
        first, *_, last = klass_info["select_fields"]
        self._model = klass_info["model"]
        self._fields = slice(first, last + 1)
        self._names = [column[0].target.attname for column in select[self._fields]]
        self._annotations = [*(compiler.annotation_col_map or {}).items()]
        self._related = get_related_populators(klass_info, select, DEFAULT_DB_ALIAS)  # type: ignore[call-arg]
        self._converters = compiler.get_converters([column[0] for column in select])
        self._apply = compiler.apply_converters

    def read(self, rows: Sequence[Any]) -> Iterator[M]:
        for row in self._apply(rows, self._converters):
            instance = self._model.from_db(DEFAULT_DB_ALIAS, self._names, row[self._fields])
            for other in self._related:
                other.populate(row, instance)
            for name, place in self._annotations:
                setattr(instance, name, row[place])
            yield instance


class Lookup(_Statement, Generic[M]):
    """A query of instances, with related ones and annotations if it selects them.

    `lookup.get(pk=…)` reads one of them.
    """

    def __init__(self, query: Callable[..., models.QuerySet[M]], **kinds: type) -> None:
        super().__init__(**kinds)
        self._query = query
        self._readers: dict[str, _Reader[M]] = {}

    def get(self, **values: Any) -> M:
        """The first instance. Raises the model's DoesNotExist if there is none."""
        instance = self.first(**values)
        if instance is None:
            raise self._query(**self._examples).model.DoesNotExist  # type: ignore[attr-defined]
        return instance

    def first(self, **values: Any) -> M | None:
        """The first instance; None if there is none."""
        return next(self.instances(**values), None)

    def instances(self, **values: Any) -> Iterator[M]:
        """All instances; each is made when it is read."""
        connection = connections[DEFAULT_DB_ALIAS]
        rows = self._rows(connection, values)
        reader = self._readers.get(connection.vendor)
        if reader is None:
            reader = self._readers[connection.vendor] = _Reader(self._for(connection).compiler)
        return reader.read(rows)

    def _compiler(self, connection: BaseDatabaseWrapper, examples: Mapping[str, Any]) -> Any:
        return self._query(**examples).query.get_compiler(connection=connection)


class Values(_Statement):
    """A `values_list` query of values that need no conversion, such as numbers and short texts."""

    def __init__(self, query: Callable[..., models.QuerySet[Any, Any]], **kinds: type) -> None:
        super().__init__(**kinds)
        self._query = query

    def all(self, **values: Any) -> list[tuple[Any, ...]]:
        return self._rows(connections[DEFAULT_DB_ALIAS], values)

    def _compiler(self, connection: BaseDatabaseWrapper, examples: Mapping[str, Any]) -> Any:
        return self._query(**examples).query.get_compiler(connection=connection)


class Update(_Statement):
    """An UPDATE of the rows of a query: `update.run(pk=…)` returns the number of changed rows.

    make: returns the query, and the new values by the names of their fields.
    """

    def __init__(
        self,
        make: Callable[..., tuple[models.QuerySet[Any], Mapping[str, Any]]],
        **kinds: type,
    ) -> None:
        super().__init__(**kinds)
        self._make = make

    def run(self, **values: Any) -> int:
        connection = connections[DEFAULT_DB_ALIAS]
        built = self._for(connection)
        return changed(built.sql, self._params(connection, built, values))

    def _compiler(self, connection: BaseDatabaseWrapper, examples: Mapping[str, Any]) -> Any:
        rows, changes = self._make(**examples)
        query: Any = rows.query.chain(UpdateQuery)
        query.add_update_values(dict(changes))
        return query.get_compiler(connection=connection)


def _adapted(connection: BaseDatabaseWrapper, value: Any) -> Any:
    """The value as the ORM would pass it to the driver."""
    if isinstance(value, UUID):
        return _UUIDS.get_db_prep_value(value, connection)
    if isinstance(value, timedelta):
        return _DURATIONS.get_db_prep_value(value, connection)
    return value
