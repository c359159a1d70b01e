"""The names that Murxla's file format has. Some of them contain the name of a solver; they are
names of the format, whatever solvers murxpy knows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from murxpy.errors import InputError
from murxpy.foreign import escaped
from murxpy.logic.catalogue import Catalogue, Operator
from murxpy.logic.sorts import Sort
from murxpy.logic.terms import VALUE, Term
from murxpy.logic.values import to_codes
from murxpy.logic.walks import bottom_up
from murxpy.machine.checks.registry import ACTIONS as ACTIONS_HERE
from murxpy.machine.checks.registry import MAKING
from murxpy.machine.database import Entry, SortEntry
from murxpy.machine.solve import SPECIAL_OPTIONS
from murxpy.machine.tokens import Quoted, Ref, Token, print_token
from murxpy.machine.trace.grammar import INDENT, MURXLA_OPTIONS, MURXLA_SOLVERS, Line, Trace
from murxpy.machine.trace.lift import TermLines
from murxpy.machine.trace.murxla import CONTAINER_FIRST, SPECIAL_VALUES, definition
from murxpy.smtlib.building import Tables
from murxpy.solvers.exceptions import ILL_FORMED, UNDOCUMENTED
from murxpy.translate.dry import AnyReading, Silent, interpret

# The operators that belong to no solver. The cases of a datatype are made on the way to a match.
_OPERATORS = """
    DISTINCT EQUAL ITE ARRAY_SELECT ARRAY_STORE AND OR NOT XOR IMPLIES IFF FORALL EXISTS BV_CONCAT BV_AND BV_OR BV_XOR
    BV_MULT BV_ADD BV_NOT BV_NEG BV_ASHR BV_COMP BV_LSHR BV_NAND BV_NOR BV_SDIV BV_SGE BV_SGT BV_SHL BV_SLE BV_SLT BV_SMOD
    BV_SREM BV_SUB BV_UDIV BV_UGE BV_UGT BV_ULE BV_ULT BV_UREM BV_XNOR BV_UBV_TO_INT BV_SBV_TO_INT BV_EXTRACT BV_REPEAT
    BV_ROTATE_LEFT BV_ROTATE_RIGHT BV_SIGN_EXTEND BV_ZERO_EXTEND DT_APPLY_CONS DT_APPLY_SEL DT_APPLY_TESTER DT_APPLY_UPDATER
    DT_MATCH FINITE_FIELD_NEG FINITE_FIELD_ADD FINITE_FIELD_MULT FP_ABS FP_ADD FP_DIV FP_EQ FP_FMA FP_FP FP_IS_NORMAL
    FP_IS_SUBNORMAL FP_IS_INF FP_IS_NAN FP_IS_NEG FP_IS_POS FP_IS_ZERO FP_LT FP_LEQ FP_GT FP_GEQ FP_MAX FP_MIN FP_MUL FP_NEG
    FP_REM FP_RTI FP_SQRT FP_SUB FP_TO_REAL FP_TO_FP_FROM_BV FP_TO_FP_FROM_SBV FP_TO_FP_FROM_FP FP_TO_FP_FROM_UBV
    FP_TO_FP_FROM_REAL FP_TO_SBV FP_TO_UBV INT_NEG INT_ABS INT_SUB INT_ADD INT_MUL INT_DIV INT_MOD INT_LT INT_LTE INT_GT
    INT_GTE INT_IS_DIV INT_TO_BV INT_TO_REAL SEQ_INDEXOF REAL_NEG REAL_SUB REAL_ADD REAL_MUL REAL_DIV REAL_LT REAL_LTE
    REAL_GT REAL_GTE REAL_IS_INT REAL_TO_INT STR_CONCAT STR_LT STR_TO_RE STR_LEN STR_IN_RE STR_LE STR_AT STR_SUBSTR
    STR_PREFIXOF STR_SUFFIXOF STR_CONTAINS STR_INDEXOF STR_REPLACE STR_REPLACE_ALL STR_REPLACE_RE STR_REPLACE_RE_ALL
    STR_IS_DIGIT STR_TO_CODE STR_FROM_CODE STR_TO_INT STR_FROM_INT RE_ALL RE_ALLCHAR RE_COMP RE_CONCAT RE_DIFF RE_INTER
    RE_NONE RE_OPT RE_PLUS RE_RANGE RE_STAR RE_UNION RE_POW RE_LOOP TRANS_PI TRANS_SINE TRANS_COSINE TRANS_TANGENT
    TRANS_COTANGENT TRANS_SECANT TRANS_COSECANT TRANS_ARCSINE TRANS_ARCCOSINE TRANS_ARCTANGENT TRANS_ARCCOSECANT
    TRANS_ARCSECANT TRANS_ARCCOTANGENT UF_APPLY BAG_UNION_MAX BAG_UNION_DISJOINT BAG_INTERSECTION_MIN
    BAG_DIFFERENCE_SUBTRACT BAG_DIFFERENCE_REMOVE BAG_SUBBAG BAG_COUNT BAG_DUPLICATE_REMOVAL BAG_MAKE BAG_CARD BAG_CHOOSE
    BAG_IS_SINGLETON BAG_FROM_SET BAG_TO_SET BAG_MAP SEQ_CONCAT SEQ_LENGTH SEQ_EXTRACT SEQ_UPDATE SEQ_AT SEQ_CONTAINS
    SEQ_REPLACE SEQ_REPLACE_ALL SEQ_REV SEQ_PREFIX SEQ_SUFFIX SEQ_UNIT SEQ_NTH SET_CARD SET_CHOOSE SET_COMPLEMENT
    SET_COMPREHENSION SET_INSERT SET_INTERSECTION SET_IS_SINGLETON SET_MEMBER SET_MINUS SET_UNION SET_SUBSET SET_SINGLETON
    DT_MATCH_CASE DT_MATCH_BIND_CASE
    """
OPERATORS = frozenset(f"OP_{name}" for name in re.findall(r"\w+", _OPERATORS))
# these take two arguments in Murxla, and two or more here
TWO = ("OP_XOR", "OP_STR_LT", "OP_STR_LE")

_SORTS = """
    SORT_ARRAY SORT_BAG SORT_BOOL SORT_BV SORT_DT SORT_FF SORT_FP SORT_FUN SORT_INT SORT_REAL
    SORT_REGLAN SORT_RM SORT_SEQ SORT_SET SORT_STRING SORT_UNINTERPRETED
"""
SORTS = tuple(_SORTS.split())

# Murxla's names of our actions. Murxla has no names of assertions, since its unsat cores are of all
# of them.
_ACTIONS = """
    new delete set-logic set-option mk-sort instantiate-sort mk-const mk-var mk-value
    mk-special-value mk-term mk-fun assert-formula check-sat check-sat-assuming
    get-unsat-assumptions get-unsat-core get-value print-model push pop reset reset-assertions
    term-get-children
"""
ACTIONS = {
    **{name: name for name in _ACTIONS.split()},
    "assert-tracked": "assert-formula",
    "get-value-completion": "get-value",
    "get-model": "print-model",
}

# Murxla's names of the actions of a single solver, and whether a count stands before their terms.
SOLVER_ACTIONS: dict[str, dict[str, tuple[str, bool]]] = {
    "cvc5": {
        "simplify": ("cvc5-simplify", False),
        "substitute": ("cvc5-term-substitute", False),
        "cvc5-block-model": ("cvc5-block-model", False),
        "cvc5-block-model-values": ("cvc5-block-model-values", True),
        "cvc5-get-interpolant": ("cvc5-get-interpolant", False),
        "cvc5-get-abduct": ("cvc5-get-abduct", False),
        "cvc5-get-difficulty": ("cvc5-get-difficulty", False),
    }
}

# actions that take terms here, and the sorts of these in Murxla
OF_SORTS = ("cvc5-sort-substitute",)

# the option of a solver that limits the resources of a check
LIMITS = {"cvc5": "reproducible-resource-limit"}


# ----------------------------------------------------------------------
# Prints a trace in Murxla's grammar, so that users of Murxla can replay it. Murxla's grammar has no
# spellings, other names, and other orders of arguments.


_SPECIAL = {ours: theirs for names in SPECIAL_VALUES.values() for theirs, ours in names.items()}
_DEFECTS = (UNDOCUMENTED, ILL_FORMED)


class _Unsaid(Exception):
    """Murxla has no name for a part of the trace."""


def _needed(line: Line) -> bool:
    """Return whether the trace means something else without the line: it makes something, changes
    what is asserted, or asks for an answer.
    """
    known = ACTIONS_HERE.get(line.action)
    facts = known is not None and (known.makes or known.answers or known.state)
    return facts or line.action in ("run-script", "misuse") or bool(_returned(line))


def to_murxla(trace: Trace, catalogue: Catalogue, lossy: bool = False) -> str:
    """Return the trace in Murxla's grammar. A trace of Murxla is returned as it is.

    An operator that Murxla has no name for is written as the term that defines it. Raises InputError
    with the line for an assertion, a check and a term that Murxla cannot have. With `lossy`, a
    comment takes its place, as it always does for a line that asks nothing and changes nothing.
    """
    if trace.murxla:
        return trace.text()
    checked = _Check(catalogue, trace)
    interpret(checked, _Made(checked, trace))
    defined = _Defined(checked, trace)
    lines = [one for line in trace.lines for one in defined.lines_of(line)]
    writer = _Writer(replace(trace, lines=lines), catalogue, lossy, checked.without_call)
    for line in lines:
        writer.write(line, defined.quantified)
    return writer.text()


class _Check(Silent):
    """Finds lines that are malformed, and lines that made no call. Keeps what the other lines made."""

    def __init__(self, catalogue: Catalogue, trace: Trace) -> None:
        super().__init__(catalogue, trace)
        self.without_call: dict[int, str] = {}
        self.made_terms: dict[int, tuple[Term, Tables]] = {}
        self._tables: Tables | None = None
        self.made_sorts: dict[int, Sort] = {}

    @property
    def tables(self) -> Tables:
        """Return the tables of the present solver's sorts and terms."""
        if self._tables is None or self._tables.sorts is not self.sorts:
            self._tables = Tables(self.catalogue, self.sorts, self.terms)
        return self._tables

    def passed(self, reason: str) -> None:
        if self.line.action in ACTIONS:
            self.without_call[self.line.number] = reason


class _Made(AnyReading):
    """Notes the terms by the numbers of their lines, and the sorts by their ids."""

    run: _Check

    def made_term(self, entry: Entry) -> None:
        """Note the term and its sort."""
        super().made_term(entry)
        self.run.made_terms[self.line.number] = entry.term, self.run.tables
        self.run.made_sorts.update((number, entry.term.sort) for number in self.returned("s")[:1])

    def made_sorts(self, entries: list[SortEntry]) -> None:
        """Note the sorts."""
        super().made_sorts(entries)
        self.run.made_sorts.update(
            (number, entry.sort) for number, entry in zip(self.returned("s"), entries, strict=False)
        )


# ----------------------------------------------------------------------
# Terms that Murxla has no name for, by terms that it has.


_WIDE = "((_ {0}_extend {{width0}}) {1})"


def _overflows(extend: str) -> str:
    """A product overflows if the one of twice the width differs."""
    first, second, narrow = (
        _WIDE.format(extend, text) for text in ("{0}", "{1}", "(bvmul {0} {1})")
    )
    return f"(distinct (bvmul {first} {second}) {narrow})"


_ZERO = "(_ bv0 {width0})"
_LOWEST = f"(and (= {{0}} (bvneg {{0}})) (distinct {{0}} {_ZERO})"
_SPELLED = {
    "OP_BV_NEGO": f"{_LOWEST})",
    "OP_BV_UADDO": "(bvult (bvadd {0} {1}) {0})",
    "OP_BV_SADDO": f"(bvslt (bvand (bvxor {{0}} (bvadd {{0}} {{1}})) (bvxor {{1}} (bvadd {{0}} {{1}}))) {_ZERO})",
    "OP_BV_UMULO": _overflows("zero"),
    "OP_BV_SMULO": _overflows("sign"),
    "OP_BV_USUBO": "(bvult {0} {1})",
    "OP_BV_SSUBO": f"(bvslt (bvand (bvxor {{0}} {{1}}) (bvxor {{0}} (bvsub {{0}} {{1}}))) {_ZERO})",
    "OP_BV_SDIVO": f"{_LOWEST} (= {{1}} (bvnot {_ZERO})))",
    "OP_BAG_MEMBER": "(>= (bag.count {0} {1}) 1)",
    "OP_SET_DELETE": "(set.minus {1} (set.singleton {0}))",
    "OP_SET_IS_EMPTY": "(= {0} (set.minus {0} {0}))",
}
_MOST_FACTORS = 16  # of a power that is written as a product
_Build = Callable[[Tables, Term], Term | None]


def _from_bools(tables: Tables, term: Term) -> Term:
    bit = tables.sort("SORT_BV", 1)
    one, zero = tables.value(bit, 1), tables.value(bit, 0)
    bits = [tables.apply("OP_ITE", arg, one, zero) for arg in reversed(term.args)]
    return tables.apply("OP_BV_CONCAT", *bits) if len(bits) > 1 else bits[0]


def _bitsum(tables: Tables, term: Term) -> Term:
    order = term.sort.width
    parts = [
        tables.apply("OP_FINITE_FIELD_MULT", tables.value(term.sort, (1 << at) % order), arg)
        for at, arg in enumerate(term.args)
    ]
    return tables.apply("OP_FINITE_FIELD_ADD", *parts) if len(parts) > 1 else parts[0]


def _literal_power(tables: Tables, term: Term) -> Term | None:
    """A power whose exponent is a literal that is not too high."""
    base, exponent = term.args
    count = exponent.indices[0] if exponent.op == VALUE else None
    if count is None or count != int(count) or not 0 < count <= _MOST_FACTORS:
        return None
    kind = "OP_INT_MUL" if term.op == "OP_INT_POW" else "OP_REAL_MUL"
    return tables.apply(kind, *[base] * int(count)) if count > 1 else base


def _literal_and(tables: Tables, term: Term) -> Term | None:
    """A conjunction of as many bits as a literal says."""
    width, first, second = term.args
    count = width.indices[0] if width.op == VALUE else 0
    if not 0 < count <= 64:
        return None
    return definition(tables, tables.catalogue.operators["OP_INT_IAND"], [first, second], (count,))


_BUILT: dict[str, _Build] = {
    "OP_INT_PIAND": _literal_and,
    "OP_BV_FROM_BOOLS": _from_bools,
    "OP_FINITE_FIELD_BITSUM": _bitsum,
    "OP_INT_POW": _literal_power,
    "OP_REAL_POW": _literal_power,
}
# A pattern only guides the solver, and Murxla has none.
_WITHOUT_PATTERN = {"OP_FORALL_PATTERN": "OP_FORALL", "OP_EXISTS_PATTERN": "OP_EXISTS"}


class _Defined:
    """Puts the lines that make a definition in place of a line whose operator Murxla does not have.
    `quantified` is true if a definition has a quantifier, which no logic without them allows.
    """

    def __init__(self, checked: _Check, trace: Trace) -> None:
        self.quantified = False
        self._checked = checked
        self._solver = trace.solver
        self._maker = TermLines(checked.tables, _highest(trace))
        self._sorts: dict[Sort, int] = {}

    def lines_of(self, line: Line) -> list[Line]:
        """Return the lines for one line of the trace."""
        found = [line]
        made = self._checked.made_terms.get(line.number)
        if line.action == "delete":
            self._sorts = {}
        elif line.action == "mk-term" and made is not None:
            term, self._maker.tables = made
            found = self._lines(line, term)
        for ref in _returned(line):
            sort = self._checked.made_sorts.get(ref.number) if ref.letter == "s" else None
            if sort is not None:
                self._sorts.setdefault(sort, ref.number)
        return found

    def _lines(self, line: Line, term: Term) -> list[Line]:
        operator = self._checked.catalogue.operators[term.op]
        args = [word for word in line.args if isinstance(word, Ref) and word.letter == "t"]
        if operator.kind in _WITHOUT_PATTERN:
            kind = _WITHOUT_PATTERN[operator.kind]
            words: list[Token] = [kind, line.args[1], len(args) - 1, *args[:-1]]
            return [replace(line, args=words)]
        if operator.kind == "OP_LAMBDA":
            words = [Quoted(f"_lambda{line.number}"), len(args) - 1, *args]
            return [replace(line, action="mk-fun", args=words)] if not term.free else [line]
        if _named(operator, self._solver, bool(term.indices)) is not None:
            return [line]
        root = self._root(operator, term)
        return [line] if root is None else self._made(line, root, term, args)

    def _root(self, operator: Operator, term: Term) -> Term | None:
        """Return the term that defines `term`; None if there is none."""
        tables = self._maker.tables
        build = _BUILT.get(operator.kind)
        if build is not None:
            root = build(tables, term)
        else:
            try:
                root = definition(tables, operator, term.args, term.indices, _SPELLED)
            except InputError:
                return None
        if root in term.args:  # a line has to return the id
            return tables.apply("OP_ITE", tables.true, root, root)
        return root

    def _made(self, line: Line, root: Term, term: Term, args: Sequence[Ref]) -> list[Line]:
        """Return the lines that make `root`. The last one returns what `line` returns."""
        known = {arg: ref.number for arg, ref in zip(term.args, args, strict=True)}
        self._maker.know(known, self._sorts)
        start = len(self._maker.lines)
        self._maker.term(root)
        lines = self._maker.lines[start:]
        for made in lines:
            kind = str(made.args[0]) if made.action == "mk-term" else ""
            operator = self._checked.catalogue.operators.get(kind)
            if operator is not None and _named(operator, self._solver, False) is None:
                return [line]  # it needs another operator that Murxla does not have
            self.quantified |= kind in ("OP_FORALL", "OP_EXISTS")
        self._sorts = dict(self._maker.sorts)
        lines[-1] = replace(lines[-1], results=line.results)
        return [replace(made, seed=line.seed, number=line.number) for made in lines]


def _named(operator: Operator, solver: str, indexed: bool) -> str | None:
    """Return Murxla's name of an operator. An operator of a single solver differs from ours if it has
    an index, because Murxla wraps the index into its range.
    """
    if operator.kind in OPERATORS:
        return operator.kind
    if indexed or operator.signature.indices:
        return None
    return next((a for a in operator.aliases if a.startswith(f"{solver}-")), None)


class _Writer:
    """Writes lines. In Murxla, `reset` ends the life of all ids, so whatever is used after a
    `reset` is made again.
    """

    def __init__(
        self, trace: Trace, catalogue: Catalogue, lossy: bool, without_call: dict[int, str]
    ) -> None:
        self.trace = trace
        self.catalogue = catalogue
        self.lossy = lossy
        self.without_call = without_call
        self.rows: list[str] = []
        self._makers: dict[Ref, Line] = {}
        # the names, since the last reset, of the ids of the trace
        self._alive: dict[Ref, Ref] = {}
        self._sorts: dict[Ref, Ref] = {}  # the sorts of terms
        self._fresh = {letter: 1 + number for letter, number in _highest(trace).items()}
        self._first = True  # before the first reset, ids have the same names as in the trace

    def text(self) -> str:
        """Return the trace."""
        solver = [f"--{self.trace.solver}"] if self.trace.solver in MURXLA_SOLVERS else []
        made = escaped(
            f"# from {self.trace.name.rsplit('/', 1)[-1]}, made with {self.trace.header.get('solver', 'an unnamed solver')}"
        )
        return "\n".join([" ".join([MURXLA_OPTIONS, *solver]), to_codes(made), *self.rows, ""])

    def write(self, line: Line, quantified: bool) -> None:
        """Write a line, and before it make again what it needs. `quantified` says that the trace has
        quantifiers that its logic may exclude. Raises InputError unless it is lossy.
        """
        refused = line.result("refused")
        if (
            refused is not None
            and str(getattr(refused[0], "text", refused[0]) if refused else "") not in _DEFECTS
        ):
            self._comment(line, "the solver refused it")
            return
        if line.number in self.without_call:
            self._comment(line, self.without_call[line.number])
            return
        if quantified and line.action == "set-logic":
            line = replace(line, args=["ALL"])
        try:
            self._write(line)
        except _Unsaid as error:
            if not self.lossy and _needed(line):
                raise InputError(
                    f"{error}, which Murxla's traces cannot say; with --lossy a comment takes its place",
                    file=self.trace.name,
                    line=line.number,
                ) from None
            self._comment(line, str(error))

    def _comment(self, line: Line, reason: str) -> None:
        self.rows.append(to_codes(f"# line {line.number}: {line.action}: {reason}")[:160])

    def _write(self, line: Line) -> None:
        if line.action in MAKING:
            self._make(line)
            return
        row = self._head(line, self._action(line))
        self.rows.append(row)
        if line.action in ("reset", "delete"):
            self._alive = {}
            self._first = False
        if line.action == "delete":
            self._makers = {}

    # -- lines that make something

    def _make(self, line: Line) -> None:
        self._emit(line)
        for ref in _returned(line):
            self._makers.setdefault(ref, line)

    def _emit(self, line: Line) -> None:
        """Write the row of a line and what it returned. All that it uses is alive afterwards."""
        row = self._head(line, self._made(line))
        ids = [
            ref
            for ref in _returned(line)
            if line.action == "mk-sort" or ref.letter == "t" or line.action == "instantiate-sort"
        ]
        sorts = [self._sort_of(line)] if ids and line.action in ("mk-term", "mk-fun") else []
        named = [*map(self._name, ids), *sorts]
        self.rows.append(row)
        if named:
            self.rows.append(f"{INDENT}return {' '.join(map(str, named))}")

    def _sort_of(self, line: Line) -> Ref:
        """Return the sort of the term that a line returned. The sort of a case of a match is that
        of its body.
        """
        ids = _returned(line)
        if len(ids) > 1:
            sort = ids[1]
            self._sorts[ids[0]] = sort
            return self._alive.get(sort) or self._name(sort)
        body = next((token for token in reversed(line.args) if isinstance(token, Ref)), None)
        if body not in self._sorts:
            raise _Unsaid(f"the line does not return the sort of {ids[0]}")
        sort = self._sorts[ids[0]] = self._sorts[body]
        return self._alive.get(sort) or self._name(sort)

    def _name(self, ref: Ref) -> Ref:
        """Return a name for an object that is made now."""
        name = self._alive[ref] = ref if self._first else self._new(ref.letter)
        return name

    def _new(self, letter: str) -> Ref:
        self._fresh[letter] += 1
        return Ref(letter, self._fresh[letter] - 1)

    def _ids(self, words: Sequence[Token]) -> list[Token]:
        """Return words with the current names of ids. Objects that are not alive any more are made
        again first.
        """
        for root in reversed([word for word in words if isinstance(word, Ref)]):
            for ref in bottom_up(root, self._alive, self._needed):
                self._emit(self._makers[ref])
        return [self._alive[word] if isinstance(word, Ref) else word for word in words]

    def _needed(self, ref: Ref) -> list[Ref]:
        """Return the ids in the line that makes an object. Raises _Unsaid if no line makes it."""
        maker = self._makers.get(ref)
        if maker is None:
            raise _Unsaid(f"it needs {ref}, which an earlier line could not make")
        return [word for word in maker.args if isinstance(word, Ref)]

    # -- words

    def _head(self, line: Line, words: Sequence[Token]) -> str:
        return f"{line.seed or 0:>6} {' '.join(map(_word, words))}"

    def _made(self, line: Line) -> list[Token]:
        for ref in _returned(line)[1:]:
            self._note_sort(line, ref)
        if line.action == "mk-sort" and line.args[0] not in SORTS:
            raise _Unsaid(f"{line.args[0]} has no name in Murxla")
        words = self._ids(line.args)
        if line.action == "mk-special-value":
            name = _text(words[1])
            words[1] = Quoted(_SPECIAL.get(name, name))
        return [line.action, *(self._term(line, words) if line.action == "mk-term" else words)]

    def _note_sort(self, line: Line, sort: Ref) -> None:
        if line.action not in ("mk-sort", "instantiate-sort"):
            self._sorts[_returned(line)[0]] = sort

    def _term(self, line: Line, words: Sequence[Token]) -> list[Token]:
        """Return the words of a `mk-term` line in Murxla's order, with the current names of ids."""
        kind = self.catalogue.aliases.get(str(words[0]), str(words[0]))
        head, args, tail = _split(words)
        if kind in CONTAINER_FIRST and len(args) > 1:
            args = [args[-1], *args[:-1]]
        elif kind == "OP_SET_COMPREHENSION":
            args = [*args[-2:], *args[:-2]]
        elif kind in TWO and len(args) > 2:
            args = self._pairs(line, kind, args)
            kind = kind if kind == "OP_XOR" else "OP_AND"
        return [self._operator(kind, bool(tail)), *head[1:], len(args), *args, *tail]

    def _operator(self, kind: str, indexed: bool) -> str:
        """Return Murxla's name of an operator."""
        name = _named(self.catalogue.operators[kind], self.trace.solver, indexed)
        if name is None:
            raise _Unsaid(f"{kind} has no name in Murxla")
        return name

    def _pairs(self, line: Line, kind: str, args: Sequence[Token]) -> list[Token]:
        """Write applications to two arguments each, because Murxla's operator takes two and ours
        more. Return the arguments that are left for the last application.
        """
        sort = self._sort_of(line)
        if kind == "OP_XOR":
            first = args[0]
            for other in args[1:-1]:
                first = self._apply(line, kind, [first, other], sort)
            return [first, args[-1]]
        return [self._apply(line, kind, [args[k], args[k + 1]], sort) for k in range(len(args) - 1)]

    def _apply(self, line: Line, kind: str, args: Sequence[Token], sort: Ref) -> Ref:
        made = self._new("t")
        self.rows.append(self._head(line, ["mk-term", kind, "SORT_BOOL", len(args), *args]))
        self.rows.append(f"{INDENT}return {made} {sort}")
        return made

    # -- lines that ask

    def _action(self, line: Line) -> list[Token]:
        action, args, solver = line.action, line.args, self.trace.solver
        if (
            action == "set-option"
            and solver not in MURXLA_SOLVERS
            and _text(args[0]) not in SPECIAL_OPTIONS
        ):
            raise _Unsaid(f"the option '{_text(args[0])}' of {solver or 'a solver'}")
        if action == "set-limit" and solver in LIMITS:
            return ["set-option", LIMITS[solver], args[0]]
        if action in OF_SORTS and all(word in self._sorts for word in args):
            inside, old, new = self._ids(
                [self._sorts[word] for word in args if isinstance(word, Ref)]
            )
            return [action, inside, 1, old, 1, new]
        if action in SOLVER_ACTIONS.get(solver, {}):
            name, counted = SOLVER_ACTIONS[solver][action]
            return (
                [
                    name,
                    *self._ids(args[:1]),
                    *(word for arg in self._ids(args[1:]) for word in (1, arg)),
                ]
                if not counted
                else [name, len(args), *self._ids(args)]
            )
        if action not in ACTIONS:
            raise _Unsaid(f"'{action}' has no name in Murxla")
        words = [ACTIONS[action], *self._ids(args)]
        return words[:2] if action == "assert-tracked" else words


def _split(words: Sequence[Token]) -> tuple[list[Token], list[Token], list[Token]]:
    """Return the three parts of the words of a `mk-term` line: operator, kind, sort and symbols;
    arguments; indices with their count.
    """
    at = 3 if len(words) > 2 and isinstance(words[2], Ref) else 2
    count = words[at] if at < len(words) else 0
    # Symbols stand behind a count of their own. A case that fits all other values has no symbols,
    # and its count is 0.
    if at + 1 < len(words) and (
        isinstance(words[at + 1], Quoted) or (count == 0 and isinstance(words[at + 1], int))
    ):
        at += 1 + int(str(count))
        count = words[at]
    first = at + 1
    last = first + int(str(count))
    return list(words[:at]), list(words[first:last]), list(words[last:])


def _returned(line: Line) -> list[Ref]:
    return [
        token
        for token in line.result("return") or ()
        if isinstance(token, Ref) and token.letter in "st"
    ]


def _highest(trace: Trace) -> dict[str, int]:
    """Return the highest numbers of the ids, by their letters."""
    refs = [ref for line in trace.lines for ref in _returned(line)]
    return {
        letter: max((ref.number for ref in refs if ref.letter == letter), default=0)
        for letter in "st"
    }


def _text(word: Token) -> str:
    return str(getattr(word, "text", word))


def _word(word: Token) -> str:
    # a blank in quotes makes Murxla misread the texts behind it
    return print_token(word).replace(" ", "\\u{20}")
