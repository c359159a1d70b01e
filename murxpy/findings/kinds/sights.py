"""Reads the output of a solver for a script that asks for evidence, and decides whether it shows a
finding.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from murxpy.errors import InputError
from murxpy.logic.catalogue import Catalogue
from murxpy.logic.sorts import Sort, components
from murxpy.logic.terms import CONSTANT, SPECIAL, VALUE, Term
from murxpy.logic.walks import subterms
from murxpy.machine.outcomes import EXCEPTION, EXIT, FOREIGN
from murxpy.machine.witnesses.model import LITERAL
from murxpy.machine.witnesses.show import show
from murxpy.machine.witnesses.slowness import KIND as SLOW
from murxpy.machine.witnesses.unknowns import REASON, of_limit
from murxpy.oracles.crash import DEATHS, MEMORY_FAULTS, Outcome, judge, normalise
from murxpy.semantics.refuting import Refuted, refuted, satisfying
from murxpy.semantics.values import CannotSay, FunctionValue, Value
from murxpy.smtlib.lexer import solid, spell, tokenize
from murxpy.smtlib.printed_models import Valuation, read_printed_model
from murxpy.smtlib.printing.terms import Printer, Unsayable
from murxpy.smtlib.printing.values import ValueTerms
from murxpy.smtlib.reading.scripts import read_script
from murxpy.translate.asking import Asked, Evidence
from murxpy.translate.programs.vocabulary import shortened, unevaluated

ANSWERS = ("sat", "unsat", "unknown")
# sentences that stand between answers, also about a place in the script
_NOISE = re.compile(r"^(?:WARNING: .*|[A-Z][a-z]+ .*\.|[^\s()\"|]+:\d+\.\d+: .*)$", re.M)
_DECLARES = ("(declare", "(define", "(set-logic")
_PROBE = "murxpy.value"  # begins the names of constants that stand for printed values


def expressions(output: str) -> list[str]:
    """Split the output of a solver into expressions, and drop warnings. The list is empty if the
    output is no SMT-LIB.
    """
    text = _NOISE.sub("", output)
    try:
        tokens = tokenize(text, "output")
    except InputError:
        return []
    found, depth, start = [], 0, 0
    for token, at in zip(tokens, solid(text), strict=True):
        if depth == 0:
            start = at
        depth += (token == "(") - (token == ")")
        if depth == 0:
            found.append(text[start : at + len(token)])
    return found


def pair(expression: str) -> tuple[str, str]:
    """Term and value in an answer to `(get-value (TERM))`; empty texts where it is none."""
    inner = expressions(expression.strip()[1:-1])
    parts = expressions(inner[0][1:-1]) if len(inner) == 1 and inner[0].startswith("(") else []
    return (parts[0], parts[1]) if len(parts) == 2 else ("", "")


def answers(printed: Sequence[str]) -> list[str]:
    """The answers among printed expressions."""
    return [text for text in printed if text in ANSWERS]


def errors(printed: Sequence[str]) -> Iterator[str]:
    """The messages of the errors among printed expressions."""
    for text in printed:
        if text.startswith("(error"):
            yield text[6:-1].strip().strip('"').replace('""', '"')


@dataclass
class Replies:
    """The commands that ask for evidence, each with what the solver printed for it."""

    pairs: list[tuple[Asked, str]] = field(default_factory=list)

    @classmethod
    def of(cls, asked: Sequence[Asked], printed: Sequence[str]) -> Replies:
        """Lay what was printed last beside the commands. The result is empty if the two do not fit."""
        speaking = [one for one in asked if one.kind != "silent"]
        count = len(speaking)
        if not count or len(printed) < count:
            return cls()
        return cls(list(zip(speaking, printed[-count:], strict=True)))

    def of_kind(self, *kinds: str) -> list[tuple[Asked, str]]:
        """The commands of some kinds, with what was printed."""
        return [(asked, text) for asked, text in self.pairs if asked.kind in kinds]

    def value(self, asked: Asked) -> str:
        """The printed value of a term; empty if none was printed."""
        return next((pair(text)[1] for one, text in self.pairs if one is asked), "")


class Judged:
    """The values that a solver printed, judged by our evaluator under the model that it printed."""

    def __init__(self, script: str, replies: Replies, catalogue: Catalogue, dialect: str) -> None:
        # a solver gives some formulas no value, such as those with quantifiers
        asked = replies.of_kind(*_VALUED, "universe")
        valued = [one for one, _ in asked if one.kind == "formula" or replies.value(one)]
        rows = [row for row in script.splitlines() if row.startswith(_DECLARES)]
        given = [
            f"(define-fun {one.term} () {one.sort} {replies.value(one)})"
            for one in valued
            if one.kind == "constant"
        ]
        for at, one in enumerate(valued):
            rows += [f"(declare-const {_PROBE}{at} {one.sort})"]
            rows += [f"(assert (= {_PROBE}{at} {one.term}))"]
            if replies.value(one):
                given.append(f"(define-fun {_PROBE}{at} () {one.sort} {replies.value(one)})")
        model = next((text for _, text in replies.of_kind("model")), "()")
        self._equations: dict[Asked, Term] = {}
        try:
            made = read_script("\n".join(rows), "script", catalogue, dialect=dialect)
        except InputError:
            return
        if len(made.assertions()) != len(valued):
            return  # a declaration of the script stands in one line with an assertion
        self._terms = made.tables.terms
        self._made = ValueTerms(made.tables.terms, made.tables.sorts)
        self._printer = Printer(catalogue, dialect)
        self._equations = dict(zip(valued, made.assertions(), strict=True))
        universes = {
            term.args[0].sort: term.args[0]
            for one, term in self._equations.items()
            if one.kind == "universe"
        }
        known = read_printed_model(_with(model, given), made)
        self._valuation = Valuation(made, known, universes=universes)

    def holds(self, asked: Asked) -> bool | None:
        """Whether a formula is true under the model; None if that is unknown."""
        if asked not in self._equations:
            return None
        found = self._value(self._equations[asked].args[1])
        return None if found is None else bool(found)

    def agrees(self, asked: Asked) -> bool | None:
        """Whether the printed value of a term is right if the printed values of its arguments are;
        None if that is unknown.
        """
        if asked not in self._equations:
            return None
        equation = self._equations[asked]
        sides = (equation.args[0], self._of_printed(equation.args[1]))
        found = self._value(self._terms.apply(equation.op, sides, equation.indices, equation.sort))
        return None if found is None else bool(found)

    def right(self, asked: Asked) -> str:
        """The value that a term has if the printed values of its arguments are right; empty if it is
        unknown.
        """
        term = self._equations[asked].args[1]
        found = self._value(self._of_printed(term))
        return "" if found is None else self._shown(found, term.sort)

    def constants(self, asked: Asked) -> tuple[Asked, ...]:
        """The constants of a term whose values were printed."""
        inside = {one for one in subterms([self._equations[asked].args[1]]) if one.op == CONSTANT}
        known = self._equations.items()
        return tuple(
            one for one, made in known if one.kind == "constant" and made.args[1] in inside
        )

    def given(self, asked: Asked) -> list[str]:
        """The constants of a term, each with its value, if this is known."""
        term, found = self._equations[asked].args[1], []
        for one in dict.fromkeys(one for one in subterms([term]) if one.op == CONSTANT):
            value, name = self._value(one), spell(str(one.indices[0]))
            if isinstance(value, FunctionValue) and not value.items():
                result = self._shown(value.default, one.sort.sorts()[-1])
                found.append(f"{name} gives {result} for all arguments")
            elif value is not None and not isinstance(value, FunctionValue):
                found.append(f"{name} = {self._shown(value, one.sort)}")
        return found

    def parts(self, asked: Asked) -> list[str]:
        """The arguments of a term that are no constants and no literals, each as an equation with its
        value, if this is known.
        """
        found = []
        for part in dict.fromkeys(self._equations[asked].args[1].args):
            value = None if part.op in (CONSTANT, VALUE, SPECIAL) else self._value(part)
            with suppress(Unsayable):
                said = "" if value is None else self._shown(value, part.sort)
                if said and len(said) <= _SHORT:
                    found.append(f"{self._printer.term(part)} = {said}")
        return found

    def _shown(self, value: Value, sort: Sort) -> str:
        """A value as the script's dialect writes it, or as we do where it has no term of it, and where it
        has elements, which are named as the solver does.
        """
        if any(part.kind == "SORT_UNINTERPRETED" for part in components(sort)):
            return show(value, sort)
        try:
            text = self._printer.term(self._made.term(value, sort))
        except (CannotSay, Unsayable, AttributeError):
            return show(value, sort)
        return text if len(text) <= _TOLD else show(value, sort)

    def arguments(self, asked: Asked) -> list[Asked]:
        """The arguments of a term whose values were printed."""
        args = self._equations[asked].args[1].args
        known = {equation.args[1]: one for one, equation in self._equations.items()}
        return [known[arg] for arg in dict.fromkeys(args) if arg in known]

    def _of_printed(self, term: Term) -> Term:
        """The term with the printed values of its arguments in their place."""
        printed = {one.args[1]: one.args[0] for one in self._equations.values()}
        if not term.args or any(arg.free for arg in term.args):
            return term
        args = tuple(printed.get(arg, arg) for arg in term.args)
        return self._terms.apply(term.op, args, term.indices, term.sort)

    def _value(self, term: Term) -> Value | None:
        try:
            return self._valuation.value(term)
        except (CannotSay, InputError, OverflowError, MemoryError, RecursionError):
            return None


_VALUED = ("formula", "constant", "term")


def _with(model: str, given: Sequence[str]) -> str:
    """A printed model with more definitions."""
    body = model.strip()[1:-1].strip().removeprefix("model")
    return "\n".join(["(", body, *given, ")"])


# ----------------------------------------------------------------------
# Whether what a solver printed for a script shows a finding, for each kind of finding.


@dataclass(frozen=True, slots=True)
class Sight:
    """A finding that a script shows. `wrong` says in one sentence what is wrong, `prints` what the
    script prints, and `expected` what it should print.

    `kept` are the questions that show it; None keeps all. `more` are commands that are still to be
    run behind the script, whose last answer must then be `answer`; if it is not, the finding is shown
    as `otherwise` says.
    """

    wrong: str
    prints: str
    expected: str
    kept: tuple[Asked, ...] | None = None
    more: tuple[str, ...] = ()
    answer: str = ""
    otherwise: Sight | None = None


@dataclass(frozen=True, slots=True)
class Shown:
    """The finding that a program or a script must show."""

    kind: str
    key: str
    message: str


@dataclass(frozen=True, slots=True)
class Seen:
    """A finding with the answers of its trace, a script of it, and what running that script printed."""

    finding: Shown
    recorded: tuple[str, ...]
    evidence: Evidence
    outcome: Outcome
    printed: tuple[str, ...]
    catalogue: Catalogue

    @property
    def replies(self) -> Replies:
        """The evidence that was asked for, with what was printed."""
        return Replies.of(self.evidence.asked, self.printed)


def see_death(seen: Seen) -> Sight | None:
    """Return the death of the solver's process if the script makes it die as the finding says; else
    None. Processes that die of a memory fault count as equal whichever signal killed them.
    """
    verdict = judge(seen.outcome)
    if verdict is None or verdict.kind not in DEATHS:
        return None
    signals = MEMORY_FAULTS if verdict.signal in MEMORY_FAULTS else (verdict.signal,)
    same = any(signal and f"-{signal.lower()}-" in seen.finding.key for signal in signals)
    same = same or seen.finding.kind == EXCEPTION
    if not same and normalise(verdict.message) != normalise(seen.finding.message):
        return None
    if verdict.kind == EXIT and not _exits(seen, verdict.message):
        return None
    message = "" if verdict.message == verdict.signal else f": {verdict.message}"
    how = f"dies with {verdict.signal}" if verdict.signal else "ends"
    last = "an error" if any(errors(seen.printed)) else "no answer to the last command"
    said = f"{last}: the process {how}"
    return Sight(f"the solver {how}{message}", said, "that the process goes on")


_ANSWERED = ("(check-sat", "(get-", "(echo", "(eval", "(simplify")  # commands that print something


def _exits(seen: Seen, message: str) -> bool:
    """Whether a process that ended by itself shows the exit of a finding. A program that reads scripts
    always exits in the end, some with a code that says that a command failed. So the code must be that
    of the finding, and some command must have printed nothing.
    """
    rows = seen.evidence.text.splitlines()
    asked = sum(row.startswith(_ANSWERED) for row in rows)
    return message == seen.finding.message and len(seen.printed) < asked


def see_error(seen: Seen) -> Sight | None:
    """Return the error of a command if the solver prints the message of the finding as an error or as
    the reason of an unknown answer; else None.
    """
    message = seen.finding.message.partition(": ")[2] or seen.finding.message
    message = _IN_SCRIPT.sub("", message)
    wanted = _bare(message)
    if not wanted:
        return None
    if any(wanted in _bare(text) for text in errors(seen.printed)):
        wrong = f"the solver ends a command with an error: {message}"
        return Sight(wrong, f'the error "{shortened(message)}"', "no error")
    if any(wanted in _bare(text) for _, text in seen.replies.of_kind("reason")):
        wrong = f"the solver cannot answer, because an exception ends its check: {message}"
        return Sight(wrong, "unknown, and this message as the reason", "an answer")
    return None


def _bare(text: str) -> str:
    return normalise(text.replace('"', ""))


def see_answer(seen: Seen) -> Sight | None:
    """Return the wrong answer if the solver gives the script the answer that the finding calls wrong;
    else None. If the run planted a model, the result also holds a check under that model.
    """
    found = answers(seen.printed)
    stated = _EXPECTED.search(seen.finding.message)
    wanted = stated[1] if stated is not None else "".join(seen.recorded[-1:])
    same = found[-1:] == [wanted] or (found == list(seen.recorded) and wanted in found)
    if wanted not in OTHER or not same:
        return None
    plain = Sight(f"the answer {wanted} is wrong", wanted, OTHER[wanted], kept=())
    planted = seen.evidence.planted or _values(seen)
    if wanted == "unsat" and planted:
        are = "is" if len(planted) == 1 else "are"
        model = f"sat, as it answers where {' and '.join(planted)} {are} asserted"
        rows = seen.evidence.text.splitlines()
        given = [row for row in rows if row.startswith(_GIVEN)]
        check = [row for row in rows if row.startswith("(check-sat")][-1].partition(" ; ")[0]
        more = ("(reset)", *given, *(f"(assert {text})" for text in planted), check)
        # a solver can be wrong with these values, too
        told = replace(
            plain, expected=f"sat: all assertions are true where {' and '.join(planted)}"
        )
        return replace(plain, expected=model, more=more, answer="sat", otherwise=told)
    shown = _no_model(seen) if wanted == "sat" else None
    return plain if shown is None else replace(plain, expected=_none_of(shown))


# Commands after which assertions do not count any more, or with which others count, too.
_MORE = ("(pop", "(reset", "(check-sat-assuming")
_GIVEN = ("(set-option", "(set-logic", "(declare", "(define", "(assert")
_IN_SCRIPT = re.compile(r"^(?:script|check) error: ")  # of a script that the trace runs
_EXPECTED = re.compile(r"answered (\w+), expected \w+")
OTHER = {"sat": "unsat", "unsat": "sat"}


def see_model(seen: Seen) -> Sight | None:
    """Return the invalid model if an assertion is false under the model that the solver prints, or the
    wrong answer sat if no other model makes all true; else None.
    """
    found = _wrong_model(seen)
    # the finding can be an error of the solver's own check of its model
    return _unsound(seen, found) if found is not None else see_error(seen)


_SHORT = 100  # letters of the value of a part of a formula that a header says
_TOLD = 500  # letters of a model that a header says


def _wrong_model(seen: Seen) -> Sight | None:
    """The invalid model. The solver's own evaluation counts first, then that of murxpy's evaluator."""
    replies = seen.replies
    models = tuple(asked for asked, _ in replies.of_kind("model"))
    formulas = replies.of_kind("formula")
    for asked, _ in formulas:
        if replies.value(asked) == "false":
            return Sight(
                "the solver answers sat, and by its own evaluation its model makes an assertion false",
                f"sat, and false as the value of {asked.term}",
                "a model in which each assertion is true, or unsat",
                (*models, asked),
            )
    judged = Judged(seen.evidence.text, replies, seen.catalogue, seen.evidence.dialect)
    wrong = next((asked for asked, _ in formulas if judged.holds(asked) is False), None)
    about = f": {wrong.term}" if wrong is not None else ""
    sentence = f"the solver answers sat, but its model makes an assertion false{about}"
    found = _wrong_value(seen, judged, sentence)
    if found is None and wrong is not None:
        constants = judged.constants(wrong)
        kept = (*models, *constants, *([wrong] if replies.value(wrong) else []))
        values = " and ".join(f"{one.term} = {replies.value(one)}" for one in constants)
        so = " and ".join(judged.parts(wrong))
        model = f"a model in which {wrong.term} is false"
        told = [
            f"{model}: {values}{f', so that {so}' if so else ''}" if values else "",
            f"{model}: {so}" if so else "",
            model if len(wrong.term) < _TOLD // 2 else "",
            "a model in which an assertion is false",
        ]
        shown = next(one for one in told if one and len(one) <= _TOLD)
        return Sight(sentence, f"sat and {shown}", "a model that makes all assertions true", kept)
    return found


def _unsound(seen: Seen, found: Sight) -> Sight:
    """The sight of a wrong answer sat, where the script has no model; else that of the wrong model."""
    shown = _no_model(seen)
    if shown is None:
        return found
    wrong, expected = "the answer sat is wrong", _none_of(shown)
    if shown.complete:
        return Sight(wrong, "sat", expected, kept=(), otherwise=found)
    prints = found.prints if found.prints.startswith("sat") else f"sat and {found.prints}"
    return replace(found, wrong=wrong, prints=prints, expected=expected)


def _no_model(seen: Seen) -> Refuted | None:
    """What shows that the assertions have no model, of a script with one check that answers sat."""
    formulas = _asserted(seen, "sat")
    return refuted(formulas, seen.catalogue) if formulas else None


def _values(seen: Seen) -> tuple[str, ...]:
    """Equations of constants with values that make all assertions true, of a script with one check that
    answers unsat; none where no such values were found.
    """
    found = satisfying(_asserted(seen, "unsat"), seen.catalogue)
    if any(term.sort.kind not in LITERAL for term in found):
        return ()
    return tuple(
        f"(= {spell(str(term.indices[0]))} {show(value, term.sort)})"
        for term, value in found.items()
    )


def _asserted(seen: Seen, answer: str) -> Sequence[Term]:
    """The assertions of a script with one check that gives this answer; none of another script."""
    evidence = seen.evidence
    rows = evidence.text.splitlines()
    if answers(seen.printed) != [answer] or any(row.startswith(_MORE) for row in rows):
        return ()
    text = "\n".join(row for row in rows if row.startswith(_GIVEN))
    try:
        return read_script(text, "script", seen.catalogue, dialect=evidence.dialect).assertions()
    except InputError:
        return ()


def _none_of(shown: Refuted) -> str:
    if shown.alone:
        return "unsat: one of the assertions is false whatever the solver chooses"
    which = "possible values" if shown.complete else "values"
    so = "unsat" if shown.complete else "unsat, as far as tried"
    return f"{so}: none of {shown.count:,} {which} makes all assertions true"


def _right(judged: Judged, asked: Asked) -> str:
    """The right value of a term, in words. Where several values are right, none of them is named."""
    value = judged.right(asked)
    return f"the value {value}" if value else "another value"


def _wrong_value(seen: Seen, judged: Judged, wrong: str) -> Sight | None:
    """The smallest term whose printed value is not what the printed values of its arguments say."""
    replies = seen.replies
    terms = [asked for asked, _ in replies.of_kind("term", "formula")]
    for asked in sorted(terms, key=lambda asked: len(asked.term)):
        if judged.agrees(asked) is False:
            inside = judged.arguments(asked)
            models = [one for one, _ in replies.of_kind("model", "universe")]
            known = [f"{one.term} = {replies.value(one)}" for one in inside]
            values = " and ".join(known or judged.given(asked))
            where = f" where {values}" if values else ""
            return Sight(
                wrong,
                f"the value {replies.value(asked)} for {asked.term}",
                f"{_right(judged, asked)} for this term{where}, or another model",
                (*models, *inside, asked),
            )
    return None


def see_value(seen: Seen) -> Sight | None:
    """Return the wrong value if the solver prints a value for a term that the printed values of its
    arguments exclude; else None.
    """
    judged = Judged(seen.evidence.text, seen.replies, seen.catalogue, seen.evidence.dialect)
    return _wrong_value(seen, judged, "the solver gives a term a wrong value under its own model")


def see_no_value(seen: Seen) -> Sight | None:
    """Return the constant to which the printed model gives a term that is no value; None if there is
    no such constant.
    """
    words = unevaluated(seen.finding.message)
    for asked, text in seen.replies.of_kind("constant"):
        term = pair(" ".join(text.split()))[1]
        if any(word in term for word in words):
            models = tuple(asked for asked, _ in seen.replies.of_kind("model"))
            return Sight(
                f"the value of a constant is a term that is no value: {term}",
                f"{term} as the value of {asked.term}",
                "a value",
                (*models, asked),
            )
    return None


def see_core(seen: Seen) -> Sight | None:
    """Return the invalid unsat core, or the invalid unsat assumptions, that the solver prints; None if
    it prints neither. The commands in `more` show that a core is satisfiable.
    """
    evidence = seen.evidence
    for asked, text in seen.replies.of_kind("core", "assumptions"):
        if text.startswith("(error"):  # there is none
            continue
        if asked.kind == "assumptions":
            return Sight(
                "the assumptions that the solver gives as unsat agree with the assertions",
                f"unsat, {text} for the unsat assumptions, and sat where only these are assumed",
                "assumptions that cannot all be true beside the assertions",
                more=(f"(check-sat-assuming {text})",),
                answer="sat",
            )
        parts = expressions(text[1:-1])
        known = {
            " ".join(one.split()) for one in (*evidence.formulas.values(), *evidence.background)
        }
        foreign = [" ".join(one.split()) for one in parts if one not in evidence.formulas]
        unknown = set(_SYMBOL.findall(text)) - set(_SYMBOL.findall(evidence.text))
        if unknown or (FOREIGN in seen.finding.message and not known.issuperset(foreign)):
            return Sight(
                f"the unsat core has {FOREIGN}",
                " ".join(text.split()),
                "only what was asserted or assumed",
            )
        rows = [row for row in evidence.text.splitlines() if row.startswith(_SETTING)]
        formulas = [evidence.formulas.get(part, part) for part in parts]
        asserted = [f"(assert {text})" for text in (*evidence.background, *formulas)]
        return Sight(
            "the unsat core that the solver gives is satisfiable",
            f"unsat, {' '.join(text.split())}, and sat where the core is asserted alone",
            "a core that is unsat when it is asserted alone",
            more=("(reset)", *rows, *asserted, "(check-sat)"),
            answer="sat",
        )
    return None


_SYMBOL = re.compile(r"""[^\s()";|]+""")
_SETTING = ("(set-logic", "(declare", "(define")


def see_made(seen: Seen) -> Sight | None:
    """Return what the solver made of a term, by simplification or quantifier elimination; None if it
    printed no such result. The commands in `more` show that result and term can differ.
    """
    for asked, text in seen.replies.of_kind("made"):
        if not text.startswith("(error"):
            made = " ".join(text.split())
            return Sight(
                f"what the solver makes of {asked.term} is not equal to it: {made}",
                f"{made}, and sat where the two differ",
                "a term that equals it, and unsat",
                more=("(push 1)", f"(assert (distinct {asked.term} {made}))", "(check-sat)"),
                answer="sat",
            )
    return None


def see_repeated(seen: Seen) -> Sight | None:
    """Return the repeated model if the solver prints the same values again after an assertion excluded
    them; else None.
    """
    values = [text for _, text in seen.replies.of_kind("term")]
    again = [text for _, text in seen.replies.of_kind("again")]
    half = len(values) // 2
    if again != ["sat"] or not half or values[:half] != values[half:]:
        return None
    return Sight(
        "values that were blocked are given again",
        f"{' '.join(values[:half])} twice",
        "other values the second time, or unsat",
    )


def see_undecided(seen: Seen) -> Sight | None:
    """Return the missing answer if the solver prints unknown with a reason that fits the finding: a
    limit for a slow script, anything else for an incompleteness; else None.
    """
    reasons = [text for text in seen.printed if text.startswith(f"(:{REASON}")]
    limited, slow = any(map(of_limit, reasons)), seen.finding.kind == SLOW
    if "unknown" not in answers(seen.printed) or not reasons or limited != slow:
        return None
    why = "the limit as the reason" if slow else "a reason that is no limit"
    return Sight(seen.finding.message, f"unknown, and {why}", "an answer")


def confirmed(sight: Sight, before: Sequence[str], after: Sequence[str]) -> bool:
    """Whether a script that was cut down to the questions of a sight still prints what shows it."""
    if sight.answer:
        return answers(after)[-1:] == [sight.answer]
    return bool(after) and set(after) <= set(before)
