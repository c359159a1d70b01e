"""The declarations of a script: sorts, datatypes, constants and functions, each before its first use.
The module also says what the script needs of a logic.
"""

from __future__ import annotations

from collections.abc import Iterable

from murxpy.logic.catalogue import Catalogue
from murxpy.logic.sorts import Datatype, Sort, reachable
from murxpy.logic.terms import CONSTANT, FUNCTION, Term
from murxpy.logic.walks import bottom_up
from murxpy.smtlib.logics import LOGICS, MIXED, NEEDS, composed, covers
from murxpy.smtlib.printing.scripts import higher_logic, higher_order
from murxpy.smtlib.printing.terms import Printer, Unsayable

# needs that are no sorts
EXTENSION, NONLINEAR, QUANTIFIED, ODD_ARRAY, HIGHER = "X", "N", "Q", "odd", "higher order"
ALWAYS = ("SORT_BOOL", "SORT_PARAM")


class Declarations:
    """Writes the declarations that terms need to `heads`. `needs` are the kinds of sorts and the
    other needs above, in the order in which they appear.
    """

    def __init__(self, printer: Printer, heads: list[str]) -> None:
        self.printer = printer
        self.heads = heads
        self.needs: dict[str, None] = {}
        self._declared: set[Sort | Term | Datatype] = set()
        self._unsaid: dict[Sort | Term, str] = {}  # why a sort or term could not be declared

    def demands(self) -> list[str]:
        """Return the needs as `smtlib.logics` calls them."""
        return [NEEDS.get(need, need) for need in self.needs if need not in ALWAYS]

    def logic(self, wanted: str | None) -> str:
        """Return the logic that was set. If the script uses something that this logic does not
        have, which an API may allow, return another logic.
        """
        logic, words = wanted or "ALL", self.printer.words
        if words.logics and logic not in words.logics:
            return "ALL"
        if HIGHER in self.needs:
            if not words.higher_order_logics:
                return "ALL"
            return higher_logic(logic if "ALL" in logic else "ALL")
        if words.composed_logics:
            demanded = [need for need in self.needs if need not in ALWAYS]
            return logic if all(composed(logic, need) for need in demanded) else "ALL"
        demands = [need for need in self.demands() if need not in words.lenient]
        return logic if logic in LOGICS and covers(logic, demands) else "ALL"

    def term(self, root: Term) -> str:
        """Return the term as text, and declare before it what it needs. Raises Unsayable."""
        self._declare_all(root)
        return self.printer.term(root)

    def _declare_all(self, root: Term) -> None:
        def inside(term: Term) -> tuple[Term, ...]:
            return () if term.op == FUNCTION else term.args

        for term in bottom_up(root, self._declared, inside):
            self.declare(term)

    def _check_said(self, thing: Term | Sort) -> None:
        """Raise Unsayable for a term or sort that could not be declared when it was first met."""
        reason = self._unsaid.get(thing)
        if reason is not None:
            raise Unsayable(reason)

    def declare(self, term: Term) -> None:
        """Declare a term whose arguments are declared. Raises Unsayable."""
        if term in self._declared:
            return
        self._check_said(term)
        self._declared.add(term)
        try:
            self._declare_new(term)
        except Unsayable as error:
            self._declared.discard(term)
            self._unsaid[term] = str(error)
            raise

    def _declare_new(self, term: Term) -> None:
        self._need(term)
        if self.printer.opens(term):
            self.declare(self.printer.opened(term))
        if term.sort.kind != "SORT_CASE":
            self._declare_sort(term.sort)
        name = str(term.indices[0]) if term.op in (CONSTANT, FUNCTION) else ""
        if term.op == CONSTANT:
            sorts = [self.printer.sort(s) for s in term.sort.sorts()]
            if term.sort.kind == "SORT_FUN":
                self.heads.append(
                    f"(declare-fun {self.printer.symbols.of(term, name)} ({' '.join(sorts[:-1])}) {sorts[-1]})"
                )
            else:
                self.heads.append(
                    f"(declare-const {self.printer.symbols.of(term, name)} {self.printer.sort(term.sort)})"
                )
        elif term.op == FUNCTION:
            body = self.term(term.args[-1])
            head = (
                f"{self.printer.symbols.of(term, name)} ({self.printer.variables(term.args[:-1])})"
            )
            self.heads.append(f"(define-fun {head} {self.printer.sort(term.args[-1].sort)} {body})")

    def _need(self, term: Term) -> None:
        """Note what the term needs apart from its sort."""
        if higher_order(term):
            self.needs[HIGHER] = None
        operator = self.printer.catalogue.operators.get(term.op)
        if operator is None:
            return
        needs = [
            *operator.uses,
            *(("SORT_INT", "SORT_REAL") if term.op in MIXED else ()),
        ]
        if not operator.standard and term.op not in self.printer.words.defined:
            needs.append(EXTENSION)
        defined = self.printer.words.operators.get(term.op, "")
        if (operator.signature.binder and operator.typing is None) or "(forall " in defined:
            needs.append(QUANTIFIED)
        if operator.nonlinear is not None and term.args[-1].sort.kind in ("SORT_INT", "SORT_REAL"):
            factors = term.args if operator.nonlinear == "product" else term.args[1:]
            if operator.nonlinear == "always" or sum(not a.ground for a in factors) > (
                operator.nonlinear == "product"
            ):
                needs.append(NONLINEAR)
        self.needs.update(dict.fromkeys(needs))

    def _declare_sort(self, sort: Sort) -> None:
        if sort in self._declared:
            self._check_said(sort)
            return
        self._declared.add(sort)
        try:
            self._declare_new_sort(sort)
        except Unsayable as error:
            self._unsaid[sort] = str(error)
            raise

    def _declare_new_sort(self, sort: Sort) -> None:
        self.needs[sort.kind] = None
        for inner in sort.sorts():
            self._declare_sort(inner)
        if sort.kind == "SORT_ARRAY" and tuple(s.kind for s in sort.sorts()) not in _PLAIN_ARRAYS:
            self.needs[ODD_ARRAY] = None
        if sort.kind == "SORT_UNINTERPRETED":
            self.heads.append(f"(declare-sort {self.printer.sort(sort)} 0)")
        elif sort.kind == "SORT_DT" and sort.datatype not in self._declared:
            self._declare_block(reachable(sort.datatype))
        else:
            self.printer.sort(sort)

    def _declare_block(self, block: list[Datatype]) -> None:
        self._declared.update(block)
        for datatype in block:
            for constructor in datatype.constructors:
                for _, sort in constructor.fields:
                    self._declare_sort(sort)
        self.heads.append(self.printer.datatypes(block))


# the arrays that are in a logic with arrays and the theory of their sorts
_PLAIN_ARRAYS = (("SORT_BV",) * 2, ("SORT_INT",) * 2, ("SORT_UNINTERPRETED",) * 2)


def conjunction_script(
    asserted: Iterable[Term], catalogue: Catalogue, dialect: str, logic: str | None
) -> str:
    """Return a script with one check of some formulas. Its logic is `logic` unless that lacks something.
    Raises Unsayable if the dialect has no word for a part.
    """
    printer = Printer(catalogue, dialect)
    declared = Declarations(printer, [])
    rows = [f"(assert {declared.term(term)})" for term in asserted]
    head = f"(set-logic {declared.logic(logic)})"
    return "\n".join([head, *declared.heads, *rows, "(check-sat)", ""])
