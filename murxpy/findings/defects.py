"""The defects that buckets show: marks that the buckets of one defect share, and the groups that they
make. The causes of what contract mode finds are among the marks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from packaging.version import InvalidVersion, Version

from murxpy.data import load_wrapper, wrapper_names
from murxpy.errors import InputError
from murxpy.findings.buckets import Bucket, is_unsound
from murxpy.findings.folder import texts_below
from murxpy.findings.frames import FRAMES, HEAP, RECURSION, place, releases
from murxpy.findings.kinds.answers import (
    InvalidAssumptions,
    InvalidCore,
    InvalidValue,
    RepeatedModel,
)
from murxpy.findings.kinds.calls import MISFITS, SOLVING, misfit_of, misuse_message
from murxpy.findings.kinds.deaths import breaks_heap
from murxpy.findings.kinds.kind import BY_NAME
from murxpy.findings.kinds.registry import kind_of
from murxpy.findings.ranges import kept_range
from murxpy.findings.shapes import Shape, shape_of, shipped
from murxpy.findings.store import read_buckets
from murxpy.machine.checks.registry import ACTIONS, ANSWERING, MAKING
from murxpy.machine.contract.broken import WITH
from murxpy.machine.contract.rules import RULES
from murxpy.machine.outcomes import CONTRACT, CRASH, WRONG_UNSAT
from murxpy.machine.trace.finished import (
    HEADER,
    OWN_CONTEXT,
    Row,
    header_value,
    read_needs,
    read_rows,
)
from murxpy.machine.trace.grammar import parse_trace
from murxpy.oracles.crash import ABORT, normalise
from murxpy.oracles.documented import TIER as DOCUMENTED
from murxpy.semantics.registry import MEANINGS
from murxpy.solvers.exceptions import ILL_FORMED, INVALID_MODEL

# ----------------------------------------------------------------------
# Marks: what a bucket shows of its defect. Buckets with a mark in common show one defect.


Read = Callable[[str], str | None]  # the text of a file under the campaign's folder

# Actions that solve something or make a term: nothing that they broke shows in a later call alone.
_COMPLETE = (
    *(*ANSWERING, *MAKING, "run-script"),
    *(name for name, action in ACTIONS.items() if action.checks),
)
MARKED = ("confirmed", "known")  # states of buckets that have marks
_TELLING_WORDS = 3  # words of a message at least that tell which defect threw it

# The binding and the readers of scripts put these words before what the solver says.
_ERROR_PREFIX = re.compile(r"\b(?:script|check|parse|parser) error: ")
_MEMBER = re.compile(r"\b[A-Z][a-z]{1,20}\.[A-Z][A-Z0-9_]{1,60}\b")  # of an enumeration: Kind.AND
_SORT = re.compile(
    r"\b(?:Int|Real|Bool|String|RegLan|RoundingMode|Float\d+|BitVec|FloatingPoint|Array|Set|Bag|Seq)\b"
)
# Options that only let a solver do or keep more, by the words in their names.
_ENABLING = re.compile(
    r"(?:^|[._-])(?:produce|incremental|exp|experimental|models?|proofs?|unsat|logic|print"
    r"|check|dump|stats|statistics|timeout|limit|rlimit|seed|mode|auto)(?:[._ -]|$)|-ext(?: |$)"
)
_OPERATOR = re.compile(r"OP_\w+")
_QUANTIFIER = re.compile(r"\bOP_(?:FORALL|EXISTS)\b")
_INNERMOST = re.compile(
    r"\((OP_\w{1,60}+)(?: [^()\s]{1,60}+){0,9}+\)"
)  # a term without terms in it
_DECLARED = re.compile(r"\((?:declare-fun|declare-const) (\S+)")
_NAME = re.compile(r"(?<![\w.])_[A-Za-z]\w*(?:!\d+)?|\b[A-Za-z]+!\d+")


def telling_option(name: str) -> bool:
    """Whether an option does more than to let the solver do or keep more."""
    return not _ENABLING.search(name)


def abstract(message: str) -> str:
    """The message of an exception without what tells only of the run: the printed terms, numbers,
    names and sorts in it, and which reader passed it on.
    """
    text = _MEMBER.sub("MEMBER", _ERROR_PREFIX.sub("", message.strip()[:2000]))
    text = _SORT.sub("SORT", _NAME.sub("NAME", _without_terms(text)))
    return normalise(text)


def _without_terms(text: str) -> str:
    """The text with one word in the place of each group in parentheses. A group whose end was cut
    off goes to the end of the text. The name that a group declares stays: it tells what was applied.
    """
    kept: list[str] = []
    depth = 0
    for at, char in enumerate(text):
        if char == "(":
            if not depth:
                declared = _DECLARED.match(text, at)
                kept.append(declared[1] if declared else "TERM")
            depth += 1
        elif char == ")" and depth:
            depth -= 1
        elif not depth:
            kept.append(char)
    return "".join(kept)


@dataclass(frozen=True, slots=True)
class Marks:
    """The marks of a bucket, which show its defect. Buckets with one of `own` in common show one
    defect.

    `alone` is the one telling operator of the smaller trace, applied to plain arguments, or two of which
    one stands in the other: they are enough for the defect. `within` are all telling operators of the
    smaller trace, and all such pairs.
    """

    own: tuple[str, ...] = ()
    alone: str = ""
    within: tuple[str, ...] = ()


def marks(bucket: Bucket, read: Read) -> Marks:
    """The marks of a bucket. `read` gives the text of a file that the bucket names.

    The place at which a process died marks its defect, and so does the message of an exception.
    Everything else is marked by the shape of the smaller trace; but what needs earlier checks of that
    trace is marked by the last of these.
    """
    shared = cause(bucket, read)
    if shared:
        deep = _in_depth(bucket) if shared.startswith(_OPERAND) else []
        return Marks((f"{bucket.solver}{CAUSE}{shared}", *deep))
    if bucket.kind == CONTRACT and place_of(bucket):  # which rule leads there is chance
        return Marks((_of_thrown(bucket),))
    mark = kind_of(bucket.kind).mark
    if mark in ("place", "message"):
        own = _of_death(bucket, read) if mark == "place" else _of_message(bucket, read)
        checked = _of_own_check(bucket, read)
        return replace(checked, own=(*own, *_of_option(bucket, read), *checked.own))
    if not mark:
        return Marks()
    shape = smallest_shape(bucket, read)
    if shape is None:
        return Marks()
    if mark == "given up":
        return Marks((_of_given_up(bucket, shape),))
    if reads_again(bucket, read):  # in which way, and what is asserted, is chance
        return Marks(
            (f"{bucket.solver} gives a wrong core when it is read again {_options(shape)}",)
        )
    earlier = _earlier_check(bucket, read)
    if earlier:  # whatever was asserted when what they left behind shows, is chance
        wrong = ["answers sat"] if is_unsound(bucket) else []
        return Marks(
            tuple(
                f"{bucket.solver} {what} after {earlier} {_options(shape)}"
                for what in (*wrong, bucket.kind)
            )
        )
    opened = _of_open_point(bucket, shape)
    if bucket.kind == RepeatedModel.name:  # the model makes the claim false by which it was blocked
        bucket = replace(bucket, kind=INVALID_MODEL)
    found = _of_shape(bucket, shape)
    # what makes an answer unsat wrong makes its core wrong, too, and a wrong model lets it answer sat
    made_by = WRONG_UNSAT if bucket.kind in _CORES else INVALID_MODEL if is_unsound(bucket) else ""
    if made_by:
        beside = _of_shape(replace(bucket, kind=made_by), shape)
        found = replace(found, within=(*found.within, *beside.within))
    # Which check noticed a wrong answer sat, and after which calls, is chance.
    unsound = [f"{bucket.solver} answers sat to {_words(shape)}"] if is_unsound(bucket) else []
    return replace(found, own=(*found.own, *opened, *unsound))


def _of_open_point(bucket: Bucket, shape: Shape) -> tuple[str, ...]:
    """Of a value that is not that of the model: the one operator of the smaller trace of which the
    standard leaves a value open, such as a division by zero. The solver chooses this value again, and
    which term around it shows that is chance, and whether a check of the model or of a value sees it. So is it of
    a wrong model with the elements of a universe.
    """
    formulas = " ".join(shape.formulas)
    universal = [one for one in _UNIVERSAL if one in formulas]
    valued = bucket.kind == InvalidValue.name or (
        bucket.kind == INVALID_MODEL and _PARTING in bucket.message
    )
    of_universe = bucket.kind == INVALID_MODEL and bool(universal)
    if bucket.kind != RepeatedModel.name and not valued and not of_universe:
        return ()
    named = dict.fromkeys(_OPERATOR.findall(formulas))
    opened = [name for name in named if name in MEANINGS and MEANINGS[name].open]
    opened = [] if of_universe else opened
    if universal and (not opened or _UNIVERSAL[0] in universal):
        opened.append(_UNIVERSE)
    if bucket.kind == RepeatedModel.name:  # a remainder is defined by a division
        opened = list(dict.fromkeys(_DIVISION.sub("OP_INT_DIV", name) for name in opened))
    if len(opened) != 1:
        return ()
    telling = _OPERATOR.findall(" ".join(shape.telling))
    if bucket.kind == INVALID_MODEL and not of_universe and {*telling} != {*opened}:
        return ()  # another operator may be wrong
    wrong = InvalidValue.name if valued else bucket.kind
    return (f"{bucket.solver} {wrong} with the open value of {opened[0]}",)


@lru_cache(maxsize=1024)
def _same_to(solver: str, operator: str) -> str:
    """One name for operators that are the same to a solver: those that its scripts write alike, as a set
    may be an array, that it rewrites into one, and those of integers and of reals, which one theory
    solver decides.
    """
    catalogue = shipped()
    operator = (_wrapper(solver).get("rewritten") or {}).get(operator, operator)
    dialect = catalogue.dialect(solver)
    written = re.match(r"\((\w+) ", dialect.operators.get(operator, ""))
    if written:
        operator = next(
            (kind for kind, one in catalogue.operators.items() if one.smtlib == written[1]),
            operator,
        )
    elif operator == "OP_SET_COMPREHENSION" and dialect.sets_are_arrays:
        operator = "OP_ARRAY_LAMBDA"
    operator = re.sub(r"^OP_(?:INT|REAL)_", "OP_NUMBER_", operator)
    return re.sub(r"^OP_NUMBER_MOD(?=_TOTAL$)", "OP_NUMBER_DIV", operator)  # by which it is defined


def _nested(solver: str, telling: Sequence[str]) -> dict[str, None]:
    """The pairs of telling operators of which one stands directly in the other, as one word each."""
    found: dict[str, None] = {}
    for term in telling:
        above: list[str] = []
        for token in re.findall(r"\([^\s()]+|\)|[^\s()]+", term):
            if token == ")":
                above.pop()
            elif token.startswith("("):
                above.append(_same_to(solver, token[1:]))
                if len(above) > 1:
                    found[f"{above[-2]}/{above[-1]}"] = None
    return found


def _earlier_check(bucket: Bucket, read: Read) -> str:
    """The check before the last one of the smaller trace, with its answer; empty unless the trace says
    that the defect needs what earlier checks leave behind.
    """
    text = _smaller(bucket, read) or ""
    if all(need.kind != "earlier" for need in read_needs(header_value(text, HEADER))):
        return ""
    asked = [row for row in read_rows(text) if row.action in ANSWERING]
    return " ".join([asked[-2].action, *asked[-2].answers]) if len(asked) > 1 else ""


_CORES = (InvalidCore.name, InvalidAssumptions.name)
_DIVISION = re.compile(r"^OP_INT_(?:DIV|MOD)\b")
_UNIVERSE = "set.universe"  # all elements of a sort: which these are, a model says
_UNIVERSAL = (f"['{_UNIVERSE}']", "(OP_SET_COMPLEMENT ")  # a complement is that in the universe
_PARTING = "the solver's value of OP_"  # what the solver evaluates otherwise than it should
_READING = ("check-core", "check-assumptions")


def reads_again(bucket: Bucket, read: Read) -> bool:
    """Whether a wrong core needs that a core was read before."""
    if bucket.kind not in _CORES:
        return False
    needs = read_needs(header_value(_smaller(bucket, read) or "", HEADER))
    return any(need.kind in ("call", "again") and need.name in _READING for need in needs)


def _of_thrown(bucket: Bucket) -> str:
    """The exception that a misuse lets out, with the function that throws it."""
    message = abstract(misuse_message(bucket.message))
    return f"{bucket.solver} throws {message} in {place_of(bucket)}"


# ----------------------------------------------------------------------
# The causes of what contract mode finds. A conversion that all callables of a binding share, or a
# check that all of them lack, makes a finding of each callable; the defect is one.


CAUSE = " misused: "  # between the solver and the cause, in a mark
IN_DEPTH = " dies by a misuse in "  # between the solver and the innermost functions, in a mark
_OPERAND = "an operand of "  # begins the cause that a call does not check an operand of its own
LOW = "an operand of the wrong class ends in an AttributeError or a bare assertion"
NONE = "None is not refused cleanly"
POOR = "a text, a number or a size is refused by an exception that says nothing of it"
MIXED = "objects of two contexts in one call"
ONE_SIDED = "an operator takes a Python value on one side only"
# What lists tell last, the worst first: users have to keep contexts apart, and a refusal does no harm.
TRIFLES = (MIXED, ONE_SIDED, POOR, NONE, LOW)
MISFIT = "a definition that does not fit its declaration ends the process"
_SILENT = re.compile(r"another|\btakes? |\bis taken|reads back|works, |not the value")
_LACKS = re.compile(
    r"AttributeError: (?:type object )?'(?:\w{1,60}\.){0,5}(\w+)'(?: object)? has no attribute '\w+' in ([\w.<>]+) \("
)
NUMBER = "a number is silently taken for another"
# A size that is another one, as where a number is passed on in 32 bits.
_SIZE_LOST = re.compile(
    r"another sort than was asked for; a parameter of \w{1,60} gives (\d{1,60}) instead of (-?\d{1,60})$"
)
_INDEX_LOST = re.compile(
    r"OP_\w{1,60} takes an index that it cannot have; [^;]{0,100}\bindex \w{0,20} ?is (-?\d{1,60})\b"
)
# By what the message of a broken promise begins with, the cause in words.
_CAUSES = (
    (re.compile(r"^\w{1,60}: 'NoneType' object "), NONE),
    (re.compile(r"AssertionError in "), LOW),
    (re.compile(r"a number is taken for another"), NUMBER),
    (
        re.compile(
            r"a float is taken for another|the literal of \w{1,60} made from a number is another"
        ),
        "a float is silently cut to a whole number",
    ),
    (
        re.compile(r"a text with a NUL is taken|the \w{1,20} is another; '[^']{0,200}\\x00"),
        "a text is silently cut at its first NUL",
    ),
    (re.compile(r"takes an? \w{1,60} of another context"), MIXED),
    (
        re.compile(r"OP_\w{1,60} takes an index that it cannot have"),
        "an index out of range is taken",
    ),
    (
        re.compile(r"^\w{1,60} of an? \w{1,60} and an? \w{1,60}: a . n works"),
        ONE_SIDED,
    ),
    (
        re.compile(r"iterating over an? \w{1,60} does not end"),
        "iterating over an object does not end",
    ),
    (
        re.compile(r"an? \w{1,60} cannot be compared with None"),
        "an object cannot be compared with None",
    ),
    (re.compile(r"gives bytes, and no text"), "a text is given as bytes"),
    (
        re.compile(r"gives an object of another context than its operands"),
        "what is made of objects of one context belongs to another one",
    ),
    (
        re.compile(
            r"a definition that does not fit its declaration is taken"
            r"|^\w{1,60} takes a definition that does not fit its declaration"
        ),
        "a definition that does not fit its declaration is taken",
    ),
)
_SHALLOW = ("copy", "outlive")  # the rules that make a shallow copy
_LIFETIMES = "ABH"  # the classes of rules that are about lifetimes, copies and threads
_COPY = "copy.copy"  # the public callable that makes one
_AT_EDGES = ("edge", "keyword")  # rules that break an operand of a public callable
_LARGE = 1 << 31  # a number from which on no C int holds it


def cause(bucket: Bucket, read: Read) -> str:
    """The cause of a finding of contract mode that many callables share, in words; empty where none
    is known.
    """
    if kind_of(bucket.kind).dies:
        return _cause_of_death(bucket, read)
    if bucket.kind != CONTRACT:
        return ""
    message = misuse_message(bucket.message)
    lacks = _LACKS.match(message)
    if lacks and lacks[1] not in (lacks[2].partition(".")[0], "NoneType"):
        return LOW
    found = next((words for pattern, words in _CAUSES if pattern.match(message)), "")
    lost = _SIZE_LOST.match(message)
    index = _INDEX_LOST.match(message)
    if (lost and (int(lost[2]) - int(lost[1])) % (1 << 32) == 0) or (
        index and not -(1 << 31) <= int(index[1]) < 1 << 32
    ):
        found = NUMBER
    rows = _told_rows(bucket, read) if found == NONE else []
    if rows and "py:none" not in rows[-1].words.split():  # the binding came to None by itself
        return LOW
    return found or (POOR if _is_poor(bucket, message) else "")


# Classes of exceptions that say nothing of the operand, and a message that is only the name of a function
# of another library.
_GENERIC = re.compile(
    r"(?:Runtime|Value|Type|Overflow|ZeroDivision|Key|Index|Memory|Recursion|Argument|Unicode\w{0,20})Error\b"
    r"|Exception\b"
)
_OF_LIBRARY = re.compile(r"\w{1,60}: [a-z][a-z0-9]*(?:_[a-z0-9]+)+ in ")


def _is_poor(bucket: Bucket, message: str) -> bool:
    """Whether the binding refuses an operand at an edge, but by an exception of a class for everything."""
    rule = RULES.get(bucket.spelling)
    edge = rule is not None and (rule.slots or rule.name in _AT_EDGES)
    thrown = bool(place_of(bucket)) and _GENERIC.match(message) is not None
    return thrown and (bool(edge) or _OF_LIBRARY.match(message) is not None)


def _cause_of_death(bucket: Bucket, read: Read) -> str:
    """The operand without which the last call of the smaller trace would be an ordinary one, or the copy
    that it makes or uses; or an operator before it whose result nobody uses, and which is needed. Of a
    trace that was not made smaller, only what its last call has tells anything.
    """
    rows = _told_rows(bucket, read)
    if not rows:
        return ""
    misfit = _misfit(rows[-1])
    if misfit:
        return f"{MISFIT}: {misfit}"
    small = _smaller(bucket, read)
    broken = unused(rows) if small is not None else []
    # where objects of the default context show nothing, one that is made without a context is of that
    own = OWN_CONTEXT in read_needs(header_value(small or "", HEADER))
    if own and any(_mixes(rows, row, _DEFAULT) for row in [*broken, rows[-1]]):
        return MIXED
    operator = _breaking(broken)
    if operator is not None:
        owner = operator.words.split()[0].rpartition(".")[0]
        return f"an operator of {owner} breaks what a later call uses"
    last = rows[-1]
    if last.action != "misuse":  # what a misuse before it broke is another defect
        return ""
    if last.words.startswith(f"{_COPY} ") or last.spelling in _SHALLOW:
        return "a shallow copy shares what its original frees"
    words = last.words.split()
    if broken or is_release(bucket):  # the call need not be the one that is at fault
        return ""
    if _mixes(rows, last):
        return MIXED
    slot = words[words.index(WITH) + 1].partition(".")[0] if WITH in words else ""
    if slot[:1].isdigit() or slot[:1] == "*" or slot == "sort":  # a term or a sort
        return f"{_OPERAND}{last.call.operator} is not checked"
    words = [word for word in words if word not in _replaceable(bucket, read)]
    if "py:none" in words:
        return "None ends the process"
    numbers = [word[3:] for word in words if re.fullmatch(r"py:-?\d{1,60}", word)]
    if any(int(number) < 0 or int(number) >= _LARGE for number in numbers):
        return "a number that is not checked ends the process"
    owner = _worked_on(rows) if bucket.kind == CRASH and _smaller(bucket, read) is not None else ""
    if owner in (_wrapper(bucket.solver).get("broad-classes") or ()):
        return ""
    return f"methods of {owner} do not check what they work on" if owner else ""


def _replaceable(bucket: Bucket, read: Read) -> set[str]:
    """The plain operands of a misuse in whose place others show the defect, as its smaller trace has them. Other
    negative numbers may be at fault as well.
    """
    needs = read_needs(header_value(_smaller(bucket, read) or "", HEADER))
    tried = (need for need in needs if need.kind == "operand" and need.value)
    return {
        f"py:{need.high}"
        for need in tried
        if any(not other.startswith("-") for other in need.value.split(", "))
    }


OF_VALUES = re.compile(r"\w{0,60}(?:Ref|Term|Sort)")  # classes with a method for each operator


def _worked_on(rows: Sequence[Row]) -> str:
    """The class of the object on which the last row calls a method, or which it reads again, where a
    method of this class says little of the defect; empty elsewhere. Of a term only a method without an
    operand does.
    """
    first, *more = rows[-1].words.split()
    method = "." in first
    at, operands = (more[0], more[1:]) if method and more else (first, more)
    made = [result for row in rows for result in row.results if result[:2] == ["return", at]]
    named = made[-1][-1] if made and at.startswith("x") else ""
    owner = first.rpartition(".")[0].rpartition(".")[2] if method else named
    if not named or not owner[:1].isupper():
        return ""
    return "" if operands and OF_VALUES.fullmatch(named) else named


def _told_rows(bucket: Bucket, read: Read) -> list[Row]:
    """The rows of the smaller trace, or of the one that is kept where there is none."""
    text, kept = _smaller(bucket, read), bucket.smallest()
    if text is None and kept is not None:
        text = read(kept.file)
    return list(read_rows(text)) if text else []


def _misfit(row: Row) -> str:
    """How a definition does not fit its declaration, of a row that makes one; empty for any other row."""
    held = row.words.split(" ")[0] if row.action == "misuse" else f"{row.action}@{row.spelling}"
    return misfit_of(held)


_DEFAULT = "default"  # the context of objects that are made without one


def _mixes(rows: Sequence[Row], called: Row, default: str = "") -> bool:
    """Whether a row has objects of two contexts. An object whose operands name no context is taken for one
    that goes with any, where no `default` context is said: a binding may have a context of its own for these.
    """
    words = called.words.split()
    if called.spelling == "context" and "other" in words:
        return True
    owners: dict[str, str] = {}
    for row in rows:
        if row is called:
            break
        among = _owners(row.words.split(), owners)
        for result in row.results:
            if result[:1] == ["return"] and result[1:2] and result[1].startswith("x"):
                stands_alone = not among and result[-1].endswith(("Context", "Manager"))
                owners[result[1]] = result[1] if stands_alone else (among or [default])[0]
    return len(set(_owners(words, owners))) > 1


def _owners(words: Sequence[str], owners: Mapping[str, str]) -> list[str]:
    """The contexts to which the objects in the words of a row belong: terms, sorts and solvers of a run to
    its own.
    """
    found = [
        owners.get(word, "") if word.startswith("x") else _RUN
        for word in words
        if _OBJECT.fullmatch(word)
    ]
    return [owner for owner in found if owner]


_RUN = "c1"  # the context of a run
_OBJECT = re.compile(r"[xtsoc]\d{1,9}")
_ID = re.compile(r"[xts]\d{1,9}")


_DROPPING = ("delete", "del", "gc")  # calls that only notice what was broken before


def breaking_call(trace: str, frames: str = "", released: bool = False) -> Row | None:
    """The call in the smallest trace of a death that breaks what the last call uses, although that
    call has nothing of it: an operator; or, before objects are dropped or `released`, the one misuse that
    may, or that of a class which the native frames name. None where there is none, or nobody can say which.
    """
    rows = list(read_rows(trace))
    broken = unused(rows)
    operator = _breaking(broken)
    dropped = broken if rows and (released or rows[-1].action in _DROPPING) else []
    if len(dropped) > 1:
        inside = frames.lower()
        dropped = [one for one in dropped if (name := _class_of(one)) and name in inside]
    return operator or next(iter(dropped[-1:]), None)


def _class_of(misuse: Row) -> str:
    """The class of the method that a misuse calls, as the names of functions in the solver may have it;
    empty where it is no method.
    """
    owner = misuse.words.split(" ")[0].rpartition(".")[0].rpartition(".")[2]
    return owner.removesuffix("Ref").lower() if owner[:1].isupper() else ""


def _breaking(misuses: Sequence[Row]) -> Row | None:
    """The first operator among misuses: what comes behind it only moves other objects in memory."""
    return next((one for one in misuses if one.words.split(" ")[0].endswith("__")), None)


def unused(rows: Sequence[Row]) -> list[Row]:
    """The misuses whose results no later row uses, but for what the last row uses through others. The
    reduction leaves them out where they are not needed: they break something.
    """
    used = set(_ID.findall(rows[-1].words)) if rows else set()
    found: list[Row] = []
    for row in reversed(rows[:-1]):
        made = {word for result in row.results if result[:1] == ["return"] for word in result[1:]}
        if made & used:
            used |= set(_ID.findall(row.words))
        elif row.action == "misuse":
            used |= set(_ID.findall(row.words))
            found.insert(0, row)
    return found


def callable_of(bucket: Bucket) -> str:
    """The callable or the operator in which a misuse shows, as far as the bucket tells it; of a definition
    that does not fit its declaration also how it does not.
    """
    misfit = _TAKEN.match(misuse_message(bucket.message))
    if misfit:
        how = MISFITS.get(misfit[2], misfit[2])
        return f"{misfit[1]} ({how})" if misfit[1] else how
    return place_of(bucket) or bucket.operator or bucket.spelling


_TAKEN = re.compile(
    r"(?:(\w{1,60}) takes )?a definition that does not fit its declaration(?: is taken)? \(([\w-]{1,40})\)$"
)


def place_of(bucket: Bucket) -> str:
    """The function of the binding that throws the exception of a misuse; empty for anything else."""
    found = re.search(
        r" in ([\w.]{1,200}) \(\w{1,100}\.\w{1,9}\)$", bucket.message.partition("\n")[0]
    )
    return found[1] if found else ""


def is_trifle(bucket: Bucket) -> bool:
    """Whether lists tell a broken promise last: a wrong operand is refused, but by an exception that
    nobody documents, or objects of two contexts are taken.
    """
    return bucket.kind == CONTRACT and cause(bucket, lambda file: None) in TRIFLES


def is_silent(bucket: Bucket) -> bool:
    """Whether a broken promise gives another result without a word, which is worse than an exception
    of the wrong class.
    """
    return bucket.kind == CONTRACT and bool(_SILENT.search(misuse_message(bucket.message)))


def needs_reduction(bucket: Bucket) -> bool:
    """Whether nothing but the shape of a smaller trace tells which defect a bucket shows."""
    return kind_of(bucket.kind).smaller == "needed"


def comparable(bucket: Bucket, others: Iterable[Bucket], known: Iterable[str]) -> bool:
    """Whether there is something that the shape of a smaller trace could make one defect with
    `bucket`: another bucket of its solver that only its shape marks, or such a mark among `known`.
    """
    for other in others:
        found = other.state in MARKED and other.solver == bucket.solver
        if found and other.key != bucket.key and needs_reduction(other):
            return True
    return any(mark.startswith(_of_shapes(bucket)) for mark in known)


def _of_shapes(bucket: Bucket) -> tuple[str, str]:
    """The beginnings of the marks that the shape of a smaller trace gives to a bucket."""
    return f"{bucket.solver} is wrong", f"{bucket.solver} {bucket.kind} of "


def gains_by_reduction(bucket: Bucket) -> bool:
    """Whether a smaller trace may tell more of the defect: its shape, the option that it needs, or the
    call before the last one.
    """
    return kind_of(bucket.kind).smaller != ""


def _of_message(bucket: Bucket, read: Read) -> tuple[str, ...]:
    """The message; and of an exception that comes while the solver solves, the first words of it with
    what is telling in the smaller trace: the rest may name what the solver made of one sort.
    """
    message = abstract(bucket.message)
    if bucket.kind == ILL_FORMED:  # its end may be cut off, behind a long term
        message = message.partition("TERM")[0]
    if len(re.findall(r"[a-z]{2,}", message.partition(":")[2])) < _TELLING_WORDS:
        return ()
    found = [f"{bucket.solver} {bucket.kind}: {message}"]
    solved = bucket.action in (*ANSWERING, *SOLVING)
    shape = smallest_shape(bucket, read) if solved else None
    if shape is not None and shape.telling:
        first = " ".join(message.split()[: _TELLING_WORDS + 1])
        telling = f"{' & '.join(shape.telling)} {_options(shape)}"
        found.append(f"{bucket.solver} {bucket.kind}: {first} on {telling}")
    if shape is not None and _DECLARED.search(bucket.message):
        # which function the solver applies to what it made of a term differs with the sort of that
        unnamed = abstract(_DECLARED.sub("(FUNCTION", bucket.message)).replace("SORT", "TERM")
        innermost = dict.fromkeys(_INNERMOST.findall(" ".join(shape.telling)))
        found += [f"{bucket.solver} {bucket.kind}: {unnamed} of {one}" for one in innermost]
    return tuple(found)


def _of_given_up(bucket: Bucket, shape: Shape) -> str:
    """The solver's reason with the telling operators of the smaller trace, if it has no quantifiers. With
    quantifiers the reason alone: a solver is seldom complete for them, and which rule led to a script
    that it gives up is chance.
    """
    reason = bucket.message.partition("; its reason: ")[2]
    where = "quantifiers"
    if not any(_QUANTIFIER.search(formula) for formula in shape.formulas):
        operators = dict.fromkeys(_OPERATOR.findall(" ".join(shape.telling)))
        where = " & ".join(sorted(operators)) or _words(shape)
    return f"{bucket.solver} gives up on {where}: {reason}"


def _of_death(bucket: Bucket, read: Read) -> tuple[str, ...]:
    """The place of the death, but for one whose place is chance: that of a broken heap is wherever it
    is noticed. And where calls that neither solve nor make anything lead there, the innermost function
    with these calls: what one call breaks may show at once, or in the call after it.
    """
    names = place(bucket.backtrace)
    if finds_broken(bucket):
        return (f"{bucket.solver} breaks the heap",)
    if not names:
        return ()
    found = [f"{bucket.solver} dies in {' < '.join(names)}"]
    if names[0] == RECURSION:  # which function calls which in a turn differs with what is inlined
        turn = ", ".join(sorted(set(names[1:])))
        found.append(f"{bucket.solver} dies in a recursion of {turn}")
    found += [*_in_depth(bucket), *_of_callable(bucket, read)]
    calls = [bucket.action, *_call_before(bucket, read)]
    shape = smallest_shape(bucket, read)
    # the frames say more than that something is misused, or that there is a solver
    for call in [call for call in calls if call not in (*_COMPLETE, "misuse", "new")]:
        if names[0] != RECURSION:
            found.append(f"{bucket.solver} dies in {names[0]} by {call}")
        if shape is not None and shape.formulas:
            found.append(f"{bucket.solver} dies by {call} on {_words(shape)}")
    return tuple(found)


def _in_depth(bucket: Bucket) -> list[str]:
    """The two innermost functions in which a misuse ends the process, where both lie inside of the solver:
    whatever call leads there does not check what it is given.
    """
    names = place(bucket.backtrace)
    deep = bucket.action == "misuse" and _is_deep(names) and not finds_broken(bucket)
    return [f"{bucket.solver}{IN_DEPTH}{' < '.join(names[:2])}"] if deep else []


def _of_callable(bucket: Bucket, read: Read) -> list[str]:
    """The public callable that ends the process: what it is given is chance, where nothing that was broken
    before is needed.
    """
    text = _smaller(bucket, read)
    by_name = bucket.action == "misuse" and bucket.spelling in BY_NAME
    if not by_name or not text or unused(list(read_rows(text))):
        return []
    found = [f"{bucket.solver} dies by a call of {bucket.operator}"]
    names = place(bucket.backtrace)
    if names and names[0] != RECURSION:  # two classes inherit one method
        calls = [
            bucket.operator,
            *_other_calls(text),
        ]  # what was seen to die so with its operands, too
        methods = dict.fromkeys(call.rpartition(".")[2] for call in calls)
        found += [f"{bucket.solver} dies by a call of .{one} in {names[0]}" for one in methods]
    return found


def _other_calls(trace: str) -> list[str]:
    """The callables that show the death of a trace in the place of the last one that it calls."""
    last = sum(1 for _ in read_rows(trace)) - 1
    needs = read_needs(header_value(trace, HEADER))
    called = (one for one in needs if one.kind == "called" and one.name.startswith(f"{last}:"))
    return [name for need in called for name in need.value.split(", ") if name]


def finds_broken(bucket: Bucket) -> bool:
    """Whether the place of a death only tells where broken memory was noticed: in the allocator, or when an
    object was released although no object was to be dropped. A solver that aborts there by itself says why.
    """
    heap = place(bucket.backtrace)[:1] == (HEAP,) or breaks_heap(bucket.message)
    return heap or (is_release(bucket) and bucket.kind != ABORT)


def is_release(bucket: Bucket) -> bool:
    """Whether the process died while an object was released, in a call that is no test of lifetimes."""
    rule = RULES.get(bucket.spelling) if bucket.action == "misuse" else None
    by_lifetime = rule is not None and rule.letter in _LIFETIMES
    return bucket.action not in _DROPPING and not by_lifetime and releases(bucket.backtrace)


# What frees an object notices what another call broke.
_FREEING = re.compile(r"delete|free|dec_?ref|erase|release|destroy|~|unlink")


def _is_deep(names: Sequence[str]) -> bool:
    """Whether two innermost frames are functions inside of the solver, which several of its calls share:
    a misuse gives them an object that none of these calls checks.
    """
    if len(names) < FRAMES or names[0] == RECURSION:
        return False
    inner = [re.sub(r"\(.*", "", name) for name in names[:2]]
    return not any(name.startswith("0x") or _FREEING.search(name) for name in inner)


def _of_option(bucket: Bucket, read: Read) -> tuple[str, ...]:
    """The one option without which the smaller trace does not show the finding. Which part of the
    solver meets first what such an option breaks is chance.

    Options that only let the solver do more, such as to keep proofs, do not tell.
    """
    shape = smallest_shape(bucket, read)
    telling = [o for o in shape.options if not _ENABLING.search(o)] if shape else []
    if shape is None or len(telling) != 1 or len(shape.options) > 1 or bucket.tier == DOCUMENTED:
        return ()
    return (f"{bucket.solver} fails with {telling[0]}",)


def _of_own_check(bucket: Bucket, read: Read) -> Marks:
    """The marks of a wrong model, where the smaller trace has the solver check its own models: the
    check ends the process, or raises, for what is a wrong model without it.
    """
    shape = smallest_shape(bucket, read)
    if shape is None or not shape.options:
        return Marks()
    checks = _own_checks(bucket.solver)
    others = tuple(one for one in shape.options if not one.startswith(checks))
    if not checks or others == shape.options:
        return Marks()
    return _of_shape(replace(bucket, kind=INVALID_MODEL), replace(shape, options=others))


def _own_checks(solver: str) -> tuple[str, ...]:
    """How the options begin by which a solver checks its own models."""
    return tuple(f"{name} " for name in _wrapper(solver).get("own-checks") or ())


@lru_cache  # to find a wrapper takes longer than to read a trace
def _wrapper(solver: str) -> dict[str, Any]:
    """The wrapper of a solver; empty where there is none of this name."""
    return load_wrapper(solver) if solver in wrapper_names() else {}


def _call_before(bucket: Bucket, read: Read) -> list[str]:
    """The action before the last one of the smaller trace; empty where there is no smaller trace."""
    text = _smaller(bucket, read)
    actions = [row.action for row in read_rows(text)] if text else []
    return actions[-2:-1]


def _smaller(bucket: Bucket, read: Read) -> str | None:
    files = [
        form.file for form in bucket.reproducers if form.form == "min.trace" and form.reproduces
    ]
    return read(files[0]) if files else None


def smallest_shape(bucket: Bucket, read: Read) -> Shape | None:
    """The shape of the smaller trace of a bucket; None where there is none, or none can be read."""
    text = _smaller(bucket, read)
    return None if text is None else _shape(text)


@lru_cache(maxsize=4)  # several marks of a bucket ask for its shape, one after another
def _shape(text: str) -> Shape | None:
    """The shape of a trace; None where it cannot be read."""
    try:
        return shape_of(parse_trace(text, ""))
    except InputError:
        return None


def _options(shape: Shape) -> str:
    return f"[{', '.join(shape.options)}]"


def _words(shape: Shape) -> str:
    return f"{_options(shape)} {' & '.join(shape.formulas)}"


def _of_shape(bucket: Bucket, shape: Shape) -> Marks:
    """The whole shape, and what is telling in it. Where nothing is, the kind must be the same, too."""
    kind = "" if shape.telling else f" {bucket.kind}"
    whole = f"{_words(shape)} ; {' '.join(shape.calls)}"
    wrong, wrong_of = _of_shapes(bucket)
    found = [f"{wrong}{kind} on {whole}"] if shape.formulas else []
    if not shape.telling:
        return Marks(tuple(found))
    options = ", ".join(option for option in shape.options if not _ENABLING.search(option))
    form = f"{wrong_of}{{}} [{options}]"
    found.append(f"{wrong_of}{' & '.join(shape.telling)} {_options(shape)}")
    named = _OPERATOR.findall(" ".join(shape.telling))
    operators = dict.fromkeys(_same_to(bucket.solver, name) for name in named)
    pairs = _nested(bucket.solver, shape.telling)
    one = operators if len(operators) == 1 else pairs if len(operators) == 2 == len(named) else ()
    alone = form.format(*one) if len(one) == 1 else ""
    return Marks(tuple(found), alone, tuple(map(form.format, [*operators, *pairs])))


# ----------------------------------------------------------------------
# Defects: a second level over buckets. The key of a bucket is fixed at discovery; the grouping of
# buckets to defects changes whenever more is known of them.


FILE = "defects.json"  # in the folder of the campaign
_VERSION = 1

Ranges = Callable[[str], str]  # by the key of a bucket: the releases that show it, empty if unknown
Span = tuple[Version | None, Version | None]  # the first and the last release; None for no end


@dataclass(frozen=True, slots=True)
class Defect:
    """Buckets that show one defect, the oldest first. `marks` are those that they have in common."""

    buckets: tuple[str, ...]
    marks: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """The name of the defect: the key of its oldest bucket."""
        return self.buckets[0]


class Grouping:
    """Joins buckets that show the same defect. `read` gives the text of a file that a bucket names,
    and `ranges` the releases that show a bucket.

    The data that a grouping reads of a bucket is cached until the bucket has other frames or other
    reproducers.
    """

    def __init__(self, read: Read, ranges: Ranges) -> None:
        self.read = read
        self._ranges = ranges
        self._known: dict[str, tuple[object, Marks]] = {}

    def marks(self, bucket: Bucket) -> Marks:
        """The marks of a bucket. A bucket that nobody confirmed has none."""
        if bucket.state not in MARKED:
            return Marks()
        read = (bucket.backtrace, bucket.reproducers)
        known = self._known.get(bucket.key)
        if known is None or known[0] != read:
            known = self._known[bucket.key] = (read, marks(bucket, self.read))
        return known[1]

    def defects(self, buckets: Iterable[Bucket]) -> list[Defect]:
        """The defects of the buckets, in the order in which they were first found."""
        groups = _Groups(self._ranges)
        for bucket in sorted(buckets, key=lambda bucket: (bucket.first, bucket.key)):
            groups.add(bucket.key, self.marks(bucket))
        groups.join_explained()
        return groups.defects()


def grouping(out: Path, read: Read | None = None) -> Grouping:
    """Return the grouping of the buckets of the campaign in folder `out`. Without another function that
    reads a file that a bucket names, each file is read once.
    """
    return Grouping(
        read or texts_below(out),
        lambda key: kept_range(out / "findings" / key),
    )


def known_of(out: Path, only: Collection[str] | None = None) -> tuple[list[str], dict[str, str]]:
    """Return the known defects that the campaign in folder `out`, or only its buckets `only`, gives
    to another campaign: the keys of its buckets without marks, and all marks of the others, each with
    the oldest bucket that has it. Raises InputError when no campaign is there.
    """
    group = grouping(out)
    keys: list[str] = []
    found: dict[str, str] = {}
    for bucket in read_buckets(out):
        if only is not None and bucket.key not in only:
            continue
        own = group.marks(bucket).own
        keys += [] if own else [bucket.key]
        for mark in own:
            found.setdefault(mark, bucket.key)
    return keys, found


def same(defects: Iterable[Defect]) -> dict[str, str]:
    """For each bucket whose defect an older bucket shows, the key of the oldest one."""
    return {key: defect.key for defect in defects for key in defect.buckets[1:]}


class _Groups:
    """Groups of buckets with a mark in common, none of which are known to be different defects."""

    def __init__(self, ranges: Ranges) -> None:
        self._ranges = ranges
        self._marks: dict[str, Marks] = {}
        self._having: dict[str, list[str]] = {}  # the buckets by their marks
        self._group: dict[str, list[str]] = {}  # the group of each bucket

    def add(self, key: str, marks: Marks) -> None:
        """Put a bucket into a group of its own, with all groups that it has a mark in common with."""
        self._marks[key] = marks
        self._group[key] = [key]
        for other in [other for mark in marks.own for other in self._having.get(mark, ())]:
            self._join(other, key)
        for mark in marks.own:
            self._having.setdefault(mark, []).append(key)

    def join_explained(self) -> None:
        """Put a bucket whose smaller trace has several telling operators into the one group that shows
        the same kind of finding by one of these operators alone, or by a pair of them. Where two groups
        do, either may be the defect, and the bucket stays where it is.
        """
        alone: dict[str, list[str]] = {}
        for key, own in self._marks.items():
            if own.alone:
                alone.setdefault(own.alone, []).append(key)
        for keys in alone.values():
            for other in keys[1:]:
                self._join(keys[0], other)
        # pairs first, which one operator may explain
        for key, own in sorted(self._marks.items(), key=lambda one: not one[1].alone):
            marks = [mark for mark in own.within if mark in alone and mark != own.alone]
            first = [alone[mark][0] for mark in marks]
            groups = {min(self._group[other]): other for other in first}
            if len(groups) == 1:
                self._join(first[0], key)

    def _join(self, one: str, other: str) -> None:
        group, own = self._group[one], self._group[other]
        if group is not own and not self._apart(group, own):
            whole = [*group, *own]
            self._group.update(dict.fromkeys(whole, whole))

    def _apart(self, one: Sequence[str], other: Sequence[str]) -> bool:
        return any(disjoint(self._ranges(a), self._ranges(b)) for a in one for b in other)

    def defects(self) -> list[Defect]:
        """The groups of buckets, as defects."""
        order = {key: at for at, key in enumerate(self._marks)}
        groups = [
            group for key, group in self._group.items() if key == min(group, key=order.__getitem__)
        ]
        found = [
            Defect(tuple(sorted(group, key=order.__getitem__)), self._common(group))
            for group in groups
        ]
        return sorted(found, key=lambda defect: order[defect.key])

    def _common(self, group: Sequence[str]) -> tuple[str, ...]:
        """The marks of at least two buckets; of a single bucket all."""
        counts: dict[str, int] = {}
        for key in group:
            for mark in (*self._marks[key].own, *self._marks[key].within):
                counts[mark] = counts.get(mark, 0) + 1
        return tuple(mark for mark, count in counts.items() if count >= min(2, len(group)))


def disjoint(one: str, other: str) -> bool:
    """Whether no release is in both ranges, such as `4.8.7..4.8.12` and `4.13.0..`. A range that is
    not known may hold any release.
    """
    if not one or not other:
        return False
    return not any(_overlap(a, b) for a in _spans(one) for b in _spans(other))


def _spans(text: str) -> list[Span]:
    """The spans of a range. Words that are no releases may stand for any release."""
    found: list[Span] = []
    for part in text.split(","):
        first, dots, last = (word.strip() for word in part.partition(".."))
        found.append((_release(first), _release(last if dots else first)))
    return found


def _release(name: str) -> Version | None:
    try:
        return Version(name)
    except InvalidVersion:
        return None


def _overlap(one: Span, other: Span) -> bool:
    firsts = [first for first, _ in (one, other) if first is not None]
    lasts = [last for _, last in (one, other) if last is not None]
    return not firsts or not lasts or max(firsts) <= min(lasts)


def defects_text(defects: Sequence[Defect]) -> str:
    """The defects as the text of their file."""
    entries = [{"defect": d.key, "buckets": d.buckets, "marks": d.marks} for d in defects]
    rows = ",\n".join(f"  {json.dumps(one)}" for one in entries)
    return f'{{\n "version": {_VERSION},\n "defects": [\n{rows}\n ]\n}}\n'
