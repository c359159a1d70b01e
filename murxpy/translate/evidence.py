"""What a script asks a solver, so that its answers show a finding: the model with the values of the
assertions and of their parts, the core, and the like.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from murxpy.errors import InputError
from murxpy.logic.catalogue import Catalogue
from murxpy.logic.sorts import Sort
from murxpy.logic.terms import CONSTANT, SPECIAL, VALUE, Term, subterms
from murxpy.machine.witnesses.model import with_universe
from murxpy.smtlib.asserted import at_checks
from murxpy.smtlib.commands import CHECKS
from murxpy.smtlib.printing.forms import Unsayable
from murxpy.smtlib.printing.terms import Printer
from murxpy.smtlib.reading.scripts import read_script
from murxpy.smtlib.syntax.fingerprint import theories

_TERMS = 40  # terms of a wrong model whose values a script asks for


@dataclass(frozen=True, slots=True)
class Way:
    """How a script differs from its trace. `words` says it in a sentence.

    `alone`: only the last check with what is asserted there. `levels`: all assertions stand on a
    pushed level. `limited`: the limits of the trace hold. `assumed`: assumptions are asserted.
    `recursive`: functions are defined as those are that can call themselves. `core_terms`: a core is
    printed as terms, not as names. `theories`: a script that the trace runs sets the options that its
    theories need, as they are set when the trace is run.
    """

    words: str = ""
    alone: bool = False
    levels: bool = False
    limited: bool = True
    assumed: bool = False
    recursive: bool = False
    core_terms: bool = False
    theories: bool = True


WAYS = (
    Way(),
    Way("all assertions stand behind a push", levels=True),
    Way("it sets no options for its theories", theories=False),
    Way("functions are defined by define-fun-rec", recursive=True),
    Way("the core is printed as terms", core_terms=True),
    Way("the trace's limits are left out", limited=False),
    Way("only the last check is left, without levels", alone=True),
    Way(
        "only the last check is left, on one level and without limits",
        alone=True,
        levels=True,
        limited=False,
    ),
    Way(
        "only the last check is left, without limits and with its assumptions asserted",
        alone=True,
        limited=False,
        assumed=True,
    ),
)


class Asked(NamedTuple):
    """A command behind the last check, which asks for what shows the finding.

    `kind` is `model`, `formula` (the value of an assertion), `constant` or `term` (the
    value of another term), `core`, `assumptions`, `again` (a second check), `made` (a formula that the
    solver makes of the term), or `silent` where nothing is printed.
    """

    kind: str
    command: str
    term: str = ""
    sort: str = ""


@dataclass(frozen=True)
class Evidence:
    """A script that asks for what shows a finding: its text, and the questions behind its last check.

    `formulas` are the assertions and assumptions that have names, as text, and `background` are the
    assertions of the last check that have none. `missing` says what of the trace the script cannot
    say, and `lost` why it cannot say the last line, with which the finding came. `planted` are
    equations that a model of the last check is known to make true.
    """

    text: str
    dialect: str
    asked: tuple[Asked, ...] = ()
    formulas: Mapping[str, str] = field(default_factory=dict)
    background: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    lost: str = ""
    planted: tuple[str, ...] = ()


_UNIVERSE = "set.universe"
_MODELS = "(set-option :produce-models true)"
LEAVES = (VALUE, SPECIAL)
_UNPRINTED = ("SORT_REGLAN", "SORT_FUN", "SORT_CASE")


def about_model(
    formulas: Sequence[Term], kind: str, printer: Printer, text: Callable[[Term], str]
) -> Iterator[Asked]:
    """The questions about a model: it as a whole, the values of `formulas`, which are questions of
    `kind`, and those of their parts. Raises Unsayable.
    """
    yield Asked("model", "(get-model)")
    formulas = [term for term in formulas if term.op not in LEAVES]

    def value(kind: str, term: Term) -> Asked:
        said = text(term)
        return Asked(kind, f"(get-value ({said}))", said, printer.sort(term.sort))

    for term in formulas:
        yield value(kind, term)
    parts = sorted(subterms(formulas), key=lambda term: term.serial)
    asked = [t for t in parts if not t.free and t.op not in LEAVES and t not in formulas]
    for term in [t for t in asked if t.sort.kind not in _UNPRINTED][:_TERMS]:
        yield value("constant" if term.op == CONSTANT else "term", term)
    for sort in with_universe(parts):
        yield _universe(sort, printer)


def _universe(sort: Sort, printer: Printer) -> Asked:
    said = printer.sort(sort)
    term = printer.words.special_values[_UNIVERSE].replace("{sort}", said)
    return Asked("universe", f"(get-value ({term}))", term, said)


def theory_options(text: str, catalogue: Catalogue, dialect: str) -> list[str]:
    """The options that the theories of a script need in a dialect."""
    used = {f"SORT_{theory}" for theory in theories(text)}
    options = catalogue.dialect(dialect).options
    return list(dict.fromkeys(name for sort, name in options.items() if sort in used))


def of_script(
    text: str, catalogue: Catalogue, dialect: str, limit: int, models: bool, way: Way
) -> Evidence:
    """A script as a solver was given it, with the limit of its checks, 0 for none. With `models`, it
    ends behind its last check with questions about the model.
    """
    rows = [row for row in text.splitlines() if row.strip() and row.strip() != "(exit)"]
    if way.theories:
        needed = theory_options(text, catalogue, dialect)
        rows[:0] = [f"(set-option :{name} true)" for name in needed]
    if limit and way.limited:
        rows.insert(0, f"(set-option :reproducible-resource-limit {limit})")
    asked: tuple[Asked, ...] = ()
    if models:
        checks = [at for at, row in enumerate(rows) if row.startswith("(check-sat")]
        del rows[checks[-1] + 1 if checks else len(rows) :]
        rows = [_MODELS, *(row for row in rows if row != _MODELS)]
        asked = _of_last_check("\n".join(rows), catalogue, dialect)
    return Evidence(
        "\n".join([*rows, *(one.command for one in asked), "(exit)", ""]), dialect, asked
    )


def _of_last_check(text: str, catalogue: Catalogue, dialect: str) -> tuple[Asked, ...]:
    """The questions about the model of the last check; only for it as a whole where the script
    cannot be read.
    """
    try:
        script = read_script(text, "script", catalogue, dialect=dialect)
        at, asserted = list(at_checks(script))[-1]
        assert isinstance(script.commands[at], CHECKS)
        printer = Printer(catalogue, dialect)
        formulas = list(dict.fromkeys(one.term for one in asserted))
        return tuple(about_model(formulas, "formula", printer, printer.term))
    except (InputError, Unsayable, IndexError):
        return (Asked("model", "(get-model)"),)
