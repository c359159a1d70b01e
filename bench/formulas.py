"""Random walks as scripts: how many have a formula in each dialect with nothing missing, and whether
that formula is read back, by us and by the solvers.

`python bench/formulas.py z3 --runs 2000` adds rows to `bench/results/formulas.md`.

A formula is whole if no assertion or check is missing. An asserted or assumed term is read back by us
if it is the same but for the names of symbols and variables. Where the dialect writes an operator by
an expression, the term is another one; then what was read must be the same when it is printed and
read once more. A solver's answer agrees with the one that the walk recorded if they are equal or one
of them is unknown.

    python bench/formulas.py cvc5 --theories standard    # walks over the standard's theories only
    python bench/formulas.py z3 --runs 200 --read 200 --no-save
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterable
from typing import Any

import common
from children import Write, run_all, walked
from common import percent, table, verdict
from scripts import READERS

sys.path.insert(0, str(common.ROOT / "tests" / "support"))

from alpha import Shapes

from murxpy.errors import InputError
from murxpy.logic.catalogue import STANDARD, Catalogue
from murxpy.logic.sorts import Sort
from murxpy.logic.terms import SPECIAL, VALUE, Term
from murxpy.logic.values import special_value
from murxpy.logic.walks import subterms
from murxpy.machine.trace.grammar import parse_trace
from murxpy.semantics.meanings.floating_point import format_of_sort
from murxpy.smtlib.building import Tables
from murxpy.smtlib.printing.scripts import print_script
from murxpy.smtlib.reading.applying import FOLDS
from murxpy.smtlib.reading.scripts import read_script
from murxpy.smtlib.script import Assert, CheckSatAssuming, Script
from murxpy.translate.formula import Formula, formula_of
from murxpy.worker.session import Session

THEORIES = "BOOL,BV,INT,REAL,ARRAY,UF,DT,QUANT,FP,STRING"  # of the standard
# Operators that every solver's dialect has, and SMT-LIB's theory of arrays has not. Where the element of a
# constant array is no literal, the standard cannot say it.
NOT_STANDARD = ["OP_CONST_ARRAY"]
# percent of the walks that have a whole formula: in the own dialect, in another, in the standard
AIMS = {"all": (98.0, 70.0, 40.0), "standard": (97.0, 97.0, 95.0)}
SECONDS = 5.0  # of a script in a solver
PER_CHECK = 500  # milliseconds
SHOWN = 15  # rows of a table of reasons
# a solver's build or procedure lacks this
_BEYOND = re.compile(
    r"exponent of the POW|cocoa|CoCoA|finite field|not supported|unsupported|Unsupported|not implemented"
)
_CHECK = re.compile(r"^\(check-sat.*?\)(?: ; (sat|unsat))?$")
_ODD = re.compile(r"[^\w(),.-]", re.ASCII)
_NUMBERS = re.compile(r"\d+")


class Spelled(Shapes):
    """Shapes of terms that are also equal if a script can only write them alike: a bit-vector `bv.zero`
    and its literal, `(- 1)` of the literal 1, an equivalence and an equality, and symbols with characters that no script has.
    """

    def __init__(self, catalogue: Catalogue) -> None:
        super().__init__(catalogue)
        self._tables = Tables(catalogue)

    def sort(self, sort: Sort) -> str:
        return _ODD.sub("?", super().sort(sort))

    def _shape(
        self, term: Term, bound: dict[Term, int], names: dict[Any, int], known: dict[Any, Any]
    ) -> Any:
        operator = self.catalogue.operators.get(term.op)
        fold = FOLDS.get((operator.smtlib, len(term.args))) if operator is not None else None
        term = (fold(self._tables, list(term.args)) if fold is not None else None) or term
        op, indices, *rest = super()._shape(term, bound, names, known)
        if op == "variable":
            return op, indices, *rest
        number = special_value(str(term.indices[0]), term.sort) if op == SPECIAL else None
        if op == VALUE and term.sort.kind == "SORT_FP":
            number = format_of_sort(term.sort).canonical(term.indices[0])
        if number is not None:
            op, indices = VALUE, (str(number),)
        if op == "OP_IFF":
            op = "OP_EQUAL"
        return op, tuple(_ODD.sub("?", index) for index in indices), *rest


class Measured:
    """What came of the walks in one dialect."""

    def __init__(self, dialect: str, catalogue: Catalogue) -> None:
        self.dialect = dialect
        self.catalogue = catalogue
        self.solvers = [dialect] if dialect in READERS else list(READERS)
        self.counts: Counter[str] = Counter()
        self.missing: Counter[str] = Counter()
        self.alone: Counter[str] = Counter()  # walks that lack nothing else
        self.failures: Counter[str] = Counter()

    def add(self, text: str, name: str, read: int) -> None:
        """Measure the trace of one walk. `read` formulas go to the solvers."""
        formula = formula_of(parse_trace(text, name), self.catalogue, self.dialect)
        self.counts["walks"] += 1
        reasons = sorted({_reason(why) for _, _, why in formula.lost})
        self.missing.update(reasons)
        self.alone.update(reasons[:1] if len(reasons) == 1 else ())
        self.counts["whole"] += not reasons
        self._read_back(formula, name)
        if not reasons and self.counts["asked"] < read:
            self.counts["asked"] += 1
            for solver in self.solvers:
                self._ask(solver, formula, name)

    def _read_back(self, formula: Formula, name: str) -> None:
        """Read each part, and compare its terms with those of the trace."""
        try:
            scripts = [self._read(part, name) for part in formula.parts]
            shapes = Spelled(self.catalogue)
            found = set(self._shapes(shapes, [t for script in scripts for t in _asserted(script)]))
            stable = all(self._stable(shapes, script, name) for script in scripts)
        except InputError as error:
            self.counts["terms"] += len(formula.terms)
            self.failures[f"we: {error}"] += 1
            return
        if formula.lost:
            return  # some terms were printed and their check is missing
        self.counts["terms"] += len(formula.terms)
        for term, shape in zip(formula.terms, self._shapes(shapes, formula.terms), strict=True):
            if shape in found:
                self.counts["same"] += 1
            elif stable and self._defined(term):
                self.counts["defined"] += 1
            else:
                self.failures[f"we: {name}: another term for {str(term)[:120]}"] += 1

    def _defined(self, root: Term) -> bool:
        """Return whether the dialect writes an operator in the term by an expression."""
        words = self.catalogue.dialect(self.dialect)
        for kind in {term.op for term in subterms([root])} & self.catalogue.operators.keys():
            operator = self.catalogue.operators[kind]
            written = words.operators.get(kind, operator.in_formulas)
            if written.startswith(("(", "{")) or operator.binary or kind in words.expanded:
                return True
        return False

    def _read(self, text: str, name: str) -> Script:
        return read_script(text, name, self.catalogue, dialect=self.dialect)

    def _stable(self, shapes: Shapes, script: Script, name: str) -> bool:
        again = self._read(print_script(script, self.dialect), name)
        return self._shapes(shapes, _asserted(again)) == self._shapes(shapes, _asserted(script))

    def _shapes(self, shapes: Shapes, terms: Iterable[Term]) -> list[object]:
        script = Script("terms", Tables(self.catalogue), [Assert(term) for term in terms])
        return [shape[1] for shape in shapes.script(script)]

    def _ask(self, solver: str, formula: Formula, name: str) -> None:
        expected = [m[1] for row in formula.text.splitlines() if (m := _CHECK.match(row))]
        reading = READERS[solver](formula.text, SECONDS, PER_CHECK)
        errors = reading.errors
        beyond = errors and _BEYOND.search(errors[0])  # further errors follow from the first
        what = "beyond" if beyond else "refused" if errors else "late" if reading.late else "read"
        if reading.signal:
            what = "died"
            self.failures[f"{solver}: {name}: died of signal {reading.signal}"] += 1
        self.counts[f"{solver} {what}"] += 1
        if what == "refused":
            self.failures[f"{solver}: {name}: {_NUMBERS.sub('N', errors[0])[:160]}"] += 1
        if what == "read" and len(expected) == len(reading.answers):
            pairs = list(zip(expected, reading.answers, strict=True))
            self.counts["answers"] += len(pairs)
            wrong = [
                pair for pair in pairs if pair[0] and pair[1] != "unknown" and len(set(pair)) > 1
            ]
            self.counts["disagreeing"] += len(wrong)
            if wrong:
                self.failures[
                    f"{solver}: {name}: answers {wrong[0][1]}, recorded {wrong[0][0]}"
                ] += 1

    def share(self, what: str, of: str) -> str:
        """A share of two counts."""
        return percent(self.counts[what], self.counts[of])


def _asserted(script: Script) -> list[Term]:
    found: list[Term] = []
    for command in script.commands:
        if isinstance(command, Assert):
            found.append(command.term)
        elif isinstance(command, CheckSatAssuming):
            found += command.assumptions
    return found


def _reason(why: str) -> str:
    """The reason without what differs from walk to walk."""
    if why.startswith("a constant array"):
        return "a constant array of another element"
    return why.split(" has no name")[0]


def walks(session: Session, args: argparse.Namespace) -> list[tuple[str, str]]:
    """The traces of the walks with their names, also of those that a solver did not survive."""

    def task(session: Session, seed: int, write: Write) -> dict[str, object]:
        return {"trace": walked(session, seed, write)}

    found = []
    for outcome in run_all(session, common.seeds(args), task, args.jobs, args.wall):
        found.append((f"{outcome.seed:x}.trace", outcome.result.get("trace", outcome.trace)))
    return sorted(found)


def show(measured: list[Measured], aims: tuple[float, ...]) -> None:
    """Print the tables."""
    rows = [
        (
            one.dialect,
            one.counts["walks"],
            one.share("whole", "walks"),
            verdict(100 * one.counts["whole"] >= aim * one.counts["walks"]),
            one.counts["terms"],
            one.share("same", "terms"),
            percent(one.counts["same"] + one.counts["defined"], one.counts["terms"]),
            one.counts["disagreeing"],
            one.counts["answers"],
        )
        for one, aim in zip(measured, aims, strict=True)
    ]
    header = (
        "dialect",
        "walks",
        "whole",
        "aim",
        "terms",
        "the same",
        "or defined",
        "disagree",
        "answers",
    )
    table("Formulas", header, rows)
    kinds = ("read", "late", "beyond", "refused", "died")
    table(
        "Whole formulas in solvers",
        ("dialect", "solver", *kinds),
        [
            (one.dialect, solver, *(one.counts[f"{solver} {kind}"] for kind in kinds))
            for one in measured
            for solver in one.solvers
        ],
    )
    for one in measured:
        table(
            f"Missing in {one.dialect}: walks, and walks that lack nothing else",
            ("reason", "walks", "alone"),
            [(why, n, one.alone[why]) for why, n in one.missing.most_common(SHOWN)],
        )
        for text, count in one.failures.most_common(SHOWN):
            print(f"  {count} {text}")


def main() -> None:
    parser = common.parser(__doc__, 2000)
    parser.add_argument(
        "--constant-arrays", action="store_true", help="constant arrays are standard, too"
    )
    parser.add_argument("--read", type=int, default=200, help="formulas that the solvers read")
    args = parser.parse_args()
    named = "standard" if args.theories == "standard" else "all"
    shown = args.theories
    if named == "standard":
        args.theories = THEORIES
    data = common.setup(args)
    if named == "standard":
        operators = {
            kind: operator
            for theory in data["catalogue"]["theories"]
            for kind, operator in theory["operators"].items()
        }
        only = [kind for kind, operator in operators.items() if operator.get("extension")]
        only += [] if args.constant_arrays else NOT_STANDARD
        profile = data["wrapper"].setdefault("profile", {})
        profile["exclude-operators"] = [*profile.get("exclude-operators", ()), *only]
    session = Session(data)
    args.theories = shown
    own, dialects = session.wrapper.name, session.catalogue.dialects
    others = [name for name in dialects if name not in (own, STANDARD)]
    other = min(others, key=lambda name: len(dialects[name].lacks))  # the one that can say most
    measured = [Measured(name, session.catalogue) for name in (own, other, STANDARD)]
    for name, text in walks(session, args):
        for one in measured:
            one.add(text, name, args.read)
    show(measured, AIMS[named])
    row: dict[str, object] = {"walks": args.runs}
    for one in measured:
        solvers = sum(one.counts[f"{solver} read"] for solver in one.solvers)
        row |= {
            f"whole in {_place(one.dialect, own)}": one.share("whole", "walks"),
            f"read back, {_place(one.dialect, own)}": percent(
                one.counts["same"] + one.counts["defined"], one.counts["terms"]
            ),
            f"read by solvers, {_place(one.dialect, own)}": percent(
                solvers, one.counts["asked"] * len(one.solvers)
            ),
        }
    figures = {one.dialect: {"counts": one.counts, "missing": one.missing} for one in measured}
    common.save("formulas", args, common.facts(session, args), figures, row)


def _place(dialect: str, own: str) -> str:
    return {own: "own", STANDARD: "standard"}.get(dialect, "the other")


if __name__ == "__main__":
    main()
