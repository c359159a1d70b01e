"""Judging the answer unknown to a script that is satisfiable by how it was made, or that was made by a
rule of implication from a script which the solver has decided.

Such a script says so itself, in a `set-info` command. The solver's own reason tells whether a limit
ended the check, which is no finding, or whether the solver gave up: it is incomplete there.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from murxpy.machine.outcomes import Stopped
from murxpy.machine.run import Run
from murxpy.smtlib.commands import CHECKS, Ask, Command, SetInfo
from murxpy.smtlib.script import Script
from murxpy.smtlib.syntax.fingerprint import theories

KIND = "incompleteness"
_ATTRIBUTE = "satisfiable-by-construction"
MARK = f"(set-info :{_ATTRIBUTE} true)"
# The mark of a script that was made by a rule from one that the solver decided; its value names the rule.
_IMPLIED = "implied-by-decided"
_MARKS = re.compile(rf'^\(set-info :(?:{_ATTRIBUTE} true|{_IMPLIED} "([^"]*)")\)\n?', re.M)
REASON = "reason-unknown"  # the command of a dialect that asks for the reason, behind any answer
# an answer, the reason that stands beside it, and the one that is printed behind it
_ANSWER = re.compile(
    r"^(sat|unsat|unknown|timeout)(?: \((\w+)\))?\r?$(?:\s*\(:reason-unknown \"?([^\"\n]*?)\"?\)$)?",
    re.M,
)
# words of a reason that a limit, and not the procedure, ended the check
_LIMIT = re.compile(r"limit|resource|cancel|timeout|interrupt|memo", re.I)
_QUANTIFIERS = "QUANT"


def marked(script: Script, asks: bool, implied: str = "") -> Script:
    """The script with the mark, in which each check is followed by a question for the reason if
    `asks` is set. The solver must then take that question behind any answer. `implied` is the rule
    that made the script from one that was decided.
    """
    mark = SetInfo(_IMPLIED, f'"{implied}"') if implied else SetInfo(_ATTRIBUTE, "true")
    commands: list[Command] = [mark]
    for command in script.commands:
        commands.append(command)
        if asks and isinstance(command, CHECKS):
            commands.append(Ask("get-info", f":{REASON}"))
    return Script(script.name, script.tables, commands)


def is_marked(text: str) -> bool:
    """Whether a script says that its answer is known by how it was made."""
    return MARK in text or f"(set-info :{_IMPLIED} " in text


def mark_of(text: str) -> str:
    """The mark of a script; empty where it has none."""
    found = _MARKS.search(text) if is_marked(text) else None
    return found[0] if found else ""


def judge_unknowns(
    run: Run, text: str, expected: Sequence[str], output: str, spelling: str
) -> None:
    """Raise Stopped for a check whose expected answer is sat, or known by a rule, and that the solver
    gave up.
    """
    mark = _MARKS.search(text)
    rule = (mark[1] if mark else None) or ""
    for found, wanted in zip(_ANSWER.finditer(output), expected, strict=False):
        reason = (found[3] or found[2] or "").strip()
        if found[1] != "unknown" or wanted not in (("sat", "unsat") if rule else ("sat",)):
            continue
        gave_up = bool(reason) and not _LIMIT.search(reason)
        run.counts[f"check-unknown:{'gave-up' if gave_up else 'limit'}"] += 1
        if gave_up:
            made = (
                f"by {rule} of a script that was decided" if rule else "by how the check was made"
            )
            message = f"answered unknown, expected {wanted} {made}; its reason: {reason}"
            # the rules of one book are one bucket
            about = "+".join(filter(None, [rule.partition(":")[0], _about(text)]))
            raise Stopped(run.finding(KIND, "solver", message, "run-script", about, spelling))


def _about(text: str) -> str:
    """What the bucket says of a script: that it has quantifiers, or else its theories."""
    found = theories(text)
    return _QUANTIFIERS if _QUANTIFIERS in found else "+".join(found)
