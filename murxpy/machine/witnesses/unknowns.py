"""Judging the answer unknown to a script that is satisfiable by how it was made, that was made by a
rule of implication from a script which the solver has decided, or that an older release or another
solver decides.

Such a script says so itself, in a `set-info` command. The solver's own reason tells whether a limit
ended the check, which is no finding, or whether the solver gave up: it is incomplete there. A limit
is a finding, too, where another solver decided the script within a tenth of it: the solver is slow.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from murxpy.machine.outcomes import INCOMPLETENESS, SLOW, Stopped
from murxpy.machine.run import Run
from murxpy.machine.witnesses.slowness import PARENT
from murxpy.smtlib.lexer import tokenize
from murxpy.smtlib.logics import theories

KIND = INCOMPLETENESS
_ATTRIBUTE = "satisfiable-by-construction"
MARK = f"(set-info :{_ATTRIBUTE} true)"
# The mark of a script that was made by a rule from one that the solver decided; its value names the rule.
_IMPLIED = "implied-by-decided"
# The mark of a script that an older release or another solver decides; its value names that release.
_BASELINE = "decided-by-baseline"
# The mark of a script that such a release decides in a small part of the limit that the script now has.
_SOON = "decided-soon-by-baseline"
BASELINE = "baseline"
# In front of a mark: the words that tell findings apart in place of the theories of the script.
_CAUSE = r"(?:\(set-info :unknown-cause \|([^|\\\n]*)\|\)\n)?"
_MARKS = re.compile(
    rf'^{_CAUSE}\(set-info :(?:{_ATTRIBUTE} true|({_IMPLIED}|{_BASELINE}|{_SOON}) "([^"\n]*)")\)\n?',
    re.M,
)
_CHECK = re.compile(r"^\(check-sat(?:-assuming|-using)?(?: .*)?\)$", re.M)
REASON = "reason-unknown"  # the command of a dialect that asks for the reason, behind any answer
QUESTION = f"(get-info :{REASON})"
# in place of unknown: the solver itself ended the check, and no limit did
GAVE_UP = "gave-up"
# an answer, the reason that stands beside it, and the one that is printed behind it
_ANSWER = re.compile(
    r"^(sat|unsat|unknown|timeout)(?: \((\w+)\))?\r?$(?:\s*\(:reason-unknown \"?([^\"\n]*?)\"?\)$)?",
    re.M,
)
# words of a reason that a limit, and not the procedure, ended the check
LIMITS = ("limit", "resource", "cancel", "timeout", "interrupt", "memo")
_LIMIT = re.compile("|".join(LIMITS), re.I)
_COUNT = re.compile("resource", re.I)
_QUANTIFIERS = "QUANT"
_WITHIN = re.compile(r" within (\d{1,18}) units$")
_DECLARED = re.compile(r"\((?:declare|define)-[a-z-]+ (\S+)")
_GAVE_UP = "check-unknown:gave-up"
AT_LIMIT = "check-unknown:limit"  # counts such checks that a limit ended, or that have no reason
# counts those of them that the solver's own count of its work ended, and not the clock
BY_COUNT = "check-unknown:count"
# counts such checks where the solver documents that it may give up
DOCUMENTED = "check-unknown:documented"


def marked(
    text: str,
    asks: bool,
    implied: str = "",
    baseline: str = "",
    *,
    soon: bool = False,
    cause: str = "",
) -> str:
    """The script with the mark, in which each check is followed by a question for the reason if
    `asks` is set. The solver must then take that question behind any answer. `implied` is the rule
    that made the script from one that was decided, and `baseline` the release that decides it; `soon`
    says that it does so in a small part of the limit. A `cause` tells findings apart in place of the
    theories of the script.
    """
    mark = MARK
    if implied or baseline:
        name = _IMPLIED if implied else _SOON if soon else _BASELINE
        mark = f'(set-info :{name} "{implied or baseline}")'
    head = f"(set-info :unknown-cause |{cause}|)\n" if cause else ""
    return f"{head}{mark}\n{with_question(text) if asks else text}"


def with_question(text: str) -> str:
    """The script with a question for the reason behind each check."""
    return _CHECK.sub(rf"\g<0>\n{QUESTION}", text)


def without_question(text: str) -> str:
    """The script without the questions that `with_question` adds."""
    return text.replace(f"\n{QUESTION}", "")


def gave_up(output: str) -> bool | None:
    """Whether the solver gave up a check of a script whose output this is. False means that a limit ended
    each check without an answer, and None that it gives no reason.
    """
    reasons = [reason for answer, reason in _reasons(output) if answer == "unknown"]
    known = [not of_limit(reason) for reason in reasons if reason]
    return any(known) if known else None


def answers_or_gave_up(run: Run, text: str, output: str) -> list[str]:
    """The answers in the output of a script that asks for reasons, with `GAVE_UP` where the solver gave a check
    up. If the solver documents that it may give up on a theory of the script, the answer stays unknown.
    """
    found = _reasons(output)
    if _is_warned_of(run, text):
        return [answer for answer, _ in found]
    return [
        GAVE_UP if answer == "unknown" and reason and not of_limit(reason) else answer
        for answer, reason in found
    ]


def _reasons(output: str) -> list[tuple[str, str]]:
    """The answers in an output, each with the solver's reason, which is empty where it gives none."""
    return [(found[1], (found[3] or found[2] or "").strip()) for found in _ANSWER.finditer(output)]


def of_limit(reason: str) -> bool:
    """Whether a reason says that a limit ended the check."""
    return _LIMIT.search(reason) is not None


def is_marked(text: str) -> bool:
    """Whether a script says that its answer is known by how it was made."""
    return any(f"(set-info :{name} " in text for name in (_ATTRIBUTE, _IMPLIED, _BASELINE, _SOON))


def mark_of(text: str) -> str:
    """The mark of a script; empty where it has none."""
    found = _MARKS.search(text) if is_marked(text) else None
    return found[0] if found else ""


def rule_of(text: str) -> str:
    """The rule of implication that the mark of a script names; empty where it names none."""
    found = _MARKS.search(text)
    return found[3] if found and found[2] == _IMPLIED else ""


def baseline_of(text: str) -> str:
    """The release that decides the script by its mark, with its limit, such as `cvc5 1.4.2 within 37500
    units`; empty where the mark names none.
    """
    found = _MARKS.search(text)
    return found[3] if found and found[2] in (_BASELINE, _SOON) else ""


def limit_of_baseline(text: str) -> int:
    """The limit with which the release in the mark of a script decides it, in the units of its solver; 0
    where the mark says none.
    """
    found = _WITHIN.search(baseline_of(text))
    return int(found[1]) if found else 0


def within(release: str, limit: int) -> str:
    """The name of a release that decides a script with this limit, in the units of its solver."""
    return f"{release} within {limit} units" if limit else release


def unmarked(text: str) -> str:
    """The script as it was before `marked`."""
    return without_question(_MARKS.sub("", text))


def judge_unknowns(
    run: Run, text: str, expected: Sequence[str], output: str, spelling: str
) -> None:
    """Raise Stopped for a check whose expected answer is sat, or known by a rule or a release, and
    that the solver gave up, or did not answer within a limit that is far above what another solver
    needs. Where the solver documents that it may give up on a theory of the script, only an older
    release of its own that decides the check makes a finding of it.
    """
    mark = _MARKS.search(text)
    cause, against, named = mark.groups(default="") if mark else ("", "", "")
    for (answer, reason), wanted in zip(_reasons(output), expected, strict=False):
        if answer != "unknown" or wanted not in (("sat", "unsat") if against else ("sat",)):
            continue
        given_up = bool(reason) and not of_limit(reason)
        based = against in (_BASELINE, _SOON)
        older = based and named.partition(" ")[0] == run.wrapper.name
        warned = not older and _is_warned_of(run, text)
        count = _GAVE_UP if not warned else DOCUMENTED
        run.counts[count if given_up else AT_LIMIT] += 1
        if _COUNT.search(reason):
            run.counts[BY_COUNT] += 1
        late = against == _SOON and not given_up
        if (given_up or late) and not warned:
            because = _because(against, named)
            message = f"answered unknown, expected {wanted} {because}; its reason: {reason}"
            if late:
                message = f"no answer within {_limits(run)}, expected {wanted} {because}"
            # a rule is one bucket for each reason, whatever the theories of its scripts are
            about = named if against == _IMPLIED else cause or _about(text)
            raised = run.finding(
                SLOW if late else KIND, "solver", message, "run-script", about, spelling
            )
            kind = BASELINE if based else PARENT if against == _IMPLIED else ""
            raise Stopped({**raised, "against": kind} if kind else raised)


def _limits(run: Run) -> str:
    """The limits of a check of a script in words."""
    clock = f" and {run.state.wall_ms} ms" if run.state.wall_ms else ""
    return f"{run.state.limit or 0} units of the solver{clock}"


def _is_warned_of(run: Run, text: str) -> bool:
    """Whether a script applies an operator of a theory for which the solver documents that it may give
    up, and does not declare a function of that name itself.
    """
    incomplete = run.wrapper.facts.incomplete
    if not incomplete:
        return False
    operators = run.catalogue.operators.values()
    names = {op.smtlib for op in operators if op.theory in incomplete}
    return not names.isdisjoint(applied(text))


def applied(text: str) -> set[str]:
    """The words of a script without the names that it declares itself, among them all operators that it
    applies.
    """
    return set(tokenize(text, "script")) - set(_DECLARED.findall(text))


def _because(against: str, named: str) -> str:
    """Why the answer is known, by the mark of a script and its value."""
    if against in (_BASELINE, _SOON):
        release, _, limit = named.partition(" within ")
        return f"as {release} answers" + (f" within {limit}" if limit else "")
    return f"by {named} of a script that was decided" if against else "by how the check was made"


def _about(text: str) -> str:
    """The bucket's word for a script: that it has quantifiers, or else its theories."""
    found = theories(text)
    return _QUANTIFIERS if _QUANTIFIERS in found else "+".join(found)
