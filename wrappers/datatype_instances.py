"""Datatypes, and terms over them, in a Python API like that of z3: an instance of a parametric datatype is a plain one, and a
match is composed of testers and selectors. `api` is the module of the binding. The file imports only the standard library.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

Declaration = tuple[str, list[str], list[tuple[str, list[tuple[str, Any]]]]]


class Family:
    """The datatypes of one block of declarations. An instance of a parametric datatype is a plain
    datatype, which is made once.
    """

    def __init__(self, api: Any, ctx: Any, declarations: Sequence[Declaration]) -> None:
        self.api = api
        self.ctx = ctx
        self.declarations = {d[0]: d for d in declarations}
        self._instances: dict[tuple[Any, ...], Any] = {}

    def instance(self, name: str, args: Sequence[Any]) -> Any:
        """The datatype `name` with the sorts `args`, and all instances that it needs."""
        wanted = self._key(name, args)
        if wanted not in self._instances:
            block = self._block(name, list(args))
            for key, sort in zip(block, self.api.CreateDatatypes(*block.values()), strict=True):
                self._instances[key] = sort
        return self._instances[wanted]

    def _block(self, name: str, args: list[Any]) -> dict[tuple[Any, ...], Any]:
        """The datatypes that must still be made for one instance, by key."""
        made: dict[tuple[Any, ...], Any] = {}
        todo = [(name, args)]
        for symbol, sorts in todo:
            key = self._key(symbol, sorts)
            if key in made or key in self._instances:
                continue
            if len(made) > 32:
                raise ValueError(f"datatype {name} needs more than 32 instances of its block")
            made[key] = self.api.Datatype(self._symbol(symbol, sorts), self.ctx)
            todo.extend(self._needs(symbol, sorts))
        for key, datatype in made.items():
            self._declare(datatype, key, made)
        return made

    def _needs(self, name: str, args: list[Any]) -> Iterator[tuple[str, list[Any]]]:
        for _, fields in self.declarations[name][2]:
            for _, sort in fields:
                reference = self._reference(sort, name, args)
                if reference is not None:
                    yield reference

    def _reference(self, sort: Any, name: str, args: list[Any]) -> tuple[str, list[Any]] | None:
        """The instance of this block that the sort of a field names; None for any other sort."""
        if not isinstance(sort, tuple) or sort[0] == "param":
            return None
        if sort[0] == "self":
            return name, args
        return sort[1], [self._sort(s, name, args) for s in sort[2]]

    def _sort(self, sort: Any, name: str, args: list[Any]) -> Any:
        if isinstance(sort, tuple) and sort[0] == "param":
            return args[self.declarations[name][1].index(sort[1])]
        reference = self._reference(sort, name, args)
        return sort if reference is None else self.instance(*reference)

    def _declare(
        self, datatype: Any, key: tuple[Any, ...], made: dict[tuple[Any, ...], Any]
    ) -> None:
        name, args = key[0], list(key[1:])
        for constructor, fields in self.declarations[name][2]:
            parts = []
            for selector, sort in fields:
                reference = self._reference(sort, name, args)
                inner = None if reference is None else self._key(*reference)
                parts.append(
                    (selector, made[inner] if inner in made else self._sort(sort, name, args))
                )
            datatype.declare(constructor, *parts)

    def _key(self, name: str, args: Sequence[Any]) -> tuple[Any, ...]:
        return (name, *args)

    def _symbol(self, name: str, args: Sequence[Any]) -> str:
        return name if not args else f"{name}<{','.join(a.sexpr() for a in args)}>"


class Parametric:
    """A parametric datatype without arguments."""

    def __init__(self, name: str, instance: Callable[..., Any]) -> None:
        self.name = name
        self.instance = instance


def instances(api: Any, ctx: Any, declarations: Sequence[Declaration]) -> list[Any]:
    """The sorts of a block of declarations, in their order. A parametric datatype becomes a
    `Parametric`.
    """
    family = Family(api, ctx, declarations)
    return [
        Parametric(name, lambda *args, n=name: family.instance(n, args))
        if params
        else family.instance(name, [])
        for name, params, _ in declarations
    ]


def constructor_of(sort: Any, name: str) -> Any:
    """The constructor called `name` of a datatype's sort."""
    return sort.constructor(_position(sort, name))


def recognizer_of(sort: Any, name: str) -> Any:
    """The tester of the constructor called `name`."""
    return sort.recognizer(_position(sort, name))


def selector_of(sort: Any, constructor_name: str, name: str) -> Any:
    """The selector called `name` of a constructor."""
    at = _position(sort, constructor_name)
    for k in range(sort.constructor(at).arity()):
        if sort.accessor(at, k).name() in (name, f"|{name}|"):
            return sort.accessor(at, k)
    raise KeyError(f"constructor {constructor_name} has no selector {name}")


def _position(sort: Any, name: str) -> int:
    for k in range(sort.num_constructors()):
        if sort.constructor(k).name() in (name, f"|{name}|"):  # cvc5 quotes what is no identifier
            return k
    raise KeyError(f"datatype has no constructor {name}")


def matched(
    api: Any, sort: Any, term: Any, cases: Sequence[tuple[Sequence[str], Sequence[Any], Any]]
) -> Any:
    """A match expression over a term of a datatype, by testers and selectors, because the interface has no match.

    `cases` are ([constructor], or [] for any value; variables; body). The last case takes all
    remaining values.
    """
    result = None
    for names, variables, body in reversed(cases):
        parts = _fields(sort, names[0], term) if names else [term]
        case = api.substitute(body, *zip(variables, parts, strict=True)) if variables else body
        result = (
            api.If(recognizer_of(sort, names[0])(term), case, result)
            if names and result is not None
            else case
        )
    return result


def _fields(sort: Any, name: str, term: Any) -> list[Any]:
    """The values that the selectors of the constructor `name` give for `term`."""
    at = _position(sort, name)
    return [sort.accessor(at, k)(term) for k in range(sort.constructor(at).arity())]
