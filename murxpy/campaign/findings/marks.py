"""Marks: what a bucket shows of its defect. Buckets with a mark in common show one defect."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from murxpy.campaign.findings.buckets import Bucket
from murxpy.campaign.findings.frames import place
from murxpy.campaign.findings.keys import normalise
from murxpy.campaign.findings.shapes import Shape, shape_of
from murxpy.checks.registry import ANSWERING, MAKING
from murxpy.errors import InputError
from murxpy.oracles.crash import DEATHS, SEVERITY
from murxpy.oracles.disagreement import KIND as DISAGREEMENT
from murxpy.oracles.documented import TIER as DOCUMENTED
from murxpy.trace.finished import read_rows
from murxpy.trace.grammar import parse_trace

Read = Callable[[str], str | None]  # the text of a file under the campaign's folder

_THROWN = ("exception", "ill-formed", "new-exception")
# How the kinds of findings begin that are about what a solver answers.
_WRONG = ("invalid-", "wrong-", "model-", "repeated-", "invariant", DISAGREEMENT)
# Actions that solve something or make a term: nothing that they broke shows in a later call alone.
_COMPLETE = (*ANSWERING, *MAKING, "run-script")
MARKED = ("confirmed", "known")  # states of buckets that have marks
_TELLING_WORDS = 3  # words of a message at least that tell which defect threw it

# The binding and the readers of scripts put these words before what the solver says.
_SPOKEN_BY = re.compile(r"\b(?:script|check|parse|parser) error: ")
_SORT = re.compile(
    r"\b(?:Int|Real|Bool|String|RegLan|RoundingMode|Float\d+|BitVec|FloatingPoint|Array|Set|Bag|Seq)\b"
)
# Options that only let a solver do or keep more, by the words in their names.
_ENABLING = re.compile(
    r"(?:^|[._-])(?:produce|incremental|exp|experimental|models?|proofs?|cores?|unsat|logic|print"
    r"|check|dump|stats|statistics|timeout|limit|rlimit|seed|mode|auto)(?:[._ -]|$)|-ext(?: |$)"
)
_OPERATOR = re.compile(r"OP_\w+")
_DECLARED = re.compile(r"\((?:declare-fun|declare-const) (\S+)")
_NAME = re.compile(r"(?<![\w.])_[A-Za-z]\w*(?:!\d+)?|\b[A-Za-z]+!\d+")


def abstract(message: str) -> str:
    """The message of an exception without what tells only of the run: the printed terms, numbers,
    names and sorts in it, and which reader passed it on.
    """
    text = _SPOKEN_BY.sub("", message.strip()[:2000])
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
    """What a bucket shows of its defect. Buckets with one of `own` in common show one defect.

    `alone` is the one telling operator of the smaller trace, applied to plain arguments: this
    operator is enough for the defect. `within` are all telling operators of the smaller trace.
    """

    own: tuple[str, ...] = ()
    alone: str = ""
    within: tuple[str, ...] = ()


def marks(bucket: Bucket, read: Read) -> Marks:
    """The marks of a bucket. `read` gives the text of a file that the bucket names.

    The place at which a process died marks its defect, and so does the message of an exception.
    Everything else is marked by the shape of the smaller trace.
    """
    if bucket.kind in DEATHS:
        return Marks((*_of_death(bucket, read), *_of_option(bucket, read)))
    if bucket.kind in _THROWN:
        return Marks((*_of_message(bucket), *_of_option(bucket, read)))
    if bucket.kind in SEVERITY:
        return Marks()
    shape = smallest_shape(bucket, read)
    return Marks() if shape is None else _of_shape(bucket, shape)


def needs_reduction(bucket: Bucket) -> bool:
    """Whether nothing but the shape of a smaller trace tells which defect a bucket shows."""
    return bucket.kind.startswith(_WRONG)


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
    """How the marks begin that the shape of a smaller trace gives to a bucket."""
    return f"{bucket.solver} is wrong", f"{bucket.solver} {bucket.kind} of "


def gains_by_reduction(bucket: Bucket) -> bool:
    """Whether a smaller trace may tell more of the defect: its shape, the option that it needs, or the
    call before the last one.
    """
    return bucket.kind in (*DEATHS, "exception") or needs_reduction(bucket)


def _of_message(bucket: Bucket) -> tuple[str, ...]:
    said = abstract(bucket.message)
    if bucket.kind == "ill-formed":  # its end may be cut off, behind a long term
        said = said.partition("TERM")[0]
    if len(re.findall(r"[a-z]{2,}", said.partition(":")[2])) < _TELLING_WORDS:
        return ()
    return (f"{bucket.solver} {bucket.kind}: {said}",)


def _of_death(bucket: Bucket, read: Read) -> tuple[str, ...]:
    """The place of the death; and where calls that neither solve nor make anything lead there, the innermost function
    with these calls: what one call breaks may show at once, or in the call after it.
    """
    names = place(bucket.backtrace)
    if not names:
        return ()
    found = [f"{bucket.solver} dies in {' < '.join(names)}"]
    calls = [bucket.action, *_call_before(bucket, read)]
    shape = smallest_shape(bucket, read)
    for call in [call for call in calls if call not in _COMPLETE]:
        if names[0] != "recursion":
            found.append(f"{bucket.solver} dies in {names[0]} by {call}")
        if shape is not None and shape.formulas:
            found.append(f"{bucket.solver} dies by {call} on {_words(shape)}")
    return tuple(found)


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
    try:
        return None if text is None else shape_of(parse_trace(text, bucket.key))
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
    said = f"{wrong_of}{{}} [{options}]"
    found.append(f"{wrong_of}{' & '.join(shape.telling)} {_options(shape)}")
    operators = dict.fromkeys(_OPERATOR.findall(" ".join(shape.telling)))
    alone = said.format(*operators) if len(operators) == 1 else ""
    return Marks(tuple(found), alone, tuple(map(said.format, operators)))
