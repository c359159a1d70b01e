"""Dependences: what an answer depends on besides the assertions. Each limit, option and earlier
call is omitted in turn, and the solver is asked again.

None of these omissions changes the question of the last check. So a solver that then gives the
opposite answer contradicts itself.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace

from murxpy.campaign.replays.inquiries import Ask
from murxpy.checks.registry import named
from murxpy.machine.script import own_options
from murxpy.machine.solve import SPECIAL_OPTIONS
from murxpy.machine.tokens import Quoted, print_token
from murxpy.oracles.crash import Outcome
from murxpy.oracles.disagreement import OPPOSITE, last_answer
from murxpy.passes.measure import text
from murxpy.replaying.defuse import MAKERS, Script, closed, collected
from murxpy.replaying.judging import CHECKS
from murxpy.trace.grammar import OPTIONS, Line, parse_trace

_ASSERTING = (*named(lambda action: action.state), "expect", "plant")
_MORE = (10, 100)  # multiples of the limit, to try where the solver does not return without a limit
_MOST = 40  # omissions that are tried
_EARLIER = re.compile(r"^\(check-sat.*\)\n(?=(?:.*\n)*\(check-sat)", re.M)


@dataclass(frozen=True, slots=True)
class Omission:
    """A script from which one thing was omitted: `sort` says in a word or two what it is, `words`
    names it.
    """

    sort: str
    words: str
    script: Script


@dataclass(frozen=True, slots=True)
class Dependence:
    """One thing that the answer depends on. Without it, the check answers `answer`, which is empty
    where the check does not return or is not reached.
    """

    sort: str
    words: str
    answer: str

    def line(self) -> str:
        """The dependence in words."""
        return f"{self.words} (without: {self.answer or 'no answer'})"


def omissions(script: Script) -> Iterator[Omission]:
    """The script without each of the things that do not change what is asserted at its last line,
    which is a check.
    """
    for at, line in enumerate(script[:-1]):
        sort = _sort(line)
        if sort:
            yield Omission(sort, _words(sort, line), _without(script, [at]))
    earlier = [at for at, line in enumerate(script[:-1]) if line.action in CHECKS]
    if len(earlier) > 1:
        yield Omission(
            "earlier checks", f"the {len(earlier)} checks before it", _without(script, earlier)
        )
    scopes = _finished(script)
    if scopes:
        yield Omission(
            "earlier scopes", "the scopes that are popped before it", _without(script, scopes)
        )
    yield from _of_text(script)


def _sort(line: Line) -> str:
    """The sort of thing that a line is; empty where the line cannot be omitted."""
    if line.action in MAKERS or line.action in _ASSERTING:
        return ""
    if line.action in OPTIONS:
        return "" if str(line.args[0]) in SPECIAL_OPTIONS else "option"
    return {"set-limit": "limit", "set-logic": "logic"}.get(
        line.action, "earlier check" if line.action in CHECKS else "earlier call"
    )


def _words(sort: str, line: Line) -> str:
    args = " ".join(print_token(arg) for arg in line.args)
    if sort == "option":
        return f"option {args.replace(' ', '=', 1)}"
    if sort in ("limit", "logic"):
        return f"{sort} {args}"
    answer = next(
        (str(tokens[0]) for name, tokens in line.results if name == "answer" and tokens), ""
    )
    return f"the {sort} {line.action}{f', answered {answer}' if answer else ''}"


def _without(script: Script, places: list[int]) -> Script:
    gone = set(places)
    return tuple(collected(closed([line for at, line in enumerate(script) if at not in gone])))


def _finished(script: Script) -> list[int]:
    """The lines of scopes that are popped again before the last line, with the assertions and
    checks in them.
    """
    gone: list[int] = []
    opened: list[int] = []
    for at, line in enumerate(script[:-1]):
        levels = int(str(line.args[0])) if line.action in ("push", "pop") and line.args else 0
        if line.action == "push" and levels == 1:
            opened.append(at)
        elif line.action == "pop" and levels == 1 and opened:
            begin = opened.pop()
            if not opened:
                gone += [k for k in range(begin, at + 1) if script[k].action not in MAKERS]
        elif line.action in ("push", "pop", "reset", "reset-assertions"):
            return []
    return gone


def _of_text(script: Script) -> Iterator[Omission]:
    """The omissions from the whole script that the last line runs: its options, its logic, and its
    earlier checks.
    """
    last = script[-1]
    source = last.args[0] if last.action == "run-script" and last.args else None
    if not isinstance(source, Quoted):
        return
    variants = [
        (
            "option",
            f"option {name}={value}",
            re.sub(rf"^\(set-option :{re.escape(name)} .*\)\n", "", source.text, flags=re.M),
        )
        for name, value in own_options(source.text)
    ]
    for logic in re.findall(r"^\(set-logic (\S+)\)\n", source.text, re.M):
        if logic != "ALL":
            variants.append(
                (
                    "logic",
                    f"logic {logic}",
                    source.text.replace(f"(set-logic {logic})", "(set-logic ALL)", 1),
                )
            )
    variants.append(
        ("earlier checks", "the checks before it in the script", _EARLIER.sub("", source.text))
    )
    for sort, words, changed in variants:
        if changed != source.text:
            yield Omission(sort, words, (*script[:-1], replace(last, args=[Quoted(changed)])))


def dependences(target: int, trace: str, header: str) -> Generator[Ask, Outcome, list[Dependence]]:
    """The things that the answer of the last check of `trace` depends on, when plan number `target`
    is asked. Each question gets the header `header`.
    """
    script = tuple(parse_trace(trace, "trace").lines)
    ours = last_answer(trace)[1]
    found: list[Dependence] = []
    for omission in list(omissions(script))[:_MOST]:
        answer = yield from _answer(target, header, omission.script)
        if not answer and omission.sort == "limit":
            answer = yield from _with_more(target, header, script, ours)
        if answer != ours:
            found.append(Dependence(omission.sort, omission.words, answer))
    return found


def _answer(target: int, header: str, script: Script) -> Generator[Ask, Outcome, str]:
    outcome = yield Ask(target, header + text(script))
    return last_answer(outcome.trace)[1]


def _with_more(target: int, header: str, script: Script, ours: str) -> Generator[Ask, Outcome, str]:
    """The opposite of `ours` where a larger limit leads to it, else `ours`. A check that does not
    return without a limit says nothing.
    """
    for times in _MORE:
        more = tuple(
            replace(line, args=[int(str(line.args[0])) * times])
            if line.action == "set-limit"
            else line
            for line in script
        )
        answer = yield from _answer(target, header, more)
        if answer in OPPOSITE and answer != ours:
            return answer
    return ours
