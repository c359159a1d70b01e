"""A program without helpers: the calls that its helpers made, one behind another.

The program runs once with a recorder, which writes each call of the binding. What is left are the
calls on which the last one depends; whether they show the finding is for the caller to try.
"""

from __future__ import annotations

import ast
import inspect
import json
import re
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from murxpy.machine.solve import ANSWERS
from murxpy.translate.programs import recorder

_CALLED = re.compile(r"(?:.*\.)?(\w+)\(")
_WORDS = re.compile(r"\b[A-Za-z_]\w*\b")
_METHOD = re.compile(r"[A-Za-z_]\w*\.\w+")
_NAMES = re.compile(r"\bv\d+\b")
_TEXT = re.compile(r"str\((v\d+)\)")
_ASKED = re.compile(r"(\w+)\.(\w+)\((.*)\)", re.DOTALL)  # owner, name and arguments of a call
_SIGNS: dict[type[ast.AST], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}
_RECORDER = "_recorder"


@dataclass(slots=True)
class Call:
    """A call that was recorded: the variable of its result, its source, and what came of it. `ended` says
    whether it came back, and `raised` whether it did so by an exception. `same` is the first variable of the
    object that it gave, where that had one before.
    """

    name: str
    code: str
    got: str | None = None
    ended: bool = False
    raised: bool = False
    uses: set[str] = field(default_factory=set)
    same: str = ""


@dataclass(frozen=True, slots=True)
class Goal:
    """What shows a finding: a call, and a check that gave the answer that the call should have given, where
    it gave another one.
    """

    call: Call
    reason: Call | None = None

    @property
    def calls(self) -> list[Call]:
        """Both calls."""
        return [self.call, *([self.reason] if self.reason is not None else [])]


@dataclass(frozen=True, slots=True)
class Site:
    """A program whose calls are those of a helper. `head` are its first rows, `helpers` the statements
    of its helpers, `before` the rows between them and the first call of one, `between` those from there to
    the last call, which is `call`, and `behind` those behind that. In `call`, variables and constants, which
    are `given`, are the arguments; `arguments` are programs that make only the call of an argument in the
    place of that of the helper. `indent` stands before each row of the call: where a child process makes
    the calls, which then dies, and in a `try` whose `except` tells of what the call raises.
    """

    head: str
    helpers: str
    before: Sequence[str]
    between: Sequence[str]
    call: str
    given: Sequence[str]
    behind: Sequence[str]
    indent: str
    arguments: Sequence[str] = ()
    dies: bool = False  # whether the call ends its process

    @property
    def returns(self) -> bool:
        """Whether the call comes back, so that its result shows the finding."""
        return not self.indent


def site_of(source: str) -> Site | None:
    """Where a program calls a helper for the last time; None where it does so in no statement."""
    head, _, rest = source.rstrip("\n").partition("\n\n")
    helpers, between, rows = rest.partition("\ndef calls():\n")
    if not between:
        helpers, between, rows = rest.rpartition("\n\n")
    try:
        defined = {
            one.name
            for one in ast.parse(helpers).body
            if isinstance(one, (ast.FunctionDef, ast.ClassDef))
        }
    except SyntaxError:
        return None
    lines = rows.split("\n")
    calling = [
        at for at, row in enumerate(lines) if any(re.search(rf"\b{one}\(", row) for one in defined)
    ]
    if not calling or any(_parsed_row(row) is None for row in lines[calling[0] : calling[-1]]):
        return None
    first, at = calling[0], calling[-1]
    found = re.match(r"( *)(?:got = )?(.+)$", lines[at])
    said = _parsed(found[2]) if found else None
    if found is None or said is None:
        return None
    call = said if isinstance(said, ast.Call) and _is_plain(said, defined) else None
    dies = "\ndef calls():\n" in source
    start = [head, *(["", "def calls():"] if dies else [""]), *lines[:at]]
    arguments = [
        "\n".join([*start, f"{found[1]}{ast.unparse(one)}", *lines[at + 1 :]]) + "\n"
        for one in (call.args if call is not None else ())
        if isinstance(one, ast.Call)
    ]
    before, made, behind = lines[:first], lines[first:at], lines[at + 1 :]
    if call is None:  # an expression around calls of helpers
        names = {one.id for one in ast.walk(said) if isinstance(one, ast.Name)}
        given = [name for name in _assigned(lines[:at]) if name in names]
        return Site(head, helpers, before, made, found[2], given, behind, found[1], (), dies)
    given = []
    for argument in call.args:
        if isinstance(argument, (ast.Name, ast.Constant)):
            given.append(ast.unparse(argument))
        else:
            given.append(f"given{len(given) + 1}")
            (made or before).append(f"{found[1]}{given[-1]} = {ast.unparse(argument)}")
    calls = f"{ast.unparse(call.func)}({', '.join(given)})"
    return Site(head, helpers, before, made, calls, given, behind, found[1], arguments, dies)


def _parsed_row(row: str) -> ast.stmt | None:
    """A statement of one row; None where the row is something else."""
    try:
        return ast.parse(row.strip()).body[0]
    except (SyntaxError, ValueError, IndexError):
        return None


def _parsed(code: str) -> ast.expr | None:
    """An expression; None where the code is something else."""
    try:
        return ast.parse(code, mode="eval").body
    except (SyntaxError, ValueError):
        return None


def _is_plain(call: ast.Call, helpers: Collection[str]) -> bool:
    """Whether a call is one of a helper, without arguments by name."""
    return isinstance(call.func, ast.Name) and call.func.id in helpers and not call.keywords


class _Recorded(ast.NodeTransformer):
    """Lets a recorder make the calls of a helper."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if isinstance(node.func, ast.Name) and node.func.id == "super":
            return node
        args = [self.visit(one) for one in node.args]
        named = [ast.keyword(one.arg, self.visit(one.value)) for one in node.keywords]
        if isinstance(node.func, ast.Attribute):
            owner, name = self.visit(node.func.value), ast.Constant(node.func.attr)
            return _asked("method", [owner, name, *args], named)
        return _asked("call", [self.visit(node.func), *args], named)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load):
            return node
        return _asked("attribute", [node.value, ast.Constant(node.attr)])

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load) or isinstance(node.slice, ast.Slice):
            return node
        return _asked("item", [node.value, node.slice])

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        sign = _SIGNS.get(type(node.op))
        return _asked("apply", [ast.Constant(sign), node.left, node.right]) if sign else node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        sign = _SIGNS.get(type(node.ops[0])) if len(node.ops) == 1 else None
        if sign is None:
            return node
        return _asked("apply", [ast.Constant(sign), node.left, node.comparators[0]])

    def visit_For(self, node: ast.For) -> ast.AST:
        self.generic_visit(node)
        node.iter = _asked("over", [node.iter])
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        self.generic_visit(node)
        node.iter = _asked("over", [node.iter])
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.body = [self.visit(one) for one in node.body]
        node.returns = None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is not None:
            node.value = self.visit(node.value)
        return node


def _asked(how: str, args: Sequence[ast.expr], keywords: Sequence[ast.keyword] = ()) -> ast.Call:
    name = ast.Attribute(ast.Name(_RECORDER, ast.Load()), how, ast.Load())
    return ast.Call(name, [*args], [*keywords])


def packages(source: str) -> list[str]:
    """The packages that a program imports and that are not of Python."""
    found: dict[str, None] = {}
    for one in ast.walk(ast.parse(source)):
        names = [alias.name for alias in one.names] if isinstance(one, ast.Import) else []
        names += [one.module or ""] if isinstance(one, ast.ImportFrom) else []
        found |= dict.fromkeys(name.partition(".")[0] for name in names)
    return [name for name in found if name not in sys.stdlib_module_names]


def instrumented(source: str, site: Site, instead: Mapping[str, object] | None = None) -> str:
    """The program, with a recorder that makes the calls of its helpers. A call that `instead` names gives
    what stands there in the place of its result.
    """
    before = {
        root: "" if f"from {root} import *" in site.head else f"{root}."
        for root in packages(source)
    }
    helpers = ast.unparse(ast.fix_missing_locations(_Recorded().visit(ast.parse(site.helpers))))
    names = [
        f"{site.indent}{_RECORDER}.named({name!r}, {name})"
        for name in dict.fromkeys([*site.given, *_assigned(site.before)])
        if name.isidentifier() and name not in _assigned(site.between)
    ]
    between = [
        site.indent
        + ast.unparse(ast.fix_missing_locations(_Recorded().visit(ast.parse(row.strip()))))
        for row in site.between
    ]
    call = ast.unparse(ast.fix_missing_locations(_Recorded().visit(ast.parse(site.call))))
    ended = f"{site.indent}{_RECORDER}.ended(got)"
    rows = [*site.before, *names, *between, f"{site.indent}got = {call}", ended, *site.behind]
    parts = [
        inspect.getsource(recorder),
        site.head,
        f"{_RECORDER} = Recorder({before!r}, {dict(instead or {})!r})",
        helpers,
        "\n".join([*(["def calls():"] if site.dies else []), *rows]),
    ]
    return "\n\n".join(parts) + "\n"


def _assigned(rows: Sequence[str]) -> list[str]:
    """The variables that some rows assign."""
    found = (re.match(r"\s*(\w+) = ", row) for row in rows)
    return [one[1] for one in found if one]


def calls_of(output: str) -> list[Call]:
    """The calls that an instrumented program wrote. The call of a method that was kept under a name is the
    call of the method itself: only that says whose state it changes.
    """
    calls: dict[str, Call] = {}
    same: dict[str, str] = {}
    for line in output.split("\n"):
        _, mark, text = line.partition(recorder.MARK)
        if not mark:
            continue
        try:
            name, what, said = json.loads(text)
        except ValueError:
            continue
        if what == "code":
            kept = (
                _METHOD.fullmatch(calls[head].code)
                if (head := said.partition("(")[0]) in calls
                else None
            )
            said = f"{kept[0]}{said[len(head) :]}" if kept and "(" in said else said
            calls[name] = Call(name, said, uses={*_WORDS.findall(said)})
        elif name in calls:
            calls[name].ended, calls[name].raised = True, what == "raised"
            if what == "same":
                calls[name].same = same[name] = same.get(said, said)
            elif what == "got":
                calls[name].got = said
    return list(calls.values())


def ended_with(output: str) -> str | None:
    """What the helpers of an instrumented program gave in the end; None where they did not come back."""
    found = re.findall(rf'^{recorder.MARK}\["", "ended", (".*")\]$', output, re.M)
    return str(json.loads(found[-1])) if found else None


def goals_of(calls: Sequence[Call], site: Site, message: str) -> list[Goal]:
    """The calls of which one shows the finding: the one that did not come back, or raised, or those that
    give what `message` says and that it names, the last one first: what else gives the same may be a question
    of the helper on the way. Where another answer of a check is expected, it is one that another check gave to
    the same question.
    """
    if not site.returns:
        shown = calls and (not calls[-1].ended if site.dies else calls[-1].raised)
        return [Goal(calls[-1])] if shown else []
    told = _told(message)
    if told is None:
        return []
    words, got, wanted = told
    given = [one for one in reversed(calls) if one.got is not None and _is(one.got, got)]
    if wanted in ANSWERS:  # another answer is right where another check gave it
        reasons = [one for one in reversed(calls) if one.got == wanted]
        goal = Goal(given[0], reasons[0]) if given and reasons else None
        return [goal] if goal is not None and _asks_the_same(calls, goal, site) else []
    words = [*words, *(["len"] if "number" in words else [])]
    named = [one for one in given if (name := _CALLED.match(one.code)) and name[1] in words]
    return [Goal(one) for one in (named[:1] if literal_of(message) is None else named)]


def _asks_the_same(calls: Sequence[Call], goal: Goal, site: Site) -> bool:
    """Whether both checks of a goal are asked about the same terms: those that calls of one name give to both
    solvers, and those of the checks themselves.
    """
    known = {call.name: call for call in calls}
    variables = {*known, *site.given, *_assigned(site.before)}
    asked = []
    for call in goal.calls:
        text = _TEXT.fullmatch(call.code)
        asked.append(known[text[1]] if text and text[1] in known else call)
    until = [calls.index(call) + 1 for call in asked]
    given: list[dict[str, set[str]]] = []
    for check, end in zip(asked, until, strict=True):
        found: dict[str, set[str]] = {}
        for call in calls[:end]:
            method = _ASKED.fullmatch(call.code)
            if (
                method
                and method[1] == _owner(check)
                and variables.intersection(_WORDS.findall(method[3]))
            ):
                found.setdefault("" if call is check else method[2], set()).add(method[3])
        given.append(found)
    shared = {*given[0]} & {*given[1]} | {""}
    one, two = (set[str]().union(*(found.get(name, ()) for name in shared)) for found in given)
    return bool(one) and one == two


def _is(got: str, told: str) -> bool:
    """Whether a result is what is told, or a tuple that begins with it."""
    return got == told or (told in ANSWERS and got.startswith(f"({told}, "))


def literal_of(message: str) -> tuple[object] | None:
    """What was expected by a message, as a value of Python; None where it is none."""
    told = _told(message)
    try:
        return (ast.literal_eval(told[2]),) if told is not None else None
    except (SyntaxError, ValueError):
        return None


def _told(message: str) -> tuple[list[str], str, str] | None:
    """The words that name the call, its result and what was expected in a message such as `is_bool gives
    True instead of False`, without the answer after which the call was made.
    """
    said, instead, wanted = message.partition(" instead of ")
    before, gives, got = re.sub(r" answers (?=\w+$)", " gives ", said).partition(" gives ")
    words = re.findall(r"\w+", before)
    if words[-2:-1] == ["after"] and words[-1] in ANSWERS:
        words = words[:-2]
    return (words, got, wanted) if instead and gives and words else None


def needed(calls: Sequence[Call], goal: Goal, site: Site) -> list[Call]:
    """The calls up to those of the goal on whose results it depends, and those that may change one of
    these results, or what the helper was given. Where a result shows the finding, such a call may also
    have what it changes as an argument.
    """
    variables = {*site.given, *_assigned(site.before), *(call.name for call in calls)}
    same = {call.name: call.same for call in calls if call.same}
    names = {call.name for call in goal.calls}
    until = max(calls.index(call) for call in goal.calls) + 1
    changing = _changing(calls[:until]) if site.returns else set()
    while True:
        found = set(names)
        objects = {same.get(name, name) for name in names}
        for call in calls[:until]:
            owner = re.match(r"\w+(?=\.)", call.code)
            asked = (
                owner is not None and same.get(owner[0], owner[0]) in objects and "(" in call.code
            )
            given = {same.get(name, name) for name in call.uses}
            if call.name in names or asked or (call.name in changing and given & objects):
                found |= {call.name, *(call.uses & variables)}
        if found == names:
            return [call for call in calls[:until] if call.name in names]
        names = found


def shortened(
    calls: Sequence[Call], goal: Goal, site: Site, shows: Callable[[list[Call]], bool]
) -> list[Call]:
    """The calls without those whose result none of the others uses and which `shows` does not need, the
    last ones first, and of each call without arguments by name where it needs none of them. Where
    the process does not die, checks stay, with what was done to their solvers before: what is asked behind
    them may not be allowed of another answer. Where a result shows the finding, all stays that may change
    something, since the result that is expected rests on that; so do arguments that are literals.
    """
    needed = {call.name for call in goal.calls}
    needed |= set() if site.dies else _checked(calls, goal)
    needed |= _changing(calls) if site.returns else set()
    kept = _fewer(calls, needed, shows)
    for at in range(len(kept) - 1, -1, -1):
        plain = [*kept[:at], _unnamed(kept[at], literals=not site.returns), *kept[at + 1 :]]
        if plain[at].code != kept[at].code and shows(plain):
            kept = plain
    for twins in _twins(kept, goal):  # both questions stay the same
        fewer = [one for one in kept if one not in twins]
        if shows(fewer):
            kept = fewer
    return _fewer(kept, needed, shows)


def _twins(calls: Sequence[Call], goal: Goal) -> list[list[Call]]:
    """The same call of both solvers whose answers are compared, where its result is nothing, the last
    one first; only where each solver has it once.
    """
    owners = [_owner(one) for one in goal.calls]
    found: dict[str, list[Call]] = {}
    for call in calls:
        if call.got == "None" and _owner(call) in owners:
            found.setdefault(call.code.partition(".")[2], []).append(call)
    pairs = [twins for twins in found.values() if len(twins) == len(owners) == 2]
    return [two for two in reversed(pairs) if len({_owner(one) for one in two}) == 2]


def _owner(call: Call) -> str:
    return call.code.partition(".")[0]


def _fewer(
    calls: Sequence[Call], needed: Collection[str], shows: Callable[[list[Call]], bool]
) -> list[Call]:
    kept = list(calls)
    for call in reversed(kept):
        fewer = [one for one in kept if one is not call]
        used = call.name in needed or any(call.name in one.uses for one in kept)
        if not used and shows(fewer):
            kept = fewer
    return kept


def _checked(calls: Sequence[Call], goal: Goal) -> set[str]:
    """The results of checks, and of what gave nothing before them and is a call of the same solver. Two
    calls whose answers are compared are such checks, too.
    """
    found, asked = set(), set[str]()
    for call in reversed(calls):
        owner = _owner(call)
        if call.got in ANSWERS or (goal.reason is not None and call in goal.calls):
            asked.add(owner)
        if owner in asked and call.got in (*ANSWERS, "None"):
            found.add(call.name)
    return found


def _changing(calls: Sequence[Call]) -> set[str]:
    """The results of the methods that may be called for what they change: no other call uses what they give, and
    that is nothing, or they have variables as arguments.
    """
    used = set[str]().union(*(call.uses for call in calls))
    known = {call.name for call in calls}
    return {
        call.name
        for call in calls
        if call.name not in used
        and (owner := re.match(r"(\w+)\.\w+\(", call.code))
        and (call.got == "None" or call.uses & known - {owner[1]})
        and call.got not in ("True", "False")
    }


def _unnamed(call: Call, literals: bool) -> Call:
    """A call without its arguments by name; only with `literals` also without those that are no variables."""
    tree = ast.parse(call.code, mode="eval")
    named = [one for one in ast.walk(tree) if isinstance(one, ast.Call) and one.keywords]
    if not named:
        return call
    for one in named:
        one.keywords = [
            word for word in one.keywords if not literals and not isinstance(word.value, ast.Name)
        ]
    code = ast.unparse(tree)
    return replace(call, code=code, uses=call.uses & {*_WORDS.findall(code)})


def _plain(code: str) -> str:
    """A statement without parentheses around all of it."""
    return ast.unparse(ast.parse(code)) if code.startswith("(") else code


def written(site: Site, calls: Sequence[Call], goal: Goal, message: str) -> str:
    """The program of some calls, which has those of the goal."""
    codes: dict[str, str] = {}
    rows = []
    for at, call in enumerate(calls):
        code = _NAMES.sub(lambda found: codes.get(found[0], found[0]), call.code)
        users = [one for one in calls[at + 1 :] if call.name in one.uses]
        once = len(users) == 1 and len(re.findall(rf"\b{call.name}\b", users[0].code)) == 1
        if call.name == goal.call.name:
            rows.append(f"got = {_plain(code)}" if site.returns else _plain(code))
            codes[call.name] = "got"
        elif goal.reason is not None and call.name == goal.reason.name:
            rows.append(f"right = {_plain(code)}")
            codes[call.name] = "right"
        elif once and (calls[at + 1] is users[0] or "(" not in call.code):
            codes[call.name] = code
        else:
            if users:
                codes[call.name] = name = f"v{len(rows) + 1}"
                code = f"{name} = {_plain(code)}"
            rows.append(_plain(code))
    behind = list(site.behind)
    told = _told(message)
    if site.returns and told is not None and goal.reason is not None:
        first = "got" if goal.call.got == told[1] else "got[0]"
        behind = [
            f"print('expected', right, 'as the other check answers, got', {first})",
            f"sys.exit(1 if [str({first}), str(right)] == [{told[1]!r}, {told[2]!r}] else 0)",
        ]
    elif site.returns and told is not None:
        behind = [
            f"print({f'expected {told[2]}, got'!r}, got)",
            f"sys.exit(1 if str(got) == {told[1]!r} else 0)",
        ]
    given = [name for name in site.given if not re.search(rf"\b{name}\b", "\n".join(rows))]
    before = [row for row in site.before if row.strip().partition(" = ")[0] not in given]
    lines = [*before, *(f"{site.indent}{row}" for row in rows), *behind]
    used = "\n".join(lines)
    missing = []
    for root in packages(site.head + "\n" + site.helpers):
        if f"{root}." in used and not re.search(rf"^import .*\b{root}\b", site.head, re.M):
            missing.append(f"import {root}")
        below = re.findall(rf"\b{root}(?:\.[a-z_]\w*)+(?=\.\w)", used)  # modules in the package
        missing += [f"import {one}" for one in dict.fromkeys(below)]
    begin = ["", "def calls():"] if site.dies else [""]
    return "\n".join([site.head, *missing, *begin, *lines]) + "\n"
