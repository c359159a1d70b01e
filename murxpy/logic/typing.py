"""The type checker. The checker computes the sort of an application from the sorts of the arguments,
the indices, and where it is needed the wanted sort.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from murxpy.foreign import excerpt
from murxpy.logic.catalogue import Catalogue, Operator
from murxpy.logic.signature import Binding, Signature
from murxpy.logic.sorts import Constructor, IllSorted, Sort, SortTable


class IndexOutOfRange(IllSorted):
    """An index is outside of the range that the signature gives."""


class Checker:
    """Computes the sorts of applications within a run. The answer to each question is remembered."""

    def __init__(self, catalogue: Catalogue, sorts: SortTable) -> None:
        self.catalogue = catalogue
        self.sorts = sorts
        self._known: dict[tuple[Any, ...], Sort] = {}

    def result(
        self,
        operator: Operator,
        args: tuple[Sort, ...],
        indices: tuple[Any, ...] = (),
        wanted: Sort | None = None,
    ) -> Sort:
        """Return the sort of `operator` applied to arguments of the sorts `args`.

        `wanted` is the sort of the result if the arguments do not determine it (`as`). Raises
        IllSorted.
        """
        key = (operator.kind, args, indices, wanted)
        sort = self._known.get(key)
        if sort is None:
            sort = self._known[key] = self._infer(operator, args, indices, wanted)
        return sort

    def _infer(
        self,
        operator: Operator,
        args: tuple[Sort, ...],
        indices: tuple[Any, ...],
        wanted: Sort | None,
    ) -> Sort:
        if operator.typing is not None:
            question = _Application(self.sorts, operator, args, indices, wanted)
            return DATATYPE_RULES[operator.typing](question)
        signature = operator.signature
        if signature.binder:
            return _binder(self.sorts, operator, args)
        if len(args) < operator.minimum or (
            len(args) > operator.minimum and not takes_more(signature)
        ):
            raise IllSorted(
                f"{operator.kind} takes {arity_text(operator)} arguments, got {len(args)}"
            )
        attribute = signature.attribute
        if attribute == "left-assoc" and len(args) > 2:
            return self._fold(operator, list(args), indices)
        if attribute == "right-assoc" and len(args) > 2:
            return self._fold(operator, list(reversed(args)), indices)
        return self._apply(operator, args, indices, wanted)

    def _fold(self, operator: Operator, args: list[Sort], indices: tuple[Any, ...]) -> Sort:
        sort = args[0]
        for other in args[1:]:
            sort = self.result(operator, (sort, other), indices)
        return sort

    def _apply(
        self,
        operator: Operator,
        args: tuple[Sort, ...],
        indices: tuple[Any, ...],
        wanted: Sort | None,
    ) -> Sort:
        signature = operator.signature
        env: Binding = {"arity": len(args)}
        bind_indices(operator, indices, len(args), env)
        if wanted is not None and not signature.result.match(wanted, env):
            raise IllSorted(f"{operator.kind} cannot give {wanted}")
        if not match_args(signature, args, env):
            raise IllSorted(
                f"{operator.kind}: expected arguments of {signature.language}, found ({', '.join(map(str, args))})"
            )
        tuple_arity(signature, env)
        check_ranges(operator, indices, env)
        try:
            return signature.result.build(env, self.sorts)
        except KeyError as unbound:
            raise IllSorted(
                f"{operator.kind} needs the sort of its result ({unbound.args[0]} is open)"
            ) from None


def takes_more(signature: Signature) -> bool:
    """Return whether more arguments are allowed than the signature writes."""
    return signature.attribute is not None or any(p.star for p in signature.args)


def arity_text(operator: Operator) -> str:
    """Return how many arguments are expected, for messages: `2` or `at least 2`."""
    return f"{'at least ' if takes_more(operator.signature) else ''}{operator.minimum}"


def match_args(signature: Signature, args: Sequence[Sort], env: Binding) -> bool:
    """Match the sorts of arguments with the signature, and bind variables in `env`. Further
    arguments are like the last one.
    """
    position = 0
    for pattern in signature.args:
        if pattern.star:
            bound = env.get(pattern.name)
            rest = tuple(args[position:])
            if bound is None:
                env[pattern.name] = bound = rest
            if bound != rest:
                return False
            position = len(args)
        else:
            if position >= len(args) or not pattern.match(args[position], env):
                return False
            position += 1
    last = signature.args[-1] if signature.args else None
    return all(last is not None and last.match(sort, env) for sort in args[position:])


def tuple_arity(signature: Signature, env: Binding) -> None:
    """If the only argument is a tuple of any length, let `arity` be the number of its components
    and `width` that of `a*`.
    """
    parts = env.get("a")
    if isinstance(parts, tuple):
        env["width"] = len(parts)
    if len(signature.args) == 1:
        for value in env.values():
            if isinstance(value, tuple) and not (value and isinstance(value[0], int)):
                env["arity"] = len(value)
                return


def bind_indices(operator: Operator, indices: tuple[Any, ...], arity: int, env: Binding) -> None:
    """Bind the names of the indices. Raises IllSorted if there are too few or too many of them."""
    specs = operator.signature.indices
    if specs and specs[-1].many:
        _numbers(operator, specs[-1].name, indices)
        env[specs[-1].name] = indices  # `a[i+]` picks with these
        return
    expected = sum(arity if spec.each else 1 for spec in specs)
    if len(indices) != expected:
        raise IllSorted(f"{operator.kind} takes {expected} indices, got {len(indices)}")
    for spec, value in zip(specs, indices, strict=False):
        if not isinstance(value, int) or isinstance(value, bool):
            raise IllSorted(f"{operator.kind}: index {spec.name} must be a number, got {value!r}")
        if not spec.each:
            env[spec.name] = value


def _numbers(operator: Operator, name: str, indices: tuple[Any, ...]) -> None:
    for value in indices:
        if not isinstance(value, int) or isinstance(value, bool):
            raise IllSorted(f"{operator.kind}: index {name} must be a number, got {value!r}")


def _check_columns(operator: Operator, indices: tuple[Any, ...], env: Binding) -> None:
    """Raise IllSorted if the indices do not name pairs of components with equal sorts."""
    one, other = env.get("a"), env.get("b")
    if not isinstance(one, tuple) or not isinstance(other, tuple) or len(indices) % 2:
        raise IllSorted(f"{operator.kind} takes pairs of indices, got {len(indices)}")
    for left, right in zip(indices[::2], indices[1::2], strict=True):
        if not (left < len(one) and right < len(other)) or one[left] is not other[right]:
            raise IndexOutOfRange(
                f"{operator.kind}: the components {left} and {right} are not of one sort"
            )


def check_ranges(operator: Operator, indices: tuple[Any, ...], env: Binding) -> None:
    """Raise IllSorted if an index is outside of the range that the signature gives."""
    specs = operator.signature.indices
    if operator.signature.columns:
        _check_columns(operator, indices, env)
    for spec, value in zip(
        specs * len(indices) if specs and specs[-1].many else specs, indices, strict=False
    ):
        low = spec.least.value(env) if spec.least is not None else None
        high = spec.most.value(env) if spec.most is not None else None
        if value < (low or 0) or (high is not None and value > high):
            expected = f"{low or 0} or more" if high is None else f"{low or 0} to {high}"
            raise IndexOutOfRange(
                f"{operator.kind}: index {spec.name} is {excerpt(str(value))}, expected {expected}"
            )


def _binder(sorts: SortTable, operator: Operator, args: tuple[Sort, ...]) -> Sort:
    """Return the sort of a quantifier, lambda or comprehension, whose arguments are variables, a
    body, and what follows it.
    """
    shape = operator.signature.args
    behind = len(shape) - 1
    if len(args) < 1 + behind:
        raise IllSorted(
            f"{operator.kind} takes variables and {behind} more arguments, got {len(args)}"
        )
    variables, rest = args[: len(args) - behind], args[len(args) - behind :]
    body = rest[0]
    if shape[1].kind == "SORT_BOOL" and body.kind != "SORT_BOOL":
        raise IllSorted(f"{operator.kind}: the body must be Boolean, got {body}")
    kind = signature_kind(operator)
    if kind == "SORT_ARRAY":
        if len(variables) != 1:
            raise IllSorted(f"{operator.kind} binds one variable, got {len(variables)}")
        return sorts.get(kind, variables[0], body)
    if kind == "SORT_FUN":
        return sorts.get(kind, *variables, body)
    if kind == "SORT_SET":
        return sorts.get(kind, rest[1])
    return sorts.get("SORT_BOOL")


def signature_kind(operator: Operator) -> str:
    """Return the kind of the result's sort, or the empty string if it is a variable."""
    return operator.signature.result.kind or ""


@dataclass(frozen=True, slots=True)
class _Application:
    """The application of an operator of datatypes whose sort is asked for."""

    sorts: SortTable
    operator: Operator
    args: tuple[Sort, ...]
    indices: tuple[Any, ...]
    wanted: Sort | None

    @property
    def kind(self) -> str:
        return self.operator.kind

    def count(self, expected: int) -> None:
        """Raise IllSorted unless there are so many arguments."""
        if len(self.args) != expected:
            raise IllSorted(f"{self.kind} takes {expected} arguments, got {len(self.args)}")

    def constructor(self, datatype: Sort) -> Constructor:
        """Return the constructor that the first index names. Raises IllSorted."""
        if datatype.kind != "SORT_DT":
            raise IllSorted(f"{self.kind} takes a datatype, got {datatype}")
        for name in self.indices[:1]:
            found = datatype.datatype.constructor(name) if isinstance(name, str) else None
            if found is not None:
                return found
        shown = self.indices[0] if self.indices else ""
        raise IllSorted(f"{self.kind}: {datatype} has no constructor {shown}")

    def fields(self, datatype: Sort) -> list[Sort]:
        """Return the sorts of the constructor's fields. Raises IllSorted."""
        return self.sorts.field_sorts(datatype, self.constructor(datatype))

    def field(self, datatype: Sort) -> Sort:
        """Return the sort of the field that the second index names. Raises IllSorted."""
        constructor, name = self.constructor(datatype), self.indices[1:2]
        for position, (selector, _) in enumerate(constructor.fields):
            if name == (selector,):
                return self.fields(datatype)[position]
        shown = name[0] if name else ""
        raise IllSorted(f"{self.kind}: {constructor.name} has no selector {shown}")


Rule = Callable[[_Application], Sort]


def _apply_constructor(q: _Application) -> Sort:
    if q.wanted is None:
        raise IllSorted(f"{q.kind} needs the sort of its result")
    fields = q.fields(q.wanted)
    if tuple(fields) != q.args:
        raise IllSorted(
            f"{q.kind} {q.indices[0]} takes ({', '.join(map(str, fields))}), got {q.args}"
        )
    return q.wanted


def _apply_selector(q: _Application) -> Sort:
    q.count(1)
    return q.field(q.args[0])


def _apply_tester(q: _Application) -> Sort:
    q.count(1)
    q.constructor(q.args[0])
    return q.sorts.get("SORT_BOOL")


def _apply_updater(q: _Application) -> Sort:
    q.count(2)
    expected = q.field(q.args[0])
    if q.args[1] is not expected:
        raise IllSorted(f"{q.kind} takes {expected}, got {q.args[1]}")
    return q.args[0]


def _match_case(q: _Application) -> Sort:
    if q.wanted is None or not q.args:
        raise IllSorted(f"{q.kind} needs a body and the datatype's sort")
    variables = q.args[:-1]
    if q.indices:
        fields = q.fields(q.wanted)
        if tuple(fields) != variables:
            raise IllSorted(
                f"{q.kind} {q.indices[0]} binds ({', '.join(map(str, fields))}), got {variables}"
            )
    elif variables != (q.wanted,):
        raise IllSorted(f"{q.kind}: a pattern without constructor binds one variable of {q.wanted}")
    return q.sorts.get("SORT_CASE", q.wanted, q.args[-1])


def _match(q: _Application) -> Sort:
    if len(q.args) < 2 or any(case.kind != "SORT_CASE" for case in q.args[1:]):
        raise IllSorted(f"{q.kind} takes a datatype and cases, got {q.args}")
    for case in q.args[1:]:
        if case.params != (q.args[0], q.args[1].params[1]):
            raise IllSorted(f"{q.kind}: the case {case} does not fit {q.args[0]}")
    return q.args[1].sort(1)


DATATYPE_RULES: dict[str, Rule] = {
    "constructor": _apply_constructor,
    "selector": _apply_selector,
    "tester": _apply_tester,
    "updater": _apply_updater,
    "match": _match,
    "match-case": _match_case,
}
