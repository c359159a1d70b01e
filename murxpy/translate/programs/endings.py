"""The end of a program that shows an invalid result which the solver derives from formulas, such as
an interpolant or an abduct.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import replace
from textwrap import indent

from murxpy.logic.terms import Term
from murxpy.machine.checks.registry import MAKING
from murxpy.machine.contract import protocols
from murxpy.machine.contract.calls import STRAY
from murxpy.machine.database import Entry
from murxpy.machine.outcomes import FOREIGN, Refused
from murxpy.machine.tokens import Quoted, Ref
from murxpy.machine.trace.grammar import Line, Trace
from murxpy.machine.witnesses import slowness, unknowns
from murxpy.translate.expressions import Code
from murxpy.translate.printer import SELF_CHECKS
from murxpy.translate.programs.calls import OTHER_TEXT, PLAIN, Calls, tolerant
from murxpy.translate.programs.sheet import ANSWER
from murxpy.translate.programs.vocabulary import (
    UNSAT,
    Claim,
    compared,
    constants,
    formulas,
    said,
    solved,
    sources,
    told_if,
    value_of,
    without_assertions,
)


def interpolant(run: Calls, claim: Claim) -> None:
    """The interpolant is solved from scratch: together with the negation of what it should follow from, or
    with what it should contradict.
    """
    goal = _goal(run)
    others = [entry for entry in formulas(run) if entry.term is not goal.term]
    made = _found(run, "interpolant", others, _negated(run, goal))
    if "not implied" in claim.message:
        run.sheet.note("The interpolant must follow from the other assertions.")
        solved(
            run,
            [*sources(others), str(_not(run, goal, made))],
            "sat",
            "the others with its negation",
        )
    elif "does not imply" in claim.message:
        run.sheet.note("The interpolant must contradict the last assertion.")
        solved(run, [made, str(goal.obj)], "sat", "the interpolant with the last assertion")
    else:
        raise Refused("unsupported", "only its symbols are wrong")


def abduct(run: Calls, claim: Claim) -> None:
    """The abduct is solved from scratch with the assertions: it must agree with them, and imply the goal."""
    goal, others = _goal(run), formulas(run)
    made = _found(run, "abduct", others, str(goal.obj))
    if "does not imply" in claim.message:
        run.sheet.note("The abduct must imply its goal with the assertions.")
        claims = [*sources(others), made, _negated(run, goal)]
        solved(run, claims, "sat", "the assertions, the abduct and the negated goal")
    else:
        run.sheet.note("The abduct must agree with the assertions.")
        solved(run, [*sources(others), made], "unsat", "the assertions and the abduct")


def _goal(run: Calls) -> Entry:
    if not run.asked:
        raise Refused("unsupported", "the line names no formula")
    return run.asked[0]


def _negated(run: Calls, goal: Entry) -> str:
    return str(_not(run, goal, str(goal.obj)))


def _not(run: Calls, goal: Entry, code: str) -> Code:
    return said(run, "operators", ("OP_NOT",), [Code(code)], terms=(goal.term,))


def _found(run: Calls, what: str, others: list[Entry], goal: str) -> str:
    """Ask a solver of its own, which has the assertions `others`, for the formula `what`. Raises
    Refused if the wrapper does not say how a person asks.
    """
    readers = run.wrapper.set("readers", what)
    if readers is None or not any(one.name.startswith(PLAIN) for one in readers.spellings):
        raise Refused("unsupported", f"no plain spelling of {what}")
    run.sheet.forget_statements()
    made = run.sheet.define(_asked_alone(run, what, others, goal), what, kept=True)
    run.sheet.do(f"print('the {what} is', {made})")
    told_if(run, "nothing", made, f"there is no {what}")
    return str(made)


def _asked_alone(run: Calls, what: str, others: list[Entry], goal: str) -> Code:
    """The call that asks a solver of its own, which has the assertions `others`, for the formula `what`."""
    with without_assertions(run, "finder"):
        option = {"name": f"produce-{what}s", "value": "true"}
        run.sheet.do(said(run, "actions", ("set-option",), (), **option))
        run.sheet.do(*(said(run, "actions", ("assert-formula",), [entry.obj]) for entry in others))
        return said(run, "readers", (what,), [Code(goal)])


# ----------------------------------------------------------------------
# The end of a program that shows a wrong answer, core, or result of a simplification.


# -- an answer that is wrong


def other_answer(run: Calls, claim: Claim) -> None:
    """The answer itself is the defect."""
    wrong = run.recorded
    right = {"sat": "unsat", "unsat": "sat"}.get(wrong)
    if right is None:
        raise Refused("unsupported", "the trace records no answer")
    run.sheet.do(
        f"print('expected {right}, got', {ANSWER})",
        f"sys.exit({{{right!r}: 0, {wrong!r}: 1}}.get({ANSWER}, 2))",
    )


def inconsistent(run: Calls, claim: Claim) -> None:
    """Solved alone, the same assertions have another answer."""
    if run.recorded not in ("sat", "unsat"):
        raise Refused("unsupported", "the trace records no answer")
    run.sheet.note("The same assertions are solved alone.")
    other = {"sat": "unsat", "unsat": "sat"}[run.recorded]
    run.sheet.do(
        f"if {ANSWER} != {run.recorded!r}:\n"
        f"    print('expected the answer {run.recorded} of the trace, got', {ANSWER})\n"
        "    sys.exit(2)"
    )
    solved(run, [str(entry.obj) for entry in formulas(run)], other, "the assertions alone")


# -- a core that is none


def core(run: Calls, claim: Claim) -> None:
    """The core has a model. Raises Refused where it has what was never asserted."""
    if FOREIGN in claim.message:
        raise Refused("unsupported", "the core is none of what was asserted")
    background = _read_core(run)
    run.sheet.note("The core is solved alone.")
    _core_anew(run, background)


def foreign_core(run: Calls, claim: Claim) -> None:
    """The core has what was neither asserted nor assumed."""
    _read_core(run)
    known = ", ".join(f"str({entry.obj})" for entry in formulas(run))
    names = [name for name, _ in run.state.named()]
    listed = ", ".join(filter(None, [known, *map(repr, names)]))
    run.sheet.do(
        f"foreign = [str(part) for part in core if str(part) not in [{listed}]]",
        "print('expected nothing in the core that was not asserted, got', foreign)",
        "sys.exit(1 if foreign else 0)",
    )


def _read_core(run: Calls) -> list[str]:
    """Read the core. The result is what is asserted beside it."""
    assumed = run.line.action == "check-assumptions"
    run.sheet.do(UNSAT)
    names = run.state.named()
    code = said(run, "actions", ("get-unsat-assumptions" if assumed else "get-unsat-core",), ())
    run.sheet.do(f"core = {code if str(code).startswith('list(') else f'list({code})'}")
    run.sheet.do("print('the core is', core)")
    if not assumed and names:
        listed = ", ".join(f"{name!r}: {entry.obj}" for name, entry in names)
        run.sheet.do(f"core = [{{{listed}}}.get(str(part), part) for part in core]")
    return [str(entry.obj) for entry in run.state.asserted()] if assumed else []


def _core_anew(run: Calls, background: Sequence[str]) -> None:
    with without_assertions(run):
        part = said(run, "actions", ("assert-formula",), [Code("part")])
        run.sheet.do(
            *(said(run, "actions", ("assert-formula",), [Code(claim)]) for claim in background),
            f"for part in core:\n    {part}",
            *compared(run, "sat", f"the core {'with the assertions' if background else 'alone'}"),
        )


# -- a result that is not equal


def other_result(run: Calls, claim: Claim) -> None:
    """A term and what was made of it can differ."""
    if not run.asked:
        raise Refused("unsupported", "the line names no term")
    run.sheet.forget_statements()
    entry = run.asked[0]
    args = [one.obj for one in run.asked]
    terms = tuple(one.term for one in run.asked)
    action = run.line.action.removeprefix("check-")
    section, key = ("readers", "eliminated") if action == "elimination" else ("actions", action)
    how = run.line.spelling  # each elimination is one of its own
    made = run.sheet.define(said(run, section, (key,), args, how, terms=terms), "made", kept=True)
    run.sheet.do(f"print('of', {entry.obj}, 'is made', {made})")
    pair = (entry.term, entry.term)
    differ = said(run, "operators", ("OP_DISTINCT",), [entry.obj, made], terms=pair)
    premises = []
    if action == "substitute":
        premises = [said(run, "operators", ("OP_EQUAL",), args[1:], terms=terms[1:])]
    run.sheet.note("A model is asked for in which they differ.")
    solved(run, [*map(str, premises), str(differ)], "sat", "values for which they differ")


# -- what a check of the trace itself calls


def checking_call(run: Calls) -> Code:
    """The call of the binding that the check on the last line makes. Raises Refused if the wrapper
    has no such spelling.
    """
    action = run.line.action.removeprefix("check-")
    asked = [entry.obj for entry in run.asked]
    terms = tuple(entry.term for entry in run.asked)
    if action in ("core", "assumptions"):
        return said(run, "actions", (f"get-unsat-{action}",), ())
    if action in ("simplify", "substitute"):
        made = said(run, "actions", (action,), asked, terms=terms)
        pair = (terms[0], terms[0])
        other = said(run, "operators", ("OP_DISTINCT",), [asked[0], made], terms=pair)
        return _solving(run, asked[1:], terms[1:], other) if run.dies else other
    if action in ("model", "values"):
        entries = run.asked or constants(run, [entry.term for entry in formulas(run)])
        return Code(f"[{', '.join(value_of(run, str(entry.obj)) for entry in entries)}]")
    if action in ("interpolant", "abduct") and run.plain and asked:
        goal = run.asked[0]
        others = [entry for entry in formulas(run) if entry.term is not goal.term]
        return _asked_alone(run, action, others, str(goal.obj))
    reader = {"elimination": "eliminated"}.get(action, action)
    given = asked if action == "elimination" else [*asked, *(e.obj for e in formulas(run))]
    filled = {"terms": terms, "value": run.state.limit or 0}
    return said(run, "readers", (reader,), given, run.line.spelling, **filled)


def _solving(run: Calls, same: Sequence[Code], terms: Sequence[Term], claim: Code) -> Code:
    """The check of a fresh solver that a term is another one than what the solver makes of it, where the
    terms `same`, if there are some, are equal.
    """
    with without_assertions(run):
        if same:
            premise = said(run, "operators", ("OP_EQUAL",), list(same), terms=tuple(terms))
            run.sheet.do(said(run, "actions", ("assert-formula",), [premise]))
        run.sheet.do(said(run, "actions", ("assert-formula",), [claim]))
        return said(run, "actions", ("check-sat",), ())


def broken_proof(run: Calls, claim: Claim) -> None:
    """The proof is checked by the wrapper's reader, whose complaint is printed."""
    run.sheet.forget_statements()
    run.sheet.do(
        f"got = {checking_call(run)}",
        "print('expected a proof without a gap, got', got)",
        "sys.exit(1 if isinstance(got, str) else 0)",
    )


# ----------------------------------------------------------------------
# The end of a program whose calls raise or accept what they must not.


_UNSTABLE = re.compile(r"0x[0-9a-fA-F]+|\n")


def raised(run: Calls, claim: Claim) -> None:
    """The last call raises an exception that it must not raise."""
    if not run.failing and run.line.action.startswith("check-"):
        run.failing = str(checking_call(run))
    if not run.failing:
        raise Refused("unsupported", "no call is refused")
    kind, _, message = claim.message.partition(": ")
    part = _telling(re.sub(r"^(script|check) error: ", "", message))
    if run.script:
        run.sheet.do(
            f"try:\n{indent(run.failing, '    ')}\nexcept Exception as error:\n    output = str(error)",
            "print('expected no error, got', output)",
            f"sys.exit(1 if {part!r} in output else 0)",
        )
        return
    run.sheet.do(
        f"try:\n    {run.failing}\n    got = 'no exception'\n"
        "except Exception as error:\n    got = f'{type(error).__name__}: {error}'",
        "print('expected no exception, got', got)",
        "if got == 'no exception':\n    sys.exit(0)",
        f"sys.exit(1 if got.startswith({kind!r}) and {part!r} in got else 2)",
    )


def _telling(message: str) -> str:
    """The longest part of a message that is the same each time."""
    return max(_UNSTABLE.split(message), key=len).strip()[:80]


# -- a contract that is broken

_THROWN = re.compile(r"(?:class \w: )?(\w+)(?:: (.*))? in [\w.<>]+ \(\w+\.\w+\)", re.DOTALL)
# A method that reads a literal, the value that it gives, and the right one; long texts are cut.
_MISREAD = re.compile(
    r"(?:class \w: )?(?:\w+\.)?(\w+) is not the value(?: of the literal)?; (.+) for (.+)", re.DOTALL
)
_FINALIZED = re.compile(r"(?:class \w: )?a finalizer raises (\w+)(?:;.*)?", re.DOTALL)


def contract(run: Calls, claim: Claim) -> None:
    """The program makes the misuse and prints whether the binding kept its contract."""
    if not run.failing or not claim.message:
        raise Refused("unsupported", "nothing says which call breaks the contract, and how")
    thrown = _THROWN.fullmatch(claim.message)
    finalized = _FINALIZED.fullmatch(claim.message)
    misread = _MISREAD.fullmatch(claim.message)
    astray = _ASTRAY.search(claim.message)
    # a program in the main context leaves its own name of the context out
    named = not run.main and re.search(rf"\b{run.frame.ctx}\b", run.failing)
    if claim.message.endswith(_MIXED) and not named and _alone(run.trace.lines[-1]):
        raise Refused("unsupported", "the call has objects of one context only")
    if astray is not None:
        _astray(run, astray[1])
    elif claim.message.endswith("gives bytes, and no text"):
        run.sheet.do(
            f"got = {run.failing}",
            "print('expected a text, got', got)",
            "sys.exit(1 if isinstance(got, bytes) else 0)",
        )
    elif misread is not None and not run.plain:
        run.sheet.do(
            f"got = {run.failing}",
            "print('expected the value of the literal, got', got or 'that')",
            "sys.exit(1 if isinstance(got, str) else 0)",
        )
    elif misread is not None and run.plain:
        _misread(run, *misread.groups())
    elif run.promised and not run.wrapper.helpers and run.line.action in SELF_CHECKS:
        word = claim.message.split()[-1]
        run.sheet.do(
            f"got = str({run.failing})",
            "print('expected what was asked for, got', got)",
            f"sys.exit(1 if {word!r} in got else 0)",
        )
    elif run.promised and run.wrapper.helpers:
        run.sheet.do(
            f"got = {run.failing}",
            f"print({', '.join(_promise(claim.message))})",
            "sys.exit(1 if isinstance(got, str) else 0)",
        )
    elif thrown:
        _undocumented(run, thrown[1], thrown[2] or "")
    elif finalized is not None:
        _finalized(run, finalized[1])
    elif claim.message.endswith(OTHER_TEXT):
        run.sheet.do(
            f"got = {run.failing}",
            "print(f'expected {text}, got {got}')",
            "sys.exit(0 if got == text else 1)",
        )
    elif run.stressed:
        _stressed(run, claim.message)
    elif claim.message.endswith(" does not"):
        _one_sided(run)
    elif run.other:
        _alike(run, claim.message)
    else:
        _accepted(run)


def _promise(message: str) -> tuple[str, str]:
    """What a program prints of a law: what is right and what is answered, where the message names both, as
    "... answers ANSWER instead of RIGHT", "... gives GIVEN instead of RIGHT" or "... raises ERROR instead of RIGHT".
    """
    said, _, right = message.rpartition(" instead of ")
    verb = max(("gives", "answers", "raises"), key=lambda one: said.rfind(f" {one} "))
    if f" {verb} " not in said:
        return repr("expected what is documented, got"), "got or 'that'"
    answer = f"got.partition(' instead of ')[0].rpartition(' {verb} ')[2] if got else 'that'"
    return repr(f"expected {right}, got"), answer


_ASTRAY = re.compile(rf"gives an object of {STRAY}: its (\w+)$")


def _astray(run: Calls, owner: str) -> None:
    """What a call gives names another context as its own than the operands have."""
    context = str(run.frame.ctx)
    if run.main or not context.isidentifier():
        raise Refused("unsupported", "in the main context nothing belongs to another one")
    run.sheet.do(
        f"got = {run.failing}",
        f"told = 'the context of its operands' if got.{owner} is {context} else 'another context'",
        "print('expected an object of the context of its operands, got one of', told, flush=True)",
        f"os._exit(0 if got.{owner} is {context} else 1)  # to free it may end the process",
    )


_MIXED = "of another context beside objects of this one"


def _alone(line: Line) -> bool:
    """Whether a misuse makes something of a single object, so that only the context that is given to the
    call beside that object is another one.
    """
    words = list(line.args)
    ends = words.index("with") if "with" in words else len(words)
    made = str(words[0]).partition("@")[0] if words else ""
    return made in MAKING and sum(isinstance(word, Ref) for word in words[:ends]) < 2


def _misread(run: Calls, method: str, value: str, right: str) -> None:
    """The literal is the operand of the call that reads it in all ways."""
    call = ast.parse(run.failing, mode="eval").body
    if not isinstance(call, ast.Call) or not call.args:
        raise Refused("unsupported", "no literal is read")
    run.sheet.do(
        f"got = {ast.unparse(call.args[0])}.{method}()",
        f"print({f'expected {right}, got'!r}, got)",
        f"sys.exit(1 if repr(got).startswith({value!r}) else 0)",
    )


def _finalized(run: Calls, kind: str) -> None:
    """A finalizer raises what Python only prints."""
    run.sheet.do(
        "raised = []",
        "sys.unraisablehook = lambda e: raised.append(f'{e.exc_type.__name__}: {e.exc_value}')",
        tolerant(run.failing),
        "gc.collect()",
        "print('expected that the object is released without an exception, got', *raised or ['none'])",
        f"sys.exit(1 if any(got.startswith({f'{kind}:'!r}) for got in raised) else 0)",
    )


def _stressed(run: Calls, message: str) -> None:
    """One of Python's protocols breaks a promise."""
    if message.endswith(" has lost a part"):
        run.sheet.do(
            f"got = {run.failing.replace(' == ', ' < ')}",
            "print('expected both parts or an exception, got', got)",
            "sys.exit(0 if isinstance(got, bool) else 1)",
        )
        return
    if " cannot be compared with None" in message:
        run.sheet.do(
            f"try:\n    got = {run.stressed} == None\n"
            "except TypeError as error:\n    got = f'TypeError: {error}'",
            "print('expected False, got', got)",
            "sys.exit(1 if isinstance(got, str) else 0)",
        )
        return
    run.sheet.do(f"got = {run.failing}")
    if message.endswith(" is of another class"):
        run.sheet.do(
            f"wanted = type({run.stressed})",
            "print(f'expected {wanted.__name__}, got {type(got).__name__}')",
            "sys.exit(0 if type(got) is wanted else 1)",
        )
    elif message.endswith(" does not end"):
        run.sheet.do(
            "print('expected an iteration that ends, got', len(got), 'elements')",
            f"sys.exit(1 if len(got) == {protocols.ENDLESS} else 0)",
        )
    elif " is equal to " in message:
        run.sheet.do(
            "print('expected False, got', got)",
            "sys.exit(1 if got is True else 0)",
        )
    else:
        raise Refused("unsupported", "no single call shows it")


def _undocumented(run: Calls, kind: str, message: str) -> None:
    same = " and ".join(
        [
            f"got.startswith({f'{kind}: '!r})",
            *(f"{part!r} in got" for part in [_telling(message)] if part),
        ]
    )
    run.sheet.do(
        f"try:\n    {run.failing}\n    got = 'a result'\n"
        "except Exception as error:\n    got = f'{type(error).__name__}: {error}'",
        "print('expected a result or a documented exception, got', got)",
        f"if {same}:\n    sys.exit(1)",
        "sys.exit(2 if got.startswith(('AttributeError', 'NameError')) else 0)",
    )


_LONG = 62  # letters of an operand that a program says


def _alike(run: Calls, message: str) -> None:
    """One call gives the same as another one, whose operand is another one."""
    # the message says what is taken for what
    given, told, taken = message.rpartition("; ")[2].partition(" for ")
    if not told or max(len(given), len(taken)) > _LONG:
        given, taken = "its operand", "another one"
    run.sheet.do(
        f"right = {run.other}",
        f"try:\n    got = {run.failing}\n"
        "except Exception as error:\n    got = f'{type(error).__name__}: {error}'",
        "same = type(got) is type(right) and str(got) == str(right)",
        "same = same and bool(got.eq(right) if hasattr(got, 'eq') else got == right)",
        f"print({f'expected an exception or a result for {given}, got'!r}, "
        f"f'{{got}},', {f'the result for {taken}'!r} if same else 'another result')",
        "sys.exit(1 if same else 0)",
    )


def _one_sided(run: Calls) -> None:
    """The operator works with its operands the other way round."""
    run.sheet.do(
        f"try:\n    got = {run.failing}\n"
        "except Exception as error:\n    got = f'{type(error).__name__}: {error}'\n"
        "    print('expected a result, got', got)\n"
        "    sys.exit(1 if isinstance(error, TypeError) else 2)",
        "print('expected a result, got', got)",
        "sys.exit(0)",
    )


def _accepted(run: Calls) -> None:
    run.sheet.do(
        f"try:\n    got = {run.failing}\n"
        "except Exception as error:\n    got = f'{type(error).__name__}: {error}'\n"
        "    print('expected an exception, got', got)\n"
        "    sys.exit(2 if got.startswith(('AttributeError', 'NameError')) else 0)",
        "print('expected an exception, got', got)",
        "sys.exit(1)",
    )


# ----------------------------------------------------------------------
# A script that the solver does not decide: one that costs too much, and one on which the solver
# gives up. A program, or another reader of scripts, shows that by the answer unknown and its
# reason.


def asking_why(trace: Trace) -> Trace:
    """The trace of a finding with a script that asks for the reason of an unknown answer. The
    checks of a slow script get the limit that the script may cost, so that they are unknown. A trace
    that runs no script is as it was.
    """
    last = trace.lines[-1]
    given = last.args[0] if last.action == "run-script" and last.args else None
    if not isinstance(given, Quoted):
        return trace
    text, bound = slowness.unmarked(given.text)
    before = [line for line in trace.lines[:-1] if not bound or line.action != "set-limit"]
    if bound:
        before.append(Line("set-limit", [bound], seed=1))
    if unknowns.QUESTION not in text:
        text = unknowns.with_question(text)
    asked = replace(last, args=[Quoted(text)], results=[("answer", ["unknown"])])
    return Trace(trace.name, [*before, asked], trace.header)


def at_limit(run: Calls, claim: Claim) -> None:
    """A check reaches a limit that it should not need."""
    _ending(run, "1 if limited else 2")


def given_up(run: Calls, claim: Claim) -> None:
    """The solver gives up, and no limit is the reason."""
    _ending(run, "2 if limited else 1")


def _ending(run: Calls, code: str) -> None:
    if not run.script:
        raise Refused("unsupported", "the trace runs no script")
    run.sheet.do(
        f"limited = any(word in output.lower() for word in {unknowns.LIMITS})",
        "print('expected an answer, got', output)",
        f"sys.exit({{'sat': 0, 'unsat': 0, 'unknown': {code}}}.get({ANSWER}, 2))",
    )
