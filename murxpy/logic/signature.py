"""The signatures of `fsm/theories`: reads them, matches the sorts of arguments with them, and builds
the sorts of results.

    {i:0..n-1} {j:0..i} BV(n) -> BV(i-j+1)

A word in capitals is a kind of sorts. A word in lower case is a variable: of a number if the kind
takes a number (BV, FP, FF), else of a sort. `a*` stands for any number of sorts, `a*~` for the same
sorts in the reverse order, and `a[i]` for the i-th of them. `{i:lo..hi}` is an index with its range,
`{i:lo.. draw lo..hi}` an index that may be larger than those that generators draw, `{e}` an index that
the sort of the result determines, `{i:lo..hi}+` is any number of indices, and `a[i+]` are the sorts
that these indices pick.

The attributes `:left-assoc`, `:right-assoc`, `:chainable` and `:pairwise` are those of SMT-LIB. With
`:nary` there may be any number of arguments like the last one. `:as` says that the arguments do not
determine the sort of the result, and `:binder` that variables come first. `:columns` says that the
indices name pairs of components with equal sorts, the first of `a*` and the second of `b*`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from murxpy.errors import InputError
from murxpy.logic.sorts import Sort, SortParam, SortTable

NUMERIC = {"BV", "FP", "FF"}
ASSOCIATIVE = ("left-assoc", "right-assoc", "chainable", "pairwise", "nary")
Binding = dict[str, Sort | int | tuple[Sort, ...]]  # any number of indices is a tuple of ints

_TOKEN = re.compile(r"\s*(\.\.|->|[A-Za-z_]+|\d{1,20}(?!\d)|[-+*/(){}:,\[\]~])")

_DRAWN = re.compile(r" draw [^}]*")


@dataclass(frozen=True)
class Linear:
    """A number that is an expression over variables, kept as a postfix tuple of ints, names and
    operators.
    """

    code: tuple[int | str, ...]

    def value(self, env: Mapping[str, object]) -> int | None:
        """Return the value under `env`, or None if a variable is unbound."""
        stack: list[int] = []
        if len(self.code) == 1 and isinstance(self.code[0], str):
            single = env.get(self.code[0])
            return single if isinstance(single, int) else None
        for item in self.code:
            if isinstance(item, int):
                stack.append(item)
            elif item in "+-*/":
                right, left = stack.pop(), stack.pop()
                stack.append(_compute(item, left, right))
            else:
                bound = env.get(item)
                if not isinstance(bound, int):
                    return None
                stack.append(bound)
        return stack[0]

    def names(self) -> list[str]:
        """Return the variables in the order in which they appear."""
        return [item for item in self.code if isinstance(item, str) and item not in "+-*/"]

    def solve(self, target: int, env: Binding) -> bool:
        """Bind the only unbound variable so that the value is `target`. Return False if the numbers
        have no solution.
        """
        if len(self.code) == 1 and isinstance(self.code[0], str):
            return target >= 1 and env.setdefault(self.code[0], target) == target
        free = [name for name in self.names() if name not in env]
        if not free:
            return self.value(env) == target
        if len(free) != 1:
            return False
        at_zero = self.value({**env, free[0]: 0})
        if at_zero is None:
            return False
        env[free[0]] = target - at_zero
        return target - at_zero >= 1 and self.value(env) == target


def _compute(operator: str, left: int, right: int) -> int:
    if operator == "+":
        return left + right
    if operator == "-":
        return left - right
    if operator == "*":
        return left * right
    return left // right if right else 0


@dataclass(frozen=True)
class Pattern:
    """A pattern of sorts: a kind with patterns of its parameters, or a variable (`kind` is None),
    which may be repeated (`star`).
    """

    kind: str | None
    name: str = ""
    star: bool = False
    params: tuple[Pattern | Linear, ...] = ()
    pick: Linear | None = None  # of `a[i]`: which of the sorts that `a*` stands for
    picks: str = ""  # of `a[i+]`: the indices that pick from the sorts of `a*`
    turned: bool = False  # of `a*~`: the sorts of `a*` in the reverse order

    def ground(self, env: Binding) -> bool:
        """Return whether every variable in it is bound."""
        if self.kind is None:
            return self.name in env
        return not self.params or all(
            p.value(env) is not None if isinstance(p, Linear) else p.ground(env)
            for p in self.params
        )

    def match(self, sort: Sort, env: Binding) -> bool:
        """Match one sort, and bind variables in `env`. If the sort does not fit, return False;
        `env` is then partly filled.
        """
        if self.kind is None:
            bound = env.setdefault(self.name, sort)
            return bound is sort
        if sort.kind != self.kind:
            return False
        return not (self.params or sort.params) or _match_params(self.params, sort.params, env)

    def build(self, env: Binding, sorts: SortTable) -> Sort:
        """Return the sort that it stands for under `env`. Raises KeyError if a variable is unbound."""
        if self.kind is None:
            bound = env[self.name]
            if self.pick is not None and isinstance(bound, tuple):
                return bound[self.pick.value(env) or 0]
            if not isinstance(bound, Sort):
                raise KeyError(self.name)
            return bound
        params: list[SortParam] = []
        for param in self.params:
            if isinstance(param, Linear):
                number = param.value(env)
                if number is None:
                    raise KeyError(str(param.names()))
                params.append(number)
            elif param.star:
                params.extend(_several(param, env))
            else:
                params.append(param.build(env, sorts))
        return sorts.get(self.kind, *params)


def _several(pattern: Pattern, env: Binding) -> tuple[Sort, ...]:
    """Return the sorts that `a*`, `a*~` or `a[i+]` stands for under `env`. Raises KeyError if a
    variable is unbound.
    """
    bound = env[pattern.name]
    if not isinstance(bound, tuple):
        return ()
    if pattern.picks:
        return tuple(bound[at] for at in env[pattern.picks])  # type: ignore[union-attr, index]
    return bound[::-1] if pattern.turned else bound


def _match_params(
    patterns: tuple[Pattern | Linear, ...], params: tuple[SortParam, ...], env: Binding
) -> bool:
    star = next((k for k, p in enumerate(patterns) if isinstance(p, Pattern) and p.star), None)
    if star is None:
        return len(patterns) == len(params) and all(
            _match_param(p, q, env) for p, q in zip(patterns, params, strict=False)
        )
    behind = len(patterns) - star - 1
    if len(params) < star + behind:
        return False
    stop = len(params) - behind
    middle = params[star:stop]
    name = patterns[star].name  # type: ignore[union-attr]
    return (
        all(_match_param(p, q, env) for p, q in zip(patterns[:star], params[:star], strict=False))
        and env.setdefault(name, middle) == middle  # type: ignore[arg-type]
        and all(
            _match_param(p, q, env)
            for p, q in zip(patterns[star + 1 :], params[stop:], strict=False)
        )
    )


def _match_param(pattern: Pattern | Linear, param: SortParam, env: Binding) -> bool:
    if isinstance(pattern, Linear):
        return isinstance(param, int) and pattern.solve(param, env)
    if isinstance(param, Sort):
        return pattern.match(param, env)
    return pattern.kind is None and env.setdefault(pattern.name, param) is param  # type: ignore[arg-type]


@dataclass(frozen=True)
class Index:
    """An index of an operator: its name, the range from which generators draw it if it has one, and
    whether there is one for each argument or any number. The language allows `least` to `most`, or
    any number from `least` on if `most` is None.
    """

    name: str
    low: Linear | None
    high: Linear | None
    each: bool = False
    many: bool = False
    least: Linear | None = None
    most: Linear | None = None


@dataclass(frozen=True)
class Signature:
    """The signature of an operator: indices, patterns of the arguments and of the result, and an
    attribute.
    """

    indices: tuple[Index, ...]
    args: tuple[Pattern, ...]
    result: Pattern
    attribute: str | None  # one of ASSOCIATIVE
    as_sort: bool
    binder: bool
    text: str
    columns: bool = False

    @property
    def language(self) -> str:
        """The text without the ranges that only generators keep to."""
        return _DRAWN.sub("", self.text)


class _Reader:
    def __init__(self, text: str, where: str) -> None:
        self.text = text
        self.where = where
        self.tokens = self._split(text)
        self.at = 0

    def _split(self, text: str) -> list[str]:
        tokens, at = [], 0
        text = text.rstrip()
        while at < len(text):
            found = _TOKEN.match(text, at)
            if found is None:
                raise InputError(
                    f"{self.where}: unexpected '{text[at:].strip()[:10]}' in signature '{self.text}'"
                )
            tokens.append(found.group(1))
            at = found.end()
        return tokens

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, expected: str | None = None) -> str:
        token = self.peek()
        if not token or (expected is not None and token != expected):
            found = f"'{token}'" if token else "its end"
            raise InputError(
                f"{self.where}: expected {expected or 'more'} but found {found} in signature '{self.text}'"
            )
        self.at += 1
        return token

    def skip(self, token: str) -> bool:
        if self.peek() == token:
            self.at += 1
            return True
        return False

    def signature(self) -> Signature:
        indices: list[Index] = []
        args: list[Pattern] = []
        while self.peek() != "->":
            if self.peek() == "{":
                indices.append(self.index())
            else:
                pattern = self.pattern()
                # Equal patterns are the same object, so the sort found for one argument serves the
                # next at once.
                args.append(next((p for p in args if p == pattern), pattern))
        self.take("->")
        result = self.pattern()
        flags = []
        while self.skip(":"):
            word = self.take()
            while self.skip("-"):
                word += "-" + self.take()
            flags.append(word)
        if self.peek() or not set(flags) <= {*ASSOCIATIVE, "as", "binder", "columns"}:
            raise InputError(f"{self.where}: unknown attribute in signature '{self.text}'")
        attribute = next((f for f in flags if f in ASSOCIATIVE), None)
        return Signature(
            tuple(indices),
            tuple(args),
            result,
            attribute,
            "as" in flags,
            "binder" in flags,
            self.text,
            "columns" in flags,
        )

    def index(self) -> Index:
        self.take("{")
        name = self.take()
        low = high = least = most = None
        if self.skip(":"):
            least = low = self.linear()
            self.take("..")
            if self.peek() != "draw":
                most = high = self.linear()
            if most is None or self.peek() == "draw":
                self.take("draw")
                low = self.linear()
                self.take("..")
                high = self.linear()
        self.take("}")
        return Index(name, low, high, self.skip("*"), self.skip("+"), least, most)

    def linear(self) -> Linear:
        code = self.product()
        while self.peek() in ("+", "-"):
            operator = self.take()
            code = (*code, *self.product(), operator)
        return Linear(code)

    def product(self) -> tuple[int | str, ...]:
        code = self.atom()
        while self.peek() in ("*", "/"):
            operator = self.take()
            code = (*code, *self.atom(), operator)
        return code

    def atom(self) -> tuple[int | str, ...]:
        token = self.take()
        return (int(token) if token.isdigit() else token,)

    def pattern(self) -> Pattern:
        word = self.take()
        if not word.replace("_", "").isalpha():
            raise InputError(
                f"{self.where}: expected a sort but found '{word}' in signature '{self.text}'"
            )
        if word.islower():
            pick = None
            if self.skip("["):
                if self.tokens[self.at + 1 : self.at + 3] == ["+", "]"]:
                    name = self.take()
                    self.at += 2
                    return Pattern(None, word, star=True, picks=name)
                pick = self.linear()
                self.take("]")
            star = self.skip("*") or (self.peek() == "+" and bool(self.take("+")))
            if star and self.skip("~"):
                return Pattern(None, word, star, turned=True)
            if self.skip("("):  # case(a)
                inner = self.pattern()
                self.take(")")
                return Pattern(f"SORT_{word.upper()}", params=(inner,))
            return Pattern(None, word, star, pick=pick)
        params: list[Pattern | Linear] = []
        if self.skip("("):
            while not self.skip(")"):
                params.append(self.linear() if word in NUMERIC else self.pattern())
                self.skip(",")
        return Pattern(f"SORT_{word}", params=tuple(params))


@lru_cache(4096)  # several times the signatures there are; a process reads each of them again
def parse_signature(text: str, where: str) -> Signature:
    """Read a signature. The InputError that is raised for a wrong one names `where` and what is
    wrong.
    """
    return _Reader(text, where).signature()
