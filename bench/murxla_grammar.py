"""Check traces in Murxla's grammar, and print how many walks of a solver become such traces.

`python bench/murxla_grammar.py cvc5 --runs 100` makes random traces, translates each with
`murxpy translate --to murxla`, checks the result line by line against Murxla's grammar, sorts and
states, and replays it, so that its answers are compared with those of the random trace. The checker
has its own table of operators and shares no code with the translator.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

import common
from children import Write, run_all, walked
from common import percent, table
from translated import answers, judge_murxla

from murxpy.errors import InputError
from murxpy.machine.trace.grammar import parse_trace
from murxpy.translate.murxla import to_murxla
from murxpy.worker.session import Session

# Arguments, indices, kinds of the arguments (a missing one is as the last one), kind of the result.
_TABLE = """
2+ 0 ANY -> BOOL: DISTINCT EQUAL
3 0 BOOL ANY ANY -> ANY: ITE
2 0 ARRAY ANY -> ANY: ARRAY_SELECT
3 0 ARRAY ANY ANY -> ARRAY: ARRAY_STORE
2+ 0 BOOL -> BOOL: AND OR IMPLIES
1 0 BOOL -> BOOL: NOT
2 0 BOOL -> BOOL: XOR IFF
2+ 0 BV -> BV: BV_CONCAT BV_AND BV_OR BV_XOR BV_MULT BV_ADD
1 0 BV -> BV: BV_NOT BV_NEG
2 0 BV -> BV: BV_ASHR BV_COMP BV_LSHR BV_NAND BV_NOR BV_SDIV BV_SHL BV_SMOD BV_SREM BV_SUB
    BV_UDIV BV_UREM BV_XNOR
2 0 BV -> BOOL: BV_SGE BV_SGT BV_SLE BV_SLT BV_UGE BV_UGT BV_ULE BV_ULT
1 0 BV -> INT: BV_UBV_TO_INT BV_SBV_TO_INT
1 2 BV -> BV: BV_EXTRACT
1 1 BV -> BV: BV_REPEAT BV_ROTATE_LEFT BV_ROTATE_RIGHT BV_SIGN_EXTEND BV_ZERO_EXTEND
1 0 FF -> FF: FINITE_FIELD_NEG
2+ 0 FF -> FF: FINITE_FIELD_ADD FINITE_FIELD_MULT
1 0 FP -> FP: FP_ABS FP_NEG
3 0 RM FP -> FP: FP_ADD FP_DIV FP_MUL FP_SUB
2+ 0 FP -> BOOL: FP_EQ FP_LT FP_LEQ FP_GT FP_GEQ
4 0 RM FP -> FP: FP_FMA
3 0 BV -> FP: FP_FP
1 0 FP -> BOOL: FP_IS_NORMAL FP_IS_SUBNORMAL FP_IS_INF FP_IS_NAN FP_IS_NEG FP_IS_POS FP_IS_ZERO
2 0 FP -> FP: FP_MAX FP_MIN FP_REM
2 0 RM FP -> FP: FP_RTI FP_SQRT
1 0 FP -> REAL: FP_TO_REAL
1 2 BV -> FP: FP_TO_FP_FROM_BV
2 2 RM BV -> FP: FP_TO_FP_FROM_SBV FP_TO_FP_FROM_UBV
2 2 RM FP -> FP: FP_TO_FP_FROM_FP
2 2 RM REAL -> FP: FP_TO_FP_FROM_REAL
2 1 RM FP -> BV: FP_TO_SBV FP_TO_UBV
1 0 INT -> INT: INT_NEG INT_ABS
2+ 0 INT -> INT: INT_SUB INT_ADD INT_MUL INT_DIV
2 0 INT -> INT: INT_MOD
2+ 0 INT -> BOOL: INT_LT INT_LTE INT_GT INT_GTE
1 1 INT -> BOOL: INT_IS_DIV
1 1 INT -> BV: INT_TO_BV
1 0 INT -> REAL: INT_TO_REAL
3 0 SEQ SEQ INT -> INT: SEQ_INDEXOF
1 0 REAL -> REAL: REAL_NEG TRANS_SINE TRANS_COSINE TRANS_TANGENT TRANS_COTANGENT TRANS_SECANT
    TRANS_COSECANT TRANS_ARCSINE TRANS_ARCCOSINE TRANS_ARCTANGENT TRANS_ARCCOSECANT
    TRANS_ARCSECANT TRANS_ARCCOTANGENT
2+ 0 REAL -> REAL: REAL_SUB REAL_ADD REAL_MUL REAL_DIV
2+ 0 REAL -> BOOL: REAL_LT REAL_LTE REAL_GT REAL_GTE
1 0 REAL -> BOOL: REAL_IS_INT
1 0 REAL -> INT: REAL_TO_INT
2+ 0 STRING -> STRING: STR_CONCAT
2 0 STRING -> BOOL: STR_LT STR_LE STR_PREFIXOF STR_SUFFIXOF STR_CONTAINS
1 0 STRING -> REGLAN: STR_TO_RE
1 0 STRING -> INT: STR_LEN STR_TO_CODE STR_TO_INT
2 0 STRING REGLAN -> BOOL: STR_IN_RE
2 0 STRING INT -> STRING: STR_AT
3 0 STRING INT INT -> STRING: STR_SUBSTR
3 0 STRING STRING INT -> INT: STR_INDEXOF
3 0 STRING -> STRING: STR_REPLACE STR_REPLACE_ALL
3 0 STRING REGLAN STRING -> STRING: STR_REPLACE_RE STR_REPLACE_RE_ALL
1 0 STRING -> BOOL: STR_IS_DIGIT
1 0 INT -> STRING: STR_FROM_CODE STR_FROM_INT
0 0 - -> REGLAN: RE_ALL RE_ALLCHAR RE_NONE
1 0 REGLAN -> REGLAN: RE_COMP RE_OPT RE_PLUS RE_STAR
2+ 0 REGLAN -> REGLAN: RE_CONCAT RE_DIFF RE_INTER RE_UNION
2 0 STRING -> REGLAN: RE_RANGE
1 1 REGLAN -> REGLAN: RE_POW
1 2 REGLAN -> REGLAN: RE_LOOP
0 0 REAL -> REAL: TRANS_PI
2+ 0 FUN ANY -> ANY: UF_APPLY
2 0 BAG -> BAG: BAG_UNION_MAX BAG_UNION_DISJOINT BAG_INTERSECTION_MIN BAG_DIFFERENCE_SUBTRACT
    BAG_DIFFERENCE_REMOVE
2 0 BAG -> BOOL: BAG_SUBBAG
2 0 BAG ANY -> INT: BAG_COUNT
1 0 BAG -> BAG: BAG_DUPLICATE_REMOVAL
2 0 ANY INT -> BAG: BAG_MAKE
1 0 BAG -> INT: BAG_CARD
1 0 BAG -> ANY: BAG_CHOOSE
1 0 BAG -> BOOL: BAG_IS_SINGLETON
1 0 SET -> BAG: BAG_FROM_SET
1 0 BAG -> SET: BAG_TO_SET
2 0 BAG FUN -> BAG: BAG_MAP
2+ 0 SEQ -> SEQ: SEQ_CONCAT
1 0 SEQ -> INT: SEQ_LENGTH
3 0 SEQ INT INT -> SEQ: SEQ_EXTRACT
3 0 SEQ INT SEQ -> SEQ: SEQ_UPDATE
2 0 SEQ INT -> SEQ: SEQ_AT
2 0 SEQ -> BOOL: SEQ_CONTAINS SEQ_PREFIX SEQ_SUFFIX
3 0 SEQ -> SEQ: SEQ_REPLACE SEQ_REPLACE_ALL
1 0 SEQ -> SEQ: SEQ_REV
1 0 ANY -> SEQ: SEQ_UNIT
2 0 SEQ INT -> ANY: SEQ_NTH
1 0 SET -> INT: SET_CARD
1 0 SET -> ANY: SET_CHOOSE
1 0 SET -> SET: SET_COMPLEMENT
2+ 0 SET ANY -> SET: SET_INSERT
2 0 SET -> SET: SET_INTERSECTION SET_MINUS SET_UNION
1 0 SET -> BOOL: SET_IS_SINGLETON
2 0 SET ANY -> BOOL: SET_MEMBER
2 0 SET -> BOOL: SET_SUBSET
1 0 ANY -> SET: SET_SINGLETON
1 0 BV -> BV: cvc5-BV_REDAND cvc5-BV_REDOR
2 0 BV -> BV: cvc5-BV_ULTBV cvc5-BV_SLTBV
3 0 BV -> BV: cvc5-BV_ITE
2 1 INT -> INT: cvc5-INT_IAND
1 0 INT -> INT: cvc5-INT_POW2
3 0 STRING INT STRING -> STRING: cvc5-STRING_UPDATE
1 0 STRING -> STRING: cvc5-STRING_TOLOWER cvc5-STRING_TOUPPER cvc5-STRING_REV
"""
_HEAD = re.compile(r"(\d\+?) (\d) ([A-Z -]+) -> ([A-Z]+): ")
_WORD = re.compile(r's?\(nil\)|[st]?"[^"]*"|s<"[^"]*">|[^\s"]+')
_SORTS = {
    **dict.fromkeys(("BOOL", "INT", "REAL", "RM", "REGLAN", "STRING"), 0),
    **dict.fromkeys(("BAG", "SEQ", "SET", "BV", "FF", "UNINTERPRETED"), 1),
    **dict.fromkeys(("ARRAY", "FP"), 2),
}


class Rejected(Exception):
    """The trace is none of Murxla's; the message has the row and the reason."""


@dataclass(frozen=True)
class _Operator:
    least: int
    more: bool
    indices: int
    kinds: tuple[str, ...]
    result: str


def _operators() -> dict[str, _Operator]:
    found = {}
    for row in _TABLE.replace("\n    ", " ").strip().splitlines():
        head = _HEAD.match(row)
        assert head is not None, row
        count, indices, kinds, result = head.groups()
        one = _Operator(
            int(count[0]), count.endswith("+"), int(indices), tuple(kinds.split()), result
        )
        for name in row[head.end() :].split():
            solver, _, kind = name.rpartition("-")
            found[f"{solver}-OP_{kind}" if solver else f"OP_{kind}"] = one
    return found


OPERATORS = _operators()
_BINDERS = ("OP_FORALL", "OP_EXISTS", "OP_SET_COMPREHENSION", "OP_DT_MATCH_BIND_CASE")


@dataclass
class _Term:
    kind: str
    sort: str
    free: frozenset[str] = frozenset()
    variable: bool = False


@dataclass
class _State:
    """What a trace made, and in which state of Murxla's machine it is. `answer` is that of the last
    check, and empty if something was asserted since.
    """

    sorts: dict[str, str] = field(default_factory=dict)
    terms: dict[str, _Term] = field(default_factory=dict)
    options: dict[str, str] = field(default_factory=dict)
    logic: bool = False
    levels: int = 0
    checked: bool = False
    answer: str = ""
    assumed: bool = False


class Checker:
    """Reads a trace of Murxla. `answers` are those of its checks, one after another; a check without
    an answer may have any.
    """

    def __init__(self, answers: list[str] | None = None) -> None:
        self._answers = iter(answers or ())
        self._state: _State | None = None

    def check(self, text: str) -> None:
        """Raise Rejected at the first line that Murxla would not write."""
        rows = [(n, r.strip()) for n, r in enumerate(text.splitlines(), 1)]
        rows = [(n, r) for n, r in rows if r and not r.startswith("#")]
        if rows and rows[0][1].split()[0] == "set-murxla-options":
            rows = rows[1:]
        for at, (number, row) in enumerate(rows):
            words = _WORD.findall(row)
            try:
                if words[0] == "return":
                    self._need(at > 0 and self._returns(rows[at - 1][1]), "a stray return")
                    continue
                behind = _WORD.findall(rows[at + 1][1]) if at + 1 < len(rows) else []
                returned = behind[1:] if behind[:1] == ["return"] else None
                self._line(words[1:] if words[0].isdigit() else words, returned, at + 1 < len(rows))
            except Rejected as error:
                raise Rejected(f"row {number}: {error}: {row[:120]}") from None

    @staticmethod
    def _need(condition: object, what: str) -> None:
        if not condition:
            raise Rejected(what)

    @staticmethod
    def _returns(row: str) -> bool:
        action = row.split()[1] if row.split()[0].isdigit() else row.split()[0]
        return action.startswith("mk-") or action == "instantiate-sort"

    @property
    def state(self) -> _State:
        """The state. Raises Rejected before `new`."""
        self._need(self._state is not None, "no solver")
        assert self._state is not None
        return self._state

    def _line(self, words: list[str], returned: list[str] | None, more: bool) -> None:
        action, args = words[0], words[1:]
        if action == "new":
            self._need(self._state is None, "a second solver")
            self._state = _State()
            return
        if action == "delete":
            self._need(self.state, "")
            self._state = None
            return
        if self._returns(action):
            self._need(returned is not None or not more, "no return")
            makers = {
                "mk-sort": self._sort,
                "mk-var": self._bound,
                "instantiate-sort": self._instance,
                "mk-term": self._term,
                "mk-fun": self._function,
            }
            makers.get(action, self._leaf)(args, returned or [])
            return
        self._need(returned is None, "a return of an action that returns nothing")
        self._act(action, args)

    # -- lines that make

    def _bind(self, ids: list[str], made: _Term | None = None) -> None:
        for at, name in enumerate(ids):
            self._need(re.fullmatch(r"[st]\d+", name), f"{name} is no id")
            self._need(
                name[0] == ("s" if made is None or at else "t"), f"{name} is of another kind"
            )
        if made is not None and ids:
            self.state.terms.setdefault(ids[0], made)

    def _kind(self, sort: str) -> str:
        self._need(sort in self.state.sorts, f"unknown sort {sort}")
        return self.state.sorts[sort]

    def _known(self, name: str) -> _Term:
        self._need(name in self.state.terms, f"unknown term {name}")
        return self.state.terms[name]

    def _counted(self, args: list[str], at: int) -> list[str]:
        self._need(at < len(args) and args[at].isdigit(), "a count is missing")
        count = int(args[at])
        self._need(len(args) > at + count, f"fewer than {count} words behind the count")
        return args[at + 1 : at + 1 + count]

    def _sort(self, args: list[str], returned: list[str]) -> None:
        kind = args[0].removeprefix("SORT_")
        if kind in _SORTS:
            self._need(len(args) == 1 + _SORTS[kind], f"{kind} takes {_SORTS[kind]} parameters")
            if kind in ("ARRAY", "BAG", "SEQ", "SET"):
                for sort in args[1:]:
                    self._kind(sort)
        elif kind == "FUN":
            self._need(len(args) > 2, "a function needs a domain and a codomain")
            for sort in args[1:]:
                self._kind(sort)
        else:
            self._need(kind == "DT", f"no sort {kind}")
            for word in args[1:]:
                if re.fullmatch(r"s\d+", word):
                    self._kind(word)
            self._need(len(returned) == int(args[1]), "one id for each datatype")
        self._bind(returned)
        for sort in returned:
            self.state.sorts.setdefault(sort, kind)

    def _instance(self, args: list[str], returned: list[str]) -> None:
        for sort in args:
            self._kind(sort)
        self._need(len(args) > 1 and self._kind(args[0]) == "DT", "no datatype with parameters")
        self._bind(returned)
        for sort in returned:
            self.state.sorts.setdefault(sort, "DT")

    def _leaf(self, args: list[str], returned: list[str]) -> None:
        self._need(len(args) > 1, "a leaf has a sort and a symbol or value")
        if returned:
            self._bind(returned, _Term(self._kind(args[0]), args[0]))

    def _bound(self, args: list[str], returned: list[str]) -> None:
        self._leaf(args, [])
        if returned:
            free = frozenset(returned[:1])
            self._bind(returned, _Term(self._kind(args[0]), args[0], free, variable=True))

    def _function(self, args: list[str], returned: list[str]) -> None:
        bound = self._counted(args, 1)
        body = self._known(args[-1])
        self._need(len(args) == 3 + len(bound), "a function has variables and a body")
        self._need(all(self._known(v).variable for v in bound), "it binds what is no variable")
        self._need(body.free <= {*bound}, "the body has other free variables")
        self._result("FUN", returned, frozenset())

    def _result(self, kind: str, returned: list[str], free: frozenset[str]) -> None:
        if not returned:
            return
        self._need(len(returned) == 2, "a term and its sort")
        found = self.state.sorts.setdefault(returned[1], kind)
        self._need("ANY" in (kind, found) or found == kind, f"{returned[1]} is {found}, not {kind}")
        self._bind(returned, _Term(found, returned[1], free))

    def _term(self, args: list[str], returned: list[str]) -> None:
        name, kind, at = args[0], args[1].removeprefix("SORT_"), 2
        if re.fullmatch(r"s\d+", args[at]):
            self._need(self._kind(args[at]) == "DT", "no datatype")
            at += 1
        if name.startswith("OP_DT_") and name != "OP_DT_MATCH":
            at += 1 + len(self._counted(args, at))
        ids = self._counted(args, at)
        terms = [self._known(word) for word in ids]
        at += 1 + len(ids)
        indices = self._counted(args, at) if at < len(args) else []
        at += 1 + len(indices) if at < len(args) else 0
        self._need(at == len(args), "words behind the end")
        free = frozenset[str]().union(*(term.free for term in terms))
        if name in _BINDERS:
            bound = ids[2:] if name == "OP_SET_COMPREHENSION" else ids[:-1]
            self._need(bound or name == "OP_DT_MATCH_BIND_CASE", "it binds nothing")
            self._need(all(self._known(v).variable for v in bound), "it binds what is no variable")
            free -= {*bound}
            body = terms[0] if name == "OP_SET_COMPREHENSION" else terms[-1]
            if not name.startswith("OP_DT"):
                self._need(body.kind == "BOOL", "the body is not Boolean")
        elif not name.startswith("OP_DT_"):
            self._signature(name, kind, terms, indices)
        self._result(kind, returned, free)

    def _signature(self, name: str, kind: str, terms: list[_Term], indices: list[str]) -> None:
        self._need(name in OPERATORS, f"no operator {name}")
        operator = OPERATORS[name]
        count = len(terms)
        enough = count >= operator.least if operator.more else count == operator.least
        self._need(enough, f"{count} arguments")
        self._need(len(indices) == operator.indices, f"{len(indices)} indices")
        kinds = [*operator.kinds, *[operator.kinds[-1]] * count][:count]
        for term, wanted in zip(terms, kinds, strict=True):
            self._need(wanted == "ANY" or term.kind == wanted, f"{term.kind} in place of {wanted}")
        if name in ("OP_EQUAL", "OP_DISTINCT", "OP_ITE"):
            same = terms[name == "OP_ITE" :]
            self._need(len({t.kind for t in same}) == 1, "arguments of different sorts")
        self._need(operator.result in ("ANY", kind), f"the result is {operator.result}")

    # -- lines that ask

    def _act(self, action: str, args: list[str]) -> None:
        state = self.state
        if action == "set-logic":
            self._need(not state.logic and not state.sorts, "too late for a logic")
            state.logic = True
        elif action == "set-option":
            self._need(len(args) == 2, "a name and a value")
            state.options[args[0]] = args[1]
        elif action == "reset":
            self._state = _State()
        elif action == "reset-assertions":
            state.answer, state.checked, state.levels = "", False, 0
        elif action in ("push", "pop"):
            self._need(state.options.get("incremental") == "true", "not incremental")
            count = int(args[0]) * (1 if action == "push" else -1)
            self._need(state.levels + count >= 0, "fewer levels")
            state.levels, state.answer = state.levels + count, ""
        elif action == "assert-formula":
            self._need(len(args) == 1, "one formula")
            self._formula(args[0])
            state.answer = ""
        elif action in ("check-sat", "check-sat-assuming"):
            self._check(action, args)
        else:
            self._ask(action, args)

    def _formula(self, name: str) -> None:
        term = self._known(name)
        self._need(term.kind == "BOOL", f"{name} is not Boolean")
        self._need(not term.free, f"{name} has free variables")

    def _check(self, action: str, args: list[str]) -> None:
        state = self.state
        again = state.checked or action == "check-sat-assuming"
        incremental = state.options.get("incremental") == "true"
        self._need(incremental or not again, "not incremental")
        if action == "check-sat-assuming":
            for name in self._counted(args, 0):
                self._formula(name)
        state.checked, state.assumed = True, action == "check-sat-assuming"
        state.answer = next(self._answers, "any")

    def _ask(self, action: str, args: list[str]) -> None:
        answer, assumed = self.state.answer, self.state.assumed
        if action == "get-value":
            self._need(answer not in ("", "unsat"), "no model")
            for name in self._counted(args, 0):
                self._need(not self._known(name).free, f"{name} has free variables")
        elif action in ("print-model", "cvc5-block-model", "cvc5-block-model-values"):
            self._need(answer not in ("", "unsat"), "no model")
        elif action == "get-unsat-core":
            self._need(answer in ("unsat", "any"), "no core")
        elif action == "get-unsat-assumptions":
            self._need(answer in ("unsat", "any") and assumed, "no assumptions")
        else:
            known = (
                *("term-get-children", "cvc5-simplify", "cvc5-term-substitute"),
                *("cvc5-sort-substitute", "cvc5-get-interpolant", "cvc5-get-abduct"),
                "cvc5-get-difficulty",
            )
            self._need(action in known, "no such action")
            for name in args:
                if re.fullmatch(r"t\d+", name):
                    self._known(name)
                elif re.fullmatch(r"s\d+", name):
                    self._kind(name)


# ----------------------------------------------------------------------
# How many walks become traces of Murxla.


def main() -> None:
    """Translate walks, check and replay the results, and print the tables."""
    parser = common.parser(__doc__, 100)
    args = parser.parse_args()
    session = common.load(args)
    counts: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    for outcome in run_all(session, common.seeds(args), _walk, args.jobs, args.wall):
        text = str(outcome.result.get("trace", outcome.trace))
        status, reason = judged(text, f"{outcome.seed:x}.trace", session)
        counts[status] += 1
        if reason:
            reasons[f"{status}: {re.sub(r'[0-9]+', 'N', reason)[:90]}"] += 1
    runs = sum(counts.values())
    rows = [[status, count, percent(count, runs)] for status, count in counts.most_common()]
    table(f"{runs} walks of {session.wrapper.name} in Murxla's grammar", ["", "walks", ""], rows)
    table("Why", ["reason", "walks"], [[reason, n] for reason, n in reasons.most_common(40)])


def _walk(session: Session, seed: int, write: Write) -> dict[str, str]:
    return {"trace": walked(session, seed, write)}


def judged(text: str, name: str, session: Session) -> tuple[str, str]:
    """What became of a walk: `outside` if it uses what Murxla has no theory or operator for,
    `rejected` by the checker, what the replay says, or `whole`; and the reason.
    """
    try:
        trace = parse_trace(text, name)
        murxla = to_murxla(trace, session.catalogue)
    except InputError as error:
        return "outside", str(error).split(": ", 1)[-1]
    try:
        Checker(answers(trace)).check(murxla)
    except Rejected as error:
        return "rejected", str(error).partition(": ")[2]
    verdict = judge_murxla(trace, session)
    if verdict.status == "same":
        return "whole", ""
    return verdict.status, verdict.detail


if __name__ == "__main__":
    main()
