"""The end of a program whose calls raise or accept what they must not."""

from __future__ import annotations

import re
from textwrap import indent

from murxpy.machine.outcomes import Refused
from murxpy.translate.programs.calls import SELF_CHECKS, Calls
from murxpy.translate.programs.claim import Claim
from murxpy.translate.programs.promises import checking_call

_UNSTABLE = re.compile(r"0x[0-9a-fA-F]+|\n")


def raised(run: Calls, claim: Claim) -> None:
    """The last call raises what it must not."""
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


def contract(run: Calls, claim: Claim) -> None:
    """What the binding makes of a misuse."""
    if not run.failing or not claim.message:
        raise Refused("unsupported", "nothing says which call breaks the contract, and how")
    thrown = _THROWN.fullmatch(claim.message)
    if run.promised and not run.wrapper.helpers and run.line.action in SELF_CHECKS:
        word = claim.message.split()[-1]
        run.sheet.do(
            f"got = str({run.failing})",
            f"print('expected no', {word!r} + ', got', got)",
            f"sys.exit(1 if {word!r} in got else 0)",
        )
    elif run.promised and run.wrapper.helpers:
        run.sheet.do(
            f"got = {run.failing}",
            "print('expected None, got', got)",
            "sys.exit(1 if isinstance(got, str) else 0)",
        )
    elif thrown:
        _undocumented(run, thrown[1], thrown[2] or "")
    elif run.other:
        _alike(run)
    else:
        _accepted(run)


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


def _alike(run: Calls) -> None:
    run.sheet.do(
        f"right = {run.other}",
        f"try:\n    got = {run.failing}\n"
        "except Exception as error:\n    got = f'{type(error).__name__}: {error}'",
        "print(f'expected an exception or another result than {right}, got {got}')",
        "sys.exit(1 if type(got) is type(right) and str(got) == str(right) else 0)",
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
