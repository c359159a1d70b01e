"""Synthesis problems (SyGuS-IF 2) and rules of fixed points (`rule` and `query`, as z3 reads them) as
SMT-LIB scripts, so that they are seeds of the mutation fuzzers.

A function that is to be found becomes a declared function, without its grammar, and a constraint becomes
an assertion for all values of the variables. The script is satisfiable exactly if there are such
functions, whatever grammar they need. A rule is asserted for all values of its variables, and a query is
asserted never to hold.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from murxpy.errors import InputError
from murxpy.smtlib.lexer import joined, key, place, solid, tokenize

HORN = (
    "HORN"  # the logic of constrained Horn clauses, for which solvers have procedures of their own
)
SUFFIX = ".sl"  # of files of synthesis problems
_OF_PROBLEMS = ("(synth-fun", "(synth-inv", "(check-synth", "(declare-rel", "(rule", "(query")
_LEFT_OUT = ("set-feature", "set-option", "set-options", "declare-weight")

Tokens = Sequence[str]


def is_problem(text: str) -> bool:
    """Whether a text may have commands that only problems have."""
    return any(word in text for word in _OF_PROBLEMS)


def as_script(text: str, name: str) -> str:
    """The SMT-LIB script of a problem; a script stays as it is, but for comments. Raises InputError for
    commands that have no such meaning, and for parentheses that do not match.
    """
    problem = _Problem(text, name)
    tokens = tokenize(text, name)
    for first, command in _commands(tokens, text, name):
        problem.take(first, command)
    return problem.script()


def _commands(tokens: list[str], text: str, name: str) -> Iterator[tuple[int, list[str]]]:
    """The commands, each with the number of its first token."""
    depth = first = 0
    for at, token in enumerate(tokens):
        if depth == 0:
            first = at
            if token != "(":
                raise _error(text, name, at, f"expected '(' before a command, found '{token}'")
        depth += (token == "(") - (token == ")")
        if depth == 0:
            yield first, tokens[first : at + 1]
    if depth:
        raise _error(text, name, first, "the '(' of this command is not closed")


def _error(text: str, name: str, token: int, reason: str) -> InputError:
    """An error at the place of a token."""
    starts = list(solid(text))
    line, column = place(text, starts[min(token, len(starts) - 1)] if starts else 0)
    return InputError(reason, file=name, line=line, column=column)


def _parts(command: Tokens) -> list[list[str]]:
    """The parts of a command or of another list, without its parentheses."""
    parts: list[list[str]] = []
    depth = 0
    for token in command[1:-1]:
        if depth == 0:
            parts.append([])
        parts[-1].append(token)
        depth += (token == "(") - (token == ")")
    return parts


class _Problem:
    """The script of a problem, as far as it was read."""

    def __init__(self, text: str, name: str) -> None:
        self._text, self._name = text, name
        self._lines: list[str] = []
        self._variables: dict[str, Tokens] = {}  # with their sorts
        self._arities: dict[str, list[list[str]]] = {}  # of functions, the sorts of their arguments
        self._assumed: list[Tokens] = []
        self._wanted: list[Tokens] = []
        self._of_rules = False

    def script(self) -> str:
        """The text of the script. One of rules is in the logic of their solvers."""
        logic = [f"(set-logic {HORN})"] if self._of_rules else []
        return "\n".join([*logic, *self._lines, ""])

    def take(self, at: int, command: list[str]) -> None:
        """Read a command, whose first token has this number."""
        parts = _parts(command)
        head = parts[0][0] if parts else ""
        try:
            self._take(head, parts[1:], command)
        except (IndexError, KeyError):
            raise _error(
                self._text, self._name, at, f"a part of this '{head}' is missing or not declared"
            ) from None
        except InputError as error:
            raise _error(self._text, self._name, at, error.reason) from None

    def _take(self, head: str, parts: list[list[str]], command: Tokens) -> None:
        match head:
            case "declare-var" | "declare-primed-var":
                self._variables[key(parts[0][0])] = parts[1]
                if head == "declare-primed-var":
                    self._variables[key(f"{parts[0][0]}!")] = parts[1]
            case "synth-fun" | "synth-inv":
                sorts = [_parts(pair)[1] for pair in _parts(parts[1])]
                result = parts[2] if head == "synth-fun" else ["Bool"]
                self._declare(parts[0][0], sorts, result)
            case "declare-rel":
                self._declare(parts[0][0], _parts(parts[1]), ["Bool"])
            case "constraint":
                self._wanted.append(parts[0])
            case "assume":
                self._assumed.append(parts[0])
            case "inv-constraint":
                self._wanted += self._invariant(*[part[0] for part in parts[:4]])
            case "check-synth":
                for wanted in self._wanted:
                    self._assert(self._behind_assumptions(wanted))
                self._lines.append("(check-sat)")
            case "rule":
                self._of_rules = True
                self._assert(parts[0])
            case "query":
                self._query(parts[0])
            case "optimize-synth" | "oracle-constraint" | "declare-oracle-fun" | "chc-constraint":
                raise InputError(f"'{head}' has no meaning in SMT-LIB")
            case _ if head not in _LEFT_OUT:
                self._keep(head, parts, command)

    def _keep(self, head: str, parts: list[list[str]], command: Tokens) -> None:
        """Keep a command of SMT-LIB, and remember the sorts of a function that it defines."""
        if head == "define-fun":
            self._arities[key(parts[0][0])] = [_parts(pair)[1] for pair in _parts(parts[1])]
        self._lines.append(joined(command))

    def _declare(self, name: str, sorts: list[list[str]], result: Tokens) -> None:
        self._arities[key(name)] = sorts
        given = " ".join(joined(sort) for sort in sorts)
        self._lines.append(f"(declare-fun {name} ({given}) {joined(result)})")

    def _query(self, wanted: Tokens) -> None:
        """Assert that a formula, or a relation for any arguments, never holds."""
        sorts = self._arities.get(key(wanted[0])) if len(wanted) == 1 else None
        for at, sort in enumerate(sorts or ()):
            self._variables[f"query!{at}"] = sort
        if sorts:
            names = [f"query!{at}" for at in range(len(sorts))]
            wanted = ["(", *wanted, *names, ")"]
        self._assert(["(", "not", *wanted, ")"])
        self._lines.append("(check-sat)")

    def _invariant(self, inv: str, pre: str, trans: str, post: str) -> list[Tokens]:
        """The three constraints of an invariant."""
        sorts = self._arities[key(inv)]
        now, then = ([f"{word}!{at}" for at in range(len(sorts))] for word in ("now", "then"))
        for at, sort in enumerate(sorts):
            self._variables[f"now!{at}"] = self._variables[f"then!{at}"] = sort
        holds, after = _applied(inv, now), _applied(inv, then)
        step = ["(", "and", *holds, *_applied(trans, [*now, *then]), ")"]
        return [
            ["(", "=>", *_applied(pre, now), *holds, ")"],
            ["(", "=>", *step, *after, ")"],
            ["(", "=>", *holds, *_applied(post, now), ")"],
        ]

    def _behind_assumptions(self, wanted: Tokens) -> Tokens:
        if not self._assumed:
            return wanted
        given = [token for assumed in self._assumed for token in assumed]
        return ["(", "=>", "(", "and", "true", *given, ")", *wanted, ")"]

    def _assert(self, formula: Tokens) -> None:
        """Assert a formula for all values of those variables that are in it."""
        there = dict.fromkeys(key(token) for token in formula if token not in "()")
        bound = [
            f"({name} {joined(self._variables[name])})" for name in there if name in self._variables
        ]
        text = joined(formula)
        self._lines.append(
            f"(assert (forall ({' '.join(bound)}) {text}))" if bound else f"(assert {text})"
        )


def _applied(function: str, args: list[str]) -> list[str]:
    return ["(", function, *args, ")"] if args else [function]
