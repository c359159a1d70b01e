"""The text before and after the calls of a printed Python program."""

from __future__ import annotations

# what a program says of an invalid model, by a fresh solver
UNSATISFIED = "the model does not satisfy the assertions"

START = '''"""Makes the calls of the trace NAME again, which was made with SOLVER.

Exits with 1 when the recorded defect shows, with 2 when it answers otherwise than recorded or lacks a
call, else with 0.
"""

from __future__ import annotations

import gc
import os
import sys

gc.disable()  # when objects die depends on the calls alone
sys.set_int_max_str_digits(0)
OTHERWISE = []
LACKING = (AttributeError, NameError)


def untold(kind, error, trace):
    """A call fails that did not fail when the trace was made: nothing is known of the defect."""
    sys.__excepthook__(kind, error, trace)
    why = "this release lacks a call" if isinstance(error, LACKING) else "a call failed"
    print(f"cannot be told, because {why}: {error}", flush=True)
    os._exit(2)


sys.excepthook = untold


def defect(line, what):
    """The defect shows."""
    print(f"line {line}: {what}", flush=True)
    sys.exit(1)


def same(line, what, seen, recorded):
    """Compare with what the trace recorded."""
    print(f"line {line}: {what}: {ascii(seen)}" + ("" if seen == recorded else f", recorded {ascii(recorded)}"), flush=True)
    if seen != recorded:
        OTHERWISE.append(line)


def answered(line, seen, recorded, expected="unknown"):
    """The answer of a check; what is recorded is None where the trace does not say."""
    same(line, "answer", str(seen), str(seen) if recorded is None else recorded)
    if sorted([str(seen), expected]) == ["sat", "unsat"]:
        defect(line, f"answered {seen}, expected {expected} by how the check was made")


def scripted(line, output, recorded, expected):
    """The answers of a script's checks, from what the solver printed."""
    answers = [row.strip() for row in output.splitlines() if row.strip() in ("sat", "unsat", "unknown", "timeout")]
    same(line, "answers of the script", ["unknown" if answer == "timeout" else answer for answer in answers], recorded)
    for number, (seen, wanted) in enumerate(zip(answers, expected), 1):
        if sorted([seen, wanted]) == ["sat", "unsat"]:
            defect(line, f"check {number} answered {seen}, expected {wanted} by how the script was made")


def read(line, term, seen, recorded):
    """The value of a term in a model; None where it is no literal."""
    same(line, f"value of {term}", seen, recorded)


def promised(line, broken):
    """A promise of the binding: a text says which one is broken."""
    if isinstance(broken, str):
        defect(line, broken)


def satisfied(line, seen):
    """The answer of a fresh solver to the assertions with each constant fixed to its value in the model."""
    print(f"line {line}: the assertions with the values of the model: {seen}", flush=True)
    if str(seen) == "unsat":
        defect(line, "UNSATISFIED")


def refused(line, call, is_defect, recorded):
    """A call that the solver refused when the trace was made."""
    try:
        call()
    except (Exception, SystemExit) as error:
        seen = " ".join(f"{type(error).__name__}: {error}".split())
        if isinstance(error, LACKING) and type(error).__name__ not in recorded:
            print(f"line {line}: cannot be told, because this release lacks a call: {seen}", flush=True)
            sys.exit(2)
        if is_defect:
            defect(line, seen)
        print(f"line {line}: refused: {ascii(seen)}", flush=True)
    else:
        print(f"line {line}: not refused, recorded {ascii(recorded)}", flush=True)
        OTHERWISE.append(line)

'''.replace("UNSATISFIED", UNSATISFIED)

SCRIPTS = '''
def with_values(text, output):
    """A script with each constant fixed to its value in the model printed behind the last `sat`; empty where there is none."""
    model = output.rpartition("sat\\n")[2]
    starts = [at for at in range(len(model)) if model.startswith("(define-fun ", at)]
    values = []
    for start, end in zip(starts, [*starts[1:], model.rfind(")")]):
        name, parameters, rest = model[start + len("(define-fun "):end].strip().partition(" () ")
        if parameters and f"(define-fun {name} " not in text and "!val!" not in rest:
            values.append((name, value_in(rest[: rest.rindex(")")])))
    fixed = "".join(f"(assert (= {name} {value}))\\n" for name, value in values)
    before, check, after = text.replace("(get-model)", "").rpartition("(check-sat")
    return before + fixed + check + after if fixed and "sat\\n" in output else ""


def value_in(text):
    """The value behind a sort."""
    depth = 0
    for at, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0 and (character == ")" or text[at + 1 : at + 2].isspace()):
            return text[at + 1 :].strip()
    return text


'''

# of a program that shows a hang; while a call of the solver runs, no handler of Python's can
DEADLINE = """
import faulthandler

print("expected an end within SECONDS s, got none where 'Timeout' stands below", flush=True)
faulthandler.dump_traceback_later(SECONDS, exit=True)  # the exit code is then 1
"""

END = """
sys.exit(2 if OTHERWISE else 0)
"""
